"""Limits with their margins, uncertainty budgets, and a store judged by them. Free of Qt."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.acceptance.assessment import assess_store
from resume_rig.analysis.answer.campaign import AnsweredCampaign, answered_campaign
from resume_rig.analysis.verdict.limits import UPPER, limit_in_unit, limit_text, possible_kinds
from resume_rig.analysis.verdict.measures import (
    Sighting,
    is_rate,
    measure_words,
    measured,
    rate_of,
    sighting_of,
)
from resume_rig.gui.explorer.capture import assess_opened
from resume_rig.gui.request import CaptureOptions
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.state.table import Table, number_column, word_column
from resume_rig.model.budget import Budget, by_group
from resume_rig.model.result.cycle import Correlation
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.verdict import Limit, Requirement, Verdict
from resume_rig.model.units import NS_PER_MS, NS_PER_US
from resume_rig.report.campaign.sections import distribution_words
from resume_rig.report.text.wording import limit_words

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reach:
    """How much of a limit the judged cycles use up.

    Attributes:
        name: the limit in words.
        shares: least, 5th percentile, median, 95th and greatest, in per cent of the limit; above
            100 it is not met.
        n: values.
    """

    name: str
    shares: tuple[float, float, float, float, float]
    n: int


@dataclass(frozen=True, slots=True)
class Part:
    """Terms of a budget that have one error together.

    Attributes:
        name: of the terms. share: of the combined variance, in per cent.
        net_ns: standard uncertainty that they bring, signed.
    """

    name: str
    share: float
    net_ns: int


def limits_table(limits: Sequence[LimitJudgement]) -> Table:
    """Return a row for each limit; a margin below zero is no margin."""
    return Table(
        (
            word_column("limit", (limit_words(each.limit) for each in limits)),
            word_column("demand", (_demand(each.limit) for each in limits)),
            word_column("verdict", (each.verdict.value for each in limits)),
            number_column("values", (each.n for each in limits)),
            number_column("failed", (each.failed + each.broken for each in limits)),
            number_column("undecided", (each.marginal for each in limits), "MARGINAL"),
            number_column("worst", (each.worst for each in limits), "In the limit's unit", 2),
            number_column(
                "margin", map(_margin, limits), "From the worst to the limit, in its unit", 2
            ),
            word_column("unit", (each.limit.unit for each in limits)),
            number_column(
                "risk, %",
                (None if each.risk is None else each.risk * 100 for each in limits),
                "Risk of false acceptance or rejection",
                3,
            ),
            word_column("rests on", map(_why, limits)),
        )
    )


def reaches(correlation: Correlation) -> tuple[Reach, ...]:
    """Return how much of each limit the judged cycles use up; without values, nothing."""
    shares = [(each.limit, array("d")) for each in correlation.limits]
    # One pass: the cycles of a long campaign are made anew in each, and none is kept.
    for cycle in correlation.cycles:
        if not cycle.is_timed:
            continue
        sighting = sighting_of(cycle)
        for limit, used in shares:
            share = _share(limit, sighting)
            if share is not None:
                used.append(share)
    return tuple(_reach(limit, np.array(used)) for limit, used in shares if used)


def _share(limit: Limit, sighting: Sighting) -> float | None:
    """Return how much of a limit a cycle uses up, in per cent; None where it has no such value."""
    if possible_kinds(sighting).isdisjoint(limit.kinds):
        return None
    value = measured(limit.measure, sighting)
    if value is None or not limit.value:
        return None
    if is_rate(limit.measure):
        rate = rate_of(value, limit.unit, sighting.record)
        return float(limit.value) / rate * 100 if rate else None
    share = value.value_ns / float(limit.value) * 100
    if limit.comparison in UPPER:
        return share
    return 1e4 / share if share else float("inf")


def _reach(limit: Limit, shares: Floats) -> Reach:
    low, p5, middle, p95, high = map(float, np.percentile(shares, (0, 5, 50, 95, 100)))
    return Reach(limit_words(limit), (low, p5, middle, p95, high), len(shares))


def budgets_table(budgets: Sequence[Budget]) -> Table:
    """Return a row for each interval."""
    return Table(
        (
            word_column("interval", (budget_name(budget) for budget in budgets)),
            number_column("median, ms", (b.value_ns / NS_PER_MS for b in budgets), "", 3),
            number_column("±95 %, us", (b.expanded_ns / NS_PER_US for b in budgets), "Expanded", 2),
            number_column(
                "worst-case bound, us", (b.bound_ns / NS_PER_US for b in budgets), "Guaranteed", 2
            ),
            number_column("standard, us", (b.standard_ns / NS_PER_US for b in budgets), "", 2),
            number_column("k", (b.coverage_factor for b in budgets), "Coverage factor", 2),
            number_column(
                "scatter, us",
                (None if b.repeated is None else b.repeated.sd_ns / NS_PER_US for b in budgets),
                "Of the DUT itself, one cycle (type A); no part of the others",
                1,
            ),
        )
    )


def budget_name(budget: Budget) -> str:
    """Return an interval's name in words."""
    return measure_words(budget.name)


