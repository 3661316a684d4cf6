"""What a key, a plug and a magic packet do to a simulated DUT, by what it is doing."""

from dataclasses import replace

import pytest
from numpy.random import default_rng

from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.interface import KeyboardBus
from resume_rig.rig.sim.dut.machine import SimulatedDut
from resume_rig.rig.sim.dut.states import PowerState

MS = 1_000_000
S = 1_000 * MS
ARMED = load_dut_profile("wakes-by-device")
NOT_ARMED = load_dut_profile("wakes-by-nothing-else")


def asleep(profile=ARMED, state: SleepKind = SleepKind.S3) -> SimulatedDut:
    dut = SimulatedDut(profile, default_rng(1))
    assert dut.command(0, state)
    dut.advance(20 * S)
    return dut


def press_key(dut: SimulatedDut, t_ns: int) -> None:
    dut.move(t_ns, Actuator.KEYBOARD, True)
    dut.advance(t_ns + 50 * MS)
    dut.move(t_ns + 50 * MS, Actuator.KEYBOARD, False)


def counts(dut: SimulatedDut) -> tuple[int, int, int]:
    found = dut.keyboard()
    return found.reports, found.wakeups, found.undelivered


def test_a_key_that_is_pressed_while_it_runs_is_a_report() -> None:
    dut = SimulatedDut(ARMED, default_rng(1))
    press_key(dut, 1 * S)
    assert dut.keyboard().bus is KeyboardBus.READY
    assert counts(dut) == (1, 0, 0)


def test_a_key_wakes_a_dut_that_armed_it() -> None:
    dut = asleep()
    assert dut.keyboard().bus is KeyboardBus.SUSPENDED
    press_key(dut, 20 * S)
    assert counts(dut) == (0, 1, 0)
    dut.advance(40 * S)
    assert dut.state is PowerState.UP


def test_a_key_that_is_not_armed_reaches_nobody() -> None:
    dut = asleep(NOT_ARMED)
    press_key(dut, 20 * S)
    dut.advance(40 * S)
    assert counts(dut) == (0, 0, 1)
    assert dut.state is PowerState.ASLEEP


@pytest.mark.parametrize("state", [SleepKind.S4, SleepKind.BOOT])
def test_a_port_has_no_power_below_s3(state: SleepKind) -> None:
    dut = asleep(state=state)
    press_key(dut, 20 * S)
    dut.advance(40 * S)
    assert dut.keyboard().bus is KeyboardBus.DETACHED
    assert counts(dut) == (0, 0, 1)


@pytest.mark.parametrize("state", [SleepKind.S3, SleepKind.S4, SleepKind.BOOT])
def test_a_packet_wakes_it_from_any_state(state: SleepKind) -> None:
    dut = asleep(state=state)
    dut.magic_packet(20 * S)
    dut.advance(60 * S)
    assert dut.state is PowerState.UP


def test_a_packet_does_not_wake_one_that_is_not_armed() -> None:
    dut = asleep(NOT_ARMED)
    dut.magic_packet(20 * S)
    dut.advance(60 * S)
    assert dut.state is PowerState.ASLEEP


@pytest.mark.parametrize(("held_ms", "wakes"), [(500, True), (10, False)])
def test_a_plug_wakes_it_once_it_is_in_for_its_debounce(held_ms: int, wakes: bool) -> None:
    dut = asleep()
    dut.move(20 * S, Actuator.CONTACT, True)
    dut.advance(20 * S + held_ms * MS)
    dut.move(20 * S + held_ms * MS, Actuator.CONTACT, False)
    dut.advance(40 * S)
    assert (dut.state is PowerState.UP) == wakes


def test_a_key_in_the_way_down_wakes_it_as_soon_as_it_sleeps() -> None:
    # Slow to lose its power, so that there is a way down to press in.
    slow = ARMED.timing.slp_s3_to_power_off
    timing = replace(
        ARMED.timing, slp_s3_to_power_off=replace(slow, median_ns=1 * S, sigma=0, max_ns=2 * S)
    )
    dut = SimulatedDut(replace(ARMED, timing=timing), default_rng(1))
    assert dut.command(0, SleepKind.S3)
    t_ns = 0
    while dut.state is not PowerState.POWERING_DOWN:
        t_ns += 10 * MS
        dut.advance(t_ns)
    press_key(dut, t_ns)
    dut.advance(40 * S)
    assert dut.state is PowerState.UP
