"""How often an instrument sampled its lines: by its file, by its user, or by its times. Pure.

A sampled edge is stamped with the first sample after it, so it is late by up to one sample; how
many digits its time has shows nothing of that.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.errors import UsageError
from resume_rig.model.units import NS_PER_S, seconds_text

_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_RATE: Final = r"([0-9]{1,12}(?:\.[0-9]{1,9})?)\s*([kMG]?)Hz"
_ALONE: Final = re.compile(rf"\s*{_RATE}\s*", re.I)
# sigrok and DSView: "Acquisition with 8/8 channels at 1 kHz", "Samplerate: 1 MHz".
_IN_COMMENT: Final = re.compile(
    rf"(?:acquisition\s+with\s+\d+/\d+\s+channels\s+at|sample\s?rate\s*[:=])\s*{_RATE}", re.I
)
_FASTEST_HZ: Final = 10**11

# Below it a sample may miss the touch of a bouncing contact (`timing.budget`).
COARSE_HZ: Final = 100_000

# Fewer different times fit a coarse grid by chance: 1 in 10,000 for one of ten steps.
_LEAST_TIMES: Final = 5
_MANY_TIMES: Final = 16
_MOST_TIMES: Final = 4_096


@dataclass(frozen=True, slots=True)
class StatedRate:
    """A sample rate, and who states it."""

    rate_hz: Fraction
    source: str

    @property
    def text(self) -> str:
        """Return the rate as people write it."""
        return rate_text(self.rate_hz)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an instrument sampled.

    Attributes:
        step_ns: from sample to sample, rounded up.
        resolution_ns: the last digit of its times.
        text: rate and source, for people.
        notes: sentences about what is assumed, and what it costs.
    """

    step_ns: int
    resolution_ns: int
    text: str
    notes: tuple[str, ...] = ()


def rate_of(text: str) -> Fraction | None:
    """Return a rate such as `1 MHz`, `12.5kHz` or `100Hz`; None where it is not one."""
    found = _ALONE.fullmatch(text)
    return None if found is None else _allowed(found)


def stated_in(comments: Iterable[str]) -> StatedRate | None:
    """Return the first sample rate that a file's comments state."""
    for comment in comments:
        found = _IN_COMMENT.search(comment)
        rate_hz = None if found is None else _allowed(found)
        if rate_hz is not None:
            return StatedRate(rate_hz, "the capture's header")
    return None


def rate_text(rate_hz: Fraction) -> str:
    """Return a rate with the unit that leaves the fewest digits."""
    for unit, scale in (("GHz", 10**9), ("MHz", 10**6), ("kHz", 10**3)):
        if rate_hz >= scale:
            return f"{float(rate_hz / scale):.9g} {unit}"
    return f"{float(rate_hz):.9g} Hz"


def sampling_of(
    t_ns: NDArray[np.int64],
    resolution_ns: int,
    stated: StatedRate | None,
    what: str,
) -> Sampling:
    """Return how often was sampled.

    Args:
        t_ns: int64 [n], times of edges in order.
        resolution_ns: the last digit of the times.
        stated: the rate; without it the coarsest grid counts that all times fit.
        what: the beginning of a sentence, for errors.

    Raises:
        UsageError: nothing is stated, and the times are too few to show a grid.
    """
    times = _different(t_ns)
    if stated is not None:
        step_ns = ceil(NS_PER_S / stated.rate_hz)
        notes = (*_off_grid(times, resolution_ns, stated), *_coarse(stated.rate_hz))
        return Sampling(step_ns, resolution_ns, f"{stated.text} ({stated.source})", notes)
    if times.size < _LEAST_TIMES:
        raise UsageError(
            f"{what}: it does not say at which rate it was sampled, and its {times.size} different"
            " times are too few to show it; name the rate, such as --sample-rate 1MHz."
        )
    rate_hz = _coarsest_rate(times - times[0], resolution_ns)
    assumed = (
        f"The sample rate is assumed to be {rate_text(rate_hz)}, because the capture does not"
        " state it; set it with --sample-rate."
    )
    text = f"{rate_text(rate_hz)} (assumed from the times)"
    return Sampling(ceil(NS_PER_S / rate_hz), resolution_ns, text, (assumed, *_coarse(rate_hz)))


