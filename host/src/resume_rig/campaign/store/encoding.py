"""Facts as the store's bytes: packed little-endian arrays and compact, type-checked JSON.

A field that an older version did not write takes its default, a key that this version does not have
is ignored. docs/reference/store.md is the reference of these forms.
"""

import dataclasses
import functools
import json
import reprlib
import struct
import types
import zlib
from collections.abc import Mapping, Sequence
from enum import Enum
from math import isfinite
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from resume_rig.campaign.store.raw import Command, CommandName
from resume_rig.model.channel import Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import EDGES_MOST, ClockExchange, Edge, LightBlock
from resume_rig.model.errors import RecordError
from resume_rig.model.light import LightColumns, LightOnset
from resume_rig.model.os_record import OsRecord
from resume_rig.model.rig_url import StoredRigUrl

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]

_T = TypeVar("_T")
_SIMPLE = frozenset({type(None), bool, int, float, str})
_NOTHING = object()


def _shown(value: object) -> str:
    """Return a value for a sentence, bounded in depth and length before it is written."""
    return f"{reprlib.repr(value):.80}"


def to_plain(value: object) -> Plain:
    """Return a fact as JSON values; fields that have their default are left out.

    Raises:
        TypeError: the value is of a type that facts do not have; a fault of the program.
    """
    kind: Any = type(value)
    if kind in _SIMPLE:
        return cast(Plain, value)
    if (fields := _defaults(kind)) is not None:
        return {
            key: held if type(held) in _SIMPLE else to_plain(held)
            for name, key, default in fields
            if (held := getattr(value, name)) is not default and held != default
        }
    if isinstance(value, Enum):
        return to_plain(value.value)
    if isinstance(value, bool | int | float | str | StoredRigUrl):
        return value.text if isinstance(value, StoredRigUrl) else value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not a plain fact")


def from_plain(kind: type[_T], value: Plain) -> _T:
    """Return the fact of type `kind` that `to_plain` wrote.

    Raises:
        RecordError: the value is not of that type; the sentence names the field.
    """
    made = _read(kind, value, kind.__name__)
    if not isinstance(made, kind):
        raise RecordError(f"{kind.__name__} is {_shown(value)}, which is not one")
    return made


def _read(kind: Any, value: Plain, name: str) -> object:
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _read_union(get_args(kind), value, name)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(get_args(kind)[0], item, name) for item in value)
    if origin is not None and issubclass(origin, Mapping) and isinstance(value, dict):
        key_kind, item_kind = get_args(kind)
        return {
            _read(key_kind, key, name): _read(item_kind, item, f"{name}.{key}")
            for key, item in value.items()
        }
    if isinstance(kind, type):
        return _read_simple(kind, value, name)
    raise RecordError(f"{name} is {_shown(value)}, which is not allowed there")


def _read_simple(kind: type, value: Plain, name: str) -> object:
    if kind is StoredRigUrl and isinstance(value, str):
        return StoredRigUrl(value)
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return _read_fact(kind, value, name)
    if issubclass(kind, Enum) and isinstance(value, str | int):
        try:
            return kind(value)
        except ValueError:
            raise RecordError(f"{name} is {_shown(value)}, which is no {kind.__name__}") from None
    # A bool is an int to isinstance, and must not pass for one here.
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise RecordError(f"{name} is {_shown(value)}; allowed is {kind.__name__}")


def _read_union(kinds: tuple[Any, ...], value: Plain, name: str) -> object:
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        try:
            return _read(kind, value, name)
        except RecordError:
            continue
    raise RecordError(f"{name} is {_shown(value)}, which is not allowed there")


def _read_fact(kind: type, value: dict[str, Plain], name: str) -> object:
    fields: dict[str, object] = {}
    for field, key, hint, plain, most in _fields(kind):
        if key not in value:
            continue
        found = value[key]
        if type(found) not in plain:
            fields[field] = _read(hint, found, f"{name}.{key}")
        elif isinstance(found, int) and not -most <= found <= most:
            raise RecordError(f"{name}.{key} is {found}; allowed are numbers up to {most}")
        elif isinstance(found, float) and not isfinite(found):
            raise RecordError(f"{name}.{key} is {found}, which is no number")
        else:
            fields[field] = found
    try:
        return kind(**fields)
    except (TypeError, ValueError) as error:
        raise RecordError(f"{name} lacks a field or holds a wrong one ({error})") from error


