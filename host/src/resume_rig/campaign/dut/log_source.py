"""Where a running campaign gets OS records from: a log that grows, read bit by bit.

A source (served, a file, a folder of files) gives each record once; the feed hands what is new to
the cycle at hand.
"""

import stat
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from resume_rig.campaign.plan.states import may_belong
from resume_rig.campaign.store.raw import LogMark, LogState
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    NO_SLEEPS,
    Component,
    Ending,
    Figure,
    Integrity,
    LogSource,
    OsRecord,
    SleepKind,
)
from resume_rig.oslog.event.xml_export import EventLogFollower, is_event_xml
from resume_rig.oslog.reading import HEAD_BYTES, format_of, read_logs
from resume_rig.rig.interface import DutLog

CHUNK_BYTES = 1 << 20
# So much of what was read last must still stand there for a file to count as appended to.
TAIL_BYTES = 4096

# A record is written up to 2 s after the wake has ended.
FILE_RECORD_WAIT_NS = 3_000_000_000

RecordIdentity = tuple[int | None, ...]


class OsLogSource(Protocol):
    """A log that grows while a campaign runs.

    Attributes:
        record_wait_ns: how long a DUT that is awake may take until its record can be read here.
    """

    record_wait_ns: int

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that appeared since the last call; at the first call, all.

        Raises:
            RecordError: the log cannot be read now.
            RigError: it lies on a rig that does not answer.
        """
        ...

    def describe(self) -> LogSource:
        """Return the log as it was read."""
        ...

    def close(self) -> None:
        """Let go of what is open; may be called twice."""
        ...


def identity_of(record: OsRecord) -> RecordIdentity:
    """Return what distinguishes a record from every other one of its log."""
    return (
        record.record_id,
        record.written_utc_ns,
        record.sleep_time_utc_ns,
        record.wake_time_utc_ns,
        record.bios_init_ms,
        record.driver_init_ms,
    )


def has_identity(record: OsRecord) -> bool:
    """Return whether `identity_of` distinguishes a record: without any time it does not.

    S3Resume, PwrTest's older form and the kernel's log number their cycles or not even that.
    """
    times_ns = (record.written_utc_ns, record.sleep_time_utc_ns, record.wake_time_utc_ns)
    return any(time_ns is not None for time_ns in times_ns)


class ServedLog:
    """The event log of a simulated DUT, given out by whoever simulates it."""

    record_wait_ns = FILE_RECORD_WAIT_NS

    def __init__(self, log: DutLog) -> None:
        self._log = log
        self._offset_bytes = 0
        self._follower = EventLogFollower(log.name)

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that appeared since the last call."""
        data = self._log.text_from(self._offset_bytes)
        records = self._follower.feed(data)
        self._offset_bytes += len(data)
        return tuple(records)

    def describe(self) -> LogSource:
        """Return the log as it was read."""
        return self._follower.describe()

    def close(self) -> None:
        """Nothing is open between two calls."""


