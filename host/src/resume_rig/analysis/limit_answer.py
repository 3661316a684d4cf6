"""Holds the cycles of a campaign against one limit that is not its requirement's. Pure.

A test system asks one question at a time; each is ruled upon as the whole requirement is, so that
the same cycles count, and what was not measured is NO-EVIDENCE here, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from resume_rig.analysis.limits import judge_limits
from resume_rig.analysis.measures import measured, sighting_of
from resume_rig.analysis.ruling import rule
from resume_rig.model.cycle import ReconciledCycle
from resume_rig.model.judgement import LimitJudgement
from resume_rig.model.outcome import BROKEN
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import Comparison, Limit, Requirement
from resume_rig.model.verdict import Verdict

_UPPER = (Comparison.AT_MOST, Comparison.BELOW)


@dataclass(frozen=True, slots=True)
class LimitAnswer:
    """What cycles say against one limit.

    Attributes:
        judgement: over all cycles that count.
        worst: the cycle whose value is nearest to, or farthest beyond, the limit; None of none.
        value: its value.
        failed: numbers of the cycles that fail, those without a value among them.
        why_not: of each cycle that does not count, its number and why.
    """

    judgement: LimitJudgement
    worst: ReconciledCycle | None
    value: BoundedNs | None
    failed: tuple[int, ...]
    why_not: tuple[tuple[int, str], ...]


def answer_limit(
    cycles: Sequence[ReconciledCycle], limit: Limit, *, guard_band: bool = True
) -> LimitAnswer:
    """Return what `cycles` say against `limit`, by which alone they are ruled upon.

    Args:
        cycles: of one campaign, matched and reconciled.
        limit: required, on a time; `kinds` names the kinds of sleep that it is for.
        guard_band: values so near the limit that their uncertainty decides are MARGINAL.
    """
    alone = Requirement(
        id="limit",
        version=1,
        title="",
        source="",
        kinds=limit.kinds,
        resume_limit_ms=None,
        bios_advised_ms=None,
        guard_band=guard_band,
        further=(limit,),
    )
    ruled = [_ruled(cycle, alone) for cycle in cycles]
    judged = [cycle for cycle in ruled if cycle.judged]
    timed = [cycle for cycle in judged if cycle.outside.outcome not in BROKEN]
    seen = [sighting_of(cycle) for cycle in timed]
    judgement = judge_limits(alone, seen, len(judged) - len(timed))[0]
    values = [
        (value, cycle)
        for each, cycle in zip(seen, timed, strict=True)
        if (value := measured(limit.measure, each)) is not None
    ]
    farthest = max if limit.comparison in _UPPER else min
    worst = farthest(values, key=lambda pair: pair[0].value_ns) if values else (None, None)
    return LimitAnswer(
        judgement=judgement,
        worst=worst[1],
        value=worst[0],
        failed=tuple(c.outside.number for c in judged if c.verdict is Verdict.FAIL),
        why_not=tuple((c.outside.number, c.why_not or "") for c in ruled if not c.judged),
    )


def _ruled(cycle: ReconciledCycle, requirement: Requirement) -> ReconciledCycle:
    ruling = rule(cycle, requirement, "no record that may be held against it")
    return replace(cycle, verdict=ruling.verdict, judged=ruling.judged, why_not=ruling.why_not)
