"""What becomes of a cycle, on both sides of every time by which the wires decide it."""

from dataclasses import replace

import numpy as np
import pytest

from resume_rig.analysis.cycles.building import build_cycle, split_cycles
from resume_rig.analysis.cycles.levels import Gap, Glitch, Hold, Line, holds, lines_of
from resume_rig.analysis.cycles.light import LightReading, largest_step
from resume_rig.analysis.cycles.moments import Commanded, Wires, find_sleeps, state_of
from resume_rig.model.channel import Actuator, Channel, WakeMeans
from resume_rig.model.edge import Edge
from resume_rig.model.light import LightBasis, LightOnset, OnsetState
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState
from resume_rig.model.result.verdict import FindingKind
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
NS = 1e-6  # in the ms that a waveform is told in
BOUNDS = IntervalBounds(rate_ppb=0)
BUTTON, LED, LID = Channel.BUTTON, Channel.LED, Channel.LID
SLP_S0, SLP_S3, SLP_S4, SLP_S5 = Channel.SLP_S0, Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5
PWR_OK, PLTRST, BACKLIGHT = Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT
ADDED = {SLP_S5: 1}


def build(waveform, wake_by=Actuator.BUTTON, **more):
    return build_cycle(1, waveform.edges(), waveform.levels, wake_by, BOUNDS, **more)


def kinds(cycle) -> list[str]:
    return [finding.kind.value for finding in cycle.findings]


def at(*steps: tuple[float, int], channel: Channel = SLP_S3, initial: int | None = 1) -> Line:
    """Return the line of edges (ms, level)."""
    edges = [Edge(n, round(ms * MS), channel, level) for n, (ms, level) in enumerate(steps)]
    return lines_of(edges, {} if initial is None else {channel: initial})[channel]


def ms_of(line: Line) -> list[tuple[float, int, float]]:
    return [(c.t_ns / MS, c.level, c.settled_ns / MS) for c in line.changes]


@pytest.mark.parametrize(
    ("channel", "quiet_ms"), [(BUTTON, 16.0), (LID, 16.0), (SLP_S3, 0.06), (PWR_OK, 0.06)]
)
def test_edges_sooner_than_a_line_can_mean_are_one_burst(channel: Channel, quiet_ms: float) -> None:
    two = at((5, 0), (5 + quiet_ms, 1), channel=channel)
    one = at((5, 0), (5 + quiet_ms - NS, 1), channel=channel)
    rings = at((5, 0), (5 + quiet_ms / 4, 1), (5 + quiet_ms / 2, 0), channel=channel)

    assert [level for _, level, _ in ms_of(two)] == [0, 1]
    assert ms_of(one) == []
    contact = quiet_ms > 1
    assert (one.bounces, len(one.glitches)) == ((2, 0) if contact else (0, 1))
    assert ms_of(rings) == [(5, 0, pytest.approx(5 + quiet_ms / 2))]
    assert rings.bounces == 2
    if not contact:
        assert one.glitches == (Glitch(channel, 5 * MS, 5 * MS + 59_999, 2),)


def test_a_level_twice_is_a_gap_and_nothing_is_said_within_it() -> None:
    line = at((5, 0), (9, 0), (12, 1))

    assert line.gaps == (Gap(1, 5 * MS, 9 * MS),)
    assert [line.level(ms * MS) for ms in (5, 6, 9, 10, 13)] == [1, None, 1, 0, 1]
    assert line.missed(1, 6 * MS, 7 * MS)
    assert not line.missed(0, 6 * MS, 7 * MS)
    assert [line.missed(1, a * MS, b * MS) for a, b in ((0, 5), (9, 20), (0, 6), (8, 9))] == [
        False,
        False,
        True,
        True,
    ]
    assert line.was(1, 6 * MS, 7 * MS)
    assert holds(line, 0) == [Hold(SLP_S3, 5 * MS, None), Hold(SLP_S3, 9 * MS, 12 * MS)]


def test_a_dimmed_backlight_may_lose_edges_and_a_dark_one_not() -> None:
    near = at((5, 0), (104.999999, 0), channel=BACKLIGHT)
    far = at((5, 0), (105, 0), channel=BACKLIGHT)

    assert (near.gaps, len(near.changes)) == ((), 1)
    assert far.gaps == (Gap(1, 5 * MS, 105 * MS),)


