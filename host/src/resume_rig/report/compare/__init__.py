"""The answer of `compare`: document, terminal, page."""
