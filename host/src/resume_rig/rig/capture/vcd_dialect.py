"""Takes GTKWave's `$timezero`, which no standard knows, out of a VCD header.

GTKWave's converters write it into every file, and so does `resume-rig export`; it only tells a
viewer what to call the zero of time.
"""

import re
from io import BufferedIOBase, RawIOBase
from typing import Any, Final

_HEADER_AT_MOST: Final = 1 << 20
_TIMEZERO: Final = re.compile(rb"\$timezero\s+-?\d+\s+\$end")
_END_OF_HEADER: Final = b"$enddefinitions"


class StandardVcd(RawIOBase):
    """A stream to read from with `$timezero` replaced by as much white space; positions stay."""

    def __init__(self, file: BufferedIOBase) -> None:
        super().__init__()
        self._file = file
        header = b""
        while _END_OF_HEADER not in header and len(header) < _HEADER_AT_MOST:
            piece = file.read(65_536)
            if not piece:
                break
            header += piece
        self._header = _TIMEZERO.sub(lambda found: re.sub(rb"\S", b" ", found[0]), header)

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` (writable bytes); return how many bytes it got, 0 at the end."""
        if not self._header:
            return self._file.readinto(buffer)
        piece, self._header = self._header[: len(buffer)], self._header[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
