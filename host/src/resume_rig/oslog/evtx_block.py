"""Chunks of an EVTX file one behind the other, judged as arrays: where their records are.

`places` are int64 [n], in bytes from the first chunk's beginning. A chunk that is not one row of
records from its beginning to its end is not `plain`, and its records are not among them.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.oslog.evtx_audit import CHUNK_BYTES, EvtxBlock
from resume_rig.oslog.evtx_binxml import FRAGMENT
from resume_rig.oslog.evtx_template import DEFINITION, EVENT_ID_INDEX, UINT16_TYPE

RECORDS_START: Final = 512

_CHUNK_BITS: Final = CHUNK_BYTES.bit_length() - 1
_MAGIC: Final = 0x2A2A  # a record begins at a multiple of 8 bytes
_FRAGMENT: Final = int.from_bytes(FRAGMENT, "little")
_FRAGMENT_AT: Final = 24  # from the record's beginning; behind it the token of its template
_TEMPLATE_TOKEN: Final = 0x0C
_TEMPLATE_AT: Final = 34  # where its template is within the chunk
_HEADER_BYTES: Final = 38  # up to the values, or to the template where it is used first
_ENTRY_BYTES: Final = 4  # of the number of values, and of size and type of each
_UINT16_ENTRY: Final = UINT16_TYPE << 16 | 2  # type and size

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


class RecordBlock:
    """The records of the sound chunks of a block.

    Attributes:
        plain: bool [slots], whether each holds a sound chunk that is one row of records.
        places, ends: where each record of a plain chunk begins and ends.
        index: of the slot that each record stands in.
        ids: uint64 [records], their numbers.
    """

    def __init__(self, block: EvtxBlock) -> None:
        """Find the records."""
        self._block = block
        self._bytes = np.frombuffer(block.content, dtype=np.uint8)
        self._words = self._bytes.view("<u4")
        # A number may begin at any byte, so these overlap.
        self._numbers: NDArray[np.uint32] = np.ndarray(
            (self._bytes.size - 3,), "<u4", block.content, strides=(1,)
        )
        self.places, self.ends, self.plain = self._find_records()
        self.index = self.places >> _CHUNK_BITS
        self.ids = self._bytes.view("<u8")[(self.places >> 3) + 1]

    def attendance(self) -> list[tuple[int, int]]:
        """Return how many records each chunk holds that its header promises, and others."""
        chunks = self._block.chunks
        low = np.array([chunk.first_id or 0 if chunk else 0 for chunk in chunks], dtype=np.uint64)
        high = np.array([chunk.last_id or 0 if chunk else 0 for chunk in chunks], dtype=np.uint64)
        promised = (low[self.index] <= self.ids) & (self.ids <= high[self.index])
        held = np.bincount(self.index, minlength=len(chunks))
        present = np.bincount(self.index[promised], minlength=len(chunks))
        return list(zip(present.tolist(), (held - present).tolist(), strict=True))

    def templates(self) -> tuple[Flags, Places]:
        """Return which records begin as they should, and where each one's template is defined.

        The definition is in bytes from the beginning of the record's chunk.
        """
        framed = self._words[(self.places + _FRAGMENT_AT) >> 2] == _FRAGMENT
        framed &= self._bytes[self.places + _FRAGMENT_AT + len(FRAGMENT)] == _TEMPLATE_TOKEN
        return framed, self.numbers(self.places + _TEMPLATE_AT, 1)[0]

    def values_at(self, records: Places, definitions: Places) -> Places:
        """Return where the values of some records begin, whose templates are defined there."""
        starts = self.places[records] + _HEADER_BYTES
        inline = np.flatnonzero((self.index[records] << _CHUNK_BITS) + definitions == starts)
        size_at = starts[inline] + DEFINITION.size - 4
        starts[inline] += DEFINITION.size + self.numbers(size_at, 1)[0]
        return starts

    def event_ids(self, records: Places, starts: Places) -> tuple[Places, Flags]:
        """Return the event ids of some records, and where they are in doubt.

        Args:
            records: int64 [n], which ones.
            starts: int64 [n], where their values begin.
        """
        ends = self.ends[records]
        count, *entries = self.numbers(starts, EVENT_ID_INDEX + 2)
        at = starts + _ENTRY_BYTES * (1 + count)
        for entry in entries[:EVENT_ID_INDEX]:
            at += entry & 0xFFFF
        doubtful = (entries[EVENT_ID_INDEX] & 0xFF_FFFF) != _UINT16_ENTRY
        doubtful |= (count <= EVENT_ID_INDEX) | (at + 4 > ends)
        doubtful |= starts + _ENTRY_BYTES * (EVENT_ID_INDEX + 2) > ends
        (event_ids,) = self.numbers(at, 1)
        return event_ids & 0xFFFF, doubtful

    def values(self, starts: Places, count: int) -> tuple[Places, Places, Places]:
        """Return size and type of the first values of some records, and where they begin and end.

        Args:
            starts: int64 [n], where their values begin.
            count: how many to tell of.

        Returns:
            int64 [count, n] each; first the type << 16 | size.
        """
        held, *entries = self.numbers(starts, 1 + count)
        kinds = np.stack(entries) & 0xFF_FFFF
        sizes = kinds & 0xFFFF
        ends = sizes.cumsum(axis=0) + (starts + _ENTRY_BYTES * (1 + held))
        return kinds, ends - sizes, ends

    def numbers(self, at: Places, count: int) -> Places:
        """Return the `count` uint32 at each place, as int64 [count, n].

        Beyond the block's end it is any number.
        """
        places = _ENTRY_BYTES * np.arange(count)[:, np.newaxis] + at
        found: Places = self._numbers[np.minimum(places, self._numbers.size - 1)].astype(np.int64)
        return found

    def _find_records(self) -> tuple[Places, Places, Flags]:
        """Return where the records of plain chunks begin and end, and which chunks are plain.

        The magic may stand within a record too: only one that follows on the end of a record
        begins the next.
        """
        begin = np.arange(len(self._block.chunks)) << _CHUNK_BITS
        used = [
            chunk.used if chunk is not None and self._block.sound(slot) else 0
            for slot, chunk in enumerate(self._block.chunks)
        ]
        stop = begin + used
        begin += RECORDS_START
        all_places = np.flatnonzero(self._words[::2] == _MAGIC) << 3
        all_ends = all_places + self._words[(all_places >> 2) + 1]
        followed = np.zeros((self._bytes.size >> 3) + 1, dtype=np.bool_)
        followed[all_ends[(all_ends & 7 == 0) & (all_ends <= self._bytes.size)] >> 3] = True
        followed[begin >> 3] = True
        first = followed[all_places >> 3]
        places, ends = all_places[first], all_ends[first]
        inside = places < stop[places >> _CHUNK_BITS]
        places, ends = places[inside], ends[inside]
        plain = _plain(places, ends, begin, stop)
        kept = plain[places >> _CHUNK_BITS]
        for index in np.flatnonzero(~plain & (stop > begin)).tolist():
            # A false magic may look like a true one, too.
            own = all_places >> _CHUNK_BITS == index
            end_of = dict(zip(all_places[own].tolist(), all_ends[own].tolist(), strict=True))
            row = _follow(end_of, int(begin[index]), int(stop[index]))
            plain[index] = bool(row)
            kept |= np.isin(places, row)
        return places[kept], ends[kept], plain


def _plain(places: Places, ends: Places, begin: Places, stop: Places) -> Flags:
    """Return which chunks hold one row of records.

    Args:
        places: where what may be the records begins, none beyond its chunk's `stop`.
        ends: where it ends.
        begin: where the records of each chunk must begin.
        stop: where they must end.
    """
    count = np.bincount(places >> _CHUNK_BITS, minlength=begin.size)
    plain = count > 0
    last = np.cumsum(count)[plain] - 1
    first = last - count[plain] + 1
    following = np.empty_like(places)
    following[:-1] = places[1:]
    following[last] = stop[plain]
    sound = (ends == following) & (ends >= places + _HEADER_BYTES)
    sound[first] &= places[first] == begin[plain]
    plain[places[~sound] >> _CHUNK_BITS] = False
    return plain


def _follow(end_of: Mapping[int, int], place: int, stop: int) -> list[int]:
    """Return the places of the records from `place` to `stop`; none where they are no row."""
    row: list[int] = []
    while place < stop:
        end = end_of.get(place, 0)
        if end < place + _HEADER_BYTES:
            return []
        row.append(place)
        place = end
    return row if place == stop else []
