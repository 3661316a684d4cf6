"""One whole log to its OS records: one pass, and a second one only where it must be sorted."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from resume_rig.model.os_record import LogSource, OsRecord
from resume_rig.oslog.assembler import ForwardAssembler
from resume_rig.oslog.event import Event
from resume_rig.oslog.problems import ProblemTally
from resume_rig.oslog.record_order import OrderedAssembler, RecordNumbers, RepeatFilter

TakeEvent = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What to read: the file, its index among the sources, whether original texts are kept."""

    path: Path
    source: int = 0
    keep_text: bool = False


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What one source told."""

    source: LogSource
    records: tuple[OsRecord, ...]


class EventScan(Protocol):
    """Goes once through a log file; may be asked to go again."""

    def __call__(self, request: SourceRequest, take: TakeEvent, tally: ProblemTally) -> int:
        """Hand every relevant event to `take`, in the file's order, and count every record.

        Raises:
            RecordError: nothing of the file can be read.
        """
        ...


def read_source(request: SourceRequest, kind: str, scan: EventScan) -> SourceReading:
    """Return the OS records of one log.

    Args:
        request: the file.
        kind: LogSource.kind of what is read.
        scan: goes through the file.

    Raises:
        RecordError: nothing of the file can be read.
    """
    tally = ProblemTally()
    numbers = RecordNumbers()
    assembler = OrderedAssembler(request.source, tally)

    def take(event: Event) -> None:
        numbers.add(event.record_id)
        assembler.feed(event)

    count = scan(request, take, tally)
    records = assembler.finish()
    os_build = assembler.os_build
    if numbers.must_sort:
        tally = ProblemTally()
        records, os_build = _read_sorted(request, scan, tally)
    source = LogSource(
        path=str(request.path),
        kind=kind,
        os_build=os_build,
        records=count,
        integrity=tally.integrity(),
    )
    return SourceReading(source=source, records=tuple(records))


def _read_sorted(
    request: SourceRequest, scan: EventScan, tally: ProblemTally
) -> tuple[list[OsRecord], int | None]:
    """Read again, hold the relevant events, and assemble them by their numbers."""
    events: list[Event] = []
    scan(request, events.append, tally)
    events.sort(key=lambda event: event.record_id or 0)
    assembler = ForwardAssembler(request.source, tally)
    repeats = RepeatFilter(tally)
    records = [assembler.feed(event) for event in events]
    admitted = [record for record in records if record is not None and repeats.admit(record)]
    return admitted, assembler.os_build
