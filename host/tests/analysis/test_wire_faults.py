"""What the wires show beside the outcome is named, with its evidence."""

from dataclasses import replace

import pytest
from correlated import kinds

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import build_cycle, split_cycles
from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.os_record import LogReading
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState
from resume_rig.model.result.verdict import FindingKind, Verdict
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
BOUNDS = IntervalBounds(rate_ppb=0)
BUTTON, LED = Channel.BUTTON, Channel.LED
SLP_S3, SLP_S4, SLP_S5 = Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5
PWR_OK, PLTRST, BACKLIGHT = Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT


def build(waveform, wake_by=Actuator.BUTTON):
    return build_cycle(1, waveform.edges(), waveform.levels, wake_by, BOUNDS)


def values_ms(cycle):
    return {name: interval.value_ns / MS for name, interval in cycle.intervals.items()}


def test_a_glitch_on_slp_s3_is_no_sleep_and_no_wake(waveform, whole_ms) -> None:
    awake = waveform.dropping(200).plus((500, SLP_S3, 0), (500.05, SLP_S3, 1))
    cycle = build(awake)
    assert cycle.outcome is Outcome.NEVER_SLEPT
    assert kinds(cycle) == [FindingKind.NEVER_SLEPT, FindingKind.GLITCH]

    asleep = waveform.plus((9000, SLP_S3, 1), (9000.02, SLP_S3, 0))
    cycle = build(asleep)
    assert values_ms(cycle) == whole_ms
    (glitch,) = cycle.findings
    assert glitch.evidence == {
        "channel": "SLP_S3",
        "glitches": 1,
        "first_ns": 9000 * MS,
        "longest_ns": 20_000,
    }


def test_a_pulse_of_60_us_is_none_that_a_chipset_cannot_make(waveform) -> None:
    pulse = waveform.dropping(200).plus((500, SLP_S3, 0), (500.06, SLP_S3, 1))

    assert FindingKind.GLITCH not in kinds(build(pulse))


def test_an_edge_that_rings_is_taken_where_it_began_and_the_bound_has_the_rest(waveform) -> None:
    ringing = waveform.plus((20_048.02, SLP_S3, 0), (20_048.03, SLP_S3, 1))

    cycle = build(ringing)

    asleep = cycle.intervals[IntervalName.ASLEEP]
    assert asleep.value_ns == 18_547 * MS
    assert asleep.bound_ns == 30_000
    assert cycle.bounces == {SLP_S3: 2}
    assert kinds(cycle) == []


@pytest.mark.parametrize(
    ("edge", "gone", "outcome"),
    [
        ((1501, SLP_S3), ("trigger", "asleep", "press"), Outcome.INVALID),
        ((20_048, SLP_S3), ("press", "asleep", "slp_s3"), Outcome.INVALID),
        ((20_108, PWR_OK), ("press_to_pwr_ok", "slp_s3", "pwr_ok"), Outcome.SLEPT_AND_WOKE),
        (
            (20_158, PLTRST),
            ("pwr_ok_to", "press_to_pltrst", "pltrst_to"),
            Outcome.SLEPT_AND_WOKE,
        ),
    ],
    ids=["fall of SLP_S3", "rise of SLP_S3", "PWR_OK", "PLTRST"],
)
def test_a_lost_edge_is_named_and_takes_its_intervals(
    waveform, whole_ms, edge, gone, outcome
) -> None:
    lost = replace(waveform, steps=tuple(s for s in waveform.steps if s[:2] != edge))

    cycle = build(lost)

    assert cycle.outcome is outcome
    assert FindingKind.EDGE_LOST in kinds(cycle)
    assert edge[1].value in [finding.evidence["channel"] for finding in cycle.findings]
    left = {name: value for name, value in whole_ms.items() if not name.value.startswith(gone)}
    assert values_ms(cycle) == left


def test_a_lost_press_is_not_taken_for_a_wake_by_something_else(waveform) -> None:
    lost = replace(waveform, steps=tuple(s for s in waveform.steps if s[:2] != (20_000, BUTTON)))

    cycle = build(lost)

    assert cycle.outcome is Outcome.INVALID
    assert cycle.trigger_ns is None
    assert not any(name.value.startswith("press") for name in cycle.intervals)


