"""What the page of a campaign shows, worked out; the template only places it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.answer.campaign import AnsweredCampaign, title_of
from resume_rig.analysis.answer.overview import LIGHT
from resume_rig.analysis.findings.groups import (
    FindingGroup,
    findings_of,
    ranked_findings,
)
from resume_rig.analysis.findings.kinds import ABOUT, About
from resume_rig.analysis.reconcile.milestones import (
    InsideMilestones,
    complete_of,
    inside_milestones,
    light_after,
    outside_milestones,
)
from resume_rig.model.quantity import (
    BoundedNs,
    rounded_ms,
)
from resume_rig.model.result.cycle import Correlation, Outcome, ReconciledCycle
from resume_rig.model.result.judgement import CampaignFacts
from resume_rig.model.result.match import RECORD_REASONS, UnmatchedRecord
from resume_rig.model.result.series import CycleMark, CycleTimes
from resume_rig.model.result.verdict import RESUME, Comparison, Verdict
from resume_rig.model.units import NS_PER_MS, count_of
from resume_rig.report.campaign.answer import (
    Action,
    actions,
    figures,
    subtitle_of,
    trigger_title,
    trust_badges,
    unseen_sentences,
)
from resume_rig.report.campaign.sections import (
    BUDGET_HEADINGS,
    BudgetTable,
    budget_views,
    health_sentences,
    match_sentences,
    matched_reading,
    missing_sentences,
    power_sentences,
)
from resume_rig.report.drawing.axis import (
    light_words,
)
from resume_rig.report.drawing.histogram import NamedHistogram, histogram
from resume_rig.report.drawing.marks import MarksPicture, marks_picture
from resume_rig.report.drawing.phases import (
    CycleColumn,
    PhaseLimits,
    PhasePicture,
    choices_of,
    cycle_column,
    phase_picture,
)
from resume_rig.report.parts.answer import WHY_SHOWN
from resume_rig.report.parts.components import PartsSection, parts_section
from resume_rig.report.parts.page import (
    STATED_LIMITS,
    Badge,
    LimitRow,
    Pair,
    Tile,
    TrustBadge,
    badge,
    badge_or,
    flags_of,
    identity_pairs,
    limit_rows,
    plan_item,
    requirement_pairs,
)
from resume_rig.report.parts.statistics import JUDGED_TIME, statistics_sentences
from resume_rig.report.text.findings import (
    FoldedFinding,
    cycle_ranges,
    folded_findings,
)
from resume_rig.report.text.wording import (
    board_clock_sentences,
    clock_sentence,
    cycle_name,
    outcome_words,
    record_name,
    unjudged_word,
    whole_ms_text,
)

ROWS_MOST: Final = 1_000
"""Cycles in the table: with the marks of 10,000 they make a page of 1.5 MB at most."""

_FAILED_ROWS: Final = 300


def _limit_on(correlation: Correlation, measure: str) -> float | None:
    """Return the required limit on a measure [ms] that every cycle has to keep; None without."""
    limits = (each.limit for each in correlation.limits if each.limit.measure == measure)
    strict = (each for each in limits if each.required and each.share is None)
    return next(
        (each.value / NS_PER_MS for each in strict if each.comparison is Comparison.AT_MOST), None
    )


@dataclass(frozen=True, slots=True)
class NamedMarks:
    """A drawing of all cycles; `id` is unique on the page, `what` the time it is of, `shown` it."""

    id: str
    what: str
    picture: MarksPicture
    shown: CycleTimes


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The answer at a glance; other programs' frames show it alone.

    Attributes:
        title, subtitle: of what, in words.
        sentence: the verdict with its margin; small: what the number of cycles proves.
        trust: why the answer may be doubted.
        phases: where the time goes, in the cycles to begin with; None of no cycle.
        figures: four.
        marks: all cycles; None of no cycle.
        column: every cycle for the page's script; None where there is none.
        actions: what to do, three at most. nothing_to_do: what stands there instead.
    """

    title: str
    subtitle: tuple[str, ...]
    badge: Badge
    sentence: str
    small: tuple[str, ...]
    trust: tuple[TrustBadge, ...]
    phases: PhasePicture | None
    figures: tuple[Tile, ...]
    marks: NamedMarks | None
    column: CycleColumn | None
    actions: tuple[Action, ...]
    nothing_to_do: str = ""


