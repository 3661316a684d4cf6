"""Answers that are of several sessions: a comparison of base and candidate, and an MSA study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique

from resume_rig.model.evidence import band_of
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import Limit, Verdict


@unique
class Change(StrEnum):
    """What became of one time from base to candidate."""

    SLOWER = "slower"
    SLIGHTLY_SLOWER = "slightly-slower"
    FASTER = "faster"
    NOT_SHOWN = "not-shown"
    TOO_FEW = "too-few"


@unique
class Answer(StrEnum):
    """The answer of a comparison.

    REQUIREMENT_FAILED: the candidate's sessions exceed a limit that the base's meet.
    SESSIONS_DIFFER: one session a side, which differ beyond chance within a session.
    """

    REGRESSION = "REGRESSION"
    REQUIREMENT_FAILED = "REQUIREMENT-FAILED"
    SESSIONS_DIFFER = "SESSIONS-DIFFER"
    NO_REGRESSION = "NO-REGRESSION"
    NO_EVIDENCE = "NO-EVIDENCE"


@unique
class Unit(StrEnum):
    """What repeats independently in a comparison: the n of its tests."""

    SESSION = "session"
    CYCLE = "cycle"


@dataclass(frozen=True, slots=True)
class Effect:
    """One time in both samples.

    Attributes:
        base_n, candidate_n: values, after warm-up.
        base_median_ms, candidate_median_ms: medians; of several sessions the mean of theirs.
        shift_ms: estimate of the shift from base to candidate; positive = slower. Of one session a
            side the difference of the means of the middle 60 %, else that of the means of the
            sessions' medians.
        low_ms, high_ms: its 95 % interval; None where too few values give none.
        mean_ratio: candidate's mean over the base's; None where the base's is 0.
        p: two-sided, of this time alone.
        p_adjusted: adjusted for all tests of its family.
        detectable_ms: the smallest shift that these samples show with 80 % probability; None where
            they show none whatever it is.
        matters_ms: the smallest slow-down that the user asked about.
        headline: whether the answer needs this one to be powerful enough.
        base_sessions, candidate_sessions: that have the time.
        warm_up: first values that were left out of every session.
        session_sd_ms: standard deviation of the sessions' medians about their side's mean; None
            with one session a side.
        effective_n: independent values that base's and candidate's are worth, by the upper 95 %
            limit of their autocorrelation; None where sessions are the unit.
        shared_ms: what errors that all cycles of a side share can make of the shift; in the
            interval, in p and in detectable_ms.
    """

    name: str
    base_n: int
    candidate_n: int
    base_median_ms: float
    candidate_median_ms: float
    shift_ms: float
    low_ms: float | None
    high_ms: float | None
    mean_ratio: float | None
    p: float
    p_adjusted: float
    detectable_ms: float | None
    matters_ms: float
    change: Change
    headline: bool
    base_sessions: int = 1
    candidate_sessions: int = 1
    warm_up: int = 0
    session_sd_ms: float | None = None
    effective_n: tuple[float, float] | None = None
    shared_ms: float = 0.0

    @property
    def powerful(self) -> bool:
        """Whether a slow-down that matters would have been shown, with 80 % probability."""
        return self.detectable_ms is not None and self.detectable_ms <= self.matters_ms


@dataclass(frozen=True, slots=True)
class FailureEffect:
    """How often cycles failed, or were slow, in both samples.

    p is two-sided: of one session a side Fisher's, with counts of effectively independent cycles;
    of several that of the sessions' shares.
    """

    base_failed: int
    base_n: int
    candidate_failed: int
    candidate_n: int
    p: float
    p_adjusted: float
    more: bool


@dataclass(frozen=True, slots=True)
class SlowCycles:
    """How often a headline time was far above the middle of both samples together.

    Attributes:
        above_ms: from here on a cycle is slow.
    """

    name: str
    above_ms: float
    counts: FailureEffect


@dataclass(frozen=True, slots=True)
class OverLimit:
    """How many values were beyond one limit of the requirement, in both samples.

    Attributes:
        base_over, candidate_over: values that do not conform, of base_n and candidate_n.
        base_upper, candidate_upper: upper 95 % limits of their shares (Clopper and Pearson), 0..1;
            they take cycles as independent.
    """

    limit: Limit
    base_over: int
    base_n: int
    base_upper: float | None
    candidate_over: int
    candidate_n: int
    candidate_upper: float | None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """One store or log of a sample.

    Attributes:
        cycles: that are of the compared kind and not left out.
        verdict: against the requirement.
        times_ms: their headline times in order, by name.
        broken: cycles that were tried and failed; 0 of a log, which does not report them.
        training: first boots that are not compared; None where there are none.
        simulated: it measured no PC; None where nobody states it.
    """

    path: str
    cycles: int
    verdict: Verdict
    times_ms: Mapping[str, Sequence[float]] = field(default_factory=dict)
    broken: int = 0
    training: Training | None = None
    simulated: bool | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """A part of the transitions that changed the way the headline time did, in ms.

    Attributes:
        name: kind, name and phase, hostile where a DUT names it.
        holds_up: the time is how long others had to wait for it, not how long it took.
        base_ms, candidate_ms: medians; None where that side does not time it.
        shown: the change is beyond chance; else it is only among the greatest.
    """

    name: str
    holds_up: bool
    base_ms: float | None
    candidate_ms: float | None
    shown: bool

    @property
    def difference_ms(self) -> float:
        """Candidate less base; what a side does not time is 0 there."""
        return (self.candidate_ms or 0.0) - (self.base_ms or 0.0)


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """Who a sample is of.

    Attributes:
        path: of its file, or how many files it has and the first of them.
        cycles: that are of the compared kind and not left out.
        identity: names and values, hostile where they come from a DUT.
        verdict: the worst of its sessions'.
    """

    path: str
    cycles: int
    identity: Mapping[str, str]
    sessions: tuple[SessionFacts, ...] = ()
    verdict: Verdict = Verdict.NO_EVIDENCE


@dataclass(frozen=True, slots=True)
class Comparison:
    """The whole answer of `compare`.

    Attributes:
        effects: the main family, slow-downs first, the greatest share of its median first.
        slow: headline times that have slow cycles on either side; of the main family, too.
        components: parts of transitions, a family of their own, which decides nothing.
        components_compared: how many there were; `components` are those that changed.
        causes: the parts that changed most the way the headline time did, the greatest first;
            ranked, whether each is beyond chance or not; empty where it changed by less than what
            matters.
        differences: (name, base, candidate) of what the identities disagree in.
        warnings: why the two may not be comparable; each is one sentence.
        alpha: chance to name any difference of the main family where there is none.
        requirement: id of what both were judged against; empty where none was.
        over: what is beyond each limit of it, those without a value on either side left out.
        unit: what repeats independently: sessions, or cycles where each side has one session.
    """

    base: SampleFacts
    candidate: SampleFacts
    kind: SleepKind | None
    effects: tuple[Effect, ...]
    failures: FailureEffect | None
    slow: tuple[SlowCycles, ...]
    components: tuple[Effect, ...]
    components_compared: int
    differences: tuple[tuple[str, str, str], ...]
    warnings: tuple[str, ...]
    alpha: float
    answer: Answer
    why: str
    requirement: str = ""
    over: tuple[OverLimit, ...] = ()
    unit: Unit = Unit.CYCLE
    causes: tuple[Cause, ...] = ()

    @property
    def band(self) -> str:
        """What every face shows across its top, where a session measured no PC; else ""."""
        sessions = (*self.base.sessions, *self.candidate.sessions)
        return band_of([each.simulated for each in sessions], "sessions")


@unique
class Source(StrEnum):
    """Where variation comes from; each contains what the design does not separate from it."""

    UNIT = "unit"
    RIG = "rig"
    UNIT_BY_RIG = "unit x rig"
    SESSION = "session"
    REPEATABILITY = "repeatability"


@dataclass(frozen=True, slots=True)
class StudySession:
    """One store of a study.

    Attributes:
        unit, rig: who was measured, and with what.
        times_ms: by measure, in order of the cycles, warm-up left out.
        simulated: it measured no PC; None where nobody states it.
    """

    path: str
    unit: str
    rig: str
    times_ms: Mapping[str, tuple[float, ...]]
    simulated: bool | None = None


@dataclass(frozen=True, slots=True)
class Deviation:
    """A standard deviation and its 95 % interval.

    Attributes:
        sd_ms: estimate; 0 where the estimate of the variance is negative.
        low_ms, high_ms: interval by the modified large-sample method; None without one.
    """

    sd_ms: float
    low_ms: float | None
    high_ms: float | None


@dataclass(frozen=True, slots=True)
class Component:
    """One source of variation.

    Attributes:
        freedom: degrees of freedom of its mean square.
        share: of the total variance, 0..1.
        contains_session: the design does not separate sessions from it.
    """

    source: Source
    deviation: Deviation
    freedom: int
    share: float
    contains_session: bool = False


@dataclass(frozen=True, slots=True)
class MeasureStudy:
    """One measure over all sessions.

    Attributes:
        mean_ms: of all values.
        values: of all sessions together.
        units, rigs, sessions: that have it.
        components: those that the design shows, unit first, repeatability last.
        repeatability: s_r of ISO 5725-2: cycle to cycle within a session.
        reproducibility: s_R of ISO 5725-2: everything but the unit; the "gauge R&R" of AIAG MSA.
        grr_percent: reproducibility in % of the total; None without several units.
        categories: distinct categories, 1.41 of the unit's sd over the reproducibility's, rounded
            down; None without several units, or where no variation but theirs is found.
        session_cycles: cycles of the middle session.
        session_mean_ms: standard deviation of the mean of one such session of one unit.
    """

    name: str
    mean_ms: float
    values: int
    units: int
    rigs: int
    sessions: int
    components: tuple[Component, ...]
    repeatability: Deviation
    reproducibility: Deviation
    total: Deviation
    grr_percent: float | None
    categories: int | None
    session_cycles: int
    session_mean_ms: float


@dataclass(frozen=True, slots=True)
class Study:
    """The whole answer of `msa`.

    Attributes:
        sessions: (path, unit, rig) of each.
        measures: those with two values in a session at least, headline times first.
        notes: what the study cannot show, each one sentence.
    """

    sessions: tuple[tuple[str, str, str], ...]
    measures: tuple[MeasureStudy, ...]
    notes: tuple[str, ...]
