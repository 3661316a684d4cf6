"""A store's file: whether its place will do, and whether somebody writes to it."""

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from resume_rig.campaign.plan.plan import Plan
from resume_rig.model.errors import RecordError, UsageError

FLOOR_BYTES: Final = 64_000_000
"""Kept free: SQLite needs room to commit, the report some more, and others use the disk too."""

CYCLE_BYTES: Final = 24_000
"""Of a cycle with light and OS records; a first estimate."""

LIGHTLESS_BYTES: Final = 2_000

FreeBytes = Callable[[Path], int]


def free_bytes(path: Path) -> int:
    """Return how much of the disk that holds `path` this user may still write."""
    return shutil.disk_usage(path.parent).free


def free_bytes_of(is_full: Callable[[], bool] | None) -> FreeBytes:
    """Return what measures how much of a disk is left: nothing while it is to count as full."""
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
    """The disk of one store."""

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
            # Making the store will report what is wrong with its place.
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


if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# SQLite's file format 3, WAL-index: the byte that whoever writes has locked.
_WRITE_LOCK_AT: Final = 120
# Windows has neither flag, nor pipes and links that a folder could hide.
_NOT_WAITED_FOR: Final[int] = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


def is_being_written(path: Path) -> bool:
    """Return whether another process has a store's write lock.

    A -wal file proves nothing: a campaign that was killed leaves one, too. Call it where this
    thread, and no other of the process, opens stores: POSIX gives up a process's locks of a file
    with the first descriptor that is closed.
    """
    try:
        name = path.with_name(f"{path.name}-shm")
        # Not waited for: what has that name in a stranger's folder may be a pipe, or a link.
        index = os.open(name, os.O_RDONLY | _NOT_WAITED_FOR)
    except OSError:
        return False
    try:
        return _is_locked(index)
    finally:
        os.close(index)


def _is_locked(index: int) -> bool:
    """Try for the lock, which a descriptor that may only read can have shared; give it back."""
    try:
        if sys.platform == "win32":
            os.lseek(index, _WRITE_LOCK_AT, os.SEEK_SET)
            msvcrt.locking(index, msvcrt.LK_NBLCK, 1)
            os.lseek(index, _WRITE_LOCK_AT, os.SEEK_SET)
            msvcrt.locking(index, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.lockf(index, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, _WRITE_LOCK_AT)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return False
