"""Parts that the pages of a campaign and of a log share; strings are cleaned when rendered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.limits import limit_text
from resume_rig.model.judgement import LimitJudgement
from resume_rig.model.requirement import Requirement
from resume_rig.model.units import percent_up, seconds_text
from resume_rig.model.verdict import Statistics, Verdict
from resume_rig.report.summary import TimesSummary
from resume_rig.report.svg_phases import verdict_style
from resume_rig.report.wording import limit_words

STATED_LIMITS: Final = (
    "OS time after a wake is good to ±0.5 s absolutely, because it is read back from the RTC."
    " Work at the millisecond is done on differences.",
    "BIOS and driver times are the OS's own statements. BIOS time begins at the processor's time"
    " zero, shortly after PLTRST# rises; neither side sees that instant, so its place is known"
    " only within the uncertainty that is shown.",
    "A panel that is dimmed by PWM at 220 Hz cannot be timed to 1 ms by its light.",
    "A finger or a servo on the lid adds milliseconds of its own.",
    "A crystal is good to 30 ppm until it is calibrated: 0.06 ms in 2 s.",
    "Where a signal is not wired, the interval is absent. It is never guessed.",
)
"""What no figure of a report can be better than."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A verdict's word and the name that the style sheet knows it by."""

    word: str
    style: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A name and what stands beside it."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure of the headline."""

    name: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One limit with its verdict; `worst` and `risk` are empty where there is none."""

    limit: str
    demand: str
    badge: Badge
    n: str
    worst: str
    risk: str
    why: str


def badge(verdict: Verdict) -> Badge:
    """Return the badge of a verdict that counts."""
    return Badge(verdict.value, verdict_style(verdict))


def badge_or(verdict: Verdict, unjudged: str | None) -> Badge:
    """Return the badge of one row, or what stands there where it has no verdict of its own."""
    return badge(verdict) if unjudged is None else Badge(unjudged, "none")


def requirement_pairs(requirement: Requirement) -> tuple[Pair, ...]:
    """Return the requirement, its limits and their source."""
    limits = requirement.limits()
    demanded = [limit_words(limit) for limit in limits if limit.required]
    advised = [limit_words(limit) for limit in limits if not limit.required]
    return (
        Pair("requirement", requirement.title),
        Pair("profile", f"{requirement.id}, version {requirement.version}"),
        Pair("limit", "; ".join(demanded)),
        Pair("advised", "; ".join(advised) or "nothing"),
        Pair("sleep states", ", ".join(kind.value for kind in requirement.kinds)),
        Pair("source", requirement.source),
    )


def limit_rows(judgements: Sequence[LimitJudgement]) -> tuple[LimitRow, ...]:
    """Return the rows of the table of limits."""
    return tuple(
        LimitRow(
            limit=limit_words(each.limit),
            demand="required" if each.limit.required else "advised",
            badge=badge(each.verdict),
            n=str(each.n),
            worst="" if each.worst is None else f"{each.worst:.4g} {each.limit.unit}",
            risk="" if each.risk is None else percent_up(each.risk),
            why=each.why.removeprefix(f"{limit_text(each.limit)}: "),
        )
        for each in judgements
    )


def plain_value(value: int | float | str | bool | None) -> str:
    """Return a plan's parameter or a piece of evidence as it is read."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def plan_item(name: str, value: int | float | str | bool | None) -> tuple[str, str]:
    """Return a plan's parameter with its name as it is said, times in a unit that people use."""
    if name.endswith("_ns") and isinstance(value, int):
        return name.removesuffix("_ns").replace("_", " "), seconds_text(value)
    return name.replace("_", " "), plain_value(value)


def figures_tile(name: str, figures: TimesSummary | None, missing: str) -> Tile:
    """Return the tile of a campaign's time: the middle large, the ends beside it."""
    if figures is None:
        return Tile(name, "-", missing)
    detail = "one cycle"
    if figures.n > 1:
        detail = (
            f"median; {figures.min_ms:.0f} to {figures.max_ms:.0f}, average {figures.mean_ms:.0f}"
        )
    return Tile(name, f"{figures.median_ms:.0f} ms", detail)


def statistics_tiles(statistics: Statistics) -> tuple[Tile, ...]:
    """Return the tiles of a log's judged times."""
    figures: Sequence[tuple[str, float | None]] = (
        ("minimum", statistics.min_ms),
        ("median", statistics.median_ms),
        ("average", statistics.mean_ms),
        ("95th percentile", statistics.p95_ms),
        ("maximum", statistics.max_ms),
    )
    return tuple(
        Tile(name, "-" if value is None else f"{value:.0f} ms", "BIOS + drivers")
        for name, value in figures
    )
