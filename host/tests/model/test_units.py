import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.units import percent_up, seconds_text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.05, "5.0 %"),
        (0.632, "64 %"),
        (0.0000698, "0.0070 %"),
        (0.00299, "0.30 %"),
        (1.0, "100 %"),
    ],
)
def test_a_share_is_told_with_two_digits(share: float, text: str) -> None:
    assert percent_up(share) == text


@given(st.floats(1e-12, 1.0))
def test_a_bound_is_never_rounded_down(share: float) -> None:
    told = float(percent_up(share).removesuffix(" %"))
    assert share * 100 * (1 - 1e-9) <= told + 1e-9
    assert told <= share * 100 * 1.1 + 1e-9


@pytest.mark.parametrize(
    ("duration_ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_500, "1.500 us"),
        (149_776_000, "149.8 ms"),
        (-2_500_000_000, "-2.500 s"),
        (61_000_000_000, "61.00 s"),
    ],
)
def test_a_duration_has_a_fitting_unit(duration_ns: int, text: str) -> None:
    assert seconds_text(duration_ns) == text
