"""The real firmware on native_sim, in real time; RESUME_RIG_NATIVE names its image."""

import os

_IMAGE = os.environ.get(
    "RESUME_RIG_NATIVE", "build/firmware/native_sim_native_64/zephyr/zephyr.exe"
)

RIG_URL = f"native:{_IMAGE},seed=7"
PLUG_URL = f"native:{_IMAGE},seed=7,dut=loopback"
DUT = "healthy-laptop"
LOG = None
CYCLES = 3
DWELL = "5 s"
SETTLE = "3 s"
STATE_CYCLES = 1
TIMER_DWELL = "60 s"
STRESS_PLAN = "s3resume"
STRESS_CYCLES = 4
STRESS_RATE = "70 %"
DISPLAY_LIMIT = "2500 ms"
LIGHT_KNOWN_TO = "10 ms"
LIGHT_AFTER_COMPLETE = "1 s"
# The plug answers 20 ms late, and the image's threads share their processor with all else.
LATENCY_GAP = "100 ms"
LATENCY_CHANGES = 20
LATENCY_SPREAD = "200 ms"
