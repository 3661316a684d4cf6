"""What Diagnostics-Performance names: read from every form, joined by time, bounded, ranked."""

import dataclasses
import json
from pathlib import Path

import pytest

from resume_rig.analysis.findings.advice import Owner, advise, rank, transition_length_ms
from resume_rig.model.os_record import ComponentKind, OsRecord, SleepKind
from resume_rig.oslog.event.delays import COMPONENT_LIMIT, JOIN_NS, NAME_LIMIT_CHARS, with_delays
from resume_rig.oslog.event.xml_export import EventLogFollower
from resume_rig.oslog.reading import read_logs

S = 1_000_000_000
DRIVER, DEVICE, PHASE = ComponentKind.DRIVER, ComponentKind.DEVICE, ComponentKind.PHASE
START = "2024-05-01T10:00:00.2000000Z"


@pytest.fixture
def delays(fixtures_dir: Path) -> Path:
    return fixtures_dir / "logs" / "diagnostics-performance.xml"


@pytest.fixture
def system(fixtures_dir: Path) -> Path:
    return fixtures_dir / "logs" / "power-notes.xml"


def of_kind(records: tuple[OsRecord, ...], kind: SleepKind) -> list[OsRecord]:
    return [record for record in records if record.kind is kind]


def event(event_id: int, number: int = 1, **values: object) -> str:
    data = "".join(f'<Data Name="{name}">{value}</Data>' for name, value in values.items())
    return (
        '<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event"><System>'
        '<Provider Name="Microsoft-Windows-Diagnostics-Performance"'
        ' Guid="{CFC18EC0-96B1-4EBA-961B-622CAEE05B0A}"/>'
        f"<EventID>{event_id}</EventID><Version>1</Version>"
        '<TimeCreated SystemTime="2024-05-01T10:10:09.0000000Z"/>'
        f"<EventRecordID>{number}</EventRecordID></System><EventData>{data}</EventData></Event>"
    )


def delay(event_id: int, name: str, total_ms: object, number: int = 1, start: str = START) -> str:
    return event(event_id, number, StartTime=start, Name=name, TotalTime=total_ms)


def test_each_transition_is_a_record_with_what_delayed_it(delays: Path) -> None:
    records = read_logs([delays]).records
    boot, shutdown, sleep, other = (
        *of_kind(records, SleepKind.BOOT),
        *of_kind(records, SleepKind.SHUTDOWN),
        *of_kind(records, SleepKind.STANDBY_PERFORMANCE),
    )
    assert [transition_length_ms(each) for each in (boot, shutdown, sleep, other)] == [
        *(51_237, 12_800, 1_710 + 930),
        None,
    ]
    assert {(c.kind.value, c.name, c.duration_ms) for c in boot.components} == {
        ("phase", "main path", 24_437),
        ("phase", "post boot", 26_800),
        ("application", "ExampleSync.exe", 11_819),
        ("driver", "exfilter", 8_403),
        ("service", "ExampleUpdate", 4_956),
        ("device", r"PCIIDE\IDEChannel\4&12fe863b&0&0", 4_795),
        ("phase", "SMSSInit", 16_484),
    }
    assert [(c.name, c.phase) for c in shutdown.components] == [("SlowSpool", "shutdown services")]
    assert [(c.name, c.phase) for c in other.components] == [
        ("ExampleSync.exe", "suspend apps"),
        ("HiberRead", "resume"),
    ]
    assert [c.kind for c in sleep.components] == [
        *(PHASE, PHASE, DRIVER, DEVICE, DRIVER, DEVICE, ComponentKind.SERVICE)
    ]
    assert sleep.components[2].detail == (
        "degradation 440 ms, Example Audio Inc., Example Audio Driver, 6.0.1"
    )
    assert sleep.components[3].detail == "degradation 430 ms, driver exaudio.sys"


def test_what_delayed_a_sleep_goes_to_the_record_of_that_sleep(system: Path, delays: Path) -> None:
    for paths in ([system, delays], [delays, system]):
        records = read_logs(paths).records
        (s3,) = of_kind(records, SleepKind.S3)
        assert s3.resume_ms == 1_614
        assert [c.name for c in s3.components if c.kind is DRIVER] == ["exaudio.sys", "exwlan.sys"]
        (left,) = of_kind(records, SleepKind.STANDBY_PERFORMANCE)
        assert left.sleep_time_utc_ns == s3.sleep_time_utc_ns + 7_199_800_000_000  # type: ignore[operator]


