"""The simulated bench with a plug in the DUT's place, and a board that resets at a bad moment."""

import pytest
from numpy.random import default_rng
from raw_request import Packet

from resume_rig.campaign.preparation.self_measurement import (
    LoopbackPlan,
    check_can_keep,
    measure_loopback,
)
from resume_rig.model.channel import SLEEPERS, Actuator, Channel
from resume_rig.model.errors import BoardRebooted, RigError
from resume_rig.rig.commands.actions import LidRequest, PressRequest
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.dut.plug import DELAY_MIN_NS, DELAY_SPAN_NS, JITTER_NS, LoopbackPlug
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.clocks import VirtualClock

MS = 1_000_000
S = 1_000_000_000
LAPTOP = load_dut_profile("healthy-laptop")
# rig.sim.board: a stamp is 1 to 4 us late and rounded down to 1 us; several edges at once are
# served one after the other, and none of them overtakes.
BOARD_MIN_NS, BOARD_MAX_NS = 0, 4_000


class Plug:
    """A rig on a plug, and the truth about it."""

    def __init__(self, seed: int) -> None:
        self.clock = VirtualClock()
        self.bench = SimulatedBench(LAPTOP, self.clock, seed, loopback=True)
        transport = InProcessTransport(self.bench.handle, self.clock)
        self.rig = SmpRig(SmpClient(transport, self.clock), first_token=1)

    def measure(self, actuator: Actuator, *channels: Channel, changes: int = 500):
        return measure_loopback(self.rig, self.clock, LoopbackPlan(actuator, channels, changes))


@pytest.mark.parametrize("actuator", SLEEPERS)
def test_every_change_is_seen_and_latencies_lie_where_the_plug_puts_them(
    actuator: Actuator,
) -> None:
    plug = Plug(3)
    result = plug.measure(actuator, *LAPTOP.channels)
    assert result.ended_well
    assert (result.actuator, result.changes) == (actuator, 500)
    means = [row.mean_ns for row in result.channels]
    assert max(means) - min(means) > DELAY_SPAN_NS // 4
    for row in result.channels:
        assert row.min_ns >= DELAY_MIN_NS - JITTER_NS + BOARD_MIN_NS
        # An edge may wait for all that came just before it.
        assert row.max_ns <= DELAY_MIN_NS + DELAY_SPAN_NS + JITTER_NS + BOARD_MAX_NS
        assert row.min_ns < row.mean_ns < row.max_ns
        assert 0 < row.sd_ns < JITTER_NS + BOARD_MAX_NS
    assert plug.rig.levels() == dict.fromkeys(LAPTOP.channels, 0)


def test_the_estimate_is_the_truth_within_the_uncertainty_that_it_states() -> None:
    for seed in range(8):
        plug = Plug(seed)
        assert plug.measure(Actuator.BUTTON, Channel.PWR_OK, Channel.LED).ended_well
        plug.rig.calibrate(loopback=True)
        truth = plug.bench._dut.delays_ns
        for known in plug.rig.info().channels:
            if known.latency is None:
                assert (known.delay_ns, known.uncertainty_ns) == (2_000, 2_500)
                continue
            least_ns = truth[known.channel] + BOARD_MIN_NS
            most_ns = truth[known.channel] + BOARD_MAX_NS
            assert known.delay_ns - known.uncertainty_ns <= least_ns
            assert most_ns <= known.delay_ns + known.uncertainty_ns
            assert known.uncertainty_ns < 6_000


def test_equal_seeds_give_equal_results_and_others_do_not() -> None:
    results = [Plug(seed).measure(Actuator.BUTTON, Channel.LID) for seed in (1, 1, 2)]
    assert results[0].channels == results[1].channels != results[2].channels


def test_a_calibration_outlives_a_reset_and_the_boot_is_remembered() -> None:
    plug = Plug(5)
    assert plug.measure(Actuator.LID, Channel.SLP_S3, changes=10).ended_well
    kept = plug.rig.calibrate(loopback=True, clock_ppb=1_234)
    before = plug.rig.info()
    plug.bench.reboot()

    after = plug.rig.info()

    assert after.boot_id != before.boot_id
    assert after.channels == before.channels
    assert after.calibration_ppb == 1_234
    assert plug.rig.calibration() == kept
    (past,) = plug.rig.faults().history
    assert (past.boot_id, past.reset_reason) == (before.boot_id, "software")
    assert past.uptime_ns > 0
    assert plug.rig.calibrate(clear=True).empty


