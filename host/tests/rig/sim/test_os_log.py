"""The simulated event log: order, stale and coarse times, averages, records that come late."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from resume_rig.model.dut import SOUND, DutProfile
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.dut.event import (
    DisplayOff,
    DriversReady,
    OsBooted,
    OsFrozen,
    OsMoment,
    OsResumed,
    PowerLost,
    RecordDue,
    SimFault,
    SleepBegan,
    SleepEntered,
    WakeCause,
    WakeEnded,
)
from resume_rig.rig.sim.dut.os_log import OsClock, OsLog

MS = 1_000_000
S = 1_000 * MS
UTC_NS = 1_767_603_600 * S
NAMESPACE = "{http://schemas.microsoft.com/win/2004/08/events/event}"

PROFILE = replace(
    load_dut_profile("healthy-laptop"), os_build=22_000, firmware_extra_ms=24, behaviour=SOUND
)


@dataclass(frozen=True)
class Written:
    """One event as read back from the document."""

    provider: str
    number: int
    version: int
    record_id: int
    t_ns: int
    computer: str
    fields: dict[str, str]

    @property
    def label(self) -> str:
        return f"{self.provider.removeprefix('Microsoft-Windows-')} {self.number}"

    def whole(self, name: str) -> int:
        return int(self.fields[name])

    def time(self, name: str) -> int:
        return filetime_ns(self.fields[name])


def filetime_ns(text: str) -> int:
    seconds, fraction = text.removesuffix("Z").split(".")
    assert len(fraction) == 7
    return round(datetime.fromisoformat(f"{seconds}+00:00").timestamp()) * S + int(fraction) * 100


def parsed(document: str) -> list[Written]:
    root = ET.fromstring(document)
    assert root.tag == "Events"
    found: list[Written] = []
    for event in root:
        system = event.find(f"{NAMESPACE}System")
        data = event.find(f"{NAMESPACE}EventData")
        assert system is not None
        assert data is not None
        provider = system.find(f"{NAMESPACE}Provider")
        created = system.find(f"{NAMESPACE}TimeCreated")
        assert provider is not None
        assert created is not None
        found.append(
            Written(
                provider.attrib["Name"],
                int(system.findtext(f"{NAMESPACE}EventID", "")),
                int(system.findtext(f"{NAMESPACE}Version", "")),
                int(system.findtext(f"{NAMESPACE}EventRecordID", "")),
                filetime_ns(created.attrib["SystemTime"]),
                system.findtext(f"{NAMESPACE}Computer", ""),
                {item.attrib["Name"]: item.text or "" for item in data},
            )
        )
    return found


def make_log(
    seed: int = 1,
    faults: frozenset[SimFault] = frozenset(),
    profile: DutProfile = PROFILE,
) -> OsLog:
    return OsLog(profile, OsClock(UTC_NS, default_rng(seed)), default_rng(seed + 1), faults)


def cycle(
    start_ns: int,
    *,
    asleep_ns: int = 5 * S,
    bios_ns: int = 195 * MS + 7,
    driver_ns: int = 720 * MS + 999_999,
    user_ns: int = 30 * MS + 2,
    record_after_ns: int | None = 900 * MS,
    cause: WakeCause = WakeCause.BUTTON,
) -> list[OsMoment]:
    resumed_ns = start_ns + 800 * MS + asleep_ns
    ended_ns = resumed_ns + driver_ns + user_ns
    moments: list[OsMoment] = [
        SleepBegan(start_ns),
        DisplayOff(start_ns + 24 * MS),
        SleepEntered(start_ns + 480 * MS),
        OsFrozen(start_ns + 800 * MS),
        OsResumed(resumed_ns, cause, bios_ns, driver_ns, user_ns),
        DriversReady(resumed_ns + driver_ns),
        WakeEnded(ended_ns),
    ]
    if record_after_ns is not None:
        moments.append(RecordDue(ended_ns + record_after_ns))
    return moments


def written(moments: list[OsMoment], log: OsLog | None = None) -> list[Written]:
    log = log or make_log()
    for moment in moments:
        log.take(moment)
    return parsed(log.document())


def only(events: list[Written], label: str) -> list[Written]:
    return [event for event in events if event.label == label]


def record_of(events: list[Written]) -> Written:
    (record,) = only(events, "Power-Troubleshooter 1")
    return record


def test_a_log_begins_with_a_boot_that_tells_the_build() -> None:
    events = written([])
    assert [event.label for event in events] == [
        "Kernel-General 12",
        "Kernel-Boot 20",
        "Kernel-Boot 27",
    ]
    assert events[0].fields["BuildVersion"] == "22000"


def test_a_cycle_is_written_in_the_real_order_and_versions() -> None:
    events = written(cycle(10 * S))[3:]
    assert [(event.label, event.version) for event in events] == [
        ("Kernel-Power 566", 0),
        ("Kernel-Power 42", 3),
        ("Kernel-Power 107", 1),
        ("Kernel-General 1", 3),
        ("Kernel-Power 131", 0),
        ("Kernel-Power 130", 0),
        ("Kernel-Power 566", 0),
        ("Kernel-Power 566", 0),
        ("Power-Troubleshooter 1", 3),
    ]


def test_the_resume_event_carries_the_time_at_which_the_clock_stopped() -> None:
    events = written(cycle(10 * S, asleep_ns=3_600 * S))
    (resumed,) = only(events, "Kernel-Power 107")
    (clock_set,) = only(events, "Kernel-General 1")
    (entering,) = only(events, "Kernel-Power 42")
    assert resumed.t_ns - clock_set.time("OldTime") == 90_000
    assert resumed.t_ns - entering.t_ns < S
    assert clock_set.time("NewTime") - clock_set.time("OldTime") > 3_500 * S


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31), start_ns=st.integers(0, 10_000 * S))
def test_time_after_a_wake_is_the_rtc_to_half_a_second(seed: int, start_ns: int) -> None:
    clock_set = only(written(cycle(start_ns), make_log(seed)), "Kernel-General 1")[0]
    new_ns = clock_set.time("NewTime")
    true_ns = UTC_NS + start_ns + 5_800 * MS
    assert new_ns % S == S // 2
    assert clock_set.fields["Reason"] == "2"
    # RTC offset up to 4 s, half a second of its steps, 20 ppm of 10,000 s.
    assert abs(new_ns - true_ns) <= 4 * S + S // 2 + S // 5


def test_rtc_steps_spread_the_absolute_error_over_half_a_second() -> None:
    log = make_log()
    moments = [
        moment for number in range(40) for moment in cycle(number * 17 * S + number * 83 * MS)
    ]
    resumes = [moment.t_ns for moment in moments if isinstance(moment, OsResumed)]
    events = written(moments, log)
    errors = [
        event.time("NewTime") - UTC_NS - resumed_ns
        for event, resumed_ns in zip(only(events, "Kernel-General 1"), resumes, strict=True)
    ]
    assert S * 0.8 < max(errors) - min(errors) <= S * 1.05


def test_the_record_tells_whole_milliseconds_of_what_happened() -> None:
    record = record_of(written(cycle(10 * S)))
    assert {name: record.whole(name) for name in record.fields if name.endswith("Duration")} == {
        "SleepDuration": 800,
        "WakeDuration": 751,
        "DriverInitDuration": 720,
        "BiosInitDuration": 195,
        "HiberWriteDuration": 0,
        "HiberReadDuration": 0,
        "CheckpointDuration": 0,
    }
    assert (record.fields["TargetState"], record.fields["EffectiveState"]) == ("4", "4")


def test_wake_time_is_the_rtc_reading_plus_wake_duration() -> None:
    events = written(cycle(10 * S))
    record = record_of(events)
    (clock_set,) = only(events, "Kernel-General 1")
    expected_ns = clock_set.time("NewTime") + record.whole("WakeDuration") * MS
    assert abs(record.time("WakeTime") - expected_ns) <= 15 * MS
    assert 0 < record.t_ns - record.time("WakeTime") - 900 * MS + 15 * MS < 30 * MS


def test_events_have_the_fields_of_a_real_log_in_their_order(shared_data: Path) -> None:
    real: dict[tuple[str, int], list[str]] = {}
    document = (shared_data / "eventlog" / "win11-22000-laptop-s3.xml").read_text("utf-8")
    for event in parsed(document):
        real.setdefault((event.label, event.version), list(event.fields))
    for event in written(cycle(0)):
        assert list(event.fields) == real[event.label, event.version], event.label


@pytest.mark.parametrize(
    ("build", "version", "device_type"),
    [(7_600, 1, "4"), (10_240, 2, "4"), (17_134, 2, "5"), (18_990, 3, "5"), (22_000, 3, "5")],
)
def test_record_version_and_wake_source_follow_the_build(
    build: int, version: int, device_type: str
) -> None:
    log = make_log(profile=replace(PROFILE, os_build=build))
    record = record_of(written(cycle(0, cause=WakeCause.DEVICE), log))
    assert record.version == version
    assert record.fields["WakeSourceType"] == device_type
    assert record.whole("WakeSourceTextLength") == len(record.fields["WakeSourceText"]) > 0


def test_a_wake_by_the_button_says_so() -> None:
    record = record_of(written(cycle(0)))
    assert (record.fields["WakeSourceType"], record.fields["WakeSourceText"]) == ("1", "")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(30, 3_000), min_size=1, max_size=12))
def test_the_firmwares_average_obeys_its_formula(bios_ms: list[int]) -> None:
    moments = [
        moment
        for number, ms in enumerate(bios_ms)
        for moment in cycle(number * 20 * S, bios_ns=ms * MS)
    ]
    events = written(moments)
    whole = 0
    claims = only(events, "Kernel-Power 131")
    records = only(events, "Power-Troubleshooter 1")
    for count, (claim, record) in enumerate(zip(claims, records, strict=True), start=1):
        full = claim.whole("FullResume")
        whole += full
        assert claim.whole("ResumeCount") == count
        assert claim.whole("AverageResume") == whole // count
        assert record.whole("BiosInitDuration") - full == PROFILE.firmware_extra_ms


def test_record_numbers_ascend_with_gaps() -> None:
    events = written([moment for number in range(10) for moment in cycle(number * 20 * S)])
    steps = [after.record_id - before.record_id for before, after in pairwise(events)]
    assert min(steps) == 1
    assert max(steps) > 1


def test_a_record_due_while_the_next_sleep_begins_says_nothing_but_zeros() -> None:
    first = cycle(10 * S, record_after_ns=None)
    ended_ns = first[-1].t_ns
    again = cycle(ended_ns + 300 * MS)
    events = written([*first, again[0], RecordDue(ended_ns + 500 * MS), *again[1:]])
    spoilt, whole = only(events, "Power-Troubleshooter 1")
    assert spoilt.fields["DriverInitDuration"] == spoilt.fields["BiosInitDuration"] == "0"
    assert (spoilt.fields["TargetState"], spoilt.fields["EffectiveState"]) == ("0", "0")
    assert spoilt.time("SleepTime") > spoilt.time("WakeTime")
    assert spoilt.time("SleepTime") == whole.time("SleepTime")
    assert whole.whole("DriverInitDuration") == 720


def test_a_record_overtaken_by_the_next_entering_sleep_follows_it() -> None:
    first = cycle(10 * S, record_after_ns=None)
    ended_ns = first[-1].t_ns
    events = written([*first, *cycle(ended_ns + 100 * MS, driver_ns=S)])
    labels = [event.label for event in events]
    second_42 = [number for number, label in enumerate(labels) if label == "Kernel-Power 42"][1]
    assert labels[second_42 + 1] == "Power-Troubleshooter 1"
    records = only(events, "Power-Troubleshooter 1")
    assert [record.whole("DriverInitDuration") for record in records] == [720, 1000]


def test_without_a_record_the_companions_are_still_there() -> None:
    events = written(cycle(0), make_log(faults=frozenset({SimFault.NO_RECORD})))
    assert only(events, "Power-Troubleshooter 1") == []
    assert len(only(events, "Kernel-Power 131")) == 1


def test_a_zero_record_measures_nothing() -> None:
    record = record_of(written(cycle(0), make_log(faults=frozenset({SimFault.ZERO_RECORD}))))
    assert {record.whole(name) for name in record.fields if name.endswith("Duration")} == {0}


def test_a_cold_boot_starts_the_counts_anew_and_tells_of_the_bad_shutdown() -> None:
    moments = [*cycle(0), PowerLost(20 * S), OsBooted(40 * S), *cycle(60 * S)]
    events = written(moments)
    assert [event.fields["LastShutdownGood"] for event in only(events, "Kernel-Boot 20")] == [
        "true",
        "false",
    ]
    assert [event.whole("ResumeCount") for event in only(events, "Kernel-Power 131")] == [1, 1]


def test_a_record_that_was_not_written_before_the_power_went_is_lost() -> None:
    events = written([*cycle(0, record_after_ns=None), PowerLost(10 * S), OsBooted(20 * S)])
    assert only(events, "Power-Troubleshooter 1") == []


def test_the_text_is_append_only_and_can_be_read_in_pieces() -> None:
    log = make_log()
    before = log.text_from(0)
    for moment in cycle(0):
        log.take(moment)
    whole = log.text_from(0)
    assert whole.startswith(before)
    assert whole.count(b"\n") == 12
    assert log.size_bytes == len(whole)
    pieces = [log.text_from(offset, 1_000) for offset in range(0, len(whole), 1_000)]
    assert b"".join(pieces) == whole
    assert log.text_from(len(before)) == whole[len(before) :]


@given(st.text(max_size=40))
@settings(max_examples=80, deadline=None)
def test_a_hostile_name_cannot_break_the_document(name: str) -> None:
    hostile = f"<&>]]>\"'</Computer><Event>{name}"
    events = written([], make_log(profile=replace(PROFILE, name=hostile)))
    assert len(events) == 3
    kept = "".join(char for char in events[0].computer if char.isprintable() and char != "\ufffd")
    name = f"SIM-{hostile}".upper()
    assert kept == "".join(char for char in name if char.isprintable() and char != "\ufffd")


def test_two_seeds_do_not_share_a_clock() -> None:
    first, again, other = (written(cycle(0), make_log(seed))[0].t_ns for seed in (3, 3, 4))
    assert first == again != other
