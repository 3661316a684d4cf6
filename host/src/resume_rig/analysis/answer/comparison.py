"""The first sentence of a comparison, of twelve words at most; its reasons stand in `why`."""

from typing import Final

from resume_rig.analysis.answer.headline import first_short
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.result.comparison import Answer, Change, Comparison, Unit

_BEGUN: Final = {
    Answer.REGRESSION: "Worse beyond chance",
    Answer.SESSIONS_DIFFER: "The two sessions differ",
}


def comparison_headline(comparison: Comparison) -> str:
    """Return what a comparison answers; of many slower times it names the one asked for first."""
    match comparison.answer:
        case Answer.REQUIREMENT_FAILED:
            name = comparison.requirement or "its requirement"
            return f"The candidate fails {name}; the base does not."
        case Answer.NO_REGRESSION:
            return "No slow-down that matters; one would have been shown."
        case Answer.NO_EVIDENCE:
            return _no_evidence(comparison)
        case _:
            return _worse(comparison)


def _worse(comparison: Comparison) -> str:
    begun = _BEGUN[comparison.answer]
    slower = [each for each in comparison.effects if each.change is Change.SLOWER]
    if not slower:
        return f"{begun}: more cycles fail, or are slow."
    most = max(slower, key=lambda each: (each.headline, each.shift_ms))
    text = f"{begun}: {measure_words(most.name)} {most.shift_ms:+.1f} ms"
    more = f" and {len(slower) - 1} more" if slower[1:] else ""
    return first_short((f"{text}{more}.", f"{text}.", f"{begun}: {most.shift_ms:+.1f} ms."))


def _no_evidence(comparison: Comparison) -> str:
    if comparison.kind is None or not comparison.effects:
        return "There is no kind of sleep of which both have a time."
    needed = [each for each in comparison.effects if each.headline] or comparison.effects
    if all(each.powerful for each in needed):
        return "The candidate lacks times that the base has."
    what = "sessions" if comparison.unit is Unit.SESSION else "cycles"
    return f"Too few {what} to show a slow-down that matters."
