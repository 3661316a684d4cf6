"""Hidden BIOS time over rows of cycles: what a short row cannot tell, rows that agree tell."""

from pathlib import Path

import pytest
from findings_truth import CASES, slow
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from played_campaign import play

from resume_rig.analysis.reconcile.hidden_time import Hidden, means_in_a_row
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.verdict import FindingKind

MS = 1_000_000
HALF_NS = 500 * MS
BOUND_NS = 30 * MS


def hidden(value_ns: int) -> Hidden:
    return Hidden(BoundedNs(value_ns, BOUND_NS), 2 * HALF_NS)


def test_a_short_row_has_the_mean_of_all_that_agree() -> None:
    cycles = [*[hidden(160 * MS)] * 5, None, *[hidden(170 * MS)] * 45]
    means = means_in_a_row(cycles, [True] * 51)
    assert means[5] is None
    assert {mean.n for mean in means if mean} == {45, 50}
    first, last = means[0], means[-1]
    assert first is not None
    assert last is not None
    # Two rows: twice the half seconds at both ends, over all cycles.
    assert first.mean == BoundedNs(169 * MS, BOUND_NS + 4 * HALF_NS // 50)
    # The long row by itself is told closer than both.
    assert last.mean == BoundedNs(170 * MS, BOUND_NS + -(-2 * HALF_NS // 45))


def test_rows_that_disagree_stay_by_themselves() -> None:
    cycles = [*[hidden(0)] * 30, None, *[hidden(300 * MS)] * 30, None, hidden(150 * MS)]
    means = means_in_a_row(cycles, [True] * 63)
    told = [(mean.n, mean.mean.value_ns // MS) for mean in means if mean]
    assert told == [(30, 0)] * 30 + [(30, 300)] * 30 + [(1, 150)]


@given(
    hidden_ms=st.integers(-400, 400),
    halves=st.lists(st.integers(-HALF_NS, HALF_NS), min_size=2, max_size=60),
    breaks=st.lists(st.booleans(), min_size=60, max_size=60),
)
def test_the_bound_holds_whatever_each_wake_did_to_the_clock(
    hidden_ms: int, halves: list[int], breaks: list[bool]
) -> None:
    """Each wake's error is what the next sleep of its row starts with."""
    cycles, follows = [], []
    for at, half_ns in enumerate(halves[1:]):
        goes_on = not breaks[at] and at > 0
        begun_ns = halves[at] if goes_on else HALF_NS
        cycles.append(hidden(hidden_ms * MS + half_ns - begun_ns))
        follows.append(goes_on)
    for mean in means_in_a_row(cycles, follows):
        assert mean is None or abs(mean.mean.value_ns - hidden_ms * MS) <= mean.mean.bound_ns + 1


@pytest.mark.parametrize(
    ("place", "number", "kind"),
    [
        # Seven cycles before one that hides another time: too few to tell 160 ms by themselves.
        (8, 3, FindingKind.BIOS_UNDER_REPORTED),
        # A BIOS time that is 0.6 s short moves its record against the others.
        (10, 6, FindingKind.BIOS_UNDER_REPORTED),
    ],
)
def test_campaigns_in_which_some_were_missed(
    tmp_path: Path, place: int, number: int, kind: FindingKind
) -> None:
    case, seed = CASES[place], 1_100 + place
    random = default_rng(seed)
    for _ in range(number):
        spoilt = case.make(random)
    answer = play(spoilt.profile, 50, seed * 1_000 + number, tmp_path, spoil=spoilt.spoil)
    assert case.kind is kind
    for cycle in answer.cycles:
        kinds = {finding.kind for finding in cycle.findings}
        assert (kind in kinds) == spoilt.has(cycle.outside.number)
        assert kinds <= case.along | {kind}


@pytest.mark.parametrize("seed", range(4))
def test_where_too_few_tell_no_other_unit_is_told(tmp_path: Path, seed: int) -> None:
    """BIOS times that are a fifth short look as ticks do; the OS's own clock speaks against it."""
    answer = play(slow(bios_factor=0.8), 9, seed, tmp_path)
    kinds = {finding.kind for cycle in answer.cycles for finding in cycle.findings}
    assert FindingKind.WRONG_UNIT not in kinds
    assert FindingKind.FIRMWARE_DISAGREES in kinds
