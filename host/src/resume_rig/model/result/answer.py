"""The one answer of a log or a campaign, which every face paints and none works out.

docs/explanation/answer.md draws where it comes from and who reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from types import MappingProxyType

from resume_rig.model.evidence import band_of
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import FindingKind, Limit, Verdict


@unique
class Reason(StrEnum):
    """Why a verdict is what it is."""

    WITHIN = "within-limit"
    OVER = "over-limit"
    DID_NOT_RESUME = "did-not-resume"
    NEAR = "near-limit"
    HIDDEN = "hidden-time"
    SHARE_SHOWN = "share-shown"
    SHARE_MISSED = "share-missed"
    SHARE_OPEN = "share-open"
    TOO_FEW_MEASURED = "too-few-measured"
    SLOW_UNMEASURED = "slow-and-unmeasured"
    TOO_FEW_CYCLES = "too-few-cycles"
    NOT_WHOLE = "not-back-whole"
    HAPPENED = "outcome-or-finding"
    NOT_LIMITED = "limit-not-measured"
    NO_TRANSITION = "no-transition"
    ALL_IGNORED = "all-ignored"
    NOT_COVERED = "not-covered"
    NO_RECORD = "no-record"
    OTHER_LOG = "other-log"
    MATCH_UNCERTAIN = "match-uncertain"
    NOT_AS_PLANNED = "not-as-planned"
    NOT_MEASURED = "not-measured"
    NOT_REAL = "not-real"
    NOTHING_REQUIRED = "nothing-required"


@unique
class Standing(StrEnum):
    """How one transition counts: each has one of these, and no other.

    PASSED, FAILED, MARGINAL: it is judged. UNDECIDED: the requirement covers it, and there is no
    evidence. NOT_COVERED: it is of a kind that the requirement does not speak of. IGNORED: left out
    on purpose. NO_TRIAL: it was no attempt at what the requirement is about.
    """

    PASSED = "passed"
    FAILED = "failed"
    MARGINAL = "marginal"
    UNDECIDED = "undecided"
    NOT_COVERED = "not-covered"
    IGNORED = "ignored"
    NO_TRIAL = "no-trial"


@dataclass(frozen=True, slots=True)
class Counts:
    """Which transitions count how, by their numbers; a face opens them, and counts none itself.

    Attributes:
        total: all of them.
        by: the numbers of each standing, ascending.
        off_plan: of those that did not fail: the DUT did something else than was asked for. They
            are in `by`, too.
        wrong: what a face opens first: those that failed, then `off_plan`.
        contradicted: judged ones whose time clock and wires contradict.
    """

    total: int
    by: Mapping[Standing, tuple[int, ...]]
    off_plan: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    contradicted: tuple[int, ...] = ()

    def __getitem__(self, standing: Standing) -> tuple[int, ...]:
        """Return the numbers of a standing."""
        return self.by.get(standing, ())

    def n(self, *standings: Standing) -> int:
        """Return how many transitions have one of some standings."""
        return sum(len(self[each]) for each in standings)

    @property
    def judged(self) -> int:
        """How many have a verdict that counts."""
        return self.n(Standing.PASSED, Standing.FAILED, Standing.MARGINAL)

    @property
    def n_off_plan(self) -> int:
        """How many did not go as planned, and are no failure."""
        return len(self.off_plan)

    @property
    def first_wrong(self) -> int | None:
        """The transition that a face opens first; None where nothing went wrong."""
        return self.wrong[0] if self.wrong else None


@unique
class Assumption(StrEnum):
    """What a bound on the failure rate rests on; the value is the sentence."""

    INDEPENDENT = "cycles fail independently of one another"
    UNDECIDED_FAILED = (
        "cycles fail independently of one another; undecided ones are counted as failed"
    )


@dataclass(frozen=True, slots=True)
class FailureBound:
    """What so many judged transitions show of the failure rate.

    Attributes:
        failed: failed ones, undecided ones among them. n: what they are of.
        upper: one-sided upper bound of the rate, 0..1.
        confidence: with which it holds. assumption: on which.
        needed_for_1_percent: failure-free ones that would show at most 1 %.
    """

    failed: int
    n: int
    upper: float
    confidence: float
    assumption: Assumption
    needed_for_1_percent: int


@dataclass(frozen=True, slots=True)
class Judged:
    """The limit that the verdict rests on, and the worst value against it.

    Attributes:
        title: of what is limited, in words.
        unit: of `value`, `worst` and `bound`.
        value: the limit. worst: the value nearest to it, or farthest beyond; bound: its half-width
            that is certain. None without a value.
        worst_at: number of the transition that has it.
    """

    limit: Limit
    title: str
    unit: str
    value: float
    worst: float | None = None
    bound: float | None = None
    worst_at: int | None = None


@unique
class Team(StrEnum):
    """Who can do something about it."""

    FIRMWARE = "Firmware"
    DRIVER = "Driver"
    RIG = "Rig"
    IMAGE = "Image team"
    OPEN = "No owner"


@unique
class DoubtKind(StrEnum):
    """Why an answer may be doubted; a face knows by it where its evidence is."""

    CONTRADICTION = "contradiction"
    OFF_PLAN = "off-plan"
    NO_RECORD = "no-record"
    NO_TIME = "no-time"
    OFFSETS = "several-offsets"
    INJECTED = "faults-injected"
    INCOMPLETE = "log-incomplete"
    SALVAGED = "store-salvaged"
    UNFINISHED = "plan-unfinished"
    SIMULATED = "simulated"
    PARTS = "parts"


@dataclass(frozen=True, slots=True)
class DoubtOf:
    """One reason to doubt an answer.

    Attributes:
        text: in words, with its figures.
        numbers: of the transitions that it is about; empty where it is about all.
        finding: which kind of finding contradicts; None of other doubts.
    """

    kind: DoubtKind
    text: str
    numbers: tuple[int, ...] = ()
    finding: FindingKind | None = None


@unique
class UnseenKind(StrEnum):
    """What could not have been seen."""

    BIOS_TIME = "bios-time"
    RECORDS = "records"
    DISPLAY = "display"
    DEVICES = "devices"
    STATE = "sleep-state"
    WIRES = "wires"


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that the evidence could not have shown, so that its absence shows nothing.

    Attributes:
        least_ns: what is smaller would not show; None where nothing at all would.
        text: a sentence.
    """

    kind: UnseenKind
    text: str
    least_ns: int | None = None


