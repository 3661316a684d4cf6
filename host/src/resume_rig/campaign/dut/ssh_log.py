"""The log of a DUT that answers over SSH, Windows or Linux, fetched while a campaign runs.

Nothing is installed on the DUT. Each command asks for what came after a bookmark, so that a lost
answer costs a repeat and nothing else. A DUT that has just woken comes back when it likes, and
perhaps with another address: only the first call waits for it, before anything is pressed; each
other looks how far the command under way has come.
"""

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from resume_rig.campaign.dut.log_source import RecordIdentity, identity_of
from resume_rig.campaign.dut.own_log import DELAYS_CHANNEL
from resume_rig.campaign.dut.shell import PROBE, DutKind, RunningCommand, kind_of
from resume_rig.model.clock import Clock
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Integrity, LogSource, OsRecord, SleepKind
from resume_rig.model.units import NS_PER_S
from resume_rig.oslog.event.xml_export import EventLogFollower
from resume_rig.oslog.reading import read_logs

PROVIDERS: Final = (
    "Microsoft-Windows-Power-Troubleshooter",
    "Microsoft-Windows-Kernel-Power",
    "Microsoft-Windows-Kernel-General",
    "Microsoft-Windows-Kernel-Boot",
)
_GLI: Final = "wevtutil gli System"
_NO_DELAYS: Final = (
    "What delayed a boot, a shutdown or a sleep is unknown: this user may not read the log"
    f" {DELAYS_CHANNEL}, or there is none."
)
_COUNT: Final = re.compile(rb"numberOfLogRecords:\s*(\d{1,19})")
_OLDEST: Final = re.compile(rb"oldestRecordNumber:\s*(\d{1,19})")
_NUMBER: Final = re.compile(rb"<EventRecordID>(\d{1,19})</EventRecordID>")


