"""Statistics of the series of times of a log or a campaign, measure by measure."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import hypot, isfinite, nan, sqrt
from typing import Final

import numpy as np

from resume_rig.analysis.stats.dependence import tau_of
from resume_rig.analysis.stats.figures import (
    mean_interval,
    quantile_interval,
    scaled_mad,
    summarise,
)
from resume_rig.analysis.stats.trend import Floats, change_points_of, drift_of
from resume_rig.analysis.verdict.measures import (
    Side,
    Sighting,
    is_time,
    measured,
    reader_of,
    side_of,
    sighting_of,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import CAME_BACK, FAILED, IntervalName, ReconciledCycle
from resume_rig.model.result.judgement import JudgedRecord
from resume_rig.model.result.series import (
    NOTHING_COMMON,
    CommonTerm,
    CycleMark,
    CycleTimes,
    QuantileInterval,
    SeriesStatistics,
    TwoGroups,
)
from resume_rig.model.result.verdict import BIOS, RESUME, Requirement, Verdict, WhyNot
from resume_rig.model.units import NS_PER_MS

OUTLIER_FROM = 3.5
"""Distance from the median, in scaled median absolute deviations (Iglewicz and Hoaglin, 1993)."""

_WARM_UP_FROM = 12
"""Values that a series must have before its beginning can be distinguished. Assumed."""


class MeasuredTimes:
    """One measure of all cycles that have it, with what their values share; grows by `add`.

    Attributes:
        numbers: of the cycles. values_ms, bounds_ms: of each its value and guaranteed half-width.
    """

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.values_ms = array("d")
        self.bounds_ms = array("d")
        self._rig_ns = self._campaign_ns = 0

    def add(self, number: int, value: BoundedNs) -> None:
        """Take in the value of a cycle."""
        self.numbers.append(number)
        self.values_ms.append(value.value_ns / NS_PER_MS)
        self.bounds_ms.append(value.bound_ns / NS_PER_MS)
        self._rig_ns = max(self._rig_ns, value.rig_ns)
        self._campaign_ns = max(self._campaign_ns, value.campaign_ns)

    @property
    def common(self) -> CommonTerm:
        """What the values share: the most that any of them has of each scope."""
        return CommonTerm(self._rig_ns / NS_PER_MS, self._campaign_ns / NS_PER_MS)

    def quantiles(self, *shares: float) -> list[QuantileInterval]:
        """Return quantiles of the times, each with the interval that holds the true one."""
        tau = tau_of(np.asarray(self.values_ms, dtype=np.float64))
        return _quantiles(self.values_ms, self.bounds_ms, shares, tau)


def series_statistics(
    name: str,
    values_ms: Sequence[float],
    numbers: Sequence[int],
    resolution_ms: float,
    *,
    bounds_ms: Sequence[float] | None = None,
    common: CommonTerm = NOTHING_COMMON,
) -> SeriesStatistics:
    """Return what a series shows; nothing is left out of its figures.

    Args:
        name: what was timed.
        values_ms: one for each cycle that has it, in order.
        numbers: the cycles' numbers, as many.
        resolution_ms: steps of the values; a spread below it is none.
        bounds_ms: how far the truth may be from each value; None: they are exact.
        common: what of that all values share.
    """
    values = np.asarray(values_ms, dtype=np.float64)
    cycles = list(numbers)
    tau = tau_of(values)
    median, p95 = _quantiles(values, bounds_ms, (0.5, 0.95), tau)
    groups = two_groups(values, resolution_ms)
    warm = 0 if groups else warm_up_length(values, resolution_ms)
    settled = values[warm:]
    outliers = (
        _outliers(values, warm, resolution_ms)
        if groups is None
        else _outliers_of(values, groups, resolution_ms)
    )
    return SeriesStatistics(
        name=name,
        figures=summarise(values.tolist()),
        median=median,
        p95=p95,
        drift=drift_of(settled),
        change_points=change_points_of(settled, cycles[warm:]),
        warm_up=tuple(cycles[:warm]),
        outliers=tuple(cycles[i] for i in outliers),
        common=common,
        mean=mean_interval(values_ms, common, tau),
        tau=tau,
        groups=groups,
    )


def _quantiles(
    values_ms: Sequence[float] | Floats,
    bounds_ms: Sequence[float] | None,
    shares: Sequence[float],
    tau: float,
) -> list[QuantileInterval]:
    values = np.asarray(values_ms, dtype=np.float64)
    bounds = np.asarray(0.0 if bounds_ms is None else bounds_ms, dtype=np.float64)
    ordered, lows, highs = (
        np.sort(each).tolist() for each in (values, values - bounds, values + bounds)
    )
    return [quantile_interval(ordered, q, lows_ms=lows, highs_ms=highs, tau=tau) for q in shares]


# Assumed: fewer are outliers. Of a group of as many or more, one in ten is a group.
_GROUP_LEAST: Final = 5
_GROUP_SHARE: Final = 0.1
# Ashman's D (1994): 2 divides two normal distributions; the halves of a uniform one have 3.5, of
# an exponential one 3. Assumed: twice as far as both.
_APART_LEAST: Final = 7.0
# The gap between two groups is this share of the way between their middles at least. Assumed.
_GAP_LEAST: Final = 0.5


def two_groups(values_ms: Floats, resolution_ms: float) -> TwoGroups | None:
    """Return the two groups that a series falls into; None where it does not.

    Values are cut in their widest gap; the groups must be far apart for their own spread, and take
    turns: a series that changes once has a step.

    Args:
        values_ms: float64 [n], in order of the cycles.
        resolution_ms: steps of the values; a spread below it is none.
    """
    n = len(values_ms)
    least = max(_GROUP_LEAST, round(_GROUP_SHARE * n))
    if n < 2 * least:
        return None
    ordered = np.sort(values_ms)
    gaps = np.diff(ordered)[least - 1 : n - least]
    cut = least + int(np.argmax(gaps))
    low, high = ordered[:cut], ordered[cut:]
    low_ms, high_ms = float(np.median(low)), float(np.median(high))
    spreads = [max(float(each.std()), resolution_ms) for each in (low, high)]
    spread = hypot(*spreads)
    apart = high_ms - low_ms
    if apart * sqrt(2.0) < _APART_LEAST * spread or high[0] - low[-1] < _GAP_LEAST * apart:
        return None
    above_ms = float(low[-1])
    runs = 1 + int(np.count_nonzero(np.diff(values_ms > above_ms)))
    # Half of the runs that chance makes of as many (Wald and Wolfowitz, 1940).
    if runs < 0.5 * (1 + 2 * cut * (n - cut) / n):
        return None
    return TwoGroups(cut, low_ms, n - cut, high_ms, above_ms)


def _outliers_of(values_ms: Floats, groups: TwoGroups, resolution_ms: float) -> list[int]:
    """Return which values are far from the middle of their own group."""
    is_high = values_ms > groups.above_ms
    distance = np.zeros(len(values_ms))
    for side in (is_high, ~is_high):
        distance[side] = np.abs(_distance(values_ms[side], values_ms[side], resolution_ms))
    return [int(i) for i in np.flatnonzero(distance > OUTLIER_FROM)]


def warm_up_length(values_ms: Floats, resolution_ms: float) -> int:
    """Return how many of the first values lie on one side, far from the second half's middle.

    A warm-up is at most a quarter of a series, and of at least 12 values; so much of a series that
    begins otherwise is a step, not a warm-up.
    """
    n = len(values_ms)
    if n < _WARM_UP_FROM:
        return 0
    distance = _distance(values_ms, values_ms[n // 2 :], resolution_ms)
    most = n // 4
    side = np.sign(distance[0])
    far = (np.abs(distance[: most + 1]) > OUTLIER_FROM) & (np.sign(distance[: most + 1]) == side)
    length = int(np.argmin(far)) if not far.all() else most + 1
    return length if length <= most else 0


def _outliers(values_ms: Floats, warm: int, resolution_ms: float) -> list[int]:
    if len(values_ms) - warm < 5:
        return []
    distance = np.abs(_distance(values_ms, values_ms[warm:], resolution_ms))
    distance[:warm] = 0.0
    return [int(i) for i in np.flatnonzero(distance > OUTLIER_FROM)]


def _distance(values: Floats, reference: Floats, resolution_ms: float) -> Floats:
    """Return how far values are from a reference's median, in its scaled deviations."""
    middle = float(np.median(reference))
    found: Floats = (values - middle) / max(scaled_mad(reference), resolution_ms)
    return found