def test_the_past_ends_with_the_eighth_boot() -> None:
    plug = Plug(5)
    boots = [plug.rig.info().boot_id]
    for _ in range(10):
        plug.bench.reboot()
        boots.append(plug.rig.info().boot_id)
    history = plug.rig.faults().history
    assert [past.boot_id for past in history] == boots[-2:-10:-1]


def test_without_a_plug_the_probe_is_all_that_a_dut_gets() -> None:
    clock = VirtualClock()
    bench = SimulatedBench(LAPTOP, clock, 1)
    rig = SmpRig(SmpClient(InProcessTransport(bench.handle, clock), clock))
    plan = LoopbackPlan(Actuator.BUTTON, (Channel.PWR_OK,), 2_000)
    result = measure_loopback(rig, clock, plan)
    assert (result.changes, result.ended_well) == (2, False)
    assert result.channels[0].missed == 2


def test_a_simulated_board_can_keep_a_calibration() -> None:
    assert check_can_keep(Plug(1).rig).store == "retained"


class OldRig:
    """A rig whose board keeps nothing for a reason."""

    def __init__(self, rig: SmpRig, crystal: bool, store: str) -> None:
        self._rig, self._crystal, self._store = rig, crystal, store

    def info(self):
        return self._rig.info()

    def calibration(self):
        from resume_rig.rig.interface import Calibration

        return Calibration(self._crystal, self._store, None, 0, ())


@pytest.mark.parametrize(
    ("crystal", "store", "sentence"),
    [
        (False, "flash", "cannot keep a calibration: its clock sim-xtal is an RC oscillator"),
        (True, "none", "cannot keep a calibration: it has no memory that outlives a reset"),
    ],
)
def test_a_board_that_cannot_keep_one_is_refused(crystal: bool, store: str, sentence: str) -> None:
    with pytest.raises(RigError, match=sentence):
        check_can_keep(OldRig(Plug(1).rig, crystal, store))


def test_a_plug_keeps_the_order_of_its_edges() -> None:
    plug = LoopbackPlug(default_rng(1))
    for number in range(50):
        plug.move(number * 100, Actuator.BUTTON, number % 2 == 0)
    events = plug.advance(S)
    for channel in Channel:
        levels = [event.level for event in events if event.channel is channel]
        assert levels == [1, 0] * 25
    assert plug.next_event_ns() is None


DEEDS = {
    PressRequest.command: (Channel.BUTTON, lambda rig: rig.press(Actuator.BUTTON, 200 * MS)),
    LidRequest.command: (Channel.LID, lambda rig: rig.lid(True)),
}


@pytest.mark.parametrize("action", DEEDS, ids=["press", "lid"])
def test_a_reply_that_is_lost_before_a_reset_moves_nothing_twice(action: int) -> None:
    moved, deed = DEEDS[action]
    clock = VirtualClock()
    bench = SimulatedBench(LAPTOP, clock, 4)
    asked: list[int] = []

    def lossy(packet: bytes) -> bytes | None:
        reply = bench.handle(packet)
        header = Packet.unpack(packet).header
        if header.group == 64 and header.command == action:
            asked.append(header.sequence)
            if len(asked) == 1:
                clock.sleep_ns(150 * MS)  # the DUT has felt it
                bench.advance()
                bench.reboot()
                return None
        return reply

    rig = SmpRig(SmpClient(InProcessTransport(lossy, clock), clock))
    rig.info()
    with pytest.raises(BoardRebooted):
        deed(rig)

    assert len(asked) == 2
    rig.info()
    clock.sleep_ns(S)
    again = [edge for edge in rig.edges(0).edges if edge.channel is moved and edge.level == 0]
    assert again == []
    assert rig.faults().refusals == 1
    assert rig.levels()[moved] == 1
