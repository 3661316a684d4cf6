import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.report.text.hostile_text import (
    ascii_only,
    bounded,
    display_width,
    encodable,
    one_line,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31mred", "\\x9b31mred"),
        ("photo\u202egnp.exe", "photo\\u202egnp.exe"),
        ("a\r\n\tb\u2028c", "a b c"),
        ("電源ボタン", "電源ボタン"),
        ("name\udcff", "name\\udcff"),
        ("soft\u00adhyphen", "soft\\xadhyphen"),
        ("", ""),
    ],
    ids=["plain", "escape", "C1", "bidi", "breaks", "Japanese", "surrogate", "invisible", "empty"],
)
def test_what_does_not_print_is_spelled_out(text: str, shown: str) -> None:
    assert one_line(text) == shown


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_any_text_becomes_one_printable_line(text: str) -> None:
    shown = one_line(text, limit=100)
    shown.encode("utf-8")
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in shown)
    # A character is spelled with at most ten others.
    assert len(shown) <= 1_000


@given(st.text(st.characters(exclude_categories=())))
def test_ascii_is_ascii(text: str) -> None:
    assert ascii_only(one_line(text)).isascii()


def test_our_own_signs_have_words_in_ascii() -> None:
    assert ascii_only("press→light 3 ±1, ≤ 2…") == "press->light 3 +/-1, <= 2..."


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("", 0, "")],
    ids=["fits", "cut", "only the sign", "empty"],
)
def test_bounded_never_exceeds_its_limit(text: str, limit: int, cut: str) -> None:
    assert bounded(text, limit) == cut


def test_lone_surrogates_are_replaced_and_others_kept() -> None:
    assert encodable("a\ud800b😀") == "a\ufffdb😀"


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("電源", 4), ("e\u0301", 1), ("±", 1)],
    ids=["ASCII", "wide", "combining", "sign"],
)
def test_width_counts_terminal_cells(text: str, cells: int) -> None:
    assert display_width(text) == cells
