"""One stretch of time over which two clocks ran on, each at its own rate, without a break."""

from dataclasses import dataclass
from enum import StrEnum, unique
from math import ceil

from resume_rig.model.edge import ClockExchange
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.units import seconds_text
from resume_rig.timing.clock_limits import ClockLimits
from resume_rig.timing.clock_polygon import ROUNDING_NS, ClockPolygon, Feasible

# A contradiction smaller than this part of the time in between looks like a rate, not a step.
_RATE_NOT_STEP = 1e-3
# The rate is asked for in the middle of each part of this length; about it, it may drift.
_RATE_EVERY_NS = 20_000_000_000
_MOST_RATES = 8


@unique
class BreakKind(StrEnum):
    """Why a relation of two clocks does not go on."""

    BOARD_RESET = "board-reset"
    HOST_RESTARTED = "host-restarted"
    HOST_STOOD_STILL = "host-stood-still"
    BOARD_STOOD_STILL = "board-stood-still"
    RATE = "rate-beyond-tolerance"


@dataclass(frozen=True, slots=True)
class ClockBreak:
    """Where one segment ends and the next one begins.

    Attributes:
        after_ns, before_ns: board clock of the last stamp before and of the first one after it.
        size_ns: at least by how much the offset moved beyond what the rates allow; 0 where the
            two sides do not compare.
    """

    kind: BreakKind
    after_ns: int
    before_ns: int
    size_ns: int

    @property
    def text(self) -> str:
        """Return one sentence about it."""
        size = seconds_text(self.size_ns)
        told = {
            BreakKind.BOARD_RESET: "the board's clock went back: it was reset",
            BreakKind.HOST_RESTARTED: "the host's clock went back: it was restarted",
            BreakKind.HOST_STOOD_STILL: f"the host's clock stood still for {size}, or the "
            "board's stepped ahead: the host was suspended or its process was stopped",
            BreakKind.BOARD_STOOD_STILL: f"the board's clock stood still for {size}, or the "
            "host's stepped ahead",
            BreakKind.RATE: f"the clocks ran apart by {size} more than their tolerances allow",
        }[self.kind]
        return (
            f"Between board time {seconds_text(self.after_ns)} and "
            f"{seconds_text(self.before_ns)} {told}."
        )


@dataclass(frozen=True, slots=True)
class RateRange:
    """Rates that bounds allow, as host minus board, nanoseconds a nanosecond of the board."""

    low: float
    high: float
    steady: bool = True


