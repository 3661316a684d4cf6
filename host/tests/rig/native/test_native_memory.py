"""What the real image keeps over a reset, and what goes with the process."""

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from resume_rig.model.errors import BoardRebooted, DeviceFault
from resume_rig.rig.smp.packet import Group, Operation

if TYPE_CHECKING:
    from .conftest import NativeBoard

if sys.platform == "win32":
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

MS = 1_000_000
OS_RESET = 5
FAULTS = 9
CALIBRATION = 12
RIG_GROUP = 64
NO_STORE = 15

Until = Callable[[Callable[[], bool]], None]


def read(native: "NativeBoard", command: int) -> dict[str, Any]:
    return dict(native.client.request(Operation.READ, RIG_GROUP, command, {}).fields)


def calibrate(native: "NativeBoard", **what: Any) -> dict[str, Any]:
    return dict(native.client.request(Operation.WRITE, RIG_GROUP, CALIBRATION, what).fields)


def reset(native: "NativeBoard", until: Until) -> int:
    """Reset the board; returns the boot id that it had."""
    before = native.rig.info().boot_id
    native.client.request(Operation.WRITE, Group.OS, OS_RESET, {})
    with pytest.raises(BoardRebooted):
        until(lambda: native.rig.levels() == {})
    assert native.rig.info().boot_id != before
    return before


def test_a_calibration_is_in_force_after_a_reset(native: "NativeBoard", until: Until) -> None:
    assert read(native, CALIBRATION)["store"] == "flash"
    assert "cal" not in read(native, CALIBRATION)
    assert calibrate(native, cal=-1234)["cal"] == -1234
    reset(native, until)
    assert native.rig.info().calibration_ppb == -1234
    assert "cal" not in calibrate(native, clear=True)
    reset(native, until)
    assert native.rig.info().calibration_ppb is None


def test_no_calibration_is_kept_while_something_is_driven(native: "NativeBoard") -> None:
    native.rig.lid(closed=True)
    with pytest.raises(DeviceFault) as caught:
        calibrate(native, cal=1)
    assert caught.value.code == NO_STORE
    native.rig.release()
    assert calibrate(native, cal=1)["cal"] == 1


def test_earlier_boots_are_told_newest_first(native: "NativeBoard", until: Until) -> None:
    assert not read(native, FAULTS).get("hist")
    with pytest.raises(DeviceFault):
        native.rig.press(next(iter(native.rig.info().actuators)).actuator, 60_000 * MS)
    boots = [reset(native, until) for _ in range(3)]
    past = read(native, FAULTS)["hist"]
    assert [boot[0] for boot in past] == boots[::-1]
    assert {boot[1] for boot in past} == {"software"}
    assert all(0 < boot[2] < 60_000 * MS for boot in past)
    # boot, reason, up, overruns of edges and light, refusals, leases
    assert [boot[3:] for boot in past] == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]


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
