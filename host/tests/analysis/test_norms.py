"""What is usual in a campaign, and how far from it nothing healthy is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.reconcile.norms import history_of, norm_of

MS = 1_000_000
SIGMA_NS = 20 * MS


def healthy(seed: int, shape: tuple[int, int]) -> np.ndarray:
    return np.random.default_rng(seed).normal(500 * MS, SIGMA_NS, shape)


@pytest.mark.parametrize(("n", "campaigns"), [(8, 1_000), (10, 1_000), (20, 500), (49, 200)])
def test_no_healthy_value_of_a_few_is_unusual(n: int, campaigns: int) -> None:
    """Of these, five deviations of the median called 0.07 to 8 of 10,000 new values unusual."""
    values_ns = healthy(n, (campaigns, n + 100))
    unusual = 0
    for each_ns in values_ns:
        norm = norm_of([round(value_ns) for value_ns in each_ns[:n]])
        assert norm is not None
        assert norm.unusual_ns is not None
        unusual += int((np.abs(each_ns - norm.median_ns) > norm.unusual_ns).sum())
    assert unusual == 0


@pytest.mark.parametrize(
    ("n", "sigmas"), [(8, 43), (10, 28), (20, 11.4), (49, 7.7), (200, 6.5), (2_000, 6.2)]
)
def test_the_limit_is_students(n: int, sigmas: float) -> None:
    limits = [norm_of([round(v) for v in each]) for each in healthy(n, (4_000 // n + 20, n))]
    medians = np.median([norm.unusual_ns or 0 for norm in limits if norm is not None])
    assert medians / SIGMA_NS == pytest.approx(sigmas, rel=0.15)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("n", [20, 49, 400])
def test_values_that_are_far_out_move_no_limit(n: int, share: float) -> None:
    values_ns = healthy(n, (1, n))[0]
    alone = norm_of([round(value_ns) for value_ns in values_ns])
    moved = max(1, round(share * n))
    values_ns[:moved] += 40 * SIGMA_NS
    spoilt = norm_of([round(value_ns) for value_ns in values_ns])
    assert alone is not None
    assert spoilt is not None
    assert alone.unusual_ns is not None
    assert spoilt.unusual_ns is not None
    assert spoilt.unusual_ns < 1.7 * alone.unusual_ns
    assert (np.abs(values_ns - spoilt.median_ns) > spoilt.unusual_ns).sum() == moved


@given(st.lists(st.integers(-(10**12), 10**12), min_size=8, max_size=60))
def test_half_of_all_values_are_usual(values_ns: list[int]) -> None:
    norm = norm_of(values_ns)
    assert norm is not None
    assert norm.spread_ns is not None
    assert norm.unusual_ns is not None
    assert norm.unusual_ns >= norm.spread_ns >= 0
    usual = [each for each in values_ns if abs(each - norm.median_ns) <= norm.unusual_ns + 1]
    assert 2 * len(usual) >= len(values_ns)


def test_the_same_value_always_has_no_spread() -> None:
    norm = norm_of([195 * MS] * 9)
    assert norm is not None
    assert (norm.n, norm.spread_ns, norm.unusual_ns) == (9, 0, 0)


@pytest.mark.parametrize(("n", "told"), [(2, False), (3, True), (7, True)])
def test_a_few_values_have_a_median_and_no_spread(n: int, told: bool) -> None:
    norm = norm_of([195 * MS] * n)
    assert (norm is not None) == told
    assert norm is None or (norm.spread_ns, norm.unusual_ns) == (None, None)


@pytest.mark.parametrize(
    ("grown_ms", "counts"),
    [
        # From one wake to the next: the sleep is counted, too.
        (90_000, True),
        # To the beginning of the next sleep, which takes 5 s; asleep the counter stands.
        (55_000, True),
        (53_501, True),
        (56_500, True),
        (53_499, None),
        (56_501, None),
        (50_000, None),
    ],
)
def test_a_bios_time_that_grows_by_the_time_between_is_an_uptime(record, grown_ms, counts) -> None:
    # None of them is as large as an uptime by itself.
    first = record(record_id=1, wake_time_utc_ns=1_000_000 * MS, bios_init_ms=300)
    second = record(
        record_id=2,
        sleep_time_utc_ns=1_050_000 * MS,
        sleep_ms=5_000,
        wake_time_utc_ns=1_090_000 * MS,
        bios_init_ms=300 + grown_ms,
    )

    assert history_of([first, second], []).keeps_counting is counts
