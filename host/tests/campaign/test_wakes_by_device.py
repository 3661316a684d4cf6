"""Wakes that no wire shows: key, contact, magic packet; and DUTs that are not armed for them."""

import dataclasses
import socket
from collections.abc import Callable
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut.wake_lan import HostNetwork, network_of
from resume_rig.campaign.plan.plan import Plan, check_against_bench, check_plan
from resume_rig.campaign.plan.plan_file import parse_plan
from resume_rig.campaign.store.measured_cycle import outside_cycle
from resume_rig.campaign.store.raw import CommandName, CycleRaw
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator, Channel, WakeBy, WakeMeans
from resume_rig.model.errors import RigError, UsageError
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.dut_profile import mac_bytes, magic_packet

Make = Callable[..., Any]
WAYS = (Actuator.KEYBOARD, Actuator.CONTACT, WakeMeans.LAN)
ASKED = {
    Actuator.KEYBOARD: CommandName.PRESS_KEY,
    Actuator.CONTACT: CommandName.CLOSE_CONTACT,
    WakeMeans.LAN: CommandName.SEND_PACKET,
}


def plan_of(way: WakeBy, cycles: int = 3) -> Plan:
    return parse_plan({"cycles": cycles, "warm_up": 0, "wake_by": way.value.lower()})


def run(simulated: Make, way: WakeBy, profile: str, cycles: int = 3) -> Any:
    bench = simulated(profile=profile)
    bench.begin(plan_of(way, cycles))
    return bench


def raw_cycles(bench: Any) -> list[CycleRaw]:
    with Store.open(bench.path) as store:
        return list(store.cycles())


@pytest.mark.parametrize("way", WAYS)
def test_an_armed_dut_wakes_and_the_time_counts_from_the_command(
    simulated: Make, way: WakeBy
) -> None:
    bench = run(simulated, way, "wakes-by-device")

    for cycle in assess(load_campaign(bench.path)).cycles:
        outside = cycle.outside
        assert outside.outcome is Outcome.SLEPT_AND_WOKE
        assert outside.wake_by is way
        assert outside.findings == ()
        assert IntervalName.PRESS_WIDTH not in outside.intervals
        to_slp_s3 = outside.intervals[IntervalName.PRESS_TO_SLP_S3]
        # What the profile draws lies within 14 to 30 ms, behind a debounce of 52 ms at a contact.
        assert 14_000_000 - to_slp_s3.bound_ns <= to_slp_s3.value_ns
        assert to_slp_s3.value_ns <= 84_000_000 + to_slp_s3.bound_ns
        assert to_slp_s3.bound_ns >= 1_000_000


def test_a_packet_left_while_the_host_handed_it_over(simulated: Make) -> None:
    bench = run(simulated, WakeMeans.LAN, "wakes-by-device", cycles=1)

    def from_packet(took_ns: int | None) -> BoundedNs:
        (raw,) = raw_cycles(bench)
        commands = tuple(
            dataclasses.replace(each, duration_ns=took_ns)
            if each.name is CommandName.SEND_PACKET
            else each
            for each in raw.commands
        )
        handed = dataclasses.replace(raw, commands=commands)
        outside = outside_cycle(handed, plan_of(WakeMeans.LAN), bench.identity)
        return outside.intervals[IntervalName.PRESS_TO_SLP_S3]

    at_once, slowly = from_packet(0), from_packet(6_000_000)

    # In the middle of the time that it took, and no better known than that.
    assert at_once.value_ns - slowly.value_ns == pytest.approx(3_000_000, abs=1_000)
    assert slowly.bound_ns - at_once.bound_ns == pytest.approx(3_000_000, abs=1_000)
    assert from_packet(None) == at_once


@pytest.mark.parametrize("way", WAYS)
def test_a_dut_that_is_not_armed_never_wakes_and_the_finding_says_where_to_look(
    simulated: Make, way: WakeBy
) -> None:
    bench = run(simulated, way, "wakes-by-nothing-else", cycles=1)

    (cycle,) = assess(load_campaign(bench.path)).cycles
    assert cycle.outside.outcome is Outcome.NEVER_WOKE
    kinds = {finding.kind: finding for finding in cycle.outside.findings}
    assert "may not be armed" in kinds[FindingKind.NEVER_WOKE].text
    assert kinds[FindingKind.NEVER_WOKE].evidence["wake_by"] == way.value
    # Only of the keyboard the rig sees whether it is.
    assert (FindingKind.WAKE_NOT_ARMED in kinds) == (way is Actuator.KEYBOARD)


def test_a_contact_opens_at_the_end_of_its_cycle(simulated: Make) -> None:
    bench = run(simulated, Actuator.CONTACT, "wakes-by-device", cycles=2)

    for raw in raw_cycles(bench):
        names = [c.name for c in raw.commands if "contact" in c.name]
        assert names == [CommandName.CLOSE_CONTACT, CommandName.OPEN_CONTACT]


