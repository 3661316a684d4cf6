"""The records of EVTX chunks: which may matter, and a chunk cut down to these.

The full parser renders every record, and rendering is what costs. Of most records the event id
and the provider, which are plain, already tell that they do not matter. `wanted_records` leaves
out a record only if it is framed as the event log service frames it, its template has a shape
that can be judged (see evtx_template), and the provider and event id that full parsing would
find have no part in a cycle. Any other record is wanted. A chunk that is not one row of records
from its beginning to its end is left to the full parser as it is.

Chunks are judged many at a time, on arrays: `places` are int64 [n], in bytes from the first
chunk's beginning.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from resume_rig.oslog.event import RELEVANT_EVENT_IDS, ROLES, Provider, provider_of
from resume_rig.oslog.evtx_audit import CHUNK_BYTES, EvtxChunk
from resume_rig.oslog.evtx_template import (
    DEFINITION,
    EVENT_ID_INDEX,
    FRAGMENT,
    GUID_TYPE,
    STRING_TYPE,
    UINT16_TYPE,
    TemplateShape,
    shape_of,
)

RECORDS_START: Final = 512
_MAGIC: Final = 0x2A2A  # a record begins at a multiple of 8 bytes
_FRAGMENT: Final = int.from_bytes(FRAGMENT, "little")
_TEMPLATE_TOKEN: Final = 0x0C
_TEMPLATE_AT: Final = 34  # from the record's beginning: where its template is within the chunk
_HEADER_BYTES: Final = 38  # up to the values, or to the template where it is used first
_COUNT_BYTES: Final = 4  # the number of values, before their sizes and types
_SIZE: Final = struct.Struct("<I")
_NULL_TYPE: Final = 0x00
_RELEVANT_IDS: Final = np.isin(np.arange(1 << 16), sorted(RELEVANT_EVENT_IDS))

_Places = NDArray[np.int64]
_Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class WantedRecords:
    """What was found in a chunk.

    Attributes:
        present: how many records it holds that its header promises.
        refused: how many others.
        places: where each wanted record begins, by its id.
    """

    present: int
    refused: int
    places: dict[int, int]


def wanted_records(
    chunks: Sequence[tuple[EvtxChunk, bytes]],
) -> list[WantedRecords | None]:
    """Return the records that may matter, chunk by chunk; None for one that is no plain row.

    Args:
        chunks: sound ones, with their 64 KiB.
    """
    block = _Block(chunks)
    wanted: list[dict[int, int]] = [{} for _ in chunks]
    for place in block.candidates():
        index = place // CHUNK_BYTES
        record_id = int(block.ids[place // 8])
        wanted[index][record_id] = place % CHUNK_BYTES
    present, refused = block.attendance()
    return [
        WantedRecords(int(present[index]), int(refused[index]), wanted[index]) if sound else None
        for index, sound in enumerate(block.plain)
    ]


def cut_down(chunk: bytes, used: int, places: Sequence[int]) -> bytearray:
    """Return the chunk with the records at `places` alone, and the first one.

    Each record is made so long that it covers those behind it that are left out: the parser goes
    by the length, and reads of a record only what its own content needs. Nothing moves, because
    templates and names are found by their place.
    """
    cut = bytearray(chunk)
    kept = places if places[0] == RECORDS_START else (RECORDS_START, *places)
    for place, following in zip(kept, (*kept[1:], used), strict=True):
        _SIZE.pack_into(cut, place + 4, following - place)
        _SIZE.pack_into(cut, following - 4, following - place)
    return cut


class _Block:
    """Chunks one behind the other.

    Attributes:
        ids: uint64 [bytes / 8], where a record's number stands one behind its magic.
        plain: bool [chunks], whether each is one row of records.
    """

    def __init__(self, chunks: Sequence[tuple[EvtxChunk, bytes]]) -> None:
        self._chunks = chunks
        self._bytes = np.frombuffer(b"".join(data for _, data in chunks), dtype=np.uint8)
        self._words = self._bytes.view("<u4")
        self.ids = self._bytes.view("<u8")[1:]
        self._places, self._ends, self.plain = self._find_records()
        self._index = self._places // CHUNK_BYTES

    def _find_records(self) -> tuple[_Places, _Places, _Flags]:
        """Return where the records of plain chunks begin and end, and which chunks are plain.

        The magic may stand within a record too: only one that follows on the end of a record
        begins the next.
        """
        places = np.flatnonzero(self._words[::2] == _MAGIC) * 8
        sizes = self._words[places // 4 + 1].astype(np.int64)
        end_of = dict(zip(places.tolist(), (places + sizes).tolist(), strict=True))
        rows: list[list[int]] = []
        plain = np.zeros(len(self._chunks), dtype=bool)
        for index, (chunk, _) in enumerate(self._chunks):
            begin = index * CHUNK_BYTES
            row = _follow(end_of, begin + RECORDS_START, begin + chunk.used)
            plain[index] = bool(row)
            rows.append(row)
        flat = np.array([place for row in rows for place in row], dtype=np.int64)
        ends = np.array([end_of[place] for place in flat.tolist()], dtype=np.int64)
        return flat, ends, plain

    def attendance(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many records each chunk holds that its header promises, and others."""
        low = np.array([chunk.first_id for chunk, _ in self._chunks], dtype=np.uint64)
        high = np.array([chunk.last_id for chunk, _ in self._chunks], dtype=np.uint64)
        ids = self.ids[self._places // 8]
        promised = (low[self._index] <= ids) & (ids <= high[self._index])
        present = np.bincount(self._index[promised], minlength=len(self._chunks))
        return present, np.bincount(self._index, minlength=len(self._chunks)) - present

    def candidates(self) -> list[int]:
        """Return the places of the records of plain chunks that may matter."""
        places, ends, index = self._places, self._ends, self._index
        framed = self._words[places // 4 + 6] == _FRAGMENT
        framed &= self._bytes[places + 28] == _TEMPLATE_TOKEN
        template = self._uint(places + _TEMPLATE_AT, 4)
        starts = places + _HEADER_BYTES
        inline = index * CHUNK_BYTES + template == starts
        starts = starts + np.where(
            inline, DEFINITION.size + self._uint(starts + DEFINITION.size - 4, 4), 0
        )
        event_ids, doubtful = self._event_ids(starts, ends)
        maybe = doubtful | _RELEVANT_IDS[event_ids]
        keys, which = np.unique(index << 32 | template, return_inverse=True)
        judges = [
            _TemplateJudge(self._chunks[key >> 32][1], key & 0xFFFF_FFFF) for key in keys.tolist()
        ]
        wanted: _Flags = ~framed | np.array([judge.always for judge in judges], dtype=bool)[which]
        maybe &= ~wanted & ~np.array([judge.never for judge in judges], dtype=bool)[which]
        for at in np.flatnonzero(maybe).tolist():
            base = int(index[at]) * CHUNK_BYTES
            span = int(starts[at]) - base, int(ends[at]) - base
            judge = judges[which[at]]
            wanted[at] = doubtful[at] or judge.matters(*span, int(event_ids[at]))
        found: list[int] = places[wanted].tolist()
        return found

    def _event_ids(self, starts: _Places, ends: _Places) -> tuple[_Places, _Flags]:
        """Return the event id of each record, and where it is in doubt."""
        count = self._uint(starts, 4)
        sizes = sum(
            (self._uint(starts + _COUNT_BYTES + 4 * index, 2) for index in range(EVENT_ID_INDEX)),
            np.zeros_like(starts),
        )
        own = starts + _COUNT_BYTES + 4 * EVENT_ID_INDEX
        at = starts + _COUNT_BYTES + 4 * count + sizes
        doubtful = (count <= EVENT_ID_INDEX) | (at + 2 > ends) | (own + 4 > ends)
        doubtful |= (self._uint(own, 2) != 2) | (self._uint(own + 2, 1) != UINT16_TYPE)
        return self._uint(at, 2), doubtful

    def _uint(self, at: _Places, size: int) -> _Places:
        """Return the numbers of `size` bytes at these places; what is outside counts as 0."""
        inside = (at >= 0) & (at + size <= self._bytes.size)
        at = np.where(inside, at, 0)
        found = np.zeros_like(at)
        for index in range(size):
            found |= self._bytes[at + index].astype(np.int64) << 8 * index
        return np.where(inside, found, 0)


def _follow(end_of: Mapping[int, int], place: int, used: int) -> list[int]:
    """Return the places of the records from `place` to `used`; none where they are no row."""
    row: list[int] = []
    while place < used:
        end = end_of.get(place, 0)
        if end < place + _HEADER_BYTES:
            return []
        row.append(place)
        place = end
    return row if place == used else []


class _TemplateJudge:
    """Judges the records of one template.

    Attributes:
        never: none of them matters.
        always: the template cannot be judged, so each may matter.
    """

    def __init__(self, chunk: bytes, template: int) -> None:
        self._chunk = chunk
        self._shape: TemplateShape | None = shape_of(chunk, template)
        shape = self._shape
        self.always = shape is None
        self.never = shape is not None and shape.provider is None and not shape.by_value

    def matters(self, start: int, end: int, event_id: int) -> bool:
        """Whether provider and event id matter together; True where the provider is in doubt.

        Args:
            start: where the record's values begin within the chunk.
            end: where the record ends.
            event_id: of the record.
        """
        shape = self._shape
        if shape is None:
            return True
        if not shape.by_value:
            return (shape.provider, event_id) in ROLES
        name = self._value(start, end, shape.name_index, STRING_TYPE)
        guid = self._value(start, end, shape.guid_index, GUID_TYPE)
        if name is None or guid is None or len(guid) not in (0, 16):
            return True
        return (_provider_of_values(guid, name), event_id) in ROLES

    def _value(self, start: int, end: int, index: int | None, expected_type: int) -> bytes | None:
        """Return one value, empty where the record leaves it out; None where it is in doubt."""
        if index is None:
            return b""
        (count,) = _SIZE.unpack_from(self._chunk, start)
        place = start + _COUNT_BYTES + 4 * count
        if index >= count or place > end:
            return None
        head = _sizes_and_types(index + 1).unpack_from(self._chunk, start + _COUNT_BYTES)
        place += sum(head[:-2:2])
        size, value_type = head[-2:]
        if value_type == _NULL_TYPE:
            return b""
        if value_type != expected_type or place + size > end:
            return None
        return self._chunk[place : place + size]


@lru_cache(maxsize=64)
def _sizes_and_types(count: int) -> struct.Struct:
    return struct.Struct("<" + "HBx" * count)


@lru_cache(maxsize=64)
def _provider_of_values(guid: bytes, name: bytes) -> Provider | None:
    text = name.decode("utf-16-le", errors="replace").rstrip("\0")
    return provider_of(str(UUID(bytes_le=guid)) if guid else "", text)