def _allowed(found: re.Match[str]) -> Fraction | None:
    rate_hz = Fraction(found[1]) * _UNITS[found[2].lower()]
    return rate_hz if 0 < rate_hz <= _FASTEST_HZ else None


def _coarse(rate_hz: Fraction) -> Iterator[str]:
    if rate_hz < COARSE_HZ:
        step = seconds_text(round(NS_PER_S / rate_hz))
        yield (
            f"At {rate_text(rate_hz)} an edge is up to {step} late, and shorter pulses are not"
            f" seen; sample at {rate_text(Fraction(COARSE_HZ))} or more."
        )


def _off_grid(times: NDArray[np.int64], resolution_ns: int, stated: StatedRate) -> Iterator[str]:
    """Yield a doubt where times lie between the samples, or on far fewer samples than stated."""
    rate_hz = stated.rate_hz
    if times.size < _LEAST_TIMES:
        return
    first, whole = int(times[0]), NS_PER_S * rate_hz.denominator
    slack = (resolution_ns + 1) * rate_hz.numerator
    late = [(int(t) - first) * rate_hz.numerator % whole for t in times]
    off = sum(min(each, whole - each) > slack for each in late)
    if off:
        yield (
            f"{off} of {times.size} times lie between the samples of {stated.text}, which"
            f" {stated.source} states; is that the rate of this capture?"
        )
        return
    if times.size < _MANY_TIMES:
        return
    fits_hz = _coarsest_rate(times - times[0], resolution_ns)
    if fits_hz * 10 <= rate_hz:
        yield (
            f"All times fit {rate_text(fits_hz)}, though {stated.source} states {stated.text}; if"
            " it was sampled at the lower rate, name that with --sample-rate."
        )


def _different(t_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return different times in order: where there are many, the first ones and the last ones.

    Every n-th of times that are evenly spaced would show a grid that is n times too coarse.
    """
    if not t_ns.size:
        return t_ns
    different: NDArray[np.int64] = t_ns[np.append(True, t_ns[1:] != t_ns[:-1])]
    if different.size <= _MOST_TIMES:
        return different
    half = _MOST_TIMES // 2
    return np.concatenate((different[:half], different[-half:]))


def _coarsest_rate(after_ns: NDArray[np.int64], resolution_ns: int) -> Fraction:
    """Return the lowest rate whose samples all times can be, given how they were rounded.

    Rates are whole numbers of Hz with three digits, or halvings of usual clocks; and any step that
    divides all times. `after_ns` is counted from the first time.
    """
    step_ns = max(int(np.gcd.reduce(after_ns)), 1)
    exact_hz = Fraction(NS_PER_S, step_ns)
    rates = _candidates()
    rates = rates[rates * step_ns < NS_PER_S]
    for t in after_ns[1:].tolist():
        # Both times of a difference were rounded, by less than their last digit together, unless
        # every sample is a whole number of last digits.
        phase = (t % NS_PER_S) * rates % NS_PER_S
        exact = NS_PER_S % (rates * resolution_ns) == 0
        slack = np.where(exact, 0, rates * resolution_ns)
        rates = rates[np.minimum(phase, NS_PER_S - phase) <= slack]
        if not rates.size:
            return exact_hz
    return min(Fraction(int(rates[0])), exact_hz)


def _candidates() -> NDArray[np.int64]:
    three = [digits * 10**power for power in range(7) for digits in range(1, 1000)]
    clocks = (1_000_000, 2_000_000, 3_000_000, 2_822_400, 3_072_000, 65_536)
    halved = [clock >> power for clock in clocks for power in range(17) if not clock % 2**power]
    return np.unique(np.array(three + halved, np.int64))
