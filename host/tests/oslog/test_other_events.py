"""Deaths in sleep, Modern Standby, boots and clock steps; accounts that measured nothing."""

from collections.abc import Callable

import pytest
from readings import both_orders, figures

from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import LogReading, SleepKind
from resume_rig.model.result.verdict import Verdict

Read = Callable[..., LogReading]

SESSION = {
    "DurationInUs": 10_000_000,
    "ExitLatencyInUs": 250_000,
    "DripsResidencyInUs": 9_000_000,
    "HwDripsResidencyInUs": 8_500_000,
    "Reason": 1,
}


@pytest.mark.parametrize("in_progress", ["true", "1", "4"])
def test_a_death_in_sleep_is_a_record_of_its_own(write, read: Read, in_progress: str) -> None:
    death = {"BugcheckCode": 159, "SleepInProgress": in_progress, "PowerButtonTimestamp": 5}
    events = [
        *write.cycle(),
        *(write.asleep(), write.boot(22000), write.event("KB", 27, {"BootType": 0})),
        *(write.event("KP", 41, death), *write.cycle(601)),
    ]
    reading = both_orders(read, events)
    first, died, last = reading.records
    assert (first.kind, died.kind, last.kind) == ("S3", SleepKind.DIED, "S3")
    assert died.sleep_time_utc_ns == 1_714_557_662_500_000_000  # of the 42 before the boot
    assert (died.wake_time_utc_ns, died.resume_ms, died.os_build) == (None, None, 22000)
    assert (died.target_state, died.effective_state) == (4, 4)
    assert figures(died) | {"sleep_in_progress": 0} == {
        **{"bugcheck_code": 159, "sleep_in_progress": 0, "power_button_pressed": 1},
        "boot_type": 0,
    }
    assert last.firmware_resume_ms == 601


@pytest.mark.parametrize("in_progress", ["false", "0", ""])
def test_a_loss_of_power_while_awake_is_no_sleep(write, read: Read, in_progress: str) -> None:
    events = [write.boot(22000), write.event("KP", 41, {"SleepInProgress": in_progress})]
    assert both_orders(read, events).records == ()


def test_an_answered_sleep_did_not_die(write, read: Read) -> None:
    events = [*write.cycle(), write.boot(22000)]
    events.append(write.event("KP", 41, {"SleepInProgress": "true"}))
    (_, died) = both_orders(read, events).records
    assert died.kind is SleepKind.DIED
    assert died.sleep_time_utc_ns is None


def test_a_modern_standby_session_has_its_figures(write, read: Read) -> None:
    events = [
        *(write.boot(22621), write.event("KP", 506, {"Reason": 15})),
        write.event("KP", 507, SESSION),
    ]
    (record,) = both_orders(read, events).records
    assert record.kind is SleepKind.MODERN_STANDBY
    assert (record.record_id, record.os_build, record.resume_ms) == (3, 22621, None)
    assert record.sleep_time_utc_ns == record.wake_time_utc_ns == 1_714_557_662_500_000_000
    assert figures(record) == {
        **{"entry_reason": 15, "exit_reason": 1, "duration_us": 10_000_000},
        **{"exit_latency_us": 250_000, "drips_us": 9_000_000, "hardware_drips_us": 8_500_000},
        **{"drips_percent": 90.0, "hardware_drips_percent": 85.0, "drips_delta_percent": 5.0},
        "os_started": 1,
    }


def test_a_session_without_its_beginning_or_end_is_told(write, read: Read) -> None:
    entered = {"Reason": 15}
    events = [
        *(write.event("KP", 507, SESSION), write.event("KP", 506, entered), write.boot(22000)),
        *(write.event("KP", 506, entered), write.event("KP", 506, entered)),
        write.event("KP", 507, {"DripsResidencyInUs": 11, "DurationInUs": 10}),
    ]
    reading = both_orders(read, events)
    endings = [record.ending for record in reading.records]
    assert endings == ["resumed", "became-boot", "open", "resumed"]
    assert reading.records[0].sleep_time_utc_ns is None
    assert "drips_percent" not in figures(reading.records[-1])
    assert reading.sources[0].integrity.problems == (
        "1 Modern Standby session reports a residency longer than itself, so its share is unknown.",
        "2 Modern Standby sessions have no end in the log, so nothing is known of them.",
    )


