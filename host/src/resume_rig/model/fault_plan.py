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
    RING_OVERRUN = "ring-overrun"
    """A line flutters faster than anybody can read: the board's ring of edges runs over."""
    HOST_PAUSE = "host-pause"
    """The host's process does nothing for the span, as when its machine is suspended."""
    DISK_FULL = "disk-full"
    """The disk of the store has no room for the span."""
    LOG_CUT = "log-cut"
    """The way to the DUT's log is cut for the span, as SSH to a DUT may be."""
    LOG_LATE = "log-late"
    """What the DUT logs in the span can be read only when it is over."""
    LOG_WRAPPED = "log-wrapped"
    """The DUT's log overwrites what nobody has read yet."""
    CLOCK_STEP = "clock-step"
    """Somebody sets the OS clock of the DUT."""
    NEVER_SLEEPS = "never-sleeps"
    NEVER_WAKES = "never-wakes"
    DARK = "dark"
    WAKES_ALONE = "wakes-alone"
    NO_RECORD = "no-record"
    """The DUT writes no record: its log loses what it should hold."""
    ZERO_RECORD = "zero-record"
    NOISY_LINE = "noisy-line"


AT_AN_INSTANT = frozenset(
    {
        FaultKind.BOARD_RESET,
        FaultKind.RING_OVERRUN,
        FaultKind.LOG_WRAPPED,
        FaultKind.CLOCK_STEP,
    }
)
"""The others last for a span."""

ON_THE_CABLE = frozenset({FaultKind.UNPLUG})
ON_THE_HOST = frozenset({FaultKind.HOST_PAUSE, FaultKind.DISK_FULL, FaultKind.LOG_CUT})
ON_THE_BENCH = frozenset(FaultKind) - ON_THE_CABLE - ON_THE_HOST


@dataclass(frozen=True, slots=True)
class WireShares:
    """What becomes of the bytes between host and board, in both directions.

    Attributes:
        lost: share of bytes that do not arrive; 0 to 1, as the others.
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


@dataclass(frozen=True, slots=True)
class ScheduledFault:
    """A fault and its instants.

    Attributes:
        at_ns: instants; empty where `every_ns` is given.
        every_ns: once in each span of this length, at an instant of the seed's.
        for_ns: how long it lasts; 0 for what happens at an instant.
        by_ns: how far a clock is set, negative for back; 0 for the other kinds.
    """

    kind: FaultKind
    at_ns: tuple[int, ...] = ()
    every_ns: int | None = None
    for_ns: int = 0
    by_ns: int = 0


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """All that is injected.

    Attributes:
        seed: of every random choice; None for that of the bench.
        text: the plan as it was written (TOML).
    """

    wire: WireShares = WireShares()
    faults: tuple[ScheduledFault, ...] = ()
    seed: int | None = None
    text: str = ""
