"""Which of many clock exchanges are worth keeping: those that bound the offset best."""

from resume_rig.model.edge import ClockExchange
from resume_rig.timing.clock_limits import ClockLimits
from resume_rig.timing.relation import relate

# Corners of the hulls of a segment, each of the upper and of the lower bounds.
MOST_A_SIDE = 4
# A record has a break or two; clocks that break off all the time need not be kept in full.
_MOST_SEGMENTS = 8
_THIN_FROM = 256


class ExchangeSelection:
    """The exchanges of one record that tell most; memory is bounded however long it lasts.

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
        told = (e for e in self._made if e.board_rx_ns in stamps or e.board_tx_ns in stamps)
        return tuple(dict.fromkeys(told))
