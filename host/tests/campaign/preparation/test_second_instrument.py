"""Two boards that stamp the same edges agree, or one sentence says why not."""

import random
from collections.abc import Callable, Sequence

import pytest

from resume_rig.campaign.preparation.self_measurement import compare_stamps
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.rig.interface import ChannelInfo, RigInfo

U_NS = 800
RES_NS = 40
WIRED = (Channel.PWR_OK, Channel.SLP_S3)
TIMES = [n * 51_000_000 + n * n * 1_000 for n in range(200)]
START_NS = 77_000_000_000


def info(tolerance_ppb: int = 30_000, delay_ns: int = 0) -> RigInfo:
    channels = tuple(ChannelInfo(channel, RES_NS, delay_ns, U_NS) for channel in WIRED)
    return RigInfo(
        protocol=1,
        firmware="1",
        board="test",
        boot_id=1,
        clock_source="xtal",
        clock_hz=25_000_000,
        clock_tolerance_ppb=tolerance_ppb,
        calibration_ppb=None,
        lease_ns=3 * 10**9,
        channels=channels,
        actuators=(),
        edge_ring=4096,
        light_ring=0,
        dut_log=None,
        light_rate_hz=None,
        light_full_scale=None,
        onset_ring=0,
        edge_source="pio",
    )


def stamped(error_ns: Callable[[Channel, int], float], rate_ppb: int = 0) -> list[Edge]:
    edges = []
    for number, t_ns in enumerate(TIMES):
        for channel in WIRED:
            true_ns = START_NS + t_ns + t_ns * rate_ppb // 10**9
            stamp_ns = true_ns + round(error_ns(channel, number))
            edges.append(Edge(len(edges), stamp_ns, channel, number % 2))
    return edges


def exact(_channel: Channel, _number: int) -> float:
    return 0


@pytest.mark.parametrize("rate_ppb", [-59_000, -123, 0, 40, 58_999])
def test_the_rate_is_within_its_bounds_whatever_the_errors(rate_ppb: int) -> None:
    for seed in range(20):
        draw = random.Random(seed)

        def err(_channel: Channel, _number: int, draw: random.Random = draw) -> float:
            return draw.uniform(-U_NS, U_NS)

        found = compare_stamps(info(), stamped(err, rate_ppb), info(), stamped(err), WIRED)
        assert found.complaint is None
        assert found.rate_low_ppb <= rate_ppb <= found.rate_high_ppb
        assert (
            found.rate_high_ppb - found.rate_low_ppb < 4 * 2 * (U_NS + RES_NS) * 10**9 / TIMES[-1]
        )
        assert {row.edges for row in found.channels} == {200}


def test_bounds_are_the_exact_ones_of_two_edges() -> None:
    pair = [Edge(0, 0, WIRED[0], 1), Edge(1, 10**9, WIRED[0], 0)]
    found = compare_stamps(info(), pair, info(), pair, WIRED[:1])
    slack = 2 * 2 * (U_NS + RES_NS // 2)
    assert (found.rate_low_ppb, found.rate_high_ppb) == (-slack, slack)


def test_a_channel_with_a_delay_of_its_own_is_seen() -> None:
    def late(channel: Channel, _number: int) -> float:
        return 600 if channel is WIRED[1] else 0

    found = compare_stamps(info(), stamped(late), info(), stamped(exact), WIRED)
    first, second = found.channels
    assert (first.mean_ns, second.mean_ns) == (-300, 300)
    assert (first.sd_ns, first.allowed_ns) == (0, 2 * (U_NS + RES_NS // 2))
    assert found.complaint is None


def test_a_delay_that_a_board_states_is_taken_off() -> None:
    def late(_channel: Channel, _number: int) -> float:
        return 2_500

    found = compare_stamps(info(delay_ns=2_500), stamped(late), info(), stamped(exact), WIRED)
    assert [row.mean_ns for row in found.channels] == [0, 0]


def test_one_stamp_beyond_what_is_stated_is_found() -> None:
    def late(channel: Channel, number: int) -> float:
        return 4 * (U_NS + RES_NS) if (channel, number) == (WIRED[0], 100) else 0

    found = compare_stamps(info(), stamped(late), info(), stamped(exact), WIRED)
    assert found.rate_low_ppb > found.rate_high_ppb
    assert found.complaint == (
        "no rate of the clocks explains the stamps: one board errs by more than it states"
    )


def test_clocks_farther_apart_than_they_state_are_found() -> None:
    found = compare_stamps(info(20_000), stamped(exact, 70_000), info(), stamped(exact), WIRED)
    assert found.complaint is not None
    assert found.complaint.endswith("and state 50 ppm together")


def without(edges: Sequence[Edge], number: int) -> list[Edge]:
    return [edge for edge in edges if edge.number != number]


@pytest.mark.parametrize("number", [0, 7, 399])
def test_an_edge_that_one_board_missed_is_named(number: int) -> None:
    whole = stamped(exact)
    found = compare_stamps(info(), without(whole, number), info(), whole, WIRED)
    assert found.complaint is not None
    assert "199 edges here and 200 at the second board" in found.complaint
    assert found.channels == ()


def test_no_edges_are_no_agreement() -> None:
    found = compare_stamps(info(), [], info(), [], WIRED)
    assert found.complaint is not None
    assert "0 edges here and 0" in found.complaint
