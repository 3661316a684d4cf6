"""CSV summaries of xperf, its raw dump, and tables of wpaexporter."""

from collections.abc import Callable
from pathlib import Path

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import ComponentKind, LogReading, SleepKind
from resume_rig.oslog.reading import read_logs
from resume_rig.oslog.xperf.csv_tables import cells_of, number_of, unit_ms

Read = Callable[..., LogReading]


def parts(reading: LogReading) -> list[tuple[object, ...]]:
    (record,) = reading.records
    return [(c.name, c.phase, c.duration_ms) for c in record.components]


def test_services_with_their_groups(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-services.csv"])
    assert (reading.sources[0].kind, reading.sources[0].from_description) == (
        "xperf-services",
        True,
    )
    assert parts(reading) == [
        ("PlugPlay", "start services", 621),
        ("Slowsvc", "start services", 6000),
        ("Wlansvc", "start services", 85),
    ]
    record = reading.records[0]
    assert [c.group for c in record.components] == ["PlugPlay", "AudioGroup", ""]
    assert record.components[0].detail.endswith("DcomLaunch, shared")
    assert record.components[1].start_ms == 15_001
    assert [(f.name, f.value) for f in record.figures] == [("services_auto_start_ms", 10_720)]
    assert record.kind is SleepKind.BOOT


def test_pnp_with_what_was_pended(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-pnp.csv"])
    record = reading.records[0]
    assert parts(reading)[:4] == [
        ("disk", "boot driver entry", 9),
        ("ramdisk", "driver load", 200),
        (r"ROOT\RAMDISK\0000", "device start", 3000),
        (r"ROOT\RAMDISK\0000", "device enumeration", 3000),
    ]
    held = [c.held_ms for c in record.components]
    assert held == pytest.approx([9, 200, 3000, 0.2, 0.1])
    assert [c.kind for c in record.components[:3]] == [
        ComponentKind.DRIVER,
        ComponentKind.DRIVER,
        ComponentKind.DEVICE,
    ]
    problems = reading.sources[0].integrity.problems
    assert reading.sources[0].integrity.ok
    assert any("microseconds were taken" in problem for problem in problems)
    assert any("2 rows are of a form that is not known" in problem for problem in problems)


def test_a_unit_in_the_title_is_obeyed(read: Read) -> None:
    text = (
        "EventType,StartTS (ms),PendTS (ms),EndTS (ms),InstancePath\nDeviceStart,1000,1500,2500,X\n"
    )
    reading = read(text)
    assert parts(reading) == [("X", "device start", 1500)]
    assert reading.records[0].components[0].held_ms == 500
    assert reading.sources[0].integrity.problems == ()


def test_the_dump_gives_video_initialisation(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-dumper.csv"])
    # csrss ends at 11.4 s, wininit begins at 13.65 s; then 14.1 s and 14.7 s.
    assert parts(reading) == [
        ("system session video", "SMSSInit", 2250),
        ("user session video", "SMSSInit", 600),
    ]
    record = reading.records[0]
    assert record.kind is SleepKind.BOOT
    assert [(f.name, f.value) for f in record.figures] == [("boot_start_drivers", 2)]
    assert reading.sources[0].os_build == 7600


def test_the_dump_gives_power_irps_as_in_the_paper(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-dumper-power.csv"])
    # Figure A-12: the IRP starts at 2.91 s and stops at 22.926 s.
    assert parts(reading) == [
        (r"ROOT\MSPIWDDEV\0001", "power IRP", 20),
        (r"ROOT\MSPIWDDEV\0000", "power IRP", 20_016),
    ]


def test_lines_that_findstr_took_out_are_enough(fixtures_dir: Path, read: Read) -> None:
    text = (fixtures_dir / "logs" / "xperf-dumper.csv").read_text()
    filtered = "\n".join(line for line in text.splitlines() if "ExecuteImage" in line)
    filtered = filtered.partition("EndHeader")[2] or "\n".join(filtered.splitlines()[2:])
    assert [row[2] for row in parts(read(filtered))] == [2250, 600]


def test_weights_of_one_process_are_added_up(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "wpa-processes.csv"])
    assert parts(reading) == [
        ("Slow_shutdown.exe (3604)", "trace (weight)", 5220),
        ("MsMpEng.exe (860)", "trace (weight)", 812.5),
    ]
    assert reading.records[0].kind is SleepKind.UNKNOWN


def test_regions_stand_one_by_one(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "wpa-regions.csv"])
    assert parts(reading) == [
        (r"Boot\Main Path", "trace", 24_741),
        (r"Boot\Post Boot", "trace", 6_200),
    ]
    assert reading.records[0].components[1].start_ms == 24_773


@pytest.mark.parametrize(
    "text",
    ["name,value\na,1\n", "Process,Count\na,1\n", "time (s),CH1\n0.1,1\n", "a\n", "1,2,3\n"],
    ids=["no unit", "no time", "a capture", "one column", "numbers"],
)
def test_other_tables_are_refused(read: Read, text: str) -> None:
    with pytest.raises(RecordError, match="found other text"):
        read(text)


def test_a_row_that_is_not_understood_is_told(read: Read) -> None:
    reading = read('Process,Weight (ms)\nA,12\nB\nC,x\n"D,7\n')
    assert parts(reading) == [("A", "trace (weight)", 12)]
    assert "3 rows" in reading.sources[0].integrity.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "Process,Weight (ms)\n",
        "EventType,StartTS,PendTS,EndTS\nDeviceStart,9,8,7\n",
        "Transition,ServiceName,TotalTime,StartedAt\n",
        "BeginHeader\nEndHeader\nCSwitch, 1, 2\n",
    ],
    ids=["wpa", "pnp", "services", "dumper"],
)
def test_a_table_without_a_row_shows_nothing_and_says_so(read: Read, text: str) -> None:
    reading = read(text)
    assert reading.records == ()
    assert reading.sources[0].records == 0
    assert reading.sources[0].integrity.problems[-1].endswith("so it shows nothing.")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0.0),
        (" 12.5 ", 12.5),
        ("5,200.25", 5200.25),
        ("1,234,567", 1_234_567.0),
        ("-1", None),
        ("1e9", None),
        ("12,34", None),
        ("nan", None),
        ("", None),
        ("9" * 40, None),
    ],
)
def test_numbers(text: str, number: float | None) -> None:
    assert number_of(text) == number


def test_units_and_cells() -> None:
    assert [unit_ms(t) for t in ("A (s)", "A [ms]", "A (µs)", "A (ns)", "A (MB)", "A")] == [
        *(1e3, 1.0, 1e-3),
        *(1e-6, None, None),
    ]
    assert cells_of('a, "b, c" ,d') == ["a", "b, c", "d"]
    assert cells_of('a,"never closed, b') == ["a", "never closed, b"]


@pytest.mark.parametrize(
    "name", ["xperf-services.csv", "xperf-pnp.csv", "wpa-regions.csv", "wpa-processes.csv"]
)
def test_a_table_that_is_cut_inside_a_row_is_not_whole(
    fixtures_dir: Path, tmp_path: Path, name: str
) -> None:
    whole = (fixtures_dir / "logs" / name).read_bytes().rstrip()
    path = tmp_path / name
    for cut in (1, 2, 3):
        path.write_bytes(whole[:-cut])  # perhaps a number's last digits
        source = read_logs([path]).sources[0]
        assert not source.integrity.ok
        assert any("ends inside a row" in problem for problem in source.integrity.problems)
    path.write_bytes(whole + b"\r\n")
    assert not any("inside a row" in p for p in read_logs([path]).sources[0].integrity.problems)
