"""The onset of light, from the board into the store and out of it again."""

import dataclasses
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from few_cycles import cycles_of

from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.store.measured_cycle import outside_cycle
from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.campaign.store.read_back import load_campaign, timed_campaign
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.light import LightBasis, OnsetState
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.sim.dut.event import SimFault

MS = 1_000_000
HALF_RAMP_NS = 4 * MS  # of the simulated panel
Make = Callable[..., Any]


def lit_ns(raw: CycleRaw) -> int:
    rises = [e.t_ns for e in raw.edges if e.channel is Channel.BACKLIGHT and e.level == 1]
    return rises[0]


def forget_onsets(path: Path, *, light: bool = False) -> None:
    """Make the store one of a board that looks for no onset, or of one without a photodiode."""
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM seal")
    connection.execute("UPDATE cycle SET sleep_timeout_ns = NULL, wake_timeout_ns = NULL")
    connection.execute("UPDATE cycle SET onset = NULL")
    if light:
        connection.execute("UPDATE cycle SET light = x''")
    connection.commit()
    connection.close()


@pytest.fixture
def measured(simulated: Make, short_plan: Plan) -> Any:
    bench = simulated()
    bench.begin(short_plan)
    return bench


def test_each_cycle_keeps_the_onset_of_its_own_light(measured: Any) -> None:
    raws = cycles_of(measured.path)

    assert [raw.onset.state for raw in raws if raw.onset is not None] == [OnsetState.OK] * 2
    for raw in raws:
        assert raw.onset is not None
        assert raw.onset.half_ns is not None
        assert abs(raw.onset.half_ns - lit_ns(raw) - HALF_RAMP_NS) < MS


def test_intervals_end_at_t_50_and_say_so(measured: Any) -> None:
    for raw, timed in zip(
        cycles_of(measured.path), timed_campaign(load_campaign(measured.path)).cycles, strict=True
    ):
        intervals = timed.outside.intervals
        light = intervals[IntervalName.PRESS_TO_LIGHT]
        enabled_ns = lit_ns(raw) - (timed.outside.trigger_ns or 0)
        assert timed.outside.light_basis is LightBasis.HALF
        assert abs(light.value_ns - enabled_ns - HALF_RAMP_NS) <= light.bound_ns < MS
        first = intervals[IntervalName.PRESS_TO_FIRST_LIGHT]
        ninety = intervals[IntervalName.PRESS_TO_LIGHT_90]
        assert first.value_ns < light.value_ns < ninety.value_ns


def test_blocks_tell_what_the_board_did_not_to_a_whole_block(measured: Any) -> None:
    by_board = timed_campaign(load_campaign(measured.path)).cycles
    forget_onsets(measured.path)

    by_blocks = timed_campaign(load_campaign(measured.path)).cycles

    for told, derived in zip(by_board, by_blocks, strict=True):
        board = told.outside.intervals[IntervalName.PRESS_TO_LIGHT]
        blocks = derived.outside.intervals[IntervalName.PRESS_TO_LIGHT]
        assert derived.outside.light_basis is LightBasis.BLOCKS
        assert blocks.bound_ns >= MS
        assert abs(board.value_ns - blocks.value_ns) <= MS
    plan, identity = load_campaign(measured.path).plan, measured.identity
    assert [outside_cycle(raw, plan, identity) for raw in cycles_of(measured.path)] == [
        dataclasses.replace(timed.outside, ignored=False) for timed in by_blocks
    ]


def test_without_any_light_the_comparator_is_what_there_is(measured: Any) -> None:
    forget_onsets(measured.path, light=True)

    for timed in timed_campaign(load_campaign(measured.path)).cycles:
        assert timed.outside.light_basis is LightBasis.COMPARATOR
        assert IntervalName.PRESS_TO_FIRST_LIGHT not in timed.outside.intervals


