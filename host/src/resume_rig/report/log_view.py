"""What the page of a log judgement shows, worked out; the template only places it."""

from collections.abc import Sequence
from dataclasses import dataclass

from resume_rig.model.judgement import LogJudgement
from resume_rig.model.os_record import NO_SLEEPS, LogSource
from resume_rig.model.units import count_of, percent_up
from resume_rig.report.json_text import utc_json
from resume_rig.report.page_parts import (
    STATED_LIMITS,
    Badge,
    LimitRow,
    Pair,
    Tile,
    badge,
    badge_or,
    limit_rows,
    requirement_pairs,
    statistics_tiles,
)
from resume_rig.report.parts_view import PartsSection, parts_section
from resume_rig.report.row_choice import PAGE_ROWS, row_choice
from resume_rig.report.statistics_text import statistics_sentences
from resume_rig.report.svg_histogram import Histogram, histogram
from resume_rig.report.transitions import (
    Transition,
    apart_transitions,
    extremes,
    has_table_apart,
    main_transitions,
    no_sleep_sentence,
    total_times_ms,
)
from resume_rig.report.wording import (
    MISSING,
    kind_words,
    whole_ms_text,
)


@dataclass(frozen=True, slots=True)
class TransitionRow:
    """One row of a transition table."""

    name: str
    record: str
    kind: str
    woke: str
    bios: str
    drivers: str
    total: str
    wake_source: str
    badge: Badge
    note: str


@dataclass(frozen=True, slots=True)
class TransitionTable:
    """The rows that are shown; `left_out` says what is missing between them, where it is long."""

    before: tuple[TransitionRow, ...]
    left_out: str
    after: tuple[TransitionRow, ...]


@dataclass(frozen=True, slots=True)
class ApartSection:
    """A kind that the requirement does not speak of."""

    kind: str
    badge: Badge
    summary: str
    table: TransitionTable | None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source with its integrity."""

    path: str
    kind: str
    os_build: str
    records: int
    whole: bool
    problems: tuple[str, ...]
    identity: tuple[Pair, ...]
    from_description: bool


@dataclass(frozen=True, slots=True)
class LogPage:
    """Everything that the template of a log's page asks for."""

    generated: str
    badge: Badge
    why: str
    tiles: tuple[Tile, ...]
    requirement: tuple[Pair, ...]
    table: TransitionTable
    extremes: str
    limits_judged: tuple[LimitRow, ...]
    statistics: tuple[str, ...]
    histogram: Histogram | None
    histogram_note: str
    apart: tuple[ApartSection, ...]
    parts: PartsSection
    sources: tuple[SourceRow, ...]
    limits: tuple[str, ...]


def log_page(judgement: LogJudgement, generated: str) -> LogPage:
    """Return the page of `judgement`."""
    transitions = main_transitions(judgement)
    times = total_times_ms(transitions)
    return LogPage(
        generated=generated,
        badge=badge(judgement.verdict),
        why=judgement.why,
        tiles=(
            Tile(
                "transitions judged", str(judgement.statistics.n), f"of {len(transitions)} listed"
            ),
            *statistics_tiles(judgement.statistics),
            _failure_tile(judgement.failure_rate_upper),
        ),
        requirement=requirement_pairs(judgement.requirement),
        table=_table(transitions),
        extremes=_extremes(transitions),
        limits_judged=limit_rows(judgement.limits),
        statistics=tuple(
            statistics_sentences(judgement.series, judgement.failures, judgement.limits, "record")
        ),
        histogram=histogram(times, judgement.requirement.resume_limit_ms),
        histogram_note=f"BIOS + drivers of the {count_of(len(times), 'judged transition')}.",
        apart=_apart(judgement),
        parts=parts_section(judgement.reading, "log --json"),
        sources=tuple(_source(source) for source in judgement.reading.sources),
        limits=STATED_LIMITS,
    )


def _failure_tile(upper: float | None) -> Tile:
    if upper is None:
        return Tile("failure rate", MISSING, "nothing was judged")
    return Tile("failure rate, at most", percent_up(upper), "with 95 % confidence")


def _table(transitions: Sequence[Transition]) -> TransitionTable:
    choice = row_choice(len(transitions), PAGE_ROWS)
    left_out = ""
    if choice.left_out:
        left_out = (
            f"{choice.left_out} of {len(transitions)} transitions are left out here;"
            " log --json has them all."
        )
    return TransitionTable(
        before=tuple(_row(transition) for transition in transitions[: choice.head]),
        left_out=left_out,
        after=tuple(_row(t) for t in transitions[len(transitions) - choice.tail :]),
    )


def _row(transition: Transition) -> TransitionRow:
    cycle, record = transition.cycle, transition.cycle.record
    source = record.wake_source
    return TransitionRow(
        name=transition.name,
        record=MISSING if record.record_id is None else str(record.record_id),
        kind=kind_words(record.kind),
        woke=(utc_json(record.wake_time_utc_ns) or MISSING)[:19].replace("T", " "),
        bios=whole_ms_text(record.bios_init_ms),
        drivers=whole_ms_text(record.driver_init_ms),
        total=whole_ms_text(record.resume_ms),
        wake_source=f"{source.name}: {source.text}" if source.text else source.name,
        badge=badge_or(cycle.verdict, transition.unjudged),
        note=transition.note,
    )


def _extremes(transitions: Sequence[Transition]) -> str:
    found = extremes(transitions)
    if found is None:
        return "No transition was judged, so there is no minimum or maximum."
    least, greatest = found.least, found.greatest
    return (
        f"Minimum total {least.cycle.record.resume_ms} ms, transition {least.number};"
        f" maximum total {greatest.cycle.record.resume_ms} ms, transition {greatest.number}."
    )


def _apart(judgement: LogJudgement) -> tuple[ApartSection, ...]:
    sections = []
    for kind in judgement.apart:
        own_table = has_table_apart(judgement, kind.kind)
        figures = kind.statistics
        if kind.kind in NO_SLEEPS:
            sentence = no_sleep_sentence(judgement, kind.kind)
            mark = Badge("no resume", "none")
            sections.append(ApartSection(kind_words(kind.kind), mark, sentence, None))
            continue
        summary = f"{count_of(kind.cycles, 'cycle')}, {figures.n} measured"
        if figures.min_ms is not None and figures.max_ms is not None:
            summary += f": {figures.min_ms:.0f} to {figures.max_ms:.0f} ms"
        if figures.mean_ms is not None:
            summary += f", average {figures.mean_ms:.0f} ms"
        if not own_table:
            summary += "; listed in the table above"
        table = _table(apart_transitions(judgement, kind.kind)) if own_table else None
        sections.append(
            ApartSection(kind_words(kind.kind), badge(kind.verdict), f"{summary}.", table)
        )
    return tuple(sections)


def _source(source: LogSource) -> SourceRow:
    return SourceRow(
        path=source.path,
        kind=source.kind,
        os_build=MISSING if source.os_build is None else str(source.os_build),
        records=source.records,
        whole=source.integrity.ok,
        problems=source.integrity.problems,
        identity=tuple(Pair(name.replace("_", " "), value) for name, value in source.identity),
        from_description=source.from_description,
    )
