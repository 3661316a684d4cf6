"""EVTX files: each chunk is audited, the records of sound ones are parsed, the rest is reported.

A parser leaves out what it cannot read, often without a word. So the file's own accounts are
checked first: every 64 KiB chunk names its first and last record and carries two checksums. The
`evtx` library trusts a file's header, so each sound chunk goes to it behind one that is made here:
memory stays small, and a file whose own header is destroyed can be read
(benchmarks/evtx_reading.py compares it with the library by itself).
"""

import io
import logging
import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from evtx import PyEvtxParser

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event.event import Event, is_relevant, parse_event
from resume_rig.oslog.event.log import TakeEvent, read_source
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.records import SourceReading, SourceRequest

logger = logging.getLogger(__name__)

KIND: Final = "evtx"
FILE_MAGIC: Final = b"ElfFile\0"
FILE_HEADER_BYTES: Final = 4096
CHUNK_BYTES: Final = 65536
CHUNK_MAGIC: Final = b"ElfChnk\0"

_CHUNK_HEADER_BYTES: Final = 512
_DIRTY: Final = 1
_NO_CHECKSUM: Final = 2
_NO_RECORDS: Final = (1 << 64) - 1
_MISSING_RANGES_LISTED: Final = 20  # a file of gaps alone must not fill the report
# magic, first and last chunk, next record id, header size, version 3.1, block size, chunks
_HEADER: Final = struct.Struct("<8sQQQIHHHH")
# id of the next record at 24; flags and header checksum at 120, over the first 120 bytes
_FILE: Final = struct.Struct("<24xQ88xII")
# first and last record number, first and last record id, then the end of the used space and the
# data checksum; flags and header checksum at 120, over bytes 0..119 and 128..511
_CHUNK: Final = struct.Struct("<8xQQQQ8xII64xII")
# where the chains of names (64) and of templates (32) begin; each link begins with the next one's
# place, and 0 ends a chain
_CHAINS: Final = struct.Struct("<128x96I")
_LINK: Final = struct.Struct("<I")
_RECORD: Final = struct.Struct("<IIQ")  # magic, size, record id
_RECORD_MAGIC: Final = 0x2A2A


def is_evtx(head: bytes) -> bool:
    """Whether a file that begins so is an EVTX file, even one whose header is destroyed."""
    chunk = head[FILE_HEADER_BYTES : FILE_HEADER_BYTES + len(CHUNK_MAGIC)]
    return head.startswith(FILE_MAGIC) or chunk == CHUNK_MAGIC


def read_evtx(request: SourceRequest) -> SourceReading:
    """Return the OS records of an EVTX file; damaged chunks are left out and reported.

    Raises:
        RecordError: nothing of the file can be read.
    """
    return read_source(request, KIND, _scan)


def _scan(request: SourceRequest, take: TakeEvent, tally: ProblemTally) -> int:
    def event_of(record: RenderedRecord) -> Event | None:
        if not is_relevant(record.element):
            return None
        try:
            return parse_event(
                record.element, tally, keep_text=request.keep_text, written=record.written
            )
        except RecordError:
            tally.count(Problem.MALFORMED)
            return None

    walk = EvtxWalk(request.path)
    attendance = Attendance()
    for chunk, content in walk:
        present: set[int] = set()
        for record in render(content):
            if record.record_id in present or not chunk.holds(record.record_id):
                continue
            present.add(record.record_id)
            event = event_of(record)
            if event is not None and event.role is not None:
                take(event)
        attendance.admit(chunk, len(present), chunk.denied(content))
    audit = walk.audit()
    if attendance.records == 0 and (audit.chunks or audit.slots == 0):
        raise RecordError(
            f"could not read {request.path}: found an EVTX file with 0 intact of"
            f" {len(audit.chunks)} used chunks, allowed is one with at least 1"
        )
    audit.report(attendance.last_id, tally)
    attendance.report(tally)
    return attendance.records


@dataclass(frozen=True, slots=True)
class EvtxChunk:
    """One used chunk.

    Attributes:
        index: place in the file, from 0.
        first_id, last_id: EventRecordIDs that its header names, both included; none where the
            header is damaged.
        fault: what is wrong with it, None where both checksums hold.
        first_number, last_number: places of these records in the file, without gaps even where
            an export left records out.
        checksummed: whether it carries checksums at all.
        used: where its records end, in bytes from its beginning.
    """

    index: int
    first_id: int
    last_id: int
    fault: str | None
    first_number: int = 0
    last_number: int = -1
    checksummed: bool = True
    used: int = 0

    @property
    def expected(self) -> int:
        """How many records its header promises."""
        return self.last_number - self.first_number + 1

    def holds(self, record_id: int) -> bool:
        """Whether the header promises the record."""
        return self.first_id <= record_id <= self.last_id

    def denied(self, content: bytes) -> int:
        """Count the records in the chunk's 64 KiB that its header does not promise.

        The `evtx` library ends at the last record that the header names, so it shows none of
        those behind it.
        """
        count, place = 0, _CHUNK_HEADER_BYTES
        while place + _RECORD.size <= self.used:
            magic, size, record_id = _RECORD.unpack_from(content, place)
            if magic != _RECORD_MAGIC or size < _RECORD.size:
                break
            count += not self.holds(record_id)
            place += size
        return count


