"""Figures that were asked for with impossible arguments are refused, not made up."""

import pytest

from resume_rig.analysis.stats.figures import (
    cycles_needed,
    failure_rate_lower,
    failure_rate_upper,
)


@pytest.mark.parametrize("bound", [failure_rate_lower, failure_rate_upper])
@pytest.mark.parametrize(
    ("failures", "n", "confidence"),
    [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0.0), (1, 5, 1.0), (0, -1, 0.95)],
)
def test_a_bound_of_impossible_trials_is_refused(bound, failures, n, confidence) -> None:
    with pytest.raises(ValueError, match=f"no bound for {failures} failures of {n}"):
        bound(failures, n, confidence)


@pytest.mark.parametrize(
    ("rate", "confidence", "failures"),
    [(0.0, 0.95, 0), (1.0, 0.95, 0), (0.1, 0.0, 0), (0.1, 1.0, 0), (0.1, 0.95, -1)],
)
def test_a_count_for_an_impossible_rate_is_refused(rate, confidence, failures) -> None:
    with pytest.raises(ValueError, match="no count for rate"):
        cycles_needed(rate, confidence, failures)


def test_trials_at_the_edge_are_allowed() -> None:
    assert failure_rate_upper(5, 5) == 1.0
    assert failure_rate_lower(0, 5) == 0.0
