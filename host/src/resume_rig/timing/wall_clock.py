"""The host's wall clock: whether it is kept right, and its relation to the monotonic one."""

import ctypes
import re
import subprocess
import sys
from bisect import bisect_right
from dataclasses import dataclass

from resume_rig.model.clock import Clock
from resume_rig.model.errors import UsageError
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.clocks import SystemClock, VirtualClock
from resume_rig.timing.hull import (
    CRYSTAL_DRIFT_PPB_PER_S,
    HOST_TOLERANCE_PPB,
    ROUNDING_NS,
    ClockLimits,
    ClockPolygon,
    Feasible,
)
from resume_rig.timing.relation import RateRange

# Assumed: a wall clock under NTP that has settled is off by no more; it decides, one to one, the
# bound that a calibration leaves (docs/explanation/clocks.md).
NTP_RATE_PPB = 500
# 100 ppm: a crystal that nothing disciplines is no worse (assumed).
_MOST_STATED_PPB = 100_000
# Of adjtimex(2), <sys/timex.h>.
_STA_UNSYNC = 0x40
_TIME_ERROR = 5


@dataclass(frozen=True, slots=True)
class HostDiscipline:
    """Who keeps the host's wall clock, when a campaign began.

    Attributes:
        synchronised: None where the system does not report it.
        rate_ppb: half-width of the rate error that a disciplined clock is taken for.
        source: in words.
    """

    synchronised: bool | None
    rate_ppb: int
    source: str


