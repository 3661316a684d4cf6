"""All that is said of one series of times: figures, intervals, drift, steps, what is unlike."""

from array import array
from collections.abc import Sequence

import numpy as np

from resume_rig.analysis.change_points import change_points_of
from resume_rig.analysis.reported_times import MS_NS
from resume_rig.analysis.statistics import (
    mean_interval,
    quantile_interval,
    scaled_mad,
    summarise,
)
from resume_rig.analysis.trend import Floats, drift_of
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.series import (
    NOTHING_COMMON,
    CommonTerm,
    QuantileInterval,
    SeriesStatistics,
)

OUTLIER_FROM = 3.5
"""Distance from the median, in scaled median absolute deviations (Iglewicz and Hoaglin, 1993)."""

_WARM_UP_FROM = 12
"""Values that a series must have before its beginning can be told from the rest."""


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
        self.values_ms.append(value.value_ns / MS_NS)
        self.bounds_ms.append(value.bound_ns / MS_NS)
        self._rig_ns = max(self._rig_ns, value.rig_ns)
        self._campaign_ns = max(self._campaign_ns, value.campaign_ns)

    @property
    def common(self) -> CommonTerm:
        """What the values share: the most that any of them says of each scope."""
        return CommonTerm(self._rig_ns / MS_NS, self._campaign_ns / MS_NS)

    def quantiles(self, *shares: float) -> list[QuantileInterval]:
        """Return quantiles of the times, each with the interval that holds the true one."""
        return _quantiles(self.values_ms, self.bounds_ms, shares)


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
    median, p95 = _quantiles(values, bounds_ms, (0.5, 0.95))
    warm = warm_up_length(values, resolution_ms)
    settled = values[warm:]
    return SeriesStatistics(
        name=name,
        figures=summarise(values.tolist()),
        median=median,
        p95=p95,
        drift=drift_of(settled),
        change_points=change_points_of(settled, cycles[warm:]),
        warm_up=tuple(cycles[:warm]),
        outliers=tuple(cycles[i] for i in _outliers(values, warm, resolution_ms)),
        common=common,
        mean=mean_interval(values_ms, common),
    )


def _quantiles(
    values_ms: Sequence[float] | Floats,
    bounds_ms: Sequence[float] | None,
    shares: Sequence[float],
) -> list[QuantileInterval]:
    values = np.asarray(values_ms, dtype=np.float64)
    bounds = np.asarray(0.0 if bounds_ms is None else bounds_ms, dtype=np.float64)
    ordered, lows, highs = (
        np.sort(each).tolist() for each in (values, values - bounds, values + bounds)
    )
    return [quantile_interval(ordered, q, lows_ms=lows, highs_ms=highs) for q in shares]


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
