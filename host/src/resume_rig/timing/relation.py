"""How the board's clock stands to the host's: guaranteed bounds from stamped exchanges.

A request cannot arrive before it was sent, nor a reply, so each exchange bounds the offset
(host minus board) from both sides, whatever the delays were and however unequal (the idea of
WALT's lag interval). All of them together bound offset and rate at any moment between two
exchanges; docs/explanation/clocks.md says how, and what is assumed.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import ProtocolError
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.clock_limits import ClockLimits
from resume_rig.timing.clock_segment import BreakKind, ClockBreak, ClockSegment, RateRange


class ClockRelation:
    """Host and board time of one boot of the board, as far as exchanges tell.

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

    def interval_ns(self, start_ns: int, end_ns: int) -> BoundedNs | None:
        """Return the host's time between two board times; None unless one segment holds both."""
        segment = self.segment_of(start_ns)
        if segment is None or segment is not self.segment_of(end_ns):
            return None
        if end_ns < start_ns:
            back = segment.interval_ns(end_ns, start_ns)
            return BoundedNs(-back.value_ns, back.bound_ns)
        return segment.interval_ns(start_ns, end_ns)

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
        if turn_ns <= host_ns:
            return None
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
