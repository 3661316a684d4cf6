"""What the page of a fleet shows, worked out; the template only places it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.analysis.compare.fleet import counted_campaigns, noun_of_unread
from resume_rig.analysis.findings.kinds import ABOUT, Doubt
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.result.fleet import Fleet, FleetCampaign, FleetGroup
from resume_rig.model.result.series import CycleMark
from resume_rig.model.result.verdict import RESUME, FindingKind, Requirement
from resume_rig.model.units import (
    capitalised,
    count_of,
)
from resume_rig.report.drawing.marks import Strips, StripSource, time_strips
from resume_rig.report.fleet.terminal import (
    LIGHT,
    FleetRow,
    Nouns,
    common_folder,
    fleet_rows,
    group_sentences,
    group_title,
    left_out_sentences,
    nouns_of,
    subject_sentence,
)
from resume_rig.report.parts.page import Badge, Pair, Tile, TrustBadge, badge, requirement_pairs
from resume_rig.report.parts.statistics import JUDGED_TIME

_DRAWN_MOST: Final = 60


@dataclass(frozen=True, slots=True)
class GroupPart:
    """One group of the page; `names_units`: units have other names than their stores."""

    anchor: str
    title: str
    badge: Badge
    strips: Strips | None
    rows: tuple[tuple[FleetRow, Badge], ...]
    sentences: tuple[str, ...]
    names_units: bool
    nouns: Nouns


@dataclass(frozen=True, slots=True)
class FleetPage:
    """Everything that the template of a fleet's page asks for."""

    title: str
    generated: str
    badge: Badge
    headline: str
    why: str
    subject: str
    trust: tuple[TrustBadge, ...]
    tiles: tuple[Tile, ...]
    groups: tuple[GroupPart, ...]
    left_out: tuple[str, ...]
    requirement: tuple[Pair, ...]


def fleet_page(fleet: Fleet, generated: str) -> FleetPage:
    """Return the page of `fleet`."""
    folder = common_folder(fleet)
    return FleetPage(
        title=f"Many {nouns_of(fleet.campaigns).subjects}",
        generated=generated,
        badge=badge(fleet.verdict),
        headline=fleet.headline,
        why=f"{capitalised(fleet.why)}.",
        subject=subject_sentence(fleet),
        trust=tuple(_trust(fleet)),
        tiles=_tiles(fleet),
        groups=tuple(
            _part(number, group, folder, fleet.requirement)
            for number, group in enumerate(fleet.groups, 1)
        ),
        left_out=left_out_sentences(fleet),
        requirement=requirement_pairs(fleet.requirement),
    )


def _trust(fleet: Fleet) -> Iterator[TrustBadge]:
    """Yield why the answer may be doubted."""
    campaigns = fleet.campaigns
    silent = [each for each in campaigns if each.cycles and not each.times]
    if silent:
        yield TrustBadge(f"{counted_campaigns(silent)} without any time", "#group-1")
    doubted = [each for each in campaigns if any(map(_doubts_time, each.findings))]
    if doubted:
        yield TrustBadge(f"BIOS time contradicted in {count_of(len(doubted), 'campaign')}")
    marked = sum(bool(each.marks) and not each.log for each in campaigns)
    if marked:
        yield TrustBadge(f"{count_of(marked, 'campaign')} salvaged, with faults or not done")
    if incomplete := sum(bool(each.marks and each.log) for each in campaigns):
        yield TrustBadge(f"{count_of(incomplete, 'log')} incomplete or shared in part", "#group-1")
    if fleet.unread:
        unread = count_of(len(fleet.unread), noun_of_unread(fleet.unread))
        yield TrustBadge(f"{unread} not read", "#left-out")


def _doubts_time(kind: str) -> bool:
    return ABOUT[FindingKind(kind)].doubt is Doubt.JUDGED_TIME


