"""What the page of a log judgement shows, worked out; the template only places it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from resume_rig.analysis.answer.headline import plain
from resume_rig.analysis.answer.log import AnsweredLog
from resume_rig.analysis.answer.log_figures import (
    KindFigures,
    extremes,
    kinds_of,
    no_sleep_sentence,
)
from resume_rig.model.os_record import NO_SLEEPS, LogSource, OsRecord, kind_words
from resume_rig.model.result.answer import DoubtKind, Standing
from resume_rig.model.result.judgement import LogJudgement
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import NS_PER_S, capitalised, count_of, percent_up
from resume_rig.report.drawing.histogram import NamedHistogram, histogram
from resume_rig.report.drawing.marks import Strips, StripSource, date_strips
from resume_rig.report.log.transitions import (
    Transition,
    has_own_table,
    main_transitions,
    transitions_not_covered,
)
from resume_rig.report.parts.answer import WHY_SHOWN, cause_text, unseen_text
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
    requirement_pairs,
)
from resume_rig.report.parts.statistics import JUDGED_TIME, statistics_sentences
from resume_rig.report.text.wording import (
    MISSING,
    PAGE_ROWS,
    row_choice,
    utc_text,
    whole_ms_text,
)


@dataclass(frozen=True, slots=True)
class TransitionRow:
    """One row of a transition table; `flags` are the letters of the filters that it passes."""

    flags: str
    name: str
    record: str
    kind: str
    woke: str
    bios: str
    drivers: str
    user: str
    total: str
    wake_source: str
    badge: Badge
    note: str


@dataclass(frozen=True, slots=True)
class TransitionTable:
    """The rows that are shown; `left_out` is about those between them, where it is long."""

    before: tuple[TransitionRow, ...]
    left_out: str
    after: tuple[TransitionRow, ...]


@dataclass(frozen=True, slots=True)
class OtherKindSection:
    """A kind that the requirement does not speak of."""

    kind: str
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
class KindRow:
    """What the log holds of one kind of transition; times in ms."""

    kind: str
    count: str
    measured: str
    least: str
    middle: str
    greatest: str
    judged: str


@dataclass(frozen=True, slots=True)
class LogPage:
    """Everything that the template of a log's page asks for.

    Attributes:
        title, subtitle: which log, of what and of when.
        sentence: what the log holds. reasons: what the verdict rests
            on. actions: what to do.
        kinds: a row a kind. timeline: every record on its date. histograms: of each kind.
    """

    generated: str
    title: str
    subtitle: tuple[str, ...]
    badge: Badge
    sentence: str
    trust: tuple[TrustBadge, ...]
    reasons: tuple[str, ...]
    actions: tuple[str, ...]
    tiles: tuple[Tile, ...]
    kinds: tuple[KindRow, ...]
    timeline: Strips | None
    histograms: tuple[NamedHistogram, ...]
    requirement: tuple[Pair, ...]
    table: TransitionTable
    extremes: str
    limits_judged: tuple[LimitRow, ...]
    statistics: tuple[str, ...]
    other_kinds: tuple[OtherKindSection, ...]
    parts: PartsSection
    sources: tuple[SourceRow, ...]
    limits: tuple[str, ...]


def log_page(log: AnsweredLog, generated: str) -> LogPage:
    """Return the page of judged logs."""
    judgement, answer, kinds = log.judgement, log.answer, kinds_of(log.judgement)
    return LogPage(
        generated=generated,
        title=_title(judgement),
        subtitle=_subtitle(log),
        badge=badge(answer.verdict),
        sentence=answer.headline,
        trust=tuple(TrustBadge(each.text, _ANCHORS[each.kind]) for each in answer.doubts),
        reasons=answer.why[:WHY_SHOWN],
        actions=tuple(map(cause_text, answer.causes)),
        tiles=_tiles(log),
        kinds=tuple(map(_kind_row, kinds)),
        timeline=_timeline(log, kinds),
        histograms=tuple(_histograms(judgement, kinds)),
        requirement=requirement_pairs(judgement.requirement),
        table=_table(main_transitions(log)),
        extremes=_extremes(log),
        limits_judged=limit_rows(judgement.limits),
        statistics=(
            *answer.why[WHY_SHOWN:],
            *statistics_sentences(
                judgement.series, judgement.failures, judgement.limits, "transition"
            ),
            *map(unseen_text, answer.unseen),
        ),
        other_kinds=_other_kinds(log),
        parts=parts_section(judgement.reading, "log --json"),
        sources=tuple(_source(source) for source in judgement.reading.sources),
        limits=STATED_LIMITS,
    )


_ANCHORS: Final = {DoubtKind.INCOMPLETE: "#sources", DoubtKind.NO_TIME: "#transitions"}


def _title(judgement: LogJudgement) -> str:
    names = [Path(source.path).name for source in judgement.reading.sources]
    return names[0] if len(names) == 1 else f"{count_of(len(names), 'log')}"


def _subtitle(log: AnsweredLog) -> tuple[str, ...]:
    sources, subject = log.judgement.reading.sources, log.answer.subject
    builds = dict.fromkeys(f"build {each.os_build}" for each in sources if each.os_build)
    kinds = dict.fromkeys(each.kind for each in sources)
    days = [_day(at / NS_PER_S) for at in (subject.first_utc_ns, subject.last_utc_ns) if at]
    transitions = count_of(log.answer.counts.total, "transition")
    return (*kinds, *builds, transitions, *([" to ".join(dict.fromkeys(days))] if days else ()))


def _tiles(log: AnsweredLog) -> tuple[Tile, ...]:
    figures, answer = log.judgement.statistics, log.answer
    judged, bound = answer.limit, answer.failures
    times = Tile(f"{JUDGED_TIME} (p50 · p95 · worst)", MISSING, "no time is judged")
    if figures.median_ms is not None and figures.p95_ms is not None and figures.max_ms is not None:
        value = f"{figures.median_ms:.0f} · {figures.p95_ms:.0f} · {figures.max_ms:.0f} ms"
        times = Tile(times.name, value, f"minimum {figures.min_ms:.0f} ms, total resume time")
    elif judged is not None and judged.worst is not None:
        name = f"{capitalised(judged.title)}, worst"
        times = Tile(name, f"{plain(judged.worst)} {judged.unit}", "as the OS reports it")
    rate = Tile("Failure rate, at most", MISSING, "nothing was judged")
    if bound is not None:
        rate = Tile(rate.name, percent_up(bound.upper), "95 % confidence")
    counts = answer.counts
    many = Tile("Transitions judged", str(counts.judged), f"of {counts.total}")
    return times, many, rate


def _kind_row(figures: KindFigures) -> KindRow:
    judged = "judged"
    if not figures.covered:
        died = "no evidence: the OS did not come back"
        judged = died if figures.died else "not covered by this requirement"
    return KindRow(
        kind=kind_words(figures.kind),
        count=str(len(figures.cycles)),
        measured=str(figures.measured),
        least=_whole(figures.least_ms),
        middle=_whole(figures.median_ms),
        greatest=_whole(figures.greatest_ms),
        judged=judged,
    )


def _whole(value_ms: float | None) -> str:
    return MISSING if value_ms is None else f"{value_ms:.0f}"


_LATEST_S = 4_102_444_800.0  # 2100: a date beyond it is a clock's error, and would hide all others


def _moment_s(record: OsRecord) -> float | None:
    """Return when a transition ended, or began, or was written; None of no believable date."""
    moments = (record.wake_time_utc_ns, record.sleep_time_utc_ns, record.written_utc_ns)
    moments_s = (at / NS_PER_S for at in moments if at is not None)
    return next((at for at in moments_s if 0 < at < _LATEST_S), None)


def _day(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d")


def _timeline(log: AnsweredLog, kinds: Sequence[KindFigures]) -> Strips | None:
    sources, undated = [], 0
    for each in kinds:
        dated = [(_moment_s(c.record), c.judged and c.verdict is Verdict.FAIL) for c in each.cycles]
        placed = [(at, bad) for at, bad in dated if at is not None]
        undated += len(dated) - len(placed)
        words = kind_words(each.kind)
        sources.append(
            StripSource(
                name=f"{words} ({len(each.cycles)})",
                places=[at for at, _ in placed],
                failed=[bad for _, bad in placed],
                unknown=len(dated) - len(placed),
                text=f"{words}: {count_of(len(each.cycles), 'record')}",
            )
        )
    counts = log.answer.counts
    summary = f"{count_of(counts.total, 'transition')} by kind and date, in UTC."
    summary += " A failed one is in the limit's colour." if counts[Standing.FAILED] else ""
    summary += f" ◇ {undated} without a date." if undated else ""
    return date_strips(sources, summary)


def _histograms(judgement: LogJudgement, kinds: Sequence[KindFigures]) -> Iterator[NamedHistogram]:
    """Yield one of each kind that has times; of judged kinds against the limit."""
    for number, each in enumerate(kinds, 1):
        limit_ms = judgement.requirement.resume_limit_ms if each.covered else None
        picture = histogram(each.judged_ms, limit_ms)
        if picture is not None and all(map(math.isfinite, each.judged_ms)):
            words, noun = kind_words(each.kind), "judged transition"
            of = count_of(len(each.judged_ms), noun if each.covered else "transition")
            yield NamedHistogram(
                id=f"histogram-{number}",
                title=f"Histogram of resume times, {words}",
                what=f"{words}: total resume time",
                note=f"{words}: total resume time of the {of}.",
                picture=picture,
            )


def _table(transitions: Sequence[Transition]) -> TransitionTable:
    """Return the rows, failures first."""
    transitions = sorted(transitions, key=lambda each: not _failed(each))
    choice = row_choice(len(transitions), PAGE_ROWS)
    left_out = ""
    if choice.left_out:
        left_out = (
            f"{choice.left_out} of {len(transitions)} transitions are left out here;"
            " log --json has them all."
        )
    flags = flags_of(
        [t.cycle.record.resume_ms if t.counts else None for t in transitions],
        [_failed(t) for t in transitions],
    )
    rows = [_row(t, each) for t, each in zip(transitions, flags, strict=True)]
    return TransitionTable(
        before=tuple(rows[: choice.head]),
        left_out=left_out,
        after=tuple(rows[len(rows) - choice.tail :]),
    )


def _failed(transition: Transition) -> bool:
    return transition.cycle.judged and transition.cycle.verdict is Verdict.FAIL


def _row(transition: Transition, flags: str) -> TransitionRow:
    cycle, record = transition.cycle, transition.cycle.record
    source = record.wake_source
    return TransitionRow(
        flags=f"{flags}{'g' * bool(transition.note)}",
        name=transition.name,
        record=MISSING if record.record_id is None else str(record.record_id),
        kind=kind_words(record.kind),
        woke=utc_text(record.wake_time_utc_ns, 19),
        bios=whole_ms_text(record.bios_init_ms),
        drivers=whole_ms_text(record.driver_init_ms),
        user=whole_ms_text(record.user_init_ms),
        total=whole_ms_text(record.resume_ms),
        wake_source=f"{source.name}: {source.text}" if source.text else source.name,
        badge=badge_or(cycle.verdict, transition.unjudged),
        note=transition.note,
    )


def _extremes(log: AnsweredLog) -> str:
    found = extremes(log)
    if found is None:
        none = "No transition was judged, so there is no minimum or maximum."
        return "" if log.answer.counts.judged else none
    (least, least_ms), (greatest, greatest_ms) = found.least, found.greatest
    return (
        f"Minimum total {least_ms} ms, transition {least};"
        f" maximum total {greatest_ms} ms, transition {greatest}."
    )


def _other_kinds(log: AnsweredLog) -> tuple[OtherKindSection, ...]:
    judgement, sections = log.judgement, []
    for kind in judgement.not_covered:
        own_table = has_own_table(judgement, kind.kind)
        figures = kind.statistics
        if kind.kind in NO_SLEEPS:
            sentence = no_sleep_sentence(judgement, kind.kind)
            sections.append(OtherKindSection(kind_words(kind.kind), sentence, None))
            continue
        summary = f"{count_of(kind.cycles, 'transition')}, {figures.n} measured"
        if figures.min_ms is not None and figures.max_ms is not None:
            summary += f": {figures.min_ms:.0f} to {figures.max_ms:.0f} ms"
        if figures.mean_ms is not None:
            summary += f", average {figures.mean_ms:.0f} ms"
        if not own_table:
            summary += "; listed in the table above"
        table = _table(transitions_not_covered(log, kind.kind)) if own_table else None
        sections.append(OtherKindSection(kind_words(kind.kind), f"{summary}.", table))
    return tuple(sections)


def _source(source: LogSource) -> SourceRow:
    found = source.integrity
    notes = (f"note: {note}" for note in found.notes)
    return SourceRow(
        path=source.path,
        kind=source.kind,
        os_build=MISSING if source.os_build is None else str(source.os_build),
        records=source.records,
        whole=source.integrity.ok,
        problems=found.problems if found.ok else (*found.damage, *notes),
        identity=identity_pairs(source.identity),
        from_description=source.from_description,
    )
