"""From a rig URL to a rig: found, claimed, opened, spoken to, shared."""
