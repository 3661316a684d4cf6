"""A folder of logs that somebody fills while a campaign runs."""

import shutil
from pathlib import Path

import pytest

from resume_rig.campaign.dut.log_source import FILES_MAX, FolderLog
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import SleepKind

LOGS = Path(__file__).parents[3] / "fixtures" / "logs"
OTHERS = (
    ("pwrtest-two-s3.log", 2),
    ("s3resume.txt", 4),
    ("linux-6.6-dmesg.txt", 4),
    ("xperf-suspend.xml", 1),
    ("wpa-regions.csv", 1),
)


@pytest.mark.parametrize(("name", "records"), OTHERS)
def test_another_log_that_is_added_gives_its_records_once(
    tmp_path: Path, name: str, records: int
) -> None:
    log = FolderLog(tmp_path)
    assert log.new_records() == ()
    shutil.copy(LOGS / name, tmp_path / name)
    assert len(log.new_records()) == records
    assert log.new_records() == ()
    shutil.copy(LOGS / name, tmp_path / f"copy of {name}")
    again = log.new_records()
    assert all(record.written_utc_ns is record.wake_time_utc_ns is None for record in again)


def test_logs_without_times_are_no_repeats_of_each_other(tmp_path: Path) -> None:
    """Both number their rows from 1, and a steady DUT gives the same times each time."""
    log = FolderLog(tmp_path)
    shutil.copy(LOGS / "s3resume.txt", tmp_path / "first.txt")
    first = log.new_records()
    shutil.copy(LOGS / "s3resume.txt", tmp_path / "second.txt")
    assert len(log.new_records()) == len(first) > 0


def test_a_log_that_grows_gives_each_record_once(tmp_path: Path) -> None:
    log = FolderLog(tmp_path)
    whole = (LOGS / "pwrtest-two-s3.log").read_bytes()
    found = []
    for end in range(0, len(whole) + 1, 97):
        (tmp_path / "pwrtest.log").write_bytes(whole[:end])
        found += log.new_records()
    (tmp_path / "pwrtest.log").write_bytes(whole)
    found += log.new_records()
    whole_ones = [record for record in found if record.kind is SleepKind.S3]
    assert {record.record_id for record in whole_ones} == {0, 1}


def test_a_growing_kernel_log_gives_every_cycle(tmp_path: Path) -> None:
    """Its cycles have neither number nor time, and a steady DUT's are all alike."""
    cycle = (
        "[  100.000000] PM: suspend entry (deep)\n"
        "[  101.000000] ACPI: PM: Low-level resume complete\n"
        "[  102.000000] PM: suspend exit\n"
    )
    log = FolderLog(tmp_path)
    counts = []
    for cycles in (1, 2, 4):
        (tmp_path / "dmesg.txt").write_text(cycle * cycles)
        counts.append(len(log.new_records()))
    assert counts == [1, 1, 2]


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    log = FolderLog(tmp_path)
    (tmp_path / "a-half.evtx").write_bytes(b"ElfFile\0" + bytes(100))
    shutil.copy(LOGS / "two-s3-cycles.xml", tmp_path / "System.xml")
    assert len(log.new_records()) == 2
    described = log.describe()
    assert not described.integrity.ok
    assert any("a-half.evtx" in problem for problem in described.integrity.problems)
    shutil.copy(LOGS / "two-s3-cycles.xml", tmp_path / "a-half.evtx")
    assert log.new_records() == ()  # the same two records
    assert log.describe().integrity.ok


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("remember the cable")
    log = FolderLog(tmp_path)
    assert log.new_records() == ()
    assert log.describe().integrity.ok


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    for number in range(FILES_MAX + 1):
        (tmp_path / str(number)).touch()
    with pytest.raises(RecordError, match="it holds 1001 files, allowed are 1000"):
        FolderLog(tmp_path).new_records()


def test_a_folder_knows_which_problems_are_notes(tmp_path: Path) -> None:
    shutil.copy(LOGS / "xperf-pnp.csv", tmp_path / "a.csv")
    damaged = (LOGS / "two-s3-cycles.xml").read_bytes().replace(b'"WakeTime">2', b'"WakeTime">x')
    (tmp_path / "b.xml").write_bytes(damaged)
    log = FolderLog(tmp_path)
    log.new_records()

    integrity = log.describe().integrity
    assert not integrity.ok
    assert [name.partition(":")[0] for name in integrity.notes] == ["a.csv", "a.csv"]
    assert [name.partition(":")[0] for name in integrity.damage] == ["b.xml"]
