"""Verbs that need a rig or stand in for one; one file a verb."""
