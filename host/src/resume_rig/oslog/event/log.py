"""One whole log of events to its OS records, in the order of their numbers.

A log is oldest first, newest first, several of these one after another, or mixed. Each stretch
of rising or falling record numbers is a run and is assembled in its own direction, so that
nothing is held. Only a log that mixes numbers that are all different (`must_sort`) has to be read
again and sorted.
"""

from array import array
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final, Protocol

from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.event.assembler import BackwardAssembler, ForwardAssembler
from resume_rig.oslog.event.delays import DelayReader
from resume_rig.oslog.event.endings import ending_not_shown
from resume_rig.oslog.event.event import SHOWS_WAKES, Event, EventRole, EventValues, Provider
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.records import SourceReading, SourceRequest

_UNDECIDED_LIMIT: Final = 16  # events of one number before a run counts as rising


class RepeatFilter:
    """Lets each record through once: overlapping exports hold the same event twice."""

    def __init__(self, tally: ProblemTally) -> None:
        self._tally = tally
        self._taken: set[int] = set()

    def admit(self, record: OsRecord) -> bool:
        """Whether the record is new; one without number or time counts as new."""
        if record.record_id is None or record.written_utc_ns is None:
            return True
        identity = hash(
            (
                *(record.record_id, record.written_utc_ns, record.wake_source.text),
                *(record.sleep_time_utc_ns, record.wake_time_utc_ns, record.kind),
                *(record.sleep_ms, record.wake_ms, record.driver_init_ms, record.bios_init_ms),
                *(record.hiber_read_ms, record.hiber_write_ms, record.hiber_pages),
            )
        )
        if identity in self._taken:
            self._tally.count(Problem.REPEATED)
            return False
        self._taken.add(identity)
        return True


class RecordNumbers:
    """Remembers the order of a log's record numbers, 8 bytes each."""

    def __init__(self) -> None:
        self._numbers = array("Q")
        self._all_numbered = True
        self._rises = False
        self._falls = False
        self._least = self._latest_ns = 0

    def add(self, event: Event) -> None:
        """Take the next event.

        A number below all others, of an event that is later than all others, is of a log that was
        cleared: what follows is a stretch of its own.
        """
        number = event.record_id
        if number is None:
            self._all_numbered = False
            return
        time_ns = event.time_utc_ns or 0
        if self._numbers and (number > self._least or time_ns <= self._latest_ns):
            self._rises = self._rises or number > self._numbers[-1]
            self._falls = self._falls or number < self._numbers[-1]
        self._least = min(number, self._least) if self._numbers else number
        self._latest_ns = max(time_ns, self._latest_ns)
        self._numbers.append(number)

    @property
    def must_sort(self) -> bool:
        """Whether the numbers rise and fall but are all different: sorting finds their order."""
        if not (self._all_numbered and self._rises and self._falls):
            return False
        return all(one != other for one, other in pairwise(sorted(self._numbers)))


