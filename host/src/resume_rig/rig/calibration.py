"""What a board measures of itself with an output wired to its channels, and what it keeps of that.

The wire's words are those of fixtures/wire/rig.cddl, commands 11 and 12.
"""

from dataclasses import dataclass
from enum import IntEnum, unique

from resume_rig.model.channel import Actuator, Channel


@dataclass(frozen=True, slots=True)
class ChannelLatency:
    """From driving an output to the stamp of the edge that this made at a channel; all ns.

    Attributes:
        mean_ns: 0 or more, or a little below 0 where the stamps are coarse.
        sd_ns: standard deviation.
        deviation_ns: largest deviation from the mean.
        count: edges measured.
    """

    channel: Channel
    mean_ns: int
    sd_ns: int
    deviation_ns: int
    count: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a board keeps of itself over resets.

    Attributes:
        crystal: the clock is no RC oscillator, so that it may be calibrated.
        store: "flash", "retained" (kept while the board has power), or "none".
        clock_ppb: measured rate error; None where nobody measured it.
        held_ns: by how much any of the latencies may be too great.
        latencies: of the channels that were measured.
    """

    crystal: bool
    store: str
    clock_ppb: int | None
    held_ns: int
    latencies: tuple[ChannelLatency, ...]

    @property
    def empty(self) -> bool:
        """Tell whether nothing was measured."""
        return self.clock_ppb is None and not self.latencies


@unique
class LoopbackState(IntEnum):
    """How far the newest loop-back is."""

    NONE = 0
    RUNNING = 1
    DONE = 2
    STOPPED = 3


@dataclass(frozen=True, slots=True)
class LoopbackChannel:
    """What a loop-back saw on one channel; times are latencies in ns, 0 where none was seen.

    Attributes:
        seen: changes of the output that made an edge.
        missed: changes that made none.
        extra: edges that no change explains.
    """

    channel: Channel
    seen: int
    missed: int
    extra: int
    mean_ns: int
    sd_ns: int
    min_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class LoopbackResult:
    """What came of the newest loop-back.

    Attributes:
        actuator: None in state NONE, or when it is not known here.
        changes: of the output so far.
        held_ns: longest time between reading the clock before and after driving the pin.
        lost: edges that the board lost meanwhile, of any channel.
        channels: those that are wired to the output and known here.
    """

    state: LoopbackState
    actuator: Actuator | None = None
    changes: int = 0
    held_ns: int = 0
    lost: int = 0
    channels: tuple[LoopbackChannel, ...] = ()

    @property
    def ended_well(self) -> bool:
        """Tell whether all edges were seen and none was too many, as the board asks for."""
        return (
            self.state is LoopbackState.DONE
            and self.lost == 0
            and all(c.seen == self.changes and c.extra == 0 for c in self.channels)
        )
