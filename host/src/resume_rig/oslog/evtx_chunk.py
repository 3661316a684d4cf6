"""The records of EVTX chunks: which may matter, and a chunk cut down to these.

The full parser renders every record, and rendering is what costs. Of most records the event id
and the provider, which are plain, already tell that they do not matter. `RecordFinder` leaves
out a record only if it is framed as the event log service frames it, its template has a shape
that can be judged (see evtx_template), and the provider and event id that full parsing would
find have no part in a cycle. Any other record is wanted. A chunk that is not one row of records
from its beginning to its end is left to the full parser as it is.

Chunks are judged many at a time, on arrays: `places` are int64 [n], in bytes from the first
chunk's beginning.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from resume_rig.oslog.event import RELEVANT_EVENT_IDS, ROLES, Provider, provider_of
from resume_rig.oslog.evtx_audit import CHUNK_BYTES, EvtxChunk
from resume_rig.oslog.evtx_binxml import FRAGMENT, STRING_TYPE
from resume_rig.oslog.evtx_template import (
    DEFINITION,
    EVENT_ID_INDEX,
    GUID_TYPE,
    UINT16_TYPE,
    TemplateShape,
    read_shape,
)
from resume_rig.oslog.evtx_template_cache import TemplateCache

RECORDS_START: Final = 512
_MAGIC: Final = 0x2A2A  # a record begins at a multiple of 8 bytes
_FRAGMENT: Final = int.from_bytes(FRAGMENT, "little")
_TEMPLATE_TOKEN: Final = 0x0C
_TEMPLATE_AT: Final = 34  # from the record's beginning: where its template is within the chunk
_HEADER_BYTES: Final = 38  # up to the values, or to the template where it is used first
_COUNT_BYTES: Final = 4  # the number of values, before their sizes and types
_SIZE: Final = struct.Struct("<I")
_SIZE_AND_TYPE: Final = struct.Struct("<HBx")
_COUNT_LIMIT: Final = 256  # a record with more values is left to the full parser
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
        providers: of those wanted records whose provider and event id are beyond doubt, by id.
    """

    present: int
    refused: int
    places: dict[int, int] = field(default_factory=dict)
    providers: dict[int, Provider] = field(default_factory=dict)


