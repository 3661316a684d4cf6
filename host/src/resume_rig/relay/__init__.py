"""A relay board's REST interface in front of a rig, for test systems that know only that."""
