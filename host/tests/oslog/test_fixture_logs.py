"""The project's own example logs say what their README promises."""

from pathlib import Path

from resume_rig.oslog.reading import read_logs


def test_four_s3_cycles(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "four-s3-cycles.xml"])
    found = [(r.kind.value, r.bios_init_ms, r.driver_init_ms, r.resume_ms) for r in reading.records]
    assert found == [
        ("S3", 812, 1240, 2052),
        ("S3", 798, 780, 1578),
        ("S3", 801, 815, 1616),
        ("S3", 799, 792, 1591),
    ]
    assert [record.firmware_resume_ms for record in reading.records] == [708, 694, 697, 695]
    assert (reading.sources[0].os_build, reading.sources[0].integrity.problems) == (22631, ())


def test_every_kind_newest_first(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "every-kind.xml"])
    found = [(r.kind.value, r.resume_ms, r.wake_source.name) for r in reading.records]
    assert found == [
        ("S3", 1598, "power button"),
        ("hybrid", 1615, "device"),
        ("S4", 9044, "unknown"),
        ("fast-startup", None, "unknown"),
        ("S1", None, "power button"),
        ("doze", None, "S4 doze to hibernate"),
        ("aborted", None, "timer"),
    ]
    assert reading.records[1].wake_source.text == 'USB 3.1 Host Controller <1.10> & "Hub"'
    assert reading.sources[0].integrity.problems == ()
