"""Which OS record belongs to which cycle, given two sequences of times on unrelated clocks."""
