"""One client of a served bench: packets out of its bytes, replies back into the line."""

import socket
from contextlib import suppress
from typing import Final, Protocol

from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.link_faults import LinkFaults
from resume_rig.rig.smp.framing import Decoder, encode

READ_BYTES: Final = 4096
_MAX_UNSENT_BYTES: Final = 262_144
_MOST_READS: Final = 16  # at one turn: who floods the line must not stop the bench


class Port(Protocol):
    """An open byte stream that does not block."""

    def fileno(self) -> int:
        """Return what select waits on."""
        ...

    def read(self) -> bytes:
        """Return what has arrived; nothing means that the other side is gone."""
        ...

    def write(self, data: bytes) -> int:
        """Return how many bytes were taken."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class SocketPort:
    """One client's connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A client whose machine lost its power must not hold the bench for ever.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def fileno(self) -> int:
        """Return what select waits on."""
        return self._connection.fileno()

    def read(self) -> bytes:
        """Return what has arrived; nothing means that the other side is gone."""
        return self._connection.recv(READ_BYTES)

    def write(self, data: bytes) -> int:
        """Return how many bytes were taken."""
        return self._connection.send(data)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Talk:
    """A bench's conversation with one client.

    Args:
        bench: that answers.
        port: of the client.
        wire: what happens to the bytes on their way; None for nothing.

    Attributes:
        alive: the client is still there.
    """

    def __init__(self, bench: SimulatedBench, port: Port, wire: LinkFaults | None = None) -> None:
        self.alive = True
        self._bench = bench
        self._port = port
        self._wire = wire
        self._decoder = Decoder()
        self._unsent = bytearray()

    @property
    def unsent(self) -> bool:
        """Whether replies wait because the client does not read."""
        return bool(self._unsent)

    def fileno(self) -> int:
        """Return what select waits on."""
        return self._port.fileno()

    def turn(self, readable: bool) -> None:
        """Take what has arrived and send what can be sent."""
        try:
            if readable:
                self._take()
            if self._wire is not None:
                self._answer(self._wire.to_board())
                self._unsent += self._wire.to_host()
            self._send()
        except OSError:
            self.alive = False

    def close(self) -> None:
        """Hang up."""
        self._port.close()

    def _take(self) -> None:
        with suppress(BlockingIOError):
            for _ in range(_MOST_READS):
                data = self._port.read()
                if not data:
                    self.alive = False
                    return
                self._arrived(data)

    def _arrived(self, data: bytes) -> None:
        if self._wire is None:
            self._answer(data)
        else:
            self._wire.send_to_board(data)

    def _answer(self, data: bytes) -> None:
        for packet in self._decoder.feed(data):
            for reply in self._bench.answers(packet):
                # A UART does not wait for who does not listen: what does not fit is lost.
                if len(self._unsent) < _MAX_UNSENT_BYTES:
                    self._reply(encode(reply))

    def _reply(self, data: bytes) -> None:
        if self._wire is None:
            self._unsent += data
        else:
            self._wire.send_to_host(data)

    def _send(self) -> None:
        with suppress(BlockingIOError):
            if self._unsent:
                del self._unsent[: self._port.write(bytes(self._unsent))]
