"""The text of a log that only grows: a week's is far more than memory should hold."""

import os
import tempfile
import weakref
from typing import Final

MEMORY_BYTES: Final = 8_000_000
"""Behind so many bytes the text is in a temporary file, which goes with its owner."""

HELD_BYTES: Final = 64_000
"""So many bytes are put behind the others at once."""


class LogText:
    """Bytes that are appended to and read from any offset."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._file = tempfile.SpooledTemporaryFile(memory_bytes)
        weakref.finalize(self, self._file.close)
        self._size_bytes = 0
        self._held: list[bytes] = []
        self._held_bytes = 0

    def __len__(self) -> int:
        return self._size_bytes

    def append(self, data: bytes) -> None:
        """Put bytes behind the others."""
        self._held.append(data)
        self._held_bytes += len(data)
        self._size_bytes += len(data)
        if self._held_bytes > HELD_BYTES:
            self._write()

    def cut(self, keep_bytes: int) -> None:
        """Lose what stands behind the first `keep_bytes`."""
        self._write()
        self._size_bytes = min(self._size_bytes, keep_bytes)
        self._file.truncate(self._size_bytes)

    def part(self, offset: int, count: int | None = None) -> bytes:
        """Return up to `count` bytes from an offset on; None: all."""
        self._write()
        self._file.seek(offset)
        return self._file.read(-1 if count is None else count)

    def _write(self) -> None:
        self._file.seek(0, os.SEEK_END)
        self._file.write(b"".join(self._held))
        self._held, self._held_bytes = [], 0
