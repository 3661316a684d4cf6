"""The answer of `trend`: document, terminal, page."""
