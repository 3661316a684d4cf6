"""A fleet in words and cells for terminal and page, and its tables for a terminal."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from resume_rig.analysis.compare.fleet import counted_campaigns, percent_of_these
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.os_record import kind_count, state_words
from resume_rig.model.result.fleet import (
    Fleet,
    FleetCampaign,
    FleetGroup,
    GroupTimes,
    OutlyingUnit,
    Trait,
)
from resume_rig.model.result.verdict import RESUME, Verdict
from resume_rig.model.units import (
    capitalised,
    count_of,
    percent_up,
)
from resume_rig.report.parts.answer import band_lines
from resume_rig.report.text.terminal_style import Column, TerminalStyle
from resume_rig.report.text.wording import (
    MISSING,
    requirement_sentence,
    utc_text,
)

LIGHT: Final = "press_to_light_ns"
_FINDINGS_SHOWN: Final = 3
_COMMON_MS: Final = 0.5
_NOT_NAMED: Final = {
    Trait.PRODUCT: "no product named",
    Trait.BIOS: "no BIOS version named",
    Trait.STATE: "no completed sleep",
}


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One campaign of a table; times in ms."""

    store: str
    unit: str
    begun: str
    cycles: str
    judged: str
    failed: str
    median: str
    p95: str
    worst: str
    light: str
    findings: str
    notes: str
    verdict: Verdict


def fleet_rows(group: FleetGroup, folder: str) -> tuple[FleetRow, ...]:
    """Return the rows of a group's campaigns, in their order; paths relative to `folder`."""
    return tuple(_row(campaign, folder) for campaign in group.campaigns)


def common_folder(fleet: Fleet) -> str:
    """Return the folder that all stores are in or below; empty where there is none."""
    parents = [Path(each.path).parent for each in fleet.campaigns]
    try:
        return os.path.commonpath(parents) if parents else ""
    except ValueError:  # some absolute, some not, or on several drives
        return ""


def subject_sentence(fleet: Fleet) -> str:
    """Return what was looked at."""
    campaigns = fleet.campaigns
    units = count_of(len({each.unit for each in campaigns}), "unit")
    cycles = sum(each.cycles for each in campaigns)
    folder = common_folder(fleet)
    folder_clause = f"; {nouns_of(campaigns).files} relative to {folder}" if folder else ""
    return (
        f"{counted_campaigns(campaigns)} of {units} with {count_of(cycles, 'cycle')}, in "
        f"{count_of(len(fleet.groups), 'group')}{folder_clause}."
    )


class Nouns(NamedTuple):
    """What stands side by side: files, the title of their column, what is in them, and one."""

    files: str
    title: str
    subjects: str
    subject: str

    @property
    def only_logs(self) -> bool:
        """Whether there is no store, and so no light and no finding."""
        return self == _LOGS


_STORES: Final = Nouns("stores", "store", "campaigns", "campaign")
_LOGS: Final = Nouns("logs", "log", "logs", "log")
_BOTH: Final = Nouns("stores and logs", "store or log", "campaigns and logs", "campaign or log")


def nouns_of(campaigns: Sequence[FleetCampaign]) -> Nouns:
    """Return what campaigns, logs, or both are called."""
    logs = sum(bool(each.log) for each in campaigns)
    if not logs:
        return _STORES
    return _LOGS if logs == len(campaigns) else _BOTH


def group_title(group: FleetGroup) -> str:
    """Return what a group's campaigns have in common; few logs name their product."""
    nouns = nouns_of(group.campaigns)
    named = [
        _trait_words(trait, value)
        for trait, value in group.traits.items()
        if value or not nouns.only_logs or trait is Trait.STATE
    ]
    return ", ".join(named) or f"All {nouns.subjects}"


