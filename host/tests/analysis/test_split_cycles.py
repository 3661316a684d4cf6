"""A whole capture is cut into the cycles that it shows."""

from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.cycles.building import build_attempt, build_cycle, split_cycles
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState
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


@given(st.lists(st.integers(0, 200_000), min_size=1, max_size=6))
def test_a_capture_is_cut_into_the_cycles_that_made_it(many_cycles, whole_ms, gaps_ms) -> None:
    starts_ms = [sum(gaps_ms[: i + 1]) + i * 60_000 for i in range(len(gaps_ms))]
    capture = many_cycles(starts_ms)

    groups = split_cycles(capture.edges(), capture.levels)

    assert [group.edges[0].t_ns for group in groups] == [ms * MS for ms in starts_ms]
    for group in groups:
        cycle = build_cycle(1, group.edges, group.initial_levels, None, BOUNDS)
        assert values_ms(cycle) == whole_ms


@given(begin=st.integers(0, 81_500), end=st.integers(0, 81_500))
def test_a_capture_may_begin_and_end_anywhere(waveform, many_cycles, whole_ms, begin, end) -> None:
    capture = many_cycles([0, 60_000])
    edges = capture.edges()
    levels = dict(capture.levels)
    for edge in edges:
        if edge.t_ns < begin * MS:
            levels[edge.channel] = edge.level
    seen = [edge for edge in edges if begin * MS <= edge.t_ns < end * MS]

    groups = split_cycles(seen, levels)

    cycles = [build_cycle(1, g.edges, g.initial_levels, None, BOUNDS) for g in groups]
    assert sum(len(group.edges) for group in groups) <= len(seen)
    for cycle in cycles:
        assert cycle.outcome is not Outcome.WOKE_ALONE or begin > 0
        for name, value in values_ms(cycle).items():
            assert value == whole_ms[name] or name is IntervalName.PRESS_WIDTH


def test_a_capture_that_begins_asleep_has_no_time_asleep(waveform) -> None:
    levels = {**waveform.levels, SLP_S3: 0, PWR_OK: 0, PLTRST: 0, BACKLIGHT: 0}
    edges = [edge for edge in waveform.edges() if edge.t_ns > 5_000 * MS]

    (group,) = split_cycles(edges, levels)
    cycle = build_cycle(1, group.edges, group.initial_levels, None, BOUNDS)

    assert cycle.asleep_from_ns is None
    assert cycle.state is OutsideState.S3
    assert IntervalName.ASLEEP not in cycle.intervals
    assert values_ms(cycle)[IntervalName.PRESS_TO_LIGHT] == 1500


def test_a_capture_without_a_sleep_has_no_cycle(waveform) -> None:
    assert split_cycles(waveform.dropping(200).edges(), waveform.levels) == []
    assert split_cycles([], {}) == []


def test_a_press_long_before_the_sleep_did_not_start_it(waveform) -> None:
    late = type(waveform)(
        tuple((ms + 60_000 if ms > 200 else ms, c, level) for ms, c, level in waveform.steps),
        waveform.levels,
    )

    assert IntervalName.TRIGGER_TO_SLP_S3 not in build(late).intervals


def attempt(at_ms: float, dark_ms: float | None) -> tuple[tuple[float, Channel, int], ...]:
    """Return the steps of a press that leads to no sleep; the display is dark for so long."""
    pressed = ((at_ms, BUTTON, 0), (at_ms + 150, BUTTON, 1))
    if dark_ms is None:
        return pressed
    return (*pressed, (at_ms + 300, BACKLIGHT, 0), (at_ms + 300 + dark_ms, BACKLIGHT, 1))


def test_a_press_that_darkened_the_display_and_led_to_no_sleep_is_an_attempt(many_cycles) -> None:
    capture = many_cycles([0, 60_000]).plus(*attempt(40_000, 1_900), *attempt(50_000, 700))
    capture = capture.plus(*attempt(100_000, 1_200))

    groups = split_cycles(capture.edges(), capture.levels)

    assert [group.is_attempt for group in groups] == [False, True, True, False, True]
    starts_ms = [0, 40_000, 50_000, 60_000, 100_000]
    assert [group.edges[0].t_ns for group in groups] == [ms * MS for ms in starts_ms]
    failed = build_attempt(2, groups[1])
    assert (failed.outcome, failed.state) == (Outcome.NEVER_SLEPT, OutsideState.NONE)
    (finding,) = failed.findings
    assert "the display went dark for 1.900 s, and SLP_S3# stayed high" in finding.text
    # The sleep after them has a trigger of its own.
    slept = build_cycle(4, groups[3].edges, groups[3].initial_levels, None, BOUNDS)
    assert slept.findings == ()
    assert IntervalName.TRIGGER_TO_SLP_S3 in slept.intervals


def test_a_press_that_nothing_followed_for_so_long_is_an_attempt(many_cycles) -> None:
    capture = many_cycles([0, 90_000]).plus(*attempt(40_000, None))

    groups = split_cycles(capture.edges(), capture.levels)

    assert [group.is_attempt for group in groups] == [False, True, False]
    assert (
        "the button was pressed, and SLP_S3# stayed high"
        in build_attempt(2, groups[1]).findings[0].text
    )


def test_two_presses_soon_after_one_another_are_no_attempt(many_cycles) -> None:
    capture = many_cycles([0, 60_000]).plus(*attempt(50_000, None))

    groups = split_cycles(capture.edges(), capture.levels)

    assert [group.is_attempt for group in groups] == [False, False]


def test_a_press_before_the_light_came_back_is_of_the_wake(many_cycles) -> None:
    capture = many_cycles([0, 90_000]).plus((20_900, BUTTON, 0), (21_000, BUTTON, 1))

    groups = split_cycles(capture.edges(), capture.levels)

    assert [group.is_attempt for group in groups] == [False, False]
