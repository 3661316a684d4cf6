"""Every moment of light lies within its bound, or is refused with a reason."""

from dataclasses import replace

import numpy as np
import pytest
from lit_bounds import play, read, recorded, timed
from lit_scenes import FULL_SCALE, Scene

from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.cycles.light_shape import BlockTable, light_reading
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.light import LightBasis, LightOnset, OnsetState
from resume_rig.model.result.cycle import IntervalName
from resume_rig.model.result.verdict import FindingKind
from resume_rig.timing.edge_uncertainty import IntervalBounds
from resume_rig.timing.light_budget import LightDefinition

MS = 1_000_000
FIRST, HALF, NINETY = LightDefinition
OLED = Scene("OLED", 0.4, pwm_hz=240, duty=0.9, phase=0.3)
SLOW = Scene("slow", 0.4, fade_s=0.2)
KEYBOARD = Scene("keyboard", 0.8, before=0.3, before_s=0.3, fade_s=0.004)


def measured(scene: Scene, seed: int = 1):
    reading = read(scene, np.random.default_rng(seed))
    return reading, {each.definition: each for each in timed(scene, reading)}


@pytest.mark.parametrize("phase", np.arange(20) / 20)
def test_slow_edges_of_light_parts_delay_the_first_light_within_its_bound(phase) -> None:
    scene = Scene(
        "scan",
        0.4,
        fade="gamma",
        fade_s=0.1,
        noise=0.5,
        pwm_hz=60,
        duty=0.7,
        phase=phase,
        edge=0.42,
    )
    _, moments = measured(scene)

    assert moments[FIRST].ratio <= 1


def test_a_lamp_moves_the_first_light_of_a_pwm_within_its_bound() -> None:
    scene, _, moments = play(906, 202)

    assert all(each.ratio <= 1 for each in moments), scene


def test_a_slow_fade_under_a_beating_pwm_is_as_flat_as_its_averages_show() -> None:
    # The board's own 90 % was 66 ms early, in blocks that beat with 746 Hz: too steep a fade.
    scene, _, moments = play(1244, 1)

    assert all(each.ratio <= 1 for each in moments), scene
    assert all(each.why is None for each in moments)


@pytest.mark.parametrize("phase", np.arange(10) / 10)
@pytest.mark.parametrize(("hz", "duty"), [(0, 1.0), (200, 0.2), (240, 0.9), (1_500, 0.2)])
def test_a_plain_panel_is_never_refused(hz, duty, phase) -> None:
    scene = Scene("plain", 0.4, pwm_hz=hz, duty=duty, phase=phase, level=3_700 * duty)

    _, moments = measured(scene)

    assert all(each.why is None and each.ratio <= 1 for each in moments.values())
    # No more than what the PWM leaves open and a part of the moving average.
    average_ns = max(MS, 1e9 / hz) if hz else MS
    assert moments[HALF].bound_ns < average_ns
    assert moments[NINETY].bound_ns < 1.8 * average_ns


def test_a_step_under_pwm_reaches_90_percent_late_and_that_is_subtracted() -> None:
    errors_ns = [
        measured(replace(OLED, phase=phase))[1][NINETY].error_ns for phase in np.arange(10) / 10
    ]

    # Uncorrected it would be 0.4 of the 4.17 ms of a period.
    assert abs(np.mean(errors_ns)) < 1_000_000


@pytest.mark.parametrize("lamp", [0.02, 0.05, 0.1])
def test_lamps_widen_the_bound_by_their_flicker_over_the_slope(lamp) -> None:
    _, plain = measured(SLOW)
    scenes = [replace(SLOW, lamp=lamp, lamp_hz=100, lamp_phase=phase) for phase in np.arange(5) / 5]

    lit = [measured(scene)[1][HALF] for scene in scenes]

    assert all(each.ratio <= 1 for each in lit)
    # Half of the flicker, peak to peak, on a ramp of 200 ms, and as much again before it.
    flicker_ns = lamp / 2 * 200 * MS
    widest_ns = max(each.bound_ns for each in lit) - plain[HALF].bound_ns
    assert flicker_ns < widest_ns < 3 * flicker_ns


def test_what_lamps_hide_is_refused_and_the_rest_is_not() -> None:
    scene = replace(SLOW, lamp=0.1, lamp_hz=100)

    reading, moments = measured(scene)

    assert "tenth" in reading.refused[FIRST]
    assert moments[HALF].why is None


