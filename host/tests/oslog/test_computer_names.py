"""The computer that an event log is of, by the names in its events."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from resume_rig.model.os_record import LogReading
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]

NAMESPACE = "http://schemas.microsoft.com/win/2004/08/events/event"
SLEEP = ("Microsoft-Windows-Power-Troubleshooter", "cdc05e28-c449-49c6-b9d2-88cf761644df", 1)
BOOT = ("Microsoft-Windows-Kernel-General", "a68ca8b7-004f-d7b6-a698-07e2de0f1f5d", 12)
Account = tuple[tuple[str, str, int], str]


def event(what: tuple[str, str, int], computer: str, record_id: int, end: str = "") -> str:
    name, guid, event_id = what
    return (
        f'<Event xmlns="{NAMESPACE}"><System><Provider Name="{name}" Guid="{{{guid}}}"/>'
        f"<EventID>{event_id}</EventID><Version>1</Version>"
        f'<TimeCreated SystemTime="2026-05-01T10:{record_id:02d}:00.0Z"/>'
        f"<EventRecordID>{record_id}</EventRecordID><Channel>System</Channel>"
        f'<Computer>{computer}</Computer></System>{end}<EventData><Data Name="BiosInitDuration">9'
        f"</Data></EventData></Event>"
    )


def log_of(*accounts: Account, end: str = "") -> str:
    events = (event(what, name, number, end) for number, (what, name) in enumerate(accounts, 1))
    return f"<Events>{''.join(events)}</Events>"


@pytest.mark.parametrize(
    ("accounts", "computers"),
    [
        ([(BOOT, "WIN-P4SIAA0SQCO"), (BOOT, "PC-07"), (SLEEP, "PC-07")], ("PC-07",)),
        ([(SLEEP, "PC-07"), (BOOT, "pc-08")], ("PC-07",)),
        ([(SLEEP, "PC-07"), (SLEEP, "pc-07")], ("PC-07",)),
        ([(SLEEP, "pc-07"), (SLEEP, "PC-07.example.com")], ("PC-07.example.com",)),
        (
            [(SLEEP, "PC-07"), (SLEEP, "PC-07.a"), (SLEEP, "PC-07.b")],
            ("PC-07.a", "PC-07.b"),
        ),
        ([(SLEEP, "PC-07"), (SLEEP, "PC-08"), (SLEEP, "PC-07")], ("PC-07", "PC-08")),
        ([(BOOT, "PC-07"), (BOOT, "PC-08")], ("PC-07", "PC-08")),
        ([(SLEEP, "  "), (SLEEP, "")], ()),
    ],
    ids=[
        "setup gave a new PC another name",
        "renamed after the last sleep",
        "case",
        "it joined a domain",
        "two computers of two domains",
        "a collector's log",
        "no sleep at all",
        "no name",
    ],
)
def test_a_log_is_of_the_computer_that_its_sleeps_agree_on(
    read: Read, accounts: list[Account], computers: tuple[str, ...]
) -> None:
    assert read(log_of(*accounts)).computers == computers


def test_an_event_of_an_unusual_shape_names_its_computer_too(read: Read) -> None:
    assert read(log_of((SLEEP, "PC-07"), end="<!-- a note -->")).computers == ("PC-07",)


def test_a_hostile_name_is_bounded_and_so_is_their_number(read: Read) -> None:
    names = [f"{number}{'x' * 9_000}" for number in range(40)]
    reading = read(log_of(*((SLEEP, name) for name in names)))

    assert [len(name) for name in reading.computers] == [255] * 8


@pytest.mark.parametrize("form", ["json", "csv"])
def test_exports_of_powershell_name_the_computer(read: Read, form: str) -> None:
    record = {
        "Id": 1,
        "Version": 1,
        "ProviderName": SLEEP[0],
        "ProviderId": SLEEP[1],
        "RecordId": 7,
        "TimeCreated": "2026-05-01T10:00:00.0Z",
        "MachineName": "PC-07.example.com",
        "BiosInitDuration": 9,
    }
    if form == "json":
        text = json.dumps([record])
    else:
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(record))
        writer.writeheader()
        writer.writerow(record)
        text = stream.getvalue()

    assert read(text).computers == ("PC-07.example.com",)


def test_a_real_log_has_the_name_of_its_pc_and_not_that_of_its_setup(
    shared_data: Path,
) -> None:
    reading = read_logs([shared_data / "eventlog" / "win10-15063-desktop-s1.evtx"])

    assert reading.computers == ("DESKTOP-2KGM189",)


def test_a_record_names_the_computer_that_slept(read: Read) -> None:
    reading = read(log_of((SLEEP, "PC-07"), (SLEEP, "PC-08")))

    assert [record.computer for record in reading.records] == ["PC-07", "PC-08"]
    assert "PC-07" not in repr(reading.sources)
