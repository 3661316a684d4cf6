"""The campaign store: written, read back, checked, salvaged."""
