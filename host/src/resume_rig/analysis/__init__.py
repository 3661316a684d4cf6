"""Decides: cycles from edges, match, reconciliation, requirement, statistics."""