@dataclass(frozen=True, slots=True)
class EvtxAudit:
    """What an EVTX file reports of itself, before any record is parsed.

    Attributes:
        header_sound: whether the file header's checksum holds.
        dirty: the log was copied while it was open, so the header's counts are stale.
        promised_id: the last record that the file header names; 0 where it names none.
        partial_tail_bytes: of a chunk that the end of the file cuts off.
        slots: whole chunks that the file has room for, used or not.
        chunks: those in use, in the file's order.
    """

    header_sound: bool
    dirty: bool
    promised_id: int
    partial_tail_bytes: int
    slots: int
    chunks: tuple[EvtxChunk, ...] = field(default=())

    def report(self, last_id: int, tally: ProblemTally) -> None:
        """Note what is damaged, cut off or stale; `last_id` is the last record of a sound chunk."""
        _report_file(self, last_id, tally)
        _report_chunks(self.chunks, tally)


class EvtxWalk:
    """Goes once through an EVTX file, one chunk in memory at a time."""

    _header: bytes
    _tail_bytes: int

    def __init__(self, path: Path) -> None:
        self._path = path
        self._slots = 0
        self._chunks: list[EvtxChunk] = []

    def __iter__(self) -> Iterator[tuple[EvtxChunk, bytes]]:
        """Yield the sound chunks with their 64 KiB, in the file's order.

        Raises:
            RecordError: the file ends before its first chunk.
        """
        with self._path.open("rb") as file:
            self._header = file.read(FILE_HEADER_BYTES)
            if len(self._header) < FILE_HEADER_BYTES:
                raise RecordError(
                    f"could not read {self._path}: found an EVTX file of {len(self._header)} bytes,"
                    f" allowed are {FILE_HEADER_BYTES} bytes of header and whole chunks"
                )
            while len(content := file.read(CHUNK_BYTES)) == CHUNK_BYTES:
                chunk = _audit_chunk(self._slots, content)
                self._slots += 1
                if chunk is None:
                    continue
                self._chunks.append(chunk)
                if chunk.fault is None:
                    yield chunk, content
            self._tail_bytes = len(content)

    def audit(self) -> EvtxAudit:
        """Return what the file reports of itself, once all of it was walked.

        The header's counts are stale on a copy of a live log (the "dirty" flag): the truth may be
        more than they state, never less.
        """
        next_id, flags, checksum = _FILE.unpack_from(self._header)
        sound = bool(flags & _NO_CHECKSUM) or zlib.crc32(self._header[:120]) == checksum
        return EvtxAudit(
            header_sound=sound,
            dirty=sound and bool(flags & _DIRTY),
            promised_id=max(0, next_id - 1) if sound else 0,
            partial_tail_bytes=self._tail_bytes,
            slots=self._slots,
            chunks=tuple(self._chunks),
        )


def _audit_chunk(index: int, content: bytes) -> EvtxChunk | None:
    """Return the chunk that fills a slot of the file; None where the space was never written."""
    if not content.startswith(CHUNK_MAGIC):
        if not any(content):
            return None
        return EvtxChunk(index, 0, -1, "its header is overwritten")
    first, last, first_id, last_id, used, data_checksum, flags, checksum = _CHUNK.unpack_from(
        content
    )
    checksummed = not flags & _NO_CHECKSUM
    view = memoryview(content)
    header = zlib.crc32(view[128:_CHUNK_HEADER_BYTES], zlib.crc32(view[:120]))
    if checksummed and header != checksum:
        return EvtxChunk(index, 0, -1, "the checksum of its header does not match")
    if _NO_RECORDS in (last, last_id) or last_id < first_id or last < first:
        return None
    fault = None
    if not _CHUNK_HEADER_BYTES <= used <= CHUNK_BYTES:
        fault = "its length is impossible"
    elif checksummed and zlib.crc32(view[_CHUNK_HEADER_BYTES:used]) != data_checksum:
        fault = "the checksum of its records does not match"
    elif _runs_in_a_circle(content):
        fault = "its names lead in a circle"
    return EvtxChunk(index, first_id, last_id, fault, first, last, checksummed, used)


def _runs_in_a_circle(content: bytes) -> bool:
    """Return whether a chain of names or templates never ends: the library would follow it."""
    done: set[int] = set()
    for first in _CHAINS.unpack_from(content):
        place, chain = first, set[int]()
        while place and place <= CHUNK_BYTES - _LINK.size and place not in done:
            if place in chain:
                return True
            chain.add(place)
            (place,) = _LINK.unpack_from(content, place)
        done |= chain
    return False


