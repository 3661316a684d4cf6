"""The wires of a native_sim image, and a loop-back plug at its pins.

Both ways go datagrams {u64 time_ns, u32 mask, u32 values}: times are CLOCK_MONOTONIC_RAW, bit n is
pin n of the image's emulated GPIO controller. The image keeps a change whose time is still to come
and makes it exactly then; one that is late is made at once. So a DUT lives ahead of time, and a
plug's delay is longer than its outputs take over the socket.
"""

import select
import socket
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

from numpy.random import default_rng

from resume_rig.model.channel import Actuator, Channel
from resume_rig.rig.interface import Keyboard, KeyboardBus
from resume_rig.rig.sim.dut.event import WireChange
from resume_rig.rig.sim.dut.plug import LoopbackPlug

CHANNEL_PINS: Final[Mapping[Channel, int]] = MappingProxyType(
    {channel: pin for pin, channel in enumerate(Channel) if channel is not Channel.SLP_S0}
)
"""As firmware/boards/native_sim.overlay has them; it wires no SLP_S0#."""

ACTUATOR_PINS: Final[Mapping[Actuator, int]] = MappingProxyType(
    {Actuator.BUTTON: 16, Actuator.LID: 17, Actuator.KEYBOARD: 18, Actuator.CONTACT: 19}
)

POWERED_BIT: Final = 1 << 9
ACTIVE_BIT: Final = 1 << 10
ARMED_BIT: Final = 1 << 11
"""What the image sees of the USB bus of the DUT whose keyboard it is."""

LIGHT_BIT: Final = 1 << 31
"""No pin: the photodiode's voltage stands in the lower half of the values, in mV."""

LOAD_BIT: Final = 1 << 30
"""No pin either: what the DUT draws stands in the lower 24 bits of the values, in mW."""

FULL_SCALE_MV: Final = 3_300

_MESSAGE: Final = struct.Struct("=QII")
_AT_ONCE: Final = 0
_PATIENCE_S: Final = 1.0
# Longer than a thread on a busy machine waits for its turn.
DELAY_NS: Final = 20_000_000


@dataclass(frozen=True, slots=True)
class PinChange:
    """Pins change; bit n of `values` counts where bit n of `mask` is 1. Light: see LIGHT_BIT.

    Attributes:
        t_ns: CLOCK_MONOTONIC_RAW.
    """

    t_ns: int
    mask: int
    values: int


def level_change(t_ns: int, channel: Channel, level: int) -> PinChange:
    """Return the change of one channel's pin."""
    bit = 1 << CHANNEL_PINS[channel]
    return PinChange(t_ns, bit, bit if level else 0)


def load_change(t_ns: int, load_mw: int) -> PinChange:
    """Return the change of what the DUT draws."""
    return PinChange(t_ns, LOAD_BIT, load_mw)


def bus_change(t_ns: int, keyboard: Keyboard) -> PinChange:
    """Return the pins of the bus of a keyboard, as they stand."""
    values = POWERED_BIT if keyboard.bus is not KeyboardBus.DETACHED else 0
    values |= ACTIVE_BIT if keyboard.bus is KeyboardBus.READY else 0
    values |= ARMED_BIT if keyboard.armed else 0
    return PinChange(t_ns, POWERED_BIT | ACTIVE_BIT | ARMED_BIT, values)


def light_change(t_ns: int, voltage_mv: int) -> PinChange:
    """Return the change of the photodiode's voltage."""
    return PinChange(t_ns, LIGHT_BIT, voltage_mv)


class Wires:
    """The bench's end of the wires; unconnected when it is made.

    Its own address is one without a file, which the kernel picks.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("")
        self._socket.setblocking(False)

    def connect(self, path: Path) -> bool:
        """Connect to the image's socket; False when it is not there yet.

        The file may go afterwards: the connection is to the socket, not to its name.
        """
        try:
            self._socket.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True

    def fileno(self) -> int:
        """Return what select waits on for outputs that changed."""
        return self._socket.fileno()

    def send(self, change: PinChange) -> None:
        """Hand a change to the image; waits while its queue is full.

        Raises:
            OSError: the image is gone, or took nothing for a second (TimeoutError).
        """
        message = _MESSAGE.pack(change.t_ns, change.mask, change.values)
        while True:
            try:
                self._socket.send(message)
            except BlockingIOError:
                if not select.select([], [self], [], _PATIENCE_S)[1]:
                    raise TimeoutError(f"nothing was taken for {_PATIENCE_S:g} s") from None
            else:
                return

    def greet(self) -> None:
        """Let the image know where to send outputs to, also after a reboot. Raises as `send`."""
        self.send(PinChange(_AT_ONCE, 0, 0))

    def outputs(self) -> Iterator[PinChange]:
        """Yield the changes of the image's outputs, without waiting for more.

        Raises:
            OSError: the image is gone.
        """
        while True:
            try:
                data = self._socket.recv(_MESSAGE.size + 1)
            except BlockingIOError:
                return
            if len(data) == _MESSAGE.size:
                yield PinChange(*_MESSAGE.unpack(data))

    def close(self) -> None:
        """Let go of the socket; may be called twice."""
        self._socket.close()


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
            outputs: as the image sent it.
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
        return b""[offset:]

    def log_document(self) -> str:
        """Return a document of no events."""
        return "<Events/>"
