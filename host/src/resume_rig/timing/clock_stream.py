"""Host times of board stamps while exchanges go on: what was published is never moved.

Later exchanges tell more about earlier moments, so a relation that is asked twice may answer
twice. Whoever has drawn or stored an answer must not see it move; here the first answer stands.
"""

from bisect import bisect_left

from resume_rig.model.edge import ClockExchange
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.clock_limits import ClockLimits
from resume_rig.timing.clock_polygon import WINDOW_NS
from resume_rig.timing.clock_segment import BreakKind, ClockBreak, ClockSegment
from resume_rig.timing.relation import ClockRelation

MOST_PUBLISHED = 65_536
_SEGMENTS_KEPT = 8
_FORGET_EVERY = 256


class ClockStream:
    """Publishes the host times of board stamps of one boot. Memory is bounded.

    Published times keep the order of the stamps.

    Args:
        limits: what is assumed of the clocks.
        most_published: how many answers are remembered; a stamp from before the oldest one
            has none any more.
    """

    def __init__(self, limits: ClockLimits, most_published: int = MOST_PUBLISHED) -> None:
        self._relation = ClockRelation(limits)
        self._most = most_published
        self._stamps_ns: list[int] = []
        self._answers: list[tuple[BoundedNs, ClockSegment]] = []
        self._forgotten_ns: int | None = None
        self._added = 0

    def add(self, exchange: ClockExchange) -> ClockBreak | None:
        """Take in an exchange made after all others; return the break that it shows, if any.

        A board that was reset counts from 0 again: what was published of the boot before is
        forgotten, since its stamps mean other moments now.

        Raises:
            ProtocolError: a reply left the board before its request arrived.
        """
        found = self._relation.add(exchange)
        if found is not None:
            if found.kind is BreakKind.BOARD_RESET:
                limits = self._relation.limits
                self._relation = ClockRelation(limits)
                self._relation.add(exchange)
                self._stamps_ns, self._answers, self._forgotten_ns = [], [], None
            self._relation.keep_newest(_SEGMENTS_KEPT)
        self._added += 1
        if self._added % _FORGET_EVERY == 0 and self._relation.segments:
            newest = self._relation.segments[-1]
            newest.forget_before(newest.end_ns - WINDOW_NS)
        return found

    def publish(self, board_ns: int) -> BoundedNs | None:
        """Return the host time of a board stamp, the same one whenever it is asked for.

        None where there is none: after the newest exchange (ask again after the next one),
        across a break, or before what is remembered.
        """
        place = bisect_left(self._stamps_ns, board_ns)
        if place < len(self._stamps_ns) and self._stamps_ns[place] == board_ns:
            return self._answers[place][0]
        if self._forgotten_ns is not None and board_ns <= self._forgotten_ns:
            return None
        segment = self._relation.segment_of(board_ns)
        if segment is None:
            return None
        answer = self._in_order(place, segment.to_host_ns(board_ns), segment)
        self._stamps_ns.insert(place, board_ns)
        self._answers.insert(place, (answer, segment))
        if len(self._stamps_ns) > self._most:
            self._forgotten_ns = self._stamps_ns.pop(0)
            self._answers.pop(0)
        return answer

    def _in_order(self, place: int, found: BoundedNs, segment: ClockSegment) -> BoundedNs:
        """Return the time moved between those of the neighbouring stamps, its bound widened."""
        value_ns = found.value_ns
        before, after = self._answers[max(place - 1, 0) : place], self._answers[place : place + 1]
        for answer, owner in before:
            value_ns = max(value_ns, answer.value_ns) if owner is segment else value_ns
        for answer, owner in after:
            value_ns = min(value_ns, answer.value_ns) if owner is segment else value_ns
        return BoundedNs(value_ns, found.bound_ns + abs(value_ns - found.value_ns))
