"""One sleep and one wake, as measured from outside, and as reconciled with the inside."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.match import ClockStep, CycleReason, MatchCertainty, UnmatchedRecord
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.verdict import Finding, Verdict


@unique
class OutsideState(StrEnum):
    """The sleep state that the wires showed (correlate --json `state_outside`)."""

    S3 = "S3"
    S4 = "S4"
    S5 = "S5"
    S0IX = "S0ix"
    NONE = "none"


@unique
class Outcome(StrEnum):
    """What became of a cycle, from outside."""

    SLEPT_AND_WOKE = "slept-and-woke"
    NEVER_SLEPT = "never-slept"
    WOKE_ALONE = "woke-alone"
    NEVER_WOKE = "never-woke"
    DARK = "dark"
    INVALID = "invalid"
    INTERRUPTED = "interrupted"


@unique
class IntervalName(StrEnum):
    """Named times between edges of one cycle (docs/reference/intervals.md)."""

    TRIGGER_TO_SLP_S3 = "trigger_to_slp_s3_ns"
    ASLEEP = "asleep_ns"
    PRESS_WIDTH = "press_width_ns"
    PRESS_TO_SLP_S3 = "press_to_slp_s3_ns"
    PRESS_TO_PWR_OK = "press_to_pwr_ok_ns"
    SLP_S3_TO_PWR_OK = "slp_s3_to_pwr_ok_ns"
    PWR_OK_TO_PLTRST = "pwr_ok_to_pltrst_ns"
    PRESS_TO_PLTRST = "press_to_pltrst_ns"
    PLTRST_TO_LIGHT = "pltrst_to_light_ns"
    PRESS_TO_LIGHT = "press_to_light_ns"


@dataclass(frozen=True, slots=True)
class OutsideCycle:
    """What the rig measured of one cycle. An interval that cannot be formed is absent.

    Attributes:
        number: of the cycle in its campaign, from 1.
        wake_by: the actuator whose edge started the wake; None when no trigger was seen.
        trigger_ns: board clock of the measured wake trigger (press or lid edge); None if none.
        asleep_from_ns, awake_from_ns: board clock of SLP_S3# falling (or PWR_OK where SLP_S3 is
            not wired), and rising again; None where it did not happen.
        findings: faults that the wires alone show.
        channels: the lines that were observed; what is not among them cannot have been seen (S3
            and S4 look alike without SLP_S4#).
    """

    number: int
    outcome: Outcome
    state: OutsideState
    wake_by: Actuator | None
    trigger_ns: int | None
    asleep_from_ns: int | None
    awake_from_ns: int | None
    intervals: Mapping[IntervalName, BoundedNs]
    findings: tuple[Finding, ...] = ()
    ignored: bool = False
    channels: tuple[Channel, ...] = ()


@dataclass(frozen=True, slots=True)
class ReconciledCycle:
    """Outside and inside of one cycle as one statement.

    Attributes:
        outside: what the wires showed.
        record: the matched OS record; None if there is none.
        press_to_resume_complete: press to "all devices have their S0 IRP", outside + inside.
        unexplained: how far this cycle's residual is from the campaign's own median residual.
        light_after_complete: light minus resume complete; negative = light came first.
        judged: whether the verdict counts in the campaign's; why_not says why it does not.
        certainty: how sure it is that the record is of this cycle; None without a record. Only a
            high one feeds the verdict, the differences and the findings.
        record_missing: the likely reason why there is no record; None where there is one.
    """

    outside: OutsideCycle
    record: OsRecord | None
    press_to_resume_complete: BoundedNs | None
    unexplained: BoundedNs | None
    light_after_complete: BoundedNs | None
    verdict: Verdict
    judged: bool
    why_not: str | None
    findings: tuple[Finding, ...] = field(default=())
    certainty: MatchCertainty | None = None
    record_missing: CycleReason | None = None


@dataclass(frozen=True, slots=True)
class OsClock:
    """How the OS clock stood to the host's, as the match found it."""

    os_minus_host_s: float
    bound_s: float
    drift_ppm: float | None


@dataclass(frozen=True, slots=True)
class Correlation:
    """The whole answer of `correlate` and `run`.

    Attributes:
        clock_steps: where the match found that the OS clock was set, in order of the cycles.
    """

    cycles: tuple[ReconciledCycle, ...]
    unmatched_records: tuple[UnmatchedRecord, ...]
    clock: OsClock | None
    verdict: Verdict
    why: str
    clock_steps: tuple[ClockStep, ...] = ()
