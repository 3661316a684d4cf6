"""Findings: where outside and inside disagree, one small file a family."""
