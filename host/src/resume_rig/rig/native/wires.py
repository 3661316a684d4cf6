"""The wires of a native_sim image: datagrams {u64 time_ns, u32 mask, u32 values} both ways.

Times are CLOCK_MONOTONIC_RAW; bit n is pin n of the image's emulated GPIO controller. The image
keeps a change whose time is still to come and makes it exactly then; one that is late is made at
once.
"""

import select
import socket
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.rig.interface import Keyboard, KeyboardBus

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
        """Say where to send outputs to; a rebooted image has forgotten it. Raises as `send`."""
        self.send(PinChange(_AT_ONCE, 0, 0))

    def outputs(self) -> Iterator[PinChange]:
        """Yield what the image has told of its outputs, without waiting for more.

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
