"""The ledger of transitions: each once, and which of them contradict themselves."""
