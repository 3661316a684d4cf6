"""The first page: what was open, what can be opened."""
