"""What the real image keeps over a reset, and what goes with the process."""

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from raw_request import RESET

from resume_rig.model.channel import Actuator
from resume_rig.model.errors import BoardRebooted, DeviceFault
from resume_rig.rig.smp.request import RigCode

if TYPE_CHECKING:
    from .conftest import NativeBoard

if sys.platform == "win32":
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

MS = 1_000_000

Until = Callable[[Callable[[], bool]], None]


def reset(native: "NativeBoard", until: Until) -> int:
    """Reset the board; returns the boot id that it had."""
    before = native.rig.info().boot_id
    native.rig.permit()
    native.client.request(RESET)
    with pytest.raises(BoardRebooted):
        until(lambda: native.rig.levels() == {})
    assert native.rig.info().boot_id != before
    return before


def test_a_calibration_is_in_force_after_a_reset(native: "NativeBoard", until: Until) -> None:
    before = native.rig.calibration()
    assert (before.store, before.crystal, before.clock_ppb) == ("flash", True, None)
    assert native.rig.calibrate(clock_ppb=-1234).clock_ppb == -1234
    reset(native, until)
    assert native.rig.info().calibration_ppb == -1234
    assert native.rig.calibrate(clear=True).clock_ppb is None
    reset(native, until)
    assert native.rig.info().calibration_ppb is None


def test_no_calibration_is_kept_while_something_is_driven(native: "NativeBoard") -> None:
    native.rig.lid(closed=True)
    with pytest.raises(DeviceFault) as caught:
        native.rig.calibrate(clock_ppb=1)
    assert caught.value.code == RigCode.BUSY
    native.rig.release()
    assert native.rig.calibrate(clock_ppb=1).clock_ppb == 1


def test_earlier_boots_are_told_newest_first(native: "NativeBoard", until: Until) -> None:
    assert native.rig.faults().history == ()
    with pytest.raises(DeviceFault):
        native.rig.press(Actuator.BUTTON, 60_000 * MS)
    boots = [reset(native, until) for _ in range(3)]
    past = native.rig.faults().history
    assert [boot.boot_id for boot in past] == boots[::-1]
    assert {boot.reset_reason for boot in past} == {"software"}
    assert all(0 < boot.uptime_ns < 60_000 * MS for boot in past)
    assert [boot.refusals for boot in past] == [0, 0, 1]
    assert {(boot.edge_overruns, boot.light_overruns, boot.lease_expiries) for boot in past} == {
        (0, 0, 0)
    }


def test_the_light_is_still_there_after_a_reset(native: "NativeBoard", until: Until) -> None:
    native.wires.set_light_mv(1650)
    native.clock.sleep_ns(20 * MS)
    reset(native, until)
    native.rig.arm_light(30 * MS)
    native.clock.sleep_ns(60 * MS)
    blocks = native.rig.light(0, 20).blocks
    assert [(block.minimum, block.mean, block.maximum) for block in blocks] == [
        (2047, 2047, 2047)
    ] * len(blocks)
    assert len(blocks) == 20
    assert all(after.t_ns - before.t_ns == MS for before, after in pairwise(blocks[1:]))


def test_flash_is_a_file_only_where_somebody_named_one(native_image: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    for name, argument in (("without", []), ("with", [f"--flash={kept}"])):
        folder = tmp_path / name
        folder.mkdir()
        with subprocess.Popen(
            [str(native_image.absolute()), *argument],
            stdout=subprocess.PIPE,
            cwd=folder,
        ) as process:
            assert process.stdout is not None
            while b"resume-rig" not in (line := process.stdout.readline()):
                assert line
            process.terminate()
        assert list(folder.iterdir()) == []
        assert kept.exists() == bool(argument)
