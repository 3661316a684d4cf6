"""How a campaign stands, in the last lines of a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.channel import Channel, line_name
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import NS_PER_S, seconds_text
from resume_rig.report.text.hostile_text import ascii_only, display_width
from resume_rig.report.text.wording import outcome_words

_BAR: Final = 12
_MIN_NS: Final = 60_000_000_000
_HOUR_NS: Final = 60 * _MIN_NS
_DAY_NS: Final = 24 * _HOUR_NS


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """What the lines show.

    Attributes:
        doing: what the cycle in flight does.
        done, cycles: of the plan.
        outcomes: of this session.
        light_ns, resume_ms: median and 95th percentile; None before any.
        first_failure: number of the first cycle that did not go as planned.
        left_ns: until the end, at the pace of the last cycles; None before any.
        provisional: the verdict of this session, provisional.
        resumed: there were sessions before this one.
        levels: of the lines, as they were read last; None before any.
    """

    doing: str
    done: int
    cycles: int
    outcomes: Mapping[Outcome, int]
    light_ns: tuple[int, int] | None
    resume_ms: tuple[int, int] | None
    first_failure: int | None
    left_ns: int | None
    provisional: Verdict
    resumed: bool = False
    levels: Mapping[Channel, int] | None = None


def status_lines(status: CampaignStatus, width: int, *, unicode: bool) -> list[str]:
    """Return the lines: how far it is, what came of it, and the levels, where there are such.

    In each what is least needed goes first where `width` cells are not enough.
    """
    begun, first = sum(status.outcomes.values()) > 0, status.first_failure
    when = "this session" if status.resumed else "so far"
    progress = [
        _bar(status, unicode=unicode),
        status.doing,
        "" if status.left_ns is None else f"{left_text(status.left_ns)} left",
    ]
    results = [
        f"{when} {status.provisional.value}" if begun else "",
        "" if first is None else f"first failure: cycle {first}",
        "" if status.resume_ms is None else f"resume {_pair(status.resume_ms)} ms",
        "" if status.light_ns is None else f"display on {_pair(status.light_ns, 1e6)} ms",
        ", ".join(f"{count} {outcome_words(o)}" for o, count in status.outcomes.items() if count),
    ]
    lines = (progress, results, [_levels(status)])
    return [line for parts in lines if (line := _fitted(parts, width, unicode=unicode))]


def _fitted(parts: Sequence[str], width: int, *, unicode: bool) -> str:
    """Return the parts that there is room for; the first one in any case, cut to the width."""
    shown = [part if unicode else ascii_only(part) for part in parts if part]
    while len(shown) > 1 and display_width("  ".join(shown)) > width:
        shown.pop()
    text = "  ".join(shown)
    while display_width(text) > width:
        text = text[:-1]
    return text


def _levels(status: CampaignStatus) -> str:
    """Return which lines are high, and which are low."""
    if not status.levels:
        return ""
    groups = []
    for level, word in ((1, "high"), (0, "low")):
        names = [line_name(channel) for channel, each in status.levels.items() if each == level]
        groups += [f"{word}: {' '.join(names)}"] if names else []
    return "  ".join(groups)


def left_text(left_ns: int) -> str:
    """Return a time that is left, no more precisely than it can be estimated."""
    if left_ns >= 2 * _DAY_NS:
        return f"{left_ns / _DAY_NS:.1f} days"
    if left_ns >= 2 * _HOUR_NS:
        return f"{left_ns / _HOUR_NS:.1f} h"
    if left_ns >= 2 * _MIN_NS:
        return f"{left_ns / _MIN_NS:.0f} min"
    return f"{left_ns / 1e9:.0f} s" if left_ns >= NS_PER_S else seconds_text(0)


def _bar(status: CampaignStatus, *, unicode: bool) -> str:
    full = _BAR * status.done // max(1, status.cycles)
    drawn = "█" * full + "░" * (_BAR - full) if unicode else "#" * full + "." * (_BAR - full)
    return f"{drawn} {status.done}/{status.cycles}"


def _pair(values: tuple[int, int], unit: float = 1) -> str:
    middle, high = (round(value / unit) for value in values)
    return f"{middle} (p95 {high})"
