"""Where a running campaign gets OS records from: a log that grows, read bit by bit."""

import stat
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Integrity, LogSource, OsRecord
from resume_rig.oslog.event.follower import EventLogFollower
from resume_rig.oslog.event.xml_export import is_event_xml
from resume_rig.oslog.reading import read_logs
from resume_rig.oslog.registry import HEAD_BYTES
from resume_rig.rig.dut_os import DutLog

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
        """Return the log as read so far."""
        ...

    def close(self) -> None:
        """Let go of what is open; may be called twice."""
        ...


def identity_of(record: OsRecord) -> RecordIdentity:
    """Return what tells a record from every other one of its log."""
    return (
        record.record_id,
        record.written_utc_ns,
        record.sleep_time_utc_ns,
        record.wake_time_utc_ns,
        record.bios_init_ms,
        record.driver_init_ms,
    )


def has_identity(record: OsRecord) -> bool:
    """Whether `identity_of` tells a record from others: without any time it does not.

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
        self._follower = EventLogFollower(log.name, keep_text=True)

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that appeared since the last call."""
        data = self._log.text_from(self._offset_bytes)
        records = self._follower.feed(data)
        self._offset_bytes += len(data)
        return tuple(records)

    def describe(self) -> LogSource:
        """Return the log as read so far."""
        return self._follower.describe()

    def close(self) -> None:
        """Nothing is open between two calls."""


class FileLog:
    """A log file that somebody else writes: Event XML that grows, or any file that is replaced.

    What was appended to Event XML is read alone; a file that was rewritten (a document, EVTX) is
    read as a whole again, and what is known of it is left out: records without any time by how many
    there were of their kind.
    """

    record_wait_ns = FILE_RECORD_WAIT_NS

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: Counter[RecordIdentity] = Counter()
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
        seen: Counter[RecordIdentity] = Counter()
        for record in found:
            identity = identity_of(record)
            seen[identity] += 1
            given = self._known[identity]
            if not given or (seen[identity] > given and not has_identity(record)):
                new.append(record)
        self._known |= seen
        return new

    def describe(self) -> LogSource:
        """Return the log as read so far."""
        return self._source

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _restart(self) -> None:
        self._offset_bytes = 0
        self._tail = b""
        self._follower = EventLogFollower(str(self._path), keep_text=True)

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
        return list(reading.records)
