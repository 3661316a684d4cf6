"""ETL files: their header, and the sleeps of Kernel-Power, whole and damaged."""

import contextlib
import random
from pathlib import Path

import pytest
from etl_builder import (
    BUFFER,
    POWER_TROUBLESHOOTER,
    Ev,
    account,
    buffer,
    etl,
    irp,
    s3_sleep,
    u32,
)

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import ComponentKind, LogReading, OsRecord, SleepKind
from resume_rig.oslog.reading import read_logs

JAN_1_NS = 1_704_067_200_000_000_000


def read(tmp_path: Path, content: bytes, *others: Path) -> LogReading:
    path = tmp_path / "trace.etl"
    path.write_bytes(content)
    return read_logs([path, *others])


def test_a_trace_names_the_slow_device_and_judges_its_sleep(tmp_path: Path) -> None:
    (record,) = read(tmp_path, etl(s3_sleep())).records
    assert record.kind is SleepKind.S3
    assert (record.sleep_ms, record.wake_ms) == (900, 1500)
    assert (record.driver_init_ms, record.bios_init_ms, record.resume_ms) == (1350, 240, 1590)
    assert record.sleep_time_utc_ns == JAN_1_NS + 1_100_000_000
    parts = {(p.name, p.phase): p.duration_ms for p in record.components}
    assert parts["USB\\ROOT_HUB30", "resume devices"] == pytest.approx(1250)
    assert parts["PCI\\VEN_8086&DEV_1111", "resume devices"] == pytest.approx(4)
    assert parts["PCI\\VEN_8086&DEV_1111", "suspend devices"] == pytest.approx(200)
    assert parts["explorer.exe", "suspend apps"] == pytest.approx(50)
    assert parts["resume devices", ""] == pytest.approx(1350)
    # What a driver does of its own accord, nobody waits for.
    assert not any("HID" in part for part, _ in parts)


def test_the_header_says_which_machine_when_and_who_wrote(tmp_path: Path) -> None:
    (source,) = read(tmp_path, etl(s3_sleep())).sources
    told = dict(source.identity)
    assert (source.kind, source.os_build) == ("etl", 22631)
    assert told["computer"] == "UNIT-7"
    assert told["trace_started"] == "2024-01-01T00:00:00.000Z"
    assert told["trace_last_event"] == "2024-01-01T00:01:10.020Z"
    assert told["trace_clock"] == "performance counter, 10000000 Hz"
    assert told["provider_microsoft-windows-kernel-power"] == "20 events"


def test_the_example_is_what_the_builder_makes(fixtures_dir: Path) -> None:
    made = etl([*s3_sleep(), *s3_sleep(100, 0.3), account(100.1, 160.7, 161.0, 400)], size=4096)
    assert (fixtures_dir / "logs" / "s3-sleeps.etl").read_bytes() == made
    first, second = read_logs([fixtures_dir / "logs" / "s3-sleeps.etl"]).records
    assert (first.driver_init_ms, second.driver_init_ms) == (1350, 400)
    assert (first.wake_source.text, second.wake_source.text) == ("", "Power Button")


def test_two_sleeps_are_two_records(tmp_path: Path) -> None:
    records = read(tmp_path, etl([*s3_sleep(), *s3_sleep(100, 0.3)])).records
    assert [record.driver_init_ms for record in records] == [1350, 400]
    assert records[1].sleep_time_utc_ns == JAN_1_NS + 100_100_000_000


def test_the_account_in_the_trace_takes_up_what_was_timed(tmp_path: Path) -> None:
    events = [*s3_sleep(), account(1.1, 62.5, 63.0)]
    (record,) = read(tmp_path, etl(events)).records
    assert record.wake_source.text == "Power Button"
    assert record.kind is SleepKind.S3
    assert "USB\\ROOT_HUB30" in {part.name for part in record.components}


