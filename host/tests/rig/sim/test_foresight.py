"""Waiting for news: a simulated bench on a virtual clock jumps there; nothing else changes."""

import pytest

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.model.errors import DeviceFault, UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.interface import Rig
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.link.open import open_rig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.clocks import VirtualClock

MS = 1_000_000
S = 1_000 * MS
PRESS_NS = 150 * MS


def rig_on(clock: VirtualClock, *, jumps: bool, seed: int = 5) -> Rig:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), clock, seed)
    client = SmpClient(InProcessTransport(bench.handle, clock), clock)
    rig = SmpRig(client, foresight=bench if jumps else None)
    rig.info()
    return rig


def cycle(rig: Rig, clock: VirtualClock) -> tuple[list[Edge], int]:
    """Sleep and wake at fixed times of the clock; return the edges and how often was asked."""
    edges: list[Edge] = []
    asked = 0
    for end_ns in (10 * S, 20 * S):
        rig.press(Actuator.BUTTON, PRESS_NS)
        while clock.now_ns() < end_ns:
            rig.await_change(end_ns, 20 * MS, tuple(Channel))
            batch = rig.edges(len(edges))
            asked += 1
            edges += batch.edges
        clock.sleep_ns(end_ns + 2 * MS - clock.now_ns())
    return edges, asked


@pytest.mark.parametrize("seed", range(5))
def test_who_jumps_sees_the_same_edges_as_who_polls(seed: int) -> None:
    found = []
    for jumps in (False, True):
        clock = VirtualClock()
        found.append(cycle(rig_on(clock, jumps=jumps, seed=seed), clock))
    (polled, often), (jumped, seldom) = found

    assert jumped == polled
    assert {edge.channel for edge in polled} >= {Channel.SLP_S3, Channel.BACKLIGHT}
    assert seldom <= len(polled) + 2 < often


def test_the_wait_ends_with_the_first_edge_of_the_channels_named() -> None:
    clock = VirtualClock()
    rig = rig_on(clock, jumps=True)
    rig.press(Actuator.BUTTON, PRESS_NS)

    rig.await_change(10 * S, 20 * MS, (Channel.SLP_S3,))

    board_ns = rig.exchange_clocks().board_rx_ns
    (slept,) = (edge for edge in rig.edges(0).edges if edge.channel is Channel.SLP_S3)
    assert 0 < board_ns - slept.t_ns < 1 * MS


def test_without_news_the_wait_ends_when_it_has_to() -> None:
    clock = VirtualClock()
    rig = rig_on(clock, jumps=True)

    rig.await_change(7 * S, 20 * MS, tuple(Channel), log=True)

    assert clock.now_ns() == 7 * S
    rig.await_change(6 * S, 20 * MS, tuple(Channel))
    assert clock.now_ns() == 7 * S  # over already


def test_a_log_that_grows_is_news_where_it_is_asked_for() -> None:
    clock = VirtualClock()
    rig = rig_on(clock, jumps=True)
    before = len(rig.download("/dut/System.xml", 0))
    rig.press(Actuator.BUTTON, PRESS_NS)

    rig.await_change(20 * S, 20 * MS, log=True)

    assert clock.now_ns() < 10 * S
    assert len(rig.download("/dut/System.xml", 0)) > before


def test_a_board_that_nobody_can_foresee_is_asked_at_its_pace() -> None:
    clock = VirtualClock()
    rig = rig_on(clock, jumps=False)
    now_ns = clock.now_ns()

    rig.await_change(now_ns + 10 * S, 20 * MS, (Channel.SLP_S3,))
    assert clock.now_ns() == now_ns + 20 * MS

    rig.await_change(now_ns + 25 * MS, 20 * MS, (Channel.SLP_S3,))
    assert clock.now_ns() == now_ns + 25 * MS


def test_news_that_nobody_has_read_yet_is_not_waited_for() -> None:
    clock = VirtualClock()
    rig = rig_on(clock, jumps=True)
    rig.press(Actuator.BUTTON, PRESS_NS)
    clock.sleep_ns(5 * S)
    rig.exchange_clocks()  # the bench has come so far
    now_ns = clock.now_ns()

    rig.await_change(10 * S, 20 * MS, (Channel.SLP_S3,))
    assert clock.now_ns() == now_ns

    rig.edges(0)
    rig.await_change(10 * S, 20 * MS, (Channel.SLP_S3,))
    assert clock.now_ns() == 10 * S


def test_the_wait_tells_whether_there_may_be_news() -> None:
    clock = VirtualClock()
    jumps, polls = rig_on(clock, jumps=True), rig_on(VirtualClock(), jumps=False)
    polls.press(Actuator.BUTTON, PRESS_NS)
    jumps.press(Actuator.BUTTON, PRESS_NS)

    assert jumps.await_change(clock.now_ns() + 10 * S, 20 * MS, (Channel.SLP_S3,))
    slept_ns = clock.now_ns()
    jumps.edges(0)
    assert not jumps.await_change(slept_ns + 3 * S, 20 * MS, (Channel.SLP_S3,))
    assert clock.now_ns() == slept_ns + 3 * S
    # Nobody knows of a board that cannot be foreseen, nor of one whose time is over.
    assert polls.await_change(20 * MS, 20 * MS, ())
    assert jumps.await_change(slept_ns, 20 * MS, (Channel.SLP_S3,))


def test_a_timer_or_a_command_makes_something_due_that_was_not() -> None:
    clock = VirtualClock()
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), clock, 5)
    rig = SmpRig(SmpClient(InProcessTransport(bench.handle, clock), clock), foresight=bench)
    rig.info()
    assert not rig.await_change(60 * S, 20 * MS, (Channel.SLP_S3,))

    assert bench.command_sleep(SleepKind.S3)
    assert rig.await_change(120 * S, 20 * MS, (Channel.SLP_S3,))
    assert [e.level for e in rig.edges(0).edges if e.channel is Channel.SLP_S3] == [0]


def test_a_board_without_a_photodiode_has_no_light() -> None:
    opened = open_rig("sim:clock=virtual,seed=1,light=none")

    info = opened.rig.info()

    assert (info.light_ring, info.light_rate_hz, info.onset_ring) == (0, None, 0)
    with pytest.raises(DeviceFault, match="no photodiode"):
        opened.rig.arm_light(1 * S)
    with pytest.raises(UsageError, match="no light 'off'; allowed is none"):
        open_rig("sim:light=off")
