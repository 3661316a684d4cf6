"""A legal value and an illegal one of each word of a plan, for every door to read."""

from typing import Any

from resume_rig.campaign.plan.plan import Range, StopRules, Vary
from resume_rig.campaign.plan.words import Order, TraceTool
from resume_rig.model.channel import Actuator, SleepMeans, WakeMeans
from resume_rig.model.os_record import SleepKind

S = 1_000_000_000

# A word, with those that it goes with; what a plan then is.
LEGAL: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({"cycles": "12"}, {"cycles": 12}),
    ({"state": "s4"}, {"state": SleepKind.S4}),
    ({"state": "S5", "settle": "20 s"}, {"state": SleepKind.BOOT, "settle_ns": 20 * S}),
    ({"sleep_by": "COMMAND"}, {"sleep_by": SleepMeans.COMMAND}),
    ({"wake_by": "lid"}, {"wake_by": Actuator.LID}),
    ({"wake_by": "NONE"}, {"wake_by": WakeMeans.NONE}),
    (
        {"wake_by": "button, timer"},
        {"vary": (Vary("wake_by", (Actuator.BUTTON, WakeMeans.TIMER)),)},
    ),
    ({"dwell": "7.5 s"}, {"dwell_ns": 7_500_000_000}),
    (
        {"dwell": "5 s to 1 min"},
        {"vary": (Vary("dwell_ns", Range(5 * S, 60 * S)),)},
    ),
    ({"settle": "3s"}, {"settle_ns": 3 * S}),
    ({"settle": "adaptive"}, {"settle_limit_ns": 120 * S}),
    ({"settle": "4 s, adaptive"}, {"settle_ns": 4 * S, "settle_limit_ns": 120 * S}),
    ({"settle": "adaptive", "settle_limit": "30 s"}, {"settle_limit_ns": 30 * S}),
    ({"press": "200 ms"}, {"press_ns": S // 5}),
    ({"wake_timeout": "90 s"}, {"wake_timeout_ns": 90 * S}),
    ({"sleep_timeout": "2 min"}, {"sleep_timeout_ns": 120 * S}),
    ({"warm_up": "3"}, {"warm_up": 3}),
    ({"ignore_first": "no"}, {"warm_up": 0}),
    ({"short_dwell": "yes", "dwell": "1 s"}, {"short_dwell": True, "dwell_ns": S}),
    ({"trace": "wpr"}, {"trace": TraceTool.WPR}),
    ({"health": "yes"}, {"health": True}),
    ({"order": "matrix"}, {"order": Order.MATRIX}),
    ({"seed": "77"}, {"seed": 77}),
    ({"stop_failures": "3"}, {"stop": StopRules(failures=3)}),
    ({"stop_recoveries": "2"}, {"stop": StopRules(recoveries=2)}),
    ({"stop_after": "12 h"}, {"stop": StopRules(time_ns=12 * 3600 * S)}),
    ({"stop_failure_rate_below_percent": "1"}, {"stop": StopRules(failure_rate=0.01)}),
    (
        {"stop_failure_rate_below_percent": "1", "stop_confidence_percent": "90"},
        {"stop": StopRules(failure_rate=0.01, confidence=0.9)},
    ),
]
# A word of which a value is none, and what the sentence has; WORD is the door's own name of it.
ILLEGAL: list[tuple[str, str, str]] = [
    ("cycles", "many", "WORD = 'many'; allowed is a whole number, 1 to 1,000,000"),
    ("cycles", "0", "a plan of 0 cycles; allowed are 1 to 1,000,000"),
    ("state", "S1", "WORD = 'S1'; allowed are S3, hybrid, S4, fast-startup, modern-standby, S5"),
    ("sleep_by", "timer", "WORD = 'timer'; allowed are button, lid, idle, command"),
    ("wake_by", "foot", "WORD = 'foot'; allowed are button, lid, keyboard, contact, timer, none"),
    ("wake_by", "lid, foot", "WORD = 'foot'; allowed are button, lid, keyboard, contact, timer"),
    ("dwell", "5 parsecs", "WORD = '5 parsecs'; allowed is a time with its unit (ns, us, ms, s,"),
    ("dwell", "1 s", "a dwell of 1.000 s; allowed are 5 s or more after sleep entry"),
    ("dwell", "9 s to 6 s", "a range from a duration to a longer one"),
    ("settle", "soon", "WORD = 'soon'; allowed is a time with its unit"),
    ("settle", "2 h", "a settle time of 7200.0 s; allowed are 0 ns to 3600.0 s"),
    ("settle_limit", "30 s", "WORD goes with "),
    ("press", "20 ms", "a press of 20.00 ms; allowed are 50.00 ms to 1.500 s"),
    ("wake_timeout", "0 s", "a wake time-out of 0 ns; allowed are 1.000 s to 3600.0 s"),
    ("sleep_timeout", "2 h", "a sleep time-out of 7200.0 s; allowed are 1.000 s to 3600.0 s"),
    ("warm_up", "5", "a warm-up of 5 of 4 cycles; allowed are 0 to all of them"),
    ("ignore_first", "perhaps", "WORD = 'perhaps'; allowed are true and false, or yes and no"),
    ("short_dwell", "perhaps", "WORD = 'perhaps'; allowed are true and false, or yes and no"),
    ("trace", "etw", "WORD = 'etw'; allowed are none, wpr, xperf"),
    ("health", "perhaps", "WORD = 'perhaps'; allowed are true and false, or yes and no"),
    ("order", "chaos", "WORD = 'chaos'; allowed are sequence, matrix, random"),
    ("seed", "-1", "a seed of -1; allowed are 0 to 2^63-1"),
    ("stop_failures", "0", "a stop at 0 failures; allowed are 1 to 1,000,000"),
    ("stop_recoveries", "none", "WORD = 'none'; allowed is a whole number"),
    ("stop_after", "0 s", "a time to stop after of 0 ns; allowed are 1.000 s to"),
    ("stop_failure_rate_below_percent", "100", "allowed are more than 0, less than 100 %"),
    ("stop_confidence_percent", "10", "a confidence of 10 %; allowed are 50 and more, less than"),
]
