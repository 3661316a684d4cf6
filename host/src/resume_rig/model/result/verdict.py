"""What a requirement asks, and what is found against it: verdicts, findings, figures."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final

from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import NS_PER_MS


@unique
class Verdict(StrEnum):
    """The answer to "was the requirement met?"; MARGINAL = within the uncertainty of the limit."""

    PASS = "PASS"
    FAIL = "FAIL"
    MARGINAL = "MARGINAL"
    NO_EVIDENCE = "NO-EVIDENCE"


WORST_FIRST: Final = (Verdict.FAIL, Verdict.MARGINAL, Verdict.NO_EVIDENCE, Verdict.PASS)


@unique
class WhyNot(StrEnum):
    """Why a transition is not judged; JSON and exports have the name, a reader the sentence."""

    IGNORED_FIRST = "ignored-first"
    IGNORED_BY_LISTING = "ignored-by-listing"
    IGNORED_BY_PLAN = "ignored-by-plan"
    NOT_COVERED = "not-covered"
    OTHER_KIND = "other-kind"
    OTHER_KIND_ON_WIRES = "other-kind-on-wires"
    FROM_IMAGE = "from-image"
    NOT_BACK = "not-back"
    NOT_REPORTED = "not-reported"
    NOT_TIMED = "not-timed"
    NOT_MEASURED = "not-measured"
    WAKES_BEFORE_SLEEP = "wakes-before-sleep"
    ABSURD_BIOS = "absurd-bios"
    CONTRADICTS_ITSELF = "contradicts-itself"
    DOUBTED = "doubted"
    IMPOSSIBLE_BIOS = "impossible-bios"
    NO_RECORD = "no-record"
    MATCH_UNCERTAIN = "match-uncertain"
    STATE_MISMATCH = "state-mismatch"
    NO_SLEEP = "no-sleep"
    SHALLOW = "slept-shallow"
    WRONG_STATE = "wrong-state"
    NOT_OURS = "not-ours"
    EDGES_LOST = "edges-lost"
    POLARITY = "polarity"
    RIG_FAULT = "rig-fault"
    INTERRUPTED = "interrupted"


_SENTENCES: Final[Mapping[WhyNot, str]] = MappingProxyType(
    {
        WhyNot.IGNORED_FIRST: "ignored: the first transition of its log",
        WhyNot.IGNORED_BY_LISTING: "ignored: its listing marks it so",
        WhyNot.IGNORED_BY_PLAN: "ignored: the plan leaves this cycle out",
        WhyNot.NOT_COVERED: "not covered by this requirement: {requirement} covers {covers};"
        " this is {kind}",
        WhyNot.OTHER_KIND: "other kind: {requirement} covers {covers}; {asked} was asked for",
        WhyNot.OTHER_KIND_ON_WIRES: "other kind: {requirement} covers {covers}; the wires show"
        " another sleep",
        WhyNot.FROM_IMAGE: "not S3: this hybrid sleep resumed from its hibernation file, as S4"
        " does",
        WhyNot.NOT_BACK: "not measured: the OS did not come back from this {kind}",
        WhyNot.NOT_REPORTED: "not measured: the record reports no {missing}",
        WhyNot.NOT_TIMED: "not measured: {why}",
        WhyNot.NOT_MEASURED: "not measured: no {missing}",
        WhyNot.WAKES_BEFORE_SLEEP: "not measured: the record's WakeTime lies before its SleepTime",
        WhyNot.ABSURD_BIOS: "not measured: no firmware takes the {bios_ms} ms of BIOS time that"
        " the record reports",
        WhyNot.CONTRADICTS_ITSELF: "not measured: the record contradicts itself: {why}",
        WhyNot.DOUBTED: "not measured: the record is doubted: {why}",
        WhyNot.IMPOSSIBLE_BIOS: "impossible BIOS time: clock and wires leave no room for it",
        WhyNot.NO_RECORD: "no record: {why}",
        WhyNot.MATCH_UNCERTAIN: "match not certain: {why}",
        WhyNot.STATE_MISMATCH: "state mismatch: {why}",
        WhyNot.NO_SLEEP: "no sleep: the DUT never slept, so there was no resume",
        WhyNot.SHALLOW: "slept shallow: {why}",
        WhyNot.WRONG_STATE: "wrong state: {why}",
        WhyNot.NOT_OURS: "not ours: something else woke the DUT",
        WhyNot.EDGES_LOST: "invalid: edges of this cycle were lost",
        WhyNot.POLARITY: "check the polarity: the lines contradict each other",
        WhyNot.RIG_FAULT: "rig fault: the rig failed within this cycle",
        WhyNot.INTERRUPTED: "interrupted: the cycle was not finished",
    }
)


@dataclass(frozen=True, slots=True)
class NotJudged:
    """Why one transition is not judged.

    Attributes:
        reason: by which it is counted, and found again.
        figures: what its sentence names, each under the name that the sentence has for it.
    """

    reason: WhyNot
    figures: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, reason: WhyNot, **figures: str) -> "NotJudged":
        """Return a reason with what its sentence names."""
        return cls(reason, tuple(figures.items()))

    def __str__(self) -> str:
        """Return the sentence."""
        return _SENTENCES[self.reason].format(**dict(self.figures))


@unique
class FindingKind(StrEnum):
    """Names of disagreements and faults (docs/reference/findings.md has each)."""

    NEVER_SLEPT = "never-slept"
    NEVER_WOKE = "never-woke"
    WAKE_NOT_OURS = "wake-not-ours"
    DARK = "dark"
    REBOOTED = "rebooted"
    WRONG_STATE = "wrong-state"
    WOKE_LATE = "woke-late"
    HUNG = "hung"
    NOT_SETTLED = "not-settled"
    COMMAND_FAILED = "command-failed"
    NO_TRACE = "no-trace"
    WAKE_NOT_ARMED = "wake-not-armed"
    DOZED = "dozed"
    HELD_OFF = "held-off"
    LIT_ASLEEP = "lit-asleep"
    LIGHT_NOT_TIMED = "light-not-timed"
    TRIGGER_UNCLEAR = "trigger-unclear"
    EDGE_LOST = "edge-lost"
    GLITCH = "glitch"
    ODD_LEVELS = "odd-levels"
    WRONG_POLARITY = "wrong-polarity"
    STATE_MISMATCH = "state-mismatch"
    DOUBLE_RESET = "double-reset"
    RECORD_MISSING = "record-missing"
    RECORD_ABORTED = "record-aborted"
    RECORD_DOUBLED = "record-doubled"
    NOT_MEASURED = "not-measured"
    CLOCK_STEP = "clock-step"
    WAKE_SOURCE_MISMATCH = "wake-source-mismatch"
    HIDDEN_BEFORE_SLEEP = "hidden-before-sleep"
    S0_POWER_ASLEEP = "s0-power-asleep"
    DRAINS_ASLEEP = "drains-asleep"
    DEVICE_CHANGED = "device-changed"
    LINK_LOST = "link-lost"
    NEW_ERRORS = "new-errors"
    BIOS_NOT_REPORTED = "bios-not-reported"
    TSC_NOT_RESET = "tsc-not-reset"
    WRONG_UNIT = "wrong-unit"
    BIOS_UNDER_REPORTED = "bios-under-reported"
    BIOS_OVER_REPORTED = "bios-over-reported"
    FIRMWARE_DISAGREES = "firmware-disagrees"
    AVERAGE_RESUME_WRONG = "average-resume-wrong"
    RESUME_COUNT_STUCK = "resume-count-stuck"
    LIT_BEFORE_OS = "lit-before-os"
    COMPLETE_BEFORE_LIGHT = "complete-before-light"
    UNEXPLAINED = "unexplained"
    SUSPICION = "suspicion"
    BIOS_OVER_ADVISED = "bios-over-advised"
    OVERRUN = "overrun"
    BOARD_REBOOTED = "board-rebooted"
    LEASE_EXPIRED = "lease-expired"


NOT_UP: Final = frozenset({FindingKind.DARK, FindingKind.NEVER_WOKE})
"""By the wires, the DUT did not come up again."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement or fault, named, with its evidence.

    Attributes:
        text: one sentence for a person.
        evidence: JSON-able numbers and strings, unit in each name.
    """

    kind: FindingKind
    text: str
    evidence: Mapping[str, int | float | str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of a set of times in milliseconds; every figure is None when n is 0."""

    n: int
    min_ms: float | None
    median_ms: float | None
    mean_ms: float | None
    p95_ms: float | None
    max_ms: float | None


