"""Firmware updates: the image, the board's slots, and the way from one image to the next."""
