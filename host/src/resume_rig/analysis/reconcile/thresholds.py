"""Every number that a finding of the comparison is made with, and the times that the OS reports.

docs/reference/findings.md gives the reasons, and how often the findings are right with these
numbers (benchmarks/findings.py); findings/kinds.py quotes them.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.units import NS_PER_MS, PPB

OS_CLOCK_NS: Final = 500 * NS_PER_MS
"""The OS reads its RTC in whole seconds and a half: each wake sets its clock to within so much."""

WAKE_TIME_NS: Final = 15 * NS_PER_MS
"""WakeTime is the RTC's reading + WakeDuration, to so much (real logs)."""

CLOCKS_PPB: Final = 200_000
"""Rate of RTC, OS and board against one another; a crystal of each is within 100 ppm (assumed, with
room, as of the host's counter in timing/hull.py)."""


@dataclass(frozen=True, slots=True)
class Slew:
    """How fast, and how far in all, a time service may move the running clock without an event."""

    ppb: int
    most_ns: int

    def most_of(self, ran_ns: int) -> int:
        """Return how far the clock may have gone in a time, by the rates of crystals too."""
        ran_ns = abs(ran_ns)
        return ran_ns * CLOCKS_PPB // PPB + min(ran_ns * self.ppb // PPB, self.most_ns)

    def no_more_than(self, other: "Slew") -> "Slew":
        """Return the lesser of two."""
        return Slew(min(self.ppb, other.ppb), min(self.most_ns, other.most_ns))


NO_SLEW: Final = Slew(0, 0)
USUAL_SLEW: Final = Slew(1_960_000, OS_CLOCK_NS)
"""W32Time by default takes an offset of 0.5 s back over 16 x PhaseCorrectRate (1) x poll interval
(2^10 s) ticks of 15.625 ms, 1953 ppm; up to Windows 8.1 over PhaseCorrectRate x UpdateInterval
(30,000) ticks, 1067 ppm. Both are a domain member's defaults (Microsoft, "Windows Time service
tools and settings"); one that stands alone is seven times slower. What contradicts this alone is a
suspicion."""

ANY_SLEW: Final = Slew(31_250_000, 300_000 * NS_PER_MS)
"""The same with a poll each 64 s, the shortest that a policy can ask for: 0.5 s over 16 s. The most
is MaxAllowedPhaseOffset of a domain member (as above): what is farther off is set, with an event.
An accusation needs what contradicts even this."""

HANDOFF_NS: Final = 5 * NS_PER_MS
"""From the waking vector the OS takes 0 to so long to read the RTC and start its clock: assumed, as
no source gives it. What it takes beyond looks like a BIOS time too short, by the OS's clock, by as
much; each ms more here makes the least time that is found to be missing a ms longer."""

SUSPEND_TRAP_NS: Final = 50 * NS_PER_MS
"""The firmware's part on the way down lasts 0 to so long, where FPDT does not report it. Assumed:
no source gives it. What lasts longer counts as hidden before the sleep."""

ACCEPTED_NS: Final = 100 * NS_PER_MS
"""A press or a closed lid is accepted within so long: 30 ms of debounce in the embedded controller
(ChromeOS EC, power_button.c; a lid likewise), 16 ms in the chipset (Intel 800-series datasheet,
"Event Input Signals"), and the polling of both (assumed)."""

HIDDEN_BEFORE_NS: Final = 250 * NS_PER_MS
"""`hidden-before-sleep`: more than that, beyond the bounds. Assumed: decides what is worth a
word."""

S0_POWER_SHARE: Final = 0.5
"""`s0-power-asleep`: of what the DUT draws awake. Assumed: S3 leaves DRAM in self-refresh and draws
some 0.2 to 1 W, an idle S0 several; half is far from both. A DUT profile may say better."""

CLOCK_STEP_NS: Final = 1_000 * NS_PER_MS
"""`clock-step`: a synchronisation after a wake takes up to 0.5 s back, which is no finding; twice
that."""

DOUBLED_NS: Final = 1_000 * NS_PER_MS
"""`record-doubled`: wake times nearer to one another than any two wakes are. Assumed: a suspend
alone takes longer."""

FIRMWARE_ORDER_MS: Final = 2
"""Two values in whole milliseconds, each off by less than 1."""

FIRMWARE_DRIFT_MS: Final = 20
"""`firmware-disagrees`: how far BiosInit - FullResume may be from the platform's constant. Assumed:
it is constant for each machine in the logs at hand."""

AVERAGE_MS: Final = 2
"""`average-resume-wrong`: average before, average after and FullResume are whole milliseconds."""

UNEXPLAINED_NS: Final = 50 * NS_PER_MS
"""`unexplained`: never below. Assumed: decides what is worth a word, however even a campaign is."""