class RecordFinder:
    """Finds the records of chunks that may matter; remembers the templates that it judged."""

    def __init__(self) -> None:
        self._shapes: TemplateCache[TemplateShape] = TemplateCache(read_shape, whole=False)

    def wanted_records(
        self, chunks: Sequence[tuple[EvtxChunk, bytes]]
    ) -> list[WantedRecords | None]:
        """Return the records that may matter, chunk by chunk; None for one that is no plain row.

        Args:
            chunks: sound ones, with their 64 KiB.
        """
        block = _Block(chunks)
        wanted = [WantedRecords(*counts) for counts in block.attendance()]
        for place, provider in block.candidates(self._shapes):
            found = wanted[place // CHUNK_BYTES]
            record_id = int(block.ids[place // 8])
            found.places[record_id] = place % CHUNK_BYTES
            found.providers.pop(record_id, None)
            if provider is not None:
                found.providers[record_id] = provider
        return [found if sound else None for found, sound in zip(wanted, block.plain, strict=True)]


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
        begin = np.arange(len(self._chunks)) * CHUNK_BYTES
        stop = begin + np.array([chunk.used for chunk, _ in self._chunks], dtype=np.int64)
        begin += RECORDS_START
        all_places = np.flatnonzero(self._words[::2] == _MAGIC) * 8
        all_ends = all_places + self._words[all_places // 4 + 1]
        followed = np.zeros(self._bytes.size // 8 + 1, dtype=bool)
        followed[all_ends[(all_ends % 8 == 0) & (all_ends <= self._bytes.size)] // 8] = True
        followed[begin // 8] = True
        first = followed[all_places // 8]
        places, ends = all_places[first], all_ends[first]
        chained, plain = _chained(places, ends, begin, stop)
        odd: list[int] = []
        for index in np.flatnonzero(~chained).tolist():  # a false magic that looks like a true one
            own = all_places // CHUNK_BYTES == index
            end_of = dict(zip(all_places[own].tolist(), all_ends[own].tolist(), strict=True))
            row = _follow(end_of, int(begin[index]), int(stop[index]))
            plain[index] = bool(row)
            odd += row
        kept = chained[places // CHUNK_BYTES] | np.isin(places, odd)
        kept &= plain[places // CHUNK_BYTES] & (places < stop[places // CHUNK_BYTES])
        return places[kept], ends[kept], plain

    def attendance(self) -> list[tuple[int, int]]:
        """Return how many records each chunk holds that its header promises, and others."""
        low = np.array([chunk.first_id for chunk, _ in self._chunks], dtype=np.uint64)
        high = np.array([chunk.last_id for chunk, _ in self._chunks], dtype=np.uint64)
        ids = self.ids[self._places // 8]
        promised = (low[self._index] <= ids) & (ids <= high[self._index])
        present = np.bincount(self._index[promised], minlength=len(self._chunks))
        refused = np.bincount(self._index[~promised], minlength=len(self._chunks))
        return list(zip(present.tolist(), refused.tolist(), strict=True))

    def candidates(
        self, shapes: TemplateCache[TemplateShape]
    ) -> Iterator[tuple[int, Provider | None]]:
        """Yield the places of the records of plain chunks that may matter, in their order.

        With each comes its provider, None where provider or event id are in doubt.
        """
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
        keys, which = np.unique(index << 32 | template, return_inverse=True)
        judges = [
            _TemplateJudge(self._chunks[key >> 32][1], key & 0xFFFF_FFFF, shapes)
            for key in keys.tolist()
        ]
        certain = ~framed | np.array([judge.always for judge in judges], dtype=bool)[which]
        maybe = (doubtful | _RELEVANT_IDS[event_ids]) & ~certain
        maybe &= ~np.array([judge.never for judge in judges], dtype=bool)[which]
        for at in np.flatnonzero(certain | maybe).tolist():
            if certain[at] or doubtful[at]:
                yield int(places[at]), None
                continue
            base = int(index[at]) * CHUNK_BYTES
            judge = judges[which[at]]
            sure, provider = judge.provider(int(starts[at]) - base, int(ends[at]) - base)
            if not sure:
                yield int(places[at]), None
            elif provider is not None and (provider, int(event_ids[at])) in ROLES:
                yield int(places[at]), provider

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


def _chained(
    places: _Places, ends: _Places, begin: _Places, stop: _Places
) -> tuple[_Flags, _Flags]:
    """Return which chunks hold one row of records, and which hold any.

    Args:
        places: where what may be the records begins.
        ends: where it ends.
        begin: where the records of each chunk must begin.
        stop: where they must end.
    """
    index = places // CHUNK_BYTES
    inside = (places >= begin[index]) & (places < stop[index])
    places, ends, index = places[inside], ends[inside], index[inside]
    new = np.append(True, index[1:] != index[:-1])[: index.size]
    last = np.append(new[1:], True)[: index.size]
    following = np.where(last, stop[index], np.append(places[1:], 0)[: index.size])
    sound = (ends == following) & (ends >= places + _HEADER_BYTES)
    sound &= ~new | (places == begin[index])
    chained = np.bincount(index[~sound], minlength=begin.size) == 0
    return chained, np.bincount(index, minlength=begin.size) > 0


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

    def __init__(self, chunk: bytes, template: int, shapes: TemplateCache[TemplateShape]) -> None:
        self._chunk = chunk
        self._shape = shape = shapes.find(chunk, template)
        self.always = shape is None
        self.never = shape is not None and shape.provider is None and not shape.by_value

    def provider(self, start: int, end: int) -> tuple[bool, Provider | None]:
        """Return whether a record's provider is beyond doubt, and the provider if it matters.

        Args:
            start: where the record's values begin within the chunk.
            end: where the record ends.
        """
        shape = self._shape
        if shape is None:
            return False, None
        if not shape.by_value:
            return True, shape.provider
        (count,) = _SIZE.unpack_from(self._chunk, start)
        begin = start + _COUNT_BYTES + 4 * count
        if count > _COUNT_LIMIT or begin > end:
            return False, None
        table = self._chunk[start + _COUNT_BYTES : begin]
        name_span = _span_of(table, shape.name_index, STRING_TYPE)
        guid_span = _span_of(table, shape.guid_index, GUID_TYPE)
        if name_span is None or guid_span is None:
            return False, None
        name = self._chunk[begin + name_span[0] : begin + name_span[1]]
        guid = self._chunk[begin + guid_span[0] : begin + guid_span[1]]
        if begin + max(name_span[1], guid_span[1]) > end or len(guid) not in (0, 16):
            return False, None
        return True, _provider_of_values(guid, name)


@lru_cache(maxsize=512)
def _span_of(table: bytes, index: int | None, expected_type: int) -> tuple[int, int] | None:
    """Return where a value begins and ends behind the table of sizes and types.

    Returns:
        An empty span where the record leaves it out; None where it is in doubt.
    """
    heads = list(_SIZE_AND_TYPE.iter_unpack(table))
    if index is None:
        return 0, 0
    if index >= len(heads):
        return None
    size, value_type = heads[index]
    if value_type == _NULL_TYPE:
        return 0, 0
    begin = sum(size for size, _ in heads[:index])
    return (begin, begin + size) if value_type == expected_type else None


@lru_cache(maxsize=64)
def _provider_of_values(guid: bytes, name: bytes) -> Provider | None:
    text = name.decode("utf-16-le", errors="replace").rstrip("\0")
    return provider_of(str(UUID(bytes_le=guid)) if guid else "", text)
