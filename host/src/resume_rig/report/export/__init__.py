"""Campaigns in the formats of other tools; each file one format, each output the same bytes."""
