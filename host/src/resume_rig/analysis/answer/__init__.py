"""From what was judged to the one answer that every face paints."""
