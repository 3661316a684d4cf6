import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.quantity import (
    BoundedNs,
    rounded_ms,
)
from resume_rig.model.result.cycle import BoardClock, OsClock, Outcome
from resume_rig.report.text.wording import (
    board_clock_sentences,
    clock_sentence,
    outcome_words,
    quantity_text,
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


def test_the_board_clock_is_told_with_what_was_made_of_it() -> None:
    measured = BoardClock(30_000, "a kept clock", 12_345, 678, 6_201, corrected=3)

    assert board_clock_sentences(measured, 4) == (
        "Board clock: +12.35 ppm ±0.68 ppm over the campaign, against a kept clock; "
        "intervals of 3 of 4 cycles are corrected, to ±6.21 ppm or better.",
    )


def test_a_board_clock_that_is_not_calibrated_keeps_its_tolerance() -> None:
    (sentence,) = board_clock_sentences(BoardClock(30_000, "a clock that nobody keeps"), 4)

    assert sentence == (
        "Board clock: not calibrated against a clock that nobody keeps, so its tolerance of "
        "30.0 ppm stays."
    )


def test_a_board_clock_beyond_its_tolerance_is_named() -> None:
    (sentence,) = board_clock_sentences(BoardClock(30_000, "a kept clock", -45_000, 900), 4)

    assert "beyond the 30.0 ppm that the board states" in sentence


def test_breaks_of_the_clocks_are_told_up_to_three() -> None:
    breaks = tuple(f"Break {number}." for number in range(5))

    told = board_clock_sentences(BoardClock(30_000, "a clock", breaks=breaks), 4)[1:]

    assert told == (*breaks[:3], "... and 2 more breaks of the clocks.")