ONE_CAUSE: Final = 3
"""`bios-under-reported` by the light: BIOS time and rest agree to a third of the rest. Assumed:
what else moved by more than that is another cause."""

UNUSUAL_BY_CHANCE: Final = 1e-9
"""Drivers and light vary by themselves; by more than usual in so many healthy cycles, if normally.

Scatter that is skewed or has longer tails than a normal one does so some hundred times more often:
still less than one healthy cycle in a million. Assumed: decides what counts as a false alarm.
"""

FAR_SIGMAS: Final = 5
"""What is farther out, by median absolute deviations, does not count in what is usual. Assumed: of
normal values one in two million."""

FEW_CYCLES: Final = 12
"""Of n cycles that deviation is known to some 12/n of itself: FAR_SIGMAS grows by that share.
Assumed; benchmarks/findings.py rests holds it."""

LIGHT_AFTER_COMPLETE_NS: Final = 1_000 * NS_PER_MS
"""`complete-before-light`, where the DUT profile says no better: monitors take 1 to 5 s to lock and
light, panels of laptops up to 0.5 s (embedded DisplayPort's T12). Assumed, as no source limits it.
"""

UNIT_FACTORS: Final = (1_000, 1_000_000)
"""`wrong-unit`: microseconds or nanoseconds where milliseconds are due."""

UNIT_TOLERANCE: Final = 0.3
"""BiosInit and FullResume differ by so much at most, once their units agree. Assumed: they are
0.1 to 0.16 s apart in the logs at hand, and the factors are 1,000."""

LEAST_BIOS_MS: Final = 20
"""A BIOS takes so long at least to resume from S3: memory out of self-refresh, chipset restored.
Assumed, as no source gives a least; SYSFUND-0004 advises 250 ms at most. It decides alone whether a
BIOS time that is 1,000 or 1,000,000 times too long may be one in us or ns: anything from 1 ms to
what a BIOS takes gives the same answer."""

TICKS_RATIO: Final = 1.05
"""`wrong-unit` by ticks: FullResume is proportional to BiosInit, and above it by this at least.
Assumed, and the next two: nearer to 1 a factor looks like a difference; and ..."""

TICKS_FIT: Final = 0.6
"""... a factor explains the campaign better than a constant difference, by this share ..."""

TICKS_SPREAD_MS: Final = 0.8
"""... which shows only where the differences vary by so much on average, against whole ms."""

UPTIME_MS: Final = 60_000
"""`tsc-not-reset`: a BIOS time that no wire allows, and no unit explains, from this on. Assumed: no
firmware of a PC takes a minute to resume."""

UPTIME_STEP_MS: Final = 1_500
"""... or one that grows from record to record by the time between them, to so much: two readings of
an RTC in whole seconds, and what the wakes vary (assumed)."""

MEDIAN_OF: Final = 3
"""Cycles that a median needs, so that one that errs does not decide it."""

SPREAD_OF: Final = 8
"""Cycles that a spread, or a factor, needs. Assumed: of 8 a cycle is unusual from 45 spreads on."""

FOUND_SHARE: Final = 0.95
"""`detectable`: an error of BiosInit is found in so many of the cycles that have it (assumed)."""


VALUE_BOUND_MS = 1
"""The OS reports whole milliseconds, and no document says how it rounds."""


@lru_cache(maxsize=8192)  # times of one log are alike, and each is asked for several times
def reported(value_ms: int) -> BoundedNs:
    """Return a time that the OS reports in whole milliseconds, of unknown rounding."""
    return BoundedNs(value_ms * NS_PER_MS, VALUE_BOUND_MS * NS_PER_MS)


def inside(record: OsRecord | None) -> BoundedNs | None:
    """Return BiosInit + DriverInit, and reading the image between the two; None without both."""
    if record is None or record.bios_init_ms is None or record.driver_init_ms is None:
        return None
    whole = reported(record.bios_init_ms) + reported(record.driver_init_ms)
    return whole if record.hiber_read_ms is None else whole + reported(record.hiber_read_ms)


def residual(outside: OutsideCycle, record: OsRecord | None) -> BoundedNs | None:
    """Return PLTRST# -> light minus BiosInit minus DriverInit; None where a part is missing."""
    light = outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    within = inside(record)
    return None if light is None or within is None else light - within


def firmware_extra_ms(record: OsRecord) -> int | None:
    """Return BiosInit minus the firmware's own FullResume."""
    if record.bios_init_ms is None or record.firmware_resume_ms is None:
        return None
    return record.bios_init_ms - record.firmware_resume_ms


def figure_of(record: OsRecord, name: str) -> float | None:
    """Return a figure of a record by name; None where it has none."""
    return next((figure.value for figure in record.figures if figure.name == name), None)