def group_sentences(group: FleetGroup, folder: str) -> tuple[str, ...]:
    """Return what the campaigns of a group show together; paths relative to `folder`."""
    sentences = [_failed_sentence(group), *(_times_sentence(each) for each in group.times)]
    for unit in dict.fromkeys(outlier.unit for outlier in group.outliers):
        ways = [_outlier_words(outlier) for outlier in group.outliers if outlier.unit == unit]
        sentences.append(f"Unit {_below(folder, unit)} is unlike the others: {'; '.join(ways)}.")
    found: Counter[str] = Counter()
    campaigns_of: Counter[str] = Counter()
    for campaign in group.campaigns:
        found.update(campaign.findings)
        campaigns_of.update(campaign.findings.keys())
    if found:
        kinds = [
            f"{kind} in {count_of(count, 'cycle')} of {count_of(campaigns_of[kind], 'campaign')}"
            for kind, count in sorted(found.items(), key=lambda each: (-each[1], each[0]))
        ]
        sentences.append(f"Findings: {'; '.join(kinds)}.")
    return tuple(sentences)


def left_out_sentences(fleet: Fleet) -> tuple[str, ...]:
    """Return which stores are not in the answer, and why."""
    copies = (f"{path} is a copy of {of}, and counted once." for path, of in fleet.copies)
    return (*(f"Left out: {each.why}." for each in fleet.unread), *copies)


def _row(campaign: FleetCampaign, folder: str) -> FleetRow:
    rate = campaign.failures
    resume, light = campaign.times.get(RESUME), campaign.times.get(LIGHT)
    kinds = sorted(campaign.findings.items(), key=lambda each: (-each[1], each[0]))
    shown = [f"{kind} {count}" for kind, count in kinds[:_FINDINGS_SHOWN]]
    if len(kinds) > _FINDINGS_SHOWN:
        shown.append(f"{len(kinds) - _FINDINGS_SHOWN} more")
    return FleetRow(
        store=_below(folder, campaign.path),
        unit=_below(folder, campaign.unit),
        begun=utc_text(campaign.begun_utc_ns, 16),
        cycles=str(campaign.cycles),
        judged="0" if rate is None else str(rate.n),
        failed=MISSING if rate is None else str(rate.failures),
        median=MISSING if resume is None else f"{resume.median_ms:.0f}",
        p95=MISSING if resume is None else f"{resume.p95_ms:.0f}",
        worst=MISSING if resume is None else f"{resume.max_ms:.0f}",
        light=MISSING if light is None else f"{light.median_ms:.0f}",
        findings=", ".join(shown),
        notes=", ".join(_notes(campaign)),
        verdict=campaign.verdict,
    )


def _notes(campaign: FleetCampaign) -> Iterator[str]:
    if campaign.running:
        yield "running"
    yield from campaign.marks
    yield from (kind_count(count, kind) for kind, count in campaign.kinds.items())


def _below(folder: str, text: str) -> str:
    """Return a path relative to a folder that is above it; any other text as it is."""
    path = Path(text)
    return str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else text


def _trait_words(trait: Trait, value: str) -> str:
    if not value:
        return _NOT_NAMED.get(trait, f"no {trait.value} named")
    match trait:
        case Trait.BIOS:
            return f"BIOS {value}"
        case Trait.DUT | Trait.RIG | Trait.HOST:
            return f"{trait.value} {value}"
        case Trait.STATE:
            return state_words(value)
        case Trait.PRODUCT:
            return value


def _failed_sentence(group: FleetGroup) -> str:
    if group.failures is None:
        return f"No cycle of these {nouns_of(group.campaigns).subjects} is judged."
    share, sentence = group.units_share, f"{percent_of_these(group.failures)}."
    if share is None or share.n + share.undecided == 1:
        return sentence
    unclear = f" and {share.undecided} with too little evidence" if share.undecided else ""
    return (
        f"{sentence} Units with a failure: {group.units_failed} of {share.n}{unclear}; upper "
        f"95 % confidence limit of the fraction of units with a failure: {percent_up(share.upper)}."
    )


def _times_sentence(times: GroupTimes) -> str:
    words = capitalised(measure_words(times.name))
    within = f"{times.within_ms:.0f} ms from cycle to cycle"
    if times.next_within is None:
        return (
            f"{words}: median {times.median_ms:.0f} ms, {within} (standard deviation)"
            f"{_common(times)}."
        )
    between = "" if times.between_ms is None else f"{times.between_ms:.0f} ms from unit to unit, "
    return (
        f"{words}: medians of {times.units} units from {times.low_ms:.0f} to {times.high_ms:.0f} "
        f"ms, in the middle {times.median_ms:.0f} ms; standard deviation {between}{within}; the "
        f"median of a further unit lies in that range with {times.next_within * 100:.0f} %"
        f"{_common(times)}."
    )


