"""Magic packets over the host's own network: UDP datagrams that wake a DUT's network adapter.

A sleeping adapter has no address on the network but its MAC, so the packet goes to everybody; a
router passes no such packet on, so host and DUT share one network.
"""

import ipaddress
import socket
from typing import Final

from resume_rig.model.errors import RigError, UsageError
from resume_rig.rig.dut_profile import MAGIC_PORT, DutNetwork, magic_packet

_EVERYBODY: Final = "255.255.255.255"
_ALLOWED: Final = "allowed is ADDRESS or ADDRESS:PORT, IPv4, ports 1 to 65535"


class HostNetwork:
    """The network at one interface of the host.

    Args:
        source: an IPv4 address of the host's, which chooses the interface; None: its system does.
        to: IPv4 address that packets go to. port: likewise.
    """

    def __init__(self, source: str | None, to: str = _EVERYBODY, port: int = MAGIC_PORT) -> None:
        self._source = source
        self._to = (to, port)

    def magic_packet(self, address: bytes) -> None:
        """Send the packet that wakes the adapter of a MAC address.

        Raises:
            RigError: the host's system did not send it.
        """
        try:
            with self._socket() as opened:
                opened.sendto(magic_packet(address), self._to)
        except OSError as error:
            raise RigError(
                f"could not send a magic packet to {self._to[0]}:{self._to[1]}"
                f"{self._from_text()}: {error.strerror or error}"
            ) from error

    def check(self) -> None:
        """See that packets can leave from where they are to; none is sent.

        Raises:
            UsageError: the host has no such address.
        """
        try:
            self._socket().close()
        except OSError as error:
            raise UsageError(
                f"could not send magic packets{self._from_text()}: {error.strerror or error}; "
                "allowed is an IPv4 address of this host"
            ) from error

    def _socket(self) -> socket.socket:
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            if self._source is not None:
                opened.bind((self._source, 0))
        except OSError:
            opened.close()
            raise
        return opened

    def _from_text(self) -> str:
        return "" if self._source is None else f" from {self._source}"


def network_of(simulated: DutNetwork | None, source: str | None, to: str | None) -> DutNetwork:
    """Return the network that a DUT's adapter listens on.

    Args:
        simulated: that of a simulated DUT; taken where nothing else is named.
        source: as the option --lan-from takes it.
        to: likewise --lan-to.

    Raises:
        UsageError: one of them is no address, or not one of this host's.
    """
    if simulated is not None and source is None and to is None:
        return simulated
    host, port = _EVERYBODY, MAGIC_PORT
    if to is not None:
        host, _, digits = to.partition(":")
        if digits or to.endswith(":"):
            if not (digits.isascii() and digits.isdigit() and 0 < int(digits[:6]) < 65536):
                raise UsageError(f"--lan-to {to!r} has no port of a network; {_ALLOWED}")
            port = int(digits)
    network = HostNetwork(_ipv4("--lan-from", source), _ipv4("--lan-to", host) or host, port)
    if source is not None:
        network.check()
    return network


def _ipv4(option: str, text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError as error:
        raise UsageError(f"{option} {text!r} is no IPv4 address; {_ALLOWED}") from error
