"""Sections that the answers of logs and campaigns share."""
