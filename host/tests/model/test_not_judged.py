"""Why a transition is not judged: a reason to count by, and its sentence."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.verdict.ruling import COUNTED_AS
from resume_rig.model.result.verdict import NotJudged, WhyNot


def figures_of(reason: WhyNot) -> dict[str, str]:
    """Return what the sentence of a reason asks for, by asking for it until it has enough."""
    figures: dict[str, str] = {}
    while True:
        try:
            str(NotJudged.of(reason, **figures))
        except KeyError as missing:
            figures[missing.args[0]] = f"the {missing.args[0]}"
        else:
            return figures


@pytest.mark.parametrize("reason", WhyNot)
def test_every_reason_has_a_sentence_that_names_its_figures(reason: WhyNot) -> None:
    figures = figures_of(reason)
    sentence = str(NotJudged.of(reason, **figures))
    assert all(text in sentence for text in figures.values())
    assert "{" not in sentence
    assert sentence[0] in string.ascii_letters


@pytest.mark.parametrize("reason", WhyNot)
def test_every_reason_has_words_behind_a_count(reason: WhyNot) -> None:
    assert COUNTED_AS[reason]


@given(st.text())
def test_what_a_dut_wrote_is_text_and_no_template(hostile: str) -> None:
    assert hostile in str(NotJudged.of(WhyNot.STATE_MISMATCH, why=hostile))