class FileLog:
    """A log file that somebody else writes: Event XML that grows, or any file that is replaced.

    What was appended to Event XML is read alone; a file that was rewritten (a document, EVTX) is
    read as a whole again, and what was given before is left out: records without any time by how
    many there were of their kind.
    """

    record_wait_ns = FILE_RECORD_WAIT_NS

    def __init__(self, path: Path) -> None:
        self._path = path
        self._given: Counter[RecordIdentity] = Counter()
        self._source = LogSource(str(path), "unknown", None, 0, Integrity(ok=True))
        self._size_bytes = self._changed_ns = -1
        self._restart()

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that appeared since the last call.

        Raises:
            RecordError: the file is missing or cannot be read.
        """
        try:
            status = self._path.stat()
            if not stat.S_ISREG(status.st_mode):  # a device never ends, a pipe never begins
                raise RecordError(f"could not read the log {self._path}: it is no file")
            if (status.st_size, status.st_mtime_ns) == (self._size_bytes, self._changed_ns):
                return ()
            found = self._read_appended() if self._is_appended() else self._read_again()
        except OSError as error:
            raise RecordError(
                f"could not read the log {self._path}: {error.strerror or error}"
            ) from error
        self._size_bytes, self._changed_ns = status.st_size, status.st_mtime_ns
        return tuple(self._new_of(found))

    def _new_of(self, found: Sequence[OsRecord]) -> list[OsRecord]:
        new = []
        counts: Counter[RecordIdentity] = Counter()
        for record in found:
            identity = identity_of(record)
            counts[identity] += 1
            given = self._given[identity]
            if not given or (counts[identity] > given and not has_identity(record)):
                new.append(record)
        self._given |= counts
        return new

    def describe(self) -> LogSource:
        """Return the log as it was read."""
        return self._source

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _restart(self) -> None:
        self._offset_bytes = 0
        self._tail = b""
        self._follower = EventLogFollower(str(self._path))

    def _is_appended(self) -> bool:
        with self._path.open("rb") as file:
            if self._offset_bytes == 0:
                return is_event_xml(file.read(HEAD_BYTES))
            file.seek(self._offset_bytes - len(self._tail))
            return bool(self._tail) and file.read(len(self._tail)) == self._tail

    def _read_appended(self) -> list[OsRecord]:
        records: list[OsRecord] = []
        with self._path.open("rb") as file:
            file.seek(self._offset_bytes)
            while data := file.read(CHUNK_BYTES):
                records.extend(self._follower.feed(data))
                self._offset_bytes += len(data)
                self._tail = (self._tail + data)[-TAIL_BYTES:]
        self._source = self._follower.describe()
        return records

    def _read_again(self) -> list[OsRecord]:
        self._restart()
        reading = read_logs([self._path], keep_text=True)
        self._source = reading.sources[0]
        return _settled(reading.records)


def _settled(records: Sequence[OsRecord]) -> list[OsRecord]:
    """Return the records that what is yet to be written cannot change.

    A sleep is open until its wake is written, and a wake has no account yet when it is the last.
    """
    found = [record for record in records if record.ended is not Ending.OPEN]
    while found and found[-1].is_untimed:
        found.pop()
    return found


FILES_MAX: Final = 1000


class FolderLog:
    """All logs in a folder, by name; files of other kinds are left alone.

    A record that several files hold (exports that overlap) is given once. One without any time
    (S3Resume, PwrTest's older form) may be that of another file: each is given. A file
    that cannot be read is no reason to stop: it may be half written, so it is tried again when it
    changes, and `describe` reports it until then.
    """

    record_wait_ns = FILE_RECORD_WAIT_NS

    def __init__(self, path: Path) -> None:
        self._path = path
        self._logs: dict[Path, FileLog] = {}
        self._given: set[RecordIdentity] = set()
        self._unreadable: dict[Path, str] = {}

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that appeared since the last call.

        Raises:
            RecordError: the folder cannot be read, or holds more than 1000 files.
        """
        new: list[OsRecord] = []
        for path in self._files():
            try:
                new += self._new_in(path)
            except RecordError as error:
                self._unreadable[path] = str(error)
            else:
                self._unreadable.pop(path, None)
        return tuple(new)

    def describe(self) -> LogSource:
        """Return the folder as it was read."""
        sources = [log.describe() for log in self._logs.values()]
        found = [
            (f"{Path(source.path).name}: {problem}", problem in source.integrity.notes)
            for source in sources
            for problem in source.integrity.problems
        ]
        problems = (*(problem for problem, _ in found), *self._unreadable.values())
        notes = tuple(problem for problem, is_note in found if is_note)
        return LogSource(
            str(self._path),
            "folder",
            next((s.os_build for s in reversed(sources) if s.os_build is not None), None),
            sum(source.records for source in sources),
            Integrity(
                not self._unreadable and all(source.integrity.ok for source in sources),
                problems,
                notes,
            ),
        )

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _files(self) -> list[Path]:
        try:
            found = sorted(path for path in self._path.iterdir() if path.is_file())
        except OSError as error:
            raise RecordError(
                f"could not read the folder of logs {self._path}: {error.strerror or error}"
            ) from error
        if len(found) > FILES_MAX:
            raise RecordError(
                f"could not read the folder of logs {self._path}: it holds {len(found)} files, "
                f"allowed are {FILES_MAX}"
            )
        return found

    def _new_in(self, path: Path) -> list[OsRecord]:
        if path not in self._logs:
            try:
                with path.open("rb") as file:
                    if format_of(file.read(HEAD_BYTES)) is None:
                        return []
            except OSError:
                return []  # perhaps it is being written; it is looked at again next time
            self._logs[path] = FileLog(path)
        found = [
            record
            for record in self._logs[path].new_records()
            if not has_identity(record) or identity_of(record) not in self._given
        ]
        self._given.update(map(identity_of, found))
        return found


COMPONENTS_MAX: Final = 20
TEXT_CHARS_MAX: Final = 4096


def kept_of(record: OsRecord) -> OsRecord:
    """Return a record as the store keeps it.

    A kernel that times every device of every cycle has hundreds: the longest are kept, in their
    order, with the beginning of the text, and the figure `components_not_kept`. All others
    stay as they are.
    """
    left_out = len(record.components) - COMPONENTS_MAX
    if left_out <= 0:
        return record
    ranked = sorted(range(len(record.components)), key=lambda at: _rank(record.components[at]))
    components = tuple(record.components[at] for at in sorted(ranked[:COMPONENTS_MAX]))
    figures = (*record.figures, Figure("components_not_kept", float(left_out)))
    text = record.text
    if len(text) > TEXT_CHARS_MAX:
        text = text[:TEXT_CHARS_MAX].rpartition("\n")[0]
    return replace(record, components=components, figures=figures, text=text)


def _rank(component: Component) -> float:
    """Return what sorts the longest first, and before it what had not ended."""
    return float("-inf") if component.duration_ms is None else -component.duration_ms


# In the end nobody comes back for a record, and a log that is copied from elsewhere comes later.
LAST_RECORD_WAIT_NS = 10_000_000_000


class LogFeed:
    """OS records that no cycle has taken yet.

    Args:
        source: where records come from; None for a campaign without a log.
        mark: where the log stood when the campaign began.
        late: records that earlier sessions did not get to keep.
        states: that the plan asks for; they decide which records can be of a cycle.

    Attributes:
        pending: read, and not yet on the disk.
        received: how many records were read that can be of a cycle; a boot or a session
            of Modern Standby is not what is waited for.
        problem: why the log could not be read last time; None when it could.
    """

    def __init__(
        self,
        source: OsLogSource | None,
        mark: LogMark,
        late: Sequence[OsRecord] = (),
        states: Collection[SleepKind] = (SleepKind.S3,),
    ) -> None:
        self._states = states
        self._source = source
        self._mark = mark
        self.pending: list[OsRecord] = [kept_of(record) for record in late]
        self.received = 0
        self.problem: str | None = None

    @property
    def present(self) -> bool:
        """Whether there is a log at all."""
        return self._source is not None

    @property
    def has_new_records(self) -> bool:
        """Whether a record is pending that can be of a cycle."""
        return self.any_may_belong(self.pending)

    def any_may_belong(self, records: Iterable[OsRecord]) -> bool:
        """Return whether any of the records can be of a cycle of this plan."""
        return any(may_belong(record, self._states) for record in records)

    def wait_ns(self, *, last: bool) -> int:
        """Return how long a record is waited for; longer in the end, when nobody comes back."""
        if self._source is None:
            return 0
        wait_ns = self._source.record_wait_ns
        return max(wait_ns, LAST_RECORD_WAIT_NS) if last else wait_ns

    def state(self) -> LogState | None:
        """Return what the store keeps of the log besides its records."""
        return None if self._source is None else LogState(self._source.describe(), self._mark)

    def read(self) -> None:
        """Read what is new; a log that cannot be read now is tried again next time."""
        if self._source is None:
            return
        try:
            found = self._source.new_records()
        except RecordError as error:
            self.problem = str(error)
        else:
            self.problem = None
            self.pending.extend(map(kept_of, found))
            self.received += sum(may_belong(record, self._states) for record in found)


def mark_of(records: Iterable[OsRecord]) -> LogMark:
    """Return where a log that holds `records` stands."""
    found = tuple(records)
    numbers = (r.record_id for r in found if r.kind not in NO_SLEEPS)
    return LogMark(
        max((number for number in numbers if number is not None), default=None),
        max((r.written_utc_ns for r in found if r.written_utc_ns is not None), default=None),
    )


def came_late(
    records: Iterable[OsRecord], mark: LogMark, stored: frozenset[RecordIdentity]
) -> list[OsRecord]:
    """Return the records of a campaign that its earlier sessions did not keep."""
    return [
        record
        for record in records
        if not _is_before(record, mark) and identity_of(record) not in stored
    ]


def _is_before(record: OsRecord, mark: LogMark) -> bool:
    numbered = record.kind not in NO_SLEEPS  # others may be of a log that counts by itself
    if numbered and record.record_id is not None and mark.record_id is not None:
        return record.record_id <= mark.record_id
    if record.written_utc_ns is not None and mark.written_utc_ns is not None:
        return record.written_utc_ns <= mark.written_utc_ns
    return False
