"""What the page of a fleet shows, worked out; the template only places it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.measures import measure_words
from resume_rig.model.fleet import Fleet, FleetCampaign, FleetGroup, TimesOf
from resume_rig.model.requirement import RESUME, Requirement
from resume_rig.report.fleet_text import (
    LIGHT,
    FleetRow,
    common_folder,
    fleet_rows,
    group_sentences,
    group_title,
    left_out_sentences,
    subject_sentence,
)
from resume_rig.report.page_parts import Badge, Pair, badge, requirement_pairs
from resume_rig.report.svg_axis import Tick, time_axis

_LEFT: Final = 300
_RIGHT: Final = 930
_ROW: Final = 22
_TOP: Final = 30
_DRAWN_MOST: Final = 60
_NAME_MOST: Final = 44


@dataclass(frozen=True, slots=True)
class Strip:
    """One campaign in the drawing: median, 95th percentile and worst; places on it."""

    name: str
    y: int
    median: float
    p95: float
    worst: float
    text: str


@dataclass(frozen=True, slots=True)
class Strips:
    """The drawing of a group; `limit` is the place of the limit, None where none is drawn."""

    strips: tuple[Strip, ...]
    ticks: tuple[Tick, ...]
    unit: str
    limit: float | None
    height: int
    summary: str
    left: int = _LEFT
    top: int = _TOP


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


@dataclass(frozen=True, slots=True)
class FleetPage:
    """Everything that the template of a fleet's page asks for."""

    generated: str
    badge: Badge
    why: str
    subject: str
    groups: tuple[GroupPart, ...]
    left_out: tuple[str, ...]
    requirement: tuple[Pair, ...]


def fleet_page(fleet: Fleet, generated: str) -> FleetPage:
    """Return the page of `fleet`."""
    folder = common_folder(fleet)
    return FleetPage(
        generated=generated,
        badge=badge(fleet.verdict),
        why=fleet.why,
        subject=subject_sentence(fleet),
        groups=tuple(
            _part(number, group, folder, fleet.requirement)
            for number, group in enumerate(fleet.groups, 1)
        ),
        left_out=left_out_sentences(fleet),
        requirement=requirement_pairs(fleet.requirement),
    )


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
    )


def _strips(group: FleetGroup, rows: Sequence[FleetRow], requirement: Requirement) -> Strips | None:
    """Draw BIOS + drivers, or the light where no campaign has them."""
    name = RESUME if any(RESUME in each.times for each in group.campaigns) else LIGHT
    drawn: list[tuple[FleetCampaign, FleetRow, TimesOf]] = [
        (campaign, row, campaign.times[name])
        for campaign, row in zip(group.campaigns, rows, strict=True)
        if name in campaign.times
    ][:_DRAWN_MOST]
    if not drawn:
        return None
    limit_ms = requirement.resume_limit_ms if name == RESUME else None
    high_ms = max(*(times.max_ms for _, _, times in drawn), limit_ms or 0, 1) * 1.02
    axis = time_axis(0.0, high_ms, _LEFT, _RIGHT, most=8)
    strips = tuple(
        Strip(
            name=row.store if len(row.store) <= _NAME_MOST else f"...{row.store[-_NAME_MOST:]}",
            y=_TOP + index * _ROW,
            median=axis.scale.at(times.median_ms),
            p95=axis.scale.at(times.p95_ms),
            worst=axis.scale.at(times.max_ms),
            text=f"{row.store}: median {times.median_ms:.0f} ms, 95th percentile "
            f"{times.p95_ms:.0f} ms, worst {times.max_ms:.0f} ms of {times.n}",
        )
        for index, (_, row, times) in enumerate(drawn)
    )
    left = len([each for each in group.campaigns if name in each.times]) - len(drawn)
    more = f" {left} more are in the table." if left else ""
    words = measure_words(name)
    summary = (
        f"{words[0].upper() + words[1:]} of each campaign: the dot is the median, the line ends at "
        f"the 95th percentile, the small mark is the worst.{more}"
    )
    return Strips(
        strips=strips,
        ticks=axis.ticks,
        unit=axis.unit,
        limit=None if limit_ms is None else axis.scale.at(limit_ms),
        height=_TOP + len(strips) * _ROW,
        summary=summary,
    )
