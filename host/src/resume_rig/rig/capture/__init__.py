"""Captures that other instruments made: VCD and CSV, read as edges."""
