"""What the log tells of settings of the OS clock, and its times as if there had been none.

Windows says of each setting by how much it was. With all of them taken off, the clock ran on. That
is a second view of the log and no more: an event may be missing or told twice, a setting may
not have lasted, and where an old Windows gives no reason each wake looks like one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.os_record import OsRecord

_Floats = NDArray[np.float64]
_Indexes = NDArray[np.int64]

_US = 1e-6
# A synchronisation takes back what a wake's reading of the RTC was off by; that does not last.
_LASTING_S = 1.0
# Nobody sets a clock by more than a century.
_FARTHEST_S = 100 * 365 * 86_400.0
_WHOLE, _AFTER = "clock_stepped_us", "clock_stepped_after_wake_us"


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """By how much the clock was set since the record before, as the log tells it.

    Attributes:
        asleep_s: before the wake of each record, float64 [m].
        awake_s: between its wake and its writing, float64 [m].
    """

    asleep_s: _Floats
    awake_s: _Floats


def told_of(records: Sequence[OsRecord]) -> Told | None:
    """Return what records tell of lasting settings; None where they tell of none."""
    asleep_s, awake_s = np.zeros(len(records)), np.zeros(len(records))
    for at, record in enumerate(records):
        if not record.figures:
            continue
        told = {each.name: each.value for each in record.figures}
        if _WHOLE in told:
            awake_s[at] = _seconds(told.get(_AFTER, 0))
            asleep_s[at] = _seconds(told[_WHOLE]) - awake_s[at]
    asleep_s, awake_s = _lasting(asleep_s), _lasting(awake_s)
    return Told(asleep_s, awake_s) if asleep_s.any() or awake_s.any() else None


def _seconds(value_us: float) -> float:
    """Return seconds; no setting where it is beyond all that a float holds."""
    return value_us * _US if abs(value_us) <= _FARTHEST_S / _US else 0.0


def _lasting(step_s: _Floats) -> _Floats:
    return np.where(np.abs(step_s) > _LASTING_S, step_s, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """The settings of the clock that the log tells of, all together.

    Attributes:
        before_s: those before the wake of each record, float64 [m].
        own_s: those between its wake and its writing, float64 [m].
    """

    before_s: _Floats
    own_s: _Floats

    def counted_from(self, record: int) -> "Settings":
        """Return them with nothing set before the wake of a record."""
        return Settings(self.before_s - self.before_s[record], self.own_s)


def all_settings(told: Told, rank: _Indexes, doubled_of: _Indexes) -> Settings:
    """Return all settings, added up.

    Args:
        told: of each record.
        rank: place of each in the order in which records were written, int64 [m].
        doubled_of: the record that it repeats, -1 for none: a second account tells nothing new.
    """
    order, alone = np.argsort(rank, kind="stable"), doubled_of < 0
    asleep_s, awake_s = (np.where(alone, s, 0.0)[order] for s in (told.asleep_s, told.awake_s))
    before_s = np.empty(len(order))
    before_s[order] = np.cumsum(asleep_s) + np.cumsum(awake_s) - awake_s
    return Settings(before_s, told.awake_s)
