"""A Linux DUT's journal, fetched in pieces: each sleep once, whole, with its firmware's time."""

import json
from collections.abc import Iterator

import pytest

from resume_rig.campaign.dut.ssh_log import LinuxLog
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import OsRecord, SleepKind

WAKE_UTC_S = 1_700_000_000
SUSPEND = (
    "PM: suspend entry (deep)",
    "PM: suspend of devices complete after 120.500 msecs",
    "ACPI: PM: Preparing to enter system sleep state S3",
)
RESUME = (
    "ACPI: PM: Low-level resume complete",
    "ACPI: PM: Waking up from system sleep state S3",
    "PM: resume of devices complete after 250.125 msecs",
    "PM: suspend exit",
)


class Journal:
    """Lines as `journalctl -o json` prints them."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def tell(self, *messages: str, at_s: int) -> None:
        for message in messages:
            number = len(self.lines) + 1
            stamp = str(at_s * 1_000_000 + number)
            entry = {
                "__CURSOR": f"s=0a;i={number:x};b=0c;m=1;t=2;x=3",
                "__REALTIME_TIMESTAMP": stamp,
                "__MONOTONIC_TIMESTAMP": str(number * 1000),
                "_TRANSPORT": "kernel",
                "MESSAGE": message,
            }
            self.lines.append(json.dumps(entry) + "\n")

    def answer(self, command: str) -> bytes:
        """Return what the DUT answers: what stands behind the cursor."""
        assert command.startswith("journalctl _TRANSPORT=kernel -o json "), command
        first = 0
        if "--after-cursor=" in command:
            cursor = command.partition("--after-cursor='")[2].rstrip("'")
            first = next(i for i, line in enumerate(self.lines, 1) if f'"{cursor}"' in line)
        return "".join(self.lines[first:]).encode()


def firmware(count: int, resume_ns: int) -> bytes:
    folder = "/sys/firmware/acpi/fpdt/resume"
    return f"{folder}/resume_count:{count}\n{folder}/resume_prev_ns:{resume_ns}\n".encode()


@pytest.fixture
def log() -> Iterator[LinuxLog]:
    found = LinuxLog("ssh:lab@dut")
    yield found
    found.close()


def fetch(log: LinuxLog, journal: Journal, table: bytes = b"") -> list[OsRecord]:
    """Go through one round of questions."""
    while True:
        command = log.command()
        output = table if command.startswith("grep ") else journal.answer(command)
        found = log.take(output, 0 if output else 1 if command.startswith("grep ") else 0)
        if found is not None:
            return list(found)


def test_a_sleep_comes_once_and_whole_however_it_is_cut(log: LinuxLog) -> None:
    journal = Journal()
    journal.tell("Linux version 6.6.0", at_s=WAKE_UTC_S - 1000)
    assert fetch(log, journal) == []
    journal.tell(*SUSPEND, at_s=WAKE_UTC_S - 60)
    assert fetch(log, journal) == []
    journal.tell(*RESUME[:2], at_s=WAKE_UTC_S)
    assert fetch(log, journal) == []
    journal.tell(*RESUME[2:], at_s=WAKE_UTC_S)
    (record,) = fetch(log, journal, firmware(1, 212_345_678))
    assert record.kind is SleepKind.S3
    assert record.wake_time_utc_ns is not None
    assert record.wake_time_utc_ns // 1_000_000_000 == WAKE_UTC_S
    assert (record.firmware_resume_ms, record.firmware_resume_count) == (212, 1)
    assert "suspend entry" in record.text
    assert fetch(log, journal) == []
    assert log.describe().records == len(journal.lines)
    assert log.describe().integrity.ok


def test_a_firmware_time_is_that_of_one_resume_only(log: LinuxLog) -> None:
    journal = Journal()
    told = []
    for cycle, table in enumerate([firmware(7, 200_000_000), firmware(7, 200_000_000), b""]):
        journal.tell(*SUSPEND, *RESUME, at_s=WAKE_UTC_S + 60 * cycle)
        (record,) = fetch(log, journal, table)
        told.append(record.firmware_resume_ms)
    assert told == [200, None, None]


def test_sleeps_that_came_together_are_not_given_a_firmware_time(log: LinuxLog) -> None:
    journal = Journal()
    for cycle in range(3):
        journal.tell(*SUSPEND, *RESUME, at_s=WAKE_UTC_S + 60 * cycle)
    records = fetch(log, journal, firmware(3, 200_000_000))
    assert [record.firmware_resume_ms for record in records] == [None] * 3
    assert len({record.wake_time_utc_ns for record in records}) == 3


def test_what_ended_is_not_given_again_while_the_next_sleep_is_open(log: LinuxLog) -> None:
    journal = Journal()
    journal.tell(*SUSPEND, *RESUME, at_s=WAKE_UTC_S)
    journal.tell(*SUSPEND, at_s=WAKE_UTC_S + 60)
    assert len(fetch(log, journal)) == 1
    journal.tell(*RESUME, at_s=WAKE_UTC_S + 120)
    assert len(fetch(log, journal)) == 1


def test_a_journal_that_nobody_may_read_says_what_is_needed(log: LinuxLog) -> None:
    with pytest.raises(RecordError, match=r"status 1; .* systemd-journal"):
        log.take(b"", 1)


def test_an_answer_that_is_no_journal_is_nothing_new(log: LinuxLog) -> None:
    assert log.take(b"-- No entries --\n", 0) == ()
