"""Readers of what an operating system wrote of its sleeps and wakes."""
