"""Parts of a campaign's answer that page, terminal and document share.

Health, match and power are sentences here, and keys of the document; uncertainty budgets are
tables of text for a page and a terminal.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.answer.campaign import AnsweredCampaign
from resume_rig.analysis.answer.headline import counted_from
from resume_rig.analysis.answer.overview import HealthFigures, MatchFigures, PowerFigures, Spread
from resume_rig.analysis.reconcile.milestones import (
    PRESS,
)
from resume_rig.model.budget import Budget, BudgetRow, Distribution
from resume_rig.model.os_record import LogReading
from resume_rig.model.power import CyclePower, PowerFigure
from resume_rig.model.result.cycle import Correlation, CycleHealth, LinkReturn
from resume_rig.model.result.match import (
    CYCLE_REASONS,
    RECORD_REASONS,
    RecordReason,
    UnmatchedRecord,
    percent,
)
from resume_rig.model.units import (
    capitalised,
    count_of,
    seconds_text,
)
from resume_rig.report.text.findings import cycle_ranges
from resume_rig.report.text.json_text import Json, text_json
from resume_rig.report.text.terminal_style import (
    Column,
    TerminalStyle,
    fitting_columns,
    table_lines,
)
from resume_rig.report.text.wording import (
    too_narrow,
)

_BACK_SHOWN: Final = 5


def health_sentences(health: HealthFigures | None) -> tuple[str, ...]:
    """Return how the DUT came back, by its own lists; nothing where nobody asked."""
    if health is None:
        return ()
    first = (
        f"Health: {health.compared} of {count_of(health.asked, 'cycle')} compared before and after,"
        f" devices changed in {health.changed}, new errors in {health.with_errors};"
        f" the reports took {health.took_ns / 1e9:.1f} s a cycle (median)."
    )
    times = [f"{name} {_spread(each)}" for name, each in health.back[:_BACK_SHOWN]]
    if not times:
        return (first,)
    return first, f"Back after the trigger, at the latest, median (longest): {'; '.join(times)}."


def _spread(each: Spread) -> str:
    return f"{each.median_ns / 1e9:.2f} s ({each.worst_ns / 1e9:.2f} s)"


def health_json(health: CycleHealth | None) -> dict[str, Json]:
    """Return the key of a cycle's health; none at all where nobody asked."""
    if health is None:
        return {}
    return {
        "health": {
            "compared": health.compared,
            "rebooted": health.rebooted,
            "devices": health.devices,
            "changed": [
                {
                    "change": each.change.value,
                    "id": text_json(each.id),
                    "name": text_json(each.name),
                    "problem_before": _text(each.problem_before),
                    "problem_after": _text(each.problem_after),
                }
                for each in health.changed
            ],
            "links": [_link(each) for each in health.links],
            "errors": [text_json(each) for each in health.errors],
            "errors_cut": health.errors_cut,
            "residencies_us": {text_json(each.name): each.gained_us for each in health.residencies},
            "answered_by_ns": health.answered_by_ns,
            "took_ns": health.took_ns,
        }
    }


def _text(text: str | None) -> Json:
    return None if text is None else text_json(text)


def _link(link: LinkReturn) -> dict[str, Json]:
    return {
        "name": text_json(link.name),
        "up": link.is_up,
        "down_until_ns": link.down_until_ns,
        "up_by_ns": link.up_by_ns,
    }


_STEPS_NAMED: Final = 5


def match_sentences(campaign: AnsweredCampaign) -> tuple[str, ...]:
    """Return how sure the match is, and where the OS clock was set."""
    correlation = campaign.correlation
    sure = _certainty(campaign.overview.match)
    return (*_equal_offsets(correlation), *sure, *_steps(correlation))


def missing_sentences(match: MatchFigures) -> tuple[str, ...]:
    """Return why cycles have no record, a sentence a reason."""
    return tuple(
        f"Cycle {cycle_ranges(numbers)}: {CYCLE_REASONS[reason]}."
        for reason, numbers in match.missing.items()
    )


