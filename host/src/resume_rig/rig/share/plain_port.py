"""A serial port as pyserial's RFC 2217 server asks for one, whose line settings are fixed.

A client may ask for other settings and modem lines; it is told what there is. USB CDC ACM ports
ignore them all, and a board behind a debug probe runs at one speed.
"""

from typing import Any, Final

import serial

BAUD: Final = 115_200
_FIXED: Final = ("baudrate", "bytesize", "parity", "stopbits", "xonxoff", "rtscts", "rts", "dtr")


class PlainPort:
    """An open port; what a client sets is not applied."""

    baudrate = BAUD
    bytesize, parity, stopbits = serial.EIGHTBITS, serial.PARITY_NONE, serial.STOPBITS_ONE
    xonxoff = rtscts = break_condition = False
    rts = dtr = cts = dsr = cd = True
    ri = False

    def __init__(self, port: serial.Serial) -> None:
        self._port = port

    def __setattr__(self, name: str, value: Any) -> None:
        """Take no line setting from the client."""
        if name not in _FIXED and name != "break_condition":
            super().__setattr__(name, value)

    def reset_input_buffer(self) -> None:
        """Forget what came in and was not sent on."""
        self._port.reset_input_buffer()

    def reset_output_buffer(self) -> None:
        """Forget what was not sent to the board."""
        self._port.reset_output_buffer()
