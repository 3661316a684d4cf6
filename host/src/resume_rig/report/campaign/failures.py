"""The section of failures: each cycle that went wrong with its wave, record and findings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.campaign import RecordedCycle
from resume_rig.model.result.cycle import AS_PLANNED, Outcome, ReconciledCycle
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.drawing.wave import WavePicture, wave_picture
from resume_rig.report.text.findings import findings_of
from resume_rig.report.text.hostile_text import bounded
from resume_rig.report.text.wording import outcome_words, record_name

MOST_FAILURES: Final = 12
"""Failures that are drawn; the exports have the waves of all."""

_RECORD_TEXT: Final = 1_500
_BY_PLAN: Final = AS_PLANNED | {Outcome.INTERRUPTED}


@dataclass(frozen=True, slots=True)
class Failure:
    """One cycle that went wrong.

    Attributes:
        what: in words: the outcome, or the verdict.
        texts: of its findings.
        recovery: what was done to have the DUT awake again, one sentence a step.
        record: what the OS says, as one line; "" without a record.
        record_text: the beginning of its original text.
        wave: None where no edge was recorded, or the wires are not at hand.
        without_edges: no edge was recorded.
    """

    cycle: int
    what: str
    texts: tuple[str, ...]
    recovery: tuple[str, ...]
    record: str
    record_text: str
    wave: WavePicture | None
    without_edges: bool


def failed_numbers(cycles: Sequence[ReconciledCycle]) -> tuple[int, ...]:
    """Return the cycles whose failures are drawn: the first is *the* failure, and stays first."""
    return tuple(cycle.outside.number for cycle in cycles if is_failure(cycle))[:MOST_FAILURES]


def is_failure(cycle: ReconciledCycle) -> bool:
    """Return whether a cycle went wrong: by its wires, or by its verdict where that counts."""
    if cycle.outside.outcome not in _BY_PLAN:
        return True
    return cycle.judged and cycle.verdict is Verdict.FAIL


def failures(
    cycles: Sequence[ReconciledCycle],
    recorded: Mapping[int, RecordedCycle],
    recoveries: Iterable[tuple[int, str]] = (),
) -> tuple[Failure, ...]:
    """Return the section.

    Args:
        cycles: of the campaign.
        recorded: the wires of those that are drawn, by number.
        recoveries: as in `CampaignFacts`.
    """
    wanted = set(failed_numbers(cycles))
    steps: dict[int, list[str]] = {}
    for number, text in recoveries:
        steps.setdefault(number, []).append(text)
    return tuple(
        _failure(cycle, recorded.get(cycle.outside.number), steps.get(cycle.outside.number, ()))
        for cycle in cycles
        if cycle.outside.number in wanted
    )


def _failure(
    cycle: ReconciledCycle, recorded: RecordedCycle | None, steps: Sequence[str]
) -> Failure:
    outcome = cycle.outcome
    wave = None if recorded is None else wave_picture(recorded)
    what = outcome_words(outcome) if outcome not in _BY_PLAN else _over(cycle.record)
    return Failure(
        cycle=cycle.outside.number,
        what=what,
        texts=tuple(finding.text for finding in findings_of(cycle)),
        recovery=tuple(steps),
        record="" if cycle.record is None else record_name(cycle.record),
        record_text="" if cycle.record is None else bounded(cycle.record.text, _RECORD_TEXT),
        wave=wave,
        without_edges=recorded is not None and wave is None,
    )


def _over(record: OsRecord | None) -> str:
    if record is None or record.resume_ms is None:
        return Verdict.FAIL.value
    return f"{Verdict.FAIL.value}: resume {record.resume_ms} ms"
