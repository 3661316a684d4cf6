"""How two clocks relate: guaranteed bounds of offset and rate from stamped exchanges.

A request cannot arrive before it was sent, nor a reply, so each exchange bounds the offset (host
minus board) from both sides, whatever the delays (the idea of WALT's lag interval).
docs/explanation/clocks.md has the method and what is assumed.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from math import ceil

from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import ProtocolError
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.units import PPB, seconds_text
from resume_rig.timing.hull import ROUNDING_NS, ClockLimits, ClockPolygon, Feasible

# A contradiction smaller than this part of the time in between looks like a rate, not a step.
# Assumed: it decides the name of a break alone; both end a segment.
_RATE_NOT_STEP = 1e-3
# The rate is asked for in the middle of each part of this length; about it, it may drift.
# Assumed: at 100 ppb/s a half of it adds 1 ppm to the bound of a calibration.
_RATE_EVERY_NS = 20_000_000_000
# Assumed: bounds the work; 160 s at full density.
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
        effect = {
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
            f"{seconds_text(self.before_ns)} {effect}."
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
        self._asked_ns = first.host_tx_ns
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
        self._asked_ns = exchange.host_tx_ns
        return None

    def holds(self, board_ns: int) -> bool:
        """Return whether a board time lies in the segment."""
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
        # Not the end of the exchange before: the host's tick may have put it into the future.
        if exchange.host_tx_ns < self._asked_ns:
            return ClockBreak(BreakKind.HOST_RESTARTED, after_ns, rx_ns, 0)
        rate = self._rate
        elapsed_ns = exchange.board_tx_ns - after_ns
        turn = rate * (exchange.board_tx_ns - rx_ns)
        ahead = lower - self._high - rate * (rx_ns - after_ns)
        behind = max(self._low - upper - rate * elapsed_ns, lower - upper - turn)
        size_ns = ceil(max(ahead, behind)) if max(ahead, behind) > ROUNDING_NS else 0
        if not size_ns:
            return None
        kind = BreakKind.BOARD_STOOD_STILL if ahead > behind else BreakKind.HOST_STOOD_STILL
        if size_ns < _RATE_NOT_STEP * elapsed_ns:
            kind = BreakKind.RATE
        return ClockBreak(kind, after_ns, rx_ns, size_ns)


def _middle(low: float, high: float) -> tuple[int, int]:
    """Return the middle of an interval, and a half-width that holds it all."""
    middle = round((low + high) / 2)
    return middle, ceil(max(high - middle, middle - low)) + ROUNDING_NS


class ClockRelation:
    """Host and board time of one boot of the board, as far as exchanges show them.

    It grows by `add`. What lies between two segments, before the first exchange or after the
    newest one, has no time on the other clock.

    Args:
        limits: what is assumed of the clocks.

    Attributes:
        limits: the same.
        breaks: where one segment ended and the next one began, in order.
    """

    def __init__(self, limits: ClockLimits) -> None:
        self.limits = limits
        self._segments: list[ClockSegment] = []
        self._starts_ns: list[int] = []
        self._closed = True
        self.breaks: list[ClockBreak] = []

    def add(self, exchange: ClockExchange) -> ClockBreak | None:
        """Take in an exchange that was made after all others; return the break that it shows.

        Raises:
            ProtocolError: a reply left the board before its request arrived.
        """
        _refuse_impossible(exchange)
        found = self._stood_still_within(exchange)
        if found is not None:
            self._closed = True
            self.breaks.append(found)
            return found
        if not self._closed:
            found = self._segments[-1].add(exchange)
            if found is None:
                return None
        self._segments.append(ClockSegment(exchange, self.limits))
        self._starts_ns.append(exchange.board_rx_ns)
        self._closed = False
        if found is not None:
            self.breaks.append(found)
        return found

    def to_host_ns(self, board_ns: int) -> BoundedNs | None:
        """Return the host time at which the board's clock showed `board_ns`.

        None where no segment holds it, or, after a reset, more than one.
        """
        segment = self.segment_of(board_ns)
        return None if segment is None else segment.to_host_ns(board_ns)

    def to_board_ns(self, host_ns: int) -> BoundedNs | None:
        """Return what the board's clock showed at a host time; None where no segment holds it."""
        for segment in reversed(self._segments):
            if segment.host_start_ns <= host_ns <= segment.host_end_ns:
                return segment.to_board_ns(host_ns)
        return None

    def rates(self, start_ns: int, end_ns: int) -> RateRange | None:
        """Return between what the rate was all the time between two board times, in order.

        None unless one segment holds both.
        """
        segment = self.segment_of(start_ns)
        if segment is None or segment is not self.segment_of(end_ns):
            return None
        return segment.rates(start_ns, end_ns)

    def segment_of(self, board_ns: int) -> ClockSegment | None:
        """Return the one segment that holds a board time; None where none or several do."""
        if any(found.kind is BreakKind.BOARD_RESET for found in self.breaks):
            holding = [segment for segment in self._segments if segment.holds(board_ns)]
            return holding[0] if len(holding) == 1 else None
        place = bisect_right(self._starts_ns, board_ns) - 1
        if place < 0 or not self._segments[place].holds(board_ns):
            return None
        return self._segments[place]

    @property
    def segments(self) -> Sequence[ClockSegment]:
        """Return the segments, in the order in which they were made."""
        return self._segments

    def keep_newest(self, count: int) -> None:
        """Forget all segments but the newest `count`."""
        for kept in (self._segments, self._starts_ns, self.breaks):
            del kept[:-count]

    def _stood_still_within(self, exchange: ClockExchange) -> ClockBreak | None:
        """Return the break of an exchange in which the host's clock did not go on.

        Such an exchange bounds nothing: part of it is before the break, part of it after.
        """
        turn_ns = exchange.board_tx_ns - exchange.board_rx_ns
        host_ns = exchange.host_rx_ns - exchange.host_tx_ns
        missing_ns = turn_ns - int(self.limits.rate * turn_ns) - host_ns - self.limits.tick_ns - 1
        if missing_ns <= 0:
            return None
        return ClockBreak(
            BreakKind.HOST_STOOD_STILL, exchange.board_rx_ns, exchange.board_tx_ns, missing_ns
        )


