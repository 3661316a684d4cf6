"""Parts that the pages of a campaign and of a log share; strings are cleaned when rendered."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.verdict.limits import limit_text
from resume_rig.model.os_record import kind_words
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.verdict import Requirement, Verdict
from resume_rig.model.units import percent_up, seconds_text
from resume_rig.report.drawing.phases import verdict_style
from resume_rig.report.text.wording import limit_words

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
    """A name and its value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure of the headline."""

    name: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True)
class TrustBadge:
    """A reason to doubt an answer, and where on the page its evidence is; "" where nowhere."""

    text: str
    link: str = ""


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
        Pair("sleep states", ", ".join(map(kind_words, requirement.kinds))),
        Pair("source", requirement.source),
    )


def identity_pairs(identity: Iterable[tuple[str, str]]) -> tuple[Pair, ...]:
    """Return what is stated of a DUT, its names in words."""
    return tuple(Pair(name.replace("_", " "), value) for name, value in identity)


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
    """Return a plan's parameter with its name in words, times in a unit that people use."""
    if name.endswith("_ns") and isinstance(value, int):
        return name.removesuffix("_ns").replace("_", " "), seconds_text(value)
    return name.replace("_", " "), plain_value(value)


PRINTED_ROWS: Final = 50
_SLOW_SHARE: Final = 0.01


def flags_of(
    times_ms: Sequence[float | None], failed: Sequence[bool], unknown: Sequence[bool] = ()
) -> list[str]:
    """Return the letters by which rows are filtered: f failed, s slowest 1 %, p printed.

    Printed are those that failed, the slowest, those without evidence, then both ends.

    Args:
        times_ms: of each row; None of one that does not count.
        failed: of each row.
        unknown: of each row; empty: of none.
    """
    rows = range(len(times_ms))
    timed = sorted((-ms, i) for i, ms in enumerate(times_ms) if ms is not None)
    slow = {i for _, i in timed[: math.ceil(len(timed) * _SLOW_SHARE)]}
    wrong = [i for i in rows if failed[i]]
    lost = [i for i in rows if unknown and unknown[i]]
    ends = (i for pair in zip(rows, reversed(rows), strict=True) for i in pair)
    printed = set(list(dict.fromkeys([*wrong, *sorted(slow), *lost, *ends]))[:PRINTED_ROWS])
    return [f"{'f' * failed[i]}{'s' * (i in slow)}{'p' * (i in printed)}" for i in rows]
