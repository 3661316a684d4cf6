"""When faults strike, and what a faulty wire does to the bytes on it."""

import io
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.errors import LinkLost
from resume_rig.model.fault_plan import (
    ON_THE_BENCH,
    ON_THE_CABLE,
    FaultKind,
    FaultPlan,
    ScheduledFault,
    WireShares,
)
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.dut.event import SimFault
from resume_rig.rig.sim.opening import open_sim
from resume_rig.rig.sim.schedule import (
    FaultDiary,
    FaultSchedule,
    FaultWatch,
    FaultyWire,
    LinkFaults,
    WireFault,
)
from resume_rig.timing.clocks import VirtualClock

S = 1_000_000_000
EVERY = frozenset(FaultKind)


def taken(plan: FaultPlan, seed: int, until_ns: int) -> list[tuple[int, FaultKind, bool]]:
    schedule = FaultSchedule(plan, seed, EVERY)
    found = []
    while (due := schedule.take(until_ns)) is not None:
        found.append((due.t_ns, due.fault.kind, due.begins))
    return found


def test_faults_come_in_order_with_their_ends() -> None:
    plan = FaultPlan(
        faults=(
            ScheduledFault(FaultKind.UNPLUG, (10 * S, 30 * S), for_ns=5 * S),
            ScheduledFault(FaultKind.BOARD_RESET, (12 * S,)),
        )
    )

    assert taken(plan, 1, 31 * S) == [
        (10 * S, FaultKind.UNPLUG, True),
        (12 * S, FaultKind.BOARD_RESET, True),
        (15 * S, FaultKind.UNPLUG, False),
        (30 * S, FaultKind.UNPLUG, True),
    ]


@given(every_s=st.integers(1, 100), seed=st.integers(0, 2**31))
def test_each_span_has_its_fault_at_an_instant_of_the_seed(every_s: int, seed: int) -> None:
    every_ns = every_s * S
    plan = FaultPlan(faults=(ScheduledFault(FaultKind.BOARD_RESET, every_ns=every_ns),))

    found = [t_ns for t_ns, _, _ in taken(plan, seed, 20 * every_ns)]

    assert [t_ns // every_ns for t_ns in found[:20]] == list(range(20))
    assert found == [t_ns for t_ns, _, _ in taken(plan, seed, 20 * every_ns)]


def test_the_seed_of_the_plan_goes_before_that_of_the_bench() -> None:
    faults = (ScheduledFault(FaultKind.BOARD_RESET, every_ns=S),)

    assert taken(FaultPlan(faults=faults), 1, 9 * S) != taken(FaultPlan(faults=faults), 2, 9 * S)
    own = FaultPlan(faults=faults, seed=1)
    assert taken(own, 2, 9 * S) == taken(FaultPlan(faults=faults), 1, 9 * S)


def test_who_asks_late_hears_of_what_has_passed() -> None:
    clock = VirtualClock()
    plan = FaultPlan(faults=(ScheduledFault(FaultKind.UNPLUG, (10 * S,), for_ns=5 * S),))
    watch = FaultWatch(FaultSchedule(plan, 1, ON_THE_CABLE), clock.now_ns)

    assert (watch.begun(FaultKind.UNPLUG), watch.left_ns(FaultKind.UNPLUG)) == (0, 0)
    clock.sleep_ns(12 * S)
    assert (watch.begun(FaultKind.UNPLUG), watch.left_ns(FaultKind.UNPLUG)) == (1, 3 * S)
    clock.sleep_ns(12 * S)
    assert (watch.begun(FaultKind.UNPLUG), watch.left_ns(FaultKind.UNPLUG)) == (1, 0)


def test_every_misbehaviour_of_the_dut_can_be_scheduled() -> None:
    assert {fault.value for fault in SimFault} <= {kind.value for kind in ON_THE_BENCH}


shares = st.sampled_from([0.0, 0.01, 0.1, 0.3])


@given(
    chunks=st.lists(st.binary(max_size=60), max_size=20),
    lost=shares,
    doubled=shares,
    flipped=shares,
    seed=st.integers(0, 2**31),
)
def test_a_wire_does_what_it_says_and_nothing_else(
    chunks: list[bytes], lost: float, doubled: float, flipped: float, seed: int
) -> None:
    struck: dict[int, WireFault] = {}
    wire = FaultyWire(
        WireShares(lost, doubled, flipped), str(seed), lambda _, what, at: struck.update({at: what})
    )
    came = b""
    for chunk in chunks:
        wire.put(chunk, 0)
        came += wire.take(0)

    sent, where = b"".join(chunks), 0
    for at, byte in enumerate(sent):
        match struck.get(at):
            case None:
                assert came[where] == byte
                where += 1
            case WireFault.DOUBLED:
                assert came[where : where + 2] == bytes((byte, byte))
                where += 2
            case WireFault.FLIPPED:
                assert (came[where] ^ byte).bit_count() == 1
                where += 1
            case what:
                assert what is WireFault.LOST
    assert where == len(came)


def test_shares_are_met() -> None:
    counts: Counter[WireFault] = Counter()
    wire = FaultyWire(WireShares(0.01, 0.02, 0.03), "x", lambda _, what, __: counts.update([what]))

    wire.put(bytes(100_000), 0)

    for what, share in (
        (WireFault.LOST, 1000),
        (WireFault.DOUBLED, 2000),
        (WireFault.FLIPPED, 3000),
    ):
        assert abs(counts[what] - share) < 200


def test_what_is_held_up_keeps_its_place() -> None:
    held = FaultyWire(WireShares(late=0.5, late_ns=400), "0", lambda *_: None)
    sent = [bytes([number]) for number in range(100)]
    came = []
    for now_ns, chunk in enumerate(sent):
        held.put(chunk, now_ns)
        came.append(held.take(now_ns))
        assert held.due_ns() is None or held.due_ns() > now_ns
    assert b"".join(came) != b"".join(sent)
    came.append(held.take(10_000))
    assert b"".join(came) == b"".join(sent)
    assert held.due_ns() is None


def test_a_diary_has_a_line_for_each_fault_and_deed() -> None:
    clock, out = VirtualClock(), io.StringIO()
    diary = FaultDiary(out, lambda t_ns: t_ns + 5)
    plan = FaultPlan(WireShares(lost=0.5), (ScheduledFault(FaultKind.UNPLUG, (2 * S,), for_ns=S),))
    cable = LinkFaults(plan, 1, clock.now_ns, diary)

    cable.send_to_board(b"abc" * 10)
    clock.sleep_ns(3 * S)
    assert cable.times_cut() == 1

    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    *wire, unplugged = lines
    assert {"wire": "lost", "towards": "board", "t_ns": 0, "utc_ns": 5}.items() <= wire[0].items()
    assert [line["byte"] for line in wire] == sorted({line["byte"] for line in wire})
    assert unplugged == {"t_ns": 2 * S, "utc_ns": 2 * S + 5, "fault": "unplug", "for_ns": S}


def test_a_port_that_was_open_when_its_cable_went_stays_gone() -> None:
    clock = VirtualClock()
    plan = FaultPlan(faults=(ScheduledFault(FaultKind.UNPLUG, (2 * S,), for_ns=S),))
    sim = open_sim("sim:", clock, load_dut_profile("healthy-laptop"), 1, plan=plan)
    port = sim.open_link()

    clock.sleep_ns(2 * S)
    with pytest.raises(LinkLost, match="no such port, as its cable is out"):
        sim.open_link()
    clock.sleep_ns(2 * S)
    with pytest.raises(LinkLost, match="the port is gone"):
        port.send(b"x")
    sim.open_link().send(b"x")
