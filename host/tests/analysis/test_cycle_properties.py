"""True waveforms become edges, and the edges those waveforms, or say what cannot be known."""

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from waveform_oracle import (
    BACKLIGHT,
    MS,
    TOLD,
    Dirt,
    S,
    Truth,
    by_button,
    dirt,
    edges_of,
    in_edges,
    later,
    level_at,
    truths,
    wirings,
)

from resume_rig.analysis.cycles.building import build_cycle, split_cycles
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.result.cycle import OutsideCycle
from resume_rig.model.result.verdict import FindingKind
from resume_rig.timing.edge_uncertainty import IntervalBounds

BOUNDS = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)
CLEAN = Dirt({}, ())


def build(edges, wired, asked=None) -> OutsideCycle:
    return build_cycle(1, edges, dict.fromkeys(wired, 1), asked, BOUNDS)


def values(cycle: OutsideCycle) -> dict:
    return {name: interval.value_ns for name, interval in cycle.intervals.items()}


def kinds(cycle: OutsideCycle) -> set[FindingKind]:
    return {finding.kind for finding in cycle.findings}


def asked_of(truth: Truth) -> Actuator | None:
    return None if truth.wake_by is None else Actuator(truth.wake_by)


@settings(max_examples=200)
@given(truths(), wirings(), dirt(), st.booleans())
def test_a_true_waveform_comes_back(truth, wired, what, captured) -> None:
    asked = None if captured else asked_of(truth)
    edges, bounces, glitched = edges_of(truth.steps(), wired, what)

    cycle = build(edges, wired, asked)

    expected = {} if truth.outcome(wired, asked) is None else truth.intervals(wired)
    assert cycle.outcome is truth.outcome(wired, asked)
    assert cycle.state is truth.outside_state(wired)
    assert {name: ns for name, ns in values(cycle).items() if not _released(name)} == {
        name: ns for name, ns in expected.items() if not _released(name)
    }
    assert set(values(cycle)) == set(expected)
    assert cycle.bounces == bounces
    told = kinds(cycle)
    assert (FindingKind.GLITCH in told) == bool(glitched)
    assert (FindingKind.DOZED in told) == (truth.doze_ns is not None and Channel.SLP_S4 in wired)
    assert FindingKind.EDGE_LOST not in told
    assert (cycle.hibernated_from_ns is None) == (FindingKind.DOZED not in told)


def _released(name) -> bool:
    """A release counts when it is for good, which bounces move by some ms."""
    return name.value == "press_width_ns"


@settings(max_examples=200)
@given(truths(), wirings(), dirt(), st.data())
def test_a_lost_edge_takes_intervals_away_and_never_makes_one(truth, wired, what, data) -> None:
    steps = [step for step in truth.steps() if step[1] in wired]
    lost = data.draw(st.sampled_from(range(len(steps))))
    asked = asked_of(truth)
    edges, _, _ = edges_of([*steps[:lost], *steps[lost + 1 :]], wired, Dirt({}, what.glitches))

    cycle = build(edges, wired, asked)

    expected = truth.intervals(wired)
    for name, value_ns in values(cycle).items():
        assert expected.get(name) == value_ns, name
    followed = any(step[1] is steps[lost][1] for step in steps[lost + 1 :])
    assert FindingKind.EDGE_LOST in kinds(cycle) or not followed
    if FindingKind.EDGE_LOST not in kinds(cycle) and cycle.outcome is not truth.outcome(
        wired, asked
    ):
        assert not followed


@settings(max_examples=150)
@given(truths(), wirings(), st.data())
def test_two_lost_edges_never_make_an_interval(truth, wired, data) -> None:
    steps = [step for step in truth.steps() if step[1] in wired]
    lost = data.draw(st.sets(st.sampled_from(range(len(steps))), max_size=2))
    # Of a pulse that is lost with both its edges no wire can tell.
    assume(len({steps[index][1] for index in lost}) == len(lost))
    kept = [step for index, step in enumerate(steps) if index not in lost]

    cycle = build(in_edges(kept), wired, asked_of(truth))

    expected = truth.intervals(wired)
    for name, value_ns in values(cycle).items():
        assert expected.get(name) == value_ns, name


@given(truths(), wirings(), st.permutations(range(40)))
def test_edges_may_come_in_any_order(truth, wired, order) -> None:
    edges, _, _ = edges_of(truth.steps(), wired, CLEAN)
    mixed = [edges[index] for index in order if index < len(edges)]
    assert sorted(edges, key=id) == sorted([*mixed, *edges[40:]], key=id)

    assert build(mixed, wired) == build(edges, wired)