def test_light_in_two_steps_is_timed_by_the_largest() -> None:
    reading, moments = measured(KEYBOARD)

    assert reading.basis is LightBasis.LARGEST_STEP
    assert reading.step.steps == 2
    assert reading.step.before == pytest.approx(0.3, abs=0.01)
    # The first light is the keyboard's, t_50 that of the panel, 302 ms later.
    assert moments[FIRST].ratio <= 1
    assert reading.onset.half_ns - reading.onset.first_ns == pytest.approx(302 * MS, abs=MS)
    assert moments[HALF].bound_ns < 1.5 * MS


@pytest.mark.parametrize("dark", [60.0, 1_900.0])
def test_a_light_before_the_panel_that_rests_too_shortly_widens_the_bound_of_t_50(dark) -> None:
    # For 57 ms under a lamp: a step of its own from 75 ms on. So the panel's edge is passed a
    # quarter up, where its average of 1 ms passes a quarter of it early.
    scene = Scene(
        "shortly", 0.4286, before=0.317, before_s=0.0567, lamp_hz=120, lamp=0.021, dark=dark
    )
    reading, moments = measured(scene)

    assert reading.step is None
    assert abs(moments[HALF].error_ns) == pytest.approx(0.24 * MS, abs=0.03 * MS)
    assert moments[HALF].ratio <= 1
    assert moments[HALF].bound_ns < 0.5 * MS


def test_light_that_rests_before_the_panel_costs_no_second() -> None:
    # The recording ends 1.9 s after the panel: no time for a whole span that moved.
    reading, moments = measured(replace(KEYBOARD, before_s=0.5, lit_s=0.9))

    assert reading.onset.state is OnsetState.OK
    assert all(each.why is None and each.ratio <= 1 for each in moments.values())


@pytest.mark.parametrize(("hz", "duty"), [(10_206, 0.88), (15_709, 0.25), (18_075, 0.21)])
def test_a_pwm_of_few_samples_a_period_settles(hz, duty) -> None:
    reading, moments = measured(Scene("fast", 0.4, pwm_hz=hz, duty=duty, level=3_000 * duty))

    assert reading.onset.state is OnsetState.OK
    assert all(each.ratio <= 1 for each in moments.values())


@pytest.mark.parametrize("fade", ["linear", "s-shape", "gamma", "exponential"])
@pytest.mark.parametrize("fade_s", [0.05, 0.3, 1.0])
def test_a_fade_is_one_step(fade, fade_s) -> None:
    reading, _ = measured(Scene("fade", 0.4, fade=fade, fade_s=fade_s))

    assert reading.step is None


@pytest.mark.parametrize("lamp_hz", [50, 60, 100, 120])
def test_a_slow_fade_under_lamps_is_one_step(lamp_hz) -> None:
    scene = Scene("fade", 0.4, fade="gamma", fade_s=0.55, lamp=0.05, lamp_hz=lamp_hz)

    reading, moments = measured(replace(scene, rectified=True))

    assert reading.step is None
    assert all(each.ratio <= 1 for each in moments.values())


def test_blocks_of_another_recording_say_nothing() -> None:
    onset = LightOnset(OnsetState.OK, 10**12, 10**12 + MS, 10**12 + 2 * MS, 20_000)
    t_ns = np.arange(1_000, dtype=np.int64) * MS
    table = BlockTable(t_ns, np.full(1_000, 40.0), np.full(1_000, 45.0))

    reading = light_reading(onset, table)

    assert (reading.doubts, reading.refused, reading.step) == ({}, {}, None)
    assert reading.basis is LightBasis.HALF, "the board's own"
    assert light_reading(None, BlockTable(*(column[:0] for column in table))) is None


@pytest.mark.parametrize(("at", "is_whole"), [(0, True), (1, False), (300, False)])
def test_a_gap_behind_a_block_other_than_the_first_says_nothing(at, is_whole) -> None:
    scene = Scene("step", 0.4)
    onset, table = recorded(scene, np.random.default_rng(1))
    # The first block of a recording begins when the recording does, not with a millisecond.
    early = table.t_ns - np.where(np.arange(len(table.t_ns)) <= at, MS, 0)

    reading = light_reading(onset, table._replace(t_ns=early), FULL_SCALE)

    assert bool(reading.doubts) is is_whole