def _common(times: GroupTimes) -> str:
    """Say what all cycles of a unit share, where it is 1 ms or more as times are written here."""
    common = times.common
    if common.common_ms < _COMMON_MS:
        return ""
    differs = "" if common.campaign_ms < _COMMON_MS else ", and may differ from unit to unit"
    return f"; ±{common.common_ms:.0f} ms is common to all cycles of a unit{differs}"


def _outlier_words(unit: OutlyingUnit) -> str:
    if unit.measure is None:
        return (
            f"{unit.value * 100:.2g} % of its judged cycles failed, {unit.others * 100:.2g} % of "
            f"theirs (p = {unit.p:.2g})"
        )
    return (
        f"{measure_words(unit.measure)} {unit.value:.0f} ms, theirs {unit.others:.0f} ms "
        f"(p = {unit.p:.2g})"
    )


ROWS_MOST: Final = 20
"""Campaigns of a group that are shown unless all are asked for; the worst stand first."""

_STORE_CELLS: Final = 44
_UNIT_CELLS: Final = 24
_FINDINGS_CELLS: Final = 40
_DISPLAY: Final = "display on"


def fleet_table(fleet: Fleet, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    """Yield the whole answer of `fleet`, with `show_all` every campaign of a long group."""
    yield from band_lines(fleet.band, style)
    yield style.verdict_line(fleet.verdict, fleet.headline)
    yield style.paragraph(f"{capitalised(fleet.why)}.")
    yield style.paragraph(subject_sentence(fleet))
    yield style.paragraph(requirement_sentence(fleet.requirement))
    has_wires = not nouns_of(fleet.campaigns).only_logs
    light = "; display on is the median from the power button on" if has_wires else ""
    yield style.paragraph(f"Times in ms: resume is the median total resume time{light}.")
    folder = common_folder(fleet)
    for group in fleet.groups:
        yield "\n"
        yield from _group(group, folder, style, show_all=show_all)
    if fleet.unread or fleet.copies:
        yield "\n"
    yield from map(style.paragraph, left_out_sentences(fleet))


def _group(
    group: FleetGroup, folder: str, style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    yield style.paragraph(f"{group_title(group)}: {group.verdict.value}")
    rows = fleet_rows(group, folder)
    shown = rows if show_all else rows[:ROWS_MOST]
    columns = _columns(shown, nouns_of(group.campaigns), style)
    yield from style.verdict_table(columns, [row.verdict for row in shown])
    if len(shown) < len(rows):
        yield style.paragraph(f"... and {len(rows) - len(shown)} more; --all shows them.")
    for sentence in group_sentences(group, folder):
        yield style.paragraph(sentence, indent=2)


def _columns(rows: Sequence[FleetRow], nouns: Nouns, style: TerminalStyle) -> Sequence[Column]:
    is_plain = len({row.unit for row in rows}) == 1 or all(row.unit == row.store for row in rows)
    notes = 5 if nouns.only_logs else 8  # the kinds of its sleeps matter more than their date
    columns = [
        Column(nouns.title, [style.cell(row.store, _STORE_CELLS) for row in rows], right=False),
        Column("unit", [style.cell(row.unit, _UNIT_CELLS) for row in rows], right=False, drop=4),
        Column("begun (UTC)", [row.begun for row in rows], right=False, drop=6),
        Column("cycles", [row.cycles for row in rows], drop=3),
        Column("judged", [row.judged for row in rows]),
        Column("failed", [row.failed for row in rows]),
        Column("resume", [row.median for row in rows]),
        Column("p95", [row.p95 for row in rows], drop=2),
        Column("worst", [row.worst for row in rows], drop=1),
        Column(_DISPLAY, [row.light for row in rows], drop=5),
        Column(
            "findings",
            [style.cell(row.findings, _FINDINGS_CELLS) for row in rows],
            right=False,
            drop=7,
        ),
        Column("", [style.cell(row.notes, _UNIT_CELLS) for row in rows], right=False, drop=notes),
    ]
    empty = ({"unit"} if is_plain else set()) | ({_DISPLAY} if nouns.only_logs else set())
    return [c for c in columns if c.title not in empty and any(c.cells)]
