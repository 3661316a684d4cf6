"""The answer of `log`: document, terminal, page."""
