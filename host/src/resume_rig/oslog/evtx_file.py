"""EVTX files: the records of the `evtx` library, held against the file's own accounts."""

import logging
import warnings
from bisect import bisect_right
from itertools import pairwise
from typing import Final

from evtx import PyEvtxParser

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import Event
from resume_rig.oslog.event_parser import is_relevant, parse_event
from resume_rig.oslog.evtx_audit import (
    CHUNK_MAGIC,
    FILE_HEADER_BYTES,
    FILE_MAGIC,
    EvtxAudit,
    EvtxChunk,
    audit_evtx,
)
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.source_reading import (
    SourceReading,
    SourceRequest,
    TakeEvent,
    read_source,
)
from resume_rig.oslog.timestamps import parse_utc_ns

KIND: Final = "evtx"
_MISSING_RANGES_TOLD: Final = 20

logger = logging.getLogger(__name__)


def is_evtx(head: bytes) -> bool:
    """Whether a file that begins so is an EVTX file, even one whose header is destroyed."""
    chunk = head[FILE_HEADER_BYTES : FILE_HEADER_BYTES + len(CHUNK_MAGIC)]
    return head.startswith(FILE_MAGIC) or chunk == CHUNK_MAGIC


def read_evtx(request: SourceRequest) -> SourceReading:
    """Return the OS records of an EVTX file; damaged chunks are left out and told of.

    Raises:
        RecordError: nothing of the file can be read.
    """
    return read_source(request, KIND, _scan)


def _scan(request: SourceRequest, take: TakeEvent, tally: ProblemTally) -> int:
    audit = audit_evtx(request.path)
    attendance = _Attendance(audit.sound_chunks)
    try:
        _scan_records(request, take, tally, attendance)
    except (OSError, RuntimeError, ValueError) as error:
        if attendance.records == 0:
            raise RecordError(
                f"could not read {request.path}: found an EVTX file whose header is destroyed,"
                " allowed is one with an intact header"
            ) from error
        tally.tell("The reading broke off, so records after it are unknown.", damage=True)
    if attendance.records == 0 and (audit.chunks or audit.slots == 0):
        raise RecordError(
            f"could not read {request.path}: found an EVTX file with 0 intact of"
            f" {len(audit.chunks)} used chunks, allowed is one with at least 1"
        )
    _tell_file(audit, attendance.last_id, tally)
    _tell_chunks(audit.chunks, tally)
    _tell_missing(attendance, tally)
    return attendance.records