def test_a_low_of_which_the_beginning_is_lost_is_of_its_wake(waveform, whole_ms) -> None:
    twice = waveform.plus((20_400, PLTRST, 0), (20_450, SLP_S3, 1), (20_500, PLTRST, 1))

    cycle = build(twice)

    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert FindingKind.EDGE_LOST in kinds(cycle)
    assert values_ms(cycle)[IntervalName.ASLEEP] == whole_ms[IntervalName.ASLEEP]
    assert values_ms(cycle)[IntervalName.PRESS_TO_LIGHT] == 1500


def test_a_reboot_in_the_wake_is_told_from_a_resume_and_from_a_new_sleep(waveform) -> None:
    reboot = (
        (20_300, PLTRST, 0),
        (23_000, SLP_S3, 0),
        (23_000.03, SLP_S4, 0),
        (23_010, PWR_OK, 0),
        (27_000, SLP_S4, 1),
        (27_000.03, SLP_S3, 1),
        (27_100, PWR_OK, 1),
        (27_200, PLTRST, 1),
        (29_000, BACKLIGHT, 1),
    )
    told = waveform.dropping(21_000, BACKLIGHT).plus(*reboot)

    cycle = build(told)

    assert cycle.outcome is Outcome.REBOOTED
    assert cycle.state is OutsideState.S3
    assert kinds(cycle) == [FindingKind.REBOOTED]
    assert values_ms(cycle)[IntervalName.PRESS_TO_LIGHT] == 9000
    answer = correlate([TimedCycle(cycle)], LogReading((), ()), load_requirement("sysfund-0004"))
    assert answer.verdict is Verdict.FAIL
    assert "rebooted" in answer.why
    assert len(split_cycles(told.edges(), told.levels)) == 1


def test_a_second_sleep_by_a_press_is_no_reboot(waveform) -> None:
    slept = waveform.plus(
        (23_000, BUTTON, 0),
        (23_100, BUTTON, 1),
        (25_000, SLP_S3, 0),
        (25_000.03, SLP_S4, 0),
        (25_010, PWR_OK, 0),
        (29_000, SLP_S4, 1),
        (29_000.03, SLP_S3, 1),
    )

    assert build(slept).outcome is Outcome.SLEPT_AND_WOKE
    assert len(split_cycles(slept.edges(), slept.levels)) == 2


@pytest.fixture
def dozing(waveform):
    """S3 at 1.5 s, 20 s dark at 600 s to write the image, S4 until the press at 900 s."""
    return replace(
        waveform,
        steps=(
            (0, BUTTON, 0),
            (150, BUTTON, 1),
            (700, BACKLIGHT, 0),
            (1500, PLTRST, 0),
            (1501, SLP_S3, 0),
            (1511, PWR_OK, 0),
            (600_000, SLP_S3, 1),
            (600_100, PWR_OK, 1),
            (600_150, PLTRST, 1),
            (620_000, PLTRST, 0),
            (620_001, SLP_S3, 0),
            (620_001.03, SLP_S4, 0),
            (620_010, PWR_OK, 0),
            (900_000, BUTTON, 0),
            (900_050, SLP_S4, 1),
            (900_050.03, SLP_S3, 1),
            (900_100, PWR_OK, 1),
            (900_150, BUTTON, 1),
            (900_160, PLTRST, 1),
            (905_000, BACKLIGHT, 1),
        ),
    )


def test_a_doze_is_one_sleep_and_keeps_both_moments(dozing) -> None:
    cycle = build(dozing)

    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert cycle.state is OutsideState.S4
    assert (cycle.asleep_from_ns, cycle.hibernated_from_ns) == (1501 * MS, 620_001 * MS)
    assert kinds(cycle) == [FindingKind.DOZED]
    assert cycle.findings[0].evidence == {"s4_after_ns": 618_500 * MS}
    assert values_ms(cycle)[IntervalName.PRESS_TO_LIGHT] == 5000
    assert len(split_cycles(dozing.edges(), dozing.levels)) == 1


def test_what_was_lit_or_pressed_between_is_no_doze(dozing) -> None:
    lit = dozing.plus((601_000, BACKLIGHT, 1), (619_000, BACKLIGHT, 0))
    pressed = dozing.plus((599_900, BUTTON, 0), (600_050, BUTTON, 1))

    assert build(lit).outcome is Outcome.WOKE_ALONE
    assert build(pressed).state is OutsideState.S3
    assert [len(split_cycles(s.edges(), s.levels)) for s in (lit, pressed)] == [2, 2]


