"""Board and DUT together, spoken to in SMP packets on a virtual clock."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_request import RESET, raw_request, reset

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.errors import DeviceFault, UsageError
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.rig.dut_profile import load_dut_profile, shipped_profiles
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.board import EDGE_RING, LEASE_NS, LIGHT_RATE_HZ
from resume_rig.rig.sim.dut.event import SimFault, parse_faults
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.packet import Group, Operation
from resume_rig.timing.clocks import VirtualClock

MS = 1_000_000
S = 1_000 * MS
LAPTOP = load_dut_profile("healthy-laptop")


@dataclass
class Person:
    """Somebody at the host who presses, waits and looks."""

    bench: SimulatedBench
    clock: VirtualClock
    client: SmpClient
    rig: SmpRig
    edges: list[Edge] = field(default_factory=list)

    def wait(self, ns: int, look_every_ns: int = S) -> None:
        end_ns = self.clock.now_ns() + ns
        while (left_ns := end_ns - self.clock.now_ns()) > 0:
            self.clock.sleep_ns(min(look_every_ns, left_ns))
            self.rig.levels()

    def press(self) -> None:
        self.rig.press(Actuator.BUTTON, 150 * MS)

    def cycle(self, dwell_ns: int = 5 * S, settle_ns: int = 4 * S) -> list[Edge]:
        self.press()
        self.wait(dwell_ns)
        self.press()
        self.wait(settle_ns)
        return self.read()

    def read(self) -> list[Edge]:
        """Return the edges since the last call."""
        cursor = self.edges[-1].number + 1 if self.edges else 0
        new: list[Edge] = []
        while batch := self.rig.edges(cursor):
            new += batch.edges
            cursor = batch.next_number
            if not batch.more:
                break
        self.edges += new
        return new

    def light(self) -> list[LightBlock]:
        blocks: list[LightBlock] = []
        cursor = 0
        while batch := self.rig.light(cursor):
            blocks += batch.blocks
            cursor = batch.next_number
            if not batch.more:
                break
        return blocks


def make(
    seed: int = 1,
    profile: DutProfile = LAPTOP,
    faults: frozenset[SimFault] = frozenset(),
    light_rate_hz: int = LIGHT_RATE_HZ,
) -> Person:
    clock = VirtualClock()
    bench = SimulatedBench(profile, clock, seed, faults=faults, light_rate_hz=light_rate_hz)
    client = SmpClient(InProcessTransport(bench.handle, clock), clock)
    return Person(bench, clock, client, SmpRig(client))


@pytest.fixture
def person() -> Person:
    return make()


@pytest.mark.parametrize("name", shipped_profiles())
def test_the_board_offers_what_the_profile_wires(name: str) -> None:
    profile = load_dut_profile(name)
    info = make(profile=profile).rig.info()
    assert tuple(channel.channel for channel in info.channels) == profile.channels
    assert tuple(actuator.actuator for actuator in info.actuators) == profile.actuators
    assert info.board == "sim"
    assert info.dut_log == "/dut/System.xml"


@pytest.mark.parametrize(
    "name", ["healthy-laptop", "healthy-desktop", "slow-laptop", "espi-laptop"]
)
def test_a_cycle_shows_on_every_wired_channel_but_sleep_s4(name: str) -> None:
    profile = load_dut_profile(name)
    person = make(profile=profile)
    edges = person.cycle(dwell_ns=6 * S, settle_ns=6 * S)
    still = {Channel.SLP_S4, Channel.SLP_S5, Channel.LID}
    assert {edge.channel for edge in edges} == set(profile.channels) - still
    assert [edge.number for edge in edges] == list(range(len(edges)))
    assert all(before.t_ns <= after.t_ns for before, after in pairwise(edges))


def test_equal_seeds_give_equal_benches_and_others_do_not() -> None:
    first, again, other = make(7), make(7), make(8)
    assert first.cycle() == again.cycle() != other.cycle()
    assert first.bench.log_document() == again.bench.log_document() != other.bench.log_document()
    assert first.rig.info().boot_id == again.rig.info().boot_id != other.rig.info().boot_id


@settings(max_examples=20, deadline=None)
@given(look_every_ns=st.integers(3 * MS, 2 * S))
def test_edges_are_exact_however_rarely_the_host_looks(look_every_ns: int) -> None:
    def play(every_ns: int) -> tuple[list[Edge], bytes]:
        person = make(3)
        now_ns = person.rig.exchange_clocks().board_rx_ns
        person.rig.press(Actuator.BUTTON, 150 * MS, at_ns=now_ns + S)
        person.wait(7 * S, every_ns)
        person.rig.press(Actuator.BUTTON, 150 * MS, at_ns=now_ns + 8 * S)
        person.wait(6 * S, every_ns)
        return person.read(), person.rig.download("/dut/System.xml", 0)

    assert play(look_every_ns) == play(S)


def test_the_boards_clock_runs_at_its_own_rate_within_a_crystals_tolerance() -> None:
    rates_ppm = set()
    for seed in range(6):
        person = make(seed)
        before = person.rig.exchange_clocks()
        person.clock.sleep_ns(1_000 * S)
        after = person.rig.exchange_clocks()
        board_ns = after.board_rx_ns - before.board_rx_ns
        rates_ppm.add((board_ns - (after.host_tx_ns - before.host_tx_ns)) / 1e9)
    assert all(abs(rate) <= 30 for rate in rates_ppm)
    assert len(rates_ppm) == 6


def test_stamps_are_late_by_an_interrupt_and_in_whole_microseconds() -> None:
    person = make()
    start_ns = person.rig.press(Actuator.BUTTON, 150 * MS).start_ns
    person.wait(S)
    pressed, *_ = person.read()
    assert pressed.t_ns % 1_000 == 0
    # The contact takes 0.2 to 1.2 ms, the interrupt up to 4 us.
    assert 200_000 <= pressed.t_ns - start_ns <= 1_204_000 + 1_000


def test_a_lid_that_is_held_is_let_go_when_the_host_falls_silent(person: Person) -> None:
    person.rig.lid(closed=True)
    person.wait(5 * S)
    assert person.rig.levels()[Channel.LID] == 0
    silent_from_ns = person.rig.exchange_clocks().board_rx_ns
    person.clock.sleep_ns(LEASE_NS + 5 * S)
    levels = person.rig.levels()
    assert levels[Channel.LID] == 1
    assert levels[Channel.PWR_OK] == 1  # the lid opened, so the DUT woke
    assert person.rig.faults().lease_expiries == 1
    opened_ns = next(
        edge.t_ns for edge in person.read() if (edge.channel, edge.level) == (Channel.LID, 1)
    )
    assert 0 < opened_ns - silent_from_ns - LEASE_NS < 20 * MS


def test_a_lid_stays_closed_as_long_as_the_host_speaks(person: Person) -> None:
    person.rig.lid(closed=True)
    person.wait(3 * LEASE_NS)
    assert person.rig.levels()[Channel.LID] == 0


def test_an_overrun_is_counted_and_shows_as_a_gap(person: Person) -> None:
    cycles = EDGE_RING // 14 + 40
    for _ in range(cycles):
        person.press()
        person.wait(5 * S)
        person.press()
        person.wait(4 * S)
    batch = person.rig.edges(0)
    assert batch.lost == batch.first > 0
    assert person.rig.faults().edge_overruns == batch.lost


def test_refusals_are_the_cores(person: Person) -> None:
    with pytest.raises(DeviceFault) as refusal:
        person.rig.press(Actuator.BUTTON, 2 * S)
    assert (refusal.value.group, refusal.value.code) == (64, 4)
    assert person.rig.faults().refusals == 1


def test_a_force_off_press_turns_the_unit_off(person: Person) -> None:
    person.rig.press(Actuator.BUTTON, 6 * S, force_off=True)
    person.wait(8 * S)
    levels = person.rig.levels()
    assert (levels[Channel.PWR_OK], levels[Channel.SLP_S4]) == (0, 0)


def test_light_is_recorded_while_armed_and_shows_the_panel_coming_on(person: Person) -> None:
    person.press()
    person.wait(5 * S)
    person.rig.arm_light(3 * S)
    person.press()
    person.wait(4 * S)
    edges, blocks = person.read(), person.light()
    on_ns = [edge.t_ns for edge in edges if edge.channel is Channel.BACKLIGHT][1]
    half_ns = next(block.t_ns for block in blocks if block.mean > 1_300)
    assert 2_990 <= len(blocks) <= 3_001
    assert all(block.minimum <= block.mean <= block.maximum for block in blocks)
    assert 2 * MS < half_ns - on_ns < 7 * MS  # soft start of 8 ms
    assert blocks[0].mean < 100
    assert blocks[-1].mean > 2_500


def test_a_dark_unit_gives_no_light() -> None:
    person = make(faults=frozenset({SimFault.DARK}))
    person.press()
    person.wait(5 * S)
    person.rig.arm_light(3 * S)
    person.press()
    person.wait(4 * S)
    assert max(block.maximum for block in person.light()) < 100


@pytest.mark.parametrize("light_rate_hz", [2_000, 50_000])
def test_the_onset_is_that_of_the_panel(light_rate_hz: int) -> None:
    person = make(light_rate_hz=light_rate_hz)
    assert person.rig.onset() == LightOnset(OnsetState.IDLE)
    person.press()
    person.wait(5 * S)
    person.rig.arm_light(4 * S)
    assert person.rig.onset().state is OnsetState.DARK
    person.wait(S)
    person.press()
    person.wait(4 * S)
    lit_ns = [edge.t_ns for edge in person.read() if edge.channel is Channel.BACKLIGHT][1]
    onset = person.rig.onset()
    assert person.rig.info().light_rate_hz == light_rate_hz
    assert onset.state is OnsetState.OK
    assert (onset.pwm_hz, onset.duty, onset.pwm_uncertainty_ns) == (0.0, 1.0, 0)
    assert onset.resolution_ns == S // light_rate_hz
    assert onset.base_counts == pytest.approx(40, abs=2)
    assert onset.level_counts == pytest.approx(2_600, abs=5)
    # The soft start is linear over 8 ms; the edge source of the backlight is late by some us.
    times_ns = (onset.first_ns, onset.half_ns, onset.ninety_ns)
    late_ns = [t_ns - lit_ns for t_ns in times_ns if t_ns is not None]
    assert late_ns == pytest.approx([0.8 * MS, 4 * MS, 7.2 * MS], abs=0.1 * MS)


def test_an_onset_outlives_that_the_recording_is_prolonged(person: Person) -> None:
    person.press()
    person.wait(5 * S)
    person.rig.arm_light(2 * S)
    person.wait(S)
    person.press()
    for _ in range(4):
        person.rig.arm_light(2 * S)
        person.wait(S)
    assert person.rig.onset().state is OnsetState.OK
    with pytest.raises(DeviceFault, match="busy"):
        person.rig.arm_light(2 * S, baseline_ns=500 * MS)
    person.wait(3 * S)
    onset = person.rig.onset()
    assert onset.state is OnsetState.OK
    person.rig.arm_light(2 * S, baseline_ns=500 * MS)
    assert person.rig.onset().state is OnsetState.DARK


def test_a_dark_unit_has_no_onset() -> None:
    person = make(faults=frozenset({SimFault.DARK}))
    person.press()
    person.wait(5 * S)
    person.rig.arm_light(3 * S)
    person.press()
    person.wait(4 * S)
    onset = person.rig.onset()
    assert onset.state is OnsetState.NO_LIGHT
    assert onset.first_ns is None


def test_light_costs_nothing_while_it_is_not_armed(person: Person) -> None:
    person.cycle()
    assert person.light() == []


def test_a_reset_begins_a_new_boot_and_lets_go(person: Person) -> None:
    before = person.rig.info()
    person.rig.lid(closed=True)
    person.wait(5 * S)
    reset(person.rig, person.client)
    after = person.rig.info()
    assert after.boot_id != before.boot_id
    assert person.rig.edges(0).edges == ()
    assert person.rig.faults().reset_reason == "software"
    assert person.rig.exchange_clocks().board_rx_ns < 10 * MS
    person.wait(3 * S)
    assert person.rig.levels()[Channel.LID] == 1


def test_a_reset_of_whoever_has_not_read_the_nonce_is_refused_and_lets_go_of_nothing(
    person: Person,
) -> None:
    before = person.rig.info()
    person.rig.lid(closed=True)
    person.wait(2 * S)
    refused = person.rig.faults().refusals
    for _ in range(2):
        with pytest.raises(DeviceFault, match="no-nonce"):
            person.client.request(RESET)
        assert person.rig.levels()[Channel.LID] == 0
        assert person.rig.info().boot_id == before.boot_id
    assert person.rig.faults().refusals == refused + 2


def test_a_permit_is_over_with_the_lease(person: Person) -> None:
    lease_ns = person.rig.info().lease_ns
    person.rig.permit()
    person.wait(lease_ns)
    with pytest.raises(DeviceFault, match="no-nonce"):
        person.client.request(RESET)


def test_a_forced_press_needs_what_info_tells_in_this_boot(person: Person) -> None:
    info = person.rig.info()
    forced = {"act": 0, "dur": 12 * S, "tok": 1, "boot": info.boot_id, "force": True}
    for nonce in ({}, {"nonce": 0}, {"nonce": info.boot_id}):
        with pytest.raises(DeviceFault, match="no-nonce"):
            person.client.request(raw_request(Operation.WRITE, Group.RIG, 4, forced | nonce))
    person.wait(S)
    assert person.rig.levels()[Channel.BUTTON] == 1
    person.rig.press(Actuator.BUTTON, 12 * S, force_off=True)
    person.wait(S)
    assert person.rig.levels()[Channel.BUTTON] == 0


def test_the_dut_sleeps_on_through_a_reset_of_the_board(person: Person) -> None:
    person.press()
    person.wait(5 * S)
    reset(person.rig, person.client)
    person.rig.info()
    assert person.rig.levels()[Channel.PWR_OK] == 0


def test_the_self_test_passes(person: Person) -> None:
    checks = person.rig.selftest()
    assert all(check.ok for check in checks)
    assert "edge_delay_ns" in {check.name for check in checks}


def test_faults_can_be_set_and_lifted_between_cycles(person: Person) -> None:
    person.bench.set_faults(frozenset({SimFault.NEVER_SLEEPS}))
    person.press()
    person.wait(3 * S)
    assert person.rig.levels()[Channel.PWR_OK] == 1
    person.bench.set_faults(frozenset())
    person.press()
    person.wait(3 * S)
    assert person.rig.levels()[Channel.PWR_OK] == 0


def test_the_log_can_be_downloaded_on_from_where_one_was(person: Person) -> None:
    start = person.rig.download("/dut/System.xml", 0)
    person.cycle()
    whole = person.rig.download("/dut/System.xml", 0)
    assert whole.startswith(start)
    assert person.rig.download("/dut/System.xml", len(start)) == whole[len(start) :]
    assert person.rig.download("/dut/System.xml", len(whole)) == b""
    assert whole.decode() in person.bench.log_document()


def test_a_profile_with_a_hostile_name_is_served_all_the_same() -> None:
    person = make(profile=replace(LAPTOP, name='<x a="&">'))
    person.cycle()
    assert "<X A" not in person.bench.log_document()


def test_cycles_beyond_number_stay_consistent() -> None:
    person = make(11)
    wakes: list[int] = []
    for _ in range(60):
        edges = person.cycle()
        wakes += [edge.t_ns for edge in edges if (edge.channel, edge.level) == (Channel.PLTRST, 1)]
    assert len(wakes) == 60
    assert person.bench.log_document().count("<EventID>131<") == 60
    assert person.rig.faults().edge_overruns == 0


FAULT_NAMES: list[tuple[list[str], frozenset[SimFault]]] = [
    ([], frozenset()),
    (["dark", "never-wakes"], frozenset({SimFault.DARK, SimFault.NEVER_WAKES})),
]


@pytest.mark.parametrize(("names", "faults"), FAULT_NAMES, ids=["none", "two"])
def test_faults_are_known_by_name(names: list[str], faults: frozenset[SimFault]) -> None:
    assert parse_faults(names) == faults


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(UsageError, match=r'"drak".*allowed are never-sleeps, never-wakes'):
        parse_faults(["drak"])
