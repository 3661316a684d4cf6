"""A rig without a wire, a DUT of a few lines, and benches that are simulated for real."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from resume_rig.campaign.dut.log_source import OsLogSource, ServedLog
from resume_rig.campaign.dut.user_program import NO_HELP, OutsideHelp
from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.run.campaign import CampaignEnd, CampaignParts, begin, go_on
from resume_rig.campaign.run.events import CampaignEvent
from resume_rig.campaign.run.runner import Reopen
from resume_rig.campaign.store.disk import FreeBytes, free_bytes
from resume_rig.campaign.store.identity import Identity, identify
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import ClockExchange, Edge
from resume_rig.model.light import LightOnset
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import Requirement
from resume_rig.rig.dut_profile import DutNetwork, load_dut_profile
from resume_rig.rig.interface import (
    ActionStart,
    ActuatorInfo,
    ChannelInfo,
    DutControl,
    EdgeBatch,
    Faults,
    LightBatch,
    Rig,
    RigInfo,
    SelfTestCheck,
    served_log,
)
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.board import LIGHT_RATE_HZ
from resume_rig.rig.sim.dut.control import SimulatedControl
from resume_rig.rig.sim.dut.event import SimFault
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.clocks import VirtualClock

MS = 1_000_000
WIRED = (
    Channel.PWR_OK,
    Channel.SLP_S3,
    Channel.PLTRST,
    Channel.BACKLIGHT,
    Channel.BUTTON,
    Channel.LID,
)
DOWN = (
    (Channel.BACKLIGHT, 60),
    (Channel.SLP_S3, 200),
    (Channel.PLTRST, 201),
    (Channel.PWR_OK, 205),
)
UP = ((Channel.SLP_S3, 60), (Channel.PWR_OK, 80), (Channel.PLTRST, 100), (Channel.BACKLIGHT, 200))
BOARD_AHEAD_NS = 77_000 * MS

Hook = Callable[[str, str], None]


def nothing(when: str, name: str) -> None:
    """Let every request be."""


class FakeRig:
    """A board and a DUT that sleeps and wakes like clockwork; requests take no time.

    Attributes:
        hook: called with "before" or "after" and the request's name; may raise.
        driven: what is driven now.
        deaf: the DUT does not react to anything.
        lease_expiries: as the board counts them.
        nameless: channels that this host does not know; their edges have numbers all the same.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.hook: Hook = nothing
        self.driven: set[Actuator] = set()
        self.deaf = False
        self.all_edges: list[tuple[int, Channel, int]] = []
        self.lose_below = 0
        self.lease_expiries = 0
        self.nameless: set[Channel] = set()
        self.asleep = False
        self.quiet_until_ns = 0
        self.last_contact_ns = clock.now_ns()
        self.longest_silence_ns = 0

    def now(self) -> int:
        return self.clock.now_ns() + BOARD_AHEAD_NS

    def _request(self, name: str) -> None:
        self.hook("before", name)
        silence_ns = self.clock.now_ns() - self.last_contact_ns
        self.longest_silence_ns = max(self.longest_silence_ns, silence_ns)
        self.last_contact_ns = self.clock.now_ns()

    def _edge(self, t_ns: int, channel: Channel, level: int) -> None:
        self.all_edges.append((t_ns, channel, level))
        self.all_edges.sort(key=lambda edge: edge[0])

    def _react(self, t_ns: int) -> None:
        if self.deaf or t_ns < self.quiet_until_ns:
            return
        self.asleep = not self.asleep
        for channel, after_ms in DOWN if self.asleep else UP:
            self._edge(t_ns + after_ms * MS, channel, 0 if self.asleep else 1)
        self.quiet_until_ns = t_ns + 1_000 * MS

    def info(self) -> RigInfo:
        self._request("info")
        return RigInfo(
            protocol=1,
            firmware="fake-1",
            board="fake",
            boot_id=5,
            clock_source="fake-xtal",
            clock_hz=1_000_000,
            clock_tolerance_ppb=30_000,
            calibration_ppb=None,
            lease_ns=3_000 * MS,
            channels=tuple(ChannelInfo(channel, 1_000, 0, 1_000) for channel in WIRED),
            actuators=(
                ActuatorInfo(Actuator.BUTTON, 1_000 * MS),
                ActuatorInfo(Actuator.LID, 1_000 * MS),
            ),
            edge_ring=1024,
            light_ring=0,
            dut_log=None,
        )

    def exchange_clocks(self) -> ClockExchange:
        self._request("time")
        host_ns, board_ns = self.clock.now_ns(), self.now()
        self.hook("after", "time")
        return ClockExchange(host_ns, board_ns, board_ns, host_ns)

    def edges(self, cursor: int, count: int = 128) -> EdgeBatch:
        self._request("edges")
        past = [edge for edge in self.all_edges if edge[0] <= self.now()]
        first = max(cursor, self.lose_below)
        rows = [Edge(first + i, *edge) for i, edge in enumerate(past[first : first + count])]
        following = first + len(rows)
        rows = [edge for edge in rows if edge.channel not in self.nameless]
        self.hook("after", "edges")
        return EdgeBatch(tuple(rows), first, following, first - cursor, 0, following < len(past))

    def await_change(
        self,
        until_host_ns: int,
        pause_ns: int,
        channels: Collection[Channel] = (),
        *,
        log: bool = False,
    ) -> bool:
        self.clock.sleep_ns(min(pause_ns, until_host_ns - self.clock.now_ns()))
        return True

    def levels(self) -> dict[Channel, int]:
        self._request("levels")
        levels = dict.fromkeys(WIRED, 1)
        levels |= {channel: level for t, channel, level in self.all_edges if t <= self.now()}
        self.hook("after", "levels")
        return levels

    def press(
        self,
        actuator: Actuator,
        duration_ns: int,
        at_ns: int | None = None,
        force_off: bool = False,
    ) -> ActionStart:
        self._request("press")
        t_ns = self.now()
        self.driven.add(actuator)
        self._edge(t_ns, Channel.BUTTON, 0)
        self._edge(t_ns + duration_ns, Channel.BUTTON, 1)
        self._react(t_ns)
        self.hook("after", "press")
        return ActionStart(t_ns, t_ns + duration_ns)

    def lid(self, closed: bool, at_ns: int | None = None) -> ActionStart:
        self._request("lid")
        t_ns = self.now()
        (self.driven.add if closed else self.driven.discard)(Actuator.LID)
        self._edge(t_ns, Channel.LID, 0 if closed else 1)
        if closed != self.asleep:
            self._react(t_ns)
        self.hook("after", "lid")
        return ActionStart(t_ns, None)

    def release(self) -> None:
        self._request("release")
        self.driven.clear()
        self.hook("after", "release")

    def arm_light(
        self, duration_ns: int, baseline_ns: int | None = None, settle_ns: int | None = None
    ) -> None:
        raise AssertionError("this rig has no photodiode")

    def onset(self) -> LightOnset:
        raise AssertionError("this rig has no photodiode")

    def light(self, cursor: int, count: int = 64) -> LightBatch:
        raise AssertionError("this rig has no photodiode")

    def selftest(self) -> tuple[SelfTestCheck, ...]:
        return ()

    def faults(self) -> Faults:
        self._request("faults")
        self.hook("after", "faults")
        return Faults("power-on", 0, 0, 0, 0, self.lease_expiries, self.now())

    def download(self, name: str, offset: int) -> bytes:
        raise AssertionError("this rig has no log")

    def close(self) -> None:
        self.driven.clear()


