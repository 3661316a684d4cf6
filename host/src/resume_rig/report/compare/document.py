"""The document of `compare --json` (schema resume-rig/compare/1)."""

from resume_rig.analysis.answer.comparison import comparison_headline
from resume_rig.analysis.verdict.limits import limit_text
from resume_rig.model.result.comparison import (
    Comparison,
    Effect,
    FailureEffect,
    OverLimit,
    SampleFacts,
)
from resume_rig.report.text.json_text import Json, json_text, number_json, text_json, training_json

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
        "causes": [
            {
                "name": text_json(each.name),
                "holds_up": each.holds_up,
                "base_ms": number_json(each.base_ms),
                "candidate_ms": number_json(each.candidate_ms),
                "difference_ms": number_json(each.difference_ms),
                "shown": each.shown,
            }
            for each in comparison.causes
        ],
        "differences": [
            {"name": text_json(name), "base": text_json(ours), "candidate": text_json(theirs)}
            for name, ours, theirs in comparison.differences
        ],
        "warnings": [text_json(warning) for warning in comparison.warnings],
        "unit": comparison.unit.value,
        "requirement": text_json(comparison.requirement),
        "over_limit": [_over(each) for each in comparison.over],
        "answer": comparison.answer.value,
        "why": text_json(comparison.why),
        "headline": text_json(comparison_headline(comparison)),
    }
    return json_text(document) + "\n"


def _sample(facts: SampleFacts) -> dict[str, Json]:
    return {
        "path": text_json(facts.path),
        "cycles": facts.cycles,
        "identity": {text_json(name): text_json(value) for name, value in facts.identity.items()},
        "verdict": facts.verdict.value,
        "sessions": [
            {
                "path": text_json(each.path),
                "cycles": each.cycles,
                "verdict": each.verdict.value,
                "simulated": each.simulated,
                "training": training_json(each.training),
            }
            for each in facts.sessions
        ],
    }


def _over(over: OverLimit) -> dict[str, Json]:
    return {
        "measure": text_json(over.limit.measure),
        "limit": text_json(limit_text(over.limit)),
        "base_over": over.base_over,
        "base_n": over.base_n,
        "base_upper_95": number_json(over.base_upper),
        "candidate_over": over.candidate_over,
        "candidate_n": over.candidate_n,
        "candidate_upper_95": number_json(over.candidate_upper),
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
        "base_sessions": effect.base_sessions,
        "candidate_sessions": effect.candidate_sessions,
        "warm_up": effect.warm_up,
        "session_sd_ms": number_json(effect.session_sd_ms),
        "shared_ms": number_json(effect.shared_ms),
        "base_n_effective": number_json(effect.effective_n and effect.effective_n[0]),
        "candidate_n_effective": number_json(effect.effective_n and effect.effective_n[1]),
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
