"""What `log` and `watch-sleeps` show of judged records, for a terminal and as JSON lines.

`log` has the columns of S3Resume's table and its words; `watch-sleeps` has a line for each sleep
as its record comes, and a summary.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from resume_rig.model.os_record import NO_SLEEPS, LogSource, kind_words
from resume_rig.model.result.judgement import JudgedRecord, KindJudgement, LogJudgement
from resume_rig.model.result.verdict import WORST_FIRST, Statistics
from resume_rig.model.units import count_of
from resume_rig.report.log.answer import (
    Transition,
    answer_sentence,
    computer_name,
    extremes,
    has_own_table,
    main_transitions,
    no_sleep_sentence,
    other_times,
    reason_sentences,
    transitions_not_covered,
    user_sentence,
    woken_by,
)
from resume_rig.report.log.document import cycle_json
from resume_rig.report.parts.components import component_lines
from resume_rig.report.parts.statistics import statistics_sentences
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import Json, json_text, text_json, utc_json
from resume_rig.report.text.terminal_style import VERDICT_CELLS, TerminalStyle, padded
from resume_rig.report.text.terminal_text import Painted, joined
from resume_rig.report.text.wording import (
    capitalised,
    requirement_sentence,
    utc_text,
    whole_ms_text,
)

_HEADER: Final = "Transition # | BIOS Init | Driver Init | Total"
_NOTE: Final = "Woken by; note"
_MIDDLE: Final = f"{_HEADER} | Verdict     | Record | {_NOTE}"
_WIDE: Final = f"{_HEADER} | Verdict     | Record | Woke (UTC)       | {_NOTE}"
_NARROW: Final = f"{_HEADER} | Verdict or note"
_MIDDLE_FROM: Final = 100
"""Narrower terminals have no record numbers, and verdict and note in one column."""
_WIDE_FROM: Final = 118
"""Narrower terminals have no time of the wake."""
_FOLDED_TO: Final = 12
"""Rows of a longer table, unless all are asked for."""
_FOLDED_WITHOUT: Final = 5
"""The same, of a table without a verdict."""

_TRACE: Final = "etl"


def log_table(
    judgement: LogJudgement, style: TerminalStyle, *, show_all: bool = False
) -> Iterator[str]:
    """Yield the whole answer of `log` in pieces to be written as they are.

    Args:
        judgement: what to show.
        style: what the terminal takes.
        show_all: every row of a long table, not only what did not pass and the slowest.
    """
    yield style.verdict_line(judgement.verdict, answer_sentence(judgement))
    yield from map(style.paragraph, reason_sentences(judgement))
    yield "\n"
    yield style.paragraph(requirement_sentence(judgement.requirement))
    for unit in judgement.units:
        yield "\n"
        yield style.paragraph(f"Computer {computer_name(unit)}: {unit.verdict}")
        yield from _transitions(unit, style, show_all=show_all)
    if not judgement.units:
        yield from _transitions(judgement, style, show_all=show_all)
    yield "\n"
    yield from _sources(judgement.reading.sources, style)


def _transitions(judgement: LogJudgement, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    transitions = main_transitions(judgement)
    yield "\n"
    yield from _table(transitions, style, show_all=show_all)
    yield "\n"
    yield from _totals(transitions, judgement.statistics, style)
    series, failures, limits = judgement.series, judgement.failures, judgement.limits
    yield from map(style.paragraph, statistics_sentences(series, failures, limits, "record"))
    for kind in judgement.not_covered:
        yield from _not_covered(judgement, kind, style, show_all=show_all)
    yield from component_lines(judgement.reading, style, show_all=show_all)


def _table(
    transitions: Sequence[Transition], style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    header = _header(style)
    yield f"{header}\n"
    yield style.rule(len(header))
    if not transitions:
        yield "(no transition)\n"
    shown = transitions if show_all else _folded(transitions)
    covered = any(one.counts for one in transitions)
    for transition in shown:
        yield _row(transition, style)
    if len(shown) < len(transitions):
        yield style.paragraph(
            f"{len(shown)} of {len(transitions)} transitions:"
            f" {'what did not pass, then ' if covered else ''}the slowest; --all shows all."
        )


def _header(style: TerminalStyle) -> str:
    if style.width >= _WIDE_FROM:
        return _WIDE
    return _MIDDLE if style.width >= _MIDDLE_FROM else _NARROW


def _folded(transitions: Sequence[Transition]) -> Sequence[Transition]:
    """Return what a reader looks for first: what did not pass, then what took longest."""
    if len(transitions) <= _FOLDED_TO:
        return transitions
    most = _FOLDED_TO if any(one.counts for one in transitions) else _FOLDED_WITHOUT

    def weight(one: Transition) -> tuple[int, int]:
        worst = WORST_FIRST.index(one.cycle.verdict) if one.counts else len(WORST_FIRST)
        return worst, -(one.cycle.record.resume_ms or 0)

    kept = sorted(transitions, key=weight)[:most]
    return sorted(kept, key=lambda one: one.number)


def _row(transition: Transition, style: TerminalStyle) -> Painted:
    record = transition.cycle.record
    front = "   ".join(
        (
            padded(transition.name, 12, right=False),
            whole_ms_text(record.bios_init_ms).rjust(9),
            whole_ms_text(record.driver_init_ms).rjust(11),
            whole_ms_text(record.resume_ms).rjust(5),
        )
    )
    end = _wide_end if style.width >= _MIDDLE_FROM else _narrow_end
    return joined(front, "   ", end(transition, style), "\n")


def _wide_end(transition: Transition, style: TerminalStyle) -> Painted:
    cycle, unjudged = transition.cycle, transition.unjudged
    verdict = (
        unjudged.ljust(VERDICT_CELLS) if unjudged else style.verdict(cycle.verdict, VERDICT_CELLS)
    )
    number = "-" if cycle.record.record_id is None else str(cycle.record.record_id)
    parts = [number.rjust(6)]
    if style.width >= _WIDE_FROM:
        parts.append(utc_text(cycle.record.wake_time_utc_ns, 16).ljust(16))
    at = len(_header(style)) - len(_NOTE)
    note = "; ".join(filter(None, (woken_by(cycle.record), transition.note)))
    first, *more = style.cell_lines(note, style.width - at)
    parts.append(first)
    rest = joined("   ".join(parts).rstrip(), *(f"{'':{at}}{line}" for line in more), between="\n")
    return joined(verdict, "   ", rest)


def _narrow_end(transition: Transition, style: TerminalStyle) -> str:
    if transition.unjudged is not None:
        return style.cell(transition.note or transition.unjudged, style.width - len(_HEADER) - 3)
    verdict = style.verdict(transition.cycle.verdict)
    return joined(verdict, f", {transition.note}") if transition.note else verdict


def _totals(
    transitions: Sequence[Transition], statistics: Statistics, style: TerminalStyle
) -> Iterator[str]:
    yield style.paragraph("Times in ms; Total = BIOS Init + Driver Init; - = not measured.")
    found = extremes(transitions)
    if found is None and any(each.counts for each in transitions):
        return  # boots and shutdowns: their sentence and the figures of the limits have the times
    if found is None:
        yield style.paragraph("No transition was judged, so there is no minimum or maximum.")
        return
    for word, one in (("Minimum", found.least), ("Maximum", found.greatest)):
        yield f"{word} Total Time: {one.cycle.record.resume_ms}, Transition No. {one.number}\n"
    yield f"Average Total Time: {_figure(statistics.mean_ms)}\n"
    yield style.paragraph(
        f"Over {statistics.n} judged: median {_figure(statistics.median_ms)},"
        f" 95th percentile {_figure(statistics.p95_ms)}."
    )
    if user := user_sentence(transitions):
        yield style.paragraph(user)


def _not_covered(
    judgement: LogJudgement, kind: KindJudgement, style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    figures = kind.statistics
    name, count = kind_words(kind.kind), count_of(kind.cycles, "cycle")
    yield "\n"
    if kind.kind in NO_SLEEPS:
        yield style.paragraph(f"{name}: {no_sleep_sentence(judgement, kind.kind)}")
    elif figures.n == 0:
        yield style.paragraph(f"{name}: {count}, none measured.")
    else:
        yield style.paragraph(
            f"{name}, not covered by this requirement: {count}, {figures.n} measured,"
            f" minimum {_figure(figures.min_ms)}, average {_figure(figures.mean_ms)},"
            f" maximum {_figure(figures.max_ms)} ms."
        )
    if has_own_table(judgement, kind.kind):
        yield from _table(transitions_not_covered(judgement, kind.kind), style, show_all=show_all)


def _sources(sources: Sequence[LogSource], style: TerminalStyle) -> Iterator[str]:
    for source in sources:
        if source.kind == _TRACE:  # nobody sees by its name what a trace is of
            identity = ", ".join(
                f"{name.replace('_', ' ')} {text}" for name, text in source.identity
            )
            yield style.paragraph(f"{source.path}: {source.records} events; {identity}.")
    damaged = [source for source in sources if not source.integrity.ok]
    for source in damaged:
        for problem in source.integrity.damage or ("the reader gave no reason",):
            yield style.paragraph(f"Incomplete: {source.path}: {problem}")
    for source in sources:
        found = source.integrity
        for note in found.problems if found.ok else found.notes:
            yield style.paragraph(f"Note on {source.path}: {note}")
    described = [source for source in sources if source.from_description]
    for source in described:
        yield style.paragraph(
            f"Note on {source.path}: no public sample of {source.kind} exists; it was read by"
            " Microsoft's description of it."
        )
    whole = len(sources) - len(damaged)
    complete = "complete" if whole == len(sources) else f"{whole} complete"
    yield style.paragraph(f"{count_of(len(sources), 'log')} read, {complete}.")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


SCHEMA: Final = "resume-rig/watch-sleeps/1"


def watched_line(cycle: JudgedRecord, style: TerminalStyle) -> Painted:
    """Return one sleep in a line: when it ended, its verdict, how long the resume took."""
    record = cycle.record
    ended = utc_json(record.wake_time_utc_ns or record.written_utc_ns)
    when = "-" * 20 if ended is None else f"{ended[:19]}Z"
    source = one_line(woken_by(record))
    by = f", woken by {source}" if source else ""
    what = f"{kind_words(record.kind)}: {_resume(cycle)}{by}\n"
    return joined(f"{when}  ", style.verdict(cycle.verdict, VERDICT_CELLS), "  ", what)


def _resume(cycle: JudgedRecord) -> str:
    record = cycle.record
    if record.resume_ms is None:
        times = other_times(record)
        return f"no resume time{f' ({times})' if times else ''}"
    parts = f"BIOS {record.bios_init_ms}, devices {record.driver_init_ms}"
    why_not = f"; {cycle.why_not}" if not cycle.judged and cycle.why_not else ""
    return f"resumed in {record.resume_ms} ms ({parts}){why_not}"


def watched_json(cycle: JudgedRecord) -> str:
    """Return one sleep as a JSON document in a line."""
    return json_text({"schema": SCHEMA, "event": "sleep", "cycle": cycle_json(cycle)}) + "\n"


def summary_lines(judgement: LogJudgement, style: TerminalStyle) -> list[str]:
    """Return what all watched sleeps come to."""
    if not judgement.cycles:
        lines = (_NONE_CAME, *filter(None, (capitalised(_rest_of_why(judgement)), _BEFORE)))
        first, *more = lines
        return [style.verdict_line(judgement.verdict, first), *map(style.paragraph, more)]
    return [
        style.verdict_line(judgement.verdict, answer_sentence(judgement)),
        *map(style.paragraph, reason_sentences(judgement)),
    ]


_NONE_CAME: Final = "No sleep came in the time that was watched."
_BEFORE: Final = "Sleeps from before do not count here: resume-rig log judges them."


def _rest_of_why(judgement: LogJudgement) -> str:
    """Return what a judgement of nothing rests on besides that there is nothing."""
    return judgement.why.partition("; ")[2]


def summary_json(judgement: LogJudgement) -> str:
    """Return the same as a JSON document in a line."""
    why = judgement.why
    if not judgement.cycles:
        why = " ".join(filter(None, (_NONE_CAME, capitalised(_rest_of_why(judgement)))))
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "event": "summary",
        "log": text_json(judgement.reading.sources[0].path),
        "sleeps": len(judgement.cycles),
        "judged": sum(cycle.judged for cycle in judgement.cycles),
        "verdict": judgement.verdict.value,
        "why": text_json(why),
    }
    return json_text(document) + "\n"
