"""A calibration holds the true rate, and is none where it proves less than the tolerance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.relation import RateCalibration, RateRange, calibrate

RATES = st.floats(-50e-6, 50e-6)
WIDTHS = st.floats(0, 20e-6)


def around(rate: float, below: float, above: float) -> RateRange:
    return RateRange(rate - below, rate + above)


@given(
    board=RATES,
    host=RATES,
    wall=st.floats(-500e-9, 500e-9),
    widths=st.tuples(WIDTHS, WIDTHS, WIDTHS, WIDTHS),
)
def test_the_true_rate_is_within_the_bound(*, board, host, wall, widths) -> None:
    # A second of true time: the host counts 1 + host, the wall clock 1 + wall, the board 1 + board.
    host_of_board = (1 + host) / (1 + board) - 1
    wall_of_host = (1 + wall) / (1 + host) - 1

    found = calibrate(
        around(host_of_board, widths[0], widths[1]),
        around(wall_of_host, widths[2], widths[3]),
        wall_ppb=501,
        tolerance_ppb=50_000,
        source="test",
    )

    if found is not None:
        assert abs(found.rate_ppb - board * 1e9) <= found.bound_ppb + 1
        assert found.bound_ppb < 50_000
        assert abs(found.rate_ppb) + found.bound_ppb <= 50_000 + 1
    else:
        assert sum(widths) > 45e-6


EXACT = RateRange(0.0, 0.0)


@pytest.mark.parametrize(
    ("board", "wall"),
    [
        (RateRange(-40e-6, 40e-6), EXACT),
        (RateRange(-1e-6, 1e-6, steady=False), EXACT),
        (EXACT, RateRange(-1e-6, 1e-6, steady=False)),
        (RateRange(90e-6, 92e-6), EXACT),
    ],
    ids=["weaker than the tolerance", "board drifts", "wall is slewed", "beyond the tolerance"],
)
def test_a_weak_proof_leaves_the_tolerance(board: RateRange, wall: RateRange) -> None:
    assert calibrate(board, wall, wall_ppb=500, tolerance_ppb=30_000, source="") is None


def test_the_walls_own_error_is_a_term() -> None:
    kept = [
        calibrate(EXACT, EXACT, wall_ppb=wall, tolerance_ppb=30_000, source="ntp")
        for wall in (0, 500, 4_000)
    ]

    assert [None if each is None else each.bound_ppb for each in kept] == [0, 501, 4_001]
    assert kept[0] == RateCalibration(0, 0, "ntp")


@pytest.mark.parametrize(
    ("rate_ppb", "counted_ns", "true_ns"),
    [(20_000, 2_000_040_000, 2_000_000_000), (-30_000, 1_999_940_000, 2_000_000_000), (50, 0, 0)],
)
def test_a_fast_clock_counts_too_much(rate_ppb: int, counted_ns: int, true_ns: int) -> None:
    found = RateCalibration(rate_ppb, 100, "").corrected(BoundedNs(counted_ns, 7))

    assert found == BoundedNs(true_ns, 7)
