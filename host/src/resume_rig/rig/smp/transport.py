"""The seam between the SMP client and whatever carries its packets."""

from typing import NamedTuple, Protocol


class Arrival(NamedTuple):
    """One packet from the board, whole and with a right checksum.

    Attributes:
        t_ns: host clock when its last byte had arrived.
    """

    packet: bytes
    t_ns: int


class Transport(Protocol):
    """Carries packets both ways; an open one is handed to the client."""

    @property
    def name(self) -> str:
        """Return the URL that a sentence for the user names."""
        ...

    @property
    def received_bytes(self) -> int:
        """Return how many bytes came in so far, noise included."""
        ...

    def send(self, packet: bytes) -> int:
        """Send one packet and return the host clock [ns] just before it was handed over.

        Raises:
            LinkLost: the port is gone, or takes nothing.
        """
        ...

    def receive(self, timeout_ns: int) -> Arrival | None:
        """Return the next packet; None when none came within `timeout_ns`.

        Raises:
            LinkLost: the port is gone.
        """
        ...

    def close(self) -> None:
        """Let go of the port; may be called twice."""
        ...
