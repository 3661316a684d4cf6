"""How sure the match is, what has no partner and why, and the OS records of matched cycles."""

from collections.abc import Sequence
from typing import Final

from resume_rig.model.os_record import LogReading, LogSource
from resume_rig.model.result.cycle import Correlation, ReconciledCycle
from resume_rig.model.result.match import (
    CYCLE_REASONS,
    RECORD_REASONS,
    Confidence,
    CycleReason,
    RecordReason,
    UnmatchedRecord,
    percent,
)
from resume_rig.model.units import count_of
from resume_rig.report.text.findings import cycle_ranges

_STEPS_NAMED: Final = 5


def match_sentences(correlation: Correlation) -> tuple[str, ...]:
    """Return how sure the match is, and where the OS clock was set."""
    return (*_alike(correlation), *_certainty(correlation.cycles), *_steps(correlation))


def missing_sentences(cycles: Sequence[ReconciledCycle]) -> tuple[str, ...]:
    """Return why cycles have no record, a sentence a reason."""
    numbers: dict[CycleReason, list[int]] = {}
    for cycle in cycles:
        if cycle.record_missing is not None:
            numbers.setdefault(cycle.record_missing, []).append(cycle.outside.number)
    return tuple(
        f"Cycle {cycle_ranges(of_reason)}: {CYCLE_REASONS[reason]}."
        for reason, of_reason in numbers.items()
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


def _alike(correlation: Correlation) -> list[str]:
    """Say why nothing is matched, where that is because too much could be."""
    if correlation.equal_offsets < 2:
        return []
    return [
        f"Nothing is matched: at least {correlation.equal_offsets} offsets of the OS clock explain "
        "the cycles equally well, because their pace is as even as a clock. One cycle with a "
        "longer pause, or a log that is read while the cycles run, shows which of them is right."
    ]


def _certainty(cycles: Sequence[ReconciledCycle]) -> list[str]:
    told = [(c.certainty, c.outside.number) for c in cycles if c.certainty is not None]
    if not told:
        return []
    least = min((certainty for certainty, _ in told), key=lambda each: each.probability)
    sentences = [
        f"{count_of(len(told), 'cycle')} matched with an OS record; the least certain match has "
        f"a probability of {percent(least)}."
    ]
    low = [number for certainty, number in told if certainty.level is Confidence.LOW]
    if low:
        sentences.append(f"Match not certain, therefore not judged: cycle {cycle_ranges(low)}.")
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


def matched_reading(correlation: Correlation, sources: Sequence[LogSource]) -> LogReading:
    """Return the records that belong to cycles, in their order, a shutdown before its boot.

    Args:
        correlation: of the campaign.
        sources: of all its records; a record's `source` is an index of these.
    """
    records = (each for cycle in correlation.cycles for each in (cycle.shutdown, cycle.record))
    return LogReading(tuple(sources), tuple(record for record in records if record is not None))
