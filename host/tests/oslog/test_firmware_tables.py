"""FPDT as a table and as a tree of sysfs, and suspend_stats."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from resume_rig.model.os_record import LogReading, SleepKind
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]


def fpdt(checksum_off_by: int = 0) -> bytes:
    table = bytearray(
        struct.pack("<4sIBB6s8sI4sI", b"FPDT", 68, 1, 0, b"EXAMPL", b"MODEL7  ", 1, b"EXPL", 1)
        + struct.pack("<HBBIQ", 0, 16, 1, 0, 0x1234)
        + struct.pack("<HBBIQ", 1, 16, 1, 0, 0x5678)
    )
    table[9] = (checksum_off_by - sum(table)) % 256
    return bytes(table)


def fbpt(*times_ns: int) -> bytes:
    return b"FBPT" + struct.pack("<IHBB4xQQQQQ", 56, 2, 48, 2, *times_ns)


def s3pt(count: int = 7, full_ns: int = 333_400_000, average_ns: int = 300_000_000) -> bytes:
    return (
        b"S3PT"
        + struct.pack("<I", 52)
        + struct.pack("<HBBIQQ", 0, 24, 1, count, full_ns, average_ns)
        + struct.pack("<HBBQQ", 1, 20, 1, 5, 7_000_005)
    )


BOOT = fbpt(90_000_000, 3_000_000_000, 3_100_000_000, 4_000_000_000, 4_100_000_000)


def test_all_three_tables_in_one_dump(read: Read) -> None:
    reading = read(fpdt() + BOOT + s3pt())
    boot, resume = reading.records
    assert reading.sources[0].integrity.problems == ()
    assert dict(reading.sources[0].identity)["s3_table"] == "0x5678"
    assert (boot.kind, boot.firmware_resume_ms) == (SleepKind.BOOT, None)
    assert [(c.start_ms, c.duration_ms) for c in boot.components] == [
        (90.0, 2910.0),
        (3000.0, 100.0),
        (3100.0, 900.0),
        (4000.0, 100.0),
    ]
    assert (resume.kind, resume.firmware_resume_ms, resume.firmware_resume_count) == (
        *(SleepKind.S3, 333),
        7,
    )
    assert {f.name: f.value for f in resume.figures} == {
        "firmware_suspend_ms": 7.0,
        "firmware_resume_ms": 333.4,
        "firmware_resume_average_ms": 300.0,
    }


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(fpdt(1) + s3pt(), "checksum of FPDT", id="checksum"),
        pytest.param(s3pt()[:-4], "S3PT ends too early: 48 of 52", id="cut"),
        pytest.param(s3pt() + b"rubbish!", "behind the tables", id="more behind"),
        pytest.param(b"S3PT" + struct.pack("<IHBB", 12, 0, 0, 1), "does not fit", id="length 0"),
        pytest.param(
            b"FBPT" + struct.pack("<IHBB4x", 16, 2, 8, 2), "too short", id="short boot record"
        ),
    ],
)
def test_damage_is_told(read: Read, data: bytes, problem: str) -> None:
    integrity = read(data).sources[0].integrity
    assert not integrity.ok
    assert problem in " ".join(integrity.problems)


@pytest.mark.parametrize("full_ns", [6_568_027_066_368, 900_000, 1], ids=["hours", "ticks", "one"])
def test_garbage_is_no_time(read: Read, full_ns: int) -> None:
    reading = read(s3pt(full_ns=full_ns))
    (resume,) = reading.records
    assert (resume.firmware_resume_ms, reading.sources[0].integrity.ok) == (None, True)
    assert "counts as not reported" in reading.sources[0].integrity.problems[0]


@pytest.mark.parametrize(
    "times", [(6_568_027_066_368, 7 * 10**12, 8 * 10**12, 9 * 10**12, 10**13), (5, 4, 3, 2, 1)]
)
def test_an_absurd_boot_has_no_times(read: Read, times: tuple[int, ...]) -> None:
    reading = read(fbpt(*times))
    (boot,) = reading.records
    assert (boot.kind, boot.components, boot.figures) == (SleepKind.BOOT, (), ())
    assert "counts as not reported" in reading.sources[0].integrity.problems[0]


def test_no_resume_yet_is_no_record(read: Read) -> None:
    assert read(s3pt(count=0, full_ns=0, average_ns=0)).records == ()


def test_pointers_alone_say_where_the_times_are(read: Read) -> None:
    reading = read(fpdt())
    assert reading.records == ()
    assert "only points to" in reading.sources[0].integrity.problems[0]


def test_tree_of_sysfs(fixtures_dir: Path) -> None:
    boot, resume = read_logs([fixtures_dir / "logs" / "fpdt-tree.txt"]).records
    assert [(c.name, c.duration_ms) for c in boot.components] == [
        ("firmware until the loader is read", 3409.0),
        ("reading the loader", 10.0),
    ]
    assert (resume.kind, resume.firmware_resume_ms, resume.firmware_resume_count) == (
        *(SleepKind.S3, 412),
        3,
    )


def test_suspend_stats_are_no_cycles(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "suspend_stats.txt"])
    identity = dict(reading.sources[0].identity)
    assert reading.records == ()
    assert (identity["suspend_success"], identity["suspend_fail"]) == ("20", "5")
    assert identity["suspend_last_failed_dev"] == "alarm"
    assert "20 succeeded, 5 failed" in reading.sources[0].integrity.problems[0]


def test_suspend_stats_as_a_tree(read: Read) -> None:
    folder = "/sys/power/suspend_stats"
    reading = read(f"{folder}/fail:0\n{folder}/success:3\n{folder}/last_hw_sleep:1500000\n")
    identity = dict(reading.sources[0].identity)
    assert identity == {
        "suspend_fail": "0",
        "suspend_success": "3",
        "suspend_last_hw_sleep_us": "1500000",
    }
