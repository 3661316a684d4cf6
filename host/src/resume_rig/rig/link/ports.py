"""Which boards are plugged in, as the system lists their ports."""

from dataclasses import dataclass

from serial.tools import list_ports


@dataclass(frozen=True, slots=True)
class FoundPort:
    """A serial port of a USB device.

    Attributes:
        path: of the port; `serial:PATH` is its URL.
        usb_serial: number that the device tells of itself; it is the same in every port.
        product: what the device calls itself; text of the device's, bound and escape it.
    """

    path: str
    usb_serial: str
    product: str


def found_ports() -> tuple[FoundPort, ...]:
    """Return the ports of USB devices that have a serial number, by that number."""
    ports = [
        FoundPort(port.device, port.serial_number, port.product or port.description or "")
        for port in list_ports.comports()
        if port.serial_number
    ]
    return tuple(sorted(ports, key=lambda port: (port.usb_serial, port.path)))
