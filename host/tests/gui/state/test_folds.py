"""Folds: bench and campaign after any events, histogram and grown series, without a window."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.campaign.plan.plan import default_plan
from resume_rig.campaign.run.events import CampaignBegan, CycleStarted, RigBack, RigLost
from resume_rig.gui.worker.bench_state import BenchState, Link, bench_after
from resume_rig.gui.worker.campaign_state import (
    MOST_LINES,
    CampaignState,
    Grown,
    Phase,
    campaign_after,
    histogram_of,
)
from resume_rig.gui.worker.events import (
    Answered,
    BenchEvent,
    CampaignHeld,
    CampaignOver,
    CampaignRefused,
    CampaignReported,
    CampaignStarting,
    CampaignUpdate,
    Connecting,
    CycleStored,
    Disconnected,
    LinkDown,
    WiresRead,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import Finding, FindingKind

STORE = Path("one.rrs")
MS = 1_000_000


def seen(number: int, outcome: Outcome = Outcome.SLEPT_AND_WOKE) -> CycleStored:
    findings = ()
    if outcome is not Outcome.SLEPT_AND_WOKE:
        findings = (Finding(FindingKind.NEVER_WOKE, "It stayed asleep."),)
    outside = OutsideCycle(
        number=number,
        outcome=outcome,
        state=OutsideState.S3,
        wake_by=None,
        trigger_ns=0,
        asleep_from_ns=None,
        awake_from_ns=None,
        intervals={IntervalName.PRESS_TO_LIGHT: BoundedNs(number * MS, 1)},
        findings=findings,
    )
    return CycleStored(outside, (), {}, (900 + number,), number, {outcome: number}, 5)


def run(*events: CampaignUpdate) -> CampaignState:
    state = CampaignState()
    for event in events:
        state = campaign_after(state, event)
    return state


BEGAN = (
    CampaignStarting(STORE, 2000),
    CampaignReported(CampaignBegan(STORE, default_plan(), 1, 0)),
)


def test_a_campaign_is_followed_from_its_start_to_its_end() -> None:
    state = run(*BEGAN, CampaignReported(CycleStarted(1, 0, 4)), seen(1), seen(2))
    assert state.phase is Phase.RUNNING
    assert state.done == 2
    assert state.resume_ms.values.tolist() == [901, 902]
    assert state.light_ns.values.tolist() == [MS, 2 * MS]
    held = campaign_after(state, CampaignHeld(True))
    assert held.phase is Phase.HELD
    over = campaign_after(campaign_after(held, CampaignHeld(False)), CampaignOver(STORE, True, ""))
    assert over.phase is Phase.FINISHED
    assert state.phase is Phase.RUNNING


def test_failures_are_kept_in_order_and_counted() -> None:
    state = run(*BEGAN, seen(1), seen(2, Outcome.NEVER_WOKE), seen(3), seen(4, Outcome.DARK))
    assert [failure.number for failure in state.failures] == [2, 4]
    assert state.failures[0].text == "It stayed asleep."
    assert state.failed == 2


def test_a_rig_that_is_lost_and_back_is_told() -> None:
    lost = run(*BEGAN, CampaignReported(RigLost(1, "no answer")))
    assert lost.phase is Phase.WAITING
    assert lost.phase.active
    assert campaign_after(lost, CampaignReported(RigBack(1, 7))).phase is Phase.RUNNING


def test_a_campaign_that_could_not_begin_leaves_no_store_to_go_on_with() -> None:
    state = run(BEGAN[0], CampaignRefused("the plan moves the LID"))
    assert state.phase is Phase.FAILED
    assert state.path is None
    assert not state.phase.active


def test_lines_are_bounded() -> None:
    held = [CampaignHeld(place % 2 == 0) for place in range(MOST_LINES + 40)]
    assert len(run(*BEGAN, *held).lines) == MOST_LINES


@given(st.lists(st.integers(-(2**40), 2**40)), st.integers(0, 30))
def test_a_series_that_grew_holds_what_every_older_one_held(values: list[int], fork: int) -> None:
    series = [Grown()]
    for value in values:
        series.append(series[-1].plus(value))
    other = series[min(fork, len(values))].plus(7)
    for length, each in enumerate(series):
        assert each.values.tolist() == values[:length]
    assert other.values.tolist() == [*values[: min(fork, len(values))], 7]


@given(st.lists(st.integers(0, 100_000), min_size=1), st.none() | st.integers(1, 60_000))
def test_a_histogram_loses_no_value_and_no_bin_holds_both_sides(
    values: list[int], limit_ms: int | None
) -> None:
    found = histogram_of(np.array(values, dtype=np.int64), limit_ms)
    assert found is not None
    assert int(found.counts.sum()) + found.beyond == len(values)
    if limit_ms is not None:
        over = int(found.counts[found.over].sum()) + found.beyond
        assert over == sum(value > limit_ms for value in values)
    else:
        assert not found.over.any()


def test_no_values_make_no_histogram() -> None:
    assert histogram_of(np.zeros(0, dtype=np.int64), 2000) is None


@pytest.mark.parametrize(
    ("event", "link", "problem"),
    [
        (Connecting("sim:"), Link.OPENING, ""),
        (Disconnected("no such port"), Link.NONE, "no such port"),
        (LinkDown("no answer"), Link.DOWN, "no answer"),
        (Disconnected(), Link.NONE, ""),
    ],
)
def test_the_link_is_as_it_was_told(event: BenchEvent, link: Link, problem: str) -> None:
    state = bench_after(BenchState(), event)
    assert (state.link, state.problem) == (link, problem)


def test_answers_are_kept_newest_last_and_lost_edges_are_counted() -> None:
    state = BenchState()
    for place in range(60):
        state = bench_after(state, Answered(True, f"answer {place}"))
    assert len(state.answers) == 50
    assert state.answers[-1] == (True, "answer 59")
    for _ in range(2):
        state = bench_after(state, WiresRead((), (), 1, lost=3))
    assert state.wires.lost == 6