@pytest.mark.parametrize("way", WAYS)
def test_the_command_is_kept_raw(simulated: Make, way: WakeBy) -> None:
    bench = run(simulated, way, "wakes-by-device", cycles=1)

    (raw,) = raw_cycles(bench)
    (command,) = [each for each in raw.commands if each.name is ASKED[way]]
    # A packet has the host's time alone; what relates the clocks is kept beside it.
    assert (command.start_ns is None) == (way is WakeMeans.LAN)
    assert raw.exchanges


def test_a_packet_for_another_adapter_wakes_nobody(simulated: Make) -> None:
    bench = simulated(
        profile="wakes-by-device",
        change=lambda dut: dataclasses.replace(dut, mac="02:00:00:00:00:01"),
    )
    bench.simulated.magic_packet(mac_bytes("02:00:00:00:00:99"))
    assert bench.simulated.os_runs()


def test_a_packet_that_cannot_be_sent_ends_the_campaign_with_a_sentence(simulated: Make) -> None:
    class Down:
        def magic_packet(self, address: bytes) -> None:
            raise RigError("could not send a magic packet to 255.255.255.255:9: unreachable")

    bench = simulated(profile="wakes-by-device")
    bench.network = Down()
    with pytest.raises(RigError, match="could not send a magic packet"):
        bench.begin(plan_of(WakeMeans.LAN))


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        (Actuator.KEYBOARD, "moves the KEYBOARD, which the bench of pc cannot"),
        (Actuator.CONTACT, "moves the CONTACT, which the bench of pc cannot"),
        (WakeMeans.LAN, "its profile names no mac"),
    ],
)
def test_a_bench_without_it_is_refused(way: WakeBy, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check_against_bench(plan_of(way), "pc", (Actuator.BUTTON,), (Channel.SLP_S3,))


def test_a_key_puts_nothing_to_sleep() -> None:
    with pytest.raises(UsageError, match="allowed are button, lid, idle, command"):
        parse_plan({"sleep_by": "keyboard"})


def test_a_key_is_held_no_longer_than_the_board_allows() -> None:
    plan = dataclasses.replace(plan_of(Actuator.KEYBOARD), press_ns=900_000_000)
    check_plan(plan)
    with pytest.raises(UsageError, match=r"a key held for 900\.0 ms"):
        check_against_bench(
            plan,
            "pc",
            (Actuator.BUTTON, Actuator.KEYBOARD),
            (Channel.SLP_S3,),
            max_key_ns=500_000_000,
        )


def test_the_packet_is_six_times_ff_and_sixteen_times_the_address() -> None:
    address = mac_bytes("00-1A-2b-3c-4d-5e")
    packet = magic_packet(address)
    assert packet[:6] == b"\xff" * 6
    assert packet[6:] == bytes.fromhex("001a2b3c4d5e") * 16
    assert len(packet) == 102


@pytest.mark.parametrize(
    "text",
    ["", "00:1a:2b:3c:4d", "00:1a-2b:3c:4d:5e", "01:00:5e:00:00:01", "00:00:00:00:00:00", "zz" * 6],
)
def test_what_is_no_address_of_one_adapter_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        mac_bytes(text)


def test_a_packet_goes_over_the_hosts_network() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(5)
        port = listener.getsockname()[1]
        network = network_of(None, "127.0.0.1", f"127.0.0.1:{port}")
        network.magic_packet(mac_bytes("02:00:00:00:00:01"))
        data, sender = listener.recvfrom(2048)
    assert data == magic_packet(mac_bytes("02:00:00:00:00:01"))
    assert sender[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("source", "to", "sentence"),
    [
        ("eth0", None, "--lan-from 'eth0' is no IPv4 address"),
        (None, "here", "--lan-to 'here' is no IPv4 address"),
        (None, "10.0.0.255:0", "has no port of a network"),
        (None, "10.0.0.255:", "has no port of a network"),
        ("192.0.2.1", None, "allowed is an IPv4 address of this host"),
    ],
)
def test_a_network_that_is_none_is_refused_before_anything_moves(
    source: str | None, to: str | None, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        network_of(None, source, to)


def test_a_packet_that_the_system_refuses_is_a_fault_with_its_reason() -> None:
    with pytest.raises(RigError, match=r"could not send a magic packet to 240\.0\.0\.1:9"):
        HostNetwork("127.0.0.1", "240.0.0.1").magic_packet(mac_bytes("02:00:00:00:00:01"))


def test_what_is_named_goes_before_the_simulated_network() -> None:
    simulated = HostNetwork(None)
    assert network_of(simulated, None, None) is simulated
    assert network_of(simulated, None, "127.0.0.1:9999") is not simulated
