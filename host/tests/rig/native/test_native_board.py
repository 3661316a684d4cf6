"""The real image end to end: SMP over its pseudo-terminal, pins through its socket."""

import os
import struct
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from raw_request import RESET, raw_request, reset

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import BoardRebooted, DeviceFault
from resume_rig.model.power import PowerMonitor
from resume_rig.rig.interface import EdgeBatch
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.native.wires import CHANNEL_PINS
from resume_rig.rig.smp.packet import Group, Operation
from resume_rig.rig.smp.request import RigCode

if TYPE_CHECKING:
    from .conftest import NativeBoard

if sys.platform == "win32":
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

US = 1_000
MS = 1_000_000
S = 1_000_000_000
# What is planned has to reach the board before its time, on a busy machine, too.
AHEAD = S

Until = Callable[[Callable[[], bool]], None]


def read_all(native: "NativeBoard", cursor: int = 0) -> list[EdgeBatch]:
    batches = [native.rig.edges(cursor, 512)]
    while batches[-1].more:
        batches.append(native.rig.edges(batches[-1].next_number, 512))
    return batches


def test_the_board_says_who_it_is(native: "NativeBoard") -> None:
    info = native.rig.info()
    assert info.board.startswith("native_sim")
    assert [item.channel for item in info.channels] == list(CHANNEL_PINS)
    assert [item.actuator for item in info.actuators] == list(Actuator)
    assert (info.clock_source, info.clock_hz) == ("host", 1_000_000)
    assert set(native.rig.levels().values()) == {1}
    faults = native.rig.faults()
    assert (faults.reset_reason, faults.edge_overruns, faults.refusals) == ("power-on", 0, 0)
    assert all(check.ok for check in native.rig.selftest())


def test_board_time_never_leaves_the_bounds_of_an_exchange(native: "NativeBoard") -> None:
    boot_ns = native.host_ns_of_boot()
    for _ in range(200):
        found = native.rig.exchange_clocks()
        # Board time counts whole microseconds, so it may seem one early.
        assert found.host_tx_ns - US <= boot_ns + found.board_rx_ns
        assert found.board_rx_ns <= found.board_tx_ns
        assert boot_ns + found.board_tx_ns <= found.host_rx_ns


