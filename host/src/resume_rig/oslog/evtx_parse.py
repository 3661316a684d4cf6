"""Chunks with records that may matter: read directly, or handed to the `evtx` library.

Records of the usual shape are read by `RecordReader`. A chunk with another one that may matter
goes to the library, which renders everything there is, a few chunks at a time.

The library takes a whole file and trusts its header, so it is given one that is made here: a
header that is true, and behind it only chunks that are sound and worth it. That keeps memory
small, and a file whose own header is destroyed can be read as well.
"""

import io
import logging
import struct
import warnings
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from resume_rig.oslog.event import Event
from resume_rig.oslog.evtx_attendance import Attendance
from resume_rig.oslog.evtx_audit import FILE_HEADER_BYTES, FILE_MAGIC, EvtxBlock, EvtxChunk
from resume_rig.oslog.evtx_chunk import RecordFinder, WantedRecords, cut_down
from resume_rig.oslog.evtx_record import RecordReader

# magic, first and last chunk, next record id, header size, version 3.1, block size, chunks
_HEADER: Final = struct.Struct("<8sQQQIHHHH")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    """One record as the library renders it.

    Attributes:
        text: its XML.
        written: the time of its header, as text.
        asked_for: whether the record itself was, and not its whole chunk.
    """

    text: str
    written: str
    asked_for: bool


@dataclass(slots=True)
class _Waiting:
    """A chunk to be parsed.

    Attributes:
        wanted: the ids to render; None where each of its records must be.
        seen: those that were rendered.
        events: of the wanted records that need no rendering; then no other is wanted.
    """

    chunk: EvtxChunk
    data: bytes | bytearray
    wanted: Collection[int] | None
    seen: set[int] = field(default_factory=set)
    events: Sequence[Event] = ()

    def takes(self, record_id: int) -> bool:
        """Whether the record is asked for and stands in this chunk; asked for once."""
        if record_id in self.seen:
            return False
        if self.wanted is None:
            return self.chunk.holds(record_id)
        return record_id in self.wanted


class BlockReader:
    """Reads the sound chunks of blocks."""

    def __init__(self, *, keep_text: bool) -> None:
        """Begin a file; the text of a record that is to be kept must be rendered."""
        self._finder = RecordFinder()
        self._reader = None if keep_text else RecordReader()

    def read(self, block: EvtxBlock, attendance: Attendance) -> Iterator[ParsedRecord | Event]:
        """Yield the records that may matter, in the file's order.

        A record that may matter counts as present once it is parsed, any other at once.
        """
        found = self._finder.wanted_records(block)
        waiting: list[_Waiting] = []
        for slot, (chunk, wanted) in enumerate(zip(block.chunks, found, strict=True)):
            if chunk is None or not block.sound(slot):
                continue
            entry = self._prepare(chunk, block.data(slot), wanted, attendance)
            if entry is None:
                continue
            if entry.events:
                yield from _rendered(waiting, attendance)
                waiting.clear()
                yield from entry.events
            else:
                waiting.append(entry)
        yield from _rendered(waiting, attendance)

    def _prepare(
        self, chunk: EvtxChunk, data: bytes, found: WantedRecords | None, attendance: Attendance
    ) -> _Waiting | None:
        if found is None:
            return _Waiting(chunk, data, None)
        events = self._events(data, found)
        if events or not found.places:
            attendance.admit(chunk, found.present, found.refused)
            return _Waiting(chunk, data, (), events=events) if events else None
        attendance.admit(chunk, found.present - len(found.places), found.refused)
        places = tuple(found.places.values())
        return _Waiting(chunk, cut_down(data, chunk.used, places), found.places)

    def _events(self, data: bytes, found: WantedRecords) -> list[Event]:
        """Return the events of all wanted records of a chunk, or none where one needs rendering."""
        if self._reader is None or len(found.providers) < len(found.places):
            return []
        events = []
        for record_id, place in found.places.items():
            event = self._reader.read(data, place, found.providers[record_id])
            if event is None:
                return []
            events.append(event)
        return events


def _rendered(waiting: list[_Waiting], attendance: Attendance) -> Iterator[ParsedRecord]:
    """Yield the records of these chunks that the library renders, and count them."""
    place = 0
    for record in _records([entry.data for entry in waiting]):
        record_id = int(record["event_record_id"])
        owner = _owner(waiting, place, record_id)
        if owner is None:
            continue  # the first record of a chunk is parsed though nobody asks for it
        place = owner
        waiting[owner].seen.add(record_id)
        asked_for = waiting[owner].wanted is not None
        yield ParsedRecord(str(record["data"]), str(record["timestamp"]), asked_for)
    for entry in waiting:
        attendance.admit(entry.chunk, len(entry.seen), 0)


def _owner(waiting: list[_Waiting], place: int, record_id: int) -> int | None:
    """Return the chunk that a record stands in: records come in the order of the chunks."""
    if place < len(waiting) and waiting[place].takes(record_id):
        return place  # nearly always
    return next(
        (index for index in range(place, len(waiting)) if waiting[index].takes(record_id)), None
    )


def _records(chunks: Sequence[bytes | bytearray]) -> Iterator[Mapping[str, str | int]]:
    if not chunks:
        return
    from evtx import PyEvtxParser  # most logs need it for no record

    file = io.BytesIO(_file_header(len(chunks)) + b"".join(chunks))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what is missing is counted
        parser = PyEvtxParser(file, number_of_threads=1, skip_errors=True)
        try:
            yield from (record for record in parser.records() if record is not None)
        except (OSError, RuntimeError, ValueError) as error:
            logger.debug("the evtx library gave up a batch: %s", error)


def _file_header(chunks: int) -> bytes:
    head = _HEADER.pack(FILE_MAGIC, 0, chunks - 1, 0, 128, 1, 3, FILE_HEADER_BYTES, chunks)
    head = head.ljust(120, b"\0")
    return (head + struct.pack("<II", 0, zlib.crc32(head))).ljust(FILE_HEADER_BYTES, b"\0")
