"""The answer of `run`, `correlate` and `report`: document, terminal, page."""
