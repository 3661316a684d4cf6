"""One sleep and one wake, as measured from outside, and as reconciled with the inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.judgement import LimitJudgement
from resume_rig.model.light import LightBasis
from resume_rig.model.match import ClockStep, CycleReason, MatchCertainty, UnmatchedRecord
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.series import FailureRate, SeriesStatistics
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
    """What became of a cycle; model/outcome.py has what each means (docs/reference/outcomes.md)."""

    SLEPT_AND_WOKE = "slept-and-woke"
    RECORD_MISSING = "record-missing"
    WOKE_LATE = "woke-late"
    NEVER_SLEPT = "never-slept"
    SLEPT_SHALLOW = "slept-shallow"
    WOKE_ALONE = "woke-alone"
    NEVER_WOKE = "never-woke"
    HUNG_IN_SLEEP = "hung-in-sleep"
    HUNG_IN_RESUME = "hung-in-resume"
    DARK = "dark"
    REBOOTED = "rebooted"
    INVALID = "invalid"
    RIG_FAULT = "rig-fault"
    INTERRUPTED = "interrupted"


@unique
class IntervalName(StrEnum):
    """Named times between edges of one cycle (docs/reference/intervals.md)."""

    # That of Enum is Python and takes ten times as long; every cycle has a table of them.
    __hash__ = str.__hash__

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
    PRESS_TO_FIRST_LIGHT = "press_to_first_light_ns"
    PRESS_TO_LIGHT_90 = "press_to_light_90_ns"


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
        light_basis: what the intervals to light end at; None where no light was timed.
        hibernated_from_ns: board clock at which a sleep that began as S3 became an S4 (a doze);
            None where it did not.
        bounces: edges of each line that were one too many; lines without any are absent.
        asked: the kind of sleep that the plan asked for (BOOT: off, and a boot); None where
            nobody says (captures).
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
    light_basis: LightBasis | None = None
    hibernated_from_ns: int | None = None
    bounces: Mapping[Channel, int] = field(default_factory=dict)
    asked: SleepKind | None = None


@dataclass(frozen=True, slots=True)
class ReconciledCycle:
    """Outside and inside of one cycle as one statement.

    Attributes:
        outside: what the wires showed.
        record: the matched OS record; None if there is none.
        press_to_resume_complete: press to "all devices have their S0 IRP", outside + inside.
        unexplained: how far this cycle's residual is from the campaign's own median residual.
        light_after_complete: light minus resume complete; negative = light came first.
        hidden_before_sleep: trigger to SLP_S3# minus what the OS and its firmware tell of it.
        judged: whether the verdict counts in the campaign's; why_not says why it does not.
        certainty: how sure it is that the record is of this cycle; None without a record. Only a
            high one feeds the verdict, the differences and the findings.
        record_missing: the likely reason why there is no record; None where there is one.
        bios_impossible: whether clock and wires leave no room for the record's BIOS time, so that
            nothing is derived from it, and nothing judged by it.
        undecided: it woke from a sleep that the requirement covers, and nothing can be judged.
        bios_checked: whether the bounds of press_to_resume_complete and light_after_complete hold
            all that the OS's clock leaves open of the BIOS time; they hold if BiosInit is true
            otherwise.
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
    hidden_before_sleep: BoundedNs | None = None
    certainty: MatchCertainty | None = None
    record_missing: CycleReason | None = None
    bios_impossible: bool = False
    undecided: bool = False
    bios_checked: bool = False

    @property
    def outcome(self) -> Outcome:
        """What became of the cycle, with what the lack of its OS record adds to the wires."""
        lost = self.record is None and self.record_missing is CycleReason.LOST
        lost = lost and self.outside.asked is not SleepKind.BOOT
        if lost and self.outside.outcome is Outcome.SLEPT_AND_WOKE:
            return Outcome.RECORD_MISSING
        return self.outside.outcome

    @property
    def timed_outside(self) -> bool:
        """Whether its wires tell of a sleep and a wake that count, judged or not."""
        return self.outside.outcome is Outcome.SLEPT_AND_WOKE and not self.outside.ignored


