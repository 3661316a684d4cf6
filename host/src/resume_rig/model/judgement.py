"""What a log alone says against a requirement."""

from dataclasses import dataclass

from resume_rig.model.os_record import LogReading, OsRecord, SleepKind
from resume_rig.model.requirement import Requirement
from resume_rig.model.verdict import Statistics, Verdict


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """One OS record with its own verdict.

    Attributes:
        judged: whether it counts in the verdict of its group.
        why_not: one sentence when it does not.
        verdict: of this record alone; NO-EVIDENCE when not judged.
    """

    record: OsRecord
    judged: bool
    why_not: str | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class KindJudgement:
    """A kind that the requirement does not speak of, judged apart against the same limits.

    Attributes:
        cycles: records of this kind; statistics.n of them are measured.
    """

    kind: SleepKind
    cycles: int
    statistics: Statistics
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class LogJudgement:
    """The whole answer of `log`.

    Attributes:
        why: one sentence that says what the verdict rests on.
        failure_rate_upper: 95 % upper bound on the failure rate of judged cycles, 0..1; None
            without judged cycles.
    """

    reading: LogReading
    requirement: Requirement
    cycles: tuple[JudgedRecord, ...]
    statistics: Statistics
    verdict: Verdict
    why: str
    failure_rate_upper: float | None
    apart: tuple[KindJudgement, ...]
