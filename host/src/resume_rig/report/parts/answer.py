"""The answer as a terminal and a document show it; what it is was decided before."""

from collections.abc import Iterator, Mapping
from typing import Final

from resume_rig.model.result.answer import (
    Answer,
    Cause,
    Counts,
    DoubtKind,
    DoubtOf,
    FailureBound,
    Judged,
    Standing,
    Subject,
    Unseen,
)
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import Json, number_json, text_json, utc_json
from resume_rig.report.text.terminal_style import TerminalStyle
from resume_rig.report.text.terminal_text import Colour

WHY_SHOWN: Final = 3
"""Sentences of why that a face shows before it is asked for all."""
_UNSEEN: Final = "Not checkable: "


def answer_lines(answer: Answer, style: TerminalStyle) -> Iterator[str]:
    """Yield verdict, doubts, why and what to do, in pieces to be written as they are."""
    yield from band_lines(answer.band, style)
    yield style.verdict_line(answer.verdict, answer.headline)
    for doubt in (*answer.contradictions, *answer.doubts):
        if doubt.kind is DoubtKind.SIMULATED:
            continue  # the band says it
        yield style.paragraph(f"Doubt: {doubt.text}.")
    yield from map(style.paragraph, answer.why)
    for cause in answer.causes:
        yield style.paragraph(f"To do, {cause_text(cause)}")


def band_lines(band: str, style: TerminalStyle) -> Iterator[str]:
    """Yield the band of evidence that is not of a PC, or not all of it."""
    word, _, what = band.partition(": ")
    if band:
        yield style.headline(word, Colour.YELLOW, what)


def unseen_lines(answer: Answer, style: TerminalStyle) -> Iterator[str]:
    """Yield what the evidence could not have shown."""
    for each in answer.unseen:
        yield style.paragraph(unseen_text(each))


def unseen_text(unseen: Unseen) -> str:
    """Return what could not have been seen, as a sentence."""
    return f"{_UNSEEN}{unseen.text[:1].lower()}{unseen.text[1:]}"


def cause_text(cause: Cause) -> str:
    """Return whose it is, what it is and what to do about it."""
    return " ".join(filter(None, (f"{cause.owner}: {cause.what}", cause.step, cause.command)))


def answer_json(answer: Answer) -> dict[str, Json]:
    """Return the key `answer` of a document."""
    return {
        "verdict": answer.verdict.value,
        "reason": answer.reason.value,
        "figures": _figures(answer.figures),
        "headline": text_json(answer.headline),
        "why": [text_json(text) for text in answer.why],
        "about": _subject(answer.subject),
        "counts": _counts(answer.counts),
        "transitions": _transitions(answer.counts),
        "limit": _limit(answer.limit),
        "failures": _failures(answer.failures),
        "contradictions": [_doubt(each) for each in answer.contradictions],
        "doubts": [_doubt(each) for each in answer.doubts],
        "not_checkable": [_unseen(each) for each in answer.unseen],
        "to_do": [_cause(each) for each in answer.causes],
    }


def _figures(figures: Mapping[str, int | float | str]) -> dict[str, Json]:
    return {
        name: text_json(value) if isinstance(value, str) else number_json(value)
        for name, value in figures.items()
    }


def _subject(subject: Subject) -> dict[str, Json]:
    return {
        "computers": [text_json(one_line(name)) for name in subject.computers],
        "builds": [text_json(one_line(name)) for name in subject.builds],
        "kinds": [kind.value for kind in subject.kinds],
        "first": utc_json(subject.first_utc_ns),
        "last": utc_json(subject.last_utc_ns),
        "simulated": subject.simulated,
    }


def _counts(counts: Counts) -> dict[str, Json]:
    by: dict[str, Json] = {
        standing.value.replace("-", "_"): counts.n(standing) for standing in Standing
    }
    return {"total": counts.total, "judged": counts.judged, **by}


def _transitions(counts: Counts) -> dict[str, Json]:
    """Write the numbers of all but what passed, which is the rest."""
    named: dict[str, Json] = {
        standing.value.replace("-", "_"): list(counts[standing])
        for standing in Standing
        if standing is not Standing.PASSED
    }
    rest: dict[str, Json] = {
        "not_as_planned": list(counts.off_plan),
        "contradicted": list(counts.contradicted),
        "first_wrong": counts.first_wrong,
    }
    return {**named, **rest}


def _limit(judged: Judged | None) -> dict[str, Json] | None:
    if judged is None:
        return None
    return {
        "measure": judged.limit.measure,
        "title": judged.title,
        "unit": judged.unit,
        "comparison": judged.limit.comparison.value,
        "value": number_json(judged.value),
        "worst": None if judged.worst is None else number_json(judged.worst),
        "worst_bound": None if judged.bound is None else number_json(judged.bound),
        "worst_at": judged.worst_at,
    }


def _failures(bound: FailureBound | None) -> dict[str, Json] | None:
    if bound is None:
        return None
    return {
        "failed_or_undecided": bound.failed,
        "of": bound.n,
        "rate_upper": number_json(bound.upper),
        "confidence": bound.confidence,
        "assumption": bound.assumption.value,
    }


def _doubt(doubt: DoubtOf) -> dict[str, Json]:
    return {
        "kind": doubt.kind.value,
        "text": text_json(doubt.text),
        "finding": None if doubt.finding is None else doubt.finding.value,
        "transitions": list(doubt.numbers),
    }


def _unseen(unseen: Unseen) -> dict[str, Json]:
    return {"kind": unseen.kind.value, "text": unseen.text, "least_ns": unseen.least_ns}


def _cause(cause: Cause) -> dict[str, Json]:
    return {
        "kind": cause.kind.value,
        "owner": cause.owner,
        "what": text_json(cause.what),
        "step": text_json(cause.step),
        "command": text_json(cause.command),
        "finding": None if cause.finding is None else cause.finding.value,
        "time_ns": cause.time_ns,
        "transitions": list(cause.numbers),
    }
