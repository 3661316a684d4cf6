"""A physical bench: its environment says which.

RESUME_RIG_RIG is the rig's URL, RESUME_RIG_DUT the DUT's profile, RESUME_RIG_LOG where its log is
(a file, a folder or ssh:USER@HOST).
"""

import os

RIG_URL = os.environ.get("RESUME_RIG_RIG", "serial:")
PLUG_URL = RIG_URL
DUT = os.environ.get("RESUME_RIG_DUT", "")
LOG = os.environ.get("RESUME_RIG_LOG")
CYCLES = 20
DWELL = "30 s"
SETTLE = "20 s"
STATE_CYCLES = 5
TIMER_DWELL = "60 s"
STRESS_PLAN = "stress-1000"
STRESS_CYCLES = 1000
STRESS_RATE = "1 %"
DISPLAY_LIMIT = "2500 ms"
LIGHT_KNOWN_TO = "1 ms"
LIGHT_AFTER_COMPLETE = "1 s"
LATENCY_GAP = "1 ms"
LATENCY_CHANGES = 200
LATENCY_SPREAD = "100 us"
