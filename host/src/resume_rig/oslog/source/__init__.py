"""What the readers of all logs share: bytes to text, lines and elements, times, problems."""
