"""Cycles from edges: moments, levels, light, intervals, and faults that the wires show."""
