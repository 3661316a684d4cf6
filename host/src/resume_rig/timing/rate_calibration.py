"""The rate error of a board's clock, as far as it is proven, and what it makes of an interval."""

from dataclasses import dataclass, replace
from math import ceil

from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.clock_segment import RateRange

_PPB = 1_000_000_000


@dataclass(frozen=True, slots=True)
class RateCalibration:
    """How fast a board's clock ran against true time.

    Attributes:
        rate_ppb: positive = fast.
        bound_ppb: half-width; the clock's rate was within it all the time that this is for.
        source: what it was measured against.
    """

    rate_ppb: int
    bound_ppb: int
    source: str

    def corrected(self, quantity: BoundedNs) -> BoundedNs:
        """Return a duration by the board's clock as it was; its bound stays.

        Raw stamps are never rewritten: this is for what was derived from them.
        """
        counted_ns = quantity.value_ns
        return replace(quantity, value_ns=round_div(counted_ns * _PPB, _PPB + self.rate_ppb))


def calibrate(
    board: RateRange,
    wall: RateRange,
    *,
    wall_ppb: int,
    tolerance_ppb: int,
    source: str,
) -> RateCalibration | None:
    """Return the rate of a board's clock; None where the proof is weaker than its tolerance.

    Args:
        board: rates of host minus board, for each ns of the board.
        wall: rates of wall clock minus host, for each ns of the host.
        wall_ppb: half-width of the wall clock's own rate error.
        tolerance_ppb: of the board, as it states it against true time; holds as well.
        source: what the wall clock is kept by.
    """
    if not (board.steady and wall.steady):
        return None
    wall_error = wall_ppb / _PPB
    slowest = (1 + board.low) * (1 + wall.low) * (1 - wall_error)
    fastest = (1 + board.high) * (1 + wall.high) * (1 + wall_error)
    # True time for each nanosecond of the board: the more there is, the slower is the board.
    low_ppb = max((1 / fastest - 1) * _PPB, -tolerance_ppb)
    high_ppb = min((1 / slowest - 1) * _PPB, tolerance_ppb)
    if low_ppb > high_ppb:
        return None
    rate_ppb = round((low_ppb + high_ppb) / 2)
    bound_ppb = ceil(max(high_ppb - rate_ppb, rate_ppb - low_ppb))
    if bound_ppb >= tolerance_ppb:
        return None
    return RateCalibration(rate_ppb, bound_ppb, source)


def round_div(value: int, divisor: int) -> int:
    """Return an integer quotient, rounded to the nearest; `divisor` above 0."""
    return (2 * value + divisor) // (2 * divisor)