def test_where_the_board_tells_no_onset_it_is_that_of_the_blocks() -> None:
    t_ns = np.arange(2_000, dtype=np.int64) * MS
    mean = np.where(np.arange(2_000) < 500, 40.0, 1_000.0)

    reading = light_reading(None, BlockTable(t_ns, mean, mean))

    assert reading.basis is LightBasis.BLOCKS
    assert reading.onset.state is OnsetState.OK
    assert reading.onset.half_ns == pytest.approx(500 * MS, abs=2 * MS)
    assert reading.refused == {}


def test_a_level_that_blocks_do_not_show_is_refused() -> None:
    t_ns = np.arange(2_000, dtype=np.int64) * MS
    mean = np.where(np.arange(2_000) < 500, 40.0, 1_000.0)
    onset = LightOnset(
        OnsetState.OK, 500 * MS, 501 * MS, 502 * MS, 20_000, 40.0, 1.0, 2_000, 2_000.0, 0.0, 1.0, 0
    )

    reading = light_reading(onset, BlockTable(t_ns, mean, mean))

    assert set(reading.refused) == set(LightDefinition)


def test_a_pwm_that_is_slow_beside_the_span_is_refused() -> None:
    t_ns = np.arange(1_200, dtype=np.int64) * MS
    mean = np.where(np.arange(1_200) < 500, 40.0, 1_000.0)
    times = (500 * MS, 501 * MS, 502 * MS)
    onset = LightOnset(OnsetState.OK, *times, MS, 40.0, 1.0, 1_000, 1_000.0, 4.0, 0.5, 10**7)

    reading = light_reading(onset, BlockTable(t_ns, mean, mean))

    assert {HALF, NINETY} <= set(reading.refused)


def test_a_cycle_says_which_moment_was_refused_and_what_its_light_is(waveform) -> None:
    bounds = IntervalBounds(rate_ppb=0, press_definition_ns=0)
    shifted = 21_500 * MS - 400 * MS

    def cycle(scene):
        reading, _ = measured(scene)
        onset = reading.onset
        moved = {
            name: getattr(onset, name) + shifted for name in ("first_ns", "half_ns", "ninety_ns")
        }
        light = reading._replace(onset=replace(onset, **moved))
        dark_edges = waveform.without(Channel.BACKLIGHT)
        return build_cycle(
            1, dark_edges.edges(), dark_edges.levels, Actuator.BUTTON, bounds, light=light
        )

    hidden = cycle(replace(SLOW, lamp=0.1, lamp_hz=100))
    (finding,) = hidden.findings
    assert finding.kind is FindingKind.LIGHT_NOT_TIMED
    assert "t_first" in finding.text
    assert "t_50" not in finding.text
    assert IntervalName.PRESS_TO_FIRST_LIGHT not in hidden.intervals
    assert IntervalName.PRESS_TO_LIGHT in hidden.intervals
    assert cycle(KEYBOARD).light_basis is LightBasis.LARGEST_STEP


@pytest.mark.parametrize(
    ("counts_per_block", "doubt_ns"),
    [(1_000, 11_000), (10, 2_100_000), (2, 6_500_000)],
    ids=["within a block", "in 100 blocks", "in 500 blocks"],
)
def test_the_first_light_is_as_doubtful_as_the_rise_is_flat(counts_per_block, doubt_ns) -> None:
    # The greatest samples stand 10 counts above the mean, so the tenth is good to 11 counts: they
    # are passed within a block, or in 1.1 or 5.5 of them and one more: none shows where in it.
    t_ns = np.arange(2_500, dtype=np.int64) * MS
    mean = 40 + np.clip(counts_per_block * (np.arange(2_500) - 499.0), 0, 1_000)
    times_ns = (round((500 + share * 1_000 / counts_per_block) * MS) for share in (0.1, 0.5, 0.9))
    onset = LightOnset(*(OnsetState.OK, *times_ns, 20_000, 40.0, 2.0, 1_050, 1_040.0, 0.0, 1.0, 0))

    reading = light_reading(onset, BlockTable(t_ns, mean, mean + 10))

    assert reading is not None
    assert reading.doubts[FIRST].ambient_ns == pytest.approx(doubt_ns, abs=1_000)
