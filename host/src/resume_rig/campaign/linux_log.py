"""The kernel's messages of a Linux DUT by `journalctl`, and its firmware's times from sysfs.

Nothing is installed on the DUT. The bookmark is the journal's cursor. What was fetched is kept
only while a sleep in it has not ended, so that a long campaign is read once. After a wake the ACPI
table of firmware times (FPDT), which Linux shows in sysfs, is asked for; it tells of the last
resume only.
"""

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from resume_rig.campaign.os_log_source import RecordIdentity, identity_of
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Integrity, LogSource, OsRecord, SleepKind
from resume_rig.oslog.reading import read_logs

KIND: Final = "linux-kernel-log"
SPOOL_BYTES_MAX: Final = 64 << 20
_FIELDS: Final = "MESSAGE,_TRANSPORT,_SOURCE_MONOTONIC_TIMESTAMP"
_JOURNAL: Final = f"journalctl _TRANSPORT=kernel -o json --output-fields={_FIELDS} --no-pager"
_FIRMWARE: Final = "grep -rs . /sys/firmware/acpi/fpdt"
_WITHOUT_WAKE: Final = frozenset({SleepKind.ABORTED, SleepKind.DIED})
_ENDLESS: Final = "More was logged in one sleep than is kept; what was told of it is lost."
_CURSOR: Final = re.compile(rb'"__CURSOR"\s*:\s*"([0-9A-Za-z=;]{1,300})"')


class LinuxLog:
    """Asks for new kernel messages, and for the firmware's times after a wake."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = tempfile.TemporaryDirectory(prefix="resume-rig-")
        self._spool = Path(self._folder.name) / "journal.json"
        self._cursor = ""
        self._held: tuple[OsRecord, ...] = ()
        self._resumes = 0
        self._lines = 0
        self._problems: dict[str, None] = {}
        self._known: set[RecordIdentity] = set()

    def command(self) -> str:
        """Return what to run next on the DUT."""
        if self._held:
            return _FIRMWARE
        return f"{_JOURNAL} --after-cursor='{self._cursor}'" if self._cursor else f"{_JOURNAL} -b"

    def take(self, output: bytes, status: int) -> tuple[OsRecord, ...] | None:
        """Return the new records that the command's whole output gives; None: go on asking.

        Raises:
            RecordError: the DUT did not do as it was told.
        """
        if self._held:
            told, self._held = self._with_firmware(output), ()
            return told
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
        """Return the journal as read so far."""
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
        new = tuple(record for record in ended if identity_of(record) not in self._known)
        self._known.update(map(identity_of, new))
        if len(ended) == len(reading.records):
            self._problems.update(dict.fromkeys(reading.sources[0].integrity.problems))
            self._forget_spool()
        elif self._spool.stat().st_size > SPOOL_BYTES_MAX:
            self._problems[_ENDLESS] = None
            self._forget_spool()
        return new

    def _forget_spool(self) -> None:
        self._spool.unlink()
        self._known.clear()

    def _with_firmware(self, output: bytes) -> tuple[OsRecord, ...]:
        """Add the firmware's account of the last resume, where it tells of a new one."""
        account = self._firmware_account(output)
        count = account.firmware_resume_count if account is not None else None
        if account is None or count is None or count <= self._resumes:
            return self._held
        self._resumes = count
        told = replace(
            self._held[-1],
            firmware_resume_ms=account.firmware_resume_ms,
            firmware_resume_count=count,
            figures=(*self._held[-1].figures, *account.figures),
        )
        return (*self._held[:-1], told)

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
