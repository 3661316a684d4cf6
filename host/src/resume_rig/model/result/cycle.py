"""One sleep and wake: its health, as measured, reconciled with OS records, and what outcomes mean.

Every list of outcomes in the product is made of `MEANINGS`, so that none can forget one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, unique
from types import MappingProxyType
from typing import Final

from resume_rig.model.channel import Channel, WakeBy
from resume_rig.model.light import LightBasis
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.power import CyclePower
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.match import ClockStep, CycleReason, MatchCertainty, UnmatchedRecord
from resume_rig.model.result.series import FailureRate, SeriesStatistics
from resume_rig.model.result.verdict import Finding, NotJudged, Verdict, WhyNot

HEALTH_BYTES_MAX = 256 * 1024
"""Of one health report: 2,000 devices of 100 bytes (assumed); a longer one is cut, not whole."""


@dataclass(frozen=True, slots=True)
class HealthReading:
    """One health report as it came, before anybody reads it.

    Attributes:
        after: it was taken after the wake; otherwise before the sleep.
        begun_host_ns, ended_host_ns: host clock around the command that gave it.
        text: what the command wrote; hostile.
    """

    after: bool
    begun_host_ns: int
    ended_host_ns: int
    text: str


@unique
class DeviceChange(StrEnum):
    """What became of a device over a cycle."""

    GONE = "gone"
    NEW = "new"
    FAILED = "failed"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class ChangedDevice:
    """A device that is not after the wake what it was before the sleep.

    Attributes:
        id: instance path or bus address. name: for people. Both as the DUT wrote them, cut.
        problem_before, problem_after: Windows' problem code, or a word of Linux; "0" is a
            device that works; None where it was not listed.
    """

    change: DeviceChange
    id: str
    name: str
    problem_before: str | None
    problem_after: str | None


@dataclass(frozen=True, slots=True)
class LinkReturn:
    """A network link that was up before the sleep.

    Attributes:
        down_until_ns: from the wake's trigger: it was still down at that time; None where no
            report showed it down.
        up_by_ns: from the trigger: it was up by then; None where it never was, or no wire shows
            the trigger.
        is_up: the last report showed it up.
    """

    name: str
    is_up: bool
    down_until_ns: int | None
    up_by_ns: int | None


@dataclass(frozen=True, slots=True)
class Residency:
    """What a counter of the DUT gained over a cycle, in microseconds."""

    name: str
    gained_us: int


@dataclass(frozen=True, slots=True)
class CycleHealth:
    """What changed over one cycle.

    Attributes:
        compared: there is a complete report from before the sleep, and one from after the wake.
        rebooted: the DUT booted in between, so that its counters began anew.
        devices: how many were listed before the sleep.
        changed: devices that are not what they were.
        links: those that were up before the sleep.
        errors: new entries of the DUT's log of level error or worse, as many as were read.
        errors_cut: there may be more of them.
        residencies: what the counters gained; empty where there are none.
        answered_by_ns: from the trigger to the end of the first report after the wake.
        took_ns: what the commands took together, before the sleep and after the wake.
    """

    compared: bool
    rebooted: bool
    devices: int
    changed: tuple[ChangedDevice, ...]
    links: tuple[LinkReturn, ...]
    errors: tuple[str, ...]
    errors_cut: bool
    residencies: tuple[Residency, ...]
    answered_by_ns: int | None
    took_ns: int


@unique
class OutsideState(StrEnum):
    """The sleep state that the wires showed (correlate --json `state_outside`)."""

    S3 = "S3"
    S4 = "S4"
    S5 = "S5"
    S0IX = "S0ix"
    NONE = "none"


SOFT_OFF: Final = frozenset({OutsideState.S4, OutsideState.S5})
"""Without power but what wakes it: SLP_S5# goes low in S4 on some boards."""


