"""The event log of a Windows DUT by `wevtutil`: what to ask, and what the answers mean.

Nothing is installed on the DUT. The bookmark is the number of the newest record read: a command is
asked for what came after it, so that one whose answer was lost costs a repeat and nothing else.
Keys of `wevtutil gli` are not localised; texts of events are not looked at.
"""

import re
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Integrity, LogSource, OsRecord
from resume_rig.oslog.follower import EventLogFollower

PROVIDERS: Final = (
    "Microsoft-Windows-Power-Troubleshooter",
    "Microsoft-Windows-Kernel-Power",
    "Microsoft-Windows-Kernel-General",
    "Microsoft-Windows-Kernel-Boot",
)
_GLI: Final = "wevtutil gli System"
_COUNT: Final = re.compile(rb"numberOfLogRecords:\s*(\d{1,19})")
_OLDEST: Final = re.compile(rb"oldestRecordNumber:\s*(\d{1,19})")
_NUMBER: Final = re.compile(rb"<EventRecordID>(\d{1,19})</EventRecordID>")


class WindowsLog:
    """Asks for the state of the log, then for what is new in it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bookmark = 0
        self._oldest: int | None = None
        self._problems: list[str] = []
        self._follower = EventLogFollower(name, keep_text=True)

    def command(self) -> str:
        """Return what to run next on the DUT."""
        if self._oldest is None:
            return _GLI
        providers = " or ".join(f"@Name='{name}'" for name in PROVIDERS)
        after = f" and EventRecordID>{self._bookmark}" if self._bookmark else ""
        return f'wevtutil qe System /f:xml /q:"*[System[Provider[{providers}]{after}]]"'

    def take(self, output: bytes, status: int) -> tuple[OsRecord, ...] | None:
        """Return the new records that the command's whole output gives; None: go on asking.

        Raises:
            RecordError: the DUT did not do as it was told.
        """
        if status:
            raise RecordError(
                f"could not read the event log of {self._name}: wevtutil ended with status "
                f"{status}; the user there needs to be in the group Event Log Readers"
            )
        if self._oldest is None:
            self._oldest = self._begin_round(output)
            return None
        self._oldest = None
        numbers = [int(number) for number in _NUMBER.findall(output)]
        records = self._follower.feed(output)
        self._bookmark = max(numbers, default=self._bookmark)
        return tuple(records)

    def forget_round(self) -> None:
        """Begin again by asking for the state of the log."""
        self._oldest = None

    def describe(self) -> LogSource:
        """Return the log as read so far."""
        source = self._follower.describe()
        if not self._problems:
            return source
        problems = (*source.integrity.problems, *self._problems)
        return LogSource(
            source.path, source.kind, source.os_build, source.records, Integrity(False, problems)
        )

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
            self._follower = EventLogFollower(self._name, keep_text=True)
        elif 0 < self._bookmark < first - 1:
            self._note("The event log wrapped before it was read; records are missing.")
        return first

    def _note(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems.append(problem)
