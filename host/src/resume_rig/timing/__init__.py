"""Time: clocks, the relation between them, the uncertainty of an interval."""
