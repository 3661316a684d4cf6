"""A physical PC as a process of true times, in seconds of true time from the campaign's start.

Where the figures come from: ACPI, ATX12V and Intel's PCH data sheets for the power sequence;
Windows 11, 10 System logs of laptops for the OS (the suspend's 1.3 to 3.6 s, the 0.3 to 0.45 s
that its clock runs on after SleepDuration, device initialisation of 0.7 to 1.3 s with outliers of
12 s, BIOS times that repeat to 2 ms). What no source gives (scatter of the power sequence, warm-up,
drift, session to session) is drawn per unit over a range that is wide on purpose.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

Random = np.random.Generator


@dataclass(frozen=True)
class Unit:
    """One PC: typical times in seconds, and how it errs.

    A lie of the BIOS is `bios_factor` x the true time + `bios_offset`; hidden times are added to
    the phase that they are named for and reported by nobody.
    """

    accept: float  # button edge to the OS's own start of the sleep
    suspend: float  # SleepDuration
    clock_tail: float  # end of SleepDuration to the moment at which the OS's clock stops
    firmware_suspend: float  # the OS's hand-off to SLP_S3# falling
    wake_path: float  # press to SLP_S3# rising: EC and PCH debounce
    power_good: float  # SLP_S3# to PWR_OK
    reset_hold: float  # PWR_OK to PLTRST#
    reset_to_tsc: float  # PLTRST# to TSC = 0
    bios: float  # TSC = 0 to the waking vector
    handoff: float  # waking vector to the OS's reading of the RTC
    driver: float  # the reading to the last device's S0 IRP
    user: float  # the rest of WakeDuration
    graphics: float  # share of the device initialisation after which the panel is switched on
    panel: float  # panel power to light
    bios_factor: float = 1.0
    bios_offset: float = 0.0
    bios_sometimes: float = 1.0  # share of cycles in which the BIOS lies
    firmware_less: float = 0.1  # BiosInit less FPDT's FullResume: constant of the machine
    firmware_tells_truth: bool = False  # FPDT is of the true BIOS time, whatever BiosInit says
    has_fpdt: bool = True
    hidden_before: float = 0.0  # before SleepTime
    hidden_sleep: float = 0.0  # in the firmware, before SLP_S3#, not in FPDT
    hidden_after: float = 0.0  # between the waking vector and the RTC's reading
    scatter: float = 0.03  # lognormal sigma of OS phases
    firmware_scatter: float = 0.002  # the same of the power sequence and the BIOS
    tail: float = 0.01  # share of OS phases with an outlier
    drift: float = 0.015  # AR(1) innovation of the devices' initialisation
    warm_up: float = 0.1  # surplus of the first cycle of a session
    session: float = 0.01  # sigma of a session's factor on OS phases
    wake_source: int = 1  # WakeSourceType of the button on this machine
    hibernates: bool = False  # S4 in place of S3
    hybrid: bool = False  # writes the hibernation file before it sleeps, and wakes from RAM
    garble: str = ""  # BiosInit is no time: "uptime" (TSC not reset), "us", "ns"
    double_reset: float = 0.0  # share of wakes with two rises of PLTRST#
    lit_by_firmware: bool = False  # the BIOS shows its logo; the light comes before the OS
    dozes: float = 0.0  # share of sleeps that become S4
    strangers: float = 0.0  # share of cycles that somebody else makes: no press, woken by USB


def draw(random: Random, **given: object) -> Unit:
    """Return a PC from the street: half laptops, half desktops; `given` fields are as given."""
    laptop = random.random() < 0.5
    between = random.uniform
    unit = Unit(
        accept=between(0.02, 0.09),
        suspend=between(0.6, 3.0),
        clock_tail=between(0.02, 0.15),
        firmware_suspend=between(0.001, 0.04),
        wake_path=between(0.03, 0.11) if laptop else between(0.016, 0.04),
        power_good=between(0.012, 0.06) if laptop else between(0.15, 0.45),
        reset_hold=between(0.045, 0.13) if laptop else between(0.1, 0.2),
        reset_to_tsc=between(0.0, 0.295),
        bios=between(0.18, 1.0),
        handoff=between(0.0005, 0.004),
        driver=between(0.25, 0.85),
        user=between(0.02, 0.06),
        graphics=between(0.3, 1.0),
        panel=between(0.2, 0.6) if laptop else between(0.3, 1.2),
        firmware_less=between(0.0, 0.16),
        scatter=between(0.01, 0.06),
        firmware_scatter=between(0.0005, 0.004),
        tail=between(0.0, 0.02),
        drift=between(0.0, 0.02),
        warm_up=between(0.0, 0.3),
        session=between(0.0, 0.02),
        wake_source=1 if random.random() < 0.85 else 0,
    )
    return replace(unit, **given)


@dataclass(frozen=True)
class Plan:
    """What the lab does: presses by a schedule (`period`, `dwell[0]`), or one after the other."""

    cycles: int
    dwell: tuple[float, float] = (6.0, 14.0)  # SLP_S3# low to the press
    settle: tuple[float, float] = (6.0, 20.0)  # light to the next press
    period: float | None = None  # press to press, to the microsecond
    start: float = 12.0
    script: int | None = None  # seed of the dwells and settles; labs share scripts
    lid: bool = False  # the lid is moved instead of the button pressed


@dataclass(frozen=True)
class Doze:
    """True moments between the two sleeps of a doze: a dark wake by the RTC, and the way to S4."""

    slp_rise: float
    power_rise: float
    reset_rise: float
    rtc_read: float
    awake: float  # WakeTime of the empty record, and SleepTime of both
    os_asleep: float
    clock_halt: float
    slp_fall: float
    power_fall: float
    hiber_read: float


@dataclass
class Cycle:
    """True moments of one sleep and one wake, in seconds, and what firmware and OS count."""

    number: int
    session: int
    press_sleep: float
    press_sleep_up: float
    os_sleep: float  # the truth behind SleepTime
    os_asleep: float  # the end of SleepDuration
    clock_halt: float
    reset_fall: float
    slp_fall: float
    power_fall: float
    dark: float
    press_wake: float
    press_wake_up: float
    slp_rise: float
    power_rise: float
    reset_rise: float
    tsc_zero: float
    vector: float
    rtc_read: float
    complete: float  # all devices have completed their S0 IRP
    awake: float  # the end of WakeDuration
    light: float
    bios_reported: float
    firmware_resume: float
    firmware_suspend: float
    lid: bool = False
    ours: bool = True  # by the watched button or lid
    false_reset: float | None = None  # a first rise of PLTRST#, taken back
    doze: Doze | None = None
    record: int | None = None  # EventRecordID of its PT-1 event, once written
    empty: bool = False  # that record holds zeros alone
    garble: str = ""  # what its BIOS time is instead of one, as of `Unit.garble`
    ended: str = "resumed"  # or aborted (it never slept), boot, died
    again: frozenset[int] = frozenset()  # further EventRecordIDs of the same record
    written: frozenset[int] = frozenset()  # EventRecordIDs of all that speaks of this sleep
    lit: tuple[float, float] | None = None  # "display on" may mean any moment between these

    @property
    def bios(self) -> float:
        """The true BIOS time."""
        return self.vector - self.tsc_zero

    @property
    def driver(self) -> float:
        """The true device initialisation."""
        return self.complete - self.rtc_read

    @property
    def reported(self) -> float:
        """BIOS + device initialisation as a complete log would report it."""
        return self.bios_reported + self.driver


class Phases:
    """Draws the lengths of one session's phases."""

    def __init__(self, unit: Unit, random: Random) -> None:
        self.unit = unit
        self.random = random
        self.factor = np.exp(random.normal(0.0, unit.session))
        self.state = 0.0
        self.cycle = 0

    def next(self) -> None:
        self.state = 0.9 * self.state + self.random.normal(0.0, self.unit.drift)
        self.cycle += 1

    def firmware(self, typical: float) -> float:
        """A phase of hardware or firmware: nearly constant, now and then a retry."""
        length = typical * np.exp(self.random.normal(0.0, self.unit.firmware_scatter))
        if self.random.random() < self.unit.tail / 4:
            length += self.random.exponential(0.02)
        return float(length)

    def system(self, typical: float, *, drifts: bool = False) -> float:
        """A phase of the OS: lognormal, with outliers; the devices' one drifts and warms up."""
        log = self.random.normal(0.0, self.unit.scatter)
        if drifts:
            log += self.state + self.unit.warm_up * np.exp(-(self.cycle - 1) / 1.5)
        length = typical * self.factor * np.exp(log)
        if self.random.random() < self.unit.tail:
            length += self.random.exponential(0.4 * typical)
        return float(length)


