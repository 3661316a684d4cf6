"""Windows' event log: events, the accounts they make, and the forms in which it is exported."""
