"""The answer of `fleet`: document, terminal, page."""