class HookedClock:
    """A virtual clock; `hook` is called around each wait and may raise."""

    def __init__(self) -> None:
        self.inner = VirtualClock()
        self.hook: Hook = nothing

    tick_ns = 0

    def now_ns(self) -> int:
        return self.inner.now_ns()

    def utc_ns(self) -> int:
        return self.inner.utc_ns()

    def sleep_ns(self, duration_ns: int) -> None:
        self.hook("before", "sleep")
        self.inner.sleep_ns(duration_ns)
        self.hook("after", "sleep")


@dataclass
class CampaignBench:
    """A rig, its clock and a store's path: everything that a campaign needs."""

    path: Path
    rig: Rig
    clock: Clock
    identity: Identity
    log: OsLogSource | None = None
    events: list[CampaignEvent] = field(default_factory=list)
    simulated: SimulatedBench | None = None
    helps: OutsideHelp = NO_HELP
    reopen: Reopen | None = None
    control: DutControl | None = None
    free: FreeBytes = free_bytes
    network: DutNetwork | None = None

    @property
    def parts(self) -> CampaignParts:
        return CampaignParts(
            *(self.rig, self.clock, self.log, self.control, self.helps, self.reopen, self.free),
            network=self.network,
        )

    def begin(self, plan: Plan) -> CampaignEnd:
        return begin(self.path, plan, self.identity, self.parts, self.events.append)

    def go_on(self) -> CampaignEnd:
        return go_on(self.path, self.identity, self.parts, self.events.append)


