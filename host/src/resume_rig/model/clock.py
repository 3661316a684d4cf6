"""The seam to time: whoever waits or asks for the time is handed one of these."""

from typing import Protocol


class Clock(Protocol):
    """A monotonic clock that can be waited on. `timing.clocks` has the real and virtual ones."""

    @property
    def tick_ns(self) -> int:
        """Return by how much `now_ns` may be behind the moment of the call: it moves in steps."""
        ...

    def now_ns(self) -> int:
        """Return monotonic time in nanoseconds; never goes back."""
        ...

    def utc_ns(self) -> int:
        """Return wall time in nanoseconds since 1970 UTC; may step."""
        ...

    def sleep_ns(self, duration_ns: int) -> None:
        """Wait `duration_ns` (0 or less returns at once)."""
        ...
