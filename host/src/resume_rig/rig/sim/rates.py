"""Clocks that run a little fast or slow: one time scale as a function of another."""

from dataclasses import dataclass

_ONE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class RatedClock:
    """A counter that started from 0 at `start_ns` of world time.

    Attributes:
        rate_ppb: rate error in parts per billion, positive = fast; above -1e9.
    """

    start_ns: int
    rate_ppb: int

    def at(self, world_ns: int) -> int:
        """Return the counter [ns] at a world time; whole nanoseconds, rounded down."""
        elapsed_ns = world_ns - self.start_ns
        return elapsed_ns + elapsed_ns * self.rate_ppb // _ONE

    def when(self, counter_ns: int) -> int:
        """Return the first world time at which the counter shows `counter_ns` or more."""
        elapsed_ns = counter_ns * _ONE // (_ONE + self.rate_ppb)
        while self.at(self.start_ns + elapsed_ns - 1) >= counter_ns:
            elapsed_ns -= 1
        while self.at(self.start_ns + elapsed_ns) < counter_ns:
            elapsed_ns += 1
        return self.start_ns + elapsed_ns
