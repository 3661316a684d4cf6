"""Filters in words: what they keep, and what they say where they cannot be understood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.gui.explorer.filter import rows_of_filter
from resume_rig.gui.state.table import Table, number_column, word_column
from resume_rig.model.errors import UsageError

TABLE = Table(
    (
        number_column("cycle", range(1, 7)),
        word_column("outcome", ["slept and woke", "dark", "hung in resume", "dark", "-", ""]),
        word_column("wake by", ["BUTTON", "LID", "LID", "BUTTON", "LID", "BUTTON"]),
        number_column("to light, ms", [700.0, None, 950.5, 1_200.0, 800.0, None]),
        number_column("asleep, s", [5.0, 5.1, 4.9, 60.0, 5.0, 5.0]),
    )
)
ALIASES = {"t_50": "to light", "press to light": "to light", "gone": "nowhere"}


def kept(text: str) -> list[int]:
    keep = rows_of_filter(text, TABLE, ALIASES)
    rows = np.ones(len(TABLE), bool) if keep is None else keep
    return [int(number) for number in TABLE.columns[0].values[rows]]


@pytest.mark.parametrize(
    ("text", "cycles"),
    [
        ("", [1, 2, 3, 4, 5, 6]),
        ("outcome is dark", [2, 4]),
        ("outcome is dark and wake by lid", [2]),
        ("outcome is hung", [3]),
        ("outcome is not dark", [1, 3, 5, 6]),
        ("outcome holds woke", [1]),
        ('outcome is "slept and woke"', [1]),
        ("outcome is missing", [5, 6]),
        ("to light is missing", [2, 6]),
        ("to light is not missing", [1, 3, 4, 5]),
        ("t_50 above 0.9s", [3, 4]),
        ("press to light >= 950.5", [3, 4]),
        ("to light at most 800 ms", [1, 5]),
        ("t_50 above p50", [3, 4]),
        ("asleep above 10s", [4]),
        ("asleep > 5000ms", [2, 4]),
        ("cycle = 3 or cycle 5", [3, 5]),
        ("not (cycle above 2)", [1, 2]),
        ("wake by lid and (outcome is dark or cycle at least 5)", [2, 5]),
        ("OUTCOME IS DARK AND WAKE BY BUTTON", [4]),
        ("lid", [2, 3, 5]),
        ("dark button", [4]),
    ],
)
def test_a_filter_keeps_what_it_says(text, cycles) -> None:
    assert kept(text) == cycles


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("to light above", "a value for to light is missing"),
        ("to light above fast", "'fast' is no value of to light"),
        ("outcome above dark", "outcome holds words"),
        ("cycle above 3 s", "cycle has no unit of time"),
        ("(cycle = 3", "a bracket is not closed"),
        ("cycle = 3)", "found ')' where it should end"),
        ("cycle = 3 and", "a column or words is missing"),
        ("x" * 501, "501 signs; 500 are allowed"),
        ("(" * 400, "nested more than 20 deep"),
    ],
)
def test_what_cannot_be_understood_is_said_in_one_sentence(text, why) -> None:
    with pytest.raises(UsageError, match="filter") as refused:
        kept(text)

    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


WORDS = [
    "cycle",
    "outcome",
    "wake by",
    "to light",
    "and",
    "or",
    "not",
    "(",
    ")",
    "is",
    "above",
    "p99",
    "3",
    "2 ms",
    "dark",
    "lid",
    "missing",
    '"',
    "=",
    "!=",
]


@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_any_words_keep_rows_or_are_refused(words: list[str]) -> None:
    try:
        keep = rows_of_filter(" ".join(words), TABLE, ALIASES)
    except UsageError:
        return
    assert keep is None or (keep.dtype == np.bool_ and keep.shape == (len(TABLE),))
