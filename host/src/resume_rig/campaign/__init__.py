"""Runs campaigns and keeps what they measured."""
