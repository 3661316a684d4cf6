"""Runs campaigns: the bench, the cycle, the recovery, the events."""
