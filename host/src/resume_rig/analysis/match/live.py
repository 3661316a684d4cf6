"""What it says that a log was read while the cycles ran.

A record that was there when the log was read belongs to no cycle that came later: that is certain.
And it was most likely written soon after its wake, so it belongs to a cycle since the reading
before. Some logs are late by a reading or two each time: how late is a trait of the campaign.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Readings = NDArray[np.int32]

UNKNOWN = -1
"""The reading of a record of which it is not known when it was seen first."""

USUAL_LAGS = (0, 1, 2, 3)
"""By how many readings a log may be late each time."""

# A runner waits for the record of its cycle; a log that lags all the time is a rare set-up.
_LAG_LIKELY = (0.9944, 0.005, 0.0005, 0.0001)
# Each reading more, or less, than usual is so much less likely than the one before.
_FARTHER = 0.5
LOG_LAG_LIKELY: NDArray[np.float64] = np.log(_LAG_LIKELY)
"""How likely each usual lag is before anything was compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Readings of the log, counted from the first that brought something.

    Attributes:
        of_record: the reading that brought it; UNKNOWN where that is not known, int32 [m].
        of_cycle: the first reading since the cycle's end, int32 [n]; the number of readings where
            there is none.
        count: how many readings brought something.
    """

    of_record: Readings
    of_cycle: Readings
    count: int


def seen_at(seen_in: Sequence[int | None] | NDArray[np.int64], records: int, cycles: int) -> Seen:
    """Return the readings that brought the records.

    Args:
        seen_in: for each record the index of the cycle at whose end it was there for the first
            time, None (-1 in an array) where that is not known; may be empty.
        records: how many there are.
        cycles: how many there are.
    """
    if len(seen_in) == 0:
        nothing = np.full(records, UNKNOWN, dtype=np.int32)
        return Seen(nothing, np.zeros(cycles, dtype=np.int32), 0)
    if isinstance(seen_in, np.ndarray):
        at = seen_in
    else:
        at = np.array([-1 if each is None else each for each in seen_in], dtype=np.int64)
    ends = np.sort(at[at >= 0])
    ends = ends[np.append(True, ends[1:] > ends[:-1])[: len(ends)]]
    of_record = np.where(at < 0, UNKNOWN, np.searchsorted(ends, at)).astype(np.int32)
    of_cycle = np.searchsorted(ends, np.arange(cycles)).astype(np.int32)
    return Seen(of_record, of_cycle, len(ends))


def lag_gain(lag: Readings, usual: int, late: float) -> NDArray[np.float64]:
    """Return what it says that records came so many readings late, log-likelihood.

    Args:
        lag: readings since the cycle's own; not negative.
        usual: of this campaign, in readings.
        late: share of the records that come otherwise.
    """
    apart = np.abs(lag - usual)
    scale = np.log(late * (1.0 - _FARTHER))
    otherwise = scale + (apart - 1.0) * np.log(_FARTHER)
    return np.asarray(np.where(apart == 0, np.log1p(-late), otherwise), dtype=np.float64)