def record_sentences(unmatched: Sequence[UnmatchedRecord]) -> tuple[str, ...]:
    """Return why records have no cycle, a sentence a reason."""
    counts: dict[RecordReason, int] = {}
    for each in unmatched:
        counts[each.reason] = counts.get(each.reason, 0) + 1
    return tuple(
        f"{count_of(count, 'record')}, each of which {RECORD_REASONS[reason]}."
        for reason, count in counts.items()
    )


def _equal_offsets(correlation: Correlation) -> list[str]:
    """Return why nothing is matched, where several offsets fit equally well."""
    if correlation.equal_offsets < 2:
        return []
    return [
        f"Nothing is matched: at least {correlation.equal_offsets} offsets of the OS clock explain "
        "the cycles equally well, because their pace is as even as a clock. One cycle with a "
        "longer pause, or a log that is read while the cycles run, shows which of them is right."
    ]


def _certainty(match: MatchFigures) -> list[str]:
    if match.least is None:
        return []
    sentences = [
        f"{count_of(match.matched, 'cycle')} matched with an OS record; the least certain match has"
        f" a probability of {percent(match.least)}."
    ]
    if match.unsure:
        numbers = cycle_ranges(match.unsure)
        sentences.append(f"Match not certain, therefore not judged: cycle {numbers}.")
    return sentences


def _steps(correlation: Correlation) -> list[str]:
    steps = correlation.clock_steps
    sentences = [
        f"The OS clock was set by {step.step_s:+.1f} s between cycles {step.after_cycle} and "
        f"{step.before_cycle}."
        for step in steps[:_STEPS_NAMED]
    ]
    if len(steps) > _STEPS_NAMED:
        sentences.append(f"It was set {len(steps) - _STEPS_NAMED} more times.")
    return sentences


def matched_reading(campaign: AnsweredCampaign) -> LogReading:
    """Return the records that belong to cycles, in their order, a shutdown before its boot."""
    return LogReading(campaign.facts.log_sources, campaign.overview.records)


def power_sentences(power: PowerFigures | None) -> tuple[str, ...]:
    """Return what the DUT drew in each part of its cycles; nothing without a power monitor."""
    if power is None:
        return ()
    sentences = []
    if power.parts:
        texts = (f"{name} {figure.text(unit)} ({n})" for name, unit, figure, n in power.parts)
        sentences.append(f"Power, median ± expanded uncertainty (cycles): {'; '.join(texts)}.")
    if power.lost:
        lost = count_of(power.lost, "sample")
        sentences.append(f"{lost} of power were lost before they were read.")
    return tuple(sentences)


def power_json(power: CyclePower | None) -> dict[str, Json]:
    """Return the key of a cycle's power; none at all without a power monitor."""
    if power is None:
        return {}
    return {
        "power": {
            "asleep_w": _figure(power.asleep_w),
            "asleep_j": _figure(power.asleep_j),
            "resume_j": _figure(power.resume_j),
            "resume_ns": power.resume_ns,
            "awake_w": _figure(power.awake_w),
            "lost": power.lost,
        }
    }


def _figure(figure: PowerFigure | None) -> Json:
    if figure is None:
        return None
    return {"value": round(figure.value, 6), "expanded": round(figure.expanded, 6)}


BUDGET_HEADINGS: Final = (
    "term",
    "source",
    "type",
    "distribution",
    "scope",
    "half-width",
    "standard",
    "sensitivity",
    "correction",
)


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """One interval's budget as texts.

    Attributes:
        name: of the interval, in words. rows: in the order of BUDGET_HEADINGS.
        totals: a sentence, and one about what all cycles share. repeated: how the DUT scatters;
            empty below two cycles.
    """

    name: str
    value: str
    expanded: str
    factor: str
    bound: str
    largest: str
    scatter: str
    rows: tuple[tuple[str, ...], ...]
    totals: str
    repeated: str
    note: str


def budget_views(budgets: Sequence[Budget], trigger: str) -> tuple[BudgetTable, ...]:
    """Return the tables in the order of `budgets`; wires' times count from `trigger`."""
    return tuple(_table(budget, trigger) for budget in budgets)


