"""Clocks that break off, or that run as no clock should: what is told, and what still bounds."""

from resume_rig.model.edge import ClockExchange
from resume_rig.timing.hull import ClockLimits, ClockPolygon
from resume_rig.timing.relation import BreakKind, relate

S = 1_000_000_000


def exchange(host_ns: int, board_ns: int, turn_ns: int = 1_000, host_turn_ns: int = 200_000):
    return ClockExchange(host_ns, board_ns, board_ns + turn_ns, host_ns + host_turn_ns)


def test_bounds_that_no_steady_rate_meets_still_stand_in_order() -> None:
    polygon = ClockPolygon(ClockLimits(tolerance_ppb=100_000, drift_ppb_per_s=0))
    for at_s, least in ((0, 0), (1, 50_000), (2, 0)):
        polygon.add_lower(at_s * S, least)
        polygon.add_upper(at_s * S, least + 10)

    found = polygon.at(1.0 * S)

    assert not found.steady
    assert found.low_ns <= 50_000
    assert found.high_ns >= 50_010


def test_a_break_between_two_exchanges_is_kept() -> None:
    limits = ClockLimits(tolerance_ppb=100_000)
    relation = relate([exchange(0, 0), exchange(S, S), exchange(9 * S, 2 * S)], limits)
    assert len(relation.breaks) == 1
    assert len(relation.segments) == 2


def test_a_break_within_an_exchange_is_kept() -> None:
    limits = ClockLimits(tolerance_ppb=100_000)
    relation = relate([exchange(0, 0), exchange(S, S, turn_ns=3 * S, host_turn_ns=S)], limits)
    assert [found.kind for found in relation.breaks] == [BreakKind.HOST_STOOD_STILL]
