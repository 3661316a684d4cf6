"""A series of whole numbers that grows; what was read of it never changes."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_FIRST = 64


@dataclass(slots=True)
class _Room:
    """Memory that several states share; each sees the part that was there when it was made."""

    values: NDArray[np.int64] = field(default_factory=lambda: np.zeros(_FIRST, dtype=np.int64))
    used: int = 0


@dataclass(frozen=True, slots=True)
class Grown:
    """Values in the order that they came in; adding one costs the same however many there are."""

    _room: _Room = field(default_factory=_Room)
    _length: int = 0

    def plus(self, value: int) -> "Grown":
        """Return the series with one more value."""
        room = self._room
        if room.used != self._length:
            # Another state has gone on from here: this one goes its own way.
            room = _Room(room.values[: self._length].copy(), self._length)
        if room.used == len(room.values):
            values = np.zeros(max(2 * room.used, _FIRST), dtype=np.int64)
            values[: room.used] = room.values[: room.used]
            room = _Room(values, room.used)
        room.values[room.used] = value
        room.used += 1
        return Grown(room, self._length + 1)

    @property
    def values(self) -> NDArray[np.int64]:
        """All values, int64 [n]; not to be written to."""
        found = self._room.values[: self._length]
        found.flags.writeable = False
        return found

    def __len__(self) -> int:
        """Return how many there are."""
        return self._length