def relate(exchanges: Iterable[ClockExchange], limits: ClockLimits) -> ClockRelation:
    """Return the relation of exchanges of one boot of the board and one start of the host.

    Args:
        exchanges: in any order; each was made when the one before was over. O(n log n).
        limits: what is assumed of the clocks.

    Raises:
        ProtocolError: a reply left the board before its request arrived.
    """
    relation = ClockRelation(limits)
    for exchange in sorted(exchanges, key=lambda each: each.host_tx_ns):
        relation.add(exchange)
    return relation


def _refuse_impossible(exchange: ClockExchange) -> None:
    if exchange.board_tx_ns < exchange.board_rx_ns or exchange.host_rx_ns < exchange.host_tx_ns:
        raise ProtocolError(
            "Relating the board's clock to the host's: a reply left at "
            f"{exchange.board_tx_ns} ns for a request that arrived at "
            f"{exchange.board_rx_ns} ns and "
            f"came back at {exchange.host_rx_ns} ns for one sent at {exchange.host_tx_ns} ns; "
            "a reply comes after its request."
        )


# Corners of the hulls of a segment, each of the upper and of the lower bounds: 256 bytes a cycle
# (docs/explanation/clocks.md; benchmarks/clock_relation.py has the bounds that they leave).
MOST_A_SIDE = 4
# Assumed: a record has a break or two; clocks that break off all the time are not kept in full.
_MOST_SEGMENTS = 8
# Assumed: bounds memory; those that bound the most are kept.
_THIN_FROM = 256


class ExchangeSelection:
    """The exchanges of one record that bound the most; memory is bounded however long it lasts.

    Args:
        limits: what is assumed of the clocks.
    """

    def __init__(self, limits: ClockLimits) -> None:
        self._limits = limits
        self._made: list[ClockExchange] = []
        self._thin_at = _THIN_FROM
        self._kept: tuple[ClockExchange, ...] | None = None

    def add(self, exchange: ClockExchange) -> None:
        """Take in an exchange that was made after all others."""
        self._made.append(exchange)
        self._kept = None
        if len(self._made) >= self._thin_at:
            self._made = list(self._of(_THIN_FROM // 8))
            self._thin_at = max(_THIN_FROM, 2 * len(self._made))

    def kept(self) -> tuple[ClockExchange, ...]:
        """Return the exchanges to keep, in order: at most `MOST_A_SIDE` a side of each segment.

        Those at the ends of a segment always stay, since nothing is known beyond them.
        """
        if self._kept is None:
            self._kept = self._of(MOST_A_SIDE)
        return self._kept

    def _of(self, most: int) -> tuple[ClockExchange, ...]:
        segments = relate(self._made, self._limits).segments
        if len(segments) > _MOST_SEGMENTS:
            segments = [*segments[: _MOST_SEGMENTS // 2], *segments[-_MOST_SEGMENTS // 2 :]]
        stamps = frozenset(stamp for each in segments for stamp in each.corners(most))
        exchanges = (e for e in self._made if e.board_rx_ns in stamps or e.board_tx_ns in stamps)
        return tuple(dict.fromkeys(exchanges))


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
        return replace(quantity, value_ns=round_div(counted_ns * PPB, PPB + self.rate_ppb))


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
    wall_error = wall_ppb / PPB
    slowest = (1 + board.low) * (1 + wall.low) * (1 - wall_error)
    fastest = (1 + board.high) * (1 + wall.high) * (1 + wall_error)
    # True time for each nanosecond of the board: the more there is, the slower is the board.
    low_ppb = max((1 / fastest - 1) * PPB, -tolerance_ppb)
    high_ppb = min((1 / slowest - 1) * PPB, tolerance_ppb)
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
