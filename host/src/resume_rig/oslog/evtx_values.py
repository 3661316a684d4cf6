"""The values of an EVTX record as the full parser would render them, read in one go.

A record's values stand behind a table of their sizes and types. A table, or a value, that is not
of the usual kind is an `UnusualError`, and the record is left to the full parser.
"""

import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

from resume_rig.oslog.event_fields import VALUE_LIMIT_CHARS
from resume_rig.oslog.evtx_binxml import STRING_TYPE, UnusualError, demand

NULL_TYPE: Final = 0x00
FILETIME_TYPE: Final = 0x11
SID_TYPE: Final = 0x13
BINXML_TYPE: Final = 0x21

_ANSI_TYPE: Final = 0x02
_BOOL_TYPE: Final = 0x0D
TEXT_TYPES: Final = (STRING_TYPE, _ANSI_TYPE)
_SID_HEAD_BYTES: Final = 8
_SIZE_AND_TYPE: Final = struct.Struct("<HBx")
_COUNT_LIMIT: Final = 256
_NUMBERS: Final[Mapping[int, str]] = {
    **{0x03: "b", 0x04: "B", 0x05: "h", 0x06: "H", 0x07: "i", 0x08: "I", 0x09: "q", 0x0A: "Q"}
}
_HEX_NUMBERS: Final[Mapping[int, str]] = {0x14: "I", 0x15: "Q"}
# Format of each type of a fixed size; the sizes are the formats'.
_FIXED: Final[Mapping[int, str]] = {
    **_NUMBERS,
    **_HEX_NUMBERS,
    **{_BOOL_TYPE: "i", 0x0F: "16s", FILETIME_TYPE: "Q"},
}
_OF_ANY_SIZE: Final = frozenset({NULL_TYPE, STRING_TYPE, _ANSI_TYPE, SID_TYPE, BINXML_TYPE})
_DAY_TICKS: Final = 24 * 60 * 60 * 10_000_000
_1601: Final = date(1601, 1, 1).toordinal()
_1970_TICKS: Final = 116_444_736_000_000_000
_FIRST_TICKS: Final = _1970_TICKS - ((1 << 63) - 1) // 100  # int64 ns
_LAST_TICKS: Final = _1970_TICKS + ((1 << 63) - 1) // 100

Render = Callable[[int | bytes], str]


@dataclass(frozen=True, slots=True)
class ValueTable:
    """What a table of sizes and types says.

    Attributes:
        types: of the values.
        begins: of each value, in bytes from the first one.
        size: of all values, in bytes.
        formats: of each value, for `struct`.
    """

    types: bytes
    begins: tuple[int, ...]
    size: int
    formats: tuple[str, ...]

    def picked(self, indexes: Collection[int]) -> tuple[struct.Struct, dict[int, int]]:
        """Return what takes these values and no others, and where each is among them.

        Raises:
            IndexError: the table has no such value.
        """
        layout, end = "<", 0
        order = sorted(set(indexes))
        for index in order:
            layout += f"{self.begins[index] - end}x{self.formats[index]}"
            end = self.begins[index] + struct.calcsize(f"<{self.formats[index]}")
        return struct.Struct(layout), {index: place for place, index in enumerate(order)}


def table_of(content: bytes) -> ValueTable:
    """Return what a table says.

    Raises:
        UnusualError: values of an unusual kind, or too many.
        struct.error: the table is cut.
    """
    demand(len(content) <= _COUNT_LIMIT * _SIZE_AND_TYPE.size)
    begins: list[int] = []
    formats: list[str] = []
    types = bytearray()
    at = 0
    for size, value_type in _SIZE_AND_TYPE.iter_unpack(content):
        fixed = _FIXED.get(value_type)
        if fixed is None:
            demand(value_type in _OF_ANY_SIZE)
        else:
            demand(struct.calcsize(f"<{fixed}") == size)
        formats.append(fixed or f"{size}s")
        begins.append(at)
        types.append(value_type)
        at += size
    return ValueTable(bytes(types), tuple(begins), at, tuple(formats))


def render_of(value_type: int) -> Render:
    """Return what makes a value of this type its text.

    Raises:
        UnusualError: only the full parser can tell it.
    """
    render = _RENDERS.get(value_type)
    if render is None:
        raise UnusualError
    return render


def time_ns(ticks: int, step_ticks: int = 1) -> int | None:
    """Return a FILETIME in ns since 1970 UTC, in whole steps; None on its first day, "no time".

    Raises:
        UnusualError: int64 nanoseconds cannot hold it.
    """
    if ticks < _DAY_TICKS:
        return None
    if not _FIRST_TICKS <= ticks <= _LAST_TICKS:
        raise UnusualError
    return (ticks - ticks % step_ticks - _1970_TICKS) * 100


@lru_cache(maxsize=128)  # a log has few channels and few users
def is_plain_text(value: bytes) -> bool:
    """Whether XML keeps a text as it is."""
    try:
        return value.decode("utf-16-le").rstrip("\0").isprintable()
    except UnicodeDecodeError:
        return False


@lru_cache(maxsize=128)
def is_sid(value: bytes) -> bool:
    """Whether a security identifier has the size that it tells."""
    return len(value) >= _SID_HEAD_BYTES and len(value) == _SID_HEAD_BYTES + 4 * value[1]


def _text_in(encoding: str) -> Render:
    """Return what renders a text without the zeros that end it, if XML keeps it as it is."""

    def render(value: int | bytes) -> str:
        if isinstance(value, int):
            raise UnusualError
        try:
            text = value.decode(encoding).rstrip("\0")
        except UnicodeDecodeError as error:
            raise UnusualError from error
        demand(text.isprintable())
        return text[:VALUE_LIMIT_CHARS]

    return render


def _truth(value: int | bytes) -> str:
    demand(value in (0, 1))
    return "true" if value else "false"


def _nothing(_: int | bytes) -> str:
    return ""


def _time(ticks: int | bytes) -> str:
    if isinstance(ticks, bytes) or ticks > _LAST_TICKS:
        raise UnusualError
    days, rest = divmod(ticks, _DAY_TICKS)
    seconds, rest = divmod(rest, 10_000_000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest // 10:06}"
    return f"{date.fromordinal(_1601 + days)}T{clock}Z"


def _hex(value: int | bytes) -> str:
    if isinstance(value, bytes):
        raise UnusualError
    return hex(value)


_RENDERS: Final[Mapping[int, Render]] = {
    **dict.fromkeys(_NUMBERS, str),
    **dict.fromkeys(_HEX_NUMBERS, _hex),
    NULL_TYPE: _nothing,
    STRING_TYPE: _text_in("utf-16-le"),
    _ANSI_TYPE: _text_in("ascii"),
    _BOOL_TYPE: _truth,
    FILETIME_TYPE: _time,
}
