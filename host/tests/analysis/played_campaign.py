"""Campaigns played straight through the simulated DUT's model: no board, no wire, no runner.

Edges come from the model's lines, stamped as a board with a crystal would; OS records from the
event log that it writes, read by the real readers. Thousands of cycles take seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from numpy.random import Generator, SeedSequence, default_rng

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.reconcile.norms import platform_of
from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.answer.assessment import reset_to_tsc_of
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import Edge
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation
from resume_rig.oslog.reading import read_logs
from resume_rig.rig.sim.dut.event import PanelChange, WireChange
from resume_rig.rig.sim.dut.machine import SimulatedDut
from resume_rig.rig.sim.dut.os_log import OsClock, OsLog
from resume_rig.rig.sim.dut.states import PowerState
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
S = 1_000 * MS
UTC_NS = 1_777_000_000 * S
STEP_NS = 100 * MS
PRESS_NS = 150 * MS
SETTLE_NS = 2 * S
LIGHT_NS = 10 * S
PATIENCE_NS = 60 * S
OFF_PRESS_NS = 5 * S
LATENCY_NS = (1_000, 4_000)
TOLERANCE_PPB = 30_000
BOUNDS = IntervalBounds(rate_ppb=TOLERANCE_PPB, default_edge_ns=LATENCY_NS[1])
HOST_BOUND_NS = 300_000
LIMIT = load_requirement("sysfund-0004")


@dataclass
class Bench:
    """One DUT with a person at its button, and a board that only stamps."""

    profile: DutProfile
    seed: int
    now_ns: int = S
    edges: list[Edge] = field(default_factory=list)

    def __post_init__(self) -> None:
        dut, log, time, board = (default_rng(s) for s in SeedSequence(self.seed).spawn(4))
        self.dut = SimulatedDut(self.profile, dut)
        self.log: OsLog = OsLog(self.profile, OsClock(UTC_NS, time), log, frozenset())
        self.random: Generator = board
        self.rate_ppb = round(board.uniform(-1, 1) * TOLERANCE_PPB)
        self.count = 0
        self.run_to(self.now_ns)

    def stamp(self, world_ns: int) -> int:
        late_ns = round(self.random.uniform(*LATENCY_NS))
        return world_ns + late_ns + world_ns * self.rate_ppb // S

    def run_to(self, until_ns: int) -> None:
        self.now_ns = max(self.now_ns, until_ns)
        for event in self.dut.advance(self.now_ns):
            match event:
                case WireChange(t_ns, channel, level):
                    if channel in self.profile.channels:
                        self.count += 1
                        self.edges.append(Edge(self.count, self.stamp(t_ns), channel, level))
                case PanelChange():
                    pass
                case _:
                    self.log.take(event)

    def wait_for(self, *states: PowerState) -> bool:
        until_ns = self.now_ns + PATIENCE_NS
        while self.dut.state not in states and self.now_ns < until_ns:
            self.run_to(self.now_ns + STEP_NS)
        return self.dut.state in states

    def hold(self, actuator: Actuator, duration_ns: int) -> None:
        self.dut.move(self.now_ns, actuator, True)
        self.dut.move(self.now_ns + duration_ns, actuator, False)
        self.run_to(self.now_ns + duration_ns + 5 * MS)

    def shut(self, closed: bool) -> None:
        self.dut.move(self.now_ns, Actuator.LID, closed)

    def cycle(self, dwell_ns: int, by: Actuator) -> tuple[list[Edge], dict[Channel, int]]:
        """Sleep, dwell, wake and settle; bring a DUT that hangs back."""
        levels = {channel: self.dut.levels[channel] for channel in self.profile.channels}
        self.edges = []
        if by is Actuator.LID:
            self.shut(True)
        else:
            self.hold(by, PRESS_NS)
        self.wait_for(PowerState.ASLEEP)
        self.run_to(self.now_ns + dwell_ns)
        if self.dut.state is PowerState.ASLEEP:
            if by is Actuator.LID:
                self.shut(False)
            else:
                self.hold(by, PRESS_NS)
        came_back = self.wait_for(PowerState.UP)
        self.run_to(self.now_ns + SETTLE_NS)
        lit_by_ns = self.now_ns + LIGHT_NS
        while not self.dut.levels[Channel.BACKLIGHT] and self.now_ns < lit_by_ns:
            self.run_to(self.now_ns + STEP_NS)
        if by is Actuator.LID:
            self.shut(False)
        told = self.edges
        if not came_back:
            self.hold(Actuator.BUTTON, OFF_PRESS_NS)
            self.hold(Actuator.BUTTON, PRESS_NS)
            self.wait_for(PowerState.UP)
        self.run_to(self.now_ns + S)
        return told, levels


def play(
    profile: DutProfile,
    cycles: int,
    seed: int,
    folder: Path,
    *,
    by: Actuator = Actuator.BUTTON,
    dwell_s: tuple[float, float] = (5, 20),
    spoil: Callable[[Bench, int], None] | None = None,
    rewrite: Callable[[str], str] | None = None,
) -> Correlation:
    """Return the whole answer of a campaign on a simulated DUT.

    Args:
        profile: of the DUT.
        cycles: how many.
        seed: of all chance.
        folder: where the log lies meanwhile.
        by: what sends it to sleep and wakes it.
        dwell_s: how long it sleeps, from and to.
        spoil: asked before a cycle.
        rewrite: gives the log that is read, from the one that the DUT wrote.
    """
    bench = Bench(profile, seed)
    timed: list[TimedCycle] = []
    for number in range(1, cycles + 1):
        if spoil is not None:
            spoil(bench, number)
        dwell_ns = round(bench.random.uniform(*dwell_s) * S)
        edges, levels = bench.cycle(dwell_ns, by)
        outside = build_cycle(number, edges, levels, by, BOUNDS)
        board_ns = outside.trigger_ns if outside.awake_from_ns is None else outside.awake_from_ns
        host = None
        if board_ns is not None:
            world_ns = board_ns * S // (S + bench.rate_ppb)
            host = BoundedNs(UTC_NS + world_ns, HOST_BOUND_NS)
        timed.append(TimedCycle(outside, host))
    log = folder / f"{profile.name}-{seed}.xml"
    written = bench.log.document()
    log.write_text(written if rewrite is None else rewrite(written), "utf-8")
    try:
        reading = read_logs([log])
    finally:
        log.unlink()
    return correlate(timed, reading, LIMIT, reset_to_tsc_of(profile), platform_of(profile))
