"""The command line: one file a verb, or a few that are alike; no arithmetic, no bytes."""
