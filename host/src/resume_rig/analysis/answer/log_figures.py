"""Figures of a log's transitions that its faces show beside the verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from resume_rig.analysis.answer.log import AnsweredLog
from resume_rig.analysis.findings.advice import transition_length_ms
from resume_rig.analysis.reconcile.thresholds import figure_of
from resume_rig.analysis.stats.trend import training_of
from resume_rig.analysis.verdict.judge import training_sentence
from resume_rig.analysis.verdict.measures import Sighting, is_time, measured
from resume_rig.model.os_record import NO_SLEEPS, OsRecord, SleepKind
from resume_rig.model.result.judgement import JudgedRecord, LogJudgement
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import Limit
from resume_rig.model.units import NS_PER_MS, count_of

_FIRMWARE: Final = "start_os_image_ms"  # of Kernel-Boot 30: until the OS loader began


def no_sleep_sentence(judgement: LogJudgement, kind: SleepKind) -> str:
    """Return how many boots or shutdowns a log has, which are no resumes, and their lengths."""
    records = [c.record for c in judgement.cycles if c.record.kind is kind]
    sentence = f"{count_of(len(records), 'record')}, not covered by this requirement"
    return f"{sentence}; {lengths_clause(records)}."


def lengths_clause(records: Sequence[OsRecord]) -> str:
    """Return how long boots or shutdowns took, and whether the first of a series were training."""
    lengths = [ms for ms in map(transition_length_ms, records) if ms is not None]
    firmware = [ms for each in records if (ms := figure_of(each, _FIRMWARE)) is not None]
    firmware_clause = f"; the firmware took {median(firmware):.0f} ms (median)" if firmware else ""
    return f"{_lengths(lengths, records)}{firmware_clause}"


def _lengths(lengths: Sequence[float], records: Sequence[OsRecord]) -> str:
    if not lengths:
        return "none reports how long it took"
    if len(lengths) == 1:
        which = "it" if len(records) == 1 else "one of them, which alone reports it,"
        return f"{which} took {lengths[0]:.0f} ms"
    text = f"median {median(lengths):.0f} ms, from {min(lengths):.0f} to {max(lengths):.0f} ms"
    training = training_in(records)
    return text if training is None else f"{text}; {training_sentence(training)}"


def training_in(records: Iterable[OsRecord]) -> Training | None:
    """Return which first boots of a log, or of a series of traces, the prefetcher learnt in."""
    lengths = [transition_length_ms(each) for each in records if each.kind is SleepKind.BOOT]
    return training_of([ms for ms in lengths if ms is not None])


@dataclass(frozen=True, slots=True)
class Extremes:
    """Number and total [ms] of the judged transitions with the least and the greatest total."""

    least: tuple[int, int]
    greatest: tuple[int, int]


def extremes(log: AnsweredLog) -> Extremes | None:
    """Return the fastest and the slowest judged transition, the first of equals; None of none."""
    totals = [
        (number, total)
        for number, cycle in zip(log.numbers, log.judgement.cycles, strict=True)
        if cycle.judged and (total := cycle.record.resume_ms) is not None
    ]
    if not totals:
        return None
    by_total = sorted(totals, key=lambda each: each[1])
    greatest = max(totals, key=lambda each: each[1])
    return Extremes(by_total[0], greatest)


def user_sentence(judgement: LogJudgement) -> str:
    """Return how long the USER phase of the judged transitions took; empty where none has one."""
    users = [cycle.record.user_init_ms for cycle in judgement.cycles if cycle.judged]
    times = [user_ms for user_ms in users if user_ms is not None]
    if not times:
        return ""
    return (
        f"USER initialization, the wake beyond Driver Init and no part of Total: median"
        f" {median(times):.0f}, maximum {max(times)} ms over {len(times)}."
    )


@dataclass(frozen=True, slots=True)
class KindFigures:
    """What a log holds of one kind of transition; times in ms, None without any.

    Attributes:
        covered: the requirement covers it. died: it covers what some of them were to be.
        cycles: all of them. times_ms: of those that are measured, ascending; of a covered kind the
            judged ones are `judged_ms`.
    """

    kind: SleepKind
    covered: bool
    died: bool
    cycles: tuple[JudgedRecord, ...]
    measured: int
    least_ms: float | None
    median_ms: float | None
    greatest_ms: float | None
    judged_ms: tuple[float, ...]


def kinds_of(judgement: LogJudgement) -> tuple[KindFigures, ...]:
    """Return what there is of each kind: those that are judged first, then the commonest."""
    covered, found = judgement.requirement.kinds, dict[SleepKind, list[JudgedRecord]]()
    for cycle in judgement.cycles:
        found.setdefault(cycle.record.kind, []).append(cycle)
    ordered = sorted(
        found.items(), key=lambda item: (item[0] not in covered, -len(item[1]), item[0].value)
    )
    return tuple(_figures_of(kind, cycles, judgement) for kind, cycles in ordered)


def _figures_of(
    kind: SleepKind, cycles: Sequence[JudgedRecord], judgement: LogJudgement
) -> KindFigures:
    requirement = judgement.requirement
    covered = kind in requirement.kinds
    limits = requirement.limits() if covered else ()
    times = sorted(ms for c in cycles if (ms := _length_ms(c.record, limits)) is not None)
    drawn = (c.record.resume_ms for c in cycles if c.judged or not covered)
    return KindFigures(
        kind=kind,
        covered=covered,
        died=any(cycle.record.entered_kind in requirement.kinds for cycle in cycles),
        cycles=tuple(cycles),
        measured=len(times),
        least_ms=times[0] if times else None,
        median_ms=median(times) if times else None,
        greatest_ms=times[-1] if times else None,
        judged_ms=tuple(float(ms) for ms in drawn if ms is not None),
    )


def _length_ms(record: OsRecord, limits: Sequence[Limit]) -> float | None:
    """Return the resume time of a sleep, the whole of a boot; for want of it a time that counts."""
    own = transition_length_ms(record) if record.kind in NO_SLEEPS else record.resume_ms
    if own is not None:
        return own
    times = [each for each in limits if each.required and is_time(each.measure)]
    found = (measured(each.measure, Sighting(record)) for each in times)
    return next((each.value_ns / NS_PER_MS for each in found if each), None)


def damaged_logs(log: AnsweredLog) -> int:
    """Return how many logs are not complete."""
    return sum(not source.integrity.ok for source in log.judgement.reading.sources)
