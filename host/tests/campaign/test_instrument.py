"""Which delay is subtracted from a stamp: the board's or the table's, and never both."""

from dataclasses import replace

import pytest

from resume_rig.campaign.store.measured_cycle import bounds_of
from resume_rig.model.channel import Channel
from resume_rig.model.dut import DutProfile
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.front_end_file import shipped_front_end
from resume_rig.rig.interface import ChannelInfo, ChannelLatency, RigInfo
from resume_rig.timing.edge_uncertainty import Moment

LAPTOP = load_dut_profile("healthy-laptop")
SLP_S3_RISING = shipped_front_end().of(Channel.SLP_S3, True)
TABLE_NS = 0 if SLP_S3_RISING is None else SLP_S3_RISING.value_ns


def rig(board: str, info: ChannelInfo) -> RigInfo:
    channels = tuple(replace(info, channel=channel) for channel in Channel)
    return RigInfo(
        protocol=1,
        firmware="0.1.0",
        board=board,
        boot_id=1,
        clock_source="xtal",
        clock_hz=1_000_000,
        clock_tolerance_ppb=30_000,
        calibration_ppb=None,
        lease_ns=1,
        channels=channels,
        actuators=(),
        edge_ring=1,
        light_ring=1,
        dut_log=None,
        edge_source="gpio-interrupt",
    )


LATENCY = ChannelLatency(Channel.SLP_S3, mean_ns=2_300, sd_ns=400, deviation_ns=900, count=200)
BARE = ChannelInfo(Channel.SLP_S3, 1_000, 0, 2_000)
MEASURED = ChannelInfo(Channel.SLP_S3, 1_000, 2_300, 3_100, LATENCY)
WITH_FRONT_END = ChannelInfo(Channel.SLP_S3, 1_000, 2_700, 3_100, LATENCY)
STATED = ChannelInfo(Channel.SLP_S3, 1_000, 2_000, 2_500)


@pytest.mark.parametrize(
    ("board", "info", "delay_ns"),
    [
        ("rpi_pico/rp2040", BARE, TABLE_NS),
        ("nucleo_h743zi/stm32h743xx", MEASURED, 2_300 + TABLE_NS),
        ("rpi_pico", WITH_FRONT_END, 2_700),
        ("rpi_pico", STATED, 2_000),
        ("somebody's own board", BARE, TABLE_NS),
        ("native_sim/native/64", BARE, 0),
        ("sim", STATED, 2_000),
        ("mps2/an385", MEASURED, 2_300),
    ],
    ids=[
        "nothing stated: the table",
        "latency measured: it and the table",
        "latency and front end stated: the board",
        "all stated: the board",
        "a board that is not known: the table",
        "an emulated board has no front end",
        "a simulated one states its latency",
        "an emulated board with a latency",
    ],
)
def test_which_delay_is_subtracted(board: str, info: ChannelInfo, delay_ns: int) -> None:
    bounds = bounds_of(rig(board, info), LAPTOP)

    assert bounds.delays_ns()[Channel.SLP_S3, True] == delay_ns
    rows = bounds.rows(Moment(Channel.PLTRST, 0), Moment(Channel.SLP_S3, 0))
    corrected_ns = sum(row.correction_ns for row in rows if row.sensitivity == 1)
    assert corrected_ns == delay_ns


def test_a_dut_says_how_its_power_rises_and_what_presses() -> None:
    board = rig("rpi_pico", BARE)
    press, power = Moment(Channel.BUTTON, 0, rises=False), Moment(Channel.PWR_OK, 0)

    def bound_ns(dut: DutProfile | None) -> int:
        return bounds_of(board, dut).between(press, power).bound_ns

    atx = bound_ns(None)
    assert bound_ns(LAPTOP) == atx
    assert bound_ns(replace(LAPTOP, pwr_ok_rise_max_ns=1_000)) < atx - 10_000
    assert bound_ns(replace(LAPTOP, pressed_by="finger")) == atx - 20_000 + 5_000_000


def test_the_instrument_is_made_once() -> None:
    board = rig("rpi_pico", BARE)

    assert bounds_of(board, LAPTOP) is bounds_of(replace(board), LAPTOP)
