"""What every verb has: arguments, the terminal, the answer."""