class _Timex(ctypes.Structure):
    """Linux's struct timex (adjtimex(2)); its padding is at the end."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 40),
    )


def discipline_of(clock: Clock) -> HostDiscipline:
    """Return who keeps the wall time of a clock; asks the system, changes nothing."""
    match clock:
        case VirtualClock():
            return HostDiscipline(True, 0, "a virtual clock, which is exact")
        case SystemClock() if sys.platform == "linux":
            return _of_linux()
        case SystemClock() if sys.platform == "win32":
            return w32time_discipline(_ask_w32time())
        case _:
            return HostDiscipline(None, NTP_RATE_PPB, "a clock that does not report its source")


def stated_discipline(rate_ppb: int) -> HostDiscipline:
    """Return what a user states of the host's wall clock, where the system does not report it.

    Args:
        rate_ppb: half-width of its rate error.

    Raises:
        UsageError: not a rate that a calibration could use.
    """
    if not 0 <= rate_ppb <= _MOST_STATED_PPB:
        raise UsageError(
            f"a host clock that is kept to {rate_ppb} ppb is of no use for a calibration; allowed "
            f"is 0 to {_MOST_STATED_PPB} ppb"
        )
    return HostDiscipline(True, rate_ppb, f"the host's clock, kept to {rate_ppb} ppb as stated")


def _of_linux() -> HostDiscipline:
    timex = _Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        state = -1
    if state < 0:
        return HostDiscipline(None, NTP_RATE_PPB, "a system that does not report its time source")
    if state == _TIME_ERROR or timex.status & _STA_UNSYNC:
        return HostDiscipline(False, NTP_RATE_PPB, "a free-running clock (no reference)")
    return HostDiscipline(True, NTP_RATE_PPB, "the host's clock, synchronised by NTP or PTP")


# Of `w32tm /query /status`, whose words are localised and whose numbers are not: leap indicator and
# stratum are the first of the first two lines. RFC 5905: leap 3 and stratum 0 are not synchronised.
_FIRST_NUMBER = re.compile(rb"^\D*(\d{1,3})")
_REFERENCE = re.compile(rb"0x([0-9A-Fa-f]{8})\b")
_NOT_SYNCHRONISED = 3
_NO_REFERENCES = {"00000000", "4C4F434C"}  # none, and LOCL: its own crystal
_NOT_STARTED = "80070426"  # HRESULT of ERROR_SERVICE_NOT_ACTIVE
_W32TM_S = 5  # assumed: bounds the wait for a service that hangs
_STATUS_LINES = 6  # assumed: a status has more, an error has two or three


def w32time_discipline(status: bytes) -> HostDiscipline:
    """Return what Windows' time service reports of the clock that it keeps.

    It slews by up to 1960 ppm and states no rate, so none of its clocks calibrates a board.

    Args:
        status: answer of `w32tm /query /status`, in any language; empty where there was none.
    """
    lines = status.splitlines()
    numbers = [int(found[1]) for line in lines[:2] if (found := _FIRST_NUMBER.match(line))]
    references = [found.decode().upper() for found in _REFERENCE.findall(status)]
    if _NOT_STARTED in references:
        why = "a free-running clock (no reference): the Windows time service does not run"
        return HostDiscipline(False, NTP_RATE_PPB, why)
    if len(lines) < _STATUS_LINES or len(numbers) != 2 or not references:
        return HostDiscipline(None, NTP_RATE_PPB, "a system that does not report its time source")
    leap, stratum = numbers
    if leap == _NOT_SYNCHRONISED or stratum == 0 or references[0] in _NO_REFERENCES:
        why = "a free-running clock (no reference): the Windows time service has no source"
        return HostDiscipline(False, NTP_RATE_PPB, why)
    why = "a clock that the Windows time service synchronises, which states no rate of it"
    return HostDiscipline(None, NTP_RATE_PPB, why)


def _ask_w32time() -> bytes:
    try:
        asked = subprocess.run(
            ["w32tm", "/query", "/status"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_W32TM_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return asked.stdout


# Half of the time that a reading between two others may take. Assumed: a reading that is not
# interrupted takes less; all bounds of wall time are at least this.
READING_NS = 10_000
# Assumed: decides when to stop asking; READING_NS is what the bound rests on.
_GOOD_READING_NS = 2_000
# Assumed: bounds the time of a reading that is always interrupted.
_MOST_READINGS = 32
# Linux slews its wall clock by up to 500 ppm (adjtimex(2), MAXFREQ).
_LIMITS = ClockLimits(500_000 + HOST_TOLERANCE_PPB, CRYSTAL_DRIFT_PPB_PER_S)


def wall_minus_host_ns(clock: Clock) -> int:
    """Return wall time minus monotonic time, from the quickest of some readings of both."""
    quickest_ns: int | None = None
    found_ns = 0
    for _ in range(_MOST_READINGS):
        before_ns, wall_ns, after_ns = clock.now_ns(), clock.utc_ns(), clock.now_ns()
        if quickest_ns is None or after_ns - before_ns < quickest_ns:
            quickest_ns = after_ns - before_ns
            found_ns = wall_ns - (before_ns + after_ns) // 2
        if quickest_ns <= _GOOD_READING_NS:
            break
    return found_ns


class WallClock:
    """Wall time at the host's raw times, from readings in one session of a campaign.

    A step of the wall clock begins a new stretch; what lies between is of the one before.
    """

    def __init__(self) -> None:
        self._starts_ns: list[int] = []
        self._stretches: list[tuple[int, ClockPolygon]] = []
        self._newest_ns = 0
        self._low = self._high = 0.0

    def add(self, host_ns: int, wall_minus_host: int) -> None:
        """Take in a reading; host times ascend."""
        if self._stretches:
            base_ns = self._stretches[-1][0]
            slack = _LIMITS.rate * (host_ns - self._newest_ns)
            offset = wall_minus_host - base_ns
            low = max(self._low - slack, offset - READING_NS)
            high = min(self._high + slack, offset + READING_NS)
            if low <= high + ROUNDING_NS:
                self._take(host_ns, offset, low, high)
                return
        self._starts_ns.append(host_ns)
        self._stretches.append((wall_minus_host, ClockPolygon(_LIMITS)))
        self._take(host_ns, 0, -READING_NS, READING_NS)

    @property
    def steps(self) -> int:
        """Return how often the wall clock was stepped between two readings."""
        return max(len(self._stretches) - 1, 0)

    def to_utc_ns(self, host: BoundedNs, read_ns: int) -> BoundedNs:
        """Return wall time at a host time.

        Args:
            host: the time that is asked for, with its bound.
            read_ns: host time of a reading; its stretch answers.
        """
        base_ns, found = self._at(host.value_ns, read_ns)
        middle = round((found.low_ns + found.high_ns) / 2)
        half = int(found.high_ns - found.low_ns) // 2 + ROUNDING_NS
        return BoundedNs(host.value_ns + base_ns + middle, host.bound_ns + half)

    def rates(self, start_ns: int, end_ns: int, read_ns: int) -> RateRange:
        """Return rates of wall minus host between two host times, by a reading's stretch."""
        _, found = self._at((start_ns + end_ns) // 2, read_ns)
        drifted = _LIMITS.drift * (end_ns - start_ns) / 2
        return RateRange(found.rate_low - drifted, found.rate_high + drifted, found.steady)

    def _take(self, host_ns: int, offset: int, low: float, high: float) -> None:
        polygon = self._stretches[-1][1]
        at = float(host_ns - self._starts_ns[-1])
        polygon.add_upper(at, offset + READING_NS)
        polygon.add_lower(at, offset - READING_NS)
        self._newest_ns, self._low, self._high = host_ns, low, high

    def _at(self, host_ns: int, read_ns: int) -> tuple[int, Feasible]:
        place = max(bisect_right(self._starts_ns, read_ns) - 1, 0)
        base_ns, polygon = self._stretches[place]
        return base_ns, polygon.at(float(host_ns - self._starts_ns[place]))
