"""The uncertainty budget: its rows, and the half-width that holds 95 % of the sum of their errors.

docs/explanation/uncertainty.md says where each figure comes from.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, pi, sqrt
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.budget import (
    Budget,
    BudgetRow,
    Distribution,
    Evaluation,
    Scope,
    by_group,
    combined_standard_ns,
    summed_bound_ns,
)
from resume_rig.model.channel import (
    CONTACTS,
    TRIGGER_WORDS,
    Actuator,
    Channel,
    WakeBy,
    WakeMeans,
    line_name,
)
from resume_rig.model.front_end import PathDelay
from resume_rig.model.quantity import SQRT_3
from resume_rig.model.units import PPB

# The photoMOS needs 30..42 us for 2.0 V to 0.8 V (simulated): where in there the press "is", is a
# definition.
PRESS_DEFINITION_NS: Final = 20_000
# A finger that senses its contact: the travel of the key until it switches. Assumed.
FINGER_DEFINITION_NS: Final = 5_000_000
# Pilot hall and the DUT's hall switch at different fields of one magnet (simulated;
# docs/explanation/uncertainty.md).
LID_DEFINITION_NS: Final = 6_000_000
# Of commands whose trigger no wire shows: the DUT may have it so much later. A key: assumed, a
# full-speed frame, within which the controller sends a report or signals the resume. A contact: its
# photoMOS, 0.2 to 1.2 ms (docs/explanation/uncertainty.md). A packet: assumed, the host's stack and
# network adapter, and one switch.
COMMAND_DEFINITION_NS: Final[Mapping[WakeBy, int]] = MappingProxyType(
    {Actuator.KEYBOARD: 1_000_000, Actuator.CONTACT: 1_200_000, WakeMeans.LAN: 1_000_000}
)
# Ramp of the LED driver and phase of a dimmed panel are unknown to a digital edge. Assumed.
LIGHT_DEFINITION_NS: Final = 1_000_000

FIXED: Final = "fixed: "
"""Begins the group of an error that is the same at each edge of a kind, not only at one edge."""
_EXPLAINED: Final = "docs/explanation/uncertainty.md"
_INFO: Final = "the board's info"
_CALIBRATION: Final = "the board's calibration"


@dataclass(frozen=True, slots=True)
class StampFacts:
    """What a board states of one channel's stamps.

    Attributes:
        resolution_ns, uncertainty_ns: as in its info.
        edge_source: what stamps edges; empty where the board does not report it.
        measured_sd_ns, deviation_ns: of a loop-back's latencies; None where it is not calibrated.
        delay_ns: what it states is to be subtracted from its stamps.
        states_front_end: the front end's delay is in `delay_ns`; the table's is not used then.
    """

    resolution_ns: int
    uncertainty_ns: int
    edge_source: str = ""
    measured_sd_ns: int | None = None
    deviation_ns: int = 0
    delay_ns: int = 0
    states_front_end: bool = False


def even_row(
    name: str,
    source: str,
    half_width_ns: int,
    *,
    scope: Scope = Scope.CYCLE,
    group: str | None = None,
    correction_ns: int = 0,
) -> BudgetRow:
    """Return a term of which only the limits are known (JCGM 100:2008, 4.3.7)."""
    return BudgetRow(
        name,
        source,
        Evaluation.B,
        Distribution.RECTANGLE,
        half_width_ns,
        ceil(half_width_ns / SQRT_3),
        group=group,
        correction_ns=correction_ns,
        scope=scope,
    )


def stamp_rows(channel: Channel, rises: bool, facts: StampFacts) -> Iterator[BudgetRow]:
    """Yield the terms of one stamp, named so that one edge has one error; 0s are among them.

    A stated uncertainty does not separate a latency's mean from its scatter, so all of it is taken
    for the mean, which is the rig's; a tick is another one at each edge.
    """
    edge = edge_name(channel, rises)
    if facts.measured_sd_ns is None:
        by = f", {facts.edge_source}" if facts.edge_source else ""
        yield even_row(
            f"stamp of {edge}{by}",
            f"{_INFO}: uncertainty",
            facts.uncertainty_ns,
            scope=Scope.RIG,
            group=f"stamp of {edge}",
            correction_ns=facts.delay_ns,
        )
        # A calibrated channel has the ticks in its figures already.
        half_tick_ns = -(-facts.resolution_ns // 2)
        yield even_row(
            f"tick of {edge}", f"{_INFO}: resolution", half_tick_ns, group=f"tick of {edge}"
        )
        return
    yield BudgetRow(
        f"scatter of {edge}, measured",
        f"{_CALIBRATION}: loop-back",
        Evaluation.A,
        Distribution.NORMAL,
        max(facts.deviation_ns, facts.measured_sd_ns),
        facts.measured_sd_ns,
        group=f"stamp of {edge}",
        correction_ns=facts.delay_ns,
    )
    yield even_row(
        f"what the loop-back leaves open, {edge}",
        f"{_INFO}: uncertainty",
        max(facts.uncertainty_ns - facts.deviation_ns, 0),
        scope=Scope.RIG,
        group=f"{FIXED}calibration of {edge}",
    )


def delay_row(name: str, delay: PathDelay, source: str) -> BudgetRow:
    """Return what a subtracted delay leaves; one error for all edges of that kind."""
    return BudgetRow(
        name,
        f"{source}: {delay.path}; {delay.origin}",
        Evaluation.B,
        delay.distribution,
        delay.half_width_ns,
        delay.standard_ns,
        group=f"{FIXED}{name}",
        correction_ns=delay.value_ns,
        scope=Scope.RIG,
    )


def unknown_ramp_row(channel: Channel, half_width_ns: int, source: str) -> BudgetRow:
    """Return what is left where only the limits of a ramp's length are known: it is the DUT's."""
    name = f"length of {channel}'s ramp"
    return even_row(
        name,
        f"{source}; its limits",
        half_width_ns,
        scope=Scope.CAMPAIGN,
        group=f"{FIXED}{name}",
    )


def definition_row(channel: Channel, rises: bool, half_width_ns: int) -> BudgetRow:
    """Return what the definition of an edge leaves open; one error for all that share the edge.

    The photoMOS is the rig's. A finger, a lid's magnet and a display's ramp are of this DUT as it
    is set up; what of them differs from cycle to cycle nobody states, so all of it is common.
    """
    name = f"{edge_name(channel, rises)} edge definition"
    by_rig = channel is Channel.BUTTON and half_width_ns <= PRESS_DEFINITION_NS
    scope = Scope.RIG if by_rig else Scope.CAMPAIGN
    return even_row(name, _EXPLAINED, half_width_ns, scope=scope, group=name)


def command_rows(by: WakeBy, clocks_half_ns: int) -> Iterator[BudgetRow]:
    """Yield the terms of a trigger that no wire shows, only its command; each is a cycle's own.

    Args:
        by: what was asked to wake the DUT.
        clocks_half_ns: how well the command's time is known on the board's clock.
    """
    word = TRIGGER_WORDS[by]
    half_ns = COMMAND_DEFINITION_NS[by]
    yield even_row(f"when the DUT has the {word}", _EXPLAINED, half_ns, group=f"command: {by}")
    yield even_row(f"time of the {word} on the board's clock", "clock exchanges", clocks_half_ns)


def bounce_row(half_width_ns: int) -> BudgetRow:
    """Return what is open where any edge of a bounce may have been the change, in this cycle."""
    return even_row("bounces of its edges", "the edges", half_width_ns)


def clock_row(rate_ppb: int, duration_ns: int, source: str, scope: Scope) -> BudgetRow:
    """Return what a clock makes wrong whose rate is off by up to `rate_ppb`."""
    half_ns = rate_half_width_ns(rate_ppb, duration_ns)
    return even_row(
        f"timebase tolerance, {rate_ppb / 1000:g} ppm",
        source,
        half_ns,
        scope=scope,
        group="timebase",
    )


def reported_row(name: str, half_width_ns: int) -> BudgetRow:
    """Return what the OS leaves open that reports a time in whole milliseconds.

    One OS rounds every time the same way, so that it is common to all cycles; and rounding
    keeps the order of values, so that it moves a quantile of many by as much as it moves one.
    """
    scope = Scope.CAMPAIGN
    return even_row(f"{name} resolution, 1 ms", "the OS record", half_width_ns, scope=scope)


def hidden_row(half_width_ns: int, source: str) -> BudgetRow:
    """Return what is not known of the time that neither side observes: a property of the DUT."""
    return even_row("unobserved: PLTRST# to TSC start", source, half_width_ns, scope=Scope.CAMPAIGN)


def unproven_row(half_width_ns: int) -> BudgetRow:
    """Return what the OS's clock leaves open besides BiosInit; it counts in the bound alone."""
    return BudgetRow(
        "BIOS time not in BiosInitDuration and not excluded",
        "the OS's clock and the wires: less with reset_to_tsc_min_ms and _max_ms in a DUT profile, "
        "and with Kernel-General 1 in the log",
        Evaluation.B,
        Distribution.RECTANGLE,
        half_width_ns,
        0,
    )


