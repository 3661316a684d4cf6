"""The clocks: the machine's own, and one that only waiting moves.

Both implement `model.clock.Clock`. This is the one module that may ask the machine for the time.
"""

import time

_NS_PER_S = 1_000_000_000

# 2026-01-05T09:00:00Z, a Monday: simulated campaigns carry the same dates on every run.
VIRTUAL_START_UTC_NS = 1_767_603_600 * _NS_PER_S


class SystemClock:
    """The machine's monotonic clock and its wall clock.

    CLOCK_MONOTONIC_RAW is used where there is one: NTP slews CLOCK_MONOTONIC by up to 500 ppm,
    which would look like drift of the board's crystal.
    """

    def now_ns(self) -> int:
        """Return monotonic time in nanoseconds since an arbitrary start."""
        return _monotonic_ns()

    def utc_ns(self) -> int:
        """Return wall time in nanoseconds since 1970 UTC; steps when the machine's clock does."""
        return time.time_ns()

    def sleep_ns(self, duration_ns: int) -> None:
        """Wait at least `duration_ns`; Ctrl-C ends the wait.

        It ends some 0.1 ms late as a rule; a busy machine sets no upper limit.
        """
        deadline_ns = self.now_ns() + duration_ns
        # time.sleep counts on CLOCK_MONOTONIC, which may run faster than the raw one: look again.
        while (left_ns := deadline_ns - self.now_ns()) > 0:
            time.sleep(left_ns / _NS_PER_S)


class VirtualClock:
    """A clock that stands still until somebody waits on it; for simulated benches and tests.

    Args:
        start_utc_ns: wall time at the start, nanoseconds since 1970 UTC.
    """

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


if hasattr(time, "CLOCK_MONOTONIC_RAW"):

    def _monotonic_ns() -> int:
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)

else:

    def _monotonic_ns() -> int:
        return time.monotonic_ns()
