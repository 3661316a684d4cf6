"""The simulated bench, on its virtual clock: hours of sleep cost seconds."""

RIG_URL = "sim:clock=virtual,seed=7"
PLUG_URL = "sim:clock=virtual,seed=7,dut=loopback"
DUT = "healthy-laptop"
LOG = None
# So many that a BIOS time which is too short is told from one that varies.
CYCLES = 12
DWELL = "8 s"
SETTLE = "5 s"
STATE_CYCLES = 2
TIMER_DWELL = "60 s"
STRESS_PLAN = "stress-1000"
STRESS_CYCLES = 30
STRESS_RATE = "10 %"
# A display may wake slower than its PC; SYSFUND-0004 does not speak of it.
DISPLAY_LIMIT = "2500 ms"
LIGHT_KNOWN_TO = "1 ms"
LIGHT_AFTER_COMPLETE = "1 s"
LATENCY_GAP = "1 ms"
LATENCY_CHANGES = 200
LATENCY_SPREAD = "100 us"
