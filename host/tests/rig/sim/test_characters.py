"""How simulated DUTs err: on the wires, in the light and in the log, by their behaviour."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.dut.event import PanelChange, WireChange
from resume_rig.rig.sim.dut.machine import SimulatedDut
from resume_rig.rig.sim.dut.os_log import OsClock, OsLog
from resume_rig.rig.sim.dut.panel import FULL_SCALE, Panel
from resume_rig.rig.sim.dut.states import PowerState

MS = 1_000_000
S = 1_000 * MS
UTC_NS = 1_767_603_600 * S
LAPTOP = load_dut_profile("healthy-laptop")
Changes = list[tuple[str, int]]


class Unit:
    """A DUT, its log, and what its lines did."""

    def __init__(self, profile: DutProfile, seed: int = 1) -> None:
        dut, log, time = (default_rng(stream) for stream in SeedSequence(seed).spawn(3))
        self.dut = SimulatedDut(profile, dut)
        self.log = OsLog(profile, OsClock(UTC_NS, time), log, frozenset())
        self.edges: list[WireChange] = []

    def press(self, t_ns: int) -> None:
        self.move(t_ns, Actuator.BUTTON, True)
        self.move(t_ns + 150 * MS, Actuator.BUTTON, False)

    def move(self, t_ns: int, actuator: Actuator, driven: bool) -> None:
        self.run(t_ns)
        self.dut.move(t_ns, actuator, driven)

    def run(self, until_ns: int) -> None:
        for event in self.dut.advance(until_ns):
            if isinstance(event, WireChange):
                self.edges.append(event)
            elif not isinstance(event, PanelChange):
                self.log.take(event)

    def changes(self, *channels: Channel) -> Changes:
        return [(e.channel.value, e.level) for e in self.edges if e.channel in channels]

    def times(self, channel: Channel, level: int) -> list[int]:
        return [e.t_ns for e in self.edges if (e.channel, e.level) == (channel, level)]

    def told(self, number: int, name: str) -> list[str]:
        """Values of one field in every event of this number, in record order."""
        found = []
        for line in self.log.document().splitlines():
            if f"<EventID>{number}<" in line:
                found += re.findall(f'<Data Name="{name}">([^<]*)<', line)
        return found


def erring(**errs: Any) -> DutProfile:
    return replace(LAPTOP, behaviour=replace(LAPTOP.behaviour, **errs))


def slept_and_woken(profile: DutProfile, seed: int = 1) -> Unit:
    unit = Unit(profile, seed)
    unit.press(1 * S)
    unit.press(15 * S)
    unit.run(40 * S)
    return unit


def test_s4_takes_both_lines_down_and_its_record_has_an_image() -> None:
    unit = slept_and_woken(erring(sleeps=SleepKind.S4))
    lines = (Channel.SLP_S3, Channel.SLP_S4)
    assert unit.changes(*lines) == [("SLP_S3", 0), ("SLP_S4", 0), ("SLP_S4", 1), ("SLP_S3", 1)]
    assert unit.told(1, "TargetState") == unit.told(1, "EffectiveState") == ["5"]
    assert unit.told(1, "HiberReadDuration") == ["2500"]
    assert unit.told(1, "HiberWriteDuration") == ["3000"]
    assert unit.told(131, "ResumeCount") == []


def test_hybrid_sleep_is_s3_on_the_wires() -> None:
    unit = slept_and_woken(erring(sleeps=SleepKind.HYBRID))
    assert unit.changes(Channel.SLP_S3, Channel.SLP_S4) == [("SLP_S3", 0), ("SLP_S3", 1)]
    assert (unit.told(1, "TargetState"), unit.told(1, "EffectiveState")) == (["4"], ["5"])
    assert unit.told(1, "HiberReadDuration") == ["0"]


def test_a_standby_under_the_name_of_s3_moves_no_power_line() -> None:
    unit = slept_and_woken(load_dut_profile("fake-s3"))
    power = (Channel.SLP_S3, Channel.SLP_S4, Channel.PWR_OK, Channel.PLTRST)
    assert unit.changes(*power) == []
    assert unit.changes(Channel.BACKLIGHT, Channel.LED) == [
        ("BACKLIGHT", 0),
        ("LED", 0),
        ("LED", 1),
        ("BACKLIGHT", 1),
    ]
    assert unit.told(1, "TargetState") == unit.told(1, "EffectiveState") == ["4"]


def test_a_doze_wakes_in_the_dark_and_writes_a_record_of_zeros() -> None:
    unit = slept_and_woken(load_dut_profile("doze-to-s4"))
    assert unit.changes(Channel.SLP_S3, Channel.SLP_S4, Channel.BACKLIGHT) == [
        ("BACKLIGHT", 0),
        ("SLP_S3", 0),
        ("SLP_S3", 1),
        ("SLP_S3", 0),
        ("SLP_S4", 0),
        ("SLP_S4", 1),
        ("SLP_S3", 1),
        ("BACKLIGHT", 1),
    ]
    assert unit.told(1, "WakeSourceType") == ["3", "1"]
    assert unit.told(1, "BiosInitDuration")[0] == "0"
    doze, hibernation = unit.told(1, "SleepTime")
    assert doze == hibernation == unit.told(1, "WakeTime")[0]


def test_a_press_before_the_doze_wakes_from_s3() -> None:
    unit = Unit(erring(doze_after_ns=8 * S))
    unit.press(1 * S)
    unit.press(6 * S)
    unit.run(30 * S)
    assert unit.changes(Channel.SLP_S3, Channel.SLP_S4) == [("SLP_S3", 0), ("SLP_S3", 1)]
    assert unit.dut.state is PowerState.UP


def test_a_double_reset_raises_pltrst_twice_and_the_record_tells_of_one() -> None:
    unit = slept_and_woken(erring(double_reset_share=1.0))
    first, second = unit.times(Channel.PLTRST, 1)
    assert 50 * MS < second - first < 500 * MS
    (bios_ms,) = unit.told(1, "BiosInitDuration")
    assert 180 <= int(bios_ms) <= 220


def test_a_hang_is_ended_by_the_button_alone() -> None:
    unit = slept_and_woken(erring(hang_share=1.0))
    assert unit.dut.state is PowerState.IN_FIRMWARE
    assert unit.dut.levels[Channel.BACKLIGHT] == 0
    unit.move(41 * S, Actuator.BUTTON, True)
    unit.move(47 * S, Actuator.BUTTON, False)
    unit.press(50 * S)
    unit.run(70 * S)
    assert unit.dut.state is PowerState.UP
    assert unit.dut.levels[Channel.BACKLIGHT] == 1


def test_a_bouncing_lid_is_one_request() -> None:
    unit = Unit(load_dut_profile("lid-bounce"))
    unit.move(1 * S, Actuator.LID, True)
    unit.move(10 * S, Actuator.LID, False)
    unit.run(20 * S)
    assert len(unit.changes(Channel.LID)) == 2 * (1 + 2 * 5)
    assert unit.changes(Channel.SLP_S3) == [("SLP_S3", 0), ("SLP_S3", 1)]
    assert unit.dut.state is PowerState.UP


def test_what_hides_before_the_sleep_is_in_no_number_of_the_os() -> None:
    sound, hides = slept_and_woken(LAPTOP), slept_and_woken(erring(hidden_before_sleep_ns=3 * S))
    assert hides.times(Channel.SLP_S3, 0)[0] - sound.times(Channel.SLP_S3, 0)[0] == 3 * S
    assert hides.told(1, "SleepDuration") == sound.told(1, "SleepDuration")


def test_a_request_that_is_passed_on_late_is_in_no_number_of_the_os() -> None:
    late = slept_and_woken(erring(late_sleep_ns=3 * S))
    way_ns = late.times(Channel.SLP_S3, 0)[0] - 1 * S
    # The press is accepted after 44 to 52 ms, the firmware takes 2 ms.
    assert 3_046 * MS <= way_ns - int(late.told(1, "SleepDuration")[0]) * MS <= 3_055 * MS


def test_a_sleep_duration_may_end_before_the_clock_stops() -> None:
    sound, short = slept_and_woken(LAPTOP), slept_and_woken(erring(unreported_suspend_ns=S // 5))
    assert short.times(Channel.SLP_S3, 0) == sound.times(Channel.SLP_S3, 0)
    told = [int(unit.told(1, "SleepDuration")[0]) for unit in (sound, short)]
    assert told[0] - told[1] == 200
    assert short.told(1, "OldTime") == sound.told(1, "OldTime")


def test_a_firmware_that_lights_the_panel_does_so_before_the_os() -> None:
    unit = slept_and_woken(erring(lit_by_firmware=True))
    light_ns = unit.times(Channel.BACKLIGHT, 1)[0] - unit.times(Channel.PLTRST, 1)[0]
    assert light_ns < LAPTOP.timing.bios_init.min_ns


@pytest.mark.parametrize(
    ("errs", "field", "told"),
    [
        ({"bios_factor": 0.0}, (1, "BiosInitDuration"), lambda ms: ms == 0),
        ({"bios_factor": 1000.0}, (1, "BiosInitDuration"), lambda ms: 180_000 <= ms <= 220_000),
        ({"tsc_resets": False}, (1, "BiosInitDuration"), lambda ms: ms > 900_000),
        ({"full_resume_factor": 2.0}, (131, "FullResume"), lambda ms: 312 <= ms <= 392),
        ({"average_factor": 3.0}, (131, "AverageResume"), lambda ms: 468 <= ms <= 590),
        ({"wake_source_type": 6}, (1, "WakeSourceType"), lambda number: number == 6),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_what_the_log_tells_is_as_wrong_as_asked_for(errs, field, told) -> None:
    (text,) = slept_and_woken(erring(**errs)).told(*field)
    assert told(int(text))


def test_a_count_that_stands_repeats_the_first_resume() -> None:
    unit = Unit(erring(resume_count_runs=False))
    for t_ns in range(1 * S, 61 * S, 10 * S):
        unit.press(t_ns)
    unit.run(70 * S)
    assert unit.told(131, "ResumeCount") == ["1"] * 3
    assert len(set(unit.told(131, "FullResume"))) == 1


@pytest.mark.parametrize(
    ("errs", "records"),
    [
        ({"record_missing_share": 1.0}, 0),
        ({"record_aborted_share": 1.0}, 1),
        ({"record_doubled_share": 1.0}, 2),
    ],
)
def test_records_are_lost_zeroed_and_doubled(errs, records) -> None:
    unit = slept_and_woken(erring(**errs))
    assert len(unit.told(1, "WakeSourceType")) == records
    if "record_aborted_share" in errs:
        assert unit.told(1, "DriverInitDuration") == ["0"]


def test_a_step_of_the_clock_is_in_the_log_and_lasts() -> None:
    plain = slept_and_woken(LAPTOP)
    stepped = slept_and_woken(erring(clock_step_share=1.0, clock_step_ns=-30 * S))
    assert plain.told(1, "Reason") == ["2"]
    assert stepped.told(1, "Reason") == ["2", "1"]


def test_a_dimmed_panel_is_dark_for_its_share() -> None:
    t_ns = np.arange(0, S, 50_000, dtype=np.int64)
    panel = Panel(default_rng(1), pwm_hz=220, pwm_duty=0.4)
    counts = panel.counts(t_ns)
    assert np.mean(counts > FULL_SCALE / 4) == pytest.approx(0.4, abs=0.01)
    rises = np.count_nonzero(np.diff((counts > FULL_SCALE / 4).astype(int)) == 1)
    assert rises == pytest.approx(220, abs=1)


def test_a_share_of_sleeps_ends_alone() -> None:
    woke = 0
    unit = Unit(erring(wakes_alone_share=0.5), 3)
    for t_ns in range(1 * S, 2_000 * S, 20 * S):
        unit.press(t_ns)
        unit.run(t_ns + 8 * S)
        if unit.dut.state is PowerState.ASLEEP:
            unit.press(t_ns + 8 * S)
        else:
            woke += 1
    assert 35 <= woke <= 65
