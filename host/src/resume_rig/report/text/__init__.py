"""Words, numbers and strings of others as people and machines read them."""
