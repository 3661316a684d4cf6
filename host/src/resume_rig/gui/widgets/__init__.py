"""Pieces that the views share."""
