"""When to look again at a store that is being written: pure, but for the look itself. No Qt."""

from dataclasses import dataclass
from enum import Enum, auto, unique
from pathlib import Path
from typing import Final, TypeAlias

from resume_rig.campaign.being_written import is_being_written

Stamp: TypeAlias = tuple[tuple[int, int], ...]
"""Of the store and what waits to go into it: moment of the last change [ns], size."""

_READ_LEAST_MS: Final = 1_000
_READ_SHARE: Final = 10
_DERIVE_LEAST_MS: Final = 3_000
_DERIVE_SHARE: Final = 3


@dataclass(frozen=True, slots=True)
class Sight:
    """A look at a store from outside.

    Attributes:
        stamp: another one after each cycle that is committed.
        writing: somebody has the store's write lock.
    """

    stamp: Stamp
    writing: bool


@unique
class Due(Enum):
    """What is to be done next."""

    NOTHING = auto()
    READ = auto()
    DERIVE = auto()
    END = auto()


def look_at(path: Path) -> Sight:
    """Look at a store; nothing of it is read."""
    # The lock first: what is written after the look has another stamp at the next one.
    writing = is_being_written(path)
    return Sight(tuple(_stamp(path.with_name(path.name + end)) for end in ("", "-wal")), writing)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@dataclass(slots=True)
class _Work:
    """Work of one kind: on which state of the store it was done last, and how long that took."""

    least_ms: int
    share: int
    stamp: Stamp | None = None
    begun_ms: int = 0
    ended_ms: int = 0
    running: bool = False

    def begin(self, stamp: Stamp | None, now_ms: int) -> None:
        self.stamp, self.begun_ms, self.running = stamp, now_ms, True

    def end(self, now_ms: int) -> None:
        self.ended_ms, self.running = now_ms, False

    def rested(self, now_ms: int) -> bool:
        """Return whether it may be done again: it is to take a small share of the time alone."""
        pause_ms = max(self.least_ms, self.share * (self.ended_ms - self.begun_ms))
        return now_ms - self.ended_ms >= pause_ms


class Pace:
    """Keeps reading and deriving to a share of the time, however long each takes.

    What is quick, the runner's view of each cycle, is read again soon; what is derived of the
    whole store follows when what it takes has gone by some times. Once nobody writes any more,
    both are done for a last time.
    """

    def __init__(self) -> None:
        self.reading = _Work(_READ_LEAST_MS, _READ_SHARE)
        self.deriving = _Work(_DERIVE_LEAST_MS, _DERIVE_SHARE)
        self._derives = True

    def give_up_deriving(self) -> None:
        """Derive nothing any more: somebody cancelled it, or it failed."""
        self._derives = False

    def due(self, sight: Sight, now_ms: int) -> Due:
        """Return what is to be done now.

        Args:
            sight: the newest look.
            now_ms: of any clock that does not go back.
        """
        if self.reading.running:
            return Due.NOTHING
        if sight.stamp != self.reading.stamp:
            may = not sight.writing or self.reading.rested(now_ms)
            return Due.READ if may else Due.NOTHING
        if not self._derives:
            return Due.NOTHING if sight.writing else Due.END
        if self.deriving.running:
            return Due.NOTHING
        if self.deriving.stamp != self.reading.stamp:
            may = not sight.writing or self.deriving.rested(now_ms)
            return Due.DERIVE if may else Due.NOTHING
        return Due.NOTHING if sight.writing else Due.END