class WindowsLog:
    """Asks for the state of the log, then for what is new in it and in that of delays.

    The bookmark is the number of the newest record. Keys of `wevtutil gli` are not localised; texts
    of events are not looked at.

    The log of delays comes before the other, so that a round ends with what is waited for. A DUT
    that does not give it is asked once, and its log is as whole as without.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._bookmark = 0
        self._oldest: int | None = None
        self._problems: list[str] = []
        self._follower = EventLogFollower(name)
        self._delays = EventLogFollower(name)
        self._delays_bookmark = 0
        self._delays_asked = False
        self._delays_denied = False
        self._held: list[OsRecord] = []

    def command(self) -> str:
        """Return what to run next on the DUT."""
        if self._oldest is None:
            return _GLI
        if self._asks_for_delays:
            return (
                f"wevtutil qe {DELAYS_CHANNEL} /f:xml"
                f' /q:"*[System[EventRecordID>{self._delays_bookmark}]]"'
            )
        providers = " or ".join(f"@Name='{name}'" for name in PROVIDERS)
        after = f" and EventRecordID>{self._bookmark}" if self._bookmark else ""
        return f'wevtutil qe System /f:xml /q:"*[System[Provider[{providers}]{after}]]"'

    def take(self, output: bytes, status: int) -> tuple[OsRecord, ...] | None:
        """Return the new records that the command's whole output gives; None: go on asking.

        Raises:
            RecordError: the command failed, or its answer is none.
        """
        if self._asks_for_delays:
            self._take_delays(output, status)
            return None
        if status:
            raise RecordError(
                f"could not read the event log of {self._name}: wevtutil ended with status "
                f"{status}; the user there needs to be in the group Event Log Readers"
            )
        if self._oldest is None:
            self._oldest = self._begin_round(output)
            return None
        self._oldest, self._delays_asked = None, False
        records = self._follower.feed(output)
        self._bookmark = _newest(output, self._bookmark)
        held, self._held = self._held, []
        return (*records, *held)

    def forget_round(self) -> None:
        """Begin again by asking for the state of the log."""
        self._oldest, self._delays_asked = None, False

    def describe(self) -> LogSource:
        """Return the log as it was read."""
        source = self._follower.describe()
        delays = self._delays.integrity
        if self._delays_denied:
            delays = Integrity(delays.ok, (_NO_DELAYS,), (_NO_DELAYS,) if delays.ok else ())
        whole = source.integrity.ok and delays.ok and not self._problems
        problems = (*source.integrity.problems, *delays.problems, *self._problems)
        notes = (*source.integrity.notes, *delays.notes)
        return replace(source, integrity=Integrity(whole, problems, notes))

    def close(self) -> None:
        """Nothing is kept outside of memory."""

    @property
    def _asks_for_delays(self) -> bool:
        asked = self._delays_asked or self._delays_denied
        return self._oldest is not None and not asked

    def _take_delays(self, output: bytes, status: int) -> None:
        self._delays_asked = True
        if status:
            self._delays_denied = True
            return
        self._held += self._delays.feed(output)
        self._delays_bookmark = _newest(output, self._delays_bookmark)

    def _begin_round(self, output: bytes) -> int:
        count, oldest = _COUNT.search(output), _OLDEST.search(output)
        if count is None or oldest is None:
            raise RecordError(
                f"could not read the event log of {self._name}: the answer to {_GLI!r} names no "
                "number of records"
            )
        first, newest = int(oldest[1]), int(oldest[1]) + int(count[1]) - 1
        if newest < self._bookmark:
            self._note("The event log was cleared while it was read; records may be missing.")
            self._bookmark = 0
            self._follower = EventLogFollower(self._name)
        elif 0 < self._bookmark < first - 1:
            self._note("The event log wrapped before it was read; records are missing.")
        return first

    def _note(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems.append(problem)


def _newest(output: bytes, before: int) -> int:
    """Return the number of the newest event of an answer; the one before where it has none."""
    return max((int(number) for number in _NUMBER.findall(output)), default=before)


KIND: Final = "linux-kernel-log"
SPOOL_BYTES_MAX: Final = 64 << 20
_FIELDS: Final = "MESSAGE,_TRANSPORT,_SOURCE_MONOTONIC_TIMESTAMP"
_JOURNAL: Final = f"journalctl _TRANSPORT=kernel -o json --output-fields={_FIELDS} --no-pager"
_FIRMWARE: Final = "grep -rs . /sys/firmware/acpi/fpdt"
_WITHOUT_WAKE: Final = frozenset({SleepKind.ABORTED, SleepKind.DIED})
_ENDLESS: Final = "More was logged in one sleep than is kept; what was logged is lost."
_CURSOR: Final = re.compile(rb'"__CURSOR"\s*:\s*"([0-9A-Za-z=;]{1,300})"')


class LinuxLog:
    """Asks for new kernel messages, and for the firmware's times after a wake.

    The bookmark is the journal's cursor. What was fetched is kept only while a sleep in it has not
    ended, so that a long campaign is read once. The ACPI table of firmware times (FPDT), which
    Linux shows in sysfs, has the last resume only.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = tempfile.TemporaryDirectory(prefix="resume-rig-")
        self._spool = Path(self._folder.name) / "journal.json"
        self._cursor = ""
        self._held: tuple[OsRecord, ...] = ()
        self._resumes = 0
        self._lines = 0
        self._problems: dict[str, None] = {}
        self._given: set[RecordIdentity] = set()

    def command(self) -> str:
        """Return what to run next on the DUT."""
        if self._held:
            return _FIRMWARE
        return f"{_JOURNAL} --after-cursor='{self._cursor}'" if self._cursor else f"{_JOURNAL} -b"

    def take(self, output: bytes, status: int) -> tuple[OsRecord, ...] | None:
        """Return the new records that the command's whole output gives; None: go on asking.

        Raises:
            RecordError: the command failed, or its answer is none.
        """
        if self._held:
            complete, self._held = self._with_firmware(output), ()
            return complete
        if status:
            raise RecordError(
                f"could not read the journal of {self._name}: journalctl ended with status "
                f"{status}; the user there needs to be in the group systemd-journal"
            )
        ended = self._read(output)
        if len(ended) == 1 and ended[0].kind is SleepKind.S3:
            self._held = ended
            return None
        return ended

    def forget_round(self) -> None:
        """Begin again with the journal; records that waited for the firmware's times stay."""

    def describe(self) -> LogSource:
        """Return the journal as it was read."""
        problems = tuple(self._problems)
        return LogSource(self._name, KIND, None, self._lines, Integrity(not problems, problems))

    def close(self) -> None:
        """Remove what was kept; may be called twice."""
        self._folder.cleanup()

    def _read(self, output: bytes) -> tuple[OsRecord, ...]:
        cursors = _CURSOR.findall(output)
        if not cursors:
            return ()
        with self._spool.open("ab") as file:
            file.write(output)
        reading = read_logs([self._spool], keep_text=True)
        ended = tuple(record for record in reading.records if _has_ended(record))
        self._cursor = cursors[-1].decode("ascii")
        self._lines += len(cursors)
        new = tuple(record for record in ended if identity_of(record) not in self._given)
        self._given.update(map(identity_of, new))
        if len(ended) == len(reading.records):
            self._problems.update(dict.fromkeys(reading.sources[0].integrity.problems))
            self._forget_spool()
        elif self._spool.stat().st_size > SPOOL_BYTES_MAX:
            self._problems[_ENDLESS] = None
            self._forget_spool()
        return new

    def _forget_spool(self) -> None:
        self._spool.unlink()
        self._given.clear()

    def _with_firmware(self, output: bytes) -> tuple[OsRecord, ...]:
        """Add the firmware's account of the last resume, where it is a new one."""
        account = self._firmware_account(output)
        count = account.firmware_resume_count if account is not None else None
        if account is None or count is None or count <= self._resumes:
            return self._held
        self._resumes = count
        complete = replace(
            self._held[-1],
            firmware_resume_ms=account.firmware_resume_ms,
            firmware_resume_count=count,
            figures=(*self._held[-1].figures, *account.figures),
        )
        return (*self._held[:-1], complete)

    def _firmware_account(self, output: bytes) -> OsRecord | None:
        path = self._spool.with_name("firmware.txt")
        path.write_bytes(output)
        try:
            records = read_logs([path]).records
        except RecordError:
            return None  # a DUT whose firmware has no such table
        return next((record for record in records if record.kind is SleepKind.S3), None)


