"""The commands that this host asks a board for, each as one typed request and its reply."""