class ClockSegment:
    """The offset host minus board between the first and the last stamp of some exchanges.

    Args:
        first: its first exchange.
        limits: what is assumed of the clocks.

    Attributes:
        start_ns, end_ns: board clock of its first and its last stamp.
        host_start_ns, host_end_ns: the same of the host's clock.
    """

    def __init__(self, first: ClockExchange, limits: ClockLimits) -> None:
        self._limits = limits
        self._rate, self._tick_ns = limits.rate, limits.tick_ns
        self._base_ns = first.host_tx_ns - first.board_rx_ns
        self._zero_ns = first.board_rx_ns
        self._polygon = ClockPolygon(limits)
        # What the tolerance alone allows of the offset at `end_ns`.
        self._low = float("-inf")
        self._high = float("inf")
        self.start_ns = self.end_ns = first.board_rx_ns
        self.host_start_ns = self.host_end_ns = first.host_tx_ns
        self.add(first)

    def add(self, exchange: ClockExchange) -> ClockBreak | None:
        """Take an exchange in, unless it shows that the segment has ended: then say why."""
        lower, upper = self._bounds(exchange)
        broken = self._broken(exchange, lower, upper)
        if broken is not None:
            return broken
        rx_ns, tx_ns = exchange.board_rx_ns, exchange.board_tx_ns
        slack = self._rate * (rx_ns - self.end_ns)
        self._low = max(self._low - slack, lower)
        self._high = self._high + slack
        turn = self._rate * (tx_ns - rx_ns)
        self._low -= turn
        self._high = min(self._high + turn, upper)
        self._polygon.add_lower(float(rx_ns - self._zero_ns), lower)
        self._polygon.add_upper(float(tx_ns - self._zero_ns), upper)
        self.end_ns, self.host_end_ns = tx_ns, exchange.host_rx_ns
        return None

    def holds(self, board_ns: int) -> bool:
        """Tell whether a board time lies in the segment."""
        return self.start_ns <= board_ns <= self.end_ns

    def to_host_ns(self, board_ns: int) -> BoundedNs:
        """Return the host time at which the board's clock showed `board_ns`."""
        found = self._at(board_ns)
        offset_ns, bound_ns = _middle(found.low_ns, found.high_ns)
        return BoundedNs(board_ns + self._base_ns + offset_ns, bound_ns)

    def to_board_ns(self, host_ns: int) -> BoundedNs:
        """Return the board time at a host time between the segment's first and last stamp."""
        guess_ns = self.start_ns + host_ns - self.host_start_ns
        for _ in range(3):  # each step brings it nearer by the rate, a thousandth or less
            guess_ns = min(max(guess_ns, self.start_ns), self.end_ns)
            guess_ns += host_ns - self.to_host_ns(guess_ns).value_ns
        guess_ns = min(max(guess_ns, self.start_ns), self.end_ns)
        found = self.to_host_ns(guess_ns)
        most_ns = abs(found.value_ns - host_ns) + found.bound_ns
        # The host's clock moves by 1 - rate or more for each nanosecond of the board's.
        return BoundedNs(guess_ns, ceil(most_ns / (1 - self._rate)) + ROUNDING_NS)

    def interval_ns(self, start_ns: int, end_ns: int) -> BoundedNs:
        """Return the host's time between two board times of the segment, in order.

        The rate bounds it, far better than the two offsets do, which may each be off.
        """
        duration_ns = end_ns - start_ns
        half = duration_ns / 2
        middle = self._polygon.at(start_ns - self._zero_ns + half)
        first, last = self._at(start_ns), self._at(end_ns)
        drift = min(self._limits.drift * half * half, 2 * self._rate * duration_ns)
        low = max(middle.rate_low * duration_ns - drift, last.low_ns - first.high_ns)
        high = min(middle.rate_high * duration_ns + drift, last.high_ns - first.low_ns)
        moved_ns, bound_ns = _middle(min(low, high), max(low, high))
        return BoundedNs(duration_ns + moved_ns, bound_ns)

    def rates(self, start_ns: int, end_ns: int) -> RateRange:
        """Return between what the rate was at every moment between two board times, in order."""
        count = min(max(-(-(end_ns - start_ns) // _RATE_EVERY_NS), 1), _MOST_RATES)
        step = (end_ns - start_ns) / count
        first = start_ns - self._zero_ns + step / 2
        found = [self._polygon.at(first + step * i) for i in range(count)]
        drifted = self._limits.drift * step / 2
        return RateRange(
            max(min(each.rate_low for each in found) - drifted, -self._rate),
            min(max(each.rate_high for each in found) + drifted, self._rate),
            all(each.steady for each in found),
        )

    def forget_before(self, board_ns: int) -> None:
        """Forget what came before a board time; it is in no segment any more."""
        if board_ns > self.start_ns:
            self.start_ns = min(board_ns, self.end_ns)
            self.host_start_ns = self.to_host_ns(self.start_ns).value_ns
            self._polygon.forget_before(float(self.start_ns - self._zero_ns))

    def corners(self, most: int) -> frozenset[int]:
        """Return board stamps of exchanges that bound the offset best; at most `most` a side."""
        upper, lower = self._polygon.corners(most)
        return frozenset(self._zero_ns + int(at) for at in (*upper, *lower))

    def _at(self, board_ns: int) -> Feasible:
        return self._polygon.at(float(board_ns - self._zero_ns))

    def _bounds(self, exchange: ClockExchange) -> tuple[int, int]:
        """Return the least and the greatest offset that an exchange allows, minus the base.

        The board's stamps are rounded down to a tick, so its clock was at most that far ahead.
        """
        lower = exchange.host_tx_ns - exchange.board_rx_ns - self._tick_ns
        upper = exchange.host_rx_ns - exchange.board_tx_ns
        return lower - self._base_ns, upper - self._base_ns

    def _broken(self, exchange: ClockExchange, lower: int, upper: int) -> ClockBreak | None:
        rx_ns, after_ns = exchange.board_rx_ns, self.end_ns
        if rx_ns < after_ns:
            return ClockBreak(BreakKind.BOARD_RESET, after_ns, rx_ns, 0)
        if exchange.host_tx_ns < self.host_end_ns:
            return ClockBreak(BreakKind.HOST_RESTARTED, after_ns, rx_ns, 0)
        rate = self._rate
        apart_ns = exchange.board_tx_ns - after_ns
        turn = rate * (exchange.board_tx_ns - rx_ns)
        ahead = lower - self._high - rate * (rx_ns - after_ns)
        behind = max(self._low - upper - rate * apart_ns, lower - upper - turn)
        size_ns = ceil(max(ahead, behind)) if max(ahead, behind) > ROUNDING_NS else 0
        if not size_ns:
            return None
        kind = BreakKind.BOARD_STOOD_STILL if ahead > behind else BreakKind.HOST_STOOD_STILL
        if size_ns < _RATE_NOT_STEP * apart_ns:
            kind = BreakKind.RATE
        return ClockBreak(kind, after_ns, rx_ns, size_ns)


def _middle(low: float, high: float) -> tuple[int, int]:
    """Return the middle of an interval, and a half-width that holds it all."""
    middle = round((low + high) / 2)
    return middle, ceil(max(high - middle, middle - low)) + ROUNDING_NS
