"""What a log alone says against a requirement, and what all cycles say against one limit."""

from dataclasses import dataclass

from resume_rig.model.os_record import LogReading, OsRecord, SleepKind
from resume_rig.model.result.requirement import Limit, Requirement
from resume_rig.model.result.series import FailureRate, SeriesStatistics
from resume_rig.model.result.verdict import Statistics, Verdict


@dataclass(frozen=True, slots=True)
class LimitJudgement:
    """What all cycles say against one limit.

    Attributes:
        n: values that were measured. failed, marginal: how many of them are.
        broken: cycles that failed without a value; they count as failed.
        worst: the value nearest to, or farthest beyond, the limit, in `limit.unit`; None of none.
        risk: bound on the probability that PASS or FAIL is wrong, by the uncertainty of the
            values; None where there is neither. What cycles that were not run would do is not in
            it.
        shown: of a limit on a share, the share of conforming cycles that is shown with the
            limit's confidence; None of other limits.
        needed: cycles, all conforming, that such a limit needs at least; None of other limits.
        why: what the verdict rests on, as a clause.
        hidden: how many of the marginal ones are so because they pass as reported, and do not with
            the BIOS time that clock and wires add.
        undecided: cycles that woke from a sleep of its kinds and have no value.
        evidence: what to say of that where they are too many for a verdict; "" where they are not.
    """

    limit: Limit
    verdict: Verdict
    n: int
    failed: int
    marginal: int
    broken: int
    worst: float | None
    risk: float | None
    shown: float | None
    needed: int | None
    why: str
    hidden: int = 0
    undecided: int = 0
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """One OS record with its own verdict.

    Attributes:
        judged: whether it counts in the verdict of its group.
        why_not: one sentence when it does not.
        verdict: of this record alone; NO-EVIDENCE when not judged.
        risk: probability that this verdict is wrong, 0..1; None when not judged.
        undecided: it is of a sleep that the requirement covers, and tells no time of it.
    """

    record: OsRecord
    judged: bool
    why_not: str | None
    verdict: Verdict
    risk: float | None = None
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class KindJudgement:
    """A kind that the requirement does not cover: counted, and never judged by its limits.

    Attributes:
        cycles: records of this kind; statistics.n of them are measured.
    """

    kind: SleepKind
    cycles: int
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class LogJudgement:
    """The whole answer of `log`.

    Attributes:
        why: one sentence that says what the verdict rests on.
        failure_rate_upper: 95 % upper bound on the failure rate, 0..1, undecided cycles counted
            as failed; None without judged cycles.
        limits: each limit of the requirement, judged over all cycles that count.
        failures: how often judged cycles fail; None without any.
        series: the judged cycles' times, one entry for each measure that has values.
    """

    reading: LogReading
    requirement: Requirement
    cycles: tuple[JudgedRecord, ...]
    statistics: Statistics
    verdict: Verdict
    why: str
    failure_rate_upper: float | None
    apart: tuple[KindJudgement, ...]
    limits: tuple[LimitJudgement, ...] = ()
    failures: FailureRate | None = None
    series: tuple[SeriesStatistics, ...] = ()