def terms_table(budget: Budget) -> Table:
    """Return a row for each term; the rows sum to the totals, groups with their signs first."""
    rows = budget.rows
    groups = by_group(rows)
    share_of = dict(zip(groups, (part.share for part in parts_of(budget)), strict=True))
    shares = [share_of[key] for key, members in groups.items() for _ in members]
    ordered = [row for members in groups.values() for row in members]
    return Table(
        (
            word_column("term", (row.name for row in ordered)),
            number_column("half-width, us", (r.half_width_ns / NS_PER_US for r in ordered), "", 3),
            number_column("standard, us", (r.standard_ns / NS_PER_US for r in ordered), "", 3),
            number_column("sensitivity", (r.sensitivity for r in ordered), "With this sign"),
            number_column("share, %", shares, "Of the variance, with all that shares its error", 1),
            word_column("shared with", (row.group or "" for row in ordered), "One error together"),
            word_column("type", (row.evaluation.value for row in ordered), "GUM: A or B"),
            word_column("distribution", (distribution_words(row.distribution) for row in ordered)),
            number_column(
                "corrected, us", (r.correction_ns / NS_PER_US for r in ordered), "Taken off", 3
            ),
            word_column("source", (row.source for row in ordered)),
        )
    )


def parts_of(budget: Budget) -> tuple[Part, ...]:
    """Return what each independent error brings, in the budget's order."""
    nets = [
        (" + ".join(dict.fromkeys(row.name for row in members)), members)
        for members in by_group(budget.rows).values()
    ]
    squares = [sum(row.contribution_ns for row in members) ** 2 for _, members in nets]
    whole = sum(squares)
    return tuple(
        Part(name, square / whole * 100 if whole else 0.0, sum(r.contribution_ns for r in members))
        for (name, members), square in zip(nets, squares, strict=True)
    )


def _demand(limit: Limit) -> str:
    return "required" if limit.required else "advised"


def _why(each: LimitJudgement) -> str:
    return in_window(each.why.removeprefix(f"{limit_text(each.limit)}: "))


def _margin(each: LimitJudgement) -> float | None:
    if each.worst is None:
        return None
    at = float(limit_in_unit(each.limit))
    return at - each.worst if each.limit.comparison in UPPER else each.worst - at


@dataclass(frozen=True, slots=True)
class StoreJudged:
    """The answer without its cycles, of which there may be very many.

    Attributes:
        verdict, why: of the campaign, as `resume-rig correlate` reports them.
        reaches: how much of each limit the cycles use up.
        budgets: of each interval.
    """

    requirement: Requirement
    verdict: Verdict
    why: str
    limits: tuple[LimitJudgement, ...]
    reaches: tuple[Reach, ...]
    budgets: tuple[Budget, ...]


def judge_capture(
    progress: Callable[[int, int], None],
    path: Path,
    logs: Sequence[Path],
    options: CaptureOptions,
    requirement: Requirement,
) -> StoreJudged:
    """Judge a capture with the logs of its PC; the arguments and errors are the explorer's."""
    del progress
    _, correlation, facts = assess_opened(path, logs, options, requirement)
    return _judged(answered_campaign(correlation, facts))


def judge_store(
    progress: Callable[[int, int], None], path: Path, requirement: Requirement
) -> StoreJudged:
    """Judge a store.

    Args:
        progress: not called: how far it is nobody knows.
        path: of the store.
        requirement: what it is judged against.

    Raises:
        RecordError: the store cannot be read.
    """
    del progress
    assessed = assess_store(path, requirement, report=None)
    return _judged(assessed.campaign)


def _judged(campaign: AnsweredCampaign) -> StoreJudged:
    return StoreJudged(
        campaign.facts.requirement,
        campaign.answer.verdict,
        campaign.answer.text,
        campaign.correlation.limits,
        reaches(campaign.correlation),
        campaign.facts.budgets,
    )