def test_one_file_may_hold_both_logs(system: Path, delays: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.xml"
    lines = [path.read_text().splitlines() for path in (system, delays)]
    both.write_text("\n".join(line for each in lines for line in each if "<Event " in line))
    apart, together = read_logs([system, delays]).records, read_logs([both]).records
    bare = [dataclasses.replace(record, source=0) for record in apart]
    assert sorted(map(repr, bare)) == sorted(map(repr, together))


@pytest.mark.parametrize("late_s", [10, 11])
def test_a_sleep_that_is_not_near_takes_nothing(system: Path, delays: Path, late_s: int) -> None:
    (s3,) = of_kind(read_logs([system]).records, SleepKind.S3)
    (account, _) = of_kind(read_logs([delays]).records, SleepKind.STANDBY_PERFORMANCE)
    assert s3.sleep_time_utc_ns is not None
    assert s3.wake_time_utc_ns is not None
    moved = dataclasses.replace(
        s3,
        sleep_time_utc_ns=s3.sleep_time_utc_ns + late_s * S,
        wake_time_utc_ns=s3.wake_time_utc_ns + late_s * S,
    )
    assert JOIN_NS == 10 * S
    assert with_delays([moved, account]).count(None) == (late_s == 10)


def test_of_a_doze_and_its_s4_the_end_tells_which(system: Path, delays: Path) -> None:
    (s3,) = of_kind(read_logs([system]).records, SleepKind.S3)
    (account, _) = of_kind(read_logs([delays]).records, SleepKind.STANDBY_PERFORMANCE)
    doze = dataclasses.replace(s3, kind=SleepKind.DOZE, wake_time_utc_ns=s3.sleep_time_utc_ns)
    joined = with_delays([doze, s3, account])
    assert joined[0] == doze
    assert joined[1] is not None
    assert joined[1].components
    assert joined[2] is None


def test_two_sleeps_that_are_both_near_leave_it_alone(system: Path, delays: Path) -> None:
    (s3,) = of_kind(read_logs([system]).records, SleepKind.S3)
    (account, _) = of_kind(read_logs([delays]).records, SleepKind.STANDBY_PERFORMANCE)
    other = dataclasses.replace(s3, record_id=1)
    assert with_delays([s3, other, account]) == [s3, other, account]


def test_exports_that_overlap_count_a_delay_once(delays: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.xml"
    lines = [line for line in delays.read_text().splitlines() if "<Event " in line]
    twice.write_text("\n".join(lines + lines[::-1]))
    once = read_logs([delays]).records
    assert read_logs([twice]).records == once
    again = read_logs([delays, twice]).records
    assert sorted(map(repr, again)) == sorted(map(repr, once))


def test_a_log_that_grows_tells_the_same_in_the_end(delays: Path) -> None:
    follower = EventLogFollower("memory")
    found: list[OsRecord] = []
    for line in delays.read_bytes().splitlines(keepends=True):
        found += follower.feed(line)
    joined = [record for record in with_delays(found) if record is not None]
    whole = read_logs([delays]).records
    assert [(r.kind, r.sleep_time_utc_ns, r.components) for r in joined] == [
        (r.kind, r.sleep_time_utc_ns, r.components) for r in whole
    ]


def test_an_export_with_places_alone_is_read_by_the_layout(tmp_path: Path) -> None:
    values = [START, 9, "exwlan.sys", 0, "", 0, "", 1120, 900, 0, "", 0, "", 11, "Radio Ltd"]
    record = {
        "ProviderName": "Microsoft-Windows-Diagnostics-Performance",
        "Id": 302,
        "Version": 1,
        "RecordId": 7,
        "Properties": [{"Value": v} for v in (*values, 3, "PCI", 5, "Wi-Fi", 1100, 880)],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps([record]))
    (account,) = read_logs([path]).records
    assert [(c.name, c.duration_ms) for c in account.components] == [
        ("exwlan.sys", 1120),
        ("Wi-Fi", 1100),
    ]


def test_what_is_damaged_is_counted_and_never_guessed(tmp_path: Path) -> None:
    path = tmp_path / "damaged.xml"
    path.write_text(
        "\n".join(
            (
                delay(302, "no-number.sys", "soon"),
                delay(302, "no-time.sys", 700, start="yesterday"),
                delay(302, "years.sys", 4_000_000_000),
                delay(302, "", 800),
                event(302, StartTime=START, Name="silent.sys"),
                event(300, StandbyStartTime=START, StandbySuspendTotal=-1),
            )
        )
    )
    reading = read_logs([path])
    dated = [r for r in reading.records if r.sleep_time_utc_ns is not None]
    assert [[c.name for c in record.components] for record in dated] == [["(no name)"]]
    assert reading.sources[0].integrity.problems == (
        "1 time could not be read and counts as not reported.",
        "2 numbers could not be read and count as not reported.",
        "1 time of Diagnostics-Performance is longer than a day and counts as not reported.",
    )


def test_hostile_names_and_floods_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "flood.xml"
    many = (delay(302, f"{n}{'x' * 3000}", n, n) for n in range(COMPONENT_LIMIT + 7))
    path.write_text("\n".join(many))
    reading = read_logs([path])
    (account,) = reading.records
    assert len(account.components) == COMPONENT_LIMIT
    assert max(len(c.name) for c in account.components) == NAME_LIMIT_CHARS
    assert reading.sources[0].integrity.problems == (
        "7 delays beyond the 500 of one transition were left out.",
    )


def test_events_of_other_subjects_tell_nothing(tmp_path: Path) -> None:
    path = tmp_path / "shell.xml"
    path.write_text(event(401, StartTime=START, Name="explorer.exe", TotalTime=9000))
    assert read_logs([path]).records == ()


def test_the_worst_comes_first_and_has_an_owner(system: Path, delays: Path) -> None:
    reading = read_logs([system, delays])
    drivers = [one for one in rank(reading.records) if one.kind is DRIVER]
    assert [(one.moment, one.name) for one in drivers] == [
        ("boot", "exfilter"),
        ("sleep", "exwlan.sys"),
        ("sleep", "exaudio.sys"),
    ]
    assert drivers[2].share == 640 / (1_710 + 930)
    owners = {each.topic: (each.owner, each.names[0]) for each in advise(reading)}
    assert owners["slow-resume-device"] == (Owner.DRIVER_VENDOR, "exaudio.sys")
    assert owners["slow-suspend-device"] == (Owner.DRIVER_VENDOR, "exwlan.sys")
    assert owners["slow-boot-device"] == (Owner.DRIVER_VENDOR, "exfilter")
    assert owners["slow-startup-application"] == (Owner.IMAGE_TEAM, "ExampleSync.exe")
