"""The packet that wakes a network adapter (AMD publication 20213), and the seam that sends it."""

import re
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import UsageError

_MAC: Final = re.compile(r"([0-9A-Fa-f]{2})([:-]?)" + r"\2".join(["([0-9A-Fa-f]{2})"] * 5))
_GROUP_BIT: Final = 1
_TIMES: Final = 16
MAGIC_PORT: Final = 9
"""Discard: what is sent there nobody answers. The adapter looks at the payload alone."""


def mac_bytes(text: str) -> bytes:
    """Return the six bytes of an address.

    Raises:
        UsageError: it is none of one adapter; the sentence says what is allowed.
    """
    found = _MAC.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            "a MAC address is six pairs of hexadecimal digits, for example 00:1a:2b:3c:4d:5e"
        )
    address = bytes(int(found[group], 16) for group in (1, 3, 4, 5, 6, 7))
    if address[0] & _GROUP_BIT or not any(address):
        raise UsageError(
            "a magic packet wakes one adapter, so its address is no group's (an odd first byte) "
            "and not 0"
        )
    return address


def mac_text(address: bytes) -> str:
    """Return an address in its usual spelling."""
    return ":".join(f"{byte:02x}" for byte in address)


def magic_packet(address: bytes) -> bytes:
    """Return the payload that wakes the adapter of an address."""
    return b"\xff" * 6 + _TIMES * address


class DutNetwork(Protocol):
    """The network on which a DUT's adapter listens while it sleeps."""

    def magic_packet(self, address: bytes) -> None:
        """Send the packet that wakes the adapter of a MAC address.

        Raises:
            RigError: it could not be sent.
        """
        ...


def packet_for(network: DutNetwork | None, dut: DutProfile | None) -> Callable[[], None] | None:
    """Return what sends a DUT its magic packet; None without a network, or a MAC address."""
    if network is None or dut is None or dut.mac is None:
        return None
    return partial(network.magic_packet, mac_bytes(dut.mac))
