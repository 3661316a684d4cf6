"""A simulated bench: the firmware's C core wired to a simulated DUT."""
