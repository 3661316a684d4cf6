"""Decks in `hardware/decks`, run by ngspice with drawn tolerances and checked against limits."""
