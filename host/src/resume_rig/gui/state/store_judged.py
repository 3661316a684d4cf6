"""A store judged against a requirement, and what the pages and the report keep of that. No Qt."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from resume_rig.acceptance.assessment import assess_store
from resume_rig.gui.state.limits_tables import Reach, reaches
from resume_rig.model.budget import Budget
from resume_rig.model.judgement import LimitJudgement
from resume_rig.model.requirement import Requirement
from resume_rig.model.verdict import Verdict


@dataclass(frozen=True, slots=True)
class StoreJudged:
    """The answer without its cycles, of which there may be very many.

    Attributes:
        verdict, why: of the campaign, as `resume-rig correlate` tells them.
        reaches: how much of each limit the cycles use up.
        budgets: of each interval.
    """

    requirement: Requirement
    verdict: Verdict
    why: str
    limits: tuple[LimitJudgement, ...]
    reaches: tuple[Reach, ...]
    budgets: tuple[Budget, ...]


def judge_store(
    told: Callable[[int, int], None], path: Path, requirement: Requirement
) -> StoreJudged:
    """Judge a store.

    Args:
        told: not called: how far it is nobody knows.
        path: of the store.
        requirement: what it is judged against.

    Raises:
        RecordError: the store cannot be read.
    """
    del told
    assessed = assess_store(path, requirement, report=None)
    answer = assessed.correlation
    return StoreJudged(
        assessed.facts.requirement,
        answer.verdict,
        answer.why,
        answer.limits,
        reaches(answer),
        assessed.facts.budgets,
    )