def first_screen(campaign: AnsweredCampaign, *, scripted: bool = True) -> FirstScreen:
    """Return the first screen; without a script it does not grow with the number of cycles."""
    correlation, facts, answer = campaign.correlation, campaign.facts, campaign.answer
    cycles, trigger, shown = correlation.cycles, campaign.overview.trigger, _shown(campaign)
    light_limit_ms = _limit_on(correlation, LIGHT)
    limits = PhaseLimits(facts.requirement.resume_limit_ms, light_limit_ms, facts.reset_to_tsc)
    return FirstScreen(
        title=title_of(facts),
        subtitle=subtitle_of(facts, answer.counts.total),
        badge=badge(answer.verdict),
        sentence=answer.headline,
        small=answer.why[:WHY_SHOWN],
        trust=trust_badges(answer),
        phases=phase_picture(_chosen(campaign, shown), trigger, limits),
        figures=figures(campaign, shown),
        marks=_named_marks("all-cycles", campaign, shown),
        column=cycle_column(cycles, shown, limits) if scripted and cycles else None,
        actions=actions(answer),
        nothing_to_do=_NOTHING_TO_DO if answer.verdict is Verdict.PASS else "",
    )


_NOTHING_TO_DO: Final = "No step follows from what was measured."


def _shown(campaign: AnsweredCampaign) -> CycleTimes:
    """Return what the picture of all cycles is of: the time that is judged, where one is."""
    correlation = campaign.correlation
    limited = _limit_on(correlation, LIGHT) is not None and _limit_on(correlation, RESUME) is None
    return campaign.overview.cycle_times(*((LIGHT, RESUME) if limited else (RESUME, LIGHT)))


_CHOICES: Final = {
    "median": "median",
    "slowest": "slowest",
    "failure": "first failure",
    "first": "first",
}


def _chosen(
    campaign: AnsweredCampaign, shown: CycleTimes
) -> list[tuple[str, str, ReconciledCycle]]:
    """Return the cycles that a reader may choose; the first failure is drawn at first."""
    cycles, numbers = campaign.correlation.cycles, campaign.overview.numbers
    first = campaign.answer.counts.first_wrong
    failed = None if first is None else numbers.index(first)
    places = choices_of(shown, failed)
    order = sorted(places, key=lambda key: key != "failure")
    return [(key, _CHOICES[key], cycles[places[key]]) for key in order]


def _named_marks(name: str, campaign: AnsweredCampaign, shown: CycleTimes) -> NamedMarks | None:
    correlation, overview = campaign.correlation, campaign.overview
    is_resume = shown.name == RESUME
    limit_ms = _limit_on(correlation, LIGHT)
    limit_ms = campaign.facts.requirement.resume_limit_ms if is_resume else limit_ms
    if overview.none_covered:
        limit_ms = None
    by_name = {one.name: one for one in correlation.series}
    hidden_ms = overview.with_hidden_ms if is_resume else {}
    picture = marks_picture(shown, by_name.get(shown.name), limit_ms, hidden_ms)
    what = JUDGED_TIME if is_resume else _light_words(campaign)
    return None if picture is None else NamedMarks(name, what, picture, shown)


def _light_words(campaign: AnsweredCampaign) -> str:
    return f"{trigger_title(campaign.overview.trigger)} to display on"


_FINDINGS_OF_A_KIND: Final = 12
_RECORDS_NAMED: Final = 50
_FAULTS_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class QuantityCell:
    """A time and its expanded uncertainty as text; both empty where it was not measured."""

    value: str
    expanded: str


