"""Shows results; one file a format."""
