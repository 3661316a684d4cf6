"""Judged facts of many campaigns in an open table format, and questions to them."""