@unique
class Outcome(StrEnum):
    """What became of a cycle; MEANINGS has what each means (docs/reference/outcomes.md)."""

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
        wake_by: what started the wake; None when no trigger was observed.
        trigger_ns: board clock of the wake trigger (press or lid edge, or a command that no wire
            shows); None if none.
        asleep_from_ns, awake_from_ns: board clock of SLP_S3# falling (or PWR_OK where SLP_S3 is
            not wired), and rising again; None where it did not happen.
        findings: faults that the wires alone show.
        channels: the lines that were observed; without SLP_S4#, for one, S3 and S4 look the same.
        light_basis: what the intervals to light end at; None where no light was timed.
        hibernated_from_ns: board clock at which a sleep that began as S3 became an S4 (a doze);
            None where it did not.
        bounces: edges of each line that were one too many; lines without any are absent.
        asked: the kind of sleep that the plan asked for (BOOT: off, and a boot); None where
            no plan is there (captures).
        power: what it drew; None without a power monitor.
        health: what the DUT's own lists show of it; None where nobody asked.
        standby_ns: how long its display, or else its LED, was dark while the power lines stayed
            up; None where it was not, or an end of that was not observed.
    """

    number: int
    outcome: Outcome
    state: OutsideState
    wake_by: WakeBy | None
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
    power: CyclePower | None = None
    health: CycleHealth | None = None
    standby_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ReconciledCycle:
    """Outside and inside of one cycle as one statement.

    Attributes:
        record: the matched OS record; None if there is none.
        press_to_resume_complete: press to all devices having completed their S0 set-power IRP,
            outside + inside.
        unexplained: how far this cycle's residual is from the campaign's own median residual.
        light_after_complete: light minus resume complete; negative = light came first.
        hidden_before_sleep: trigger to SLP_S3# minus what the OS and its firmware report of it.
        judged: whether the verdict counts in the campaign's; unjudged: why it does not, once it
            was ruled upon.
        certainty: how sure it is that the record is of this cycle; None without a record. Only a
            high one feeds the verdict, the differences and the findings.
        record_missing: the likely reason why there is no record; None where there is one.
        bios_impossible: whether clock and wires leave no room for the record's BIOS time, so that
            nothing is derived from it, and nothing judged by it.
        undecided: it woke from a sleep that the requirement covers, and nothing can be judged.
        press_to_desktop: of a boot, press to the desktop, outside + inside.
        shutdown: of a boot, the OS's account of the shutdown before it; None where there is none.
        bios_checked: whether the bounds of press_to_resume_complete and light_after_complete hold
            all that the OS's clock leaves open of the BIOS time; they hold if BiosInit is true
            otherwise.
        failed_by: names of outcomes and findings by which it fails, whatever its times.
        untimed: it is judged by these alone, and its times are no evidence of any resume.
    """

    outside: OutsideCycle
    record: OsRecord | None
    press_to_resume_complete: BoundedNs | None
    unexplained: BoundedNs | None
    light_after_complete: BoundedNs | None
    verdict: Verdict
    judged: bool
    unjudged: NotJudged | None
    findings: tuple[Finding, ...] = field(default=())
    hidden_before_sleep: BoundedNs | None = None
    certainty: MatchCertainty | None = None
    record_missing: CycleReason | None = None
    bios_impossible: bool = False
    undecided: bool = False
    bios_checked: bool = False
    press_to_desktop: BoundedNs | None = None
    shutdown: OsRecord | None = None
    failed_by: tuple[str, ...] = ()
    untimed: bool = False

    @property
    def is_timed(self) -> bool:
        """Whether it is judged, and its times count."""
        return self.judged and not self.untimed

    @property
    def outcome(self) -> Outcome:
        """What became of the cycle, with what the lack of its OS record adds to the wires."""
        lost = self.record is None and self.record_missing is CycleReason.LOST
        lost = lost or (self.record is not None and self.record.is_untimed)
        lost = lost and self.outside.asked is not SleepKind.BOOT
        if lost and self.outside.outcome is Outcome.SLEPT_AND_WOKE:
            return Outcome.RECORD_MISSING
        return self.outside.outcome

    @property
    def why_not(self) -> str | None:
        """Why it is not judged, in one sentence; None where it is."""
        return None if self.unjudged is None else str(self.unjudged)

    @property
    def timed_outside(self) -> bool:
        """Whether its wires show a sleep and a wake that count, judged or not."""
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
            half-width; None where nothing shows it.
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
    wake_by: WakeBy | None
    n: int
    residual_ns: int
    spread_ns: int | None


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A campaign that falls in parts: a BIOS that was updated in the middle, another display.

    Attributes:
        first_cycle: number of the first cycle of the later part.
        bios_ns: by how much the median BiosInit is more from there on; None where not known.
        rest_ns: the same of PLTRST# to display on less BiosInit and DriverInit.
        light_stayed: whether the light came as before though BiosInit did not: it is wrong on one
            side, and this does not show on which.
        computer: whose records the later part has, where the earlier one has another computer's;
            hostile.
    """

    first_cycle: int
    bios_ns: int | None
    rest_ns: int | None
    light_stayed: bool
    computer: str = ""