def test_a_level_that_nobody_told_is_the_other_one_before_the_first_edge() -> None:
    line = at((5, 0), initial=None)

    assert [line.level(ms * MS) for ms in (4, 5, 6)] == [1, 1, 0]
    assert Line(None).level(0) is None
    assert (Line(1).was(1, 0, 5), Line(1).was(0, 0, 5), Line(None).was(0, 0, 5)) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize("count", [8, 9, 40])
def test_changes_are_found_in_short_and_long_lines_alike(count: int) -> None:
    line = at(*((10 * n, n % 2) for n in range(count)))

    def found(level: int, a: float, b: float) -> list[float]:
        return [change.t_ns / MS for change in line.times_to(level, a * MS, b * MS)]

    expected = [10.0 * n for n in range(count) if n % 2]
    assert found(1, -1, 1e6) == expected
    assert found(1, 30, 50) == [30.0]
    assert found(1, 30 + NS, 50 + NS) == [50.0]
    assert found(0, 0, 20) == [0.0]
    assert [hold.start_ns / MS for hold in holds(line, 1, 30 * MS, 50 * MS)] == [30.0]
    assert holds(line, 1, 30 * MS, 50 * MS)[0].end_ns == 40 * MS
    last = holds(line, (count - 1) % 2)[-1]
    assert last.end_ns is None
    assert [line.was(1, a, b) for a, b in ((20 * MS, 30 * MS), (25 * MS, 30 * MS + 1))] == [
        True
    ] * 2
    assert not line.was(1, 20 * MS + 1, 30 * MS)


def sleeps_of(waveform) -> list[tuple[float, float]]:
    wires = Wires(lines_of(waveform.edges(), waveform.levels))
    return [(sleep.from_ns / MS, sleep.until_ns / MS) for sleep in find_sleeps(wires)]


AGAIN = ((SLP_S3, 0), (SLP_S3, 1))


@pytest.mark.parametrize(("gap_ms", "count"), [(1_999, 1), (1_999.999999, 1), (2_000, 2)])
def test_a_fall_within_two_seconds_of_a_wake_is_of_that_wake(waveform, gap_ms, count) -> None:
    fall = 20_048 + gap_ms
    more = waveform.plus((fall, SLP_S3, 0), (fall + 500, SLP_S3, 1))

    assert len(sleeps_of(more)) == count


def reset(waveform, gap_ms: float, low_ms: float, *more):
    """S3, and then a low of SLP_S3# and SLP_S4# after `gap_ms` of running."""
    fall = 20_048 + gap_ms
    return waveform.dropping(20_200).plus(
        (fall, SLP_S3, 0),
        (fall + 0.03, SLP_S4, 0),
        (fall + low_ms - 0.03, SLP_S4, 1),
        (fall + low_ms, SLP_S3, 1),
        *more,
    )


@pytest.mark.parametrize(
    ("gap_ms", "low_ms", "count"),
    [
        (3_000, 10_000, 1),
        (3_000, 10_000.001, 2),
        (30_000, 4_000, 1),
        (30_000.001, 4_000, 2),
        (1_000, 30_000, 1),
    ],
)
def test_a_short_deep_low_soon_after_the_wake_is_a_reset(waveform, gap_ms, low_ms, count) -> None:
    assert len(sleeps_of(reset(waveform, gap_ms, low_ms))) == count


def test_a_press_before_or_in_a_deep_low_makes_it_a_sleep_of_its_own(waveform) -> None:
    def count(press_ms: float) -> int:
        press = (press_ms, BUTTON, 0), (press_ms + 100, BUTTON, 1)
        return len(sleeps_of(reset(waveform, 3_000, 4_000, *press)))

    assert [count(ms) for ms in (21_000, 24_000, 27_500)] == [2, 2, 1]


def test_how_often_the_power_was_cycled_is_counted(waveform) -> None:
    def reboots(waveform) -> int:
        wires = Wires(lines_of(waveform.edges(), waveform.levels))
        return find_sleeps(wires)[0].reboots

    assert reboots(waveform) == 0
    assert reboots(reset(waveform, 3_000, 4_000)) == 1
    assert reboots(reset(waveform, 1_000, 4_000)) == 1