@functools.cache
def _fields(kind: type) -> tuple[tuple[str, str, Any, frozenset[type], int], ...]:
    """Return the fields of a fact: name, key, type, types that stay as they are, and its most.

    A time of any unit is 73 years at most, so that what is computed of it fits 64 bits; but for
    those of an OS: a DUT may write any FILETIME, and its record is kept as it is.
    """
    most = dict.fromkeys(_MOST, _OS_MOST) if kind is OsRecord else _MOST
    return tuple(
        (name, _key(kind, name), hint, _plain(hint), most.get(name.rpartition("_")[2], _OS_MOST))
        for name, hint in get_type_hints(kind).items()
    )


MOST_NS = 2**61
"""73 years: sums of such times, and their differences, fit 64 bits."""

_OS_MOST = 2**72  # the last FILETIME in ns is below it
_MOST = {"ns": MOST_NS, "us": MOST_NS // 10**3, "ms": MOST_NS // 10**6, "s": MOST_NS // 10**9}


def _plain(hint: Any) -> frozenset[type]:
    if get_origin(hint) in {Union, types.UnionType}:
        return frozenset().union(*(_plain(kind) for kind in get_args(hint)))
    if hint is float:
        return frozenset({float, int})
    return frozenset({hint}) if hint in _SIMPLE else frozenset()


# A field that was renamed keeps its key in every store.
_KEYS: Mapping[tuple[type, str], str] = {(DutProfile, "platform"): "known"}


def _key(kind: type, field: str) -> str:
    return _KEYS.get((kind, field), field)


@functools.cache
def _defaults(kind: type) -> tuple[tuple[str, str, object], ...] | None:
    """Return name, key and default of each field of a fact; no default equals nothing else."""
    if not dataclasses.is_dataclass(kind) or kind is StoredRigUrl:  # a text in every store
        return None
    fields = dataclasses.fields(kind)
    return tuple((field.name, _key(kind, field.name), _default_of(field)) for field in fields)


def _default_of(field: "dataclasses.Field[Any]") -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return _NOTHING if field.default is dataclasses.MISSING else field.default


# The place of a channel is its code in every store ever written: only append.
CHANNEL_CODES = (
    Channel.PWR_OK,
    Channel.SLP_S3,
    Channel.SLP_S4,
    Channel.SLP_S5,
    Channel.PLTRST,
    Channel.BACKLIGHT,
    Channel.LED,
    Channel.BUTTON,
    Channel.LID,
    Channel.SLP_S0,
)
_CODE_OF = {channel: code for code, channel in enumerate(CHANNEL_CODES)}

EDGE = np.dtype([("number", "<u4"), ("t_ns", "<u8"), ("channel", "u1"), ("level", "u1")])
LIGHT = np.dtype(
    [("number", "<u4"), ("t_ns", "<u8"), ("minimum", "<u2"), ("mean", "<u2"), ("maximum", "<u2")]
)
EXCHANGE = np.dtype(
    [
        ("host_tx_ns", "<i8"),
        ("board_rx_ns", "<i8"),
        ("board_tx_ns", "<i8"),
        ("host_rx_ns", "<i8"),
    ]
)
# Noise does not pack: more than that takes four times as long, for not a byte less.
LIGHT_LEVEL = 4
_EDGE_BYTES = struct.Struct("<IQBB").pack
_EXCHANGE_BYTES = struct.Struct("<4q").pack
_JSON = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
# zlib looks back no further than this, so a longer dictionary is of no use.
DICTIONARY_BYTES = 32_768
# An hour of light, the longest wake that a plan waits for, is 65 MB; records are some kilobytes.
MAX_UNPACKED_BYTES = 100_000_000
# Light comes in blocks of 1 ms, and no board's clock is off by a tenth.
_BLOCK_NS = 1_000_000
_BLOCKS_MORE = 10_000

# 370 components of a kernel's trace have 3,000 values, and a cycle keeps 20 of them.
_VALUES_MOST = 3_000_000
_VALUE_BYTES = 16
_SOURCES_MOST = 65_536  # files of a log; a campaign's log is one
_DIGITS_MOST = 18  # of what fits 64 bits for certain


class Budget:
    """What the OS records of a file may take when they are unpacked: zlib packs zeros 1000-fold.

    Args:
        cycles: of the file. A record of a kernel's trace is 14 KB with all its components; the
            base lets a log that came late bring thousands at once.
    """

    def __init__(self, cycles: int) -> None:
        self._left = 64_000_000 + 64_000 * cycles

    def unpack(self, blob: bytes, dictionary: bytes) -> bytes:
        """Return packed records as JSON, and take what they cost: each value is an object.

        Raises:
            RecordError: they are damaged, or more than what is left, which then stays.
        """
        most = max(1, min(self._left, MAX_UNPACKED_BYTES))  # 0 is no limit to zlib
        plain = inflate(blob, dictionary, "OS records", most)
        cost = len(plain) + _VALUE_BYTES * _values_in(plain)
        if cost > self._left:
            raise RecordError("the OS records of its cycles are more than any campaign has")
        self._left -= cost
        return plain


def pack_edges(edges: Sequence[Edge]) -> bytes:
    """Return edges as an array of EDGE."""
    # A cycle has a dozen: numpy pays off where there are thousands.
    return b"".join([_EDGE_BYTES(e.number, e.t_ns, _CODE_OF[e.channel], e.level) for e in edges])


def unpack_edges(blob: bytes) -> tuple[Edge, ...]:
    """Return the edges of `pack_edges`.

    Raises:
        RecordError: the bytes are not such an array.
    """
    rows = _rows(blob, EDGE, "edges")
    if len(rows) > EDGES_MOST:
        raise RecordError(f"a cycle has {len(rows)} edges; allowed are {EDGES_MOST}")
    if len(rows) and (rows["channel"].max() >= len(CHANNEL_CODES) or rows["level"].max() > 1):
        raise RecordError("the edges name a channel or a level that does not exist")
    _check_times(rows["t_ns"], "edges")
    return tuple(
        Edge(number, t_ns, CHANNEL_CODES[channel], level)
        for number, t_ns, channel, level in rows.tolist()
    )


def pack_light(blocks: Sequence[LightBlock]) -> bytes:
    """Return blocks column by column, compressed; numbers and times as differences."""
    if not blocks:
        return b""
    columns = LightColumns.of(blocks).columns
    number, t_ns, *counts = [
        np.asarray(column).astype(LIGHT[name])
        for name, column in zip(LIGHT.names or (), columns, strict=True)
    ]
    parts = [
        np.diff(number, prepend=number.dtype.type(0)),
        np.diff(t_ns, prepend=t_ns.dtype.type(0)),
        *counts,
    ]
    return zlib.compress(b"".join([part.tobytes() for part in parts]), LIGHT_LEVEL)


def unpack_light(blob: bytes, took_ns: int | None = None) -> LightColumns:
    """Return the blocks of `pack_light`; arguments and errors as in `light_rows`."""
    rows = light_rows(blob, took_ns)
    return LightColumns.of_arrays(*(rows[name] for name in LIGHT.names or ()))


def light_rows(blob: bytes, took_ns: int | None = None) -> npt.NDArray[np.void]:
    """Return the blocks of `pack_light` as an array of LIGHT.

    Args:
        blob: the bytes.
        took_ns: how long their cycle took, which bounds how many there can be; None: unbounded.

    Raises:
        RecordError: the bytes are not such columns, or there are too many.
    """
    if not blob:
        return np.empty(0, dtype=LIGHT)
    most = MAX_UNPACKED_BYTES
    if took_ns is not None:
        blocks = took_ns * 11 // (10 * _BLOCK_NS) + _BLOCKS_MORE
        most = min(most, max(blocks, _BLOCKS_MORE) * LIGHT.itemsize)
    plain = inflate(blob, b"", "light", most)
    count, rest = divmod(len(plain), LIGHT.itemsize)
    if rest:
        raise RecordError("the light blocks end in the middle of one")
    rows = np.empty(count, dtype=LIGHT)
    place = 0
    for name, (kind, *_) in (LIGHT.fields or {}).items():
        rows[name] = np.frombuffer(plain, kind, count, place)
        place += count * kind.itemsize
    for name in ("number", "t_ns"):
        rows[name] = np.cumsum(rows[name], dtype=rows[name].dtype)
    _check_times(rows["t_ns"], "light blocks")
    return rows


def pack_exchanges(exchanges: Sequence[ClockExchange]) -> bytes:
    """Return clock exchanges as an array of EXCHANGE."""
    return b"".join(
        [
            _EXCHANGE_BYTES(e.host_tx_ns, e.board_rx_ns, e.board_tx_ns, e.host_rx_ns)
            for e in exchanges
        ]
    )


def unpack_exchanges(blob: bytes) -> tuple[ClockExchange, ...]:
    """Return the exchanges of `pack_exchanges`.

    Raises:
        RecordError: the bytes are not such an array.
    """
    rows = _rows(blob, EXCHANGE, "clock exchanges")
    for name in EXCHANGE.names or ():
        _check_times(rows[name], "clock exchanges")
    return tuple(ClockExchange(*row) for row in rows.tolist())


def pack_levels(levels: Mapping[Channel, int]) -> int:
    """Return levels as one number: bit 2n+1 set = channel n has one, bit 2n = its level."""
    return sum((2 | level) << 2 * _CODE_OF[channel] for channel, level in levels.items())


def unpack_levels(packed: int) -> dict[Channel, int]:
    """Return the levels of `pack_levels`."""
    return {
        channel: packed >> 2 * code & 1
        for code, channel in enumerate(CHANNEL_CODES)
        if packed >> 2 * code & 2
    }


def pack_commands(commands: Sequence[Command]) -> str:
    """Return commands as JSON: [[name, host_ns, duration_ns, start_ns, end_ns], ...]."""
    return _dumps(
        [[c.name.value, c.host_ns, c.duration_ns, c.start_ns, c.end_ns] for c in commands]
    )


def unpack_commands(text: str) -> tuple[Command, ...]:
    """Return the commands of `pack_commands`.

    Raises:
        RecordError: the text is not such JSON.
    """
    try:
        return tuple(
            Command(CommandName(name), host_ns, duration_ns, start_ns, end_ns)
            for name, host_ns, duration_ns, start_ns, end_ns in _command_rows(text)
        )
    except (ValueError, TypeError) as error:
        raise RecordError(f"the commands of a cycle cannot be read ({error})") from error


def _command_rows(text: str) -> list[list[Any]]:
    rows: Any = _loads(text)
    for row in rows:
        if not all(value is None or type(value) is int for value in row[1:]):
            raise TypeError("a time of a command is no whole number")
    return cast("list[list[Any]]", rows)


def pack_onset(onset: LightOnset | None) -> str | None:
    """Return an onset as a JSON list, in the order of the fields of LightOnset."""
    if onset is None:
        return None
    values = list(dataclasses.astuple(onset))
    while values and values[-1] is None:
        values.pop()
    return _dumps(values)


def unpack_onset(text: str | None) -> LightOnset | None:
    """Return the onset of `pack_onset`; fields that a newer version adds are ignored.

    Raises:
        RecordError: the text is not such a list.
    """
    if text is None:
        return None
    values = _loads(text)
    if not isinstance(values, list):
        raise RecordError(f"a list of an onset's fields is expected, found {text[:80]!r}")
    names = (field.name for field in dataclasses.fields(LightOnset))
    return from_plain(LightOnset, dict(zip(names, values, strict=False)))


def pack_fact(fact: object) -> str:
    """Return any fact of the model as compact JSON."""
    return _dumps(to_plain(fact))


def unpack_fact(kind: type[_T], text: str) -> _T:
    """Return the fact of `pack_fact`.

    Raises:
        RecordError: the text is not JSON, or not of that kind.
    """
    return from_plain(kind, _loads(text))


def unpack_facts(kind: type[_T], text: str) -> tuple[_T, ...]:
    """Return a list of facts.

    Raises:
        RecordError: the text is not a JSON list of that kind.
    """
    if text == "[]":
        return ()
    items = _loads(text)
    if not isinstance(items, list):
        raise RecordError(f"a list of {kind.__name__} is expected, found {text[:80]!r}")
    return tuple(from_plain(kind, item) for item in items)


def unpack_mapping(text: str) -> dict[str, Plain]:
    """Return a JSON object.

    Raises:
        RecordError: the text is not one.
    """
    value = _loads(text)
    if not isinstance(value, dict):
        raise RecordError(f"a JSON object is expected, found {text[:80]!r}")
    return value


def records_json(records: Sequence[OsRecord]) -> bytes:
    """Return OS records with their original text as JSON, before compression."""
    return pack_fact(tuple(records)).encode()


def deflate(plain: bytes, dictionary: bytes) -> bytes:
    """Compress, given what an earlier cycle looked like."""
    if not plain:
        return b""
    packer = zlib.compressobj(9, zdict=dictionary) if dictionary else zlib.compressobj(9)
    return packer.compress(plain) + packer.flush()


def unpack_records(blob: bytes, dictionary: bytes, budget: Budget) -> tuple[OsRecord, ...]:
    """Return the OS records of `records_json` and `deflate`.

    Args:
        blob: the bytes.
        dictionary: that they were packed with.
        budget: of the file that they are from.

    Raises:
        RecordError: the bytes are damaged, need another dictionary, or take more than they may.
    """
    if not blob:
        return ()
    try:
        text = budget.unpack(blob, dictionary).decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"the OS records of a cycle are not text ({error})") from error
    records = unpack_facts(OsRecord, text)
    for record in records:
        if not 0 <= record.source < _SOURCES_MOST:
            raise RecordError(
                f"an OS record is of source {record.source}; allowed are 0 to {_SOURCES_MOST - 1}"
            )
    return records


