"""A histogram whose bins never hold both sides of a limit. Free of Qt."""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.report.svg_axis import nice_step

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

_BINS: Final = 36
_FAR: Final = 1.6


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts a bin; bins are closed above, as in the report.

    Attributes:
        left_ms: lower end of each bin, float64 [n]; step_ms: width of all.
        counts: int64 [n].
        over: whether a bin lies above the limit, bool [n].
        beyond: values past the last bin, which would flatten all others.
    """

    left_ms: Floats
    step_ms: float
    counts: Ints
    over: NDArray[np.bool_]
    beyond: int


def histogram_of(values_ms: Ints, limit_ms: int | None) -> Histogram | None:
    """Return the histogram of values in ms; None of none."""
    if not len(values_ms):
        return None
    values = values_ms.astype(np.float64)
    anchor_ms = float(limit_ms) if limit_ms is not None else float(np.median(values))
    reach_ms = max(float(np.quantile(values, 0.95)), anchor_ms) * _FAR
    within = values[values <= reach_ms]
    ends = np.append(within, anchor_ms)
    step_ms = nice_step(max(float(np.ptp(ends)), anchor_ms / 10, 1.0), _BINS)
    places = np.ceil((within - anchor_ms) / step_ms - 1e-9).astype(np.int64) - 1
    first = int(places.min())
    counts = np.bincount(places - first)
    number = np.arange(first, first + len(counts))
    return Histogram(
        (anchor_ms + number * step_ms).astype(np.float64),
        step_ms,
        counts.astype(np.int64),
        (number >= 0) & (limit_ms is not None),
        len(values) - len(within),
    )
