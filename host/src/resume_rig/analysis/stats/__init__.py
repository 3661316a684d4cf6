"""Figures of series of times and what they prove: distributions, trends, sessions."""
