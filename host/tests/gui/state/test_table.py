"""Tables: order, filter and files, without a window."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.gui.state.table import Column, Table, csv_lines, word_column

NUMBERS = Column("cycle", np.array([1, 2, 3, 4]))
TIMES = Column("light, ms", np.array([7.5, np.nan, 3.0, 7.5]), lambda v: f"{v:.1f}")
WORDS = word_column("outcome", ["slept-and-woke", "dark", "Dark", "never-woke"])
TABLE = Table((NUMBERS, TIMES, WORDS))


@pytest.mark.parametrize(
    ("descending", "expected"),
    [(False, [2, 0, 3, 1]), (True, [0, 3, 2, 1])],
    ids=["up", "down"],
)
def test_missing_values_go_last_and_equal_ones_keep_their_order(
    descending: bool, expected: list[int]
) -> None:
    assert TABLE.sorted(TABLE.all_rows(), 1, descending=descending).tolist() == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [("dark", [1, 2]), ("woke", [0, 3]), ("woke 4", [3]), ("nothing", []), ("", [0, 1, 2, 3])],
)
def test_a_filter_keeps_rows_that_hold_every_word(words: str, expected: list[int]) -> None:
    assert np.flatnonzero(TABLE.holding(words)).tolist() == expected


@given(st.lists(st.floats(allow_infinity=False), max_size=40), st.booleans())
def test_sorting_loses_no_row_and_is_in_order(values: list[float], descending: bool) -> None:
    table = Table((Column("x", np.array(values, dtype=np.float64)),))
    rows = table.sorted(table.all_rows(), 0, descending=descending)
    assert sorted(rows.tolist()) == list(range(len(values)))
    known = [values[row] for row in rows if not np.isnan(values[row])]
    assert known == sorted(known, reverse=descending)
    assert all(np.isnan(values[row]) for row in rows[len(known) :])


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_a_csv_is_read_back_as_it_was_and_holds_no_formula(texts: list[str]) -> None:
    texts = [text.replace("\r", " ") for text in texts]
    table = Table((word_column("text", texts), Column("n", np.arange(len(texts)))))
    lines = list(csv_lines(table, table.all_rows().tolist()))
    read = [row[0] for row in csv.reader(io.StringIO("\n".join(lines)))]
    for text, found in zip(texts, read[1:], strict=True):
        assert found in (text, f"'{text}")
        assert found[:1] not in ("=", "+", "@")
