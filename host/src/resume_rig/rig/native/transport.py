"""A transport to an image that belongs to it: the image ends when the transport is closed."""

from resume_rig.model.errors import LinkLost
from resume_rig.rig.native.bench import NativeBench
from resume_rig.rig.smp.transport import Arrival, Transport


class NativeTransport:
    """Carries packets over the image's pseudo-terminal.

    Args:
        terminal: open; closed by `close`.
        bench: started; closed by `close`, and asked what became of the image when the link goes.
    """

    def __init__(self, terminal: Transport, bench: NativeBench) -> None:
        self._terminal = terminal
        self._bench = bench

    @property
    def name(self) -> str:
        """Return the URL that a sentence for the user names."""
        return self._terminal.name

    @property
    def received_bytes(self) -> int:
        """Return how many bytes came in so far, noise included."""
        return self._terminal.received_bytes

    def send(self, packet: bytes) -> int:
        """Send one packet and return the host clock [ns] just before that.

        Raises:
            LinkLost: the image is gone.
        """
        try:
            return self._terminal.send(packet)
        except LinkLost as error:
            raise self._bench.loss() or error from error

    def receive(self, timeout_ns: int) -> Arrival | None:
        """Return the next packet; None when none came within `timeout_ns`.

        Raises:
            LinkLost: the image is gone.
        """
        try:
            return self._terminal.receive(timeout_ns)
        except LinkLost as error:
            raise self._bench.loss() or error from error

    def close(self) -> None:
        """Let go of the terminal and end the image; may be called twice."""
        try:
            self._terminal.close()
        finally:
            self._bench.close()
