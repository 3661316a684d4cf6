"""Sleeps that no account tells of: how each ended, by the events and lines around it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from readings import figures

from resume_rig.model.os_record import Ending, LogReading, OsRecord, SleepKind
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]


@pytest.fixture
def found(fixtures_dir: Path) -> Callable[[str], tuple[OsRecord, ...]]:
    return lambda name: read_logs([fixtures_dir / "logs" / name]).records


def test_every_sleep_of_a_log_is_a_transition(found) -> None:
    records = found("wakes-without-account.xml")
    assert [(each.kind, each.ending) for each in records] == [
        *((SleepKind.S3, Ending.RESUMED), (SleepKind.S3, Ending.RESUMED)),
        *((SleepKind.S3, Ending.RESUMED), (SleepKind.ABORTED, Ending.REFUSED)),
        *((SleepKind.S3, Ending.RESUMED), (SleepKind.S4, Ending.BECAME_BOOT)),
        *((SleepKind.DIED, Ending.DIED), (SleepKind.S3, Ending.OPEN)),
    ]
    assert {each.computer for each in records} == {"BENCH-4"}
    seen = records[1]
    assert (seen.firmware_resume_ms, seen.resume_ms, seen.sleep_ms) == (405, None, None)
    assert (seen.sleep_time_utc_ns or 0) < (seen.wake_time_utc_ns or 0)
    assert "0xc000009a" in records[5].notes[0]


def test_newest_first_tells_the_same(found, read: Read, fixtures_dir: Path) -> None:
    text = (fixtures_dir / "logs" / "wakes-without-account.xml").read_text()
    head, *events, end = text.splitlines()
    turned = read("\n".join((head, *reversed(events), end)))
    assert turned.records == found("wakes-without-account.xml")


@pytest.mark.parametrize(
    ("boot", "kind"), [(("KG", 12, {"BuildVersion": 1}), "12"), (("KB", 27, {"BootType": 0}), "27")]
)
def test_an_s3_that_became_a_boot_may_have_lost_its_power(write, read: Read, boot, kind) -> None:
    _, record = read([*write.cycle(), write.asleep(), write.event(*boot)]).records
    assert (record.kind, record.ending, record.failed) == ("S3", "became-boot", False)


@pytest.mark.parametrize("states", [4, 5])
@pytest.mark.parametrize("then", ["asleep", "boot", "end", "shutdown"])
def test_of_a_log_without_wakes_no_ending_is_known(write, read: Read, states, then) -> None:
    """Windows 7 writes no event of a wake but the account, and that may be lost."""
    entering = write.event("KP", 42, {"TargetState": states, "EffectiveState": states})
    account = write.account(TargetState=states, EffectiveState=states)
    after = {
        "asleep": [entering, account],
        "boot": [write.boot(7600)],
        "end": [],
        "shutdown": [write.event("KG", 13, {})],
    }
    timed, open_one, *_ = read([entering, account, entering, *after[then]]).records
    assert timed.ending == "resumed"
    assert (open_one.ending, open_one.failed, open_one.resume_ms) == (None, False, None)
    assert open_one.kind == timed.kind  # it counts among those, undecided
    assert "not known" in open_one.notes[0]


def test_without_wakes_what_a_boot_says_of_itself_is_known(write, read: Read) -> None:
    entering = write.event("KP", 42, {"TargetState": 5, "EffectiveState": 5})
    boot = write.boot(19045)
    refused = write.event("KB", 29, {"FailureStatus": "0xc000009a"})
    failed, *_ = read([entering, boot, refused, write.event("KB", 27, {"BootType": 0})]).records
    assert (failed.ending, failed.failed) == ("became-boot", True)
    events = [write.asleep(), write.boot(7600), write.event("KP", 41, {"SleepInProgress": 4})]
    (died,) = read(events).records
    assert died.ending == "died"


def test_a_resume_from_the_image_is_no_boot(write, read: Read) -> None:
    states = {"TargetState": 5, "EffectiveState": 5}
    events = [
        write.event("KP", 42, states),
        *write.wake(),
        write.event("KB", 27, {"BootType": 2}),
        write.account(**states),
    ]
    (record,) = read(events).records
    assert (record.kind, record.ending, record.failed) == ("S4", "resumed", False)


def test_a_log_that_begins_in_a_sleep_has_its_wake(write, read: Read) -> None:
    (record,) = read([*write.wake(612), write.boot(22000)]).records
    assert (record.ending, record.firmware_resume_ms) == ("resumed", 612)
    assert record.sleep_time_utc_ns is None


def test_a_log_that_was_cleared_is_two_stretches_in_its_order(
    fixtures_dir: Path, read: Read
) -> None:
    """Numbers that begin anew later in time are no reason to sort."""
    text = (fixtures_dir / "logs" / "wakes-without-account.xml").read_text()
    for place, number in enumerate(range(551, 600, 3), start=1):
        text = text.replace(f"<EventRecordID>{number}<", f"<EventRecordID>{place}<")
    kinds = [(each.kind, each.ending) for each in read(text).records]
    assert kinds == [
        (each.kind, each.ending)
        for each in read_logs([fixtures_dir / "logs" / "wakes-without-account.xml"]).records
    ]


def test_an_image_that_a_driver_refuses(found) -> None:
    refused, slept = found("linux-hibernate-refused.txt")
    assert (refused.kind, refused.ending, refused.failed) == ("S4", "became-boot", True)
    assert "0000:00:02.0 (xe) failed to quiesce, error -22" in refused.notes[0]
    assert (slept.kind, slept.ending) == ("s2idle", "resumed")
    assert figures(slept)["deepest_state_missed"] == 1
    assert figures(slept)["longest_gap_ms"] == 3500.0
    assert "0000:57:00.0 (igc) failed to resume async, error -110." in slept.notes
    device = next(each for each in slept.components if each.detail == "igc")
    assert (device.name, device.duration_ms) == ("0000:57:00.0", 3497.112)


def test_connected_standby_has_sessions_without_a_state(found) -> None:
    long, short = found("connected-standby-tables.html")
    assert {each.kind for each in (long, short)} == {SleepKind.MODERN_STANDBY}
    assert figures(long) == {
        **{"session_us": 7.2e9, "drips_percent": 80.0, "hardware_drips_percent": 25.0},
        **{"drips_delta_percent": 55.0, "energy_drain_mwh": 1640.0},
    }
    assert "energy_drain_mwh" not in figures(short)  # it was charged
    assert [(c.name, c.duration_ms) for c in long.components] == [
        ("Audio & Sensor Hub", 1_440_000.0)
    ]


def test_an_exit_without_the_screen_is_no_resume(read: Read) -> None:
    def session(number: int, screen_ms: int) -> str:
        values = (("TotalInMs", 733), ("ScreenOnExitTime", screen_ms))
        pairs = ",".join(
            f'{{"Key":"MSExitPerformance.{name}","Value":{value}}}' for name, value in values
        )
        return (
            f'{{"Type":2,"SessionId":{number},"EnterReason":"Idle","ExitReason":"Lid",'
            f'"EntryTimestamp":"2026-05-01T0{number}:00:00Z","Duration":1000000000,'
            f'"ExitTimestamp":"2026-05-01T0{number}:16:40Z","EntryRemainingCapacity":40000,'
            '"ExitRemainingCapacity":39250,"TopBlockers":[{"Name":"Disk","ActiveTime":400000000,'
            f'"ActiveTimePercent":40}}],"Metadata":{{"Values":[{pairs}]}}}}'
        )

    report = f'LocalSprData = {{"ScenarioInstances": [{session(1, 0)}, {session(2, 88)}]}};'
    gone, back = read(f"<html><script>{report}</script></html>").records
    assert (gone.kind, back.kind) == (SleepKind.DOZE, SleepKind.MODERN_STANDBY)
    assert "exit_latency_us" not in figures(gone)
    assert figures(back)["exit_latency_us"] == 733_000
    assert figures(back)["energy_drain_mwh"] == 750
    assert back.notes == (
        *("Entered: Idle; left: Lid.", "The battery lost 750 mWh."),
        "Most active: Disk, in 40 % of it.",
    )


@pytest.mark.parametrize(
    "front",
    [
        "[ {s}.000000] [ T77] ",
        "[ {s}.000000 <    1.000000>] ",
        "[<    1.000000>] ",
        "[Mi Mai  1 10:00:{s} 2024 <    1.000000>] ",
        "kern  :info  : [ {s}.000000 <    1.000000>] ",
    ],
)
def test_forms_of_dmesg(read: Read, front: str) -> None:
    lines = (
        *("PM: suspend entry (deep)", "PM: suspend of devices complete after 12.500 msecs"),
        *("ACPI: PM: Low-level resume complete", "PM: suspend exit"),
    )
    text = "".join(f"{front.format(s=n)}{line}\n" for n, line in enumerate(lines, 10))
    (record,) = read(text).records
    assert (record.kind, record.ending) == (SleepKind.S3, Ending.RESUMED)


def test_who_kept_it_awake_is_named(read: Read) -> None:
    lines = (
        *("PM: suspend entry (s2idle)", "PM: Wakeup pending, aborting suspend"),
        *("PM: active wakeup source: rtc0", "PM: suspend exit", "PM: suspend entry (deep)"),
        "Freezing user space processes failed after 20.001 seconds (1 tasks refusing to freeze):",
        *("task:backup          state:D stack:0     pid:88", "PM: suspend exit"),
    )
    text = "".join(f"[ {n}.000000] {line}\n" for n, line in enumerate(lines, 10))
    first, second = read(text).records
    assert (first.wake_source.text, first.ending) == ("wakeup source rtc0", Ending.REFUSED)
    assert second.wake_source.text == "backup did not freeze"
