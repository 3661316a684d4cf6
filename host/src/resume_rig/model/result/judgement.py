"""A log against a requirement, all cycles against one limit, and what a report draws and names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

from resume_rig.model.budget import Budget
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.os_record import LogReading, LogSource, OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.series import FailureRate, SeriesStatistics
from resume_rig.model.result.verdict import Limit, NotJudged, Requirement, Statistics, Verdict


@dataclass(frozen=True, slots=True)
class LimitJudgement:
    """All cycles against one limit.

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
        evidence: a clause on them where they leave no verdict; "" where they do not.
        missing: what wires, light and the log show of those without a value; None where there are
            none, or nothing shows them.
        tau: cycles that count as one in the bounds on their share, as failures come in runs.
        of_log: no cycle of a rig is among them.
        did: of a limit on outcomes or findings, each that was found, and in how many cycles.
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
    of_log: bool = False
    did: tuple[tuple[str, int], ...] = ()
    missing: "Missing | None" = None
    tau: float = 1.0


@unique
class MissingReason(StrEnum):
    """What becomes of cycles without a value beside those that have one.

    ALIKE: they took as long by what is there of both. BEYOND: what they took longer would have put
    one of them beyond the limit. SLOWER: more of them are slow than chance among cycles makes.
    """

    ALIKE = "alike"
    SLOWER = "slower"
    BEYOND = "beyond"


@dataclass(frozen=True, slots=True)
class Missing:
    """Cycles without a value, compared with those that have one by a time that both have.

    Attributes:
        measure: by which they are compared: of those that both have, the one that speaks most
            against them.
        n: of them that have it. slow: of those, how many are far above the others' middle.
        middle_ms: their median. usual_ms: the median of the cycles with a value.
        worst_ms: the longest of them.
        beyond: how many would be beyond the limit, if they took longer by it, too.
        p: one-sided chance of so many slow ones among them.
    """

    reason: MissingReason
    measure: str
    n: int
    slow: int
    middle_ms: float
    usual_ms: float
    worst_ms: float
    beyond: int
    p: float

    @property
    def speaks_against(self) -> bool:
        """Whether a PASS would rest on the quick ones alone."""
        return self.reason is not MissingReason.ALIKE


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """One OS record with its own verdict.

    Attributes:
        judged: whether it counts in the verdict of its group.
        unjudged: why it does not; None where it does.
        verdict: of this record alone; NO-EVIDENCE when not judged.
        risk: probability that this verdict is wrong, 0..1; None when not judged.
        undecided: it is of a sleep that the requirement covers, and has no time of it.
    """

    record: OsRecord
    judged: bool
    unjudged: NotJudged | None
    verdict: Verdict
    risk: float | None = None
    undecided: bool = False

    @property
    def why_not(self) -> str | None:
        """Why it is not judged, in one sentence; None where it is."""
        return None if self.unjudged is None else str(self.unjudged)


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
        why: what the verdict rests on, one sentence.
        failure_rate_upper: 95 % upper bound on the failure rate, 0..1, undecided cycles counted
            as failed; None without judged cycles.
        limits: each limit of the requirement, judged over all cycles that count.
        failures: how often judged cycles fail; None without any.
        series: the judged cycles' times, one entry for each measure that has values.
        repeated: records that were left out because they are of transitions that others have, too.
        units: of transitions of several computers, the judgement of each; else empty. The verdict
            is the worst of theirs, and all other figures are of all of them.
    """

    reading: LogReading
    requirement: Requirement
    cycles: tuple[JudgedRecord, ...]
    statistics: Statistics
    verdict: Verdict
    why: str
    failure_rate_upper: float | None
    not_covered: tuple[KindJudgement, ...]
    limits: tuple[LimitJudgement, ...] = ()
    failures: FailureRate | None = None
    series: tuple[SeriesStatistics, ...] = ()
    repeated: int = 0
    units: tuple["LogJudgement", ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedCycle:
    """One cycle on the DUT's pins.

    Attributes:
        number: of the cycle in its campaign, from 1.
        edges: of the wired channels, in order; board clock, front-end delays taken off.
        initial_levels: of every wired channel before the first edge.
        light: blocks of the photodiode, in order.
        zero_ns: board clock of the wake trigger (press or lid); of the first edge where no trigger
            was observed, and 0 without an edge.
        has_trigger: whether `zero_ns` is a wake trigger.
        zero_utc_ns: host UTC at `zero_ns`; None where nothing relates the two clocks.
        zero_utc_bound_ns: half-width of that; 0 where it is None.
        started_utc_ns: host UTC when the cycle began, by the host's clock alone.
        light_full_scale: counts of the photodiode's converter at its most; None where not stated.
    """

    number: int
    edges: tuple[Edge, ...]
    initial_levels: Mapping[Channel, int]
    light: Sequence[LightBlock]
    zero_ns: int
    has_trigger: bool
    zero_utc_ns: int | None
    zero_utc_bound_ns: int
    started_utc_ns: int
    light_full_scale: int | None = None


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """One campaign, by its store, or one capture.

    Attributes:
        store_path: where the raw data lie, as the user named it.
        report_path: where the HTML report was written; None when there is none.
        identity: DUT, rig, firmware, host, profile and software, each under its own name; the
            values may come from the DUT and are hostile.
        plan: the plan's parameters, unit in each name.
        outcomes: how many cycles came to which outcome (`Outcome` values); zeros may be absent.
        faults: one sentence for each fault of rig or DUT, in the order they happened.
        requirement: what the campaign was judged against.
        budgets: of each interval that the campaign has, for its median.
        first_failure: number and outcome of the first cycle that the DUT failed; None without one.
        recoveries: number of the cycle before it, and one sentence, for each step that was taken to
            have the DUT awake again; in the order they were taken.
        plan_state: a sentence, where not all of the plan is done, or a rule of it ended the
            campaign; None for a plan that was done to its last cycle.
        unfinished: something of the plan is left to do.
        begun_utc_ns: when it began, by the host's clock; None of a capture.
        reset_to_tsc: PLTRST# rising to the TSC's zero, as the DUT profile bounds it, or as it is
            taken without one.
        log_sources: what its OS records are from; a record's `source` is an index of these.
        simulated: it was run on a simulated bench; None where nobody states it.
    """

    store_path: str
    report_path: str | None
    identity: Mapping[str, str]
    plan: Mapping[str, int | float | str | bool | None]
    outcomes: Mapping[str, int]
    faults: tuple[str, ...]
    requirement: Requirement
    budgets: tuple[Budget, ...] = ()
    log_sources: tuple[LogSource, ...] = ()
    first_failure: tuple[int, str] | None = None
    recoveries: tuple[tuple[int, str], ...] = ()
    plan_state: str | None = None
    unfinished: bool = False
    begun_utc_ns: int | None = None
    reset_to_tsc: BoundedNs | None = None
    simulated: bool | None = None
