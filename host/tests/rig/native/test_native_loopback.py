"""A wire from an output to an input of the real image: the loop-back, kept over a reset."""

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import pytest
from raw_request import reset

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import BoardRebooted
from resume_rig.rig.interface import LoopbackState

if TYPE_CHECKING:
    from .conftest import NativeBoard

if sys.platform == "win32":
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

MS: Final = 1_000_000
CHANGES: Final = 20
WIRE_NS: Final = 3 * MS
GAP_NS: Final = 100 * MS
"""A pulse that does not come back in two of them stops the loop-back: time for a busy machine."""

Until = Callable[[Callable[[], bool]], None]


def follow(native: "NativeBoard", changes: int) -> None:
    """Be the wire: each change of the button's output comes back 3 ms later."""
    for _ in range(changes):
        output = native.wires.next_output()
        native.wires.set(Channel.LED, output.driven, output.host_ns + WIRE_NS)


def test_a_loopback_is_measured_and_kept(native: "NativeBoard", until: Until) -> None:
    native.wires.set(Channel.LED, 0)
    until(lambda: native.rig.levels()[Channel.LED] == 0)
    wire = threading.Thread(target=follow, args=(native, CHANGES), daemon=True)
    wire.start()
    native.rig.start_loopback(Actuator.BUTTON, [Channel.LED], CHANGES, GAP_NS)
    until(lambda: native.rig.loopback().state is LoopbackState.DONE)
    wire.join(60)
    result = native.rig.loopback()
    assert result.ended_well, result
    (channel,) = result.channels
    assert (channel.channel, channel.detected) == (Channel.LED, CHANGES)
    # The simulator counts microseconds; a busy host makes the test's wire slower, never faster.
    assert WIRE_NS - 1_000 <= channel.min_ns <= channel.mean_ns <= channel.max_ns
    kept = native.rig.calibrate(loopback=True)
    reset(native.rig, native.client)
    with pytest.raises(BoardRebooted):
        until(lambda: native.rig.levels() == {})
    assert native.rig.info().boot_id
    assert native.rig.calibration() == kept
    delays = {item.channel: item.delay_ns for item in native.rig.info().channels}
    assert delays[Channel.LED] == channel.mean_ns
    assert delays[Channel.LID] == 0
