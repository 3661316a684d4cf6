"""What the page of a log judgement shows, worked out; the template only places it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from resume_rig.analysis.findings.advice import transition_length_ms
from resume_rig.analysis.verdict.measures import Sighting, is_time, measured
from resume_rig.model.os_record import NO_SLEEPS, LogSource, OsRecord, SleepKind, kind_words
from resume_rig.model.result.judgement import LogJudgement
from resume_rig.model.result.verdict import Limit, Requirement, Verdict
from resume_rig.model.units import NS_PER_MS, NS_PER_S, count_of, percent_up
from resume_rig.report.drawing.histogram import NamedHistogram, histogram
from resume_rig.report.drawing.marks import Strips, StripSource, date_strips
from resume_rig.report.log.answer import (
    Transition,
    answer_sentence,
    extremes,
    has_own_table,
    main_transitions,
    no_sleep_sentence,
    reason_sentences,
    transitions_not_covered,
)
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
from resume_rig.report.parts.statistics import statistics_sentences, worst_value
from resume_rig.report.text.wording import (
    MISSING,
    PAGE_ROWS,
    capitalised,
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
        sentence: what the log holds. reasons: what that means, and what to do.
        kinds: a row a kind. timeline: every record on its date. histograms: of each kind.
    """

    generated: str
    title: str
    subtitle: tuple[str, ...]
    badge: Badge
    sentence: str
    trust: tuple[TrustBadge, ...]
    reasons: tuple[str, ...]
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


def log_page(judgement: LogJudgement, generated: str) -> LogPage:
    """Return the page of `judgement`."""
    transitions = main_transitions(judgement)
    return LogPage(
        generated=generated,
        title=_title(judgement),
        subtitle=_subtitle(judgement),
        badge=badge(judgement.verdict),
        sentence=answer_sentence(judgement),
        trust=_trust(judgement),
        reasons=reason_sentences(judgement),
        tiles=_tiles(judgement),
        kinds=tuple(_kind_rows(judgement)),
        timeline=_timeline(judgement),
        histograms=tuple(_histograms(judgement)),
        requirement=requirement_pairs(judgement.requirement),
        table=_table(transitions),
        extremes=_extremes(transitions),
        limits_judged=limit_rows(judgement.limits),
        statistics=tuple(
            statistics_sentences(judgement.series, judgement.failures, judgement.limits, "record")
        ),
        other_kinds=_other_kinds(judgement),
        parts=parts_section(judgement.reading, "log --json"),
        sources=tuple(_source(source) for source in judgement.reading.sources),
        limits=STATED_LIMITS,
    )


def _title(judgement: LogJudgement) -> str:
    names = [Path(source.path).name for source in judgement.reading.sources]
    return names[0] if len(names) == 1 else f"{count_of(len(names), 'log')}"


def _subtitle(judgement: LogJudgement) -> tuple[str, ...]:
    sources = judgement.reading.sources
    builds = dict.fromkeys(f"build {each.os_build}" for each in sources if each.os_build)
    kinds = dict.fromkeys(each.kind for each in sources)
    days = sorted(_day(at) for r in judgement.reading.records if (at := _moment_s(r)) is not None)
    dates = () if not days else (days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}",)
    records = count_of(len(judgement.reading.records), "transition")
    return (*kinds, *builds, records, *dates)


def _trust(judgement: LogJudgement) -> tuple[TrustBadge, ...]:
    broken = [each for each in judgement.reading.sources if not each.integrity.ok]
    unmeasured = sum(each.undecided for each in judgement.cycles)
    badges = []
    if broken:
        names = ", ".join(Path(each.path).name for each in broken[:3])
        badges.append(TrustBadge(f"Log not complete: {names}", "#sources"))
    if unmeasured:
        words = f"{count_of(unmeasured, 'sleep')} without a time"
        badges.append(TrustBadge(words, "#transitions"))
    return tuple(badges)


def _tiles(judgement: LogJudgement) -> tuple[Tile, ...]:
    figures, upper = judgement.statistics, judgement.failure_rate_upper
    times = Tile("OS-reported resume (p50 · p95 · worst)", MISSING, "no time is judged")
    if figures.median_ms is not None and figures.p95_ms is not None and figures.max_ms is not None:
        value = f"{figures.median_ms:.0f} · {figures.p95_ms:.0f} · {figures.max_ms:.0f} ms"
        times = Tile(times.name, value, f"minimum {figures.min_ms:.0f} ms, total resume time")
    elif worst := worst_value(judgement.limits):
        times = Tile(f"{capitalised(worst[0])}, worst", worst[1], "as the OS reports it")
    rate = Tile("Failure rate, at most", MISSING, "nothing was judged")
    if upper is not None:
        rate = Tile(rate.name, percent_up(upper), "95 % confidence")
    counted = sum(cycle.judged for cycle in judgement.cycles)
    judged = Tile("Transitions judged", str(counted), f"of {len(judgement.cycles)}")
    return times, judged, rate


def _kind_rows(judgement: LogJudgement) -> Iterator[KindRow]:
    for kind, records in _by_kind(judgement).items():
        covered = kind in judgement.requirement.kinds
        limits = judgement.requirement.limits() if covered else ()
        found = (_length_ms(record, limits) for record in records)
        times = sorted(ms for ms in found if ms is not None)
        yield KindRow(
            kind=kind_words(kind),
            count=str(len(records)),
            measured=str(len(times)),
            least=f"{times[0]:.0f}" if times else MISSING,
            middle=f"{median(times):.0f}" if times else MISSING,
            greatest=f"{times[-1]:.0f}" if times else MISSING,
            judged="judged" if covered else _unjudged(records, judgement.requirement),
        )


