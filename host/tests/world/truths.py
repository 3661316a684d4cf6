"""When a finding is true of a cycle, and when a verdict is true of a campaign."""

import statistics
from collections.abc import Callable
from math import comb

from world.labs import Trial
from world.unit import Cycle

MARGIN = 0.005  # seconds that a true fact must exceed before the finding that names it is right

# Accusations of the firmware; every other kind is counted beside them.
FIRMWARE = {
    "average-resume-wrong",
    "bios-over-reported",
    "bios-under-reported",
    "double-reset",
    "firmware-disagrees",
    "hidden-before-sleep",
    "lit-before-os",
    "resume-count-stuck",
    "tsc-not-reset",
    "wrong-unit",
}
# Of the DUT as a whole.
FAULTS = {"dark", "hung", "never-slept", "never-woke", "rebooted", "wrong-state"}
# Shown of any unit that is slow, and true of it; or says that something could not be told.
NEUTRAL = {
    "bios-over-advised",
    "edge-lost",
    "held-off",
    "light-not-timed",
    "lit-asleep",
    "odd-levels",
    "suspicion",
    "trigger-unclear",
}
# What a cycle that resumed never came to, and one that never slept neither.
FAILED = {"dark", "hung-in-resume", "hung-in-sleep", "never-slept", "never-woke", "rebooted"}
SLEPT = {"slept-and-woke", "record-missing", "woke-late", "woke-alone"}


def hidden_before(cycle: Cycle) -> float:
    """Return what passed between the trigger and SLP_S3# and is in no report."""
    suspend = (cycle.os_asleep - cycle.os_sleep) + cycle.firmware_suspend
    return (cycle.slp_fall - cycle.press_sleep) - suspend


def possible(cycle: Cycle) -> bool:
    """Return whether the reported BIOS time fits into the time away, by the log alone."""
    return not cycle.garble and cycle.bios_reported <= cycle.rtc_read - cycle.clock_halt


def _late(cycle: Cycle) -> float:
    # 300 ms of PLTRST# to TSC = 0 are the TSC's start.
    return max(0.0, cycle.tsc_zero - cycle.reset_rise - 0.3)


def _under_reported(trial: Trial, cycle: Cycle) -> bool:
    # Time after PLTRST# that is in nobody's report.
    return cycle.bios + _late(cycle) - cycle.bios_reported > MARGIN


def _late_os(trial: Trial, cycle: Cycle) -> bool:
    # What the OS itself took before it read its clock.
    return cycle.rtc_read - cycle.tsc_zero + _late(cycle) - cycle.bios_reported > MARGIN


def _firmware_disagrees(trial: Trial, cycle: Cycle) -> bool:
    gaps = [c.bios_reported - c.firmware_resume for c in trial.cycles]
    return cycle.bios_reported < cycle.firmware_resume or max(gaps) - min(gaps) > 0.018


def _unexplained(trial: Trial, cycle: Cycle) -> bool:
    rests = [c.light - c.reset_rise - c.reported for c in trial.cycles]
    rest = cycle.light - cycle.reset_rise - cycle.reported
    return abs(rest - statistics.median(rests)) > 0.045


# Garbage is longer than the truth, and is named by what it looks like.
GARBLED = {
    "uptime": {"tsc-not-reset"},
    "us": {"wrong-unit"},
    "ns": {"wrong-unit", "tsc-not-reset"},
    "100ns": {"wrong-unit", "tsc-not-reset"},
    "ticks": {"wrong-unit", "tsc-not-reset"},
}


def _garbled(kind: str) -> Callable[[Trial, Cycle], bool]:
    return lambda trial, cycle: kind in GARBLED.get(cycle.garble, ())


def _recordless(trial: Trial, cycle: Cycle) -> bool:
    return cycle.empty or cycle.record not in trial.present