def _scan_records(
    request: SourceRequest, take: TakeEvent, tally: ProblemTally, attendance: "_Attendance"
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        parser = PyEvtxParser(
            str(request.path), number_of_threads=1, validate_checksums=True, skip_errors=True
        )
        for record in parser.records():
            if record is None:  # the library's types allow it
                continue
            record_id, text = int(record["event_record_id"]), str(record["data"])
            if not attendance.admit(record_id) or not is_relevant(text):
                continue
            event = _event_of(text, str(record["timestamp"]), tally, keep=request.keep_text)
            if event is not None and event.role is not None:
                take(event)
    logger.debug("%s: the evtx library gave %d warnings", request.path, len(caught))


def _event_of(text: str, written: str, tally: ProblemTally, *, keep: bool) -> Event | None:
    """Return the event, its time from the record's header: that keeps 100 ns, the XML 1 us."""
    element = text[max(0, text.find("<Event")) :].rstrip()
    try:
        event = parse_event(element, tally, keep_text=keep)
        if event is None:
            return None
        return Event(
            provider=event.provider,
            event_id=event.event_id,
            version=event.version,
            record_id=event.record_id,
            time_utc_ns=parse_utc_ns(written),
            data=event.data,
            text=event.text,
        )
    except RecordError:
        tally.count(Problem.MALFORMED)
        return None


class _Attendance:
    """Holds the parsed records against those that the sound chunks promise."""

    def __init__(self, chunks: tuple[EvtxChunk, ...]) -> None:
        self.records = 0
        self.refused = 0
        self._chunks = sorted(chunks, key=lambda chunk: chunk.first_id or 0)
        self._starts = [chunk.first_id or 0 for chunk in self._chunks]
        self._present = [0] * len(self._chunks)

    def admit(self, record_id: int) -> bool:
        """Whether a sound chunk promises the record; counts it."""
        place = bisect_right(self._starts, record_id) - 1
        if place < 0 or record_id > (self._chunks[place].last_id or 0):
            self.refused += 1
            return False
        self._present[place] += 1
        self.records += 1
        return True

    @property
    def last_id(self) -> int:
        """The highest record that a sound chunk promises; 0 without one."""
        return max((chunk.last_id or 0 for chunk in self._chunks), default=0)

    def incomplete(self) -> list[tuple[EvtxChunk, int]]:
        """Return each chunk that lacks records, with the number that is missing."""
        if self.records >= sum(chunk.expected for chunk in self._chunks):
            return []  # a chunk may be there twice: then one copy has all the records
        return [
            (chunk, chunk.expected - present)
            for chunk, present in zip(self._chunks, self._present, strict=True)
            if present < chunk.expected
        ]

    def gaps(self) -> list[tuple[int, int]]:
        """Return first and last id of each range between chunks that no sound chunk holds.

        An export may leave ids out; then the chunks' record numbers still follow each other.
        """
        return [
            ((one.last_id or 0) + 1, (other.first_id or 0) - 1)
            for one, other in pairwise(self._chunks)
            if other.first_number > one.last_number + 1
            and (other.first_id or 0) > (one.last_id or 0) + 1
        ]


def _tell_file(audit: EvtxAudit, last_id: int, tally: ProblemTally) -> None:
    if not audit.header_sound:
        tally.tell(
            "The checksum of the file header does not match, so how many records the log had is"
            " unknown.",
            damage=True,
        )
    if audit.partial_tail_bytes:
        tally.tell(
            f"The file ends inside a chunk, so the records in its last {audit.partial_tail_bytes}"
            " bytes and all after them are unknown.",
            damage=True,
        )
    if audit.promised_id > last_id:
        tally.tell(
            f"The file header knows of record {audit.promised_id}, so the records after {last_id}"
            " are missing.",
            damage=True,
        )
    if audit.dirty:
        tally.tell(
            "The log was copied while it was open, so whether records at its end are missing is"
            " unknown.",
            damage=False,
        )


def _tell_chunks(chunks: tuple[EvtxChunk, ...], tally: ProblemTally) -> None:
    for chunk in chunks:
        if chunk.fault is None:
            continue
        held = "its records are unknown"
        if chunk.first_id is not None:
            held = f"its records {chunk.first_id} to {chunk.last_id} are unknown"
        tally.tell(f"Chunk {chunk.index + 1} is damaged ({chunk.fault}), so {held}.", damage=True)
    unchecked = sum(not chunk.checksummed for chunk in chunks)
    if unchecked:
        tally.tell(
            f"{unchecked} of {len(chunks)} chunks carry no checksum, so damage in them would go"
            " unseen.",
            damage=False,
        )


def _tell_missing(attendance: _Attendance, tally: ProblemTally) -> None:
    for chunk, missing in attendance.incomplete():
        tally.tell(
            f"{missing} of the records {chunk.first_id} to {chunk.last_id} could not be parsed,"
            " so what they told is unknown.",
            damage=True,
        )
    gaps = attendance.gaps()
    for first, last in gaps[:_MISSING_RANGES_TOLD]:
        tally.tell(
            f"The records {first} to {last} are missing, so what they told is unknown.",
            damage=True,
        )
    if len(gaps) > _MISSING_RANGES_TOLD:
        more = len(gaps) - _MISSING_RANGES_TOLD
        tally.tell(f"{more} more ranges of records are missing.", damage=True)
    if attendance.refused:
        tally.tell(
            f"Records that no intact chunk holds were not used: {attendance.refused}.", damage=True
        )
