"""The clocks: the machine's own, and one that only waiting moves.

Both implement `model.clock.Clock`. This is the one module that may ask the machine for the time.
"""

import sys
import time

from resume_rig.model.units import NS_PER_S

if sys.platform == "win32":
    import ctypes

# 2026-01-05T09:00:00Z, a Monday: simulated campaigns carry the same dates on every run.
VIRTUAL_START_UTC_NS = 1_767_603_600 * NS_PER_S


def utc_now_text(form: str = "%Y-%m-%d %H:%M:%S UTC") -> str:
    """Return the wall time, as a report is stamped with it."""
    return time.strftime(form, time.gmtime())


class SystemClock:
    """The machine's monotonic clock and its wall clock.

    CLOCK_MONOTONIC_RAW is used where there is one: NTP slews CLOCK_MONOTONIC by up to 500 ppm,
    which would look like drift of the board's crystal. On Windows it is the performance counter:
    the others move in steps of 15.6 ms, those of Python up to 3.12.
    """

    @property
    def tick_ns(self) -> int:
        """Return the steps of the monotonic clock, less the nanosecond that stamps are whole in."""
        return _TICK_NS

    def now_ns(self) -> int:
        """Return monotonic time in nanoseconds since an arbitrary start."""
        return _monotonic_ns()

    def utc_ns(self) -> int:
        """Return wall time in nanoseconds since 1970 UTC; steps when the machine's clock does."""
        return _utc_ns()

    def sleep_ns(self, duration_ns: int) -> None:
        """Wait at least `duration_ns`; Ctrl-C ends the wait.

        It ends some 0.1 ms late as a rule; a busy machine sets no upper limit.
        """
        deadline_ns = self.now_ns() + duration_ns
        # time.sleep counts on CLOCK_MONOTONIC, which may run faster than the raw one: look again.
        while (left_ns := deadline_ns - self.now_ns()) > 0:
            time.sleep(left_ns / NS_PER_S)


class VirtualClock:
    """A clock that stands still until somebody waits on it; for simulated benches and tests.

    Args:
        start_utc_ns: wall time at the start, nanoseconds since 1970 UTC.
    """

    tick_ns = 0

    def __init__(self, start_utc_ns: int = VIRTUAL_START_UTC_NS) -> None:
        self._start_utc_ns = start_utc_ns
        self._now_ns = 0

    def now_ns(self) -> int:
        """Return nanoseconds slept since the start."""
        return self._now_ns

    def utc_ns(self) -> int:
        """Return the start's wall time plus what was slept."""
        return self._start_utc_ns + self._now_ns

    def sleep_ns(self, duration_ns: int) -> None:
        """Advance by `duration_ns` at once (0 or less changes nothing)."""
        if duration_ns > 0:
            self._now_ns += duration_ns


if sys.platform == "win32":
    # 100 ns intervals from 1601-01-01 to 1970-01-01: FILETIME counts from the former.
    _FILETIME_OF_1970 = 116_444_736_000_000_000
    _precise_utc = ctypes.windll.kernel32.GetSystemTimePreciseAsFileTime
    _resolution_s = time.get_clock_info("perf_counter").resolution
    _monotonic_ns = time.perf_counter_ns

    def _utc_ns() -> int:
        filetime = ctypes.c_uint64()
        _precise_utc(ctypes.byref(filetime))
        return (filetime.value - _FILETIME_OF_1970) * 100

else:
    _utc_ns = time.time_ns
    if hasattr(time, "CLOCK_MONOTONIC_RAW"):
        _resolution_s = time.clock_getres(time.CLOCK_MONOTONIC_RAW)

        def _monotonic_ns() -> int:
            return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)

    else:
        _resolution_s = time.get_clock_info("monotonic").resolution
        _monotonic_ns = time.monotonic_ns

_TICK_NS = max(round(_resolution_s * NS_PER_S), 1) - 1
