"""Cycles as the store's bytes: packed little-endian arrays and compact JSON.

docs/reference/store.md is the reference of these forms.
"""

import dataclasses
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from resume_rig.campaign.plain import Plain, from_plain, to_plain
from resume_rig.campaign.raw import Command, CommandName
from resume_rig.model.channel import Channel
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.errors import RecordError
from resume_rig.model.light import LightOnset
from resume_rig.model.light_columns import LightColumns
from resume_rig.model.os_record import OsRecord

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
# A cycle's light is at most some minutes, its records some kilobytes.
MAX_UNPACKED_BYTES = 100_000_000

_T = TypeVar("_T")


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
    if len(rows) and (rows["channel"].max() >= len(CHANNEL_CODES) or rows["level"].max() > 1):
        raise RecordError("the edges name a channel or a level that does not exist")
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


def unpack_light(blob: bytes) -> LightColumns:
    """Return the blocks of `pack_light`.

    Raises:
        RecordError: the bytes are not such columns.
    """
    rows = light_rows(blob)
    return LightColumns(*(rows[name].tolist() for name in LIGHT.names or ()))


def light_rows(blob: bytes) -> npt.NDArray[np.void]:
    """Return the blocks of `pack_light` as an array of LIGHT.

    Raises:
        RecordError: the bytes are not such columns.
    """
    if not blob:
        return np.empty(0, dtype=LIGHT)
    plain = _inflate(blob, b"", "light")
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
    return tuple(ClockExchange(*row) for row in _rows(blob, EXCHANGE, "clock exchanges").tolist())


def pack_levels(levels: Mapping[Channel, int]) -> int:
    """Return levels as one number: bit 2n+1 set = channel n is known, bit 2n = its level."""
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
            for name, host_ns, duration_ns, start_ns, end_ns in json.loads(text)
        )
    except (ValueError, TypeError) as error:
        raise RecordError(f"the commands of a cycle cannot be read ({error})") from error


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


def unpack_records(blob: bytes, dictionary: bytes) -> tuple[OsRecord, ...]:
    """Return the OS records of `records_json` and `deflate`.

    Raises:
        RecordError: the bytes are damaged, or need another dictionary.
    """
    if not blob:
        return ()
    try:
        text = _inflate(blob, dictionary, "OS records").decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"the OS records of a cycle are not text ({error})") from error
    return unpack_facts(OsRecord, text)


def _inflate(blob: bytes, dictionary: bytes, what: str) -> bytes:
    unpacker = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
    try:
        plain = unpacker.decompress(blob, MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise RecordError(f"the {what} of a cycle cannot be unpacked ({error})") from error
    if not unpacker.eof:
        raise RecordError(
            f"the {what} of a cycle are cut short, or over {MAX_UNPACKED_BYTES} bytes"
        )
    return plain


def _rows(blob: bytes, kind: np.dtype[np.void], what: str) -> npt.NDArray[np.void]:
    if len(blob) % kind.itemsize:
        raise RecordError(f"the {what} of a cycle end in the middle of one")
    return np.frombuffer(blob, dtype=kind)


def _dumps(value: Plain | Sequence[object]) -> str:
    return _JSON.encode(value)


def _loads(text: str) -> Plain:
    try:
        return cast(Plain, json.loads(text))
    except ValueError as error:
        raise RecordError(f"a part of the store is not JSON ({error})") from error
