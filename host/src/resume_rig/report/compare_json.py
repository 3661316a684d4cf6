"""The document of `compare --json` (schema resume-rig/compare/1)."""

from resume_rig.model.comparison import Comparison, Effect, FailureEffect, SampleFacts
from resume_rig.report.json_text import Json, json_text, number_json, text_json

SCHEMA = "resume-rig/compare/1"


def comparison_document(comparison: Comparison) -> str:
    """Return the whole document, on one line."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "base": _sample(comparison.base),
        "candidate": _sample(comparison.candidate),
        "kind": None if comparison.kind is None else comparison.kind.value,
        "alpha": comparison.alpha,
        "effects": [_effect(effect) for effect in comparison.effects],
        "failures": None if comparison.failures is None else _failures(comparison.failures),
        "slow_cycles": [
            {
                "name": text_json(each.name),
                "above_ms": number_json(each.above_ms),
                **_failures(each.counts),
            }
            for each in comparison.slow
        ],
        "components": [_effect(effect) for effect in comparison.components],
        "components_compared": comparison.components_compared,
        "differences": [
            {"name": text_json(name), "base": text_json(ours), "candidate": text_json(theirs)}
            for name, ours, theirs in comparison.differences
        ],
        "warnings": [text_json(warning) for warning in comparison.warnings],
        "answer": comparison.answer.value,
        "why": text_json(comparison.why),
    }
    return json_text(document) + "\n"


def _sample(facts: SampleFacts) -> dict[str, Json]:
    return {
        "path": text_json(facts.path),
        "cycles": facts.cycles,
        "identity": {text_json(name): text_json(value) for name, value in facts.identity.items()},
    }


def _effect(effect: Effect) -> dict[str, Json]:
    return {
        "name": text_json(effect.name),
        "change": effect.change.value,
        "base_n": effect.base_n,
        "candidate_n": effect.candidate_n,
        "base_median_ms": number_json(effect.base_median_ms),
        "candidate_median_ms": number_json(effect.candidate_median_ms),
        "shift_ms": number_json(effect.shift_ms),
        "low_ms": number_json(effect.low_ms),
        "high_ms": number_json(effect.high_ms),
        "mean_ratio": number_json(effect.mean_ratio),
        "p": number_json(effect.p),
        "p_adjusted": number_json(effect.p_adjusted),
        "detectable_ms": number_json(effect.detectable_ms),
        "matters_ms": number_json(effect.matters_ms),
        "headline": effect.headline,
    }


def _failures(failures: FailureEffect) -> dict[str, Json]:
    return {
        "base_failed": failures.base_failed,
        "base_n": failures.base_n,
        "candidate_failed": failures.candidate_failed,
        "candidate_n": failures.candidate_n,
        "p": number_json(failures.p),
        "p_adjusted": number_json(failures.p_adjusted),
        "more": failures.more,
    }
