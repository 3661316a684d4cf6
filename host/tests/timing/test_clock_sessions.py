"""Whole sessions over a bad USB link: the truth is in every bound, and the bounds are small.

benchmarks/clock_relation.py plays a thousand of them.
"""

import numpy as np
import pytest
from clock_sessions import TICK_NS, S, campaign_exchanges, crystal, usb_link

from resume_rig.timing.hull import board_limits
from resume_rig.timing.relation import ClockRelation, ExchangeSelection, relate

LIMITS = board_limits(50_000, S // TICK_NS)
SPAN_S = 60.0


def kept_of(cycles) -> list:
    kept = []
    for made in cycles:
        selection = ExchangeSelection(LIMITS)
        for each in made:
            selection.add(each)
        kept += selection.kept()
    return kept


@pytest.mark.parametrize("framed_up", [False, True], ids=["replies framed", "both framed"])
def test_the_truth_is_in_every_bound_and_the_bounds_are_small(framed_up: bool) -> None:
    bounds, widths = [], []
    for seed in range(24):
        random = np.random.default_rng(1000 + seed)
        clock, link = crystal(random, SPAN_S), usb_link(random, framed_up=framed_up)
        kept = kept_of(campaign_exchanges(clock, link, SPAN_S))
        relation: ClockRelation = relate(kept, LIMITS)
        first, last = kept[0].board_rx_ns, kept[-1].board_tx_ns
        assert relation.breaks == []
        for board_ns in random.integers(first, last - 2 * S, 15).tolist():
            host = relation.to_host_ns(board_ns)
            rates = relation.rates(board_ns, board_ns + 2 * S)
            assert host is not None
            assert rates is not None
            truth = clock.host(board_ns)
            rate = (clock.host(board_ns + 2 * S) - truth) / (2 * S) - 1
            assert abs(host.value_ns - truth) <= host.bound_ns
            assert rates.low <= rate <= rates.high
            bounds.append(host.bound_ns)
            widths.append(rates.high - rates.low)
    # Where request and reply both wait for a frame, no exchange is quicker than one frame.
    assert np.percentile(bounds, 95) <= (650_000 if framed_up else 250_000)
    assert max(widths) <= (60e-6 if framed_up else 30e-6)


def test_few_exchanges_are_kept_and_those_bound_nearly_as_well() -> None:
    random = np.random.default_rng(5)
    clock, link = crystal(random, 20.0), usb_link(random)
    (made,) = campaign_exchanges(clock, link, 20.0)

    kept = kept_of([made])

    everything, few = relate(made, LIMITS), relate(kept, LIMITS)
    assert len(kept) <= 8
    assert (kept[0], kept[-1].board_tx_ns) == (made[0], made[-1].board_tx_ns)
    for board_ns in random.integers(made[0].board_rx_ns, made[-1].board_tx_ns, 20).tolist():
        whole, thin = everything.to_host_ns(board_ns), few.to_host_ns(board_ns)
        assert whole is not None
        assert thin is not None
        assert thin.bound_ns <= whole.bound_ns + 60_000


def test_a_record_of_hours_keeps_no_more() -> None:
    random = np.random.default_rng(6)
    clock, link = crystal(random, 3600.0), usb_link(random)
    (made,) = campaign_exchanges(clock, link, 3600.0, cycle_s=3600.0, every_s=4.0)

    kept = kept_of([made])

    assert len(made) > 800
    assert len(kept) <= 8
    assert relate(kept, LIMITS).breaks == []


def test_both_sides_of_a_break_are_kept() -> None:
    random = np.random.default_rng(8)
    clock, link = crystal(random, 20.0), usb_link(random)
    (made,) = campaign_exchanges(clock, link, 20.0)
    half = len(made) // 2
    late = [
        type(e)(e.host_tx_ns - S, e.board_rx_ns, e.board_tx_ns, e.host_rx_ns - S)
        for e in made[half + 2 :]
    ]

    kept = kept_of([[*made[:half], *late]])

    assert len(relate(kept, LIMITS).breaks) == 1
    assert len(kept) <= 16


def test_clocks_that_break_off_all_the_time_fill_no_store() -> None:
    random = np.random.default_rng(9)
    clock, link = crystal(random, 600.0), usb_link(random)
    (made,) = campaign_exchanges(clock, link, 600.0, cycle_s=600.0)
    broken = [
        type(e)(e.host_tx_ns + n * S, e.board_rx_ns, e.board_tx_ns, e.host_rx_ns + n * S)
        for n, e in enumerate(made)
    ]

    assert len(kept_of([broken])) <= 16
