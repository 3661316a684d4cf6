"""Missing is a hypothesis: cycles without a value beside those that have one, before a PASS.

A DUT loses the records of its slow cycles: it hangs before it writes them, and somebody cuts the
power. What wires and light show of such a cycle, and the other times of its record, are there all
the same. docs/reference/statistics.md has the rule and what it was checked with.
"""

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from resume_rig.analysis.stats.figures import scaled_mad
from resume_rig.analysis.stats.trend import Floats, higher_by_chance, later_by_chance
from resume_rig.analysis.verdict.measures import Sighting, measure_words, measured
from resume_rig.model.result.cycle import IntervalName
from resume_rig.model.result.judgement import JudgedRecord, Missing, MissingReason
from resume_rig.model.units import NS_PER_MS, count_of

SHOWN_BY: Final = (
    IntervalName.PRESS_TO_LIGHT.value,
    IntervalName.PLTRST_TO_LIGHT.value,
    IntervalName.PRESS_TO_PLTRST.value,
    IntervalName.SLP_S3_TO_PWR_OK.value,
    IntervalName.PWR_OK_TO_PLTRST.value,
    "wake_ms",
    "driver_init_ms",
    "bios_init_ms",
    "firmware_resume_ms",
    "figure:exit_latency_us",
    "figure:kernel_resume_ms",
)
"""Times that a cycle can have without the one that is judged; longer is worse in all of them."""

_SLOW_FROM: Final = 3.5  # scaled deviations, as of an outlier (Iglewicz and Hoaglin, 1993)
_SLOW_LEAST: Final = 0.05
"""A cycle that is slower by less than this share of the usual is not slow. Assumed: as of what
matters in a comparison."""
_USUAL_LEAST: Final = 5  # assumed: fewer cycles show no usual time
_CHANCE: Final = 0.05

AWAKE: Final = "awake_until_the_next_sleep_ms"
"""From the wake to the next sleep, of a log: no measure of its own."""


class TimesBeside:
    """Times of cycles with a value, and of those without; grows by `add`."""

    def __init__(self) -> None:
        self._recorded = {name: array("d") for name in SHOWN_BY}
        self._missing = {name: array("d") for name in SHOWN_BY}

    def add(self, sighting: Sighting, *, recorded: bool) -> None:
        """Take in what a cycle shows besides the value that is judged."""
        found = self._recorded if recorded else self._missing
        for name, times in found.items():
            value = measured(name, sighting)
            if value is not None:
                times.append(value.value_ns / NS_PER_MS)

    def missing(
        self, room_ms: float | None, but: str, further: Missing | None = None
    ) -> Missing | None:
        """Return what becomes of the cycles without a value; None where nothing shows them.

        Args:
            room_ms: from the middle of the values to the limit, where a longer time is worse; else
                None.
            but: the measure that is judged: where it is there, nothing is missing.
            further: what else was compared.
        """
        found = [
            _beside(
                name, np.asarray(self._missing[name]), np.asarray(self._recorded[name]), room_ms
            )
            for name in SHOWN_BY
            if name != but and self._missing[name] and len(self._recorded[name]) >= _USUAL_LEAST
        ]
        if further is not None:
            found.append(further)
        return max(found, key=_gravity, default=None)


def awake_beside(cycles: Sequence[JudgedRecord]) -> Missing | None:
    """Return how long the PC was awake after sleeps without a value, beside those with one.

    From a record's WakeTime to the next sleep: where a script sends the PC to sleep again after a
    set time, a slow resume makes it longer, whatever the log says of it; where somebody works in
    between, chance does, and nothing shows.

    Args:
        cycles: the records of a log in their order.
    """
    missing, recorded = array("d"), array("d")
    for cycle, after in pairwise(cycles):
        woke_ns, sleeps_ns = cycle.record.wake_time_utc_ns, after.record.sleep_time_utc_ns
        same = cycle.record.source == after.record.source
        if woke_ns is None or sleeps_ns is None or not same or sleeps_ns <= woke_ns:
            continue
        if cycle.judged or cycle.undecided:
            (recorded if cycle.judged else missing).append((sleeps_ns - woke_ns) / NS_PER_MS)
    if not missing or len(recorded) < _USUAL_LEAST:
        return None
    return _beside(AWAKE, np.asarray(missing), np.asarray(recorded), None)


def _gravity(found: Missing) -> tuple[int, int, float]:
    return list(MissingReason).index(found.reason), found.beyond, -found.p


def _beside(name: str, missing: Floats, recorded: Floats, room_ms: float | None) -> Missing:
    usual_ms = float(np.median(recorded))
    spread_ms = scaled_mad(recorded)
    slow_ms = max(_SLOW_FROM * spread_ms, _SLOW_LEAST * usual_ms)
    slow, usual_slow = (int((each - usual_ms > slow_ms).sum()) for each in (missing, recorded))
    beyond = 0
    if room_ms is not None:
        beyond = int((missing - usual_ms > max(slow_ms, room_ms)).sum())
    p = later_by_chance(missing, recorded)
    if slow:
        p = min(1.0, 2.0 * min(p, higher_by_chance(slow, len(missing), usual_slow, len(recorded))))
    middle_ms = float(np.median(missing))
    reason = MissingReason.ALIKE
    if beyond:
        reason = MissingReason.BEYOND
    elif p <= _CHANCE and (slow or middle_ms >= usual_ms * (1.0 + _SLOW_LEAST)):
        reason = MissingReason.SLOWER
    return Missing(
        reason=reason,
        measure=name,
        n=len(missing),
        slow=slow,
        middle_ms=middle_ms,
        usual_ms=usual_ms,
        worst_ms=float(missing.max()),
        beyond=beyond,
        p=p,
    )


def missing_text(missing: Missing | None) -> str:
    """Say that the cycles without a value are the slow ones; nothing where they are not."""
    if missing is None or not missing.speaks_against:
        return ""
    which = "more of them than chance makes"
    if missing.beyond:
        n = missing.beyond
        which = f"{n} would be over the limit if {'it is' if n == 1 else 'they are'} as late by it"
    return (
        f"{count_of(missing.n, 'cycle')} without a value took longer: "
        f"{measure_words(missing.measure)} {missing.middle_ms:.0f} ms in the middle, "
        f"{missing.usual_ms:.0f} ms of those with one; {which}"
    )
