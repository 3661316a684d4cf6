"""Carries packets to a board in the same process over a cable that is not what it should be.

Every packet becomes the bytes that a serial line would carry, so that each of them can be struck.
"""

from collections import deque

from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.host_faults import HostFaults
from resume_rig.rig.sim.link_faults import LinkFaults
from resume_rig.rig.smp.framing import Decoder, encode
from resume_rig.rig.smp.transport import Arrival


class FaultyTransport:
    """A port that is open until its cable goes out.

    Args:
        bench: that answers.
        cable: between host and board.
        host: whose process may stand still.
        clock: waited on for the way there, the way back, and a reply that does not come.
        name: the URL that sentences name.
        latency_ns: each way; 0 on a real clock, where the call itself takes time.

    Raises:
        LinkLost: the cable is out.
    """

    def __init__(
        self,
        bench: SimulatedBench,
        cable: LinkFaults,
        host: HostFaults,
        clock: Clock,
        name: str,
        *,
        latency_ns: int,
    ) -> None:
        if cable.unplugged():
            raise LinkLost(f"could not open {name}: no such port, as its cable is out")
        self._bench = bench
        self._cable = cable
        self._host = host
        self._clock = clock
        self._name = name
        self._latency_ns = latency_ns
        self._times_cut = cable.times_cut()
        self._at_board, self._at_host = Decoder(), Decoder()
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
        """Let the packet into the cable; return the host clock [ns] before that."""
        self._clock.sleep_ns(self._host.pause_left_ns())
        self._check_open()
        t_ns = self._clock.now_ns()
        self._cable.send_to_board(encode(packet))
        self._clock.sleep_ns(self._latency_ns)
        self._carry()
        return t_ns

    def receive(self, timeout_ns: int) -> Arrival | None:
        """Return the next reply; None after `timeout_ns` without one."""
        until_ns = self._clock.now_ns() + timeout_ns
        while not self._arrivals:
            self._check_open()
            left_ns = until_ns - self._clock.now_ns()
            if left_ns <= 0:
                return None
            due_ns = self._cable.due_ns()
            if due_ns is not None:
                left_ns = min(left_ns, max(1, due_ns - self._bench.now_ns()))
            self._clock.sleep_ns(left_ns)
            self._carry()
        return self._arrivals.popleft()

    def close(self) -> None:
        """Refuse to send from now on, and forget what is on the way."""
        self._closed = True
        self._cable.drop()

    def _check_open(self) -> None:
        if self._closed:
            raise LinkLost(f"could not send to {self._name}: it is closed")
        if self._cable.times_cut() != self._times_cut:
            raise LinkLost(f"lost {self._name}: the port is gone (its cable is out)")

    def _carry(self) -> None:
        """Hand the board what has come out at its end, and take what has come out at this one."""
        answered = False
        for packet in self._at_board.feed(self._cable.to_board()):
            for reply in self._bench.answers(packet):
                self._cable.send_to_host(encode(reply))
                answered = True
        if answered:
            self._clock.sleep_ns(self._latency_ns)
        data = self._cable.to_host()
        self._received_bytes += len(data)
        for packet in self._at_host.feed(data):
            self._arrivals.append(Arrival(packet, self._clock.now_ns()))
