"""Plain facts that every other package speaks of; imports nothing of the project."""
