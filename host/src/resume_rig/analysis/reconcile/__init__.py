"""Outside and inside of one cycle as one statement, and where the time lies that neither shows."""
