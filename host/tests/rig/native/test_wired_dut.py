"""The simulated DUT behind an image's pins: what it sends ahead, and what outputs do to it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.native.wired_dut import WiredDut
from resume_rig.rig.native.wires import (
    ACTIVE_BIT,
    ACTUATOR_PINS,
    ARMED_BIT,
    CHANNEL_PINS,
    LIGHT_BIT,
    LOAD_BIT,
    POWERED_BIT,
    PinChange,
)
from resume_rig.rig.sim.dut.states import LOAD_MW, PowerState

MS = 1_000_000
S = 1_000 * MS
START_NS = 17 * S
LAPTOP = load_dut_profile("healthy-laptop")
OVERLAYS = Path(__file__).resolve().parents[4] / "firmware" / "boards"


def wired_dut(seed: int = 1) -> WiredDut:
    return WiredDut(LAPTOP, START_NS, 1_767_603_600 * S, seed)


def button(t_ns: int, driven: bool) -> PinChange:
    bit = 1 << ACTUATOR_PINS[Actuator.BUTTON]
    return PinChange(t_ns, bit, bit if driven else 0)


def times_of(changes: list[PinChange], channel: Channel, level: int) -> list[int]:
    bit = 1 << CHANNEL_PINS[channel]
    return [c.t_ns for c in changes if c.mask == bit and bool(c.values) == bool(level)]


@pytest.mark.parametrize("overlay", ["native_sim.overlay", "native_sim_native_64.overlay"])
def test_the_pins_are_those_of_the_overlay(overlay: str) -> None:
    text = (OVERLAYS / overlay).read_text("utf-8")
    included = re.search(r'#include "(.+)"', text)
    text += (OVERLAYS / included[1]).read_text("utf-8") if included else ""
    pins = r'{} = "(\w+)";\s+gpios = <&gpio0 (\d+) '
    channels = re.findall(pins.format("channel"), text)
    actuators = re.findall(pins.format("actuator"), text)
    assert {Channel(name): int(pin) for name, pin in channels} == CHANNEL_PINS
    # A key has no pin of its own: the emulated keyboard shows it.
    keyboard = dict(re.findall(r"(\w+)-gpios = <&gpio0 (\d+) ", text))
    assert {
        **{Actuator(name): int(pin) for name, pin in actuators},
        Actuator.KEYBOARD: int(keyboard["key"]),
    } == ACTUATOR_PINS
    assert [1 << int(keyboard[name]) for name in ("powered", "active", "armed")] == [
        POWERED_BIT,
        ACTIVE_BIT,
        ARMED_BIT,
    ]


def test_a_dut_that_is_up_shows_it_on_its_wired_pins_alone() -> None:
    levels, light, load = wired_dut().standing()
    wired = sum(1 << CHANNEL_PINS[channel] for channel in LAPTOP.channels)
    assert levels == PinChange(0, wired, wired)
    assert not levels.mask >> CHANNEL_PINS[Channel.SLP_S5] & 1
    assert (light.mask, light.t_ns) == (LIGHT_BIT, 0)
    assert 1_900 < light.values < 2_300
    assert (load.mask, load.values) == (LOAD_BIT, LOAD_MW[PowerState.UP])


def test_the_light_ramps_down_when_the_panel_goes_dark_and_stands_still_then() -> None:
    dut = wired_dut()
    dut.drive(button(START_NS, True), 0)
    changes = dut.live(START_NS + 5 * S)
    (dark_ns,) = times_of(changes, Channel.BACKLIGHT, 0)
    light = [change for change in changes if change.mask == LIGHT_BIT]
    assert light[0].t_ns == dark_ns
    assert light[0].values > 1_900
    assert all(change.values < 100 for change in light if change.t_ns >= dark_ns + MS)
    assert light[-1].t_ns <= dark_ns + 8 * MS


def test_a_press_is_sensed_and_puts_it_to_sleep() -> None:
    dut = wired_dut()
    dut.drive(button(START_NS + 100 * MS, True), 0)
    dut.drive(button(START_NS + 250 * MS, False), 0)
    changes = dut.live(START_NS + 5 * S)
    (down_ns,) = times_of(changes, Channel.BUTTON, 0)
    (up_ns,) = times_of(changes, Channel.BUTTON, 1)
    assert 100 * MS < down_ns - START_NS < 102 * MS
    assert 250 * MS < up_ns - START_NS < 253 * MS
    assert len(times_of(changes, Channel.SLP_S3, 0)) == 1
    assert b"Kernel-Power" in dut.log_text_from(0)


def test_outputs_that_are_told_twice_move_nothing_twice() -> None:
    dut = wired_dut()
    for t_ns in (START_NS, START_NS + MS):
        dut.drive(button(t_ns, False), 0)
    assert dut.next_ns() is None
    for t_ns in (START_NS, START_NS + MS):
        dut.drive(button(t_ns, True), 0)
    assert len(times_of(dut.live(START_NS + 40 * MS), Channel.BUTTON, 0)) == 1


def test_an_actuator_that_is_not_wired_moves_nothing() -> None:
    profile = replace(LAPTOP, actuators=(Actuator.LID,))
    dut = WiredDut(profile, START_NS, 0, 1)
    dut.drive(button(START_NS, True), 0)
    assert dut.next_ns() is None


def test_a_contact_waits_until_it_can_be_sent_ahead() -> None:
    dut = wired_dut()
    dut.drive(button(START_NS, True), START_NS + 9 * MS)
    assert times_of(dut.live(START_NS + S), Channel.BUTTON, 0) == [START_NS + 9 * MS]


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    presses=st.lists(st.tuples(st.integers(1, 3_000), st.integers(1, 400)), max_size=8),
    ahead_ms=st.integers(0, 20),
)
def test_lived_ahead_its_changes_never_run_backwards(
    seed: int, presses: list[tuple[int, int]], ahead_ms: int
) -> None:
    dut, now_ns, changes = wired_dut(seed), START_NS, []
    for pause_ms, held_ms in presses:
        for wait_ms, driven in ((pause_ms, True), (held_ms, False)):
            now_ns += wait_ms * MS
            changes += dut.live(now_ns + ahead_ms * MS)
            # Told a little later than it happened.
            dut.drive(button(now_ns - MS // 2, driven), now_ns)
    changes += dut.live(now_ns + 30 * S)
    assert [c.t_ns for c in changes] == sorted(c.t_ns for c in changes)
    levels, *_ = dut.standing()
    for channel in LAPTOP.channels:
        bit = 1 << CHANNEL_PINS[channel]
        own = [bool(c.values) for c in changes if c.mask == bit]
        assert all(before != after for before, after in zip([True, *own], own, strict=False))
        assert bool(levels.values & bit) == (own[-1] if own else True)


def test_its_os_is_told_to_sleep_and_its_clock_to_wake_it() -> None:
    dut = wired_dut()
    assert dut.os_runs()
    assert dut.arm_timer(START_NS + S, 10 * S)
    assert dut.command(START_NS + S, SleepKind.S3)

    changes = dut.live(START_NS + 30 * S)

    (slept_ns,) = times_of(changes, Channel.SLP_S3, 0)
    (woke_ns,) = times_of(changes, Channel.SLP_S3, 1)
    assert START_NS + S < slept_ns < START_NS + 4 * S
    assert START_NS + 10 * S < woke_ns < START_NS + 13 * S


def test_an_os_that_sleeps_does_nothing_it_is_told() -> None:
    dut = wired_dut()
    dut.command(START_NS, SleepKind.S3)
    dut.live(START_NS + 5 * S)

    assert not dut.os_runs()
    assert not dut.command(START_NS + 5 * S, SleepKind.S4)
    assert not dut.arm_timer(START_NS + 5 * S, S)
    assert dut.has_state(SleepKind.S4)
    assert not dut.has_state(SleepKind.MODERN_STANDBY)


def test_a_key_wakes_it_and_its_bus_is_shown_on_the_pins() -> None:
    dut = WiredDut(load_dut_profile("wakes-by-device"), START_NS, 1_767_603_600 * S, 1)
    bus = [change for change in dut.standing() if change.mask & POWERED_BIT]
    assert [change.values for change in bus] == [POWERED_BIT | ACTIVE_BIT | ARMED_BIT]
    assert dut.command(START_NS + S, SleepKind.S3)
    asleep = [change for change in dut.live(START_NS + 9 * S) if change.mask & POWERED_BIT]
    assert asleep[-1].values == POWERED_BIT | ARMED_BIT
    bit = 1 << ACTUATOR_PINS[Actuator.KEYBOARD]
    dut.drive(PinChange(START_NS + 9 * S, bit, bit), START_NS + 9 * S)
    awake = [change for change in dut.live(START_NS + 20 * S) if change.mask & POWERED_BIT]
    assert awake[-1].values == POWERED_BIT | ACTIVE_BIT | ARMED_BIT
    assert dut.os_runs()


def test_what_it_draws_follows_what_it_does() -> None:
    dut = wired_dut()
    dut.standing()
    assert dut.command(START_NS + S, SleepKind.S3)
    load = [change.values for change in dut.live(START_NS + 9 * S) if change.mask == LOAD_BIT]
    assert load[-1] == LOAD_MW[PowerState.ASLEEP]
    assert load[0] == LOAD_MW[PowerState.SUSPENDING]