def dozing(waveform, write_ms: float = 20_000, *more):
    """S3 at 1.5 s, awake from 600 s for `write_ms` to write the image, S4 until 900 s."""
    fall = 600_000 + write_ms
    return replace(
        waveform,
        steps=tuple(
            sorted(
                (
                    (0, BUTTON, 0),
                    (150, BUTTON, 1),
                    (700, BACKLIGHT, 0),
                    (1500, PLTRST, 0),
                    (1501, SLP_S3, 0),
                    (600_000, SLP_S3, 1),
                    (600_150, PLTRST, 1),
                    (fall - 1, PLTRST, 0),
                    (fall, SLP_S3, 0),
                    (fall + 0.03, SLP_S4, 0),
                    (900_000, BUTTON, 0),
                    (900_050, SLP_S4, 1),
                    (900_050.03, SLP_S3, 1),
                    (900_150, BUTTON, 1),
                    *more,
                ),
                key=lambda step: step[0],
            )
        ),
    )


@pytest.mark.parametrize(("write_ms", "count"), [(180_000, 1), (180_000.001, 2), (31_000, 1)])
def test_a_doze_writes_its_image_within_three_minutes(waveform, write_ms, count) -> None:
    assert len(sleeps_of(dozing(waveform, write_ms))) == count


def test_a_doze_needs_a_watched_display_and_button(waveform) -> None:
    for channel in (BACKLIGHT, BUTTON):
        blind = dozing(waveform, 40_000).without(channel)
        assert len(sleeps_of(blind)) == 2


@pytest.mark.parametrize(("after_ms", "dozed"), [(999, False), (1_000, True), (60_000, True)])
def test_slp_s4_that_falls_a_second_after_slp_s3_is_a_doze(waveform, after_ms, dozed) -> None:
    fall = 1_501 + after_ms
    deeper = waveform.plus((min(fall, 20_000), SLP_S4, 0), (20_040, SLP_S4, 1))

    cycle = build(deeper)

    assert cycle.state is OutsideState.S4
    assert ("dozed" in kinds(cycle)) is dozed
    assert (cycle.hibernated_from_ns is not None) is dozed


def test_the_state_is_that_of_the_deepest_line_that_was_low(waveform) -> None:
    def state(waveform):
        wires = Wires(lines_of(waveform.edges(), waveform.levels))
        return state_of(wires, find_sleeps(wires)[0])

    s4 = waveform.plus((1_501.03, SLP_S4, 0), (20_040, SLP_S4, 1))
    s5 = replace(s4, levels=s4.levels | ADDED).plus((1_501.06, SLP_S5, 0), (20_040, SLP_S5, 1))
    assert [state(each) for each in (waveform, s4, s5)] == [
        OutsideState.S3,
        OutsideState.S4,
        OutsideState.S5,
    ]
    kept = waveform.without(PWR_OK)
    assert state(replace(kept, levels=kept.levels | {PWR_OK: 1})) is OutsideState.NONE


LATE = 20_048  # SLP_S3# rises
PRESS = 20_000


@pytest.mark.parametrize(("before_ms", "unclear"), [(5_000, True), (5_000.001, False)])
def test_two_triggers_within_five_seconds_leave_open_which_it_was(waveform, before_ms, unclear):
    first = LATE - before_ms
    twice = waveform.plus((first, BUTTON, 0), (first + 100, BUTTON, 1))

    cycle = build(twice)

    assert ("trigger-unclear" in kinds(cycle)) is unclear
    assert (IntervalName.PRESS_TO_LIGHT in cycle.intervals) is not unclear


@pytest.mark.parametrize(("before_ms", "known"), [(30_000, True), (30_000.001, False)])
def test_a_press_within_thirty_seconds_of_the_sleep_started_it(waveform, before_ms, known) -> None:
    late = replace(
        waveform,
        steps=tuple(
            (ms if c is BUTTON and ms < 200 else ms + before_ms - 1_501, c, level)
            for ms, c, level in waveform.steps
        ),
    )

    assert (IntervalName.TRIGGER_TO_SLP_S3 in build(late).intervals) is known


def command(t_ms: float | None, half_ms: float = 0) -> Commanded:
    t_ns = None if t_ms is None else round(t_ms * MS)
    return Commanded(WakeMeans.LAN, t_ns, round(half_ms * MS))