class Attendance:
    """Counts the records of the sound chunks: those present against those their headers promise."""

    def __init__(self) -> None:
        self.records = 0
        self._refused = 0
        self._present: list[tuple[EvtxChunk, int]] = []

    def admit(self, chunk: EvtxChunk, present: int, refused: int) -> None:
        """Count the records of a sound chunk that were read, and such that its header denies."""
        self.records += present
        self._refused += refused
        self._present.append((chunk, present))

    @property
    def last_id(self) -> int:
        """The highest record that a sound chunk promises; 0 without one."""
        return max((chunk.last_id for chunk, _ in self._present), default=0)

    def report(self, tally: ProblemTally) -> None:
        """Note the records that are missing."""
        for chunk, present in self._present:
            if present < chunk.expected:
                tally.report(
                    f"{chunk.expected - present} of the records {chunk.first_id} to"
                    f" {chunk.last_id} could not be parsed, so their content is unknown.",
                    damage=True,
                )
        gaps = self._gaps()
        for first, last in gaps[:_MISSING_RANGES_LISTED]:
            tally.report(
                f"The records {first} to {last} are missing, so their content is unknown.",
                damage=True,
            )
        if len(gaps) > _MISSING_RANGES_LISTED:
            more = len(gaps) - _MISSING_RANGES_LISTED
            tally.report(f"{more} more ranges of records are missing.", damage=True)
        tally.report_count(
            "Records that no intact chunk holds were not used: {}.", self._refused, damage=True
        )

    def _gaps(self) -> list[tuple[int, int]]:
        """Return first and last id of each range between chunks that no sound chunk holds.

        An export may leave ids out; then the chunks' record numbers still follow each other.
        """
        chunks = sorted((chunk for chunk, _ in self._present), key=lambda chunk: chunk.first_id)
        return [
            (one.last_id + 1, other.first_id - 1)
            for one, other in pairwise(chunks)
            if other.first_number > one.last_number + 1 and other.first_id > one.last_id + 1
        ]


def _report_file(audit: EvtxAudit, last_id: int, tally: ProblemTally) -> None:
    """Note what is damaged, cut off or stale; `last_id` is the last record of a sound chunk."""
    if not audit.header_sound:
        tally.report(
            "The checksum of the file header does not match, so how many records the log had is"
            " unknown.",
            damage=True,
        )
    tally.report_count(
        "The file ends inside a chunk, so the records in its last {}"
        " bytes and all after them are unknown.",
        audit.partial_tail_bytes,
        damage=True,
    )
    if audit.promised_id > last_id:
        tally.report(
            f"The file header knows of record {audit.promised_id}, so the records after {last_id}"
            " are missing.",
            damage=True,
        )
    if audit.dirty:
        tally.report(
            "The log was copied while it was open, so whether records at its end are missing is"
            " unknown.",
            damage=False,
        )


def _report_chunks(chunks: tuple[EvtxChunk, ...], tally: ProblemTally) -> None:
    for chunk in chunks:
        if chunk.fault is None:
            continue
        held = "its records are unknown"
        if chunk.expected:
            held = f"its records {chunk.first_id} to {chunk.last_id} are unknown"
        tally.report(f"Chunk {chunk.index + 1} is damaged ({chunk.fault}), so {held}.", damage=True)
    unchecked = sum(not chunk.checksummed for chunk in chunks)
    if unchecked:
        tally.report(
            f"{unchecked} of {len(chunks)} chunks carry no checksum, so damage in them would go"
            " unseen.",
            damage=False,
        )


@dataclass(frozen=True, slots=True)
class RenderedRecord:
    """One record as the library renders it.

    Attributes:
        record_id: EventRecordID of its header.
        element: its `<Event>` element, without the declaration before it.
        written: the time of its header, as text; it keeps 100 ns, the element 1 us.
    """

    record_id: int
    element: str
    written: str


def render(chunk: bytes) -> Iterator[RenderedRecord]:
    """Yield the records of a sound chunk, in its order; one that is damaged is left out."""
    file = io.BytesIO(_FILE_HEADER + chunk)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what is missing is counted
        try:
            for record in PyEvtxParser(file, number_of_threads=1, skip_errors=True).records():
                if record is None:
                    continue
                text = record["data"]
                yield RenderedRecord(
                    record_id=record["event_record_id"],
                    element=text[max(0, text.find("<Event")) :].rstrip(),
                    written=record["timestamp"],
                )
        except (OSError, RuntimeError, ValueError) as error:
            logger.debug("the evtx library gave up a chunk: %s", error)


def _file_header() -> bytes:
    """Return the header of a file of one chunk."""
    head = _HEADER.pack(FILE_MAGIC, 0, 0, 0, 128, 1, 3, FILE_HEADER_BYTES, 1).ljust(120, b"\0")
    return (head + struct.pack("<II", 0, zlib.crc32(head))).ljust(FILE_HEADER_BYTES, b"\0")


_FILE_HEADER: Final = _file_header()
