"""How the OS clock stood to the host's, from matched cycles."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import OsClock, OsClockSegment

# After a wake the OS clock is the RTC's reading, whose fraction is .500 s: off by half a second
# either way. WakeTime is that reading and WakeDuration to some 15 ms.
_QUANTISATION_NS = 500_000_000 + 15_000_000
# Assumed: decides from where on a rate is stated; its uncertainty is stated beside it.
_DRIFT_OF_AT_LEAST = 10
# No crystal of a working PC is worse; so readings count the less, the farther from the middle.
_DRIFT_BOUND_PPM = 100.0


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The OS clock of one wake beside the host's.

    Attributes:
        host: host UTC at which the OS came back.
        os_ns: what the OS says that it was.
        cycle: number of the cycle.
    """

    host: BoundedNs
    os_ns: int
    cycle: int = 0


def os_clock(readings: Sequence[ClockReading]) -> OsClock | None:
    """Return OS minus host in the middle of the readings; None without one.

    The offset that all readings allow, if there is one; else (steps) their median, with a bound
    that holds them all. The drift is None below 10 readings, and where the half-second
    quantisation leaves it more uncertain than 100 ppm.
    """
    if not readings:
        return None
    base_ns = readings[0].os_ns - readings[0].host.value_ns
    apart = np.array([r.os_ns - r.host.value_ns - base_ns for r in readings], dtype=np.float64)
    at = np.array([r.host.value_ns - readings[0].host.value_ns for r in readings], dtype=np.float64)
    away = np.abs(at - (at.min() + at.max()) / 2)
    bound = np.array([r.host.bound_ns + _QUANTISATION_NS for r in readings], dtype=np.float64)
    bound += away * _DRIFT_BOUND_PPM / 1e6
    low, high = float((apart - bound).max()), float((apart + bound).min())
    if low <= high:
        middle, half = (low + high) / 2, (high - low) / 2
    else:
        middle = float(np.median(apart))
        half = float((np.abs(apart - middle) + bound).max())
    return OsClock(
        os_minus_host_s=(base_ns + middle) / 1e9,
        bound_s=half / 1e9,
        drift_ppm=_drift_ppm(at, apart),
    )


def with_segments(readings: Sequence[ClockReading], set_before: Collection[int]) -> OsClock | None:
    """Return the OS clock with a segment for each time between two settings; it holds them all.

    Args:
        readings: in order of their cycles.
        set_before: numbers of the cycles before which the clock was set.
    """
    whole = os_clock(readings)
    if whole is None or not set_before:
        return whole
    cuts = sorted(set_before)
    segments: list[OsClockSegment] = []
    for _, group in groupby(readings, key=lambda each: bisect_right(cuts, each.cycle)):
        part = list(group)
        own = os_clock(part)
        if own is not None:
            first, last = part[0].cycle, part[-1].cycle
            value_s, bound_s = own.os_minus_host_s, own.bound_s
            segments.append(OsClockSegment(first, last, value_s, bound_s, own.drift_ppm))
    # A setting by less than the RTC's second can leave an offset that all readings allow, and that
    # was true on no side of it.
    reach_s = max(abs(s.os_minus_host_s - whole.os_minus_host_s) + s.bound_s for s in segments)
    return replace(whole, bound_s=max(whole.bound_s, reach_s), segments=tuple(segments))


def _drift_ppm(
    at_ns: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    apart_ns: "np.ndarray[tuple[int], np.dtype[np.float64]]",
) -> float | None:
    """Return the least-squares slope in ppm; both arrays float64 [n]."""
    centred = at_ns - at_ns.mean()
    weight = float((centred**2).sum())
    if len(at_ns) < _DRIFT_OF_AT_LEAST or weight == 0.0:
        return None
    # Two standard deviations of the slope, one reading being uniform over its quantisation.
    uncertain_ppm = 2 * _QUANTISATION_NS / np.sqrt(3) / np.sqrt(weight) * 1e6
    if uncertain_ppm > _DRIFT_BOUND_PPM:
        return None
    return float((centred * apart_ns).sum() / weight * 1e6)
