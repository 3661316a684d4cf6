"""Threads: the one that owns the rig, and the one that reads files."""
