"""Verbs that need no rig: they read stores, captures and logs; one file a verb."""