def test_a_cycle_that_recorded_no_light_has_no_onset_of_the_cycle_before(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated()
    bench.begin(dataclasses.replace(short_plan, cycles=1))
    assert bench.simulated is not None
    bench.simulated.set_faults(frozenset({SimFault.WAKES_ALONE}))
    other = dataclasses.replace(bench, path=bench.path.with_name("alone.rrs"))
    other.begin(dataclasses.replace(short_plan, cycles=1))

    (raw,) = cycles_of(other.path)

    assert raw.outcome is Outcome.WOKE_ALONE
    times_ns = [] if raw.onset is None else [raw.onset.first_ns, raw.onset.half_ns]
    assert all(t_ns is None or t_ns >= raw.edges[0].t_ns for t_ns in times_ns)
    (timed,) = timed_campaign(load_campaign(other.path)).cycles
    early = {f.kind: f.evidence.get("early_ns") for f in timed.outside.findings}
    assert 0 < (early[FindingKind.WAKE_NOT_OURS] or 0) < short_plan.dwell_ns


def test_a_dark_panel_is_dark_in_light_and_lines(simulated: Make, short_plan: Plan) -> None:
    bench = simulated(faults=frozenset({SimFault.DARK}))
    bench.begin(dataclasses.replace(short_plan, cycles=1))

    (raw,) = cycles_of(bench.path)

    assert raw.onset is not None
    assert raw.onset.state is OnsetState.NO_LIGHT
    assert raw.outcome is Outcome.DARK


def test_an_onset_takes_little_room_in_the_store(simulated: Make) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=3))

    connection = sqlite3.connect(bench.path)
    (longest,) = connection.execute("SELECT max(length(onset)) FROM cycle").fetchone()
    connection.close()

    assert longest <= 160


def test_an_s3_that_was_off_is_a_boot_and_no_resume(measured: Any, short_plan: Plan) -> None:
    raw = cycles_of(measured.path)[0]
    identity = dataclasses.replace(
        measured.identity, wired=(*measured.identity.wired, Channel.SLP_S5)
    )
    falls = [e for e in raw.edges if e.channel is Channel.SLP_S3]
    off = [
        Edge(1000 + i, falls[i].t_ns + (60_000, -60_000)[i], channel, i)
        for channel in (Channel.SLP_S4, Channel.SLP_S5)
        for i in (0, 1)
    ]
    levels = {**raw.initial_levels, Channel.SLP_S5: 1}
    booted = dataclasses.replace(raw, edges=(*raw.edges, *off), initial_levels=levels)

    cycle = outside_cycle(booted, short_plan, identity)

    assert cycle.state is OutsideState.S5
    assert cycle.outcome is Outcome.REBOOTED
    assert [finding.kind for finding in cycle.findings] == [FindingKind.REBOOTED]


@pytest.mark.parametrize(
    ("held_up_s", "state"),
    [(0.5, OnsetState.OK), (3, OnsetState.NOT_SETTLED), (8, OnsetState.NOT_SETTLED)],
)
def test_light_is_seen_where_a_poor_line_outlasts_its_recording(
    simulated: Make, short_plan: Plan, held_up_s: float, state: OnsetState
) -> None:
    """The board tells of its newest recording alone, which may begin after the light."""
    bench = simulated()
    read_light, press = bench.rig.light, bench.rig.press
    presses: list[Any] = []
    held_up: list[int] = []

    def slow(cursor: int, *more: Any) -> Any:
        if len(presses) == 2 and not held_up:
            held_up.append(cursor)
            bench.clock.sleep_ns(round(held_up_s * 1e9))
        return read_light(cursor, *more)

    def pressed(*told: Any, **more: Any) -> Any:
        presses.append(told)
        return press(*told, **more)

    bench.rig.light, bench.rig.press = slow, pressed
    bench.begin(dataclasses.replace(short_plan, cycles=1))

    (raw,) = cycles_of(bench.path)
    assert held_up
    assert raw.onset is not None
    assert raw.onset.state is state
    assert 0 <= (raw.onset.first_ns or 0) - lit_ns(raw) < HALF_RAMP_NS
    (timed,) = timed_campaign(load_campaign(bench.path)).cycles
    assert IntervalName.PRESS_TO_FIRST_LIGHT in timed.outside.intervals
    told = [f.text for f in timed.outside.findings if f.kind is FindingKind.LIGHT_NOT_TIMED]
    assert all("ended before its level had settled" in text for text in told)
    assert len(told) == (state is not OnsetState.OK)