_INSIDE: Final = (RESUME, BIOS, "driver_init_ms", "user_init_ms")
_WHOLE: Final = (
    "press_to_resume_complete_ns",
    "press_to_desktop_ns",
    IntervalName.PRESS_TO_LIGHT.value,
    IntervalName.PRESS_TO_PLTRST.value,
    IntervalName.PLTRST_TO_LIGHT.value,
)
# The OS reports whole milliseconds; wires are shown to 10 us.
_OS_STEP_MS: Final = 1.0
_WIRE_STEP_MS: Final = 0.01


_IGNORED: Final = frozenset({WhyNot.IGNORED_FIRST, WhyNot.IGNORED_BY_LISTING})


def transition_numbers(cycles: Sequence[JudgedRecord]) -> range:
    """Return the number of each transition of a log, the same on every face.

    One that is ignored because it is the first has the number 0.
    """
    first = cycles[0].unjudged if cycles else None
    ignored = first is not None and first.reason in _IGNORED
    start = 0 if ignored else 1
    return range(start, start + len(cycles))


def log_series(
    cycles: Sequence[JudgedRecord], requirement: Requirement, numbers: Sequence[int] = ()
) -> tuple[SeriesStatistics, ...]:
    """Return the series of the judged records, by the numbers of their transitions.

    Args:
        cycles: of a log.
        requirement: what they were judged against; the measures that it limits are among these.
        numbers: of the transitions, where they are some of more; else as `transition_numbers`.
    """
    return _statistics(log_times(cycles, _with_limited(_INSIDE, requirement), numbers))