class OrderedAssembler:
    """Takes a whole log's events as they stand; `finish` gives its records in record order."""

    def __init__(self, source: int, tally: ProblemTally) -> None:
        self._source = source
        self._tally = tally
        self._repeats = RepeatFilter(tally)
        self._forward = ForwardAssembler(source, tally)
        self._backward: BackwardAssembler | None = None
        self._undecided: list[Event] = []
        self._deciding = True
        self._last_id: int | None = None
        self._shows_wakes = False
        self._records: list[OsRecord] = []

    @property
    def os_build(self) -> int | None:
        """The last build that the log names."""
        return self._forward.os_build

    def feed(self, event: Event) -> None:
        """Take the next event of the log."""
        self._shows_wakes = self._shows_wakes or event.role in SHOWS_WAKES
        if not self._deciding and self._breaks_run(event.record_id):
            self._end_run()
        if self._deciding:
            self._undecided.append(event)
            self._decide()
        else:
            self._deliver(event)
        if event.record_id is not None:
            self._last_id = event.record_id

    def finish(self) -> list[OsRecord]:
        """Return all records; nothing can be fed any more."""
        self._end_run()
        return self._records if self._shows_wakes else list(map(ending_not_shown, self._records))

    def _decide(self) -> None:
        """Start a run once its direction shows: with the second number, or for want of one."""
        first_id, last_id = self._undecided[0].record_id, self._undecided[-1].record_id
        if first_id is not None and last_id is not None and last_id < first_id:
            self._backward = BackwardAssembler(self._source, self._tally)
        elif first_id == last_id and len(self._undecided) < _UNDECIDED_LIMIT:
            return
        self._start_run()

    def _start_run(self) -> None:
        self._deciding = False
        for event in self._undecided:
            self._deliver(event)
        self._undecided.clear()

    def _deliver(self, event: Event) -> None:
        if self._backward is not None:
            self._backward.feed(event)
            return
        self._admit(self._forward.feed(event))

    def _breaks_run(self, record_id: int | None) -> bool:
        if record_id is None or self._last_id is None:
            return False
        return record_id > self._last_id if self._backward else record_id < self._last_id

    def _end_run(self) -> None:
        self._start_run()
        if self._backward is not None:
            self._admit(self._backward.finish())
            self._forward.os_build = self._backward.os_build or self._forward.os_build
            self._backward = None
        self._admit(self._forward.finish())
        self._deciding = True

    def _admit(self, records: Iterable[OsRecord]) -> None:
        self._records.extend(record for record in records if self._repeats.admit(record))


_SLEEPS: Final = frozenset({EventRole.ACCOUNT, EventRole.LEFT_STANDBY, EventRole.DIED})
_COMPUTERS_MOST: Final = 8


class ComputerNames:
    """Names of the computers that a log is of: those of its sleeps, of a log without any all.

    A new PC boots under a name that Windows' setup gave it and gets its own before it ever sleeps:
    of three public logs two begin so. One that joins a domain has that behind its name from then
    on, and is the same.
    """

    def __init__(self) -> None:
        self._of_sleeps: dict[str, str] = {}
        self._of_others: dict[str, str] = {}

    def add(self, event: Event) -> None:
        """Take the name in an event; names differ by more than case."""
        names = self._of_sleeps if event.role in _SLEEPS else self._of_others
        if event.computer and len(names) < _COMPUTERS_MOST:
            names.setdefault(event.computer.lower(), event.computer)

    def found(self) -> tuple[str, ...]:
        """Return the names in the order of the log."""
        names = self._of_sleeps or self._of_others
        hosts = {key.partition(".")[0] for key in names if "." in key}
        return tuple(name for key, name in names.items() if key not in hosts)


TakeEvent = Callable[[Event], None]


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
    log = _WholeLog(request.source)
    count = scan(request, log.take, log.tally)
    if log.numbers.must_sort:
        log = _WholeLog(request.source, sort=True)
        scan(request, log.take, log.tally)
    return request.answer(
        *(log.finish(), kind, log.tally.integrity()),
        count=count,
        os_build=log.assembler.os_build,
        computers=log.computers.found(),
    )


class _WholeLog:
    """Takes the events of one log; those that are to be sorted are held until the end."""

    def __init__(self, source: int, *, sort: bool = False) -> None:
        self.tally = ProblemTally()
        self.numbers = RecordNumbers()
        self.assembler = OrderedAssembler(source, self.tally)
        self.computers = ComputerNames()
        self._delays = DelayReader(source, EventValues(self.tally))
        self._held: list[Event] | None = [] if sort else None

    def take(self, event: Event) -> None:
        """Take the next event in the file's order."""
        self.computers.add(event)
        if event.provider is Provider.DIAGNOSTICS_PERFORMANCE:
            self._delays.feed(event)  # of another log, which counts its records by itself
        elif self._held is not None:
            self._held.append(event)
        else:
            self.numbers.add(event)
            self.assembler.feed(event)

    def finish(self) -> list[OsRecord]:
        """Return all records."""
        for event in sorted(self._held or (), key=lambda event: event.record_id or 0):
            self.assembler.feed(event)
        return [*self.assembler.finish(), *self._delays.take()]
