"""The real image with a loop-back plug at its pins."""

import sys
from pathlib import Path

import pytest

from resume_rig.campaign.preparation.self_measurement import LoopbackPlan, measure_loopback
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DeviceFault
from resume_rig.rig.interface import LoopbackState
from resume_rig.rig.link.open import OpenRig, open_rig
from resume_rig.rig.native.wires import ACTUATOR_PINS, CHANNEL_PINS, DELAY_NS, PinChange, WiredPlug

if not sys.platform.startswith("linux"):
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

MS = 1_000_000
BUTTON = 1 << ACTUATOR_PINS[Actuator.BUTTON]
CHANNELS = sum(1 << pin for pin in CHANNEL_PINS.values())


@pytest.fixture
def plugged(native_image: Path):
    opened = open_rig(f"native:{native_image},seed=7,dut=loopback")
    yield opened
    opened.rig.close()


def test_the_engine_sees_every_change_on_every_channel(plugged: OpenRig) -> None:
    # The gap is twice the plug's delay and more, so that a busy machine spoils nothing.
    plan = LoopbackPlan(Actuator.LID, tuple(CHANNEL_PINS), 10, 80 * MS)
    result = measure_loopback(plugged.rig, plugged.clock, plan)
    assert plugged.plug
    assert result.ended_well
    assert [row.channel for row in result.channels] == list(CHANNEL_PINS)
    # What is sent ahead comes when it should; a thread that is late makes an edge late, not early.
    assert all(row.min_ns >= DELAY_NS - 1 * MS for row in result.channels)


def test_a_loopback_that_runs_keeps_presses_out_and_a_release_ends_it(plugged: OpenRig) -> None:
    rig = plugged.rig
    rig.start_loopback(Actuator.BUTTON, [Channel.LED], 10_000, 50 * MS)
    with pytest.raises(DeviceFault, match="busy"):
        rig.press(Actuator.BUTTON, 5 * MS)
    with pytest.raises(DeviceFault, match="busy"):
        rig.selftest()
    rig.release()
    assert rig.loopback().state is LoopbackState.STOPPED
    rig.press(Actuator.BUTTON, 5 * MS)


def test_a_plug_answers_an_output_on_all_channels_after_its_delay() -> None:
    plug = WiredPlug(1_000, 3)
    assert plug.standing() == [PinChange(0, CHANNELS, 0)]
    assert plug.next_ns() is None
    plug.drive(PinChange(5_000, BUTTON, BUTTON), 0)
    plug.drive(PinChange(5_000, BUTTON, BUTTON), 0)  # told once more, as after a greeting
    changes = plug.live(5_000 + 2 * DELAY_NS)
    assert sum(change.mask for change in changes) == CHANNELS
    assert sum(change.values for change in changes) == CHANNELS
    assert all(change.t_ns >= 5_000 + DELAY_NS - 1_000 for change in changes)
    assert plug.next_ns() is None
    assert plug.log_text_from(0) == b""
    assert plug.log_document() == "<Events/>"


def test_an_edge_that_is_to_be_sent_ahead_comes_no_sooner() -> None:
    plug = WiredPlug(0, 3)
    plug.drive(PinChange(0, BUTTON, BUTTON), 3 * DELAY_NS)
    assert plug.live(3 * DELAY_NS - 1) == []
    assert len(plug.live(3 * DELAY_NS + MS)) == len(CHANNEL_PINS)