@dataclass(frozen=True, slots=True)
class DetectableBios:
    """The least by which BiosInit may be short, and nearly all such cycles have a finding of it.

    Attributes:
        n: cycles that report a BIOS time.
        constant_ns: where all cycles are short by it; None where no shortfall would be found.
        single_ns: where single cycles are that another one follows; None likewise.
        checked: of n, cycles whose own clock and wires bound their BIOS time at all.
        suspected_ns: from where on nearly all such cycles have at least a suspicion, as long as no
            time service moves the clock by more than it does by default.
    """

    n: int
    constant_ns: int | None
    single_ns: int | None
    checked: int = 0
    suspected_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Correlation:
    """The whole answer of `correlate` and `run`.

    Attributes:
        cycles: in order; those of a long campaign are made anew in each pass (`PackedSequence`).
        limits: each limit of the requirement, judged over all cycles that count.
        failures: how often judged cycles fail; None without any.
        series: the judged cycles' times, one entry for each measure that has values.
        clock_steps: where the match found that the OS clock was set, in order of the cycles; none
            from one computer's records to another's.
        equal_offsets: how many offsets of the OS clock explain the cycles equally well, at least,
            where nothing is matched for that reason; 1 otherwise.
        undecided: cycles that woke from a sleep that the requirement covers, without evidence.
        detectable: the least error of BiosInit that was looked for; None where none is reported.
        levels: where the campaign falls in parts, in order of the cycles.
        doubts: clauses on what the evidence itself is worth; they are in `why`, too.
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
    equal_offsets: int = 1
    undecided: int = 0
    detectable: DetectableBios | None = None
    levels: tuple[LevelChange, ...] = ()
    doubts: tuple[str, ...] = ()


@unique
class Counts(Enum):
    """How an outcome counts for the DUT."""

    AS_PLANNED = "the DUT did what the plan asked for"
    FAILED = "the DUT did something else"
    NO_ANSWER = "the DUT was not asked, or nobody saw its answer"


@dataclass(frozen=True, slots=True)
class OutcomeMeaning:
    """What an outcome means.

    Attributes:
        words: as a sentence has it.
        counts: of the DUT.
        fails: it fails a requirement by itself, without a time.
        why_not: why it is no evidence for or against a requirement; None where it can be.
        tries_resume: the cycle was an attempt at what the plan asked for, so that it counts where
            two campaigns are compared; a wake by something else was none.
        came_back: an OS ran after it, so that a record is expected.
        matched: its wires show a sleep and a wake that a record can be of.
    """

    words: str
    counts: Counts
    fails: bool = False
    why_not: NotJudged | None = None
    tries_resume: bool = True
    came_back: bool = False
    matched: bool = True


MEANINGS: Final[Mapping[Outcome, OutcomeMeaning]] = MappingProxyType(
    {
        Outcome.SLEPT_AND_WOKE: OutcomeMeaning("slept and woke", Counts.AS_PLANNED, came_back=True),
        Outcome.RECORD_MISSING: OutcomeMeaning("record missing", Counts.AS_PLANNED, came_back=True),
        Outcome.WOKE_LATE: OutcomeMeaning("woke late", Counts.FAILED, came_back=True),
        Outcome.NEVER_SLEPT: OutcomeMeaning(
            "never slept",
            Counts.FAILED,
            why_not=NotJudged(WhyNot.NO_SLEEP),
            matched=False,
        ),
        Outcome.SLEPT_SHALLOW: OutcomeMeaning(
            "slept shallow",
            Counts.FAILED,
            why_not=NotJudged.of(
                WhyNot.SHALLOW, why="the DUT did not reach the state that was asked for"
            ),
            came_back=True,
        ),
        Outcome.WOKE_ALONE: OutcomeMeaning(
            "woke alone",
            Counts.FAILED,
            why_not=NotJudged(WhyNot.NOT_OURS),
            tries_resume=False,
            came_back=True,
        ),
        Outcome.NEVER_WOKE: OutcomeMeaning("never woke", Counts.FAILED, fails=True, matched=False),
        Outcome.HUNG_IN_SLEEP: OutcomeMeaning(
            "hung in sleep", Counts.FAILED, fails=True, matched=False
        ),
        Outcome.HUNG_IN_RESUME: OutcomeMeaning("hung in resume", Counts.FAILED, fails=True),
        Outcome.DARK: OutcomeMeaning("stayed dark", Counts.FAILED, fails=True, came_back=True),
        Outcome.REBOOTED: OutcomeMeaning("rebooted", Counts.FAILED, fails=True, matched=False),
        Outcome.INVALID: OutcomeMeaning(
            "invalid",
            Counts.NO_ANSWER,
            why_not=NotJudged(WhyNot.EDGES_LOST),
            tries_resume=False,
        ),
        Outcome.RIG_FAULT: OutcomeMeaning(
            "rig fault",
            Counts.NO_ANSWER,
            why_not=NotJudged(WhyNot.RIG_FAULT),
            tries_resume=False,
        ),
        Outcome.INTERRUPTED: OutcomeMeaning(
            "interrupted",
            Counts.NO_ANSWER,
            why_not=NotJudged(WhyNot.INTERRUPTED),
            tries_resume=False,
        ),
    }
)


def _those(counts: Counts) -> frozenset[Outcome]:
    return frozenset(each for each, meaning in MEANINGS.items() if meaning.counts is counts)


AS_PLANNED: Final = _those(Counts.AS_PLANNED)
"""The DUT did what the plan asked for."""

FAILED: Final = _those(Counts.FAILED)
"""Failures of the DUT's."""

NO_ANSWER: Final = _those(Counts.NO_ANSWER)
"""What is no answer of the DUT's, and proves nothing about it."""

NO_FAILURE: Final = AS_PLANNED | NO_ANSWER
"""What is no failure of the DUT's."""

UNREMARKABLE: Final = AS_PLANNED | {Outcome.INTERRUPTED}
"""As planned, or cut short with the campaign: no hook fires on it, and nobody has to look."""

BROKEN: Final = frozenset(each for each, meaning in MEANINGS.items() if meaning.fails)
"""Outcomes that fail without a time."""

CAME_BACK: Final = frozenset(each for each, meaning in MEANINGS.items() if meaning.came_back)
"""An OS ran after it."""

NOT_MATCHED: Final = frozenset(each for each, meaning in MEANINGS.items() if not meaning.matched)
"""No OS record can be of such a cycle."""

TRIED: Final = frozenset(each for each, meaning in MEANINGS.items() if meaning.tries_resume)
"""Attempts at what the plan asked for."""
