"""Edges become cycles: outcome, state, intervals, and what the wires alone show."""

from dataclasses import replace

import pytest
from correlated import kinds
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.cycles.building import build_cycle, split_cycles
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState
from resume_rig.model.result.verdict import FindingKind
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
BOUNDS = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)
BUTTON, LID = Channel.BUTTON, Channel.LID
SLP_S3, SLP_S4, SLP_S5 = Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5
PWR_OK, PLTRST, BACKLIGHT = Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT


def build(waveform, wake_by=Actuator.BUTTON, **options):
    return build_cycle(1, waveform.edges(), waveform.levels, wake_by, BOUNDS, **options)


def values_ms(cycle):
    return {name: interval.value_ns / MS for name, interval in cycle.intervals.items()}


def test_a_whole_cycle_has_every_interval(waveform, whole_ms) -> None:
    cycle = build(waveform)

    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert cycle.state is OutsideState.S3
    assert cycle.wake_by is Actuator.BUTTON
    assert (cycle.trigger_ns, cycle.asleep_from_ns, cycle.awake_from_ns) == (
        20_000 * MS,
        1501 * MS,
        20_048 * MS,
    )
    assert values_ms(cycle) == whole_ms
    assert cycle.findings == ()
    assert cycle.channels == (PWR_OK, SLP_S3, SLP_S4, PLTRST, BACKLIGHT, BUTTON, LID)


def test_every_interval_has_the_bound_of_its_two_edges(waveform, whole_ms) -> None:
    intervals = build(waveform).intervals

    assert intervals[IntervalName.SLP_S3_TO_PWR_OK].bound_ns == 8_000 + 1_800
    assert intervals[IntervalName.PRESS_TO_SLP_S3].bound_ns == 8_000 + 20_000 + 1_440
    assert intervals[IntervalName.PLTRST_TO_LIGHT].bound_ns == 8_000 + 1_000_000 + 40_260


@pytest.mark.parametrize(
    ("missing", "gone"),
    [
        (
            SLP_S3,
            {
                IntervalName.TRIGGER_TO_SLP_S3,
                IntervalName.PRESS_TO_SLP_S3,
                IntervalName.SLP_S3_TO_PWR_OK,
            },
        ),
        (
            PWR_OK,
            {
                IntervalName.PRESS_TO_PWR_OK,
                IntervalName.SLP_S3_TO_PWR_OK,
                IntervalName.PWR_OK_TO_PLTRST,
            },
        ),
        (
            PLTRST,
            {
                IntervalName.PWR_OK_TO_PLTRST,
                IntervalName.PRESS_TO_PLTRST,
                IntervalName.PLTRST_TO_LIGHT,
            },
        ),
        (BACKLIGHT, {IntervalName.PLTRST_TO_LIGHT, IntervalName.PRESS_TO_LIGHT}),
        (SLP_S4, set()),
        (BUTTON, {name for name in IntervalName if name.value.startswith(("press", "trigger"))}),
    ],
)
def test_what_is_not_wired_is_absent_and_never_guessed(waveform, missing, gone, whole_ms) -> None:
    cycle = build(waveform.without(missing), None)

    assert set(cycle.intervals) == set(whole_ms) - gone
    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert cycle.state is OutsideState.S3
    assert missing not in cycle.channels
    assert {n: v for n, v in values_ms(cycle).items() if n is not IntervalName.ASLEEP} == {
        n: v for n, v in whole_ms.items() if n not in gone and n is not IntervalName.ASLEEP
    }


@given(wired=st.sets(st.sampled_from(list(Channel))))
def test_no_set_of_wires_makes_an_interval_of_an_edge_that_it_lacks(
    waveform, whole_ms, wired
) -> None:
    partial = waveform.without(*(channel for channel in Channel if channel not in wired))

    cycle = build(partial, None)

    assert set(cycle.channels) == wired & set(waveform.levels)
    for name, interval in cycle.intervals.items():
        if name is not IntervalName.ASLEEP:
            assert interval.value_ns == whole_ms[name] * MS
        needs = {
            channel
            for channel in (SLP_S3, PWR_OK, PLTRST)
            if channel.value.lower() in name.value and channel in Channel
        }
        assert needs <= wired


@pytest.mark.parametrize(
    ("steps", "state"),
    [
        ([(1502, SLP_S4, 0), (20_047, SLP_S4, 1)], OutsideState.S4),
        (
            [
                (1502, SLP_S4, 0),
                (1503, SLP_S5, 0),
                (20_046, SLP_S5, 1),
                (20_047, SLP_S4, 1),
            ],
            OutsideState.S5,
        ),
        ([], OutsideState.S3),
    ],
    ids=["S4", "S5", "S3"],
)
def test_the_deepest_line_tells_the_state(waveform, steps, state) -> None:
    assert build(waveform.plus(*steps)).state is state


