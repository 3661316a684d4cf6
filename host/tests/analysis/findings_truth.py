"""Every class of findings with campaigns that have it, in magnitudes above its threshold.

Each maker returns a profile, and what spoils which cycles of it; the cycles that have it are known.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from numpy.random import Generator
from played_campaign import Bench

from resume_rig.model.channel import Actuator
from resume_rig.model.dut import DutBehaviour, DutProfile, PlatformConstants, Spread
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.dut.event import SimFault

MS = 1_000_000
S = 1_000 * MS
EVERY = 10
"""Where only some cycles of a campaign have it: every tenth, from the fifth on."""


@dataclass(frozen=True)
class Spoilt:
    """A campaign to be played.

    Attributes:
        every: which cycles have it: all (1), or one of so many.
        errs: how those cycles err; None: as the profile says.
        faults: of those cycles.
        first: the first cycle that can show it.
    """

    profile: DutProfile
    every: int = 1
    errs: DutBehaviour | None = None
    faults: frozenset[SimFault] = frozenset()
    first: int = 1
    by: Actuator = Actuator.BUTTON

    def has(self, number: int) -> bool:
        if self.every == 1:
            return number >= self.first
        return number % self.every == self.every // 2

    def spoil(self, bench: Bench, number: int) -> None:
        spoilt = self.has(number) or self.every == 1
        bench.dut.faults = bench.log.faults = self.faults if spoilt else frozenset()
        if self.errs is not None:
            errs = self.errs if spoilt else self.profile.behaviour
            bench.dut.behaviour = bench.log.behaviour = errs


@dataclass(frozen=True)
class FindingCase:
    """A way to have a finding.

    Attributes:
        magnitude: in words, as the table of docs/reference/findings.md has it.
        along: other kinds that such a cycle may show; all others would be false.
        after: kinds that cycles without it may show, as what it did lasts.
        may_be_suspected: whether a cycle's own times need not prove it, so that a suspicion is due
            where they do not.
    """

    kind: FindingKind
    magnitude: str
    make: Callable[[Generator], Spoilt]
    along: frozenset[FindingKind] = frozenset()
    after: frozenset[FindingKind] = frozenset()
    may_be_suspected: bool = False

    def shown_by(self, kinds: Collection[FindingKind]) -> bool:
        """Return whether a cycle shows it, or the suspicion that is due."""
        return self.kind in kinds or (self.may_be_suspected and K.SUSPICION in kinds)


def laptop(**errs: object) -> DutProfile:
    return erring(load_dut_profile("healthy-laptop"), **errs)


def either(random: Generator, **errs: object) -> DutProfile:
    names = ("healthy-laptop", "healthy-desktop")
    return erring(load_dut_profile(names[int(random.integers(2))]), **errs)


def slow(**errs: object) -> DutProfile:
    return erring(load_dut_profile("slow-bios"), **errs)


def erring(profile: DutProfile, **errs: object) -> DutProfile:
    return replace(profile, behaviour=replace(profile.behaviour, **errs))


def some(profile: DutProfile, **errs: object) -> Spoilt:
    """Return a campaign of which every tenth cycle errs."""
    return Spoilt(profile, EVERY, replace(profile.behaviour, **errs))


def faulty(profile: DutProfile, fault: SimFault) -> Spoilt:
    return Spoilt(profile, EVERY, faults=frozenset({fault}))


def lit_after(profile: DutProfile, ms: float) -> DutProfile:
    light = Spread(round(ms * MS), 0.01, round(0.95 * ms * MS), round(1.05 * ms * MS))
    return replace(profile, timing=replace(profile.timing, pltrst_to_light=light))


def known(profile: DutProfile) -> DutProfile:
    """Return the profile with what its platform is known by."""
    timing = profile.timing
    light, bios, drivers = timing.pltrst_to_light, timing.bios_init, timing.driver_init
    residual_ns = light.median_ns - bios.median_ns - drivers.median_ns
    return replace(profile, platform=PlatformConstants(residual_ns, 160 * MS))


def between(random: Generator, low: float, high: float) -> float:
    """Return a magnitude, as likely in one octave as in another."""
    return float(low * (high / low) ** random.random())


K = FindingKind
ADVICE = frozenset({K.BIOS_OVER_ADVISED})
TALE = frozenset({K.UNEXPLAINED, K.LIT_BEFORE_OS, K.COMPLETE_BEFORE_LIGHT, K.SUSPICION})
CASES = (
    FindingCase(
        K.BIOS_NOT_REPORTED,
        "0",
        lambda r: Spoilt(either(r, bios_factor=0.0)),
    ),
    FindingCase(
        K.TSC_NOT_RESET,
        "uptime of 15 min and more",
        lambda r: Spoilt(either(r, tsc_resets=False)),
    ),
    FindingCase(
        K.BIOS_OVER_REPORTED,
        "BiosInit in ticks of 1.5 to 4.5 GHz",
        lambda r: Spoilt(either(r, bios_factor=1e6 * between(r, 1.5, 4.5))),
    ),
    FindingCase(
        K.WRONG_UNIT,
        "BiosInit in ns",
        lambda r: Spoilt(either(r, bios_factor=1e6)),
    ),
    FindingCase(
        K.WRONG_UNIT,
        "BiosInit in us",
        lambda r: Spoilt(either(r, bios_factor=1_000.0)),
    ),
    FindingCase(
        K.WRONG_UNIT,
        "FullResume in ticks of 1.5 to 4.5 GHz",
        lambda r: Spoilt(either(r, full_resume_factor=between(r, 1.5, 4.5))),
    ),
    FindingCase(
        K.WRONG_UNIT,
        "FullResume in us",
        lambda r: Spoilt(either(r, full_resume_factor=1_000.0)),
    ),
    FindingCase(
        K.WRONG_UNIT,
        "FullResume in ns",
        lambda r: Spoilt(either(r, full_resume_factor=1e6)),
    ),
    FindingCase(
        K.BIOS_UNDER_REPORTED,
        "always, by 120 to 560 ms of 800",
        lambda r: Spoilt(slow(bios_factor=1 - between(r, 0.15, 0.7))),
        ADVICE | TALE | {K.FIRMWARE_DISAGREES},
        may_be_suspected=True,
    ),
    FindingCase(
        K.BIOS_UNDER_REPORTED,
        "BiosInit in s: 1 for 800",
        lambda _: Spoilt(slow(bios_factor=0.001)),
        # The firmware's own time is a thousand times that.
        ADVICE | TALE | {K.FIRMWARE_DISAGREES, K.WRONG_UNIT},
        may_be_suspected=True,
    ),
    FindingCase(
        K.BIOS_UNDER_REPORTED,
        "in a cycle of ten, by 360 to 640 ms of 800",
        lambda r: some(slow(), bios_factor=1 - between(r, 0.45, 0.8)),
        ADVICE | TALE | {K.FIRMWARE_DISAGREES},
        may_be_suspected=True,
    ),
    FindingCase(
        K.BIOS_OVER_REPORTED,
        "always, by 120 to 800 ms of 800",
        lambda r: Spoilt(slow(bios_factor=1 + between(r, 0.15, 1.0))),
        ADVICE | TALE | {K.FIRMWARE_DISAGREES},
        may_be_suspected=True,
    ),
    FindingCase(
        K.BIOS_OVER_REPORTED,
        "in a cycle of ten, by 1.2 to 8 s",
        lambda r: some(slow(), bios_factor=1 + between(r, 1.5, 10)),
        ADVICE | TALE | {K.FIRMWARE_DISAGREES},
        may_be_suspected=True,
    ),
    FindingCase(
        K.FIRMWARE_DISAGREES,
        "in a cycle of ten, by 30 to 390 ms",
        lambda r: some(slow(), full_resume_factor=1 - between(r, 0.04, 0.5)),
        ADVICE | {K.SUSPICION},
        may_be_suspected=True,
    ),
    FindingCase(
        K.FIRMWARE_DISAGREES,
        "in a cycle of ten, above BiosInit",
        lambda r: some(slow(), full_resume_factor=1 + between(r, 0.04, 0.5)),
        ADVICE,
    ),
    FindingCase(
        K.AVERAGE_RESUME_WRONG,
        "by 3 ms to its double",
        lambda r: Spoilt(laptop(average_factor=1 + between(r, 0.02, 1))),
    ),
    FindingCase(
        K.RESUME_COUNT_STUCK,
        "from the second cycle on",
        lambda r: Spoilt(either(r, resume_count_runs=False), first=2),
        frozenset({K.FIRMWARE_DISAGREES}),
    ),
    FindingCase(
        K.STATE_MISMATCH,
        "S3 told, S4 on the wires",
        lambda r: Spoilt(either(r, sleeps=SleepKind.S4, claims=SleepKind.S3)),
        ADVICE | TALE | {K.BIOS_OVER_REPORTED, K.BIOS_UNDER_REPORTED},
    ),
    FindingCase(
        K.STATE_MISMATCH,
        "S3 told, Modern Standby on the wires",
        lambda r: Spoilt(either(r, sleeps=SleepKind.MODERN_STANDBY, claims=SleepKind.S3)),
    ),
    FindingCase(
        K.STATE_MISMATCH,
        "Modern Standby told, S3 or S4 on the wires",
        lambda r: Spoilt(either(r, sleeps=deep(r), claims=SleepKind.MODERN_STANDBY)),
        frozenset({K.NOT_MEASURED}),
    ),
    FindingCase(
        K.STATE_MISMATCH,
        "S4 told, S3 on the wires",
        lambda r: Spoilt(either(r, sleeps=SleepKind.S3, claims=SleepKind.S4)),
    ),
    FindingCase(
        K.HIDDEN_BEFORE_SLEEP,
        "0.4 to 20 s",
        lambda r: Spoilt(either(r, hidden_before_sleep_ns=round(between(r, 0.4, 20) * S))),
    ),
    FindingCase(
        K.WAKE_SOURCE_MISMATCH,
        "a device or a timer, for the button",
        lambda r: Spoilt(either(r, wake_source_type=int(r.integers(5, 8)))),
    ),
    FindingCase(
        K.WAKE_SOURCE_MISMATCH,
        "the button, for the lid",
        lambda _: Spoilt(laptop(wake_source_type=1), by=Actuator.LID),
    ),
    FindingCase(
        K.LIT_BEFORE_OS,
        "at 40 % of the BIOS time",
        lambda r: Spoilt(either(r, lit_by_firmware=True)),
        frozenset({K.SUSPICION}),
        may_be_suspected=True,
    ),
    FindingCase(
        K.COMPLETE_BEFORE_LIGHT,
        "1.2 to 6 s",
        lambda r: Spoilt(lit_after(laptop(), 937 + between(r, 1_200, 6_000))),
    ),
    FindingCase(
        K.UNEXPLAINED,
        "always, 0.3 to 3 s late, constant known",
        lambda r: Spoilt(known(laptop(light_late_share=1.0, light_late_ns=late(r)))),
        frozenset({K.COMPLETE_BEFORE_LIGHT}),
    ),
    FindingCase(
        K.UNEXPLAINED,
        "in a cycle of ten, 0.45 to 4.5 s late",
        lambda r: some(either(r), light_late_share=1.0, light_late_ns=round(1.5 * late(r))),
        frozenset({K.COMPLETE_BEFORE_LIGHT}),
    ),
    FindingCase(
        K.RECORD_MISSING, "in a cycle of ten", lambda r: faulty(either(r), SimFault.NO_RECORD)
    ),
    FindingCase(
        K.RECORD_ABORTED, "in a cycle of ten", lambda r: faulty(either(r), SimFault.ZERO_RECORD)
    ),
    FindingCase(K.RECORD_DOUBLED, "always", lambda r: Spoilt(either(r, record_doubled_share=1.0))),
    FindingCase(
        K.CLOCK_STEP,
        "in a cycle of ten, by 1.2 s to 60 s, either way",
        lambda r: some(either(r), clock_step_share=1.0, clock_step_ns=step(r)),
        after=frozenset({K.CLOCK_STEP}),
    ),
    FindingCase(K.DOUBLE_RESET, "always", lambda r: Spoilt(either(r, double_reset_share=1.0))),
    FindingCase(
        K.WAKE_NOT_OURS,
        "in a cycle of ten",
        lambda r: faulty(either(r), SimFault.WAKES_ALONE),
    ),
    FindingCase(K.DARK, "in a cycle of ten", lambda r: faulty(either(r), SimFault.DARK)),
)


def deep(random: Generator) -> SleepKind:
    return (SleepKind.S3, SleepKind.S4)[int(random.integers(2))]


def late(random: Generator) -> int:
    return round(between(random, 0.3, 3) * S)


def step(random: Generator) -> int:
    return round(between(random, 1.2, 60) * S) * (1 if random.random() < 0.5 else -1)


def healthy() -> Iterator[tuple[str, DutProfile, Actuator]]:
    """Give every sound character, with each of its triggers."""
    names = ("healthy-laptop", "healthy-desktop", "slow-laptop", "slow-bios", "hybrid-sleep")
    names = (*names, "espi-laptop", "lid-bounce", "pwm-panel", "hibernates", "idle-sleeper")
    for name in names:
        profile = load_dut_profile(name)
        for actuator in profile.actuators:
            yield f"{name}, {actuator}", profile, actuator
