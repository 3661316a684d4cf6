import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.cycle import OsClock, Outcome
from resume_rig.model.quantity import BoundedNs
from resume_rig.report.wording import (
    clock_sentence,
    outcome_words,
    quantity_text,
    rounded_ms,
)


@pytest.mark.parametrize(
    ("value_ns", "expanded_ns", "text"),
    [
        (52_310_000, 20_000, "52.31 ±0.02"),
        (52_314_000, 20_000, "52.31 ±0.03"),
        (1_606_670_000, 17_021_000, "1607 ±18"),
        (1_606_670_000, 1_700_000, "1606.7 ±1.8"),
        (-186_070_000, 17_571_000, "-186 ±18"),
        (100_000_000, 0, "100.00 ±0.00"),
    ],
    ids=["hundredths", "takes in rounding", "whole", "tenths", "negative", "exact"],
)
def test_digits_follow_the_expanded_uncertainty(value_ns: int, expanded_ns: int, text: str) -> None:
    assert quantity_text(BoundedNs(value_ns, 2 * expanded_ns, 0, expanded_ns)) == text


def test_a_missing_time_is_a_dash_and_not_a_zero() -> None:
    assert quantity_text(None) == "-"


@given(st.integers(-(10**13), 10**13), st.integers(0, 10**11))
def test_the_shown_interval_contains_the_computed_one(value_ns: int, bound_ns: int) -> None:
    quantity = BoundedNs(value_ns, bound_ns)
    value, width = (round(float(text) * 1e6) for text in rounded_ms(quantity))
    assert value - width <= value_ns - quantity.expanded_ns
    assert value + width >= value_ns + quantity.expanded_ns


def test_the_clock_line_tells_offset_bound_and_drift() -> None:
    assert clock_sentence(OsClock(-1.4121, 0.5, 12.34)) == (
        "OS clock minus host clock: -1.412 s ±0.500 s, drift +12.3 ppm."
    )
    assert "drift not known" in clock_sentence(OsClock(0.0, 0.5, None))
    assert "nothing related the two" in clock_sentence(None)


def test_every_outcome_has_words() -> None:
    assert len({outcome_words(outcome) for outcome in Outcome}) == len(Outcome)
