"""What is assumed of two clocks before anything is measured; every bound here rests on it."""

from dataclasses import dataclass

from resume_rig.model.errors import UsageError

_PPB = 1_000_000_000

# The counter behind a host's raw monotonic clock runs from a plain crystal.
HOST_TOLERANCE_PPB = 100_000
# A crystal in a room: twice 0.05 ppm/s, so that a step of temperature may meet a drift.
CRYSTAL_DRIFT_PPB_PER_S = 100
# Messages are stamped by a timer of 1 us or finer, also where edges have a finer counter, and the
# two stand to each other to 1 us (docs/explanation/edge-sources.md).
_FEWEST_TICK_NS = 1_000
# What states a wider tolerance than this is no crystal.
_CRYSTAL_TOLERANCE_PPB = 200_000


@dataclass(frozen=True, slots=True)
class ClockLimits:
    """How far apart two clocks may run, and how fast that may change.

    Attributes:
        tolerance_ppb: half-width of the rate of one clock against the other; below 1e9.
        drift_ppb_per_s: by how much this rate may change within a second.
        tick_ns: how far a stamp of the board may be behind its clock; 0 or more.

    Raises:
        UsageError: a limit that is none.
    """

    tolerance_ppb: int
    drift_ppb_per_s: int = CRYSTAL_DRIFT_PPB_PER_S
    tick_ns: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance_ppb < _PPB or self.drift_ppb_per_s < 0 or self.tick_ns < 0:
            raise UsageError(
                "Relating the board's clock to the host's: a tolerance of "
                f"{self.tolerance_ppb} ppb, a drift of {self.drift_ppb_per_s} ppb/s and a tick of "
                f"{self.tick_ns} ns; allowed are 0 to 999999999 ppb, 0 ppb/s or more, 0 ns or more."
            )

    @property
    def rate(self) -> float:
        """Return by how much the offset may move, nanoseconds for each of one clock's own."""
        # A clock that runs at 1 +/- tol of the other moves it by at most tol / (1 - tol).
        return self.tolerance_ppb / (_PPB - self.tolerance_ppb)

    @property
    def drift(self) -> float:
        """Return by how much the rate may change, per nanosecond."""
        return self.drift_ppb_per_s / 1e18


def board_limits(tolerance_ppb: int, clock_hz: int) -> ClockLimits:
    """Return what is assumed of a board's clock against a host's raw monotonic clock.

    Args:
        tolerance_ppb: as the board states it, against true time.
        clock_hz: rate of the counter that its stamps are read from.
    """
    crystal = tolerance_ppb <= _CRYSTAL_TOLERANCE_PPB
    return ClockLimits(
        tolerance_ppb=tolerance_ppb + HOST_TOLERANCE_PPB,
        # An RC oscillator may cross its whole tolerance within a second.
        drift_ppb_per_s=CRYSTAL_DRIFT_PPB_PER_S if crystal else tolerance_ppb,
        tick_ns=max(-(-_PPB // max(clock_hz, 1)), _FEWEST_TICK_NS),
    )
