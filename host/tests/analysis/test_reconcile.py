"""What the wires and the OS's figures add up to, whichever lines are wired."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from resume_rig.analysis.reconcile.reconcile import (
    UNKNOWN_RESET_TO_TSC,
    awake_to_os,
    light_after_complete,
    press_to_resume_complete,
)
from resume_rig.model.channel import Channel
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState

MS = 1_000_000
Record = Callable[..., OsRecord]
ALL = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT, Channel.BUTTON)
NO_SLP_S3 = tuple(channel for channel in ALL if channel is not Channel.SLP_S3)
NO_PWR_OK = tuple(channel for channel in ALL if channel is not Channel.PWR_OK)
RESET_TO_TSC = BoundedNs(30 * MS, 20 * MS)


def ms(value: float, bound: float) -> BoundedNs:
    return BoundedNs(round(value * MS), round(bound * MS))


PRESS_TO_SLP_S3 = {IntervalName.PRESS_TO_SLP_S3: ms(48, 1)}
PRESS_TO_PLTRST = {IntervalName.PRESS_TO_PLTRST: ms(158, 2)}
SLP_S3_TO_PWR_OK = {IntervalName.SLP_S3_TO_PWR_OK: ms(60, 3)}
PWR_OK_TO_PLTRST = {IntervalName.PWR_OK_TO_PLTRST: ms(50, 4)}


def outside(intervals: dict[IntervalName, BoundedNs], channels: tuple[Channel, ...] = ALL):
    """Return a cycle that woke."""
    return OutsideCycle(
        number=1,
        outcome=Outcome.SLEPT_AND_WOKE,
        state=OutsideState.S3,
        wake_by=None,
        trigger_ns=0,
        asleep_from_ns=1,
        awake_from_ns=2,
        intervals=intervals,
        channels=channels,
    )


@pytest.mark.parametrize(
    ("intervals", "channels", "value_ms"),
    [
        (SLP_S3_TO_PWR_OK | PWR_OK_TO_PLTRST, ALL, 110),
        (PWR_OK_TO_PLTRST | PRESS_TO_SLP_S3 | PRESS_TO_PLTRST, NO_SLP_S3, 50),
        (PRESS_TO_SLP_S3 | PRESS_TO_PLTRST, NO_PWR_OK, 110),
        (PWR_OK_TO_PLTRST | PRESS_TO_SLP_S3 | PRESS_TO_PLTRST, ALL, 110),
        (SLP_S3_TO_PWR_OK | PRESS_TO_SLP_S3 | PRESS_TO_PLTRST, ALL, 110),
        (PRESS_TO_SLP_S3, ALL, 550),
        (PRESS_TO_PLTRST, ALL, 550),
        ({}, ALL, 550),
    ],
    ids=[
        "by PWR_OK",
        "from PWR_OK, without SLP_S3#",
        "by the press",
        "by the press, one edge missing",
        "by the press, the other edge missing",
        "the press alone",
        "PLTRST# alone",
        "unknown",
    ],
)
def test_the_power_sequence_is_measured_by_the_lines_that_are_there(
    record: Record,
    intervals: dict[IntervalName, BoundedNs],
    channels: tuple[Channel, ...],
    value_ms: int,
) -> None:
    woken = outside(intervals, channels)

    found = awake_to_os(woken, record(bios_init_ms=200), RESET_TO_TSC)

    assert found is not None
    assert found.value_ns == (value_ms + 30 + 200) * MS
    if value_ms == 550:
        assert found.bound_ns >= (550 + 20) * MS
    else:
        assert found.bound_ns < 30 * MS


def test_a_platform_that_nobody_measured_may_take_300_ms_to_its_first_instruction(
    record: Record,
) -> None:
    times = record(bios_init_ms=200, driver_init_ms=650)

    complete = press_to_resume_complete(outside(PRESS_TO_PLTRST), times, UNKNOWN_RESET_TO_TSC)

    assert complete is not None
    assert complete.value_ns == (158 + 150 + 200 + 650) * MS
    assert complete.value_ns - complete.bound_ns <= (158 - 2 + 0 + 200 + 650) * MS
    assert complete.value_ns + complete.bound_ns >= (158 + 2 + 300 + 200 + 650) * MS
    assert complete.bound_ns < (150 + 2 + 3) * MS


def test_reading_an_image_comes_before_the_waking_vector(record: Record) -> None:
    woken = outside(PRESS_TO_SLP_S3 | PRESS_TO_PLTRST)
    s4 = record(kind=SleepKind.S4, bios_init_ms=200, hiber_read_ms=900, driver_init_ms=650)

    found = awake_to_os(woken, s4, RESET_TO_TSC)

    assert found is not None
    assert found.value_ns == (110 + 30 + 200 + 900) * MS
    assert awake_to_os(woken, replace(s4, hiber_read_ms=None), RESET_TO_TSC) is None
    assert awake_to_os(woken, replace(s4, bios_init_ms=None), RESET_TO_TSC) is None
    assert awake_to_os(replace(woken, awake_from_ns=None), s4, RESET_TO_TSC) is None
    complete = press_to_resume_complete(woken, s4, RESET_TO_TSC)
    assert complete is not None
    assert complete.value_ns == (158 + 30 + 200 + 900 + 650) * MS


def test_light_before_the_os_is_ready_is_negative(record: Record) -> None:
    times = record(bios_init_ms=200, driver_init_ms=650)
    lit = outside({IntervalName.PLTRST_TO_LIGHT: ms(700, 1)})

    found = light_after_complete(lit, times, RESET_TO_TSC)

    assert found is not None
    assert found.value_ns == (700 - 30 - 200 - 650) * MS
    assert 21 * MS <= found.bound_ns < 24 * MS
    assert light_after_complete(outside({}), times, RESET_TO_TSC) is None
    assert light_after_complete(lit, replace(times, bios_init_ms=None), RESET_TO_TSC) is None
