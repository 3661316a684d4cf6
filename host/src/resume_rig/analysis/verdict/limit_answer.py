"""Holds the cycles of a campaign against one limit that is not its requirement's. Pure.

A test system asks one question at a time; each is ruled upon as the whole requirement is, so that
the same cycles count, and what was not measured is NO-EVIDENCE here, too.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from resume_rig.analysis.verdict.limits import judge_limits
from resume_rig.analysis.verdict.measures import measured, sighting_of
from resume_rig.analysis.verdict.ruling import rule, ruled, undecided_of
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import BROKEN, ReconciledCycle
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.packed import Derived
from resume_rig.model.result.requirement import Comparison, Limit, Requirement
from resume_rig.model.result.verdict import Verdict

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
    cycles: Collection[ReconciledCycle], limit: Limit, *, guard_band: bool = True
) -> LimitAnswer:
    """Return what `cycles` say against `limit`, by which alone they are ruled upon.

    Args:
        cycles: of one campaign, matched and reconciled; gone through twice, and not kept.
        limit: required, on a time; `kinds` names the kinds of sleep that it is for.
        guard_band: values so near the limit that their uncertainty decides are MARGINAL.
    """
    alone = Requirement(
        id="this limit",
        version=1,
        title="",
        source="",
        kinds=limit.kinds,
        resume_limit_ms=None,
        bios_advised_ms=None,
        guard_band=guard_band,
        further=(limit,),
    )
    judged = Derived(cycles, partial(_ruled, requirement=alone))
    worst: ReconciledCycle | None = None
    value: BoundedNs | None = None
    failed: list[int] = []
    why_not: list[tuple[int, str]] = []
    broken = 0
    for cycle in judged:
        if not cycle.judged:
            why_not.append((cycle.outside.number, cycle.why_not or ""))
            continue
        if cycle.verdict is Verdict.FAIL:
            failed.append(cycle.outside.number)
        if cycle.outside.outcome in BROKEN:
            broken += 1
            continue
        found = measured(limit.measure, sighting_of(cycle))
        if found is not None and (value is None or _is_farther(found, value, limit)):
            worst, value = cycle, found
    timed = (sighting_of(c) for c in judged if c.judged and c.outside.outcome not in BROKEN)
    undecided = undecided_of(judged, alone)
    return LimitAnswer(
        judgement=judge_limits(alone, timed, broken, undecided)[0],
        worst=worst,
        value=value,
        failed=tuple(failed),
        why_not=tuple(why_not),
    )


def _is_farther(value: BoundedNs, than: BoundedNs, limit: Limit) -> bool:
    above = value.value_ns - than.value_ns
    return above > 0 if limit.comparison in _UPPER else above < 0


def _ruled(cycle: ReconciledCycle, requirement: Requirement) -> ReconciledCycle:
    return ruled(cycle, rule(cycle, requirement, "no record that may be held against it"))
