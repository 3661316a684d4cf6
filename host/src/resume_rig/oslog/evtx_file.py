"""EVTX files: the file's own accounts first, then those records that may matter, parsed."""

from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import Event
from resume_rig.oslog.event_parser import is_relevant, parse_event
from resume_rig.oslog.evtx_attendance import Attendance
from resume_rig.oslog.evtx_audit import (
    CHUNK_MAGIC,
    FILE_HEADER_BYTES,
    FILE_MAGIC,
    EvtxWalk,
)
from resume_rig.oslog.evtx_parse import BlockReader, ParsedRecord
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.source_reading import (
    SourceReading,
    SourceRequest,
    TakeEvent,
    read_source,
)

KIND: Final = "evtx"


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
    walk = EvtxWalk(request.path)
    attendance = Attendance()
    reader = BlockReader(keep_text=request.keep_text)
    for block in walk:
        for record in reader.read(block, attendance):
            event = (
                record
                if isinstance(record, Event)
                else _event_of(record, tally, keep=request.keep_text)
            )
            if event is not None and event.role is not None:
                take(event)
    audit = walk.audit()
    if attendance.records == 0 and (audit.chunks or audit.slots == 0):
        raise RecordError(
            f"could not read {request.path}: found an EVTX file with 0 intact of"
            f" {len(audit.chunks)} used chunks, allowed is one with at least 1"
        )
    audit.tell(attendance.last_id, tally)
    attendance.tell(tally)
    return attendance.records


def _event_of(record: ParsedRecord, tally: ProblemTally, *, keep: bool) -> Event | None:
    """Return the event, its time from the record's header: that keeps 100 ns, the XML 1 us."""
    if not record.asked_for and not is_relevant(record.text):
        return None
    element = record.text[max(0, record.text.find("<Event")) :].rstrip()
    try:
        return parse_event(element, tally, keep_text=keep, written=record.written)
    except RecordError:
        tally.count(Problem.MALFORMED)
        return None
