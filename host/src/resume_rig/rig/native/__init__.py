"""The native rung: the real firmware image on native_sim, its pins driven by a simulated DUT."""