@unique
class CauseKind(StrEnum):
    """What a cause is about; a face knows by it where its evidence is."""

    SLOW = "slow"
    FINDING = "finding"
    NEAR = "near-limit"
    COVERAGE = "coverage"
    EVIDENCE = "evidence"
    CYCLES = "cycles"


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that somebody should do something about; the gravest comes first.

    Attributes:
        owner: whose it is, in words.
        what: in one sentence, with how much time or how many failures.
        step: the one next step; "" where `what` says it.
        command: the option or command that does it, or shows more; "" without one.
        numbers: of the transitions that it is about.
        time_ns: what it takes of a resume, where it is about time.
    """

    kind: CauseKind
    owner: str
    what: str
    step: str = ""
    command: str = ""
    numbers: tuple[int, ...] = ()
    time_ns: int | None = None
    finding: FindingKind | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What an answer is about.

    Attributes:
        computers: names of the DUTs. Hostile, where a DUT wrote them.
        builds: of firmware and OS, as far as they are known; hostile, too.
        kinds: of sleep, the commonest first.
        first_utc_ns, last_utc_ns: first and last transition; None without a date.
        simulated: the evidence is of a simulated bench; None where nobody states it.
    """

    computers: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    kinds: tuple[SleepKind, ...] = ()
    first_utc_ns: int | None = None
    last_utc_ns: int | None = None
    simulated: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Verdict, why, and what to do, of a log or a campaign.

    Attributes:
        figures: of the reason, each under its name; units in the names.
        headline: the verdict's sentence, of twelve words at most.
        why: what it rests on, sentence by sentence.
        causes: what to do, the gravest first; never empty without a PASS.
        limit: what is judged; None where nothing is required.
        failures: None where nothing is judged.
        contradictions: what speaks against the time that is judged. doubts: other ones.
        unseen: what the evidence could not have shown.
    """

    verdict: Verdict
    reason: Reason
    headline: str
    why: tuple[str, ...]
    subject: Subject
    counts: Counts
    causes: tuple[Cause, ...]
    limit: Judged | None = None
    failures: FailureBound | None = None
    contradictions: tuple[DoubtOf, ...] = ()
    doubts: tuple[DoubtOf, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    figures: Mapping[str, int | float | str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def band(self) -> str:
        """What every face shows across its top, where no PC was measured; else ""."""
        return band_of((self.subject.simulated,), "campaigns")

    @property
    def text(self) -> str:
        """Headline and why, as one text."""
        return " ".join((self.headline, *self.why))