def _unjudged(records: Sequence[OsRecord], requirement: Requirement) -> str:
    """Return what becomes of records of a kind that a requirement does not name."""
    if any(record.entered_kind in requirement.kinds for record in records):
        return "no evidence: the OS did not come back"
    return "not covered by this requirement"


def _length_ms(record: OsRecord, limits: Sequence[Limit]) -> float | None:
    """Return the resume time of a sleep, the whole of a boot; for want of it a time that counts."""
    own = transition_length_ms(record) if record.kind in NO_SLEEPS else record.resume_ms
    times = [each.measure for each in limits if each.required and is_time(each.measure)]
    found = (measured(measure, Sighting(record)) for measure in times)
    return next((each.value_ns / NS_PER_MS for each in found if each), None) if own is None else own


def _by_kind(judgement: LogJudgement) -> dict[SleepKind, list[OsRecord]]:
    """Return the records of each kind: those that are judged first, then the commonest."""
    covered = judgement.requirement.kinds
    found: dict[SleepKind, list[OsRecord]] = {}
    for cycle in judgement.cycles:
        found.setdefault(cycle.record.kind, []).append(cycle.record)
    return dict(
        sorted(
            found.items(), key=lambda item: (item[0] not in covered, -len(item[1]), item[0].value)
        )
    )


_LATEST_S = 4_102_444_800.0  # 2100: a date beyond it is a clock's error, and would hide all others


def _moment_s(record: OsRecord) -> float | None:
    """Return when a transition ended, or began, or was written; None of no believable date."""
    moments = (record.wake_time_utc_ns, record.sleep_time_utc_ns, record.written_utc_ns)
    moments_s = (at / NS_PER_S for at in moments if at is not None)
    return next((at for at in moments_s if 0 < at < _LATEST_S), None)


def _day(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d")


def _timeline(judgement: LogJudgement) -> Strips | None:
    failed = {id(c.record) for c in judgement.cycles if c.judged and c.verdict is Verdict.FAIL}
    sources = []
    for kind, records in _by_kind(judgement).items():
        dated = [(_moment_s(record), id(record) in failed) for record in records]
        placed = [(at, bad) for at, bad in dated if at is not None]
        sources.append(
            StripSource(
                name=f"{kind_words(kind)} ({len(records)})",
                places=[at for at, _ in placed],
                failed=[bad for _, bad in placed],
                unknown=len(dated) - len(placed),
                text=f"{kind_words(kind)}: {count_of(len(records), 'record')}",
            )
        )
    undated = sum(each.unknown for each in sources)
    summary = f"{count_of(len(judgement.cycles), 'transition')} by kind and date, in UTC."
    summary += " A failed one is in the limit's colour." if failed else ""
    summary += f" ◇ {undated} without a date." if undated else ""
    return date_strips(sources, summary)


def _histograms(judgement: LogJudgement) -> Iterator[NamedHistogram]:
    """Yield one of each kind that has times; of judged kinds against the limit."""
    ignored = {id(c.record) for c in judgement.cycles if not c.judged}
    for number, (kind, records) in enumerate(_by_kind(judgement).items(), 1):
        covered = kind in judgement.requirement.kinds
        kept = [r for r in records if not (covered and id(r) in ignored)]
        times = [float(r.resume_ms) for r in kept if r.resume_ms is not None]
        limit_ms = judgement.requirement.resume_limit_ms if covered else None
        picture = histogram(times, limit_ms)
        if picture is not None and all(map(math.isfinite, times)):
            words = kind_words(kind)
            of = f"{count_of(len(times), 'judged transition' if covered else 'transition')}"
            yield NamedHistogram(
                id=f"histogram-{number}",
                title=f"Histogram of resume times, {words}",
                what=f"{words}: total resume time",
                note=f"{words}: total resume time of the {of}.",
                picture=picture,
            )


def _table(transitions: Sequence[Transition]) -> TransitionTable:
    choice = row_choice(len(transitions), PAGE_ROWS)
    left_out = ""
    if choice.left_out:
        left_out = (
            f"{choice.left_out} of {len(transitions)} transitions are left out here;"
            " log --json has them all."
        )
    flags = flags_of(
        [t.cycle.record.resume_ms if t.counts else None for t in transitions],
        [t.cycle.judged and t.cycle.verdict is Verdict.FAIL for t in transitions],
    )
    rows = [_row(t, each) for t, each in zip(transitions, flags, strict=True)]
    return TransitionTable(
        before=tuple(rows[: choice.head]),
        left_out=left_out,
        after=tuple(rows[len(rows) - choice.tail :]),
    )


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


def _extremes(transitions: Sequence[Transition]) -> str:
    found = extremes(transitions)
    if found is None and any(each.counts for each in transitions):
        return ""
    if found is None:
        return "No transition was judged, so there is no minimum or maximum."
    least, greatest = found.least, found.greatest
    return (
        f"Minimum total {least.cycle.record.resume_ms} ms, transition {least.number};"
        f" maximum total {greatest.cycle.record.resume_ms} ms, transition {greatest.number}."
    )


def _other_kinds(judgement: LogJudgement) -> tuple[OtherKindSection, ...]:
    sections = []
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
        table = _table(transitions_not_covered(judgement, kind.kind)) if own_table else None
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
