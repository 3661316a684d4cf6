"""What a board states of its stamps becomes the bounds of intervals, each term once."""

from dataclasses import replace

import pytest

from resume_rig.campaign.preparation.self_measurement import LoopbackPlan, measure_loopback
from resume_rig.campaign.store.encoding import from_plain, to_plain
from resume_rig.campaign.store.measured_cycle import bounds_of
from resume_rig.model.budget import Evaluation, summed_bound_ns
from resume_rig.model.channel import Actuator, Channel
from resume_rig.rig.interface import RigInfo
from resume_rig.rig.link.open import open_rig
from resume_rig.timing.edge_uncertainty import Moment


@pytest.fixture
def calibrated() -> RigInfo:
    """A board of which PWR_OK is calibrated and nothing else."""
    opened = open_rig("sim:clock=virtual,seed=2,dut=loopback")
    plan = LoopbackPlan(Actuator.BUTTON, (Channel.PWR_OK,), 100)
    assert measure_loopback(opened.rig, opened.clock, plan).ended_well
    opened.rig.calibrate(loopback=True)
    info = opened.rig.info()
    opened.rig.close()
    return info


def test_a_calibrated_channel_counts_its_ticks_once(calibrated: RigInfo) -> None:
    (pwr_ok,) = (known for known in calibrated.channels if known.latency is not None)
    assert pwr_ok.latency is not None
    rows = bounds_of(calibrated).rows(Moment(Channel.SLP_S3, 0), Moment(Channel.PWR_OK, 0))
    of_pwr_ok = tuple(row for row in rows if row.sensitivity == 1)
    of_slp_s3 = tuple(row for row in rows if row.sensitivity == -1)
    assert summed_bound_ns(of_pwr_ok) == pwr_ok.latency.deviation_ns + pwr_ok.resolution_ns
    assert [row.evaluation for row in of_pwr_ok] == [Evaluation.A, Evaluation.B]
    (slp_s3,) = (known for known in calibrated.channels if known.channel is Channel.SLP_S3)
    assert summed_bound_ns(of_slp_s3) == slp_s3.uncertainty_ns + slp_s3.resolution_ns // 2


def test_a_measured_clock_does_not_narrow_the_rate_that_is_stated(calibrated: RigInfo) -> None:
    assert bounds_of(replace(calibrated, calibration_ppb=77)) == bounds_of(calibrated)


def test_a_store_keeps_the_calibration_of_its_rig(calibrated: RigInfo) -> None:
    assert from_plain(RigInfo, to_plain(calibrated)) == calibrated


def test_a_rig_of_an_older_store_is_not_calibrated(calibrated: RigInfo) -> None:
    plain = to_plain(calibrated)
    assert isinstance(plain, dict)
    channels = plain["channels"]
    assert isinstance(channels, list)
    for entry in channels:
        assert isinstance(entry, dict)
        entry.pop("latency", None)
    plain.pop("edge_source")
    found = from_plain(RigInfo, plain)
    assert found.edge_source is None
    assert all(known.latency is None for known in found.channels)
