"""The table of `correlate` and `run`, and the line of live progress, for a terminal."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Final

from resume_rig.analysis.answer.campaign import AnsweredCampaign
from resume_rig.analysis.answer.overview import LIGHT, Overview
from resume_rig.analysis.findings.groups import (
    FindingGroup,
    findings_of,
    ranked_findings,
)
from resume_rig.analysis.findings.kinds import ABOUT
from resume_rig.analysis.reconcile.milestones import (
    outside_milestones,
)
from resume_rig.model.os_record import kind_words
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.answer import Standing
from resume_rig.model.result.cycle import Correlation, OutsideCycle, ReconciledCycle
from resume_rig.model.result.verdict import RESUME, Statistics
from resume_rig.model.units import NS_PER_MS, count_of
from resume_rig.report.campaign.sections import (
    health_sentences,
    match_sentences,
    matched_reading,
    missing_sentences,
    power_sentences,
    record_sentences,
)
from resume_rig.report.drawing.axis import (
    light_words,
)
from resume_rig.report.parts.answer import answer_lines, unseen_lines
from resume_rig.report.parts.components import component_lines
from resume_rig.report.parts.statistics import (
    statistics_sentences,
)
from resume_rig.report.text.findings import (
    cycle_ranges,
    shared_findings,
)
from resume_rig.report.text.terminal_style import (
    Column,
    TerminalStyle,
    fitting_columns,
    table_lines,
)
from resume_rig.report.text.terminal_text import joined
from resume_rig.report.text.wording import (
    TERMINAL_ROWS,
    board_clock_sentences,
    clock_sentence,
    cycle_name,
    outcome_words,
    quantity_text,
    record_name,
    too_narrow,
    unjudged_word,
    value_ms_text,
    whole_ms_text,
)

_FINDINGS_OF_A_KIND: Final = 3
_RECORDS_NAMED: Final = 10
_VERDICT: Final = "verdict"
# What gives way at last: a cycle, its light, its total and its verdict stay.
_NARROW: Final = {"findings": 0.9, "device": 0.8, "BIOS": 0.7, "outcome": 0.6, "total": 0.5}


def correlation_table(
    campaign: AnsweredCampaign, style: TerminalStyle, *, show_all: bool = False
) -> Iterator[str]:
    """Yield answer, cycles, findings and components in pieces to be written as they are.

    Args:
        campaign: with its answer.
        style: what the terminal takes; columns and then uncertainties give way where it is narrow.
        show_all: every row and every finding, the statistics and the clocks.
    """
    correlation, overview = campaign.correlation, campaign.overview
    yield from answer_lines(campaign.answer, style)
    yield "\n"
    yield from _cycles(campaign, style, show_all=show_all)
    yield "\n"
    yield from _findings(campaign, style, show_all=show_all)
    yield from unseen_lines(campaign.answer, style)
    yield from _unmatched(campaign, style)
    yield from component_lines(matched_reading(campaign), style, show_all=show_all)
    if not show_all:
        yield style.paragraph("Every cycle, statistics and clocks: --all.")
        return
    yield "\n"
    yield from _summary(campaign, style)
    series, failures, limits = correlation.series, correlation.failures, correlation.limits
    sentences = statistics_sentences(series, failures, limits, "cycle", overview.trigger)
    yield from map(style.paragraph, sentences)
    yield from map(style.paragraph, power_sentences(overview.power))
    yield from map(style.paragraph, health_sentences(overview.health))
    yield from _usual(correlation, style)
    yield style.paragraph(clock_sentence(correlation.clock))
    if correlation.board_clock is not None:
        clock, total = correlation.board_clock, campaign.answer.counts.total
        yield from map(style.paragraph, board_clock_sentences(clock, total))


def cycle_line(
    cycle: OutsideCycle | ReconciledCycle, style: TerminalStyle, *, planned: int | None = None
) -> str:
    """Return one cycle in one line, without a line end, for live progress.

    Args:
        cycle: as the rig measured it, or as it was reconciled.
        style: what the terminal takes.
        planned: how many cycles the plan has, where that is given.
    """
    outside = cycle.outside if isinstance(cycle, ReconciledCycle) else cycle
    points = outside_milestones(outside)
    of = "" if planned is None else f"/{planned}"
    width = 0 if planned is None else len(str(planned))
    parts = [f"cycle {outside.number:>{width}}{of}", outcome_words(cycle.outcome)]
    for name, point in (("PLTRST#", points.pltrst), ("display on", points.light)):
        if point is not None:
            # While it runs nothing has corrected the board's clock: finer digits would change.
            parts.append(f"{name} {point.value_ns / NS_PER_MS:.0f} ms")
    if isinstance(cycle, ReconciledCycle):
        total = None if cycle.record is None else cycle.record.resume_ms
        parts.append("no OS time" if total is None else f"resume {total} ms")
        if cycle.judged:
            parts.append(style.verdict(cycle.verdict))
    if outside.ignored:
        parts.append("ignored")
    findings = findings_of(cycle) if isinstance(cycle, ReconciledCycle) else outside.findings
    if findings:
        parts.append(style.shown(", ".join(f.kind.value for f in findings), 100))
    return joined(*parts, between="  ")


def _cycles(campaign: AnsweredCampaign, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    if not campaign.overview.numbers:
        yield "No cycle was measured.\n"
        return
    word, places = campaign.overview.trigger, _places(campaign, show_all=show_all)
    shown = [campaign.correlation.cycles[place] for place in places]
    kept, narrow = _columns(shown, word, style, as_planned=campaign.overview.as_planned)
    yield style.paragraph(_legend(campaign.overview))
    for index, line in enumerate(table_lines(kept)):
        if index == 0:
            yield f"{line}\n"
            yield style.rule(len(line))
            continue
        yield _coloured(line, shown[index - 1], style) + "\n"
    yield from _left_out(campaign, places, style)
    if narrow:
        yield style.paragraph(narrow)


def _places(campaign: AnsweredCampaign, *, show_all: bool) -> list[int]:
    """Return which cycles are listed, by their places: what went wrong first, then the slowest."""
    overview = campaign.overview
    place_of = {number: place for place, number in enumerate(overview.numbers)}
    wrong = [place_of[number] for number in campaign.answer.counts.wrong]
    rest = [place for place in place_of.values() if place not in frozenset(wrong)]
    if show_all:
        return [*wrong, *rest]
    times = overview.cycle_times(RESUME, LIGHT).times_ms
    slowest = sorted(rest, key=lambda place: -times[place] if isfinite(times[place]) else 0.0)
    room = max(TERMINAL_ROWS - len(wrong), 0)
    return [*wrong[:TERMINAL_ROWS], *sorted(slowest[:room])]


def _legend(overview: Overview) -> str:
    """Return what the columns are, for somebody who has read nothing else."""
    sentences = (
        "Times in ms; ± is the expanded uncertainty, 95 % coverage. Measured from the"
        f" {overview.trigger}: SLP_S3#, PWR_OK, PLTRST# and display on.",
        light_words(overview.light_bases),
        "OS-reported: BIOS initialization, device initialization and their total. Complete: all "
        "devices are in S0 again, by PLTRST# and the OS-reported times.",
    )
    return " ".join(filter(None, sentences))


def _columns(
    shown: Sequence[ReconciledCycle], word: str, style: TerminalStyle, *, as_planned: bool
) -> tuple[tuple[Column, ...], str]:
    """Return the columns that fit, and a sentence about what does not.

    Intermediate lines give way before uncertainties do: a time without one is worth little.
    """
    outcomes = () if as_planned else _outcomes(shown)
    wide = _all_columns(shown, outcomes, word, style, quantity_text)
    kept = fitting_columns(wide, style.width)
    note = ""
    if _cells(kept) > style.width:
        wide = _all_columns(shown, outcomes, word, style, value_ms_text)
        kept = fitting_columns(wide, style.width)
        note = "Too narrow for uncertainties. "
    if _cells(kept) > style.width:
        wide = [replace(each, drop=each.drop or _NARROW.get(each.title, 0)) for each in wide]
        kept = fitting_columns(wide, style.width)
    dropped = [style.shown(c.title) for c in wide if c not in kept]
    if dropped:
        note += f"{too_narrow(dropped)}. "
    if note:
        note += "A wider terminal, --json and the HTML report show everything."
    return kept, note


def _cells(columns: Sequence[Column]) -> int:
    return sum(column.width + 2 for column in columns) - 2


def _all_columns(
    shown: Sequence[ReconciledCycle],
    outcomes: Sequence[Column],
    word: str,
    style: TerminalStyle,
    text_of: Callable[[BoundedNs | None], str],
) -> list[Column]:
    points = [outside_milestones(cycle.outside) for cycle in shown]
    records = [cycle.record for cycle in shown]

    def times(title: str, quantities: Sequence[BoundedNs | None], drop: int = 0) -> Column:
        return Column(style.shown(title), [style.shown(text_of(q)) for q in quantities], drop=drop)

    return [
        Column("#", [cycle_name(cycle) for cycle in shown]),
        *outcomes,
        times(f"{word}→SLP_S3#", [p.slp_s3 for p in points], drop=5),
        times("→PWR_OK", [p.pwr_ok for p in points], drop=4),
        times("→PLTRST#", [p.pltrst for p in points], drop=2),
        times("→display on", [p.light for p in points]),
        Column("BIOS", [whole_ms_text(r.bios_init_ms if r else None) for r in records]),
        Column("device", [whole_ms_text(r.driver_init_ms if r else None) for r in records]),
        Column("total", [whole_ms_text(r.resume_ms if r else None) for r in records]),
        times("→complete", [cycle.press_to_resume_complete for cycle in shown], drop=1),
        Column(_VERDICT, [_verdict_word(cycle) for cycle in shown], right=False),
        Column("findings", [str(len(findings_of(cycle)) or "") for cycle in shown]),
    ]


def _outcomes(shown: Sequence[ReconciledCycle]) -> list[Column]:
    return [Column("outcome", [outcome_words(c.outcome) for c in shown], right=False)]


def _verdict_word(cycle: ReconciledCycle) -> str:
    return unjudged_word(cycle) or cycle.verdict.value


def _coloured(line: str, cycle: ReconciledCycle, style: TerminalStyle) -> str:
    if not cycle.judged:
        return line
    # The verdict stands once in a row, after the numbers; only findings' counts follow it.
    front, word, rest = line.rpartition(cycle.verdict.value)
    return joined(front, style.verdict(cycle.verdict), rest) if word else line


def _left_out(
    campaign: AnsweredCampaign, listed: Sequence[int], style: TerminalStyle
) -> Iterator[str]:
    shown = frozenset(listed)
    left = [place for place in range(campaign.answer.counts.total) if place not in shown]
    if left:
        named = campaign.overview.count(left).most_common()
        words = ", ".join(f"{count} {word}" for word, count in named)
        yield style.paragraph(
            f"{len(shown)} of {campaign.answer.counts.total} cycles: what went wrong, then the"
            f" slowest; {len(left)} are left out here ({words})."
        )


def _summary(campaign: AnsweredCampaign, style: TerminalStyle) -> Iterator[str]:
    overview, counts = campaign.overview, campaign.answer.counts
    word = overview.trigger.capitalize()
    for name, figures in (
        ("Total resume time (BIOS init + device init)", overview.resume),
        (f"{word} to resume complete", overview.complete),
        (f"{word} to display on", overview.light),
    ):
        if figures is not None:
            yield style.paragraph(f"{name}: {_figures(figures)}")
    failed = counts.n(Standing.FAILED)
    total = count_of(counts.total, "cycle")
    yield style.paragraph(f"{total}, {counts.judged} judged, {failed} failed.")


def _figures(figures: Statistics) -> str:
    return (
        f"minimum {figures.min_ms:.0f}, median {figures.median_ms:.0f},"
        f" average {figures.mean_ms:.0f}, maximum {figures.max_ms:.0f} ms"
    )


def _findings(campaign: AnsweredCampaign, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    groups = ranked_findings(campaign.overview.findings)
    if not groups:
        yield "No findings, as far as they can be seen here.\n"
        return
    yield "Findings:\n"
    for group in groups:
        yield from _group(group, style, show_all=show_all)


def _group(group: FindingGroup, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    cycles = _numbered([member.cycle for member in group.members])
    yield style.paragraph(f"{group.kind.value}, in {cycles}:", indent=2)
    shared = shared_findings(group)
    most = len(shared) if show_all else _FINDINGS_OF_A_KIND
    for each in shared[:most]:
        yield style.paragraph(f"{_numbered(each.cycles)}: {each.finding.text}", indent=4)
    if len(shared) > most:
        yield style.paragraph(f"... and {len(shared) - most} more of this kind", indent=4)
    about = ABOUT[group.kind]
    yield style.paragraph(f"What to do: {about.do}", indent=4)
    yield style.paragraph(f"Owner: {about.owner.value}. More by: {about.command}", indent=4)


def _numbered(cycles: Sequence[int]) -> str:
    return f"{'cycle' if len(set(cycles)) == 1 else 'cycles'} {cycle_ranges(cycles)}"


def _usual(correlation: Correlation, style: TerminalStyle) -> Iterator[str]:
    """Yield what a platform's constant is made of, where there is a scatter, too."""
    for rest in correlation.usual:
        if rest.spread_ns is not None:
            of = ", ".join(filter(None, (kind_words(rest.kind), rest.wake_by)))
            yield style.paragraph(
                f"Display on after PLTRST#, BIOS init and device init ({of}): median "
                f"{rest.residual_ns / 1e6:.0f} ms, usually within {rest.spread_ns / 1e6:.0f} ms, "
                f"of {count_of(rest.n, 'cycle')}."
            )


def _unmatched(campaign: AnsweredCampaign, style: TerminalStyle) -> Iterator[str]:
    match = campaign.overview.match
    yield from map(style.paragraph, match_sentences(campaign))
    if match.without:
        yield style.paragraph(f"Cycles without an OS record: {cycle_ranges(match.without)}.")
        for sentence in missing_sentences(match):
            yield style.paragraph(sentence, indent=2)
    records = campaign.correlation.unmatched_records
    if records:
        named = ", ".join(record_name(each.record) for each in records[:_RECORDS_NAMED])
        rest = len(records) - _RECORDS_NAMED
        more = f", and {rest} more" if rest > 0 else ""
        yield style.paragraph(f"OS records without a cycle: {named}{more}.")
        for sentence in record_sentences(records):
            yield style.paragraph(sentence, indent=2)