def rate_half_width_ns(rate_ppb: int, duration_ns: int) -> int:
    """Return by how much a clock that is off by up to `rate_ppb` mistakes a duration."""
    return -(-rate_ppb * abs(duration_ns) // PPB)


def edge_name(channel: Channel, rises: bool) -> str:
    """Return an edge as a timing diagram names it: "SLP_S3# falling"."""
    return f"{line_name(channel)} {'rising' if rises else 'falling'}"


# What an unknown logic analyser is taken for: its threshold crossed within 1 us by logic (assumed),
# within 100 us by a PWR_OK ramp of 10 ms (ATX T4).
_LOGIC_NS: Final = 1_000
_RAMP_NS: Final = 100_000
# A first touch shorter than a sample is missed, and the edge is then that of a later bounce.
# Sixteen of eighteen switches bounced for 1,557 us on average and 6,200 us at most (J. Ganssle, A
# Guide to Debouncing, part 1; ganssle.com/debouncing.htm); the other two, which he leaves out,
# bounced for longer. It decides the bound of a press in captures below 100 kHz, one to one.
# Touches of 10 us and longer: assumed; it decides only from which step on the term is there.
_BOUNCE_MAX_NS: Final = 6_200_000
_TOUCH_MIN_NS: Final = 10_000


@dataclass(frozen=True, slots=True)
class CaptureStamps:
    """How an instrument stamps edges.

    Attributes:
        step_ns: from sample to sample. sampled_by: who says so.
        resolution_ns: last digit of its times.
    """

    step_ns: int
    resolution_ns: int = 1
    sampled_by: str = "the capture"


def capture_rows(channel: Channel, rises: bool, stamps: CaptureStamps) -> Iterator[BudgetRow]:
    """Yield the terms of one stamp.

    A stamp is that of the first sample after the edge, late by 0 to 1 step: half a step on
    average, which the two ends of an interval share, and half a step to either side, which is each
    edge's own. A contact may have touched and opened again between two samples.
    """
    edge = edge_name(channel, rises)
    name = f"sampling of the capture, {edge}"
    yield even_row(name, stamps.sampled_by, -(-stamps.step_ns // 2), group=name)
    if stamps.step_ns % stamps.resolution_ns:
        # The step is no whole number of last digits: the times were rounded.
        name = f"last digit of the capture's times, {edge}"
        yield even_row(name, "the capture", -(-stamps.resolution_ns // 2), group=name)
    if channel in CONTACTS and stamps.step_ns > _TOUCH_MIN_NS:
        name = f"bounces between the samples, {edge}"
        yield even_row(name, "J. Ganssle, A Guide to Debouncing", _BOUNCE_MAX_NS, group=name)
    half_ns = _LOGIC_NS + (_RAMP_NS if channel is Channel.PWR_OK else 0)
    name = f"threshold of the capture, {edge}"
    # The same threshold in each cycle, so it does not average out.
    yield even_row(name, "assumed of an unknown instrument", half_ns, group=name, scope=Scope.RIG)


# The usual coverage (GUM, 6.3).
COVERAGE: Final = 0.95
# Measured: within 2e-5 of what 6,000 give, of two errors of which one is 300 times the other.
_FREQUENCIES: Final = 768
_REACH: Final = 9.0  # standard deviations; beyond it lies nothing of a sum of several terms
# A half-width of 10 s is then known to a nanosecond.
_HALVINGS: Final = 34


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """One independent error about 0: half-width and standard deviation in ns.

    `at_ends` is the probability of its two ends together, for PWM_PHASE alone.
    """

    distribution: Distribution
    half_width_ns: float
    standard_ns: float
    at_ends: float = 0.0


def expanded_half_width_ns(shapes: Sequence[ErrorShape]) -> float:
    """Return the half-width [ns] about 0 that holds 95 % of the sum of `shapes`."""
    shapes = [shape for shape in shapes if shape.standard_ns > 0]
    high_ns = sum(shape.half_width_ns for shape in shapes)
    if len(shapes) == 1 and shapes[0].distribution is Distribution.RECTANGLE:
        return COVERAGE * high_ns
    total = _Sum(shapes)
    low_ns = 0.0
    for _ in range(_HALVINGS):
        middle_ns = (low_ns + high_ns) / 2
        if 2 * total.below(middle_ns) - 1 < COVERAGE:
            low_ns = middle_ns
        else:
            high_ns = middle_ns
    return high_ns


class _Sum:
    """The distribution function of a sum of independent errors.

    Multiplying characteristic functions convolves distributions. The sum's distribution function
    is got back by Gil-Pelaez's integral, as a midpoint sum: exact but for what lies beyond its
    period (nothing) and beyond its last frequency (below 1e-3). The ends of a PWM's phase are
    steps, which no such sum follows: the sum with a step is the mean of the sums at its two ends.
    """

    def __init__(self, shapes: Sequence[ErrorShape]) -> None:
        step = next((s for s in shapes if s.at_ends > 0), None)
        self._step = step
        if step is not None:
            others = [shape for shape in shapes if shape is not step]
            between = ErrorShape(
                Distribution.RECTANGLE, step.half_width_ns, step.half_width_ns / sqrt(3)
            )
            self._rest, self._even = _Sum(others), _Sum([*others, between])
            return
        self._reach_ns = sum(shape.half_width_ns for shape in shapes)
        self._scale_ns = sqrt(sum(shape.standard_ns**2 for shape in shapes))
        if self._scale_ns:
            period = 2 * _REACH
            self._t = (np.arange(_FREQUENCIES, dtype=np.float64) + 0.5) * (2 * pi / period)
            product = np.ones(_FREQUENCIES)
            for shape in shapes:
                product *= _characteristic(shape, self._t, self._scale_ns)
            self._weights = product / self._t * (2 / period)

    def below(self, x_ns: float) -> float:
        """Return the probability that the sum is at most `x_ns`."""
        step = self._step
        if step is not None:
            a_ns, share = step.half_width_ns, step.at_ends
            ends = (self._rest.below(x_ns - a_ns) + self._rest.below(x_ns + a_ns)) / 2
            return share * ends + (1 - share) * self._even.below(x_ns)
        if not self._scale_ns or abs(x_ns) >= min(self._reach_ns, _REACH / 2 * self._scale_ns):
            return 1.0 if x_ns >= 0 else 0.0
        wave = np.sin(self._t * (x_ns / self._scale_ns))
        return 0.5 + float(np.dot(wave, self._weights))


def _characteristic(
    shape: ErrorShape, t: NDArray[np.float64], scale_ns: float
) -> NDArray[np.float64]:
    """Characteristic function at `t` / `scale_ns`; real, as the error is symmetric."""
    if shape.distribution is Distribution.NORMAL:
        normal: NDArray[np.float64] = np.exp(-0.5 * (shape.standard_ns / scale_ns * t) ** 2)
        return normal
    even: NDArray[np.float64] = np.sinc(shape.half_width_ns / scale_ns / pi * t)
    return even


def budget_of(
    name: str,
    value_ns: int,
    rows: Iterable[BudgetRow],
    *,
    is_evaluated: bool = True,
    note: str = "",
) -> Budget:
    """Return the budget of `rows`; those that are 0 are left out.

    Args:
        name: of the interval.
        value_ns: the duration that the rows are for.
        rows: in the order in which they are shown.
        is_evaluated: False where the rows are assumptions about an unknown instrument; the 95 %
            interval is then the guaranteed one.
        note: what a reader has to know.
    """
    kept = tuple(row for row in rows if row.half_width_ns)
    bound_ns = summed_bound_ns(kept)
    standard_ns = combined_standard_ns(kept)
    expanded_ns = bound_ns
    if is_evaluated and standard_ns:
        expanded_ns = min(ceil(expanded_half_width_ns(shapes_of(kept))), bound_ns)
    return Budget(name, value_ns, kept, standard_ns, expanded_ns, bound_ns, note)


def shapes_of(rows: tuple[BudgetRow, ...]) -> list[ErrorShape]:
    """Return the independent errors of rows: each group is one, with what it sums to."""
    shapes: list[ErrorShape] = []
    for group in by_group(rows).values():
        first = group[0]
        half_ns = abs(sum(row.sensitivity * row.half_width_ns for row in group))
        standard_ns = abs(sum(row.contribution_ns for row in group))
        shapes.append(ErrorShape(first.distribution, half_ns, standard_ns, first.at_ends))
    return shapes