def inflate(blob: bytes, dictionary: bytes, what: str, most: int = MAX_UNPACKED_BYTES) -> bytes:
    """Return what was packed; RecordError where that is damaged, or more than `most` bytes."""
    unpacker = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
    try:
        plain = unpacker.decompress(blob, most)
    except (zlib.error, TypeError) as error:  # SQLite takes a number in a column of bytes
        raise RecordError(f"the {what} of a cycle cannot be unpacked ({error})") from error
    if not unpacker.eof:
        raise RecordError(f"the {what} of a cycle are cut short, or over {most} bytes")
    return plain


def _check_times(times_ns: npt.NDArray[Any], what: str) -> None:
    """Refuse what is no time.

    Raises:
        RecordError: one is more than 73 years away from nought.
    """
    if len(times_ns) and not -MOST_NS <= int(times_ns.min()) <= int(times_ns.max()) <= MOST_NS:
        raise RecordError(f"a stamp of the {what} of a cycle is no time")


def _rows(blob: bytes, kind: np.dtype[np.void], what: str) -> npt.NDArray[np.void]:
    if len(blob) % kind.itemsize:
        raise RecordError(f"the {what} of a cycle end in the middle of one")
    return np.frombuffer(blob, dtype=kind)


def _dumps(value: Plain | Sequence[object]) -> str:
    return _JSON.encode(value)


def _loads(text: str) -> Plain:
    if len(text) > _VALUES_MOST and _values_in(text) > _VALUES_MOST:
        raise RecordError(f"a part of the store has more than {_VALUES_MOST} values")
    try:
        return cast(Plain, _DECODER.decode(text))
    except ValueError as error:
        raise RecordError(f"a part of the store is not JSON ({error})") from error
    except RecursionError as error:
        raise RecordError("a part of the store is JSON that is nested without end") from error


def _values_in(text: str | bytes) -> int:
    """Return how many values JSON has at most, without reading it."""
    if isinstance(text, bytes):
        return text.count(b",") + text.count(b"[") + text.count(b"{")
    return text.count(",") + text.count("[") + text.count("{")


def _whole(digits: str) -> int:
    value = int(digits)
    if len(digits) > _DIGITS_MOST and abs(value) > _OS_MOST:
        raise ValueError("a number has more than 72 bits")
    return value


_DECODER = json.JSONDecoder(parse_int=_whole)