def _tiles(fleet: Fleet) -> tuple[Tile, ...]:
    campaigns = fleet.campaigns
    units = {each.unit for each in campaigns}
    rates = [each.failures for each in campaigns if each.failures is not None]
    failed, judged = sum(rate.failures for rate in rates), sum(rate.n for rate in rates)
    worst = max(
        ((each.times[RESUME].max_ms, each) for each in campaigns if RESUME in each.times),
        key=lambda one: one[0],
        default=None,
    )
    silent = [each for each in campaigns if each.cycles and not each.times]
    slowest = Tile(f"{JUDGED_TIME}, worst", "-", "no campaign has a time")
    if worst is not None:
        slowest = Tile(slowest.name, f"{worst[0]:.0f} ms", worst[1].path)
    cycles = sum(each.cycles for each in campaigns)
    without = f"{count_of(cycles, 'cycle')}"
    if silent:
        without += f"; {counted_campaigns(silent)} without any time"
    return (
        Tile(nouns_of(campaigns).subjects.capitalize(), str(len(campaigns)), without),
        Tile("Units", str(len(units)), f"in {count_of(len(fleet.groups), 'group')}"),
        Tile("Failures", f"{failed} of {judged}", _failures_note(campaigns)),
        slowest,
    )


def _failures_note(campaigns: Sequence[FleetCampaign]) -> str:
    """Return what the failures are of, and how many failed in campaigns without a verdict."""
    unjudged = [each for each in campaigns if each.failures is None or not each.failures.n]
    shown = (each.all_cycles for each in unjudged)
    broken = sum(each.count(CycleMark.BROKEN) for each in shown if each is not None)
    more = f"; {broken} more did not wake as planned" if broken else ""
    return f"judged cycles{more}"


def _part(number: int, group: FleetGroup, folder: str, requirement: Requirement) -> GroupPart:
    rows = fleet_rows(group, folder)
    return GroupPart(
        anchor=f"group-{number}",
        title=group_title(group),
        badge=badge(group.verdict),
        strips=_strips(group, rows, requirement),
        rows=tuple((row, badge(row.verdict)) for row in rows),
        sentences=group_sentences(group, folder),
        names_units=any(row.unit != row.store for row in rows),
        nouns=nouns_of(group.campaigns),
    )


def _strips(group: FleetGroup, rows: Sequence[FleetRow], requirement: Requirement) -> Strips | None:
    """Draw every cycle: its BIOS + drivers, or the light where no campaign has them.

    A campaign without a time has its strip, too: one whose cycles never woke is no fast one. Logs
    see no light, so that without a resume of any of them there is nothing to draw.
    """
    timed = any(RESUME in each.times for each in group.campaigns)
    if not timed and all(each.log for each in group.campaigns):
        return None
    name = RESUME if timed else LIGHT
    drawn = list(zip(group.campaigns, rows, strict=True))[:_DRAWN_MOST]
    limit_ms = requirement.resume_limit_ms if name == RESUME else None
    words, nouns = measure_words(name), nouns_of(group.campaigns)
    summary = (
        f"{capitalised(words)} of every cycle, a strip a {nouns.subject}, the first"
        " cycle on top; the lines are the median and the 95th percentile. ✕ counts cycles that did"
        " not sleep and wake as planned, ◇ those without a time. A pale dot does not count."
    )
    if left := len(group.campaigns) - len(drawn):
        summary += f" {left} more {nouns.subjects} are in the table."
    return time_strips([_source(campaign, row, name) for campaign, row in drawn], limit_ms, summary)


def _source(campaign: FleetCampaign, row: FleetRow, name: str) -> StripSource:
    times, shown = campaign.times.get(name), campaign.all_cycles
    text = f"{row.store}: no time of {count_of(campaign.cycles, 'cycle')}"
    if times is not None:
        text = (
            f"{row.store}: median {times.median_ms:.0f} ms, 95th percentile {times.p95_ms:.0f} ms,"
            f" worst {times.max_ms:.0f} ms of {times.n}"
        )
    strip = StripSource(
        name=row.store,
        places=(),
        median=None if times is None else times.median_ms,
        p95=None if times is None else times.p95_ms,
        text=text,
    )
    if shown is None:
        return strip
    broken = shown.count(CycleMark.BROKEN)
    if shown.name != name:  # it has no time of the group's kind: none of its cycles
        return replace(strip, broken=broken, unknown=len(shown.marks) - broken)
    return replace(
        strip,
        places=shown.times_ms,
        failed=[mark == CycleMark.FAILED for mark in shown.marks],
        left_out=[mark == CycleMark.LEFT_OUT for mark in shown.marks],
        broken=broken,
        unknown=shown.count(CycleMark.UNKNOWN),
    )