@pytest.fixture
def requirement() -> Requirement:
    return Requirement("test-req", 1, "Title", "Source", (SleepKind.S3,), 2000, 250)


@pytest.fixture
def make_fake(tmp_path: Path, requirement: Requirement) -> Callable[[str], CampaignBench]:
    """Make a bench with FakeRig and HookedClock; its store gets the name."""

    def make(name: str) -> CampaignBench:
        clock = HookedClock()
        rig = FakeRig(clock)
        identity = identify(
            rig_url="serial:/dev/ttyFAKE0",
            rig=rig.info(),
            dut=None,
            requirement=requirement,
            created_utc_ns=1,
        )
        return CampaignBench(tmp_path / name, rig, clock, identity)

    return make


@pytest.fixture
def fake(make_fake: Callable[[str], CampaignBench]) -> CampaignBench:
    return make_fake("fake.rrs")


@pytest.fixture
def simulated(tmp_path: Path, requirement: Requirement) -> Callable[..., CampaignBench]:
    """Make a simulated bench on a virtual clock: (seed, faults, profile, start) -> bench.

    `foreseen` is a board without a photodiode that is asked only where it has news.
    """

    def make(
        seed: int = 7,
        *,
        faults: frozenset[SimFault] = frozenset(),
        profile: str = "healthy-laptop",
        name: str = "sim.rrs",
        start_utc_ns: int | None = None,
        change: Callable[[DutProfile], DutProfile] = lambda dut: dut,
        foreseen: bool = False,
        power: bool = False,
    ) -> CampaignBench:
        clock = VirtualClock() if start_utc_ns is None else VirtualClock(start_utc_ns)
        dut = change(load_dut_profile(profile))
        light_rate_hz = 0 if foreseen else LIGHT_RATE_HZ
        bench = SimulatedBench(
            dut, clock, seed, faults=faults, light_rate_hz=light_rate_hz, power=power
        )
        client = SmpClient(InProcessTransport(bench.handle, clock), clock)
        rig = SmpRig(client, foresight=bench if foreseen else None)
        info = rig.info()
        identity = identify(
            rig_url="sim:", rig=info, dut=dut, requirement=requirement, created_utc_ns=2
        )
        dut_log = served_log(rig, info)
        assert dut_log is not None
        log = ServedLog(dut_log)
        return CampaignBench(
            tmp_path / name,
            rig,
            clock,
            identity,
            log,
            simulated=bench,
            control=SimulatedControl(bench),
            network=bench,
        )

    return make


@pytest.fixture
def short_plan() -> Plan:
    """Two cycles, time-outs of seconds."""
    return override(
        default_plan(),
        cycles=2,
        wake_timeout_ns=8_000 * MS,
        sleep_timeout_ns=6_000 * MS,
    )
