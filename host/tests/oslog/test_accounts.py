"""What one cycle's events say: kinds, values that are not reported, companions, order."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.os_record import LogReading, SleepKind
from resume_rig.oslog.event.assembler import BackwardAssembler, ForwardAssembler
from resume_rig.oslog.event.event import Event, Provider
from resume_rig.oslog.source.problems import ProblemTally

Read = Callable[..., LogReading]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        pytest.param({"TargetState": 4, "EffectiveState": 4}, "S3", id="4/4"),
        pytest.param({"TargetState": 4, "EffectiveState": 5}, "hybrid", id="4/5"),
        pytest.param({"TargetState": 5, "EffectiveState": 5}, "S4", id="5/5"),
        pytest.param({"TargetState": 6, "EffectiveState": 5}, "fast-startup", id="6/5"),
        pytest.param({"TargetState": 2, "EffectiveState": 2}, "S1", id="2/2"),
        pytest.param({"TargetState": 3, "EffectiveState": 3}, "unknown", id="3/3"),
        pytest.param({"TargetState": 5, "EffectiveState": 4}, "unknown", id="5/4"),
        pytest.param({"TargetState": "", "EffectiveState": ""}, "unknown", id="no states"),
        pytest.param({"TargetState": "0x4", "EffectiveState": "0x4"}, "S3", id="hex"),
        pytest.param({"TargetState": -4, "EffectiveState": 4}, "unknown", id="negative"),
    ],
)
def test_the_states_tell_the_kind(write, read: Read, values: dict[str, object], kind: str) -> None:
    (record,) = read([write.account(**values)]).records
    assert record.kind == kind


@pytest.mark.parametrize("states", [(0, 0), (4, 4), (4, 5), (5, 5)], ids=str)
@pytest.mark.parametrize(
    ("source_type", "kind"), [(3, SleepKind.DOZE), (0, "aborted"), (1, "aborted"), (5, "aborted")]
)
def test_a_record_without_a_duration_is_kept_and_measures_nothing(
    write, read: Read, states: tuple[int, int], source_type: int, kind: str
) -> None:
    values = {"TargetState": states[0], "EffectiveState": states[1], "WakeSourceType": source_type}
    (record,) = read([write.account_without_durations(**values)]).records
    durations = (
        *(record.sleep_ms, record.wake_ms, record.driver_init_ms, record.bios_init_ms),
        *(record.hiber_read_ms, record.hiber_write_ms, record.resume_ms),
    )
    assert record.kind == kind
    assert durations == (None,) * 7
    assert record.sleep_time_utc_ns is not None


def test_zero_means_not_reported_for_bios_and_hibernation(write, read: Read) -> None:
    (record,) = read([write.account(BiosInitDuration=0, WakeDuration=0)]).records
    assert (record.bios_init_ms, record.resume_ms, record.hiber_pages) == (None, None, None)
    assert (record.hiber_read_ms, record.hiber_write_ms) == (None, None)
    assert (record.driver_init_ms, record.wake_ms) == (800, 0)


def test_all_values_of_a_record_are_told(write, read: Read) -> None:
    values = {
        "HiberWriteDuration": 2000,
        "HiberReadDuration": 1000,
        "HiberPagesWritten": 400_000,
        "EffectiveState": 5,
    }
    (record,) = read([write.boot(22000), *write.cycle(694, 7, **values)]).records
    assert record.kind is SleepKind.HYBRID
    assert (record.sleep_ms, record.wake_ms, record.driver_init_ms) == (1500, 900, 800)
    assert (record.bios_init_ms, record.resume_ms) == (700, 1500)
    assert (record.hiber_write_ms, record.hiber_read_ms, record.hiber_pages) == (2000, 1000, 400000)
    assert (record.firmware_resume_ms, record.firmware_resume_count) == (694, 7)
    assert (record.target_state, record.effective_state, record.os_build) == (4, 5, 22000)
    assert record.sleep_time_utc_ns == 1_714_557_600_123_456_700
    assert record.wake_time_utc_ns == 1_714_557_660_765_432_100
    assert record.written_utc_ns == 1_714_557_662_500_000_000
    assert (record.record_id, record.wake_source.name) == (7, "power button")


@pytest.mark.parametrize(
    ("full_resume", "expected_ms", "problems"),
    [
        pytest.param(0, None, (), id="0 is not reported"),
        pytest.param(600_000, 600_000, (), id="10 minutes"),
        pytest.param(
            6_568_027_066_368,
            None,
            (
                "1 FullResume of Kernel-Power 131 is longer than 10 minutes and counts as not"
                " reported.",
            ),
            id="garbage",
        ),
        pytest.param("0x2B6", 694, (), id="hex"),
    ],
)
def test_the_firmwares_own_time_is_believed_up_to_ten_minutes(
    write, read: Read, full_resume: object, expected_ms: int | None, problems: tuple[str, ...]
) -> None:
    reading = read(write.cycle(full_resume))
    assert reading.records[0].firmware_resume_ms == expected_ms
    kept = {figure.name: figure.value for figure in reading.records[0].figures}
    told = kept.get("firmware_resume_absurd_ms")
    assert told == (full_resume if problems else None)
    assert reading.sources[0].integrity.problems == problems
    assert reading.sources[0].integrity.ok


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"SleepTime": "soon"}, "1 time could not be read and counts as not reported."),
        ({"WakeDuration": -1}, "1 number could not be read and counts as not reported."),
        ({"WakeDuration": 1 << 32}, "1 number could not be read and counts as not reported."),
        (
            {"WakeDuration": "1.5", "SleepDuration": "9" * 4000},
            "2 numbers could not be read and count as not reported.",
        ),
    ],
)
def test_a_value_that_cannot_be_read_is_told_and_not_guessed(
    write, read: Read, values: dict[str, object], problem: str
) -> None:
    reading = read([write.account(**values)])
    (record,) = reading.records
    assert None in (record.sleep_time_utc_ns, record.wake_ms)
    assert record.resume_ms == 1500
    assert reading.sources[0].integrity.problems == (problem,)
    assert not reading.sources[0].integrity.ok


def test_null_times_are_not_reported(write, read: Read) -> None:
    zero = "1601-01-01T00:00:00.0000000Z"
    reading = read([write.account(SleepTime=zero, WakeTime=zero)])
    assert reading.records[0].sleep_time_utc_ns is None
    assert reading.sources[0].integrity.ok


def test_an_account_after_the_next_sleep_belongs_to_the_cycle_before(write, read: Read) -> None:
    events = [
        *(write.asleep(), *write.wake(601), write.asleep(), write.account()),
        *(*write.wake(602), write.account()),
    ]
    for order in (events, events[::-1]):
        reading = read(order, keep_text=True)
        assert [record.firmware_resume_ms for record in reading.records] == [601, 602]
        assert [record.text.count("<EventID>42<") for record in reading.records] == [1, 1]
        assert [record.text.count("\n") for record in reading.records] == [5, 5]


def test_a_cycle_without_an_account_lends_nothing_to_the_next(write, read: Read) -> None:
    lost = [write.asleep(), *write.wake(601)]
    hibernated = [write.asleep(), write.event("KP", 107, {}), write.account(TargetState=5)]
    for order in ([*lost, *hibernated], [*lost, *hibernated][::-1]):
        left, record = read(order).records
        assert record.firmware_resume_ms is None
        assert (left.kind, left.ending, left.firmware_resume_ms) == ("S3", "resumed", 601)


def test_a_clock_set_for_another_reason_is_no_companion(write, read: Read) -> None:
    other = write.event("KG", 1, {"Reason": 3})
    (record,) = read([write.asleep(), other, write.account()], keep_text=True).records
    assert record.text.count("<Event ") == 2


def test_each_record_has_the_build_of_the_boot_before_it(write, read: Read) -> None:
    device = {"WakeSourceType": 5}
    events = [
        *(write.account(**device), write.boot(10240), write.account(**device)),
        *(write.account(**device), write.boot(22000), write.account(**device)),
    ]
    for order in (events, events[::-1]):
        reading = read(order)
        assert [record.os_build for record in reading.records] == [None, 10240, 10240, 22000]
        names = [record.wake_source.name for record in reading.records]
        assert names == ["unknown", "timer", "timer", "device"]
        assert reading.sources[0].os_build == 22000


def test_mixed_order_is_sorted_where_all_numbers_differ(write, read: Read) -> None:
    events = [event for ms in range(600, 630) for event in write.cycle(ms)]
    mixed = events[:]
    random.Random(7).shuffle(mixed)
    assert read(mixed).records == read(events).records


def test_numbers_that_repeat_keep_the_order_of_the_file(write, read: Read) -> None:
    first = [*write.cycle(601), *write.cycle(602)]
    write.next_id = 1
    second = [*write.cycle(603, DriverInitDuration=900), *write.cycle(604, DriverInitDuration=901)]
    for content in (first + second, first[::-1] + second[::-1]):
        records = read(content).records
        assert [record.firmware_resume_ms for record in records] == [601, 602, 603, 604]


def test_numbers_that_start_anew_end_the_cycle_before(write, read: Read) -> None:
    first = [*write.cycle(601), write.asleep(), *write.wake(602)]
    write.next_id = 1
    second = [write.event("KP", 107, {}), write.account(DriverInitDuration=900)]
    records = read(first + second).records
    assert [record.firmware_resume_ms for record in records] == [601, 602, None]
    assert [record.bios_init_ms for record in records] == [700, None, 700]


def test_a_record_that_occurs_again_word_for_word_is_used_once(write, read: Read) -> None:
    cycles = [event for ms in (601, 602, 603) for event in write.cycle(ms)]
    reading = read(cycles + cycles[6:])
    assert [record.record_id for record in reading.records] == [6, 12, 18]
    assert reading.sources[0].records == 30
    assert reading.sources[0].integrity.problems == (
        "2 Power-Troubleshooter events occur again word for word and were used once.",
    )
    assert reading.sources[0].integrity.ok


def test_records_without_a_number_keep_the_order_of_the_file(write, read: Read) -> None:
    events = [write.account(record_id="", DriverInitDuration=ms) for ms in (5, 3, 9)]
    assert [record.driver_init_ms for record in read(events).records] == [5, 3, 9]


ROLES = [
    (Provider.KERNEL_POWER, 42),
    (Provider.KERNEL_POWER, 107),
    (Provider.KERNEL_POWER, 130),
    (Provider.KERNEL_POWER, 131),
    (Provider.KERNEL_GENERAL, 1),
    (Provider.KERNEL_GENERAL, 12),
    (Provider.KERNEL_GENERAL, 13),
    (Provider.KERNEL_BOOT, 20),
    (Provider.KERNEL_BOOT, 27),
    (Provider.KERNEL_BOOT, 30),
    (Provider.KERNEL_POWER, 41),
    (Provider.KERNEL_POWER, 506),
    (Provider.KERNEL_POWER, 507),
    (Provider.KERNEL_POWER, 109),
    (Provider.KERNEL_POWER, 172),
    (Provider.KERNEL_POWER, 187),
    (Provider.KERNEL_POWER, 566),
    (Provider.POWER_TROUBLESHOOTER, 1),
]


@given(st.lists(st.sampled_from(ROLES), max_size=40))
def test_backward_gives_what_forward_gives(
    roles: list[tuple[Provider, int]],
) -> None:
    events = [
        Event(
            provider=provider,
            event_id=event_id,
            version=0,
            record_id=number,
            time_utc_ns=number,
            data={
                "Reason": str(number % 5),
                "PreviousSessionType": str(number % 4),
                "NextSessionType": str(number // 4 % 4),
                "PreviousSessionId": str(number // 2),
                "NextSessionId": str(number // 2 + number % 2),
                "PreviousSessionDurationInUs": str(number),
                "ShutdownReason": str(number),
                "State": str(number),
                "SystemAction": str(number),
                "NewTime": str(10**17 + 20 * number * number),
                "OldTime": str(10**17),
                "BootType": str(number % 2),
                "SleepInProgress": "1",
                "FullResume": str(number + 1),
                "BuildVersion": str(20000 + number),
            },
            text=str(number),
        )
        for number, (provider, event_id) in enumerate(roles)
    ]
    tallies = ProblemTally(), ProblemTally()
    forward = ForwardAssembler(0, tallies[0])
    backward = BackwardAssembler(0, tallies[1])
    given_forward = [record for event in events for record in forward.feed(event)]
    given_forward += forward.finish()
    for event in reversed(events):
        backward.feed(event)
    assert backward.finish() == given_forward
    assert backward.os_build == forward.os_build
    assert tallies[1].integrity() == tallies[0].integrity()


def test_all_that_an_account_tells_beyond_its_times_is_kept(write, read: Read) -> None:
    values = {
        "WakeDuration": 1116,
        "DriverInitDuration": 1068,
        "CheckpointDuration": 41,
        "Attributes": 4354,
        "NoMultiStageResumeReason": 2,
        "WakeTimerOwner": "\\Device\\backup.exe",
        "WakeTimerContext": "nightly",
    }
    (record,) = read([write.account(**values)]).records
    assert record.user_init_ms == 48  # the paper's example: the sum holds device and USER phase
    told = {figure.name: figure.value for figure in record.figures}
    names = ("checkpoint_ms", "attributes", "no_multi_stage_resume_reason")
    assert [told[name] for name in names] == [41, 4354, 2]
    assert record.wake_source.timer_owner == "\\Device\\backup.exe: nightly"


@pytest.mark.parametrize(
    ("wake", "driver"), [pytest.param(500, 900, id="beyond it"), pytest.param(500, 0, id="none")]
)
def test_no_user_phase_comes_of_times_that_do_not_give_one(
    write, read: Read, wake: int, driver: int
) -> None:
    (record,) = read([write.account(WakeDuration=wake, DriverInitDuration=driver)]).records
    assert record.user_init_ms is None


def test_a_checkpoint_of_0_is_not_reported(write, read: Read) -> None:
    (record,) = read([write.account(CheckpointDuration=0)]).records
    assert "checkpoint_ms" not in {figure.name for figure in record.figures}