def test_a_session_that_the_log_ends_in_is_told(write, read: Read) -> None:
    note = ("1 Modern Standby session has no end in the log, so nothing is known of it.",)
    for events in (
        [write.event("KP", 506, {"Reason": 15})],
        [write.boot(22621), write.event("KP", 507, SESSION), write.event("KP", 506, {})],
    ):
        integrity = both_orders(read, events).sources[0].integrity
        assert (integrity.problems, integrity.notes, integrity.damage) == (note, note, ())


@pytest.mark.parametrize(
    ("boot_type", "kind", "states"), [(1, "fast-startup", (6, 5)), (2, "S4", (5, 5))]
)
def test_a_boot_from_a_hibernation_file_tells_of_the_firmware(
    write, read: Read, boot_type: int, kind: str, states: tuple[int, int]
) -> None:
    times = {
        **{"ResetEndStart": 6568027066368, "LoadOSImageStart": 3014, "StartOSImageStart": 3239},
        **{"ExitBootServicesEntry": 4222, "ExitBootServicesExit": 4223},
    }
    values = {"TargetState": states[0], "EffectiveState": states[1], "BiosInitDuration": 3241}
    events = [
        *(write.asleep(), write.event("KP", 107, {}), write.event("KB", 30, times)),
        *(write.event("KB", 27, {"BootType": boot_type}), write.account(**values)),
    ]
    reading = both_orders(read, events)
    (record,) = reading.records
    assert record.kind == kind
    assert figures(record) == {
        **{"load_os_image_ms": 3014, "start_os_image_ms": 3239, "boot_type": boot_type},
        **{"exit_boot_services_entry_ms": 4222, "exit_boot_services_exit_ms": 4223},
        "bios_init_minus_start_os_image_ms": 2,
    }
    assert reading.sources[0].integrity.problems == (
        "1 time of the firmware (Kernel-Power 130 or 131, Kernel-Boot 30) is longer than 10 minutes"
        " or negative and counts as not reported.",
    )


@pytest.mark.parametrize(
    "boundary",
    [("KG", 12, {"BuildVersion": 22000}), ("KG", 13, {}), ("KB", 27, {"BootType": 0})],
    ids=["boot", "shutdown", "cold boot"],
)
def test_no_cycle_reaches_over_a_boot_or_a_shutdown(
    write, read: Read, boundary: tuple[str, int, dict[str, object]]
) -> None:
    events = [write.asleep(), *write.wake(601), write.event(*boundary), write.account()]
    left, record = both_orders(read, events).records
    assert (left.firmware_resume_ms, left.ending, left.bios_init_ms) == (601, "resumed", None)
    assert record.firmware_resume_ms is None
    assert figures(record) == ({"os_started": 1} if boundary[:2] == ("KG", 12) else {})


def test_a_start_of_the_os_is_told_of_the_next_record_alone(write, read: Read) -> None:
    events = [*write.cycle(), write.boot(22000), *write.cycle(), *write.cycle()]
    records = both_orders(read, events).records
    assert ["os_started" in figures(record) for record in records] == [False, True, False]


def test_what_a_cold_boot_tells_is_no_part_of_the_next_cycle(write, read: Read) -> None:
    cold = [write.boot(22000), write.event("KB", 30, {"StartOSImageStart": 3239})]
    (record,) = both_orders(read, [*cold, *write.cycle()]).records
    assert "start_os_image_ms" not in figures(record)


def test_steps_of_the_clock_are_kept_with_the_next_record(write, read: Read) -> None:
    def clock(reason: object, new_s: int) -> str:
        times = {"NewTime": f"2024-05-01T10:00:{new_s:02}Z", "OldTime": "2024-05-01T10:00:10Z"}
        return write.event("KG", 1, {**times, "Reason": reason})

    events = [
        *(clock(1, 13), clock(3, 10), clock(1, 8), write.asleep(), clock(2, 40)),
        *(write.account(), write.account(DriverInitDuration=801)),
    ]
    first, second = both_orders(read, events).records
    assert figures(first) == {
        **{"clock_jump_us": 30_000_000, "clock_steps": 2, "clock_stepped_us": 1_000_000},
        "sleep_to_clock_stop_us": 9_876_544,
    }
    assert figures(second) == {}


def test_steps_after_the_wake_are_told_apart(write, read: Read) -> None:
    def clock(reason: object, new_s: int) -> str:
        times = {"NewTime": f"2024-05-01T10:00:{new_s:02}Z", "OldTime": "2024-05-01T10:00:10Z"}
        return write.event("KG", 1, {**times, "Reason": reason})

    events = [clock(1, 13), write.asleep(), clock(2, 40), clock(3, 8), write.account()]
    (record,) = both_orders(read, events).records
    assert figures(record)["clock_stepped_us"] == 1_000_000
    assert figures(record)["clock_stepped_after_wake_us"] == -2_000_000


