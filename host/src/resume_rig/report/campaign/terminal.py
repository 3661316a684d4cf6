"""The table of `correlate` and `run`, and the line of live progress, for a terminal."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from resume_rig.analysis.findings.explanations import explained
from resume_rig.model.os_record import LogSource, kind_words
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation, Outcome, OutsideCycle, ReconciledCycle
from resume_rig.model.result.verdict import Statistics, Verdict
from resume_rig.model.units import count_of
from resume_rig.report.campaign.sections import (
    health_sentences,
    match_sentences,
    matched_reading,
    missing_sentences,
    power_sentences,
    record_sentences,
)
from resume_rig.report.drawing.axis import light_words, outside_milestones, trigger_word
from resume_rig.report.parts.components import component_lines
from resume_rig.report.parts.statistics import (
    campaign_summary,
    detectable_sentences,
    statistics_sentences,
)
from resume_rig.report.text.findings import (
    FindingGroup,
    cycle_ranges,
    findings_of,
    grouped_findings,
    shared_findings,
    team_of,
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
    RowChoice,
    board_clock_sentences,
    clock_sentence,
    cycle_name,
    outcome_words,
    quantity_text,
    record_name,
    row_choice,
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
    correlation: Correlation,
    style: TerminalStyle,
    *,
    show_all: bool = False,
    log_sources: Sequence[LogSource] = (),
) -> Iterator[str]:
    """Yield cycles, findings, components, clock and verdict in pieces to be written as they are.

    Args:
        correlation: what to show.
        style: what the terminal takes; columns and then uncertainties give way where it is narrow.
        show_all: every row and every finding, not only the first and the last ones.
        log_sources: of the records.
    """
    yield from _cycles(correlation.cycles, style, show_all=show_all)
    yield "\n"
    yield from _summary(correlation, style)
    series, failures, limits = correlation.series, correlation.failures, correlation.limits
    word = trigger_word(correlation.cycles)
    sentences = statistics_sentences(series, failures, limits, "cycle", word)
    yield from map(style.paragraph, sentences)
    yield from map(style.paragraph, power_sentences(correlation.cycles))
    yield from map(style.paragraph, health_sentences(correlation.cycles))
    yield from _findings(correlation, style, show_all=show_all)
    yield from map(
        style.paragraph, detectable_sentences(correlation.detectable, correlation.cycles)
    )
    yield from _usual(correlation, style)
    yield from _unmatched(correlation, style)
    yield from component_lines(matched_reading(correlation, log_sources), style, show_all=show_all)
    yield "\n"
    yield style.paragraph(clock_sentence(correlation.clock))
    if correlation.board_clock is not None:
        clock = correlation.board_clock
        yield from map(style.paragraph, board_clock_sentences(clock, len(correlation.cycles)))
    yield style.verdict_line(correlation.verdict, correlation.why)


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
            parts.append(f"{name} {value_ms_text(point)} ms")
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


def _cycles(
    cycles: Sequence[ReconciledCycle], style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    if not cycles:
        yield "No cycle was measured.\n"
        return
    word = trigger_word(cycles)
    choice = row_choice(len(cycles), None if show_all else TERMINAL_ROWS)
    shown = [*cycles[: choice.head], *cycles[len(cycles) - choice.tail :]]
    kept, narrow = _columns(shown, word, style)
    yield style.paragraph(_legend(cycles, word))
    if not _outcomes(shown):
        yield "All cycles slept and woke.\n"
    for index, line in enumerate(table_lines(kept)):
        if index == 0:
            yield f"{line}\n"
            yield style.rule(len(line))
            continue
        if choice.left_out and index == choice.head + 1:
            yield _left_out(cycles, choice, style)
        yield _coloured(line, shown[index - 1], style) + "\n"
    if narrow:
        yield style.paragraph(narrow)


def _legend(cycles: Sequence[ReconciledCycle], word: str) -> str:
    """Return what the columns are, for somebody who has read nothing else."""
    sentences = (
        f"Times in ms; ± is the expanded uncertainty, 95 % coverage. Measured from the {word}: "
        "SLP_S3#, PWR_OK, PLTRST# and display on.",
        light_words(cycles),
        "OS-reported: BIOS initialization, device initialization and their total. Complete: all "
        "devices are in S0 again, by PLTRST# and the OS-reported times.",
    )
    return " ".join(filter(None, sentences))


def _columns(
    shown: Sequence[ReconciledCycle], word: str, style: TerminalStyle
) -> tuple[tuple[Column, ...], str]:
    """Return the columns that fit, and a sentence about what does not.

    Intermediate lines give way before uncertainties do: a time without one is worth little.
    """
    wide = _all_columns(shown, word, style, quantity_text)
    kept = fitting_columns(wide, style.width)
    note = ""
    if _cells(kept) > style.width:
        wide = _all_columns(shown, word, style, value_ms_text)
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
        *_outcomes(shown),
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
    """Return the column of outcomes, or none where every cycle went as it should."""
    if all(cycle.outcome is Outcome.SLEPT_AND_WOKE for cycle in shown):
        return []
    return [Column("outcome", [outcome_words(c.outcome) for c in shown], right=False)]


def _verdict_word(cycle: ReconciledCycle) -> str:
    return unjudged_word(cycle) or cycle.verdict.value


def _coloured(line: str, cycle: ReconciledCycle, style: TerminalStyle) -> str:
    if not cycle.judged:
        return line
    # The verdict stands once in a row, after the numbers; only findings' counts follow it.
    front, word, rest = line.rpartition(cycle.verdict.value)
    return joined(front, style.verdict(cycle.verdict), rest) if word else line


def _left_out(cycles: Sequence[ReconciledCycle], choice: RowChoice, style: TerminalStyle) -> str:
    hidden = islice(cycles, choice.head, len(cycles) - choice.tail)
    counts = Counter(_verdict_word(cycle) for cycle in hidden)
    listed = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    return style.paragraph(
        f"... {choice.left_out} of {len(cycles)} cycles are left out here ({listed});"
        " --all shows them all ..."
    )


def _summary(correlation: Correlation, style: TerminalStyle) -> Iterator[str]:
    summary = campaign_summary(correlation.cycles)
    word = trigger_word(correlation.cycles)
    for name, figures in (
        ("Total resume time (BIOS init + device init)", summary.resume),
        (f"{word.capitalize()} to resume complete", summary.complete),
        (f"{word.capitalize()} to display on", summary.light),
    ):
        if figures is not None:
            yield style.paragraph(f"{name}: {_figures(figures)}")
    failed = sum(1 for c in correlation.cycles if c.judged and c.verdict is Verdict.FAIL)
    yield style.paragraph(
        f"{count_of(len(correlation.cycles), 'cycle')}, {summary.judged} judged, {failed} failed."
    )


def _figures(figures: Statistics) -> str:
    return (
        f"minimum {figures.min_ms:.0f}, median {figures.median_ms:.0f},"
        f" average {figures.mean_ms:.0f}, maximum {figures.max_ms:.0f} ms"
    )


def _findings(correlation: Correlation, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    groups = grouped_findings(correlation.cycles)
    if not groups:
        yield "No findings.\n"
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
    meaning = explained(group.kind)
    if meaning is not None:
        yield style.paragraph(f"What to do: {meaning.do}", indent=4)
        owner = team_of(group.kind).value
        yield style.paragraph(f"Owner: {owner}. More by: {meaning.command}", indent=4)


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


def _unmatched(correlation: Correlation, style: TerminalStyle) -> Iterator[str]:
    yield from map(style.paragraph, match_sentences(correlation))
    lonely = [c.outside.number for c in correlation.cycles if c.record is None]
    if lonely:
        yield style.paragraph(f"Cycles without an OS record: {cycle_ranges(lonely)}.")
        for sentence in missing_sentences(correlation.cycles):
            yield style.paragraph(sentence, indent=2)
    records = correlation.unmatched_records
    if records:
        named = ", ".join(record_name(each.record) for each in records[:_RECORDS_NAMED])
        rest = len(records) - _RECORDS_NAMED
        more = f", and {rest} more" if rest > 0 else ""
        yield style.paragraph(f"OS records without a cycle: {named}{more}.")
        for sentence in record_sentences(records):
            yield style.paragraph(sentence, indent=2)