def test_a_fall_of_slp_s3_with_the_power_kept_is_no_sleep(waveform) -> None:
    powered = waveform.without(PWR_OK)
    powered = type(waveform)(powered.steps, {**powered.levels, PWR_OK: 1})

    cycle = build(powered)

    assert cycle.outcome is Outcome.NEVER_SLEPT
    assert cycle.state is OutsideState.NONE
    assert kinds(cycle) == [FindingKind.NEVER_SLEPT]
    assert "PWR_OK stayed high" in cycle.findings[0].text


def test_only_a_dark_backlight_is_s0ix(waveform) -> None:
    quiet = waveform.dropping(0, SLP_S3, PWR_OK, PLTRST)

    cycle = build(quiet)

    assert cycle.state is OutsideState.S0IX
    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert cycle.asleep_from_ns is None
    assert values_ms(cycle) == {
        IntervalName.PRESS_WIDTH: 150,
        IntervalName.PRESS_TO_LIGHT: 1500,
    }


def test_darkness_under_a_closed_lid_is_no_sleep(waveform) -> None:
    covered = replace(
        waveform, steps=((0, LID, 0), (0, BACKLIGHT, 0), (60_000, LID, 1), (60_000, BACKLIGHT, 1))
    )

    cycle = build(covered, Actuator.LID)

    assert cycle.outcome is Outcome.NEVER_SLEPT
    assert cycle.state is OutsideState.NONE


def test_darkness_that_lasts_after_the_lid_has_opened_is_s0ix(waveform) -> None:
    slept = replace(
        waveform, steps=((0, LID, 0), (0, BACKLIGHT, 0), (60_000, LID, 1), (60_400, BACKLIGHT, 1))
    )

    cycle = build(slept, Actuator.LID)

    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert cycle.state is OutsideState.S0IX


def test_without_a_power_line_a_dark_backlight_names_no_state(waveform) -> None:
    cycle = build(waveform.without(SLP_S3, PWR_OK))

    assert cycle.state is OutsideState.NONE
    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert values_ms(cycle)[IntervalName.PRESS_TO_LIGHT] == 1500


def test_a_dimmed_backlight_is_not_a_sleep_in_each_period(waveform) -> None:
    pwm = [(100 + i * 4, BACKLIGHT, i % 2) for i in range(150)]
    quiet = waveform.dropping(0, SLP_S3, PWR_OK, PLTRST).plus(*pwm)

    assert len(split_cycles(quiet.edges(), quiet.levels)) == 1


def test_the_lid_wakes_with_the_wider_bound_of_its_definition(waveform) -> None:
    by_lid = waveform.without(BUTTON).plus((0, LID, 0), (20_000, LID, 1))

    cycle = build(by_lid, Actuator.LID)

    assert cycle.wake_by is Actuator.LID
    assert IntervalName.PRESS_WIDTH not in cycle.intervals
    assert values_ms(cycle)[IntervalName.TRIGGER_TO_SLP_S3] == 1501
    assert cycle.intervals[IntervalName.PRESS_TO_SLP_S3].bound_ns > 4_000_000


def test_a_bounce_neither_moves_nor_shortens_the_press(waveform) -> None:
    bounced = waveform.plus(
        (20_001, BUTTON, 1), (20_003, BUTTON, 0), (20_151, BUTTON, 0), (20_152, BUTTON, 1)
    )

    cycle = build(bounced)

    assert cycle.trigger_ns == 20_000 * MS
    assert values_ms(cycle)[IntervalName.PRESS_WIDTH] == 152


def test_the_last_press_before_the_wake_is_its_trigger(waveform) -> None:
    early = waveform.plus((3000, BUTTON, 0), (3150, BUTTON, 1))

    assert build(early).trigger_ns == 20_000 * MS


def test_doubled_edges_change_nothing(waveform, whole_ms) -> None:
    doubled = waveform.plus(
        *((ms + 0.001, channel, level) for ms, channel, level in waveform.steps)
    )

    assert values_ms(build(doubled)) == whole_ms


def test_edges_may_come_in_any_order(waveform, whole_ms) -> None:
    cycle = build_cycle(1, waveform.edges()[::-1], waveform.levels, Actuator.BUTTON, BOUNDS)

    assert values_ms(cycle) == whole_ms


def test_a_wake_before_any_press_is_not_ours(waveform) -> None:
    alone = waveform.dropping(20_000, BUTTON).plus((20_500, BUTTON, 0), (20_650, BUTTON, 1))

    cycle = build(alone)

    assert cycle.outcome is Outcome.WOKE_ALONE
    assert kinds(cycle) == [FindingKind.WAKE_NOT_OURS]
    assert cycle.trigger_ns is None
    assert IntervalName.PRESS_TO_LIGHT not in cycle.intervals
    assert values_ms(cycle)[IntervalName.PLTRST_TO_LIGHT] == 1342


def test_what_a_wake_that_is_not_ours_came_to_is_told_beside_it(waveform) -> None:
    alone = waveform.dropping(20_000, BUTTON)

    cycle = build(alone.dropping(21_500, BACKLIGHT))

    assert cycle.outcome is Outcome.WOKE_ALONE
    assert kinds(cycle) == [FindingKind.WAKE_NOT_OURS, FindingKind.DARK]