@pytest.mark.parametrize(
    ("commanded", "outcome", "press"),
    [
        (command(20_000), Outcome.SLEPT_AND_WOKE, True),
        (command(LATE), Outcome.WOKE_ALONE, False),
        (command(LATE - NS), Outcome.SLEPT_AND_WOKE, True),
        (command(1_501), Outcome.SLEPT_AND_WOKE, True),
        (command(1_500), Outcome.WOKE_ALONE, False),
        (command(1_500, 1), Outcome.SLEPT_AND_WOKE, True),
        (command(LATE, 1), Outcome.SLEPT_AND_WOKE, True),
        (command(LATE + 0.5, 1), Outcome.SLEPT_AND_WOKE, False),  # after what it would begin
        (command(None), Outcome.SLEPT_AND_WOKE, False),
    ],
)
def test_a_command_is_the_trigger_where_it_came_within_the_sleep(
    waveform, commanded, outcome, press
):
    quiet = waveform.dropping(19_000, BUTTON)

    cycle = build(quiet, None, commanded=commanded)

    assert cycle.outcome is outcome
    assert (IntervalName.PRESS_TO_SLP_S3 in cycle.intervals) is press
    if commanded.t_ns is None:
        assert kinds(cycle) == ["trigger-unclear"]
        assert "time of the magic packet is not known" in cycle.findings[0].text


@pytest.mark.parametrize(
    ("pressed_ms", "took_ms", "held"),
    [
        (3_999, 600, True),
        (4_000, 600, False),
        (3_999, 500, True),
        (3_999, 499, False),
    ],
)
def test_a_wake_is_held_off_within_four_seconds_of_the_sleep(waveform, pressed_ms, took_ms, held):
    press = 1_501 + pressed_ms
    moved = waveform.dropping(PRESS).plus(
        (press, BUTTON, 0),
        (press + took_ms, SLP_S3, 1),
        (press + took_ms + 60, PWR_OK, 1),
        (press + took_ms + 80, BUTTON, 1),
        (press + took_ms + 110, PLTRST, 1),
        (press + took_ms + 1_000, BACKLIGHT, 1),
    )

    cycle = build(moved)

    assert cycle.outcome is Outcome.SLEPT_AND_WOKE
    assert kinds(cycle) == (["held-off"] if held else [])


def test_a_dut_that_does_not_wake_is_told_with_what_was_asked(waveform) -> None:
    asleep = waveform.dropping(PRESS)
    pressed = asleep.plus((PRESS, BUTTON, 0), (PRESS + 100, BUTTON, 1))

    def text(waveform, *args, **more) -> str:
        cycle = build(waveform, *args, **more)
        assert cycle.outcome is Outcome.NEVER_WOKE
        return cycle.findings[0].text.replace("#", "")

    assert text(pressed) == (
        "The DUT never woke: the trigger on BUTTON was seen, and SLP_S3 stayed low."
    )
    assert "the trigger on LID was asked for but not seen" in text(asleep, Actuator.LID)
    assert "its own timer was due" in text(asleep, None, due_ns=5)
    assert "SLP_S3 stayed low after the magic packet. It may not be armed" in text(
        asleep, None, commanded=command(PRESS)
    )
    assert build(asleep, None).outcome is Outcome.INTERRUPTED
    assert build(pressed, None).outcome is Outcome.NEVER_WOKE


def test_a_dut_that_wakes_alone_is_told_with_what_did_not_come(waveform) -> None:
    quiet = waveform.dropping(19_000, BUTTON)

    def text(*args, **more) -> str | None:
        cycle = build(quiet, *args, **more)
        return cycle.findings[0].text if cycle.outcome is Outcome.WOKE_ALONE else None

    begins = "Something else woke the DUT: no "
    between = " came between its sleep and its wake."
    assert text() == f"{begins}press of the button{between}"
    assert text(Actuator.LID) == f"{begins}opening of the lid{between}"
    assert text(None) == f"{begins}press of the button and no opening of the lid{between}"
    assert text(None, commanded=command(1)) == f"{begins}magic packet{between}"
    assert text(None, due_ns=LATE * MS) is None
    late = text(None, due_ns=(LATE + 1_500) * MS)
    assert late.endswith("It woke 1.500 s before its timer may have.")
    assert build(quiet.without(BUTTON)).outcome is Outcome.SLEPT_AND_WOKE
    assert build(quiet.without(LID), Actuator.LID).outcome is Outcome.SLEPT_AND_WOKE


def test_of_several_presses_before_a_sleep_the_dut_may_have_kept_the_last(waveform) -> None:
    more = waveform.dropping(19_000, BUTTON).plus((1_300, BUTTON, 0), (1_450, BUTTON, 1))

    cycle = build(more)

    assert cycle.findings[0].evidence["pressed_before_sleep_ns"] == 201 * MS
    assert "The last of 2 presses or closings came 201.0 ms before the sleep" in (
        cycle.findings[0].text
    )


