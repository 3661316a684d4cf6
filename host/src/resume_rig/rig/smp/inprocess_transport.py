"""Carries packets to a board in the same process: the simulated bench without a port."""

from collections import deque
from collections.abc import Callable

from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost
from resume_rig.rig.smp.transport import Arrival

VIRTUAL_LATENCY_NS = 100_000
"""Each way; of the order of what a PTY takes (benchmarks/roundtrip.py)."""


class InProcessTransport:
    """Hands each packet to a function and queues what it returns.

    Args:
        handle: the board; returns the reply to a packet, None where it stays silent.
        clock: waited on for the way there, the way back, and a reply that does not come.
        name: what sentences call the board.
        latency_ns: each way; 0 on a real clock, where the call itself takes time.
    """

    def __init__(
        self,
        handle: Callable[[bytes], bytes | None],
        clock: Clock,
        name: str = "sim:",
        latency_ns: int = VIRTUAL_LATENCY_NS,
    ) -> None:
        self._handle = handle
        self._clock = clock
        self._name = name
        self._latency_ns = latency_ns
        self._arrivals: deque[Arrival] = deque()
        self._received_bytes = 0
        self._closed = False

    @property
    def name(self) -> str:
        """Return the URL that a sentence for the user names."""
        return self._name

    @property
    def received_bytes(self) -> int:
        """Return how many bytes came back so far."""
        return self._received_bytes

    def send(self, packet: bytes) -> int:
        """Let the board handle the packet; return the host clock [ns] before that."""
        if self._closed:
            raise LinkLost(f"could not send to {self._name}: it is closed")
        t_ns = self._clock.now_ns()
        self._clock.sleep_ns(self._latency_ns)
        reply = self._handle(packet)
        if reply is not None:
            self._clock.sleep_ns(self._latency_ns)
            self._received_bytes += len(reply)
            self._arrivals.append(Arrival(reply, self._clock.now_ns()))
        return t_ns

    def receive(self, timeout_ns: int) -> Arrival | None:
        """Return the next reply; None after `timeout_ns` without one."""
        if self._arrivals:
            return self._arrivals.popleft()
        self._clock.sleep_ns(timeout_ns)
        return None

    def close(self) -> None:
        """Refuse to send from now on."""
        self._closed = True