def test_a_wake_by_the_lid_is_not_ours_where_the_button_was_to_wake(waveform) -> None:
    lid = waveform.dropping(20_000, BUTTON).plus((1000, LID, 0), (20_000, LID, 1))

    assert build(lid, Actuator.BUTTON).outcome is Outcome.WOKE_ALONE
    assert build(lid, None).wake_by is Actuator.LID


@pytest.mark.parametrize(
    ("since_ms", "wake_by", "outcome", "finding"),
    [
        (20_001, Actuator.BUTTON, Outcome.NEVER_WOKE, FindingKind.NEVER_WOKE),
        (20_001, None, Outcome.NEVER_WOKE, FindingKind.NEVER_WOKE),
        (2_000, Actuator.BUTTON, Outcome.NEVER_WOKE, FindingKind.NEVER_WOKE),
        (2_000, None, Outcome.INTERRUPTED, None),
        (21_000, Actuator.BUTTON, Outcome.DARK, FindingKind.DARK),
        (20_100, Actuator.BUTTON, Outcome.DARK, FindingKind.DARK),
        (1_000, Actuator.BUTTON, Outcome.NEVER_WOKE, FindingKind.NEVER_WOKE),
    ],
    ids=[
        "pressed",
        "pressed, capture",
        "press not seen",
        "capture ends",
        "dark",
        "dark in reset",
        "dark, then nothing",
    ],
)
def test_a_cycle_that_breaks_off_says_where(waveform, since_ms, wake_by, outcome, finding) -> None:
    cycle = build(waveform.dropping(since_ms), wake_by)

    assert cycle.outcome is outcome
    assert kinds(cycle) == ([finding] if finding else [])
    assert IntervalName.PRESS_TO_LIGHT not in cycle.intervals


def test_power_without_the_end_of_reset_is_no_wake_where_no_light_is_wired(waveform) -> None:
    cycle = build(waveform.without(BACKLIGHT).dropping(20_158, PLTRST))

    assert cycle.outcome is Outcome.NEVER_WOKE
    assert "PLTRST# stayed low" in cycle.findings[0].text


def test_nothing_at_all_is_never_slept(waveform) -> None:
    cycle = build(waveform.dropping(0))

    assert cycle.outcome is Outcome.NEVER_SLEPT
    assert cycle.intervals == {}
    assert kinds(cycle) == [FindingKind.NEVER_SLEPT]
    assert cycle.findings[0].text == "The DUT never slept: SLP_S3# and BACKLIGHT stayed high."


def test_a_display_that_was_dark_already_is_not_told_to_have_stayed_lit(waveform) -> None:
    hung = waveform.dropping(0)

    cycle = build(type(hung)(hung.steps, {**hung.levels, BACKLIGHT: 0}))

    assert cycle.outcome is Outcome.NEVER_SLEPT
    assert cycle.findings[0].text == (
        "The DUT never slept: SLP_S3# stayed high. BACKLIGHT was low before: was it awake at all?"
    )


@pytest.mark.parametrize(
    "steps",
    [
        [(20_400, PLTRST, 0), (20_500, PLTRST, 1)],
        [(20_400, PLTRST, 0), (20_410, PWR_OK, 0), (20_480, PWR_OK, 1), (20_500, PLTRST, 1)],
        [
            (20_400, PLTRST, 0),
            (20_405, SLP_S3, 0),
            (20_410, PWR_OK, 0),
            (20_460, SLP_S3, 1),
            (20_480, PWR_OK, 1),
            (20_500, PLTRST, 1),
        ],
    ],
    ids=["reset", "with power", "with SLP_S3#"],
)
def test_a_double_reset_counts_from_its_last_pass(waveform, steps) -> None:
    cycle = build(waveform.plus(*steps))

    assert kinds(cycle) == [FindingKind.DOUBLE_RESET]
    assert cycle.findings[0].evidence["pltrst_rises"] == 2
    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert cycle.awake_from_ns == 20_048 * MS
    assert values_ms(cycle)[IntervalName.PRESS_TO_PLTRST] == 500
    assert values_ms(cycle)[IntervalName.PRESS_TO_LIGHT] == 1500


def test_a_second_sleep_in_the_same_edges_is_left_alone(waveform, whole_ms) -> None:
    again = waveform.plus(*waveform.dropping(22_000).later(40_000).steps)

    assert values_ms(build(again)) == whole_ms
    assert build(again).findings == ()


def test_lost_edges_make_the_cycle_invalid_and_not_shorter(waveform) -> None:
    cycle = build(waveform, lost=True)

    assert cycle.outcome is Outcome.INVALID
    assert cycle.intervals == {}
    assert kinds(cycle) == [FindingKind.OVERRUN]


def test_an_ignored_cycle_is_measured_all_the_same(waveform, whole_ms) -> None:
    cycle = build(waveform, ignored=True)

    assert cycle.ignored
    assert values_ms(cycle) == whole_ms
