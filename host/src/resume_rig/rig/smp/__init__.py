"""SMP (mcumgr) over a byte pipe: packets, framing, client."""