def test_resets_and_powers_of_a_wake_are_counted(waveform) -> None:
    once = build(waveform)
    reset_again = build(waveform.plus((20_170, PLTRST, 0), (20_190, PLTRST, 1)))
    power_again = build(waveform.plus((20_120, PWR_OK, 0), (20_140, PWR_OK, 1)))

    assert kinds(once) == []
    assert reset_again.findings[0].evidence == {"pltrst_rises": 2, "pwr_ok_rises": 1}
    assert power_again.findings[0].evidence == {"pltrst_rises": 1, "pwr_ok_rises": 2}
    assert reset_again.intervals[IntervalName.PRESS_TO_PLTRST].value_ns == 190 * MS
    assert power_again.intervals[IntervalName.PRESS_TO_PWR_OK].value_ns == 140 * MS
    # Without power nothing leaves reset: which rise was before it is not known.
    fell = build(waveform.plus((20_150, PWR_OK, 0)).dropping(20_150, BUTTON))
    assert IntervalName.PRESS_TO_PWR_OK not in fell.intervals


def test_a_display_that_stays_dark_is_told_apart_from_a_dut_held_in_reset(waveform) -> None:
    dark = build(waveform.dropping(21_000))
    held = build(waveform.dropping(20_150))
    blind = build(waveform.dropping(20_150).without(BACKLIGHT))
    lit = build(waveform.dropping(20_158, PLTRST))

    assert (dark.outcome, dark.findings[0].text) == (
        Outcome.DARK,
        "Power is on, but the display stayed dark.",
    )
    assert held.findings[0].text == (
        "Power is on, but the display stayed dark and PLTRST# stayed low."
    )
    assert (blind.outcome, blind.findings[0].kind) == (Outcome.NEVER_WOKE, FindingKind.NEVER_WOKE)
    assert (lit.outcome, kinds(lit)) == (Outcome.SLEPT_AND_WOKE, ["edge-lost"])


@pytest.mark.parametrize(("lit_ms", "found"), [(99, False), (100, True)])
def test_light_of_a_tenth_of_a_second_in_a_sleep_is_named(waveform, lit_ms, found) -> None:
    shown = waveform.plus((5_000, BACKLIGHT, 1), (5_000 + lit_ms, BACKLIGHT, 0))

    cycle = build(shown)

    assert kinds(cycle) == (["lit-asleep"] if found else [])
    if found:
        assert cycle.findings[0].evidence == {"lit_from_ns": 5_000 * MS, "lit_at_wake": 0}


def test_light_that_is_there_at_the_wake_is_no_light_of_it(waveform) -> None:
    cycle = build(waveform.dropping(0, BACKLIGHT).plus((700, BACKLIGHT, 0), (19_000, BACKLIGHT, 1)))

    assert cycle.findings[0].evidence == {"lit_from_ns": 19_000 * MS, "lit_at_wake": 1}
    assert IntervalName.PRESS_TO_LIGHT not in cycle.intervals


def s0ix(waveform, *more):
    """A standby of 400 s by its display, with SLP_S0# low for some of it."""
    levels = dict.fromkeys((SLP_S3, PWR_OK, BACKLIGHT, BUTTON, LID, SLP_S0), 1)
    steps = (
        (0, BUTTON, 0),
        (150, BUTTON, 1),
        (1_000, BACKLIGHT, 0),
        (401_000, BUTTON, 0),
        (401_150, BUTTON, 1),
        (401_500, BACKLIGHT, 1),
        *more,
    )
    return replace(waveform, levels=levels, steps=tuple(sorted(steps, key=lambda step: step[0])))


def test_a_standby_is_as_long_as_its_darkness_and_as_deep_as_slp_s0_shows(waveform) -> None:
    def deep(*more) -> float | None:
        cycle = build(s0ix(waveform, *more))
        assert (cycle.state, cycle.standby_ns) == (OutsideState.S0IX, 400_500 * MS)
        return cycle.findings[0].evidence["deep_s"] if cycle.findings else None

    assert deep((2_000, SLP_S0, 0), (401_000, SLP_S0, 1)) is None
    assert deep((2_000, SLP_S0, 0), (12_000, SLP_S0, 1)) == 10.0
    assert deep((500, SLP_S0, 0), (2_000, SLP_S0, 1)) == 1.0  # of it, what was in the sleep
    assert deep((401_400, SLP_S0, 0), (402_000, SLP_S0, 1)) == 0.1
    assert deep((401_400, SLP_S0, 0)) == 0.1
    assert deep() == 0.0
    assert build(s0ix(waveform).without(SLP_S0)).findings == ()


