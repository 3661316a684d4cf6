"""A host whose clock moves in steps: bounds are wide, and hold; nothing stands still."""

import pytest

from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.clocks import VirtualClock
from resume_rig.timing.hull import board_limits
from resume_rig.timing.relation import ClockRelation

MS = 1_000_000


class CoarseClock:
    """What a host reads of time that goes on: the last step before it."""

    def __init__(self, time: VirtualClock, step_ns: int) -> None:
        self._time = time
        self._step_ns = step_ns
        self.tick_ns = step_ns - 1

    def now_ns(self) -> int:
        return self._time.now_ns() // self._step_ns * self._step_ns

    def utc_ns(self) -> int:
        return self._time.utc_ns()

    def sleep_ns(self, duration_ns: int) -> None:
        self._time.sleep_ns(duration_ns)


@pytest.mark.parametrize("step_ns", [1, 100, 15_625_000], ids=["1 ns", "100 ns", "15.6 ms"])
def test_the_truth_lies_within_what_a_coarse_clock_states(step_ns: int) -> None:
    time = VirtualClock()
    host = CoarseClock(time, step_ns)
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), time, 1)
    handled_ns: list[int] = []

    def handle(packet: bytes) -> bytes | None:
        handled_ns.append(time.now_ns())
        return bench.handle(packet)

    rig = SmpRig(SmpClient(InProcessTransport(handle, host), host))
    info = rig.info()
    relation = ClockRelation(board_limits(info.clock_tolerance_ppb, info.clock_hz))
    truth = []
    for number in range(600):
        time.sleep_ns(33_333_333 * (number % 2))  # two follow each other within a step
        exchange = rig.exchange_clocks()
        relation.add(exchange)
        truth.append((exchange.board_rx_ns, handled_ns[-1]))

    assert relation.breaks == []
    for board_ns, true_ns in truth:
        found = relation.to_host_ns(board_ns)
        assert found is not None
        assert abs(found.value_ns - true_ns) <= found.bound_ns < step_ns + MS
