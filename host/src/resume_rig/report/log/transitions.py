"""The transitions of a log as rows of a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.analysis.answer.log import AnsweredLog
from resume_rig.analysis.findings.advice import transition_length_ms
from resume_rig.analysis.verdict.judge import ABSURD_BIOS
from resume_rig.model.os_record import NO_SLEEPS, UNFINISHED, OsRecord, SleepKind, kind_words
from resume_rig.model.result.judgement import JudgedRecord, LogJudgement
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.parts.statistics import limited_values

# Figures of OsRecord.figures, most telling first; the words before their value.
_FIGURES: Final = (
    ("kernel_resume_ms", "kernel", 1.0),
    ("exit_latency_us", "exit", 1_000.0),
    (ABSURD_BIOS, "BIOS says", 1.0),
)


def other_times(record: OsRecord) -> str:
    """Return other times of the wake that an account gives, e.g. "firmware 412 ms".

    They are never in the verdict: SYSFUND-0004 does not limit them.
    """
    parts = []
    if record.firmware_resume_ms is not None:
        parts.append(f"firmware {record.firmware_resume_ms} ms")
    values = {figure.name: figure.value for figure in record.figures}
    parts += [
        f"{word} {values[name] / per_ms:.0f} ms"
        for name, word, per_ms in _FIGURES
        if name in values
    ]
    return ", ".join(parts)


_NOT_KNOWN: Final = "unknown"  # WakeSource.name, where the OS reports none


def woken_by(record: OsRecord) -> str:
    """Return the wake source with its own words for it; empty where the OS does not know it."""
    source = record.wake_source
    if record.kind is SleepKind.DOZE:
        return ""  # as its kind has it
    name = "" if source.name == _NOT_KNOWN else source.name
    return ": ".join(filter(None, (name, source.text)))


@dataclass(frozen=True, slots=True)
class Transition:
    """One row.

    Attributes:
        number: of the transition, the same on every face.
        counts: it is of a judged kind and was judged.
        ignored: it is of a judged kind, has a measurement, and does not count all the same.
        of_other_kind: it stands in the table of a kind that the requirement does not speak of.
        at_limit: its total is the limit itself.
        among: it is a hybrid sleep that stands among sleeps of S3.
        origin: name of the log that it is from, where several were read; else empty.
        limited: what it has of what it was judged by, but for its total.
    """

    number: int
    cycle: JudgedRecord
    counts: bool
    ignored: bool
    of_other_kind: bool
    at_limit: bool = False
    among: bool = False
    origin: str = ""
    limited: str = ""

    @property
    def name(self) -> str:
        """The number as S3Resume writes it."""
        return f"{self.number} (ignored)" if self.ignored else str(self.number)

    @property
    def unjudged(self) -> str | None:
        """What stands in place of a verdict; None where the row has one of its own."""
        if self.cycle.judged:
            return None
        measured = self.cycle.record.resume_ms is not None
        if self.of_other_kind and measured:
            return "not covered"
        return "ignored" if self.ignored else "not judged"

    @property
    def note(self) -> str:
        """What a reader has to know of the row; empty for an ordinary one of a single log."""
        notes = " ".join(self.cycle.record.notes).removesuffix(".")
        kind = "hybrid" if self.among and self.cycle.record.resume_ms is not None else ""
        origin = f"in {self.origin}" if self.origin else ""
        owner = self.cycle.record.wake_source.timer_owner
        timer = f"timer of {owner}" if owner else ""
        return "; ".join(filter(None, (kind, self._remark, notes, timer, origin)))

    @property
    def _remark(self) -> str:
        record = self.cycle.record
        if record.kind in NO_SLEEPS or record.resume_ms is None:
            return self._without_total
        if self.of_other_kind or self.limited:
            return self.limited
        if not self.cycle.judged:
            return self.cycle.why_not or "not judged"
        if self.cycle.verdict is Verdict.FAIL and not self.at_limit:
            return "over the limit"
        passed = self.cycle.verdict is Verdict.PASS and not self.at_limit
        return "" if passed else "at the limit"

    @property
    def _without_total(self) -> str:
        record = self.cycle.record
        words, firmware_ms = kind_words(record.kind), record.firmware_resume_ms
        if record.kind in NO_SLEEPS:
            length_ms = transition_length_ms(record)
            took = "length not reported" if length_ms is None else f"{length_ms:.0f} ms"
            return ", ".join(filter(None, (words, took, self.limited)))
        if self.limited:
            firmware = "" if firmware_ms is None else f"firmware {firmware_ms} ms"
            return ", ".join(filter(None, (words, self.limited, firmware)))
        times = other_times(record)
        return f"{words}, not measured{f' ({times})' if times else ''}"


def main_transitions(log: AnsweredLog) -> list[Transition]:
    """Return the rows of the judged kinds, and of what has no measurement.

    Nobody is to take that for cycles that passed.
    """
    judgement = log.judgement
    kinds = UNFINISHED | frozenset(judgement.requirement.kinds)
    own = [each for each in _numbered(log) if each[1].record.kind in kinds]
    judged_kinds = frozenset(judgement.requirement.kinds)
    mixed = any(cycle.record.kind is SleepKind.S3 for _, cycle in own)
    origins, limits = _origins(judgement), judgement.requirement.limits()
    return [
        Transition(
            number,
            cycle,
            counts=cycle.judged and cycle.record.kind in judged_kinds,
            ignored=_ignored(cycle, judged_kinds),
            of_other_kind=False,
            at_limit=cycle.record.resume_ms == judgement.requirement.resume_limit_ms,
            among=mixed and cycle.record.kind is SleepKind.HYBRID,
            origin=_origin(log.judgement, origins, cycle.record),
            limited=limited_values(limits, cycle.record) if cycle.judged else "",
        )
        for number, cycle in own
    ]


def _numbered(log: AnsweredLog) -> Iterator[tuple[int, JudgedRecord]]:
    return zip(log.numbers, log.judgement.cycles, strict=True)


def transitions_not_covered(log: AnsweredLog, kind: SleepKind) -> list[Transition]:
    """Return the rows of one kind that the requirement does not speak of."""
    origins = _origins(log.judgement)
    return [
        Transition(
            number,
            cycle,
            counts=False,
            ignored=False,
            of_other_kind=True,
            origin=_origin(log.judgement, origins, cycle.record),
        )
        for number, cycle in _numbered(log)
        if cycle.record.kind is kind
    ]


def _origins(judgement: LogJudgement) -> list[str]:
    """Return what each log is called in a row: its name, or its path where two have one name."""
    paths = [source.path for source in judgement.reading.sources]
    if len(paths) < 2:
        return [""] * max(1, len(paths))
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else paths


def _origin(judgement: LogJudgement, origins: list[str], record: OsRecord) -> str:
    """Return from which log a row is, and of which computer, where there are several."""
    computer = record.computer if len(judgement.reading.computers) > 1 else ""
    return ", ".join(filter(None, (origins[record.source], computer)))


def has_own_table(judgement: LogJudgement, kind: SleepKind) -> bool:
    """Return whether a kind's rows stand in a table of their own; a boot has no columns in it."""
    without = UNFINISHED | NO_SLEEPS
    return kind not in without and kind not in judgement.requirement.kinds


def _ignored(cycle: JudgedRecord, judged_kinds: frozenset[SleepKind]) -> bool:
    record = cycle.record
    return not cycle.judged and record.kind in judged_kinds and record.resume_ms is not None
