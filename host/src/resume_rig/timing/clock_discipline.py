"""Whether the host's wall clock is kept right by somebody, as its system tells."""

import ctypes
import sys
from dataclasses import dataclass

from resume_rig.model.clock import Clock
from resume_rig.model.errors import UsageError
from resume_rig.timing.clocks import SystemClock, VirtualClock

# Frequency of a wall clock under NTP that has settled; stated, not measured here.
NTP_RATE_PPB = 500
_MOST_STATED_PPB = 100_000
_STA_UNSYNC = 0x40
_TIME_ERROR = 5


@dataclass(frozen=True, slots=True)
class HostDiscipline:
    """Who keeps the host's wall clock, when a campaign began.

    Attributes:
        synchronised: None where the system does not tell.
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
        case _:
            return HostDiscipline(None, NTP_RATE_PPB, "a clock that does not tell who keeps it")


def stated_discipline(rate_ppb: int) -> HostDiscipline:
    """Return what a user knows of the host's wall clock, where the system does not tell.

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
    told = _Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(told))
    except (OSError, AttributeError):
        state = -1
    if state < 0:
        return HostDiscipline(None, NTP_RATE_PPB, "a system that does not tell who keeps its clock")
    if state == _TIME_ERROR or told.status & _STA_UNSYNC:
        return HostDiscipline(False, NTP_RATE_PPB, "a clock that nobody synchronises")
    return HostDiscipline(True, NTP_RATE_PPB, "the host's clock, synchronised by NTP or PTP")