@dataclass(frozen=True, slots=True)
class OsClockSegment:
    """How the OS clock stood to the host's between two settings of it.

    Attributes:
        first_cycle, last_cycle: numbers of the cycles whose readings it is made of.
        os_minus_host_s: in the middle of them. bound_s: half-width that holds the truth there.
    """

    first_cycle: int
    last_cycle: int
    os_minus_host_s: float
    bound_s: float
    drift_ppm: float | None


@dataclass(frozen=True, slots=True)
class OsClock:
    """How the OS clock stood to the host's, as the match found it.

    Attributes:
        os_minus_host_s, bound_s: over the whole campaign; where the clock was set, the bound holds
            all that it was.
        segments: one for each time between two settings, in order; none where it was not set.
    """

    os_minus_host_s: float
    bound_s: float
    drift_ppm: float | None
    segments: tuple[OsClockSegment, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardClock:
    """How the board's clock ran against the host's wall clock over a campaign.

    Attributes:
        tolerance_ppb: what the board states; holds where a cycle was not corrected.
        source: who keeps the host's wall clock.
        rate_ppb, bound_ppb: mean rate error over the campaign, positive = fast, and its
            half-width; None where it is not known.
        cycle_bound_ppb: greatest half-width of the rate in any cycle that was corrected.
        corrected: how many cycles had their intervals corrected.
        breaks: a sentence for each step, suspend or reset that the exchanges show.
    """

    tolerance_ppb: int
    source: str
    rate_ppb: int | None = None
    bound_ppb: int | None = None
    cycle_bound_ppb: int | None = None
    corrected: int = 0
    breaks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UsualRest:
    """What a campaign usually leaves between outside and inside, for a kind of sleep and a wake.

    Attributes:
        n: cycles that it is of, without ignored and warm-up ones.
        residual_ns: median of PLTRST# -> light minus BiosInit minus DriverInit.
        spread_ns: standard deviation from it, what is far out left out; None below 8 cycles.
    """

    kind: SleepKind
    wake_by: Actuator | None
    n: int
    residual_ns: int
    spread_ns: int | None


@dataclass(frozen=True, slots=True)
class DetectableBios:
    """The least by which BiosInit may be short, and a finding says so in nearly all such cycles.

    Attributes:
        n: cycles that report a BIOS time.
        constant_ns: where all cycles are short by it; None where no shortfall would be found.
        single_ns: where single cycles are that another one follows; None likewise.
    """

    n: int
    constant_ns: int | None
    single_ns: int | None


@dataclass(frozen=True, slots=True)
class Correlation:
    """The whole answer of `correlate` and `run`.

    Attributes:
        cycles: in order; those of a long campaign are made anew in each pass (`PackedSequence`).
        limits: each limit of the requirement, judged over all cycles that count.
        failures: how often judged cycles fail; None without any.
        series: the judged cycles' times, one entry for each measure that has values.
        clock_steps: where the match found that the OS clock was set, in order of the cycles.
        alike_offsets: how many offsets of the OS clock explain the cycles equally well, at least,
            where nothing is matched for that reason; 1 otherwise.
        undecided: cycles that woke from a sleep that the requirement covers, without evidence.
        detectable: the least error of BiosInit that was looked for; None where none is reported.
    """

    cycles: Sequence[ReconciledCycle]
    unmatched_records: tuple[UnmatchedRecord, ...]
    clock: OsClock | None
    verdict: Verdict
    why: str
    board_clock: BoardClock | None = None
    usual: tuple[UsualRest, ...] = ()
    limits: tuple[LimitJudgement, ...] = ()
    failures: FailureRate | None = None
    series: tuple[SeriesStatistics, ...] = ()
    clock_steps: tuple[ClockStep, ...] = ()
    alike_offsets: int = 1
    undecided: int = 0
    detectable: DetectableBios | None = None