def log_times(
    cycles: Sequence[JudgedRecord], measures: Iterable[str], numbers: Sequence[int] = ()
) -> dict[str, MeasuredTimes]:
    """Return the times of the judged records, by measure; numbers are as of `log_series`."""
    found = {measure: MeasuredTimes() for measure in measures}
    for number, cycle in zip(numbers or transition_numbers(cycles), cycles, strict=True):
        if cycle.judged:
            _add(found, found, number, Sighting(cycle.record))
    return found


def cycle_series(
    cycles: Collection[ReconciledCycle], requirement: Requirement
) -> tuple[SeriesStatistics, ...]:
    """Return the series of a campaign, of the cycles that `measured_times` takes."""
    judged, found = measured_times(cycles, _with_limited((*_INSIDE, *_WHOLE), requirement))
    return tuple(replace(one, judged=judged) for one in _statistics(found))


def measured_times(
    cycles: Collection[ReconciledCycle], measures: Iterable[str]
) -> tuple[bool, dict[str, MeasuredTimes]]:
    """Return whether any cycle is judged, and the times of those that figures are made of.

    They are the judged ones. The wires of undecided ones are measured, whatever became of their
    records, and a DUT loses the records of its slow cycles: so times between wires are of those,
    too. Where none is judged, they are of all that slept and woke.
    """
    judged = any(cycle.is_timed for cycle in cycles)
    found = {measure: MeasuredTimes() for measure in measures}
    wires = [measure for measure in found if side_of(measure) is Side.OUTSIDE]
    for cycle in cycles:
        if cycle.is_timed:
            _add(found, found, cycle.outside.number, sighting_of(cycle))
        elif wires_count(cycle, judged=judged):
            _add(found, wires, cycle.outside.number, Sighting(None, cycle))
    return judged, found


def wires_count(cycle: ReconciledCycle, *, judged: bool) -> bool:
    """Return whether a cycle's times between wires are in the figures of its campaign.

    Args:
        cycle: as it was ruled upon.
        judged: whether any cycle of the campaign is.
    """
    if cycle.is_timed:
        return True
    woke = cycle.undecided and cycle.outside.outcome in CAME_BACK
    return woke or (not judged and cycle.timed_outside)


def all_cycles(cycles: Collection[ReconciledCycle], measures: Sequence[str]) -> CycleTimes:
    """Return every cycle with its time, or with why it has none.

    Args:
        cycles: of a campaign, ignored and broken ones among them.
        measures: the first of these that any cycle has is shown; the first where none has one.
    """
    judged = any(cycle.is_timed for cycle in cycles)
    readers = {name: reader_of(name) for name in measures}
    columns = {name: array("d") for name in measures}
    numbers, cycle_marks = array("q"), []
    for cycle in cycles:
        numbers.append(cycle.outside.number)
        sighting = sighting_of(cycle)
        for name, reader in readers.items():
            value = reader(sighting)
            columns[name].append(nan if value is None else value.value_ns / NS_PER_MS)
        cycle_marks.append(_mark_of(cycle, judged=judged))
    name = next((each for each in measures if any(map(isfinite, columns[each]))), measures[0])
    marks = (
        timed if isfinite(time_ms) else untimed
        for (timed, untimed), time_ms in zip(cycle_marks, columns[name], strict=True)
    )
    return CycleTimes(name, numbers, columns[name], "".join(marks))


def _mark_of(cycle: ReconciledCycle, *, judged: bool) -> tuple[CycleMark, CycleMark]:
    """Return what a cycle is shown as with a time, and without one.

    A time that is in none of the campaign's figures, as that of S4 in a mix whose S3 is judged, is
    no time to compare with them.
    """
    broken = cycle.outside.outcome in FAILED
    untimed = CycleMark.BROKEN if broken else CycleMark.UNKNOWN
    if cycle.outside.ignored or not (broken or wires_count(cycle, judged=judged)):
        return CycleMark.LEFT_OUT, untimed
    failed = cycle.judged and cycle.verdict is Verdict.FAIL
    return CycleMark.FAILED if failed or broken else CycleMark.TIMED, untimed


def _with_limited(usual: Sequence[str], requirement: Requirement) -> Iterable[str]:
    limited = (
        limit.measure
        for limit in requirement.limits()
        if is_time(limit.measure) and not limit.is_event
    )
    return dict.fromkeys((*usual, *limited))


def _add(
    found: Mapping[str, MeasuredTimes], measures: Iterable[str], number: int, sighting: Sighting
) -> None:
    for measure in measures:
        value = measured(measure, sighting)
        if value is not None:
            found[measure].add(number, value)


def _statistics(found: Mapping[str, MeasuredTimes]) -> tuple[SeriesStatistics, ...]:
    return tuple(
        series_statistics(
            measure,
            times.values_ms,
            times.numbers,
            _step_ms(measure),
            bounds_ms=times.bounds_ms,
            common=times.common,
        )
        for measure, times in found.items()
        if times.numbers
    )


def _step_ms(measure: str) -> float:
    return _OS_STEP_MS if side_of(measure) is Side.INSIDE else _WIRE_STEP_MS
