"""From the options of a `sim:` URL to a simulated bench, and a sound or faulty way to it.

On the faulty way every packet becomes the bytes that a serial line would carry, so that each of
them can be damaged.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import LinkLost
from resume_rig.model.fault_plan import ON_THE_BENCH, FaultPlan
from resume_rig.rig.interface import DutLog
from resume_rig.rig.sim.bench import BUFFER_BYTES, IN_PROCESS_BYTES, SimulatedBench
from resume_rig.rig.sim.board import LIGHT_RATE_HZ
from resume_rig.rig.sim.schedule import FaultSchedule, HostFaults, LinkFaults
from resume_rig.rig.smp.client import Arrival, Transport
from resume_rig.rig.smp.framing import Decoder, encode
from resume_rig.timing.clocks import SystemClock

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
        """Return how many bytes have come back."""
        return self._received_bytes

    def send(self, packet: bytes) -> int:
        """Let the board handle the packet; return the host clock [ns] before that."""
        self._check_open()
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

    def _check_open(self) -> None:
        if self._closed:
            raise LinkLost(f"could not send to {self._name}: it is closed")


class FaultyTransport(InProcessTransport):
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
        super().__init__(bench.handle, clock, name, latency_ns)
        self._bench = bench
        self._cable = cable
        self._host = host
        self._times_cut = cable.times_cut()
        self._at_board, self._at_host = Decoder(), Decoder()

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
        super().close()
        self._cable.drop()

    def _check_open(self) -> None:
        super()._check_open()
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


@dataclass(frozen=True, slots=True)
class OpenedSim:
    """A simulated bench in this process.

    Attributes:
        open_link: opens a port to it; raises LinkLost while its cable is out.
        reached: the DUT's log, as this host reaches it.
        disk_is_full: whether the disk of the store is to count as full.
        jumps: the clock is virtual: time may jump to the bench's next change.
    """

    bench: SimulatedBench
    open_link: Callable[[], Transport]
    reached: Callable[[DutLog], DutLog]
    disk_is_full: Callable[[], bool]
    jumps: bool


def open_sim(
    url: str,
    clock: Clock,
    profile: DutProfile,
    seed: int,
    *,
    sessions_before: int = 0,
    loopback: bool = False,
    photodiode: bool = True,
    power: bool = False,
    plan: FaultPlan | None = None,
) -> OpenedSim:
    """Make a simulated bench.

    Args:
        url: for sentences.
        clock: the host's.
        profile: of the DUT.
        seed: of the bench.
        sessions_before: of the same campaign; each lives through other draws.
        loopback: a plug is in the DUT's place.
        photodiode: the rig has one.
        power: the rig has a power monitor.
        plan: of the faults to inject; None for none.
    """
    # Real time passes by itself while the bench works.
    latency_ns = 0 if isinstance(clock, SystemClock) else VIRTUAL_LATENCY_NS
    drawn = seed + sessions_before
    schedule = None if plan is None else FaultSchedule(plan, drawn, ON_THE_BENCH)
    bench = SimulatedBench(
        profile,
        clock,
        seed,
        sessions_before=sessions_before,
        loopback=loopback,
        light_rate_hz=LIGHT_RATE_HZ if photodiode else 0,
        schedule=schedule,
        power=power,
        # On a cable that errs only short packets come through.
        buffer_bytes=IN_PROCESS_BYTES if plan is None else BUFFER_BYTES,
    )
    if plan is None:
        return OpenedSim(
            bench,
            lambda: InProcessTransport(bench.handle, clock, url, latency_ns),
            lambda log: log,
            lambda: False,
            latency_ns > 0,
        )
    cable, host = LinkFaults(plan, drawn, bench.now_ns), HostFaults(plan, drawn, bench.now_ns)
    return OpenedSim(
        bench,
        lambda: FaultyTransport(bench, cable, host, clock, url, latency_ns=latency_ns),
        host.reached,
        host.disk_is_full,
        latency_ns > 0,
    )
