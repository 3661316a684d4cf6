"""Tells whether somebody writes to a store, without a lock of its own that would be in the way."""

import os
import struct
import sys
from pathlib import Path
from typing import Final

if sys.platform == "linux":
    import fcntl

# SQLite's file format 3, WAL-index: the byte that whoever writes has locked.
_WRITE_LOCK_AT: Final = 120
# struct flock: type, whence, start, length, process.
_LOCK: Final = "hhqqi"


def is_being_written(path: Path) -> bool:
    """Return whether another process has a store's write lock.

    Where the system does not tell of locks: whether a campaign was begun and not closed, which a
    campaign that was killed has not been, either. Call it where this thread, and no other of the
    process, opens stores: POSIX gives up a process's locks of a file with the first descriptor
    that is closed.
    """
    if sys.platform != "linux":
        return path.with_name(f"{path.name}-wal").exists()
    try:
        index = os.open(path.with_name(f"{path.name}-shm"), os.O_RDONLY)
    except OSError:
        return False
    try:
        asked = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, _WRITE_LOCK_AT, 1, 0)
        told = fcntl.fcntl(index, fcntl.F_GETLK, asked)
    except OSError:
        return False
    finally:
        os.close(index)
    return bool(struct.unpack(_LOCK, told)[0] != fcntl.F_UNLCK)