def _table(budget: Budget, trigger: str) -> BudgetTable:
    factor = f"{budget.coverage_factor:.2f}"
    largest = max(budget.rows, key=lambda row: row.standard_ns, default=None)
    repeated = budget.repeated
    return BudgetTable(
        name=counted_from(budget.name, trigger),
        value=seconds_text(budget.value_ns),
        expanded=seconds_text(budget.expanded_ns),
        factor=factor,
        bound=seconds_text(budget.bound_ns),
        largest="" if largest is None else largest.name,
        scatter="" if repeated is None else seconds_text(repeated.mean_standard_ns),
        rows=tuple(_row(row) for row in budget.rows),
        totals=f"Standard uncertainty {seconds_text(budget.standard_ns)}; expanded uncertainty "
        f"{seconds_text(budget.expanded_ns)} (95 %, k = {factor}); worst-case bound "
        f"{seconds_text(budget.bound_ns)}.{_common(budget)}",
        repeated=""
        if repeated is None
        else f"Type A, for comparison: standard deviation of {repeated.count} cycles"
        f" {seconds_text(repeated.sd_ns)}"
        f" (s); mean {seconds_text(repeated.mean_ns)},"
        f" standard uncertainty {seconds_text(repeated.mean_standard_ns)} (s/√n), expanded with the"
        f" terms common to all cycles {seconds_text(repeated.mean_expanded_ns)} (95 %).",
        note=f"{capitalised(budget.note)}." if budget.note else "",
    )


def _common(budget: Budget) -> str:
    if not budget.common_ns:
        return ""
    return (
        f" Up to {seconds_text(budget.common_ns)} of it is common to all cycles (scope"
        " campaign or rig); more cycles do not reduce it."
    )


def _row(row: BudgetRow) -> tuple[str, ...]:
    return (
        row.name,
        row.source,
        row.evaluation.value,
        distribution_words(row.distribution),
        row.scope.value,
        seconds_text(row.half_width_ns),
        seconds_text(row.standard_ns),
        f"{row.sensitivity:+d}",
        seconds_text(row.correction_ns) if row.correction_ns else "-",
    )


def distribution_words(distribution: Distribution) -> str:
    """Return a distribution's name as the GUM has it."""
    return _DISTRIBUTIONS[distribution]


_DISTRIBUTIONS: Final = {
    Distribution.NORMAL: "normal",
    Distribution.RECTANGLE: "rectangular",
    Distribution.PWM_PHASE: "PWM phase",
}
_WIDEST: Final = {"term": 44, "source": 46}
# What gives way first where the terminal is short.
_DROP: Final = {"source": 5, "correction": 4, "type": 3, "distribution": 2, "sensitivity": 1}


def budget_tables(
    budgets: Sequence[Budget], style: TerminalStyle, trigger: str = PRESS
) -> Iterator[str]:
    """Yield a table for each budget, in pieces to be written as they are.

    `trigger` is what the times of the wires count from.
    """
    if not budgets:
        yield "No interval was measured, so there is no uncertainty budget.\n"
        yield "\n"
    dropped: set[str] = set()
    for table in budget_views(budgets, trigger):
        columns = _columns(table, style)
        kept = fitting_columns(columns, style.width - 2)
        dropped |= {column.title for column in columns if column not in kept}
        yield from _lines(table, kept, style)
    if dropped:
        titles = [title for title in BUDGET_HEADINGS if title in dropped]
        them = "it" if len(titles) == 1 else "them"
        yield style.paragraph(f"{too_narrow(titles)}; --json and the HTML report show {them}.")
        yield "\n"


def _columns(table: BudgetTable, style: TerminalStyle) -> list[Column]:
    return [
        Column(
            title,
            [style.cell(row[place], _WIDEST.get(title, 40)) for row in table.rows],
            right=title in ("half-width", "standard", "sensitivity", "correction"),
            drop=_DROP.get(title, 0),
        )
        for place, title in enumerate(BUDGET_HEADINGS)
    ]


def _lines(table: BudgetTable, columns: Sequence[Column], style: TerminalStyle) -> Iterator[str]:
    yield style.paragraph(f"Uncertainty of {table.name}, {table.value}:")
    if table.rows:
        for line in table_lines(columns):
            yield f"  {line}\n"
    for text in (table.totals, table.repeated, table.note):
        if text:
            yield style.paragraph(text, indent=2)
    yield "\n"