@pytest.mark.parametrize(("dark_ms", "count"), [(99.999, 0), (100, 1)])
def test_a_display_is_dark_from_a_tenth_of_a_second_on(waveform, dark_ms, count) -> None:
    levels = {SLP_S3: 1, BACKLIGHT: 1}
    dark = replace(
        waveform, levels=levels, steps=((500, BACKLIGHT, 0), (500 + dark_ms, BACKLIGHT, 1))
    )

    assert len(sleeps_of(dark)) == count


def test_darkness_counts_while_the_lid_is_open(waveform) -> None:
    levels = {SLP_S3: 1, BACKLIGHT: 1, LID: 1}

    def count(closed_ms: float, opened_ms: float) -> int:
        steps = (
            (500, BACKLIGHT, 0),
            (500 + closed_ms, LID, 0),
            (500 + opened_ms, LID, 1),
            (1_500, BACKLIGHT, 1),
        )
        return len(sleeps_of(replace(waveform, levels=levels, steps=steps)))

    assert [count(*each) for each in ((50, 951), (50, 950), (99, 1_000 - NS), (100, 999))] == [
        0,
        1,
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("lit_ms", "last_ms", "sleeps"),
    [
        (2_999, 2_000, [(1_000, 6_999)]),
        (3_000, 3_000, [(5_000, 8_000)]),
        (2_999, 1, [(1_000, 5_000)]),
        (2_998, 1, [(1_000, 4_999)]),
    ],
)
def test_a_led_that_blinks_is_one_sleep(waveform, lit_ms, last_ms, sleeps) -> None:
    """Dark for a second, alight for `lit_ms`, dark for `last_ms`; of 3 s or more it is a sleep."""
    steps = (
        (1_000, LED, 0),
        (2_000, LED, 1),
        (2_000 + lit_ms, LED, 0),
        (2_000 + lit_ms + last_ms, LED, 1),
    )
    blinking = replace(waveform, levels={LED: 1}, steps=steps)

    assert sleeps_of(blinking) == sleeps


def test_a_capture_that_begins_or_ends_asleep_has_open_ends(waveform) -> None:
    begun = replace(waveform.dropping(0), levels=waveform.levels | {SLP_S3: 0}).plus(
        (20_048, SLP_S3, 1)
    )
    inf = float("inf")

    assert sleeps_of(begun) == [(-inf, 20_048)]
    assert sleeps_of(waveform.dropping(2_000)) == [(1_501, inf)]
    # PWR_OK and PLTRST# say that it woke, whatever the line of the sleep does.
    stuck = waveform.dropping(20_048, SLP_S3)
    assert sleeps_of(stuck) == [(1_501, 20_108)]


def test_nothing_slept_is_told_with_the_lines_that_say_so(waveform) -> None:
    awake = waveform.dropping(0)

    def text(waveform) -> str:
        cycle = build(waveform)
        assert cycle.outcome is Outcome.NEVER_SLEPT
        return cycle.findings[0].text.replace("#", "")

    assert text(awake) == "The DUT never slept: SLP_S3 and BACKLIGHT stayed high."
    assert text(awake.without(BACKLIGHT)) == "The DUT never slept: SLP_S3 stayed high."
    off = replace(awake, levels=awake.levels | {BACKLIGHT: 0})
    assert text(off) == (
        "The DUT never slept: SLP_S3 stayed high. BACKLIGHT was low before: was it awake at all?"
    )
    blind = replace(awake, levels={BUTTON: 1})
    assert text(blind) == "No sleep was seen, and no line is wired that could show one."
    kept = replace(waveform.without(PWR_OK), levels=waveform.levels | {PWR_OK: 1})
    assert text(kept) == "The DUT never slept: SLP_S3 fell but PWR_OK stayed high."


def test_a_capture_is_cut_before_the_first_press_of_each_sleep(waveform, many_cycles) -> None:
    twice = many_cycles([0, 60_000]).plus((60_500, BUTTON, 0), (60_600, BUTTON, 1))

    groups = split_cycles(twice.edges(), twice.levels)

    assert [group.edges[0].t_ns / MS for group in groups] == [0, 60_000]
    assert sum(len(group.edges) for group in groups) == len(twice.edges())
    assert groups[1].initial_levels == waveform.levels


