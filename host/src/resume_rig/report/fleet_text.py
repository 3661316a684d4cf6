"""A fleet in words and cells, the same on a terminal and on a page."""

import os
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from resume_rig.analysis.fleet import percent_of_these
from resume_rig.analysis.measures import measure_words
from resume_rig.model.fleet import Fleet, FleetCampaign, FleetGroup, GroupTimes, OddUnit, Trait
from resume_rig.model.requirement import RESUME
from resume_rig.model.units import count_of, percent_up
from resume_rig.model.verdict import Verdict
from resume_rig.report.wording import MISSING

LIGHT: Final = "press_to_light_ns"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FINDINGS_SHOWN: Final = 3
_COMMON_MS: Final = 0.5
_NOBODY_SAYS: Final = {Trait.PRODUCT: "no product named", Trait.BIOS: "no BIOS version named"}


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
    """Return the rows of a group's campaigns, in their order; stores as seen from `folder`."""
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
    seen_from = f"; stores as seen from {folder}" if folder else ""
    return (
        f"{count_of(len(campaigns), 'campaign')} of {units} with {count_of(cycles, 'cycle')}, in "
        f"{count_of(len(fleet.groups), 'group')}{seen_from}."
    )


def group_title(group: FleetGroup) -> str:
    """Return what a group's campaigns have in common."""
    named = [_trait_words(trait, value) for trait, value in group.traits.items()]
    return ", ".join(named) or "All campaigns"


def group_sentences(group: FleetGroup, folder: str) -> tuple[str, ...]:
    """Return what the campaigns of a group say together; paths as seen from `folder`."""
    told = [_failed_sentence(group), *(_times_sentence(each) for each in group.times)]
    for unit in dict.fromkeys(odd.unit for odd in group.odd):
        ways = [_odd_words(odd) for odd in group.odd if odd.unit == unit]
        told.append(f"Unit {_below(folder, unit)} is unlike the others: {'; '.join(ways)}.")
    found: Counter[str] = Counter()
    seen_in: Counter[str] = Counter()
    for campaign in group.campaigns:
        found.update(campaign.findings)
        seen_in.update(campaign.findings.keys())
    if found:
        kinds = [
            f"{kind} in {count_of(count, 'cycle')} of {count_of(seen_in[kind], 'campaign')}"
            for kind, count in sorted(found.items(), key=lambda each: (-each[1], each[0]))
        ]
        told.append(f"Findings: {'; '.join(kinds)}.")
    return tuple(told)


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
        begun=_date(campaign.begun_utc_ns),
        cycles=str(campaign.cycles),
        judged="0" if rate is None else str(rate.n),
        failed=MISSING if rate is None else str(rate.failures),
        median=MISSING if resume is None else f"{resume.median_ms:.0f}",
        p95=MISSING if resume is None else f"{resume.p95_ms:.0f}",
        worst=MISSING if resume is None else f"{resume.max_ms:.0f}",
        light=MISSING if light is None else f"{light.median_ms:.0f}",
        findings=", ".join(shown),
        notes=", ".join((*(["running"] if campaign.running else []), *campaign.marks)),
        verdict=campaign.verdict,
    )


def _below(folder: str, text: str) -> str:
    """Return a path as it is seen from a folder that is above it; any other text as it is."""
    path = Path(text)
    return str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else text


def _date(utc_ns: int) -> str:
    try:
        return f"{_EPOCH + timedelta(microseconds=utc_ns // 1000):%Y-%m-%d %H:%M}"
    except OverflowError:
        return MISSING


def _trait_words(trait: Trait, value: str) -> str:
    if not value:
        return _NOBODY_SAYS.get(trait, f"no {trait.value} named")
    match trait:
        case Trait.BIOS:
            return f"BIOS {value}"
        case Trait.DUT | Trait.RIG | Trait.HOST:
            return f"{trait.value} {value}"
        case Trait.PRODUCT | Trait.STATE:
            return value


def _failed_sentence(group: FleetGroup) -> str:
    if group.failures is None or group.units_share is None:
        return "No cycle of these campaigns is judged."
    share, told = group.units_share, f"{percent_of_these(group.failures)}."
    if share.n == 1:
        return told
    return (
        f"{told} Units with a failure: {group.units_failed} of {share.n}; of further ones at most "
        f"{percent_up(share.upper)} would have one in as many cycles, with 95 % confidence."
    )


def _times_sentence(times: GroupTimes) -> str:
    words = measure_words(times.name)
    words = words[0].upper() + words[1:]
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


def _odd_words(odd: OddUnit) -> str:
    if odd.measure is None:
        return (
            f"{odd.value * 100:.2g} % of its judged cycles failed, {odd.others * 100:.2g} % of "
            f"theirs (p = {odd.p:.2g})"
        )
    return (
        f"{measure_words(odd.measure)} {odd.value:.0f} ms, theirs {odd.others:.0f} ms "
        f"(p = {odd.p:.2g})"
    )
