"""Whether a store's place will do: room for the campaign, and a name that stays with the file."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from resume_rig.campaign.plan import Plan
from resume_rig.model.errors import RecordError, UsageError

FLOOR_BYTES: Final = 64_000_000
"""Kept free: SQLite needs room to commit, the report some more, and others use the disk too."""

CYCLE_BYTES: Final = 24_000
"""Of a cycle with light and OS records, where no cycle tells better."""

LIGHTLESS_BYTES: Final = 2_000

FreeBytes = Callable[[Path], int]


def free_bytes(path: Path) -> int:
    """Return how much of the disk that holds `path` this user may still write."""
    return shutil.disk_usage(path.parent).free


def free_bytes_of(is_full: Callable[[], bool] | None) -> FreeBytes:
    """Return what tells how much of a disk is left: nothing while it is to count as full."""
    if is_full is None:
        return free_bytes
    return lambda path: 0 if is_full() else free_bytes(path)


def most_cycles(plan: Plan) -> int:
    """Return how many cycles a plan can come to: its rule of time may end it before. Pure."""
    if plan.stop.time_ns is None:
        return plan.cycles
    shortest_ns = max(1, plan.dwell_ns + plan.settle_ns)
    return min(plan.cycles, plan.stop.time_ns // shortest_ns + 1)


def why_too_little(cycles: int, cycle_bytes: int, free: int) -> str | None:
    """Return why a campaign does not fit, in a sentence without a full stop; None if it does."""
    wanted = cycles * cycle_bytes
    if wanted + FLOOR_BYTES <= free:
        return None
    return (
        f"{cycles:,} cycles take about {_mb(wanted)} and {_mb(FLOOR_BYTES)} are kept free, and "
        f"the disk has {_mb(free)} left"
    )


class DiskSpace:
    """The disk of one store.

    Args:
        path: of the store.
        free: tells how much is left.
    """

    def __init__(self, path: Path, free: FreeBytes = free_bytes) -> None:
        self._path = path
        self._free = free
        self._file: tuple[int, int] | None = None

    def check_before(self, plan: Plan, *, has_light: bool) -> None:
        """Check that a whole campaign fits.

        Raises:
            UsageError: it does not.
        """
        try:
            free = self._free(self._path)
        except OSError:
            # Making the store will say what is wrong with its place.
            return
        bytes_each = CYCLE_BYTES if has_light else LIGHTLESS_BYTES
        why = why_too_little(most_cycles(plan), bytes_each, free)
        if why is not None:
            raise UsageError(
                f"could not begin a campaign in {self._path}: {why}; make room, name another "
                "place (--out), or plan fewer cycles"
            )

    def check(self) -> None:
        """Check that another cycle fits.

        Raises:
            RecordError: it may not; or the store has lost its name, while what is committed next
                would lie in a -wal file that belongs to that name. What is there is safe.
        """
        try:
            found = self._path.stat()
            free = self._free(self._path)
        except OSError as error:
            raise self._moved(error.strerror or str(error)) from error
        here = (found.st_dev, found.st_ino)
        if self._file not in (None, here):
            raise self._moved("another file has its name")
        self._file = here
        if free < FLOOR_BYTES:
            raise RecordError(
                f"stopped before the disk of {self._path} is full: {_mb(free)} are left, and "
                f"{_mb(FLOOR_BYTES)} are kept free; make room, then go on"
            )

    def _moved(self, why: str) -> RecordError:
        return RecordError(
            f"stopped, as the store {self._path} was moved, renamed or removed while the campaign "
            f"wrote to it ({why}); give it its name back"
        )


def _mb(value: int) -> str:
    return f"{-(-value // 1_000_000):,} MB" if value < 10**10 else f"{value // 10**9:,} GB"
