"""Arithmetic of drawings; templates draw them."""
