"""A loop-back plug at the pins of an image: what its outputs do comes back at its channels.

Outputs are told over a socket, and edges go back the same way. So a plug's delay is longer than
that takes, and an edge is sent ahead of its time; the image makes it exactly then.
"""

from typing import Final, Protocol

from numpy.random import default_rng

from resume_rig.model.channel import Channel
from resume_rig.rig.native.wires import ACTUATOR_PINS, CHANNEL_PINS, PinChange, level_change
from resume_rig.rig.sim.dut.event import WireChange
from resume_rig.rig.sim.dut.plug import LoopbackPlug

# Longer than a thread on a busy machine waits for its turn.
DELAY_NS: Final = 20_000_000
_NO_LOG: Final = b""


class Wired(Protocol):
    """What is at the pins of an image: a DUT, or a plug. Times are CLOCK_MONOTONIC_RAW."""

    def standing(self) -> list[PinChange]:
        """Return the present levels of all wired pins, as changes at once."""
        ...

    def next_ns(self) -> int | None:
        """Return when something happens next if no output changes; None: never."""
        ...

    def live(self, until_ns: int) -> list[PinChange]:
        """Return what the pins do up to and including a time, in time order."""
        ...

    def drive(self, outputs: PinChange, earliest_ns: int) -> None:
        """Take a change of the image's outputs; edges that are to be sent ahead come no sooner.

        Args:
            outputs: what the image told.
            earliest_ns: of edges.
        """
        ...

    def log_text_from(self, offset: int) -> bytes:
        """Return the DUT's log from a byte offset on."""
        ...

    def log_document(self) -> str:
        """Return the DUT's log as one XML document."""
        ...


class WiredPlug:
    """One plug; the image's outputs are released when it is made.

    Args:
        start_ns: begin of its world.
        seed: 0 or more; equal seeds give equal delays.
    """

    def __init__(self, start_ns: int, seed: int) -> None:
        self._start_ns = start_ns
        self._plug = LoopbackPlug(default_rng(seed), DELAY_NS)
        self._outputs = 0

    @property
    def delays_ns(self) -> dict[Channel, int]:
        """Return the mean delay of each channel."""
        return self._plug.delays_ns

    def standing(self) -> list[PinChange]:
        """Return the present levels of all channels, as changes at once."""
        levels = self._plug.levels
        changes = [level_change(0, channel, levels[channel]) for channel in CHANNEL_PINS]
        mask = sum(change.mask for change in changes)
        return [PinChange(0, mask, sum(change.values for change in changes))]

    def next_ns(self) -> int | None:
        """Return when the next edge comes; None: none is on its way."""
        next_ns = self._plug.next_event_ns()
        return None if next_ns is None else next_ns + self._start_ns

    def live(self, until_ns: int) -> list[PinChange]:
        """Return the edges up to and including a time, in time order."""
        return [
            level_change(event.t_ns + self._start_ns, event.channel, event.level)
            for event in self._plug.advance(until_ns - self._start_ns)
            if isinstance(event, WireChange) and event.channel in CHANNEL_PINS
        ]

    def drive(self, outputs: PinChange, earliest_ns: int) -> None:
        """Take a change of the image's outputs; its edges come no sooner than `earliest_ns`."""
        before = self._outputs
        self._outputs = before & ~outputs.mask | outputs.values & outputs.mask
        for actuator, pin in ACTUATOR_PINS.items():
            if (before ^ self._outputs) & 1 << pin:
                driven = bool(self._outputs & 1 << pin)
                self._plug.move(
                    outputs.t_ns - self._start_ns, actuator, driven, earliest_ns - self._start_ns
                )

    def log_text_from(self, offset: int) -> bytes:
        """Return nothing: a plug has no log."""
        return _NO_LOG[offset:]

    def log_document(self) -> str:
        """Return a document of no events."""
        return "<Events/>"