# When a finding is true of a cycle; one that stands not here never is in these scenarios.
TRUTHS: dict[str, Callable[[Trial, Cycle], bool]] = {
    "bios-under-reported": _under_reported,
    "bios-over-reported": lambda trial, cycle: cycle.bios_reported - cycle.bios > MARGIN,
    "firmware-disagrees": _firmware_disagrees,
    "lit-before-os": lambda trial, cycle: (cycle.lit or (cycle.light,))[0] < cycle.vector,
    # 100 ms are allowed for the trigger's acceptance, and 250 ms are named nothing.
    "hidden-before-sleep": lambda trial, cycle: hidden_before(cycle) > 0.25,
    "complete-before-light": lambda trial, cycle: cycle.light - cycle.complete > 1.0,
    "unexplained": _unexplained,
    "record-missing": _recordless,
    "record-aborted": lambda trial, cycle: cycle.empty,
    "clock-step": lambda trial, cycle: trial.stepped,
    "glitch": lambda trial, cycle: trial.glitches,
    "wake-not-ours": lambda trial, cycle: not cycle.ours,
    "dozed": lambda trial, cycle: cycle.doze is not None,
    "double-reset": lambda trial, cycle: cycle.false_reset is not None,
    "tsc-not-reset": _garbled("tsc-not-reset"),
    "wrong-unit": _garbled("wrong-unit"),
    "record-doubled": lambda trial, cycle: trial.doubled or bool(cycle.again),
    "not-measured": _recordless,
    "bios-not-reported": lambda trial, cycle: cycle.bios_reported < 0.001,
    "never-slept": lambda trial, cycle: cycle.ended == "aborted",
    "wrong-polarity": lambda trial, cycle: bool(trial.wires_lie),
}


def is_true(trial: Trial, cycle: Cycle, finding: dict) -> bool:
    """Return whether a finding is true of the cycle that it is said of."""
    kind = finding["kind"]
    true = TRUTHS.get(kind, lambda trial, cycle: False)
    # A finding that names the early OS beside the BIOS is true of either.
    if kind == "bios-under-reported" and "early OS" in finding["evidence"].get("place", ""):
        true = _late_os
    # A mean over a row of cycles that is said of this one accuses this one.
    return true(trial, cycle)


def at_most(hits: int, n: int, tail: float) -> float:
    """Return the share at which `hits` or fewer of n have the probability `tail`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        p = sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(hits + 1))
        low, high = (share, high) if p > tail else (low, share)
    return high


def contradicts(trial: Trial, verdict: str, allowed: float | None) -> str:
    """Return what makes a verdict false; `allowed` is the stated upper limit of the failure rate.

    The requirement speaks of what the OS reports, and a BIOS time that is impossible may be left
    out of it: a verdict is false where neither what was reported nor what happened bears it out.
    Cycles without a record count with what a complete log would have reported, and attempts that
    did not end in a resume have failed.
    """
    judged = [c for c in trial.cycles if c.doze is None]
    broken = sum(c.ended not in {"resumed", "died"} for c in judged)
    # What died asleep may have lost its power: undecided, and counted as failed by a limit.
    died = trial.failed + sum(c.ended == "died" for c in judged)
    cycles = [c for c in judged if c.ended == "resumed"]
    foreign = not trial.present and trial.cycles and trial.question == "correlate"
    if verdict in {"PASS", "FAIL"} and foreign:
        return f"{verdict} on a foreign log"
    if verdict == "PASS" and broken:
        return "PASS, and attempts to sleep failed"
    if verdict == "PASS":
        return _too_good(trial, cycles, died, 1.0 if allowed is None else allowed)
    slowest = max((max(_times(c)) for c in cycles), default=0.0)
    # The wires show a second reset, and a DUT that resets twice did not come back as it should.
    twice = trial.question == "correlate" and any(c.false_reset is not None for c in cycles)
    if verdict == "FAIL" and not (broken + died or twice) and slowest < trial.limit_ms - 2:
        return "FAIL, and none came near the limit"
    return ""


def _times(cycle: Cycle) -> tuple[float, float]:
    """Return BIOS + device initialisation in ms: as a record would report it, and as it was."""
    happened = 1e3 * (cycle.bios + cycle.driver)
    return 1e3 * cycle.reported if possible(cycle) else happened, happened


def _too_good(trial: Trial, cycles: list[Cycle], died: int, allowed: float) -> str:
    """Return what a PASS, or its upper limit of the failure rate, leaves out."""
    n = len(cycles) + died
    limit = trial.limit_ms + 2
    late = min(sum(_times(c)[which] > limit for c in cycles) for which in (0, 1))
    if n and late / n > allowed:
        return "PASS, and more cycles fail than its limit allows"
    unseen = died + sum(_recordless(trial, c) and min(_times(c)) > limit for c in cycles)
    if unseen and allowed < at_most(unseen, n, 0.05) - 1e-4:
        return "PASS, and its limit leaves out deaths, or slow cycles without a record"
    return ""
