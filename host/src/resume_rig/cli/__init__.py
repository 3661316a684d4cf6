"""The command line: one file a verb, or a few of one kind; no arithmetic, no bytes."""
