"""From a rig URL and a store to an answer that can be handed over; every face asks here."""