def test_without_reasons_the_first_setting_after_a_sleep_is_that_of_the_wake(
    write, read: Read
) -> None:
    """As Windows 7 writes them: a version 0 of the event, with two times and no Reason."""

    def clock(old_s: int, new_s: int) -> str:
        times = {"OldTime": f"2024-05-01T10:00:{old_s:02}Z"}
        return write.event("KG", 1, {**times, "NewTime": f"2024-05-01T10:00:{new_s:02}Z"})

    events = [
        *(write.asleep(), clock(10, 40), write.account()),
        *(clock(45, 47), write.asleep(), clock(48, 58), clock(58, 55), write.account()),
        *(write.asleep(), write.boot(7601), clock(1, 5), write.account()),
    ]
    first, second, before_boot, third = read(events).records
    assert before_boot.ending is None  # it may have woken, and been shut down: no event shows wakes
    assert figures(first) == {}
    assert figures(second) == {
        **{"clock_steps": 2, "clock_stepped_us": -1_000_000},
        "clock_stepped_after_wake_us": -3_000_000,
    }
    assert figures(third)["clock_stepped_us"] == 4_000_000


def test_a_setting_that_is_told_twice_is_one(write, read: Read) -> None:
    def clock(old_s: int, new_s: int) -> str:
        times = {"OldTime": f"2024-05-01T10:00:{old_s:02}Z"}
        values = {**times, "NewTime": f"2024-05-01T10:00:{new_s:02}Z", "Reason": 1}
        return write.event("KG", 1, values)

    events = [clock(10, 13), clock(10, 13), write.asleep(), write.account()]
    (record,) = both_orders(read, events).records
    assert (figures(record)["clock_steps"], figures(record)["clock_stepped_us"]) == (1, 3_000_000)
    # The same step at another time is another one.
    events = [clock(10, 13), clock(11, 14), write.asleep(), write.account()]
    (record,) = both_orders(read, events).records
    assert figures(record)["clock_steps"] == 2


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(1000, 1003, 3), (5, 4, None), (0, 0, None), (0, 6568027066368, None)],
)
def test_the_firmwares_suspend_time(
    write, read: Read, start: int, end: int, expected: int | None
) -> None:
    asleep = write.asleep()
    suspended = write.event("KP", 130, {"SuspendStart": start, "SuspendEnd": end})
    (record,) = read([asleep, suspended, write.account()]).records
    assert figures(record).get("firmware_suspend_ms") == expected
    began = figures(record).get("firmware_suspend_start_ms")
    assert began == (None if expected is None else start)


ODD_ACCOUNTS = {
    "all zero": ({"WakeSourceType": 1}, True, "aborted"),
    "doze": ({"WakeSourceType": 3, "TargetState": 5, "EffectiveState": 5}, True, "doze"),
    "wake before sleep": (
        {"SleepTime": "2024-05-01T10:01:00Z", "WakeTime": "2024-05-01T10:00:59Z"},
        *(False, "S3"),
    ),
    "no BIOS time": ({"BiosInitDuration": 0}, False, "S3"),
    "no driver time": ({"DriverInitDuration": 0}, False, "S3"),
}


@pytest.mark.parametrize("name", ODD_ACCOUNTS)
def test_an_odd_account_is_kept_named_and_not_judged(write, read: Read, name: str) -> None:
    values, zero, kind = ODD_ACCOUNTS[name]
    odd = write.account_without_durations(**values) if zero else write.account(**values)
    judgement = judge_log(
        both_orders(read, [odd, *write.cycle()]), load_requirement("sysfund-0004")
    )
    first, second = judgement.cycles
    assert (first.record.kind, first.judged, first.verdict) == (kind, False, Verdict.NO_EVIDENCE)
    assert first.why_not
    assert second.judged
    assert judgement.statistics.n == 1


def test_records_that_share_a_sleep_time_are_all_kept(write, read: Read) -> None:
    doze = write.account_without_durations(WakeSourceType=3, TargetState=5, EffectiveState=5)
    events = [doze, write.account(TargetState=5, EffectiveState=5, BiosInitDuration=3240)]
    records = both_orders(read, events).records
    assert [record.kind.value for record in records] == ["doze", "S4"]
    assert records[0].sleep_time_utc_ns == records[1].sleep_time_utc_ns
