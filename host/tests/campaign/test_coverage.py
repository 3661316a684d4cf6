"""End to end: simulated DUTs, a board that errs as it states, and 95 % of the truths within 95 %.

The simulated board of `sim:` is better than it states (its latency spreads over 3 us, and it
states 5 us; its edges have no front end). So the board of this test is made here: true times of
the simulated DUT's wires become stamps with latency, ticks, front end, clock and press drawn from
the very distributions that it states.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.random import Generator

from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.reconcile.reconcile import light_after_complete, press_to_resume_complete
from resume_rig.campaign.answer.assessment import reset_to_tsc_of
from resume_rig.campaign.store.measured_cycle import bounds_of
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import Edge
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.front_end_file import shipped_front_end
from resume_rig.rig.interface import ChannelInfo, RigInfo
from resume_rig.rig.sim.dut.event import WireChange
from resume_rig.rig.sim.dut.machine import SimulatedDut
from resume_rig.timing.edge_uncertainty import without_delays

pytestmark = pytest.mark.slow

MS = 1_000_000
S = 1_000 * MS
CYCLES = 1_000
PROFILES = ("healthy-laptop", "healthy-desktop", "slow-laptop")
TOLERANCE_PPB = 30_000
TICK_NS = 1_000
LATENCY_NS = 6_000
FRONT_END = shipped_front_end()
LEFT_OUT = {Channel.LED, Channel.SLP_S4, Channel.SLP_S5, Channel.LID}


@dataclass(frozen=True)
class Truth:
    """The wires of one cycle: true times of what changed, and the levels before."""

    levels: dict[Channel, int]
    changes: tuple[WireChange, ...]

    def when(self, channel: Channel, level: int, place: int) -> int:
        found = [c.t_ns for c in self.changes if (c.channel, c.level) == (channel, level)]
        return found[place]


def cycles_of(dut: DutProfile, count: int) -> Iterator[Truth]:
    unit = SimulatedDut(dut, np.random.default_rng(5))
    now_ns = S
    for _ in range(count):
        levels = dict(unit.levels)
        changes: list[WireChange] = []
        for at_ns, driven in ((0, True), (150 * MS, False), (6 * S, True), (6_150 * MS, False)):
            changes += wires(unit, now_ns + at_ns)
            unit.move(now_ns + at_ns, Actuator.BUTTON, driven)
        now_ns += 12 * S
        changes += wires(unit, now_ns)
        yield Truth(levels, tuple(changes))


def wires(unit: SimulatedDut, until_ns: int) -> list[WireChange]:
    return [event for event in unit.advance(until_ns) if isinstance(event, WireChange)]


def board(dut: DutProfile) -> RigInfo:
    channels = tuple(
        ChannelInfo(channel, TICK_NS, LATENCY_NS, LATENCY_NS) for channel in dut.channels
    )
    return RigInfo(
        protocol=1,
        firmware="test",
        board="rpi_pico",
        boot_id=1,
        clock_source="xtal",
        clock_hz=1_000_000,
        clock_tolerance_ppb=TOLERANCE_PPB,
        calibration_ppb=None,
        lease_ns=1,
        # Nothing is stated, so that the front end's table is used.
        channels=tuple(replace(info, delay_ns=0) for info in channels),
        actuators=(),
        edge_ring=1,
        light_ring=1,
        dut_log=None,
        edge_source="gpio-interrupt",
    )


def stamped(truth: Truth, random: Generator) -> tuple[Edge, ...]:
    """Return what a board of these errors tells of a cycle."""
    rate = 1 + random.uniform(-TOLERANCE_PPB, TOLERANCE_PPB) * 1e-9
    press_ns = {level: random.uniform(-20_000, 20_000, 2) for level in (0, 1)}
    seen: Counter[int] = Counter()
    edges = []
    for number, change in enumerate(c for c in truth.changes if c.channel not in LEFT_OUT):
        front_end = FRONT_END.of(change.channel, bool(change.level))
        assert front_end is not None
        error_ns = random.normal(front_end.value_ns, front_end.standard_ns)
        error_ns += random.uniform(-LATENCY_NS, LATENCY_NS)
        if change.channel is Channel.BUTTON:
            error_ns += press_ns[change.level][seen[change.level] % 2]
            seen[change.level] += 1
        if change.channel is Channel.BACKLIGHT:
            error_ns += random.uniform(-MS, MS)
        ticks = (change.t_ns * rate + error_ns) // TICK_NS
        edges.append(Edge(number, int(ticks) * TICK_NS, change.channel, change.level))
    return tuple(edges)


def true_intervals(truth: Truth) -> dict[IntervalName, int]:
    press, release = truth.when(Channel.BUTTON, 0, -1), truth.when(Channel.BUTTON, 1, -1)
    asleep, awake = truth.when(Channel.SLP_S3, 0, 0), truth.when(Channel.SLP_S3, 1, -1)
    power, reset = truth.when(Channel.PWR_OK, 1, -1), truth.when(Channel.PLTRST, 1, -1)
    lit = truth.when(Channel.BACKLIGHT, 1, -1)
    return {
        IntervalName.TRIGGER_TO_SLP_S3: asleep - truth.when(Channel.BUTTON, 0, 0),
        IntervalName.ASLEEP: awake - asleep,
        IntervalName.PRESS_WIDTH: release - press,
        IntervalName.PRESS_TO_SLP_S3: awake - press,
        IntervalName.PRESS_TO_PWR_OK: power - press,
        IntervalName.SLP_S3_TO_PWR_OK: power - awake,
        IntervalName.PWR_OK_TO_PLTRST: reset - power,
        IntervalName.PRESS_TO_PLTRST: reset - press,
        IntervalName.PLTRST_TO_LIGHT: lit - reset,
        IntervalName.PRESS_TO_LIGHT: lit - press,
    }


@pytest.fixture(scope="module")
def measured() -> list[tuple[DutProfile, Truth, OutsideCycle]]:
    random = np.random.default_rng(11)
    found = []
    for name in PROFILES:
        # The simulated PWR_OK is an edge of logic.
        dut = replace(load_dut_profile(name), pwr_ok_rise_max_ns=0)
        bounds = bounds_of(board(dut), dut)
        for number, truth in enumerate(cycles_of(dut, CYCLES // len(PROFILES))):
            edges = without_delays(stamped(truth, random), bounds.delays_ns())
            levels = {c: v for c, v in truth.levels.items() if c not in LEFT_OUT}
            outside = build_cycle(number, edges, levels, Actuator.BUTTON, bounds)
            found.append((dut, truth, outside))
    return found


@pytest.mark.parametrize("name", list(IntervalName))
def test_95_percent_of_measured_intervals_hold_the_truth(measured, name: IntervalName) -> None:
    within, certain, count = 0, 0, 0
    for _, truth, outside in measured:
        true_ns = true_intervals(truth).get(name)
        quantity = outside.intervals.get(name)
        if true_ns is None or quantity is None:
            continue
        error_ns = abs(quantity.value_ns - true_ns)
        count += 1
        within += error_ns <= quantity.expanded_ns
        certain += error_ns <= quantity.bound_ns
    if not count and name not in true_intervals(measured[0][1]):
        pytest.skip(f"{name} is not timed by edges alone")

    assert count >= 0.99 * len(measured)
    assert certain == count
    assert 0.93 <= within / count <= 0.97


def test_95_percent_of_reconciled_times_hold_the_truth(measured, record) -> None:
    random = np.random.default_rng(12)
    within: Counter[str] = Counter()
    for dut, truth, outside in measured:
        told = record(bios_init_ms=205, driver_init_ms=743)
        true = true_intervals(truth)
        hidden = reset_to_tsc_of(dut)
        inside_ns = random.uniform(-1, 1, 2).sum() * MS + (205 + 743) * MS
        hidden_ns = random.uniform(dut.reset_to_tsc_min_ns, dut.reset_to_tsc_max_ns)
        complete = press_to_resume_complete(outside, told, hidden)
        after = light_after_complete(outside, told, hidden)
        assert complete is not None
        assert after is not None
        true_ns = true[IntervalName.PRESS_TO_PLTRST] + hidden_ns + inside_ns
        within["complete"] += abs(complete.value_ns - true_ns) <= complete.expanded_ns
        true_ns = true[IntervalName.PLTRST_TO_LIGHT] - hidden_ns - inside_ns
        within["after"] += abs(after.value_ns - true_ns) <= after.expanded_ns

    for count in within.values():
        assert 0.93 <= count / len(measured) <= 0.97
