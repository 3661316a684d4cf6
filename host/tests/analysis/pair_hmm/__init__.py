"""The match as one pair hidden Markov model: an oracle for the chain."""