@pytest.mark.parametrize("trace_first", [True, False])
def test_beside_its_event_log_a_sleep_is_one_record(tmp_path: Path, trace_first: bool) -> None:
    log, trace = tmp_path / "System.xml", tmp_path / "trace.etl"
    trace.write_bytes(etl([*s3_sleep(), account(1.1, 62.5, 63.0)]))
    fields = {
        "SleepTime": "2024-01-01T00:00:01.1000000Z",
        "WakeTime": "2024-01-01T00:01:02.5000000Z",
        **{"SleepDuration": 900, "WakeDuration": 1500, "DriverInitDuration": 1350},
        **{"BiosInitDuration": 240, "HiberWriteDuration": 0, "HiberReadDuration": 0},
        **{"TargetState": 4, "EffectiveState": 4, "WakeSourceType": 1},
        "WakeSourceText": "Power Button",
    }
    data = "".join(f'<Data Name="{name}">{value}</Data>' for name, value in fields.items())
    log.write_text(
        f'<Events><Event><System><Provider Name="Microsoft-Windows-Power-Troubleshooter" Guid="{{'
        f'{POWER_TROUBLESHOOTER}}}"/><EventID>1</EventID><Version>3</Version><TimeCreated '
        'SystemTime="2024-01-01T00:01:03.0000000Z"/><EventRecordID>798</EventRecordID></System>'
        f"<EventData>{data}</EventData></Event></Events>"
    )
    (record,) = read_logs([trace, log] if trace_first else [log, trace]).records
    assert "USB\\ROOT_HUB30" in {part.name for part in record.components}
    assert record.record_id == (None if trace_first else 798)


def test_a_device_that_never_answered_has_no_length(tmp_path: Path) -> None:
    open_irp = irp(61.5, 1, "ACPI\\DEAD", 0x99)[:1]
    (record,) = read(tmp_path, etl([*s3_sleep(), *open_irp])).records
    (dead,) = [part for part in record.components if part.name == "ACPI\\DEAD"]
    assert (dead.duration_ms, dead.kind) == (None, ComponentKind.DEVICE)


def test_what_is_lost_or_compressed_is_said(tmp_path: Path) -> None:
    packed = bytearray(buffer([Ev(1, 42, u32(4, 4)).packed()], size=4096))
    packed[0x30:0x34] = u32(BUFFER)
    (source,) = read(tmp_path, etl(s3_sleep(), lost=7) + bytes(packed)).sources
    assert not source.integrity.ok
    told = " ".join(source.integrity.problems)
    assert "1 buffer is compressed and not read" in told
    assert "lost 7 events" in told


def test_a_trace_of_others_says_what_to_record(tmp_path: Path) -> None:
    reading = read(tmp_path, etl([Ev(1, 1, provider="0cd1c309-0878-4515-83db-749843b3f5c9")]))
    assert reading.records == ()
    assert "No event of Kernel-Power was found" in reading.sources[0].integrity.problems[0]


def test_a_name_that_ends_outside_its_event_is_counted(tmp_path: Path) -> None:
    event = Ev(61.5, 7, bytes(21) + b"\xff\xff" + b"AB")
    (source,) = read(tmp_path, etl([*s3_sleep(), event])).sources
    assert "1 event of Kernel-Power ended before the values did" in " ".join(
        source.integrity.problems
    )


def test_a_cut_trace_keeps_what_came_before(tmp_path: Path) -> None:
    reading = read(tmp_path, etl(s3_sleep())[: 2 * BUFFER + 400])
    assert len(reading.records) == 1
    assert not reading.sources[0].integrity.ok


@pytest.mark.parametrize("seed", range(150))
def test_a_mutated_trace_is_read_or_refused_in_a_sentence(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    content = bytearray(etl([*s3_sleep(), account(1.1, 62.5, 63.0)], lost=draw.randrange(2)))
    used = [*range(600), *range(BUFFER, BUFFER + 3000), *range(2 * BUFFER, 2 * BUFFER + 2000)]
    for _ in range(draw.randrange(1, 40)):
        content[draw.choice(used)] = draw.choice((0, 1, 0x7F, 0xFF, draw.randrange(256)))
    if draw.random() < 0.3:
        del content[draw.randrange(len(content)) :]
    records: tuple[OsRecord, ...] = ()
    with contextlib.suppress(RecordError):
        records = read(tmp_path, bytes(content)).records
    for record in records:
        assert all(len(part.name) <= 260 for part in record.components)
