"""EVTX files: each chunk audited, the records of the sound ones parsed, the rest reported."""

from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event.event import Event
from resume_rig.oslog.event.log import TakeEvent, read_source
from resume_rig.oslog.event.parser import is_relevant, parse_event
from resume_rig.oslog.evtx.audit import (
    CHUNK_MAGIC,
    FILE_HEADER_BYTES,
    FILE_MAGIC,
    Attendance,
    EvtxWalk,
)
from resume_rig.oslog.evtx.parse import RenderedRecord, render
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest

KIND: Final = "evtx"


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
