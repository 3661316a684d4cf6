"""The seam to the board: interface, SMP client, transports, simulated bench."""