def test_a_press_soon_after_sleep_entry_may_have_been_held_off(waveform) -> None:
    early = waveform.dropping(20_000, BUTTON).plus((17_000, BUTTON, 0), (17_150, BUTTON, 1))
    soon = replace(
        early,
        steps=tuple((ms + 14_000 if 700 <= ms < 2000 else ms, *to) for ms, *to in early.steps),
    )

    cycle = build(replace(soon, steps=tuple(sorted(soon.steps))))

    assert kinds(cycle) == [FindingKind.HELD_OFF]
    assert cycle.findings[0].evidence == {
        "after_sleep_ns": 1499 * MS,
        "held_off_ns": 3048 * MS,
    }
    assert kinds(build(waveform)) == []


def test_two_presses_before_the_wake_leave_open_which_it_was(waveform) -> None:
    twice = waveform.plus((18_000, BUTTON, 0), (18_150, BUTTON, 1))

    cycle = build(twice)

    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert kinds(cycle) == [FindingKind.TRIGGER_UNCLEAR]
    assert not any(name.value.startswith("press") for name in cycle.intervals)
    assert IntervalName.PLTRST_TO_LIGHT in cycle.intervals


def test_two_presses_before_the_sleep_leave_open_which_it_was(waveform) -> None:
    twice = waveform.plus((600, BUTTON, 0), (680, BUTTON, 1))

    cycle = build(twice)

    assert kinds(cycle) == [FindingKind.TRIGGER_UNCLEAR]
    assert IntervalName.TRIGGER_TO_SLP_S3 not in cycle.intervals
    (group,) = split_cycles(twice.edges(), twice.levels)
    assert group.edges[0].t_ns == 0


def test_a_press_during_entry_that_wakes_at_once_is_told(waveform) -> None:
    kept = waveform.dropping(20_000, BUTTON).plus((1300, BUTTON, 0), (1450, BUTTON, 1))

    cycle = build(kept)

    assert cycle.outcome is Outcome.WOKE_ALONE
    assert cycle.findings[0].evidence["pressed_before_sleep_ns"] == 201 * MS


def test_a_display_that_is_lit_while_asleep_is_named(waveform) -> None:
    shown = waveform.plus((5000, BACKLIGHT, 1), (9000, BACKLIGHT, 0))
    cycle = build(shown)
    assert kinds(cycle) == [FindingKind.LIT_ASLEEP]
    assert values_ms(cycle)[IntervalName.PRESS_TO_LIGHT] == 1500

    stays = waveform.dropping(0, BACKLIGHT)
    cycle = build(stays)
    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert kinds(cycle) == [FindingKind.LIT_ASLEEP]
    assert IntervalName.PRESS_TO_LIGHT not in cycle.intervals


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda waveform: waveform.without(SLP_S5).plus((1503, SLP_S5, 0), (20_040, SLP_S5, 1)),
            "SLP_S5# was low while SLP_S4# stayed high",
        ),
        (lambda waveform: waveform.dropping(0, PLTRST), "PLTRST# stayed high in the sleep"),
    ],
    ids=["SLP_S5", "PLTRST"],
)
def test_levels_that_no_chipset_has_are_named(waveform, change, words) -> None:
    (finding,) = build(change(waveform)).findings

    assert finding.kind is FindingKind.ODD_LEVELS
    assert words in finding.text


def test_power_that_fails_without_a_sleep_is_told(waveform) -> None:
    failed = replace(waveform, steps=((5000, PWR_OK, 0), (6000, PWR_OK, 1)))

    (finding,) = build(failed).findings

    assert finding.kind is FindingKind.NEVER_SLEPT
    assert "PWR_OK fell all the same" in finding.text


def test_a_led_alone_shows_a_sleep_and_its_blinking_is_one(waveform) -> None:
    blinks = [(2000 + 500 * i, LED, i % 2) for i in range(30)]
    told = replace(waveform, steps=((19_000, LED, 0), (21_000, LED, 1)), levels={LED: 1, BUTTON: 1})
    told = told.plus(*blinks, (20_000, BUTTON, 0), (20_150, BUTTON, 1))

    cycle = build(told)

    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert cycle.state is OutsideState.NONE
    assert cycle.trigger_ns == 20_000 * MS
    assert set(cycle.intervals) == {IntervalName.PRESS_WIDTH}
    assert len(split_cycles(told.edges(), told.levels)) == 1
