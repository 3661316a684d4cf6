"""The command line: one file a verb; no arithmetic, no bytes."""
