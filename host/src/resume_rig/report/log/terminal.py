"""What `log` and `watch-sleeps` show of judged records, for a terminal and as JSON lines.

`log` has the columns of S3Resume's table and its words; `watch-sleeps` has a line for each sleep
as its record comes, and a summary.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from resume_rig.analysis.answer.log import AnsweredLog
from resume_rig.analysis.answer.log_figures import extremes, no_sleep_sentence, user_sentence
from resume_rig.model.os_record import NO_SLEEPS, LogSource, kind_words
from resume_rig.model.result.judgement import JudgedRecord, KindJudgement
from resume_rig.model.result.verdict import WORST_FIRST, Verdict
from resume_rig.model.units import (
    count_of,
)
from resume_rig.report.log.document import cycle_json
from resume_rig.report.log.transitions import (
    Transition,
    has_own_table,
    main_transitions,
    other_times,
    transitions_not_covered,
    woken_by,
)
from resume_rig.report.parts.answer import answer_json, answer_lines, unseen_lines
from resume_rig.report.parts.components import component_lines
from resume_rig.report.parts.statistics import statistics_sentences
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import Json, json_text, text_json, utc_json
from resume_rig.report.text.terminal_style import VERDICT_CELLS, TerminalStyle, padded
from resume_rig.report.text.terminal_text import Painted, joined
from resume_rig.report.text.wording import (
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


def log_table(log: AnsweredLog, style: TerminalStyle, *, show_all: bool = False) -> Iterator[str]:
    """Yield the whole answer of `log` in pieces to be written as they are.

    Args:
        log: with its answer.
        style: what the terminal takes.
        show_all: every row of a long table, not only what did not pass and the slowest, and the
            statistics.
    """
    judgement, transitions = log.judgement, main_transitions(log)
    yield from answer_lines(log.answer, style)
    yield "\n"
    yield style.paragraph(requirement_sentence(judgement.requirement))
    yield "\n"
    yield from _table(transitions, style, show_all=show_all)
    yield "\n"
    yield from _totals(log, style)
    if show_all:
        series, failures, limits = judgement.series, judgement.failures, judgement.limits
        sentences = statistics_sentences(series, failures, limits, "transition")
        yield from map(style.paragraph, sentences)
        yield from unseen_lines(log.answer, style)
    for kind in judgement.not_covered:
        yield from _not_covered(log, kind, style, show_all=show_all)
    yield from component_lines(judgement.reading, style, show_all=show_all)
    yield "\n"
    yield from _sources(judgement.reading.sources, style)


def _table(
    transitions: Sequence[Transition], style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    header = _header(style)
    yield f"{header}\n"
    yield style.rule(len(header))
    if not transitions:
        yield "(no transition)\n"
    shown = _folded(transitions, len(transitions) if show_all else None)
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


def _folded(transitions: Sequence[Transition], most: int | None) -> Sequence[Transition]:
    """Return what a reader looks for first: what did not pass, then what took longest.

    Args:
        transitions: in the log's order, in which those of one verdict stay.
        most: how many; None: as many as a table that was not asked for has.
    """
    if most is None and len(transitions) > _FOLDED_TO:
        most = _FOLDED_TO if any(one.counts for one in transitions) else _FOLDED_WITHOUT

    def weight(one: Transition) -> tuple[int, int]:
        worst = WORST_FIRST.index(one.cycle.verdict) if one.counts else len(WORST_FIRST)
        return worst, -(one.cycle.record.resume_ms or 0)

    kept = sorted(transitions, key=weight)[:most]
    return sorted(kept, key=lambda one: (not _went_wrong(one), one.number))


def _went_wrong(one: Transition) -> bool:
    return one.counts and one.cycle.verdict is not Verdict.PASS


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


def _totals(log: AnsweredLog, style: TerminalStyle) -> Iterator[str]:
    yield style.paragraph("Times in ms; Total = BIOS Init + Driver Init; - = not measured.")
    found, statistics = extremes(log), log.judgement.statistics
    if found is None:
        # Of boots and shutdowns their sentence and the figures of the limits have the times.
        if not log.answer.counts.judged:
            yield style.paragraph("No transition was judged, so there is no minimum or maximum.")
        return
    for word, (number, total_ms) in (("Minimum", found.least), ("Maximum", found.greatest)):
        yield f"{word} Total Time: {total_ms}, Transition No. {number}\n"
    yield f"Average Total Time: {_figure(statistics.mean_ms)}\n"
    yield style.paragraph(
        f"Over {statistics.n} judged: median {_figure(statistics.median_ms)},"
        f" 95th percentile {_figure(statistics.p95_ms)}."
    )
    if user := user_sentence(log.judgement):
        yield style.paragraph(user)


def _not_covered(
    log: AnsweredLog, kind: KindJudgement, style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    figures = kind.statistics
    name, count = kind_words(kind.kind), count_of(kind.cycles, "cycle")
    yield "\n"
    if kind.kind in NO_SLEEPS:
        yield style.paragraph(f"{name}: {no_sleep_sentence(log.judgement, kind.kind)}")
    elif figures.n == 0:
        yield style.paragraph(f"{name}: {count}, none measured.")
    else:
        yield style.paragraph(
            f"{name}, not covered by this requirement: {count}, {figures.n} measured,"
            f" minimum {_figure(figures.min_ms)}, average {_figure(figures.mean_ms)},"
            f" maximum {_figure(figures.max_ms)} ms."
        )
    if has_own_table(log.judgement, kind.kind):
        yield from _table(transitions_not_covered(log, kind.kind), style, show_all=show_all)


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


def watched_json(cycle: JudgedRecord, number: int) -> str:
    """Return one sleep as a JSON document in a line; `number` as every face numbers it."""
    return (
        json_text({"schema": SCHEMA, "event": "sleep", "cycle": cycle_json(cycle, number)}) + "\n"
    )


def summary_lines(log: AnsweredLog, style: TerminalStyle) -> list[str]:
    """Return what all watched sleeps come to."""
    answer = log.answer
    if not log.judgement.cycles:
        return [
            style.verdict_line(answer.verdict, _NONE_CAME),
            *map(style.paragraph, (*answer.why, _BEFORE)),
        ]
    return list(answer_lines(answer, style))


_NONE_CAME: Final = "No sleep came in the time that was watched."
_BEFORE: Final = "Sleeps from before do not count here: resume-rig log judges them."


def summary_json(log: AnsweredLog) -> str:
    """Return the same as a JSON document in a line."""
    answer, judgement = log.answer, log.judgement
    none_came = " ".join((_NONE_CAME, *answer.why))
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "event": "summary",
        "log": text_json(judgement.reading.sources[0].path),
        "sleeps": answer.counts.total,
        "judged": answer.counts.judged,
        "verdict": answer.verdict.value,
        "why": text_json(judgement.why if judgement.cycles else none_came),
        "answer": answer_json(answer),
    }
    return json_text(document) + "\n"
