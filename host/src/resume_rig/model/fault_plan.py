"""Faults that are injected into a simulated bench and its campaign, on purpose: what, and when.

All times are world time: since the bench was made. The same plan and seed make the same faults.
"""

from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class FaultKind(StrEnum):
    """What happens at an instant, or for a span; bytes on the wire have shares of their own."""

    UNPLUG = "unplug"
    """The board's port is gone for the span."""
    BOARD_RESET = "board-reset"
    """The board starts anew; the DUT does not notice."""


HAS_SPAN = frozenset({FaultKind.UNPLUG})


@dataclass(frozen=True, slots=True)
class WireShares:
    """What becomes of the bytes between host and board, in both directions.

    Attributes:
        lost: share of bytes that do not arrive; 0 to 1, as the others.
        doubled: that arrive twice.
        flipped: that arrive with one bit turned over.
        late: share of the packets that are held up, with whatever follows them on the line.
        late_ns: for how long.
    """

    lost: float = 0.0
    doubled: float = 0.0
    flipped: float = 0.0
    late: float = 0.0
    late_ns: int = 0

    @property
    def of_bytes(self) -> float:
        """Return the share of bytes to which something happens."""
        return self.lost + self.doubled + self.flipped

    @property
    def any(self) -> bool:
        """Return whether anything ever happens."""
        return self.of_bytes > 0 or self.late > 0


@dataclass(frozen=True, slots=True)
class ScheduledFault:
    """A fault and its instants.

    Attributes:
        at_ns: instants; empty where `every_ns` is given.
        every_ns: once in each span of this length, at an instant of the seed's.
        for_ns: how long it lasts; 0 for what happens at an instant.
    """

    kind: FaultKind
    at_ns: tuple[int, ...] = ()
    every_ns: int | None = None
    for_ns: int = 0


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """All that is injected.

    Attributes:
        seed: of every random choice; None for that of the bench.
    """

    wire: WireShares = WireShares()
    faults: tuple[ScheduledFault, ...] = ()
    seed: int | None = None
