"""From what a `sim:` URL says to a simulated bench, and how to get at it."""

from collections.abc import Callable
from dataclasses import dataclass

from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.fault_plan import ON_THE_BENCH, FaultPlan
from resume_rig.rig.dut_log import DutLog
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.board import LIGHT_RATE_HZ
from resume_rig.rig.sim.fault_schedule import FaultSchedule
from resume_rig.rig.sim.faulty_transport import FaultyTransport
from resume_rig.rig.sim.host_faults import HostFaults
from resume_rig.rig.sim.link_faults import LinkFaults
from resume_rig.rig.sim.server import BUFFER_BYTES, IN_PROCESS_BYTES
from resume_rig.rig.smp.inprocess_transport import VIRTUAL_LATENCY_NS, InProcessTransport
from resume_rig.rig.smp.transport import Transport
from resume_rig.timing.clocks import SystemClock


@dataclass(frozen=True, slots=True)
class OpenedSim:
    """A simulated bench in this process.

    Attributes:
        open_link: opens a port to it; raises LinkLost while its cable is out.
        reached: the DUT's log, as this host reaches it.
        disk_is_full: whether the disk of the store is to count as full.
        jumps: the clock is virtual: time may jump to the bench's next news.
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
