"""Base against candidate, unit against unit, rig against rig."""