def onset(**more) -> LightOnset:
    fields = {"state": OnsetState.OK, "first_ns": 21_400, "half_ns": 21_450, "ninety_ns": 21_500}
    fields |= more
    times = {
        name: None if value is None else round(value * MS)
        for name, value in fields.items()
        if name.endswith("_ns")
    }
    base = dict.fromkeys(LightOnset.__dataclass_fields__, 0) | {"state": fields["state"]} | times
    return LightOnset(**base)


@pytest.mark.parametrize(
    ("first_ms", "ninety_ms", "timed"),
    [(21_400, 21_500, True), (LATE, 21_500, True), (LATE - NS, 21_500, False)],
)
def test_light_is_of_a_wake_where_all_its_moments_are(waveform, first_ms, ninety_ms, timed) -> None:
    reading = LightReading(onset(first_ns=first_ms, ninety_ns=ninety_ms))

    cycle = build(waveform, light=reading)

    basis = LightBasis.HALF if timed else LightBasis.COMPARATOR
    assert cycle.light_basis is basis
    assert kinds(cycle) == ([] if timed else ["light-not-timed"])
    if timed:
        assert cycle.intervals[IntervalName.PRESS_TO_LIGHT].value_ns == 1_450 * MS
        assert cycle.intervals[IntervalName.PRESS_TO_LIGHT_90].value_ns == 1_500 * MS
    else:
        assert "it came on before the wake, or after it; BACKLIGHT's edge stands for it" in (
            cycle.findings[0].text
        )


def test_what_could_not_be_timed_is_said_with_its_reason(waveform) -> None:
    def text(state: OnsetState, waveform=waveform, **more) -> str:
        cycle = build(waveform, light=LightReading(onset(state=state, **more)))
        (finding,) = cycle.findings
        return finding.text

    instead = "BACKLIGHT's edge stands for it."
    assert text(OnsetState.SATURATED).endswith(f"was at the end of its range; {instead}")
    assert text(OnsetState.OK, half_ns=None).endswith(f"it has no moment of 50 %; {instead}")
    dark = waveform.without(BACKLIGHT)
    assert text(OnsetState.UNSTABLE, dark).endswith("no interval to light is formed.")


def steps_of(*parts: tuple[float, int]):
    """Return blocks of 1 ms: each level in counts, for so many."""
    return np.concatenate([np.full(n, level) for level, n in parts])


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        # Up to 30 % for 100 ms, then to all: the second step is the largest.
        ([(0.0, 20), (300.0, 100), (1000.0, 60)], ((300.0, 1000.0), 2, 0.3)),
        ([(0.0, 20), (700.0, 100), (1000.0, 60)], ((0.0, 700.0), 2, 0.0)),
        ([(0.0, 20), (200.0, 100), (500.0, 100), (1000.0, 60)], ((500.0, 1000.0), 3, 0.5)),
        ([(0.0, 20), (1000.0, 160)], None),
        ([(0.0, 20), (29.0, 100), (1000.0, 60)], None),  # less than 3 % is no step
        ([(0.0, 20), (31.0, 100), (1000.0, 60)], ((31.0, 1000.0), 2, 0.031)),
        ([(0.0, 20), (800.0, 100), (1000.0, 60)], None),  # nor is what is left at 80 %
        ([(0.0, 20), (799.0, 100), (1000.0, 60)], ((0.0, 799.0), 2, 0.0)),
        ([(0.0, 20), (300.0, 20), (1000.0, 60)], None),  # it rests for less than 25 ms
    ],
)
def test_light_that_comes_in_steps_is_timed_by_the_largest(parts, expected) -> None:
    mean = steps_of(*parts)

    found = largest_step(mean, 0.0, 1000.0, (10, len(mean) - 10), 0.0)

    if expected is None:
        assert found is None
    else:
        levels, count, before = expected
        assert found.levels == pytest.approx(levels)
        assert (found.steps, found.before) == (count, pytest.approx(before))


def test_the_first_light_of_a_wake_is_its_light(waveform) -> None:
    again = waveform.plus((22_500, BACKLIGHT, 0), (23_500, BACKLIGHT, 1))

    assert build(again).intervals[IntervalName.PRESS_TO_LIGHT].value_ns == 1_500 * MS