def _has_ended(record: OsRecord) -> bool:
    return record.wake_time_utc_ns is not None or record.kind in _WITHOUT_WAKE


RECORD_WAIT_NS: Final = 60 * NS_PER_S
"""How long a DUT that came back may take to be reached and to report the wake."""

_RETRY_NS: Final = 1 * NS_PER_S
_POLL_NS: Final = 50_000_000


class RemoteLog(Protocol):
    """What to ask a DUT of one kind, and what its answers mean."""

    def command(self) -> str:
        """Return what to run next."""
        ...

    def take(self, output: bytes, status: int) -> tuple[OsRecord, ...] | None:
        """Return the new records that a whole output gives; None: ask on. Raises RecordError."""
        ...

    def forget_round(self) -> None:
        """Begin anew after a failure."""
        ...

    def describe(self) -> LogSource:
        """Return the log as it was read."""
        ...

    def close(self) -> None:
        """Remove what was kept; may be called twice."""
        ...


class Shell(Protocol):
    """What runs the commands: `shell.DutShell`, or `own_log.ThisPc` without SSH."""

    @property
    def text(self) -> str:
        """What the log is called."""
        ...

    def stated_kind(self) -> DutKind | None:
        """Return what kind of OS it is; None where that has to be asked."""
        ...

    def begin(self, command: str) -> RunningCommand:
        """Start a command. Raises RecordError."""
        ...

    def try_next_host(self) -> None:
        """Take the next way, if there is one."""
        ...


_LOGS: Final[Mapping[DutKind, Callable[[str], RemoteLog]]] = {
    DutKind.LINUX: LinuxLog,
    DutKind.WINDOWS: WindowsLog,
}


class SshLog:
    """An OsLogSource on the far end of SSH, or of this PC itself."""

    record_wait_ns = RECORD_WAIT_NS

    def __init__(self, shell: Shell, clock: Clock) -> None:
        self._shell = shell
        self._clock = clock
        kind = shell.stated_kind()
        self._log: RemoteLog | None = None if kind is None else _LOGS[kind](shell.text)
        self._running: RunningCommand | None = None
        self._not_before_ns = 0
        self._begun = False

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that arrived since the last call; the first call waits for all.

        Raises:
            RecordError: the DUT cannot be reached now, or does not give its log.
        """
        found = self._step()
        while found is None and not self._begun:
            self._clock.sleep_ns(_POLL_NS)
            found = self._step()
        self._begun = True
        return found or ()

    def describe(self) -> LogSource:
        """Return the log as it was read."""
        if self._log is not None:
            return self._log.describe()
        return LogSource(self._shell.text, "unknown", None, 0, Integrity(ok=True))

    def close(self) -> None:
        """End the command under way; may be called twice."""
        if self._running is not None:
            self._running.close()
            self._running = None
        if self._log is not None:
            self._log.close()

    def _step(self) -> tuple[OsRecord, ...] | None:
        if self._running is None:
            if self._begun and self._clock.now_ns() < self._not_before_ns:
                return None
            self._running = self._shell.begin(self._log.command() if self._log else PROBE)
        try:
            answer = self._running.poll()
            if answer is None:
                return None
            self._running = None
            if self._log is not None:
                return self._log.take(answer.output, answer.status)
        except RecordError:
            self._fail()
            raise
        self._log = _LOGS[kind_of(answer)](self._shell.text)
        return None

    def _fail(self) -> None:
        self._running = None
        self._not_before_ns = self._clock.now_ns() + _RETRY_NS
        self._shell.try_next_host()
        if self._log is not None:
            self._log.forget_round()