def test_edges_at_a_known_time_are_stamped_with_it(native: "NativeBoard") -> None:
    boot_ns = native.host_ns_of_boot()
    start_ns = native.clock.now_ns() + AHEAD
    planned = [(start_ns + n * 777_777, list(CHANNEL_PINS)[n % 9], n // 9 % 2) for n in range(90)]
    for host_ns, channel, level in planned:
        native.wires.set(channel, level, host_ns)
    native.sleep_until(planned[-1][0] + MS)
    found = [edge for batch in read_all(native) for edge in batch.edges]
    assert [(edge.channel, edge.level) for edge in found] == [item[1:] for item in planned]
    assert [edge.number for edge in found] == list(range(90))
    for edge, (host_ns, _, _) in zip(found, planned, strict=True):
        assert edge.t_ns == (host_ns - boot_ns) // US * US


def test_ten_thousand_edges_in_bursts_at_50_khz_are_all_there(native: "NativeBoard") -> None:
    start_ns = native.clock.now_ns() + AHEAD
    level = 1
    for burst in range(10):
        for n in range(1000):
            level = 1 - level
            native.wires.set(Channel.LED, level, start_ns + burst * 50 * MS + n * 20 * US)
    native.sleep_until(start_ns + 10 * 50 * MS)
    batches = read_all(native)
    found = [edge for batch in batches for edge in batch.edges]
    assert len(found) == 10_000
    assert [edge.level for edge in found[:4]] == [0, 1, 0, 1]
    steps = [after.t_ns - before.t_ns for before, after in pairwise(found[:1000])]
    assert set(steps) == {20 * US}
    assert (batches[-1].overruns, sum(batch.lost for batch in batches)) == (0, 0)


def test_edges_that_nobody_read_in_time_are_counted(native: "NativeBoard") -> None:
    ring = native.rig.info().edge_ring
    start_ns = native.clock.now_ns() + AHEAD
    for n in range(ring + 10):
        native.wires.set(Channel.LED, n % 2, start_ns + n * 20 * US)
    native.sleep_until(start_ns + (ring + 10) * 20 * US + MS)
    batch = native.rig.edges(0, 1)
    assert (batch.first, batch.lost, batch.overruns) == (10, 10, 10)
    assert native.rig.faults().edge_overruns == 10


def test_a_press_drives_the_output_for_its_duration(native: "NativeBoard") -> None:
    start = native.rig.press(Actuator.BUTTON, 100 * MS)
    pressed, released = native.wires.next_output(), native.wires.next_output()
    assert (pressed.actuator, pressed.driven) == (Actuator.BUTTON, True)
    assert (released.actuator, released.driven) == (Actuator.BUTTON, False)
    held_ns = released.host_ns - pressed.host_ns
    assert 100 * MS <= held_ns < 101 * MS
    assert start.end_ns == start.start_ns + 100 * MS


def test_a_press_ahead_starts_at_its_time(native: "NativeBoard") -> None:
    boot_ns = native.host_ns_of_boot()
    at_ns = native.rig.exchange_clocks().board_tx_ns + AHEAD
    assert native.rig.press(Actuator.BUTTON, 20 * MS, at_ns=at_ns).start_ns == at_ns
    late_ns = native.wires.next_output().host_ns - boot_ns - at_ns
    assert 0 <= late_ns < MS


def test_the_lid_stays_as_it_is_told(native: "NativeBoard") -> None:
    native.rig.lid(closed=True)
    closed = native.wires.next_output()
    native.rig.lid(closed=True)
    native.rig.lid(closed=False)
    opened = native.wires.next_output()
    assert (closed.actuator, closed.driven) == (Actuator.LID, True)
    assert (opened.actuator, opened.driven) == (Actuator.LID, False)


def test_a_press_that_is_too_long_is_refused_and_nothing_moves(native: "NativeBoard") -> None:
    with pytest.raises(DeviceFault) as caught:
        native.rig.press(Actuator.BUTTON, 2 * S)
    assert caught.value.code == RigCode.TOO_LONG
    assert native.rig.faults().refusals == 1
    native.rig.lid(closed=True)
    assert native.wires.next_output().actuator is Actuator.LID


def test_a_silent_host_loses_its_grip_within_the_lease(native: "NativeBoard") -> None:
    lease_ns = native.rig.info().lease_ns
    native.rig.press(Actuator.BUTTON, 10 * S, force_off=True)
    pressed, released = native.wires.next_output(), native.wires.next_output()
    assert (pressed.driven, released.driven) == (True, False)
    assert released.host_ns - pressed.host_ns < lease_ns + MS
    assert native.rig.faults().lease_expiries == 1


def test_a_reset_lets_go_and_is_named(native: "NativeBoard", until: Until) -> None:
    native.wires.set(Channel.PWR_OK, 0)
    until(lambda: native.rig.levels()[Channel.PWR_OK] == 0)
    before = native.rig.info()
    native.rig.press(Actuator.BUTTON, 5 * S, force_off=True)
    assert native.wires.next_output().driven
    reset(native.rig, native.client)
    assert not native.wires.next_output().driven
    # The board answers under its old boot id until it goes down; then the new one gives it away.
    with pytest.raises(BoardRebooted, match=f"its boot id was {before.boot_id} and is"):
        until(lambda: native.rig.levels() == {})
    after = native.rig.info()
    assert after.boot_id != before.boot_id
    assert native.rig.faults().reset_reason == "software"
    # The wires did not change while the board was away.
    assert native.rig.levels()[Channel.PWR_OK] == 0
    assert native.rig.levels()[Channel.SLP_S3] == 1


def test_a_reset_and_a_forced_press_are_not_for_whoever_acts_blind(native: "NativeBoard") -> None:
    boot = native.rig.info().boot_id
    native.rig.lid(closed=True)
    refused = native.rig.faults().refusals
    with pytest.raises(DeviceFault, match="no-nonce"):
        native.client.request(RESET)
    forced = {"act": 0, "dur": 12 * S, "tok": 1, "boot": boot, "force": True, "nonce": boot}
    with pytest.raises(DeviceFault, match="no-nonce"):
        native.client.request(raw_request(Operation.WRITE, Group.RIG, 4, forced))
    assert native.rig.levels()[Channel.BUTTON] == 1
    assert native.rig.info().boot_id == boot
    assert native.rig.faults().refusals == refused + 2
    assert native.wires.next_output().driven  # the lid, which nobody let go of


def test_garbage_on_the_line_costs_nothing_that_lasts(native: "NativeBoard") -> None:
    port = os.open(native.port, os.O_WRONLY | os.O_NOCTTY)
    noise = bytes(range(256)) * 8
    truncated = b"\x06\x09AAAA\n\x04\x14////\n\x06\x09" + b"A" * 500 + b"\n"
    try:
        for junk in (noise, truncated, struct.pack(">HH", 0x0609, 0x0A0A) * 50):
            os.write(port, junk)
            assert native.rig.info().guarded
    finally:
        os.close(port)


def test_a_reply_of_several_kilobytes_arrives_whole(native: "NativeBoard") -> None:
    start_ns = native.clock.now_ns() + AHEAD
    for n in range(500):
        native.wires.set(Channel.LED, n % 2, start_ns + n * 100 * US)
    native.sleep_until(start_ns + 500 * 100 * US + MS)
    batch = native.rig.edges(0, 512)
    assert (len(batch.edges), batch.more) == (500, False)


@pytest.mark.parametrize("group", [1, 9, 63, 65])
def test_a_group_that_is_not_there_is_refused_by_its_number(
    native: "NativeBoard", group: int
) -> None:
    with pytest.raises(DeviceFault):
        native.client.request(raw_request(Operation.READ, group, 0))


def test_clients_may_come_and_go(connect: Callable[[], "NativeBoard"]) -> None:
    boot_ids = set()
    for _ in range(3):
        client = connect()
        boot_ids.add(client.rig.info().boot_id)
        client.rig.close()
    assert len(boot_ids) == 1


def test_light_is_recorded_while_it_is_armed(native: "NativeBoard") -> None:
    native.wires.set_light_mv(330)
    native.rig.arm_light(200 * MS)
    start_ns = native.clock.now_ns()
    native.wires.set_light_mv(1650, start_ns + 100 * MS)
    native.sleep_until(start_ns + 210 * MS)
    batch = native.rig.light(0, 512)
    blocks = batch.blocks
    assert [block.number for block in blocks] == list(range(len(blocks)))
    assert 200 <= len(blocks) <= 201
    assert all(after.t_ns - before.t_ns <= MS for before, after in pairwise(blocks))
    dark, bright = blocks[50], blocks[150]
    assert (dark.minimum, dark.mean, dark.maximum) == (409, 409, 409)
    assert (bright.minimum, bright.mean, bright.maximum) == (2047, 2047, 2047)
    assert (batch.lost, native.rig.faults().light_overruns) == (0, 0)


def test_the_power_monitor_is_sampled_at_its_pace(native: "NativeBoard", until: Until) -> None:
    assert native.rig.info().power == PowerMonitor(4096, 20 * MS, 16_928 * US, 20_000, 0)
    native.wires.set_load_mw(9_500)
    first = 0

    def has_the_load() -> bool:
        nonlocal first
        batch = native.rig.power(first)
        first = batch.next_number
        return 500_000 in batch.samples.current_ua

    until(has_the_load)
    until(lambda: native.rig.power(first).next_number >= first + 10)
    batch = native.rig.power(first)
    assert set(batch.samples.bus_uv) == {19_000_000}
    assert set(batch.samples.current_ua) == {500_000}
    steps = [after - before for before, after in pairwise(batch.samples.t_ns)]
    assert set(steps) == {20 * MS}
    assert (batch.first, batch.lost, batch.overruns) == (first, 0, 0)


def test_presses_one_behind_the_other_leave_the_dut_time_to_see_each(
    native: "NativeBoard",
) -> None:
    for _ in range(3):
        native.rig.press(Actuator.BUTTON, 50 * MS)
        native.sleep_until(native.clock.now_ns() + 50 * MS)
    outputs = [native.wires.next_output() for _ in range(6)]
    gaps = [later.host_ns - sooner.host_ns for sooner, later in pairwise(outputs)][1::2]
    assert all(gap >= 100 * MS for gap in gaps)


def test_presses_that_could_be_one_long_press_are_refused(native: "NativeBoard") -> None:
    for _ in range(2):
        native.rig.press(Actuator.BUTTON, 1 * S)
        native.sleep_until(native.clock.now_ns() + 1 * S)
    native.sleep_until(native.clock.now_ns() + 150 * MS)
    with pytest.raises(DeviceFault, match=r"allowed in 2\.[0-9]+ s") as caught:
        native.rig.press(Actuator.BUTTON, 1 * S)
    assert caught.value.code == RigCode.TOO_MUCH


def test_another_host_neither_moves_nor_keeps_up_what_one_holds(
    connect: Callable[[], "NativeBoard"],
) -> None:
    holder = connect()
    holder.rig.lid(closed=True)
    closed = holder.wires.next_output()
    other = SmpRig(holder.client, first_token=1)
    soon_ns = other.exchange_clocks().board_tx_ns + AHEAD
    with pytest.raises(DeviceFault) as caught:
        other.press(Actuator.BUTTON, 50 * MS, at_ns=soon_ns)
    assert caught.value.code == RigCode.OTHER_HOST
    lease_ns = other.info().lease_ns
    while holder.clock.now_ns() < closed.host_ns + lease_ns + 100 * MS:
        other.exchange_clocks()
        holder.sleep_until(holder.clock.now_ns() + 200 * MS)
    assert not holder.wires.next_output().driven
    holder.rig.close()


def test_a_press_waits_until_the_lease_of_a_host_that_fell_silent_is_over(
    connect: Callable[[], "NativeBoard"],
) -> None:
    silent = connect()
    silent.rig.lid(closed=True)
    closed = silent.wires.next_output()
    SmpRig(silent.client, first_token=1).press(Actuator.BUTTON, 50 * MS)
    opened, pressed = silent.wires.next_output(), silent.wires.next_output()
    assert (opened.actuator, opened.driven) == (Actuator.LID, False)
    assert (pressed.actuator, pressed.driven) == (Actuator.BUTTON, True)
    assert pressed.host_ns - closed.host_ns > silent.rig.info().lease_ns
    silent.rig.close()