@settings(max_examples=60)
@given(
    st.lists(truths().map(by_button), min_size=1, max_size=4),
    wirings(),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_a_capture_that_is_cut_anywhere_tells_no_other_waveform(
    waveforms, wired, begin, end
) -> None:
    steps, begun_ns = [], []
    for truth in waveforms:
        begun_ns.append((steps[-1][0] if steps else 0) + 40 * S)
        steps += later(truth, begun_ns[-1])
    from_ns, until_ns = (round(share * (steps[-1][0] + S)) for share in sorted((begin, end)))
    initial = {channel: level_at(steps, channel, from_ns) for channel in wired}
    seen = [s for s in steps if s[1] in wired and from_ns <= s[0] < until_ns]

    groups = split_cycles(in_edges(seen), initial)

    assert len(groups) <= len(waveforms)
    for group in groups:
        cycle = build_cycle(1, group.edges, group.initial_levels, None, BOUNDS)
        first_ns = min((edge.t_ns for edge in group.edges), default=0)
        told = max((b for b in begun_ns if b <= first_ns), default=-1)
        truth = waveforms[begun_ns.index(told)].until(until_ns - told) if told >= 0 else None
        true = {} if truth is None else truth.intervals(wired)
        for name, value_ns in values(cycle).items():
            assert true.get(name) == value_ns, name


@settings(max_examples=60)
@given(
    dark_ms=st.integers(120, 100_000),
    press_ms=st.integers(60, 100),
    wired=st.sets(st.sampled_from(TOLD)),
)
def test_s0ix_has_its_light_and_nothing_of_lines_that_did_not_move(
    dark_ms, press_ms, wired
) -> None:
    button = Channel.BUTTON
    steps = [
        (S, BACKLIGHT, 0),
        (S + (dark_ms - 20) * MS, button, 0),
        (S + dark_ms * MS, BACKLIGHT, 1),
        (S + (dark_ms - 20 + press_ms) * MS, button, 1),
    ]
    cycle = build(in_edges([step for step in steps if step[1] in wired]), wired)

    expected = {}
    if {BACKLIGHT, button} <= wired:
        expected = {"press_width_ns": press_ms * MS, "press_to_light_ns": 20 * MS}
    assert {name.value: ns for name, ns in values(cycle).items()} == expected
    assert cycle.asleep_from_ns is None
    assert math.isfinite(sum(expected.values()))


ENDS = {
    "trigger_to_slp_s3_ns": ((Channel.BUTTON, Channel.LID), 0, (Channel.SLP_S3,), 0),
    "asleep_ns": ((Channel.SLP_S3, Channel.PWR_OK), 0, (Channel.SLP_S3, Channel.PWR_OK), 1),
    "press_width_ns": ((Channel.BUTTON,), 0, (Channel.BUTTON,), 1),
    "press_to_slp_s3_ns": ((Channel.BUTTON, Channel.LID), None, (Channel.SLP_S3,), 1),
    "press_to_pwr_ok_ns": ((Channel.BUTTON, Channel.LID), None, (Channel.PWR_OK,), 1),
    "slp_s3_to_pwr_ok_ns": ((Channel.SLP_S3,), 1, (Channel.PWR_OK,), 1),
    "pwr_ok_to_pltrst_ns": ((Channel.PWR_OK,), 1, (Channel.PLTRST,), 1),
    "press_to_pltrst_ns": ((Channel.BUTTON, Channel.LID), None, (Channel.PLTRST,), 1),
    "pltrst_to_light_ns": ((Channel.PLTRST,), 1, (BACKLIGHT,), 1),
    "press_to_light_ns": ((Channel.BUTTON, Channel.LID), None, (BACKLIGHT,), 1),
}


def _waking(channel: Channel) -> int:
    return int(channel is Channel.LID)


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 400).map(lambda step: step * 37 * MS)
            | st.integers(0, 20_000_000).map(lambda us: us * 1_000),
            st.sampled_from(list(Channel)),
            st.integers(0, 1),
        ),
        max_size=60,
    ),
    st.dictionaries(st.sampled_from(list(Channel)), st.integers(0, 1)),
    st.sampled_from([None, *Actuator]),
)
def test_whatever_comes_each_interval_lies_between_two_edges_of_its_lines(
    steps, levels, asked
) -> None:
    edges = in_edges(sorted(steps))
    groups = split_cycles(edges, levels)
    cycles = [build_cycle(1, edges, levels, asked, BOUNDS)]
    cycles += [build_cycle(1, g.edges, g.initial_levels, asked, BOUNDS) for g in groups]

    for cycle in cycles:
        for name, interval in cycle.intervals.items():
            starts, from_level, ends, to_level = ENDS[name.value]
            differences = {
                end.t_ns - start.t_ns
                for start in edges
                for end in edges
                if start.channel in starts
                and end.channel in ends
                and end.level == to_level
                and start.level == (_waking(start.channel) if from_level is None else from_level)
            }
            assert interval.value_ns in differences, name
    assert sum(len(group.edges) for group in groups) <= len(edges)
