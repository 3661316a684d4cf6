"""What stores, captures and logs come to: judged, compared, side by side."""