RESUME = "resume_ms"
BIOS = "bios_init_ms"
WHOLE: Final = "back-whole"
"""Measure of a limit: the DUT slept as asked, woke when asked, and came back with what it had."""

OUTCOME: Final = "outcome:"
FINDING: Final = "finding:"
"""Prefixes of measures that count outcomes or findings by name: outcome:woke-alone,dark."""

SHARE: Final = "%"
EVIDENCE_MIN = 0.9
"""Share of the cycles that woke that must have a value where a profile does not state it. A choice
of this project, as no document names one: with a tenth missing, a share of cycles is off by a tenth
at most, whatever the missing ones were."""


@unique
class Comparison(StrEnum):
    """How a value stands to its limit where it conforms."""

    AT_MOST = "at_most"
    BELOW = "below"
    AT_LEAST = "at_least"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit on one measure.

    Attributes:
        measure: what is limited (verdict/measures.py has the names); its unit is at the end. Of an
            event (verdict/events.py) it is WHOLE, or names after OUTCOME or FINDING.
        comparison: which side conforms.
        value: the limit, in the base of its unit (`UNIT_BASES`: ns of a time), in the measure's own
            unit for a rate; of an event the share of cycles, 0..1, that may have it.
        unit: that the profile, and a reader, has it in.
        required: a limit that is only advised decides no verdict.
        share: None where every cycle must conform; else the share of cycles that must, e.g. 0.95
            for a limit on the 95th percentile.
        confidence: with which a share must be shown, one-sided.
        kinds: kinds of sleep it is for; empty = all of its profile's.
        cycles_min: with fewer cycles there is no PASS.
    """

    measure: str
    comparison: Comparison
    value: int | float
    unit: str
    required: bool = True
    share: float | None = None
    confidence: float = 0.95
    kinds: tuple[SleepKind, ...] = ()
    cycles_min: int = 0

    @staticmethod
    def names_event(measure: str) -> bool:
        """Return whether a measure is what cycles did, and not a value of them."""
        return measure == WHOLE or measure.startswith((OUTCOME, FINDING))

    @property
    def is_event(self) -> bool:
        """Whether it is on what cycles did."""
        return self.names_event(self.measure)


USUAL_REQUIREMENT: Final = "sysfund-0004"
"""The shipped profile that is meant where nobody names one."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """Limits that a verdict is given against.

    Attributes:
        id: e.g. "sysfund-0004".
        version: of the profile in this project, not of the document it comes from.
        source: the document that the limits come from.
        kinds: the kinds of sleep that it covers.
        resume_limit_ms: BiosInit + DriverInit must be at most this; None where the profile does
            not limit it.
        bios_advised_ms: BiosInit should be at most this (a recommendation, never a FAIL); or None.
        ignore_first: the first transition of each log is left out.
        limit_fails: a resume time at the limit itself fails, where others are met by it.
        guard_band: whether values so near a limit that their uncertainty decides are MARGINAL;
            without it the reported value counts as it stands.
        further: limits beyond these two.
        evidence_min: the share, 0..1, of the cycles that woke from a sleep of these kinds that
            must have a value; with fewer there is no verdict but FAIL.
        back_whole: whether a cycle fails that did not sleep and wake as asked, or did not come
            back with what it had.
        real_only: whether evidence of a simulated bench, or of nobody knows what, is none.
    """

    id: str
    version: int
    title: str
    source: str
    kinds: tuple[SleepKind, ...]
    resume_limit_ms: int | None
    bios_advised_ms: int | None
    ignore_first: bool = False
    limit_fails: bool = False
    guard_band: bool = True
    further: tuple[Limit, ...] = ()
    evidence_min: float = EVIDENCE_MIN
    back_whole: bool = False
    real_only: bool = False

    def limits(self) -> tuple[Limit, ...]:
        """Return every limit, each with the kinds of sleep that it is for."""
        return _limits_of(self)


@functools.lru_cache(maxsize=16)  # asked for with each of 100,000 cycles
def _limits_of(requirement: Requirement) -> tuple[Limit, ...]:
    found: list[Limit] = []
    if requirement.resume_limit_ms is not None:
        comparison = Comparison.BELOW if requirement.limit_fails else Comparison.AT_MOST
        found.append(Limit(RESUME, comparison, requirement.resume_limit_ms * NS_PER_MS, "ms"))
    if requirement.bios_advised_ms is not None:
        limit_ns = requirement.bios_advised_ms * NS_PER_MS
        found.append(Limit(BIOS, Comparison.AT_MOST, limit_ns, "ms", required=False))
    found += requirement.further
    if requirement.back_whole and not any(each.measure == WHOLE for each in found):
        found.append(Limit(WHOLE, Comparison.AT_MOST, 0.0, SHARE))
    return tuple(replace(limit, kinds=limit.kinds or requirement.kinds) for limit in found)
