"""What the page of a campaign shows, worked out; the template only places it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from resume_rig.analysis.findings.explained import Explained
from resume_rig.analysis.findings.explanations import explained
from resume_rig.model.campaign import CampaignFacts
from resume_rig.model.cycle import Correlation, Outcome, ReconciledCycle
from resume_rig.model.match import RECORD_REASONS, UnmatchedRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.units import count_of
from resume_rig.report.bar_choice import BarChoice, bar_choice
from resume_rig.report.budget_view import BUDGET_HEADINGS, BudgetTable, budget_views
from resume_rig.report.drift_view import LightHistogram, NamedDrift, drifts, light_histogram
from resume_rig.report.findings import (
    FindingGroup,
    cycle_ranges,
    findings_of,
    grouped_findings,
    shared_findings,
)
from resume_rig.report.match_text import match_sentences, missing_sentences
from resume_rig.report.matched_reading import matched_reading
from resume_rig.report.milestones import light_words, outside_milestones, trigger_word
from resume_rig.report.page_parts import (
    STATED_LIMITS,
    Badge,
    LimitRow,
    Pair,
    Tile,
    badge,
    badge_or,
    figures_tile,
    limit_rows,
    plain_value,
    plan_item,
    requirement_pairs,
)
from resume_rig.report.parts_view import PartsSection, parts_section
from resume_rig.report.row_choice import PAGE_ROWS, RowChoice, row_choice
from resume_rig.report.statistics_text import detectable_sentences, statistics_sentences
from resume_rig.report.summary import CampaignSummary, campaign_summary, resume_times
from resume_rig.report.svg_histogram import Histogram, histogram
from resume_rig.report.svg_phases import PhasePanel, phase_panels
from resume_rig.report.wording import (
    board_clock_sentences,
    clock_sentence,
    cycle_name,
    outcome_words,
    record_name,
    rounded_ms,
    unjudged_word,
    whole_ms_text,
)

_FINDINGS_OF_A_KIND: Final = 20
_RECORDS_NAMED: Final = 50
_FAULTS_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class QuantityCell:
    """A time and its expanded uncertainty as text; both empty where it was not measured."""

    value: str
    expanded: str


@dataclass(frozen=True, slots=True)
class CycleRow:
    """One row of the table of cycles; `outcome` is empty where it is ordinary or a finding."""

    name: str
    outcome: str
    outside: tuple[QuantityCell, ...]
    inside: tuple[str, ...]
    reconciled: tuple[QuantityCell, ...]
    badge: Badge
    why_not: str
    findings: str


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding with its evidence, and the cycles that it is about."""

    cycle: str
    text: str
    evidence: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class FindingSection:
    """The findings of one kind; `left_out` of them are not among `rows`."""

    kind: str
    cycles: str
    meaning: Explained | None
    rows: tuple[FindingRow, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class CampaignPage:
    """Everything that the template of a campaign's page asks for."""

    generated: str
    badge: Badge
    why: str
    trigger: str
    light: str
    cycles: int
    tiles: tuple[Tile, ...]
    requirement: tuple[Pair, ...]
    identity: tuple[Pair, ...]
    plan: tuple[Pair, ...]
    places: tuple[Pair, ...]
    findings: tuple[FindingSection, ...]
    limits_judged: tuple[LimitRow, ...]
    statistics: tuple[str, ...]
    histogram: Histogram | None
    histogram_note: str
    light_histogram: LightHistogram | None
    drifts: tuple[NamedDrift, ...]
    panels: tuple[PhasePanel, ...]
    panels_note: str
    parts: PartsSection
    rows_before: tuple[CycleRow, ...]
    rows_left_out: str
    rows_after: tuple[CycleRow, ...]
    clock: str
    match: tuple[str, ...]
    unmatched_cycles: str
    unmatched_reasons: tuple[str, ...]
    unmatched_records: tuple[str, ...]
    unmatched_more: int
    plan_state: str | None
    unfinished: bool
    outcomes: tuple[Pair, ...]
    first_failure: tuple[int, str] | None
    faults: tuple[str, ...]
    faults_more: int
    limits: tuple[str, ...]
    budgets: tuple[BudgetTable, ...]
    budget_headings: tuple[str, ...]


def campaign_page(correlation: Correlation, facts: CampaignFacts, generated: str) -> CampaignPage:
    """Return the page of `correlation`."""
    cycles, limit_ms = correlation.cycles, facts.requirement.resume_limit_ms
    trigger = trigger_word(cycles)
    times = [time_ms for _, time_ms in resume_times(cycles)]
    bars = bar_choice(cycles)
    rows = row_choice(len(cycles), PAGE_ROWS)
    unmatched = [c.outside.number for c in cycles if c.record is None]
    records = correlation.unmatched_records
    return CampaignPage(
        generated=generated,
        badge=badge(correlation.verdict),
        why=correlation.why,
        trigger=trigger,
        light=light_words(cycles),
        cycles=len(cycles),
        tiles=_tiles(correlation, campaign_summary(cycles), trigger),
        requirement=requirement_pairs(facts.requirement),
        identity=tuple(Pair(k.replace("_", " "), v) for k, v in facts.identity.items()),
        plan=tuple(Pair(*plan_item(name, value)) for name, value in facts.plan.items()),
        places=_places(facts),
        findings=tuple(_finding_section(group) for group in grouped_findings(cycles)),
        limits_judged=limit_rows(correlation.limits),
        statistics=(
            *statistics_sentences(
                correlation.series, correlation.failures, correlation.limits, "cycle"
            ),
            *detectable_sentences(correlation.detectable),
        ),
        histogram=histogram(times, limit_ms),
        histogram_note=_histogram_note(len(times), len(cycles)),
        light_histogram=light_histogram(correlation, trigger),
        drifts=drifts(correlation, trigger, limit_ms),
        panels=phase_panels(bars.cycles, limit_ms),
        panels_note=_panels_note(bars),
        parts=parts_section(matched_reading(correlation, facts.log_sources), "correlate --json"),
        rows_before=tuple(_row(cycle) for cycle in cycles[: rows.head]),
        rows_left_out=_left_out(cycles, rows),
        rows_after=tuple(_row(cycle) for cycle in cycles[len(cycles) - rows.tail :]),
        clock=_clock(correlation),
        match=match_sentences(correlation),
        unmatched_cycles=cycle_ranges(unmatched),
        unmatched_reasons=missing_sentences(cycles),
        unmatched_records=tuple(_record_line(each) for each in records[:_RECORDS_NAMED]),
        unmatched_more=max(len(records) - _RECORDS_NAMED, 0),
        plan_state=facts.plan_state,
        unfinished=facts.unfinished,
        outcomes=_outcomes(facts),
        first_failure=facts.first_failure,
        faults=facts.faults[:_FAULTS_SHOWN],
        faults_more=max(len(facts.faults) - _FAULTS_SHOWN, 0),
        limits=STATED_LIMITS,
        budgets=budget_views(facts.budgets),
        budget_headings=BUDGET_HEADINGS,
    )


def _clock(correlation: Correlation) -> str:
    board = correlation.board_clock
    told = () if board is None else board_clock_sentences(board, len(correlation.cycles))
    return " ".join((clock_sentence(correlation.clock), *told))


def _tiles(correlation: Correlation, summary: CampaignSummary, trigger: str) -> tuple[Tile, ...]:
    total = len(correlation.cycles)
    found = sum(len(findings_of(cycle)) for cycle in correlation.cycles)
    with_findings = sum(1 for cycle in correlation.cycles if findings_of(cycle))
    return (
        figures_tile("resume, as the OS says", summary.resume, "no judged cycle has a measurement"),
        figures_tile(f"{trigger} to resume complete", summary.complete, "no judged cycle has it"),
        figures_tile(_light_name(summary, trigger), summary.light, "no cycle has it"),
        Tile("cycles judged", str(summary.judged), f"of {count_of(total, 'cycle')}"),
        Tile(
            "findings",
            str(found),
            f"in {count_of(with_findings, 'cycle')}" if found else "none",
        ),
    )


def _light_name(summary: CampaignSummary, trigger: str) -> str:
    return f"{trigger} to light" if summary.judged else f"{trigger} to light, not judged"


def _places(facts: CampaignFacts) -> tuple[Pair, ...]:
    report = () if facts.report_path is None else (Pair("report", facts.report_path),)
    raw = "capture" if "capture" in facts.identity else "store"
    return (Pair(raw, facts.store_path), *report)


def _finding_section(group: FindingGroup) -> FindingSection:
    shared = shared_findings(group)
    rows = tuple(
        FindingRow(
            cycle_ranges(each.cycles),
            each.finding.text,
            tuple(Pair(k, plain_value(v)) for k, v in each.finding.evidence.items()),
        )
        for each in shared[:_FINDINGS_OF_A_KIND]
    )
    return FindingSection(
        kind=group.kind.value,
        cycles=cycle_ranges([member.cycle for member in group.members]),
        meaning=explained(group.kind),
        rows=rows,
        left_out=len(shared) - len(rows),
    )


def _histogram_note(drawn: int, cycles: int) -> str:
    note = f"BIOS + drivers of the {count_of(drawn, 'judged cycle')} with a measurement."
    rest = cycles - drawn
    if rest:
        verb = "is" if rest == 1 else "are"
        note += f" {count_of(rest, 'cycle')} not judged or not measured {verb} not drawn."
    return note


def _panels_note(bars: BarChoice) -> str:
    if not bars.left_out:
        return ""
    parts = [f"the first {bars.first}", f"the last {bars.last}"]
    if bars.slowest:
        parts.append(f"the {bars.slowest} others with the longest resume")
    if bars.broken:
        parts.append(f"{count_of(bars.broken, 'other')} that did not sleep and wake as planned")
    return f"Drawn are {', '.join(parts[:-1])} and {parts[-1]}; {bars.left_out} are left out here."


def _row(cycle: ReconciledCycle) -> CycleRow:
    outcome, record = cycle.outcome, cycle.record
    kinds = [finding.kind.value for finding in findings_of(cycle)]
    told = {Outcome.SLEPT_AND_WOKE.value, *kinds}
    points = outside_milestones(cycle.outside)
    inside: tuple[int | None, ...] = (None, None, None)
    if record is not None:
        inside = (record.bios_init_ms, record.driver_init_ms, record.resume_ms)
    quantities = (points.slp_s3, points.pwr_ok, points.pltrst, points.light)
    reconciled = (cycle.press_to_resume_complete, cycle.light_after_complete, cycle.unexplained)
    return CycleRow(
        name=cycle_name(cycle),
        outcome="" if outcome.value in told else outcome_words(outcome),
        outside=tuple(_cell(quantity) for quantity in quantities),
        inside=tuple(whole_ms_text(value) for value in inside),
        reconciled=tuple(_cell(quantity) for quantity in reconciled),
        badge=badge_or(cycle.verdict, unjudged_word(cycle)),
        why_not="" if cycle.judged else cycle.why_not or "",
        findings=", ".join(kinds),
    )


def _cell(quantity: BoundedNs | None) -> QuantityCell:
    return QuantityCell("", "") if quantity is None else QuantityCell(*rounded_ms(quantity))


def _left_out(cycles: Sequence[ReconciledCycle], rows: RowChoice) -> str:
    if not rows.left_out:
        return ""
    behind = rows.head + rows.left_out
    hidden = islice(cycles, rows.head, behind)
    counts = Counter(unjudged_word(c) or c.verdict.value for c in hidden)
    told = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    numbers = f"{cycles[rows.head].outside.number} to {cycles[behind - 1].outside.number}"
    return (
        f"Cycles {numbers}, {rows.left_out} of {len(cycles)}, are left out here ({told});"
        " the store and its exports have them."
    )


def _record_line(unmatched: UnmatchedRecord) -> str:
    total = unmatched.record.resume_ms
    times = "not measured" if total is None else f"resume {total} ms"
    return f"{record_name(unmatched.record)}: {times}; {RECORD_REASONS[unmatched.reason]}"


def _outcomes(facts: CampaignFacts) -> tuple[Pair, ...]:
    return tuple(Pair(k.replace("-", " "), str(v)) for k, v in facts.outcomes.items() if v)