def live(
    unit: Unit,
    plan: Plan,
    random: Random,
    sessions: int = 1,
    *,
    dozing: Callable[[Unit, Phases, Cycle], None] | None = None,
    happening: Callable[[Unit, Phases, Cycle], None] | None = None,
) -> list[Cycle]:
    """Return the cycles of a campaign; sessions follow each other after hours.

    `dozing` turns a cycle into one that dozes; `happening` may change any cycle.
    """
    script = np.random.default_rng(plan.script) if plan.script is not None else random
    cycles: list[Cycle] = []
    now = plan.start
    share = -(-plan.cycles // sessions)
    for number in range(plan.cycles):
        session = number // share
        if number % share == 0:
            phases = Phases(unit, random)
            if session:
                now += float(random.uniform(3600.0, 9 * 3600.0))
            origin, first = now, number
        if plan.period is not None:
            now = origin + (number - first) * plan.period
        dwell = float(script.uniform(*plan.dwell))
        cycle = _one(phases, now, dwell, plan, number=number + 1, session=session)
        if dozing and random.random() < unit.dozes:
            dozing(unit, phases, cycle)
        if happening:
            happening(unit, phases, cycle)
        cycles.append(cycle)
        now = max(cycle.light, cycle.awake) + float(script.uniform(*plan.settle))
    return cycles


def _one(
    phases: Phases, press: float, dwell: float, plan: Plan, *, number: int, session: int
) -> Cycle:
    phases.next()
    unit, random = phases.unit, phases.random
    os_sleep = press + phases.system(unit.accept) + unit.hidden_before * random.uniform(0.9, 1.1)
    os_asleep = os_sleep + phases.system(unit.suspend)
    clock_halt = os_asleep + phases.system(unit.clock_tail)
    firmware_suspend = phases.firmware(unit.firmware_suspend)
    slp_fall = clock_halt + firmware_suspend + unit.hidden_sleep * random.uniform(0.9, 1.1)
    press_wake = press + dwell if plan.period is not None else slp_fall + dwell
    press_wake = max(press_wake, slp_fall + 1.5)
    slp_rise = press_wake + phases.firmware(unit.wake_path)
    power_rise = slp_rise + phases.firmware(unit.power_good)
    reset_rise = power_rise + phases.firmware(unit.reset_hold)
    false_reset = None
    if random.random() < unit.double_reset:
        false_reset = reset_rise
        reset_rise += float(random.uniform(0.1, 0.6))
    start = phases.firmware(unit.reset_to_tsc)
    # What nobody sees is 0 to 300 ms, unless the unit is one that hides more there.
    tsc_zero = reset_rise + (start if unit.reset_to_tsc > 0.295 else min(start, 0.2955))
    vector = tsc_zero + phases.firmware(unit.bios)
    rtc_read = vector + phases.firmware(unit.handoff) + unit.hidden_after * random.uniform(0.9, 1.1)
    driver = phases.system(unit.driver, drifts=True)
    complete = rtc_read + driver
    light = rtc_read + unit.graphics * driver + phases.system(unit.panel)
    if unit.lit_by_firmware:
        light = tsc_zero + 0.3 * (vector - tsc_zero) + phases.firmware(0.05)
    lies = random.random() < unit.bios_sometimes
    true_bios = vector - tsc_zero
    reported = unit.bios_factor * true_bios + unit.bios_offset if lies else true_bios
    reported = max(reported, 0.001)
    if unit.garble:
        reported = {"uptime": vector + 900.0, "us": true_bios * 1e3, "ns": true_bios * 1e6}[
            unit.garble
        ]
    of_firmware = true_bios if unit.firmware_tells_truth else reported
    return Cycle(
        number=number,
        session=session,
        press_sleep=press,
        press_sleep_up=press + float(random.uniform(0.1, 0.3)),
        os_sleep=os_sleep,
        os_asleep=os_asleep,
        clock_halt=clock_halt,
        reset_fall=slp_fall - float(random.uniform(30e-6, 100e-6)),
        slp_fall=slp_fall,
        power_fall=slp_fall + float(random.uniform(0.0005, 0.02)),
        dark=os_sleep + (os_asleep - os_sleep) * float(random.uniform(0.1, 0.6)),
        press_wake=press_wake,
        press_wake_up=press_wake + float(random.uniform(0.12, 0.35)),
        slp_rise=slp_rise,
        power_rise=power_rise,
        reset_rise=reset_rise,
        tsc_zero=tsc_zero,
        vector=vector,
        rtc_read=rtc_read,
        complete=complete,
        awake=complete + phases.system(unit.user),
        light=light,
        bios_reported=reported,
        firmware_resume=max(of_firmware - unit.firmware_less, 0.001),
        firmware_suspend=firmware_suspend,
        lid=plan.lid,
        garble=unit.garble,
        ours=bool(random.random() >= unit.strangers),
        false_reset=false_reset,
    )