@dataclass(frozen=True, slots=True)
class CycleRow:
    """One row of the table of cycles; `outcome` is empty where it is ordinary or a finding.

    Attributes:
        flags: letters of the filters that it passes: f failed, g finding, s slowest 1 %, and p
            where it is printed.
    """

    name: str
    number: int
    flags: str
    outcome: str
    outside: tuple[QuantityCell, ...]
    inside: tuple[str, ...]
    reconciled: tuple[QuantityCell, ...]
    badge: Badge
    why_not: str
    findings: str


@dataclass(frozen=True, slots=True)
class FindingSection:
    """The findings of one kind; `left_out` of them are not among `rows`.

    Attributes:
        doubt: what they put in doubt; "" where the section before puts the same in doubt.
    """

    kind: str
    doubt: str
    count: int
    cycles: str
    about: About
    rows: tuple[tuple[str, FoldedFinding], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class CycleTable:
    """The rows of the table of cycles; `left_out` is about those that are missing, "" of none."""

    rows: tuple[CycleRow, ...]
    left_out: str
    printed: int


@dataclass(frozen=True, slots=True)
class CampaignPage:
    """Everything that the template of a campaign's page asks for."""

    generated: str
    first: FirstScreen
    why: str
    unseen: tuple[str, ...]
    trigger: str
    light: str
    cycles: int
    requirement: tuple[Pair, ...]
    identity: tuple[Pair, ...]
    plan: tuple[Pair, ...]
    places: tuple[Pair, ...]
    findings: tuple[FindingSection, ...]
    limits_judged: tuple[LimitRow, ...]
    statistics: tuple[str, ...]
    histograms: tuple[NamedHistogram, ...]
    light_marks: NamedMarks | None
    parts: PartsSection
    table: CycleTable
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


def campaign_page(
    campaign: AnsweredCampaign, generated: str, *, scripted: bool = True
) -> CampaignPage:
    """Return the page of a campaign; `scripted` as `first_screen` takes it."""
    correlation, facts, overview = campaign.correlation, campaign.facts, campaign.overview
    answer, trigger = campaign.answer, overview.trigger
    first = first_screen(campaign, scripted=scripted)
    records = correlation.unmatched_records
    return CampaignPage(
        generated=generated,
        first=first,
        why=" ".join(answer.why),
        unseen=unseen_sentences(answer),
        trigger=trigger,
        light=light_words(overview.light_bases),
        cycles=answer.counts.total,
        requirement=requirement_pairs(facts.requirement),
        identity=identity_pairs(facts.identity.items()),
        plan=tuple(Pair(*plan_item(name, value)) for name, value in facts.plan.items()),
        places=_places(facts),
        findings=tuple(_finding_sections(ranked_findings(overview.findings))),
        limits_judged=limit_rows(correlation.limits),
        statistics=(
            *statistics_sentences(
                correlation.series, correlation.failures, correlation.limits, "cycle", trigger
            ),
            *power_sentences(overview.power),
            *health_sentences(overview.health),
        ),
        histograms=tuple(_histograms(campaign)),
        light_marks=_light_marks(campaign, first),
        parts=parts_section(matched_reading(campaign), "correlate --json"),
        table=cycle_table(campaign, _shown(campaign)),
        clock=_clock(correlation, answer.counts.total),
        match=match_sentences(campaign),
        unmatched_cycles=cycle_ranges(overview.match.without),
        unmatched_reasons=missing_sentences(overview.match),
        unmatched_records=tuple(_record_line(each) for each in records[:_RECORDS_NAMED]),
        unmatched_more=max(len(records) - _RECORDS_NAMED, 0),
        plan_state=facts.plan_state,
        unfinished=facts.unfinished,
        outcomes=_outcomes(facts),
        first_failure=facts.first_failure,
        faults=facts.faults[:_FAULTS_SHOWN],
        faults_more=max(len(facts.faults) - _FAULTS_SHOWN, 0),
        limits=STATED_LIMITS,
        budgets=budget_views(facts.budgets, trigger),
        budget_headings=BUDGET_HEADINGS,
    )


def _light_marks(campaign: AnsweredCampaign, first: FirstScreen) -> NamedMarks | None:
    """Return the picture of the light over the cycles, where the first screen's is another."""
    shown = campaign.overview.cycle_times(LIGHT)
    is_first = _shown(campaign).name == LIGHT
    if first.marks is None or is_first or not any(map(math.isfinite, shown.times_ms)):
        return None
    return _named_marks("light-cycles", campaign, shown)


def _histograms(campaign: AnsweredCampaign) -> Iterator[NamedHistogram]:
    overview, limit_ms = campaign.overview, campaign.facts.requirement.resume_limit_ms
    times = [time_ms for _, time_ms in overview.resume_ms]
    picture = histogram(times, limit_ms)
    if picture is not None and limit_ms is not None:
        note = _histogram_note(len(times), campaign.answer.counts.total)
        title = "Histogram of resume times against the limit"
        yield NamedHistogram("histogram", title, JUDGED_TIME, note, picture)
    lit = [time_ms for _, time_ms in overview.light_ms]
    picture = histogram(lit, _limit_on(campaign.correlation, LIGHT))
    if picture is not None:
        what = _light_words(campaign)
        title = "Histogram of times to display on"
        yield NamedHistogram("light-histogram", title, what, f"{what}.", picture)


def _clock(correlation: Correlation, cycles: int) -> str:
    board = correlation.board_clock
    sentences = () if board is None else board_clock_sentences(board, cycles)
    return " ".join((clock_sentence(correlation.clock), *sentences))


def _places(facts: CampaignFacts) -> tuple[Pair, ...]:
    report = () if facts.report_path is None else (Pair("report", facts.report_path),)
    raw = "capture" if "capture" in facts.identity else "store"
    return (Pair(raw, facts.store_path), *report)


def _finding_sections(groups: Sequence[FindingGroup]) -> Iterator[FindingSection]:
    before = None
    for group in groups:
        folded = folded_findings(group)
        about = ABOUT[group.kind]
        yield FindingSection(
            kind=group.kind.value,
            doubt=about.doubt.value if about.doubt is not before else "",
            count=len({member.cycle for member in group.members}),
            cycles=cycle_ranges([member.cycle for member in group.members]),
            about=about,
            rows=tuple((cycle_ranges(one.cycles), one) for one in folded[:_FINDINGS_OF_A_KIND]),
            left_out=sum(len(one.cycles) for one in folded[_FINDINGS_OF_A_KIND:]),
        )
        before = about.doubt


def _histogram_note(drawn: int, cycles: int) -> str:
    note = f"Total resume time of the {count_of(drawn, 'judged cycle')} with a measurement."
    rest = cycles - drawn
    if rest:
        verb = "is" if rest == 1 else "are"
        note += f" {count_of(rest, 'cycle')} not judged or not measured {verb} not drawn."
    return note


def cycle_table(campaign: AnsweredCampaign, shown: CycleTimes) -> CycleTable:
    """Return the rows, failures first; of a long campaign the slowest and both ends besides.

    Args:
        campaign: with its answer.
        shown: the time that the slowest are found by.
    """
    cycles, overview = campaign.correlation.cycles, campaign.overview
    counted = (CycleMark.TIMED, CycleMark.FAILED)
    timed = [
        time_ms if mark in counted else None
        for time_ms, mark in zip(shown.times_ms, shown.marks, strict=True)
    ]
    wrong = frozenset(campaign.answer.counts.wrong)
    failed = [number in wrong for number in overview.numbers]
    unknown = [mark == CycleMark.UNKNOWN for mark in shown.marks]
    flags = flags_of(timed, failed, unknown)
    slow = [i for i, each in enumerate(flags) if "s" in each]
    first = [i for i, each in enumerate(failed) if each]
    lost = [i for i, each in enumerate(unknown) if each]
    rows = range(len(overview.numbers))
    ends = (i for pair in zip(rows, reversed(rows), strict=True) for i in pair)
    chosen = dict.fromkeys([*first[:_FAILED_ROWS], *slow, *lost[:_FAILED_ROWS], *ends])
    kept = set(list(chosen)[:ROWS_MOST])
    reset_to_tsc = campaign.facts.reset_to_tsc
    found = [
        (failed[i], _row(cycle, flags[i], inside_milestones(cycle, None, reset_to_tsc)))
        for i, cycle in enumerate(cycles)
        if i in kept
    ]
    found.sort(key=lambda each: not each[0])  # stable: cycles keep their order within
    printed = [row for _, row in found if "p" in row.flags]
    left = [place for place in rows if place not in kept]
    all_failed = len(first) <= _FAILED_ROWS
    return CycleTable(
        tuple(row for _, row in found),
        _left_out(campaign, left, all_failed=all_failed),
        len(printed),
    )


def _row(cycle: ReconciledCycle, flags: str, placed: InsideMilestones | None) -> CycleRow:
    outcome, record = cycle.outcome, cycle.record
    kinds = [finding.kind.value for finding in findings_of(cycle)]
    shown_already = {Outcome.SLEPT_AND_WOKE.value, *kinds}
    points = outside_milestones(cycle.outside)
    inside: tuple[int | None, ...] = (None, None, None)
    if record is not None:
        inside = (record.bios_init_ms, record.driver_init_ms, record.resume_ms)
    quantities = (points.slp_s3, points.pwr_ok, points.pltrst, points.light)
    hidden = None if placed is None else placed.hidden
    complete, after = complete_of(cycle, placed), light_after(cycle, placed)
    reconciled = (hidden, complete, after, cycle.unexplained)
    return CycleRow(
        name=cycle_name(cycle),
        number=cycle.outside.number,
        flags=f"{flags}{'g' * bool(kinds)}",
        outcome="" if outcome.value in shown_already else outcome_words(outcome),
        outside=tuple(_cell(quantity) for quantity in quantities),
        inside=tuple(whole_ms_text(value) for value in inside),
        reconciled=tuple(_cell(quantity) for quantity in reconciled),
        badge=badge_or(cycle.verdict, unjudged_word(cycle)),
        why_not="" if cycle.judged else cycle.why_not or "",
        findings=", ".join(kinds),
    )


def _cell(quantity: BoundedNs | None) -> QuantityCell:
    return QuantityCell("", "") if quantity is None else QuantityCell(*rounded_ms(quantity))


def _left_out(campaign: AnsweredCampaign, left: Sequence[int], *, all_failed: bool) -> str:
    if not left:
        return ""
    total, named = campaign.answer.counts.total, campaign.overview.count(left)
    listed = ", ".join(f"{count} {word}" for word, count in named.most_common())
    every = " every cycle that failed," if all_failed else ""
    return (
        f"{total - len(left)} of {total} cycles are listed:{every} the slowest 1 %, cycles"
        f" without a time, the first and the last; {len(left)} are left out here"
        f" ({listed}). All are in the picture above, in the store and its exports."
    )


def _record_line(unmatched: UnmatchedRecord) -> str:
    total = unmatched.record.resume_ms
    times = "not measured" if total is None else f"resume {total} ms"
    return f"{record_name(unmatched.record)}: {times}; {RECORD_REASONS[unmatched.reason]}"


def _outcomes(facts: CampaignFacts) -> tuple[Pair, ...]:
    return tuple(Pair(k.replace("-", " "), str(v)) for k, v in facts.outcomes.items() if v)
