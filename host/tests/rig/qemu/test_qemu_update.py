"""Updates through the real bootloader: MCUboot and the image in QEMU's mps2-an385.

The machine's RAM stands in for flash, a file behind it keeps it over a reset and a power cut. Time
is the board's own: a trial lasts so long that no host on a busy machine is late for it, and where a
test waits for its end, the emulator skips the time in which the board is idle.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from resume_rig.model.errors import DeviceFault, RigError
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.request import RigCode, SmpCode
from resume_rig.rig.smp.serial_transport import SerialTransport, open_serial
from resume_rig.rig.update.image import FirmwareImage, parse_image
from resume_rig.rig.update.image_group import ImageGroup
from resume_rig.rig.update.updating import BoardFirmware, Outcome, Updater
from resume_rig.timing.clocks import SystemClock

if sys.platform == "win32":
    pytest.skip("QEMU's pseudo-terminals need Linux", allow_module_level=True)

SECOND: Final = 1_000_000_000
PATIENCE_NS: Final = 300 * SECOND
"""Nothing takes so long, but a machine that is busy with something else."""
FLASH_BYTES: Final = 16 << 20
SLOT_0: Final = 0x20000
QEMU: Final = [
    *("qemu-system-arm", "-machine", "mps2-an385,memory-backend=flash", "-cpu", "cortex-m3"),
    *("-display", "none", "-vga", "none", "-monitor", "none"),
]


class Machine:
    """One emulated board, whose flash outlives its power."""

    def __init__(self, built: Path, flash: Path) -> None:
        self._built = built
        self._flash = flash
        self._console = flash.with_name("console")
        self._process: subprocess.Popen[str] | None = None
        self.port = ""

    def power_on(self, *, skip_idle: bool = False) -> None:
        memory = f"memory-backend-file,id=flash,size=16M,mem-path={self._flash},share=on"
        bootloader = self._built / "bootloader/zephyr/zephyr.elf"
        count = f"shift=6,align=off,sleep={'off' if skip_idle else 'on'}"
        ports = ("-serial", f"file:{self._console}", "-serial", "pty")
        self._process = subprocess.Popen(
            [*QEMU, "-icount", count, *ports, "-object", memory, "-kernel", str(bootloader)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        found = re.search(r"/dev/\S+", self._process.stdout.readline())
        assert found, "QEMU names no pseudo-terminal"
        self.port = found.group()

    def power_off(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def await_line(self, words: str) -> None:
        """Return once the board has written a line with these words since its power came."""
        deadline_ns = time.monotonic_ns() + PATIENCE_NS
        while words not in self._console.read_text("utf-8", "replace"):
            assert time.monotonic_ns() < deadline_ns, f"the board never wrote {words!r}"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def built() -> Path:
    folder = os.environ.get("RESUME_RIG_QEMU_UPDATE")
    if not folder:
        pytest.skip("RESUME_RIG_QEMU_UPDATE names no build of `make firmware-update-test`")
    if shutil.which(QEMU[0]) is None:
        pytest.skip(f"{QEMU[0]} is not installed")
    return Path(folder)


@pytest.fixture
def machine(built: Path, tmp_path: Path) -> Iterator[Machine]:
    flash = bytearray(b"\xff" * FLASH_BYTES)
    old = (built / "old.bin").read_bytes()
    flash[SLOT_0 : SLOT_0 + len(old)] = old
    (tmp_path / "flash").write_bytes(flash)
    found = Machine(built, tmp_path / "flash")
    found.power_on()
    try:
        wait_for_version(found, "0.1.0")  # the bootloader checks the signature first
        yield found
    finally:
        found.power_off()


def updater_of(machine: Machine) -> Updater:
    clock = SystemClock()

    def open_it() -> SerialTransport:
        return open_serial(machine.port, clock, f"serial:{machine.port}")

    return Updater("the board", open_it, clock, lambda _: None, lambda *_: None, PATIENCE_NS)


def image_of(built: Path, name: str) -> FirmwareImage:
    return parse_image((built / name).read_bytes(), name)


def wait_for_version(machine: Machine, version: str) -> BoardFirmware:
    """Return what runs once it is `version`; the test fails here if it never is."""
    clock = SystemClock()
    deadline_ns = clock.now_ns() + PATIENCE_NS
    while clock.now_ns() < deadline_ns:
        try:
            found = updater_of(machine).look()
        except RigError:
            continue
        if found.running is not None and found.running.version == version:
            return found
        clock.sleep_ns(SECOND // 5)
    raise AssertionError(f"the board never ran {version}")


def test_an_update_runs_is_confirmed_and_stays(machine: Machine, built: Path) -> None:
    image = image_of(built, "new.bin")
    done = updater_of(machine).update(image, keep=True)
    assert done.outcome is Outcome.CONFIRMED
    assert done.sent_bytes == len(image.data)
    assert done.before.info is not None
    assert done.after.info is not None
    assert done.before.info.boot_id != done.after.info.boot_id
    machine.power_off()
    machine.power_on()
    after = wait_for_version(machine, "0.2.0")
    assert after.running is not None
    assert after.running.confirmed


def images_at(port: SerialTransport, clock: SystemClock) -> ImageGroup:
    return ImageGroup(port, clock, SmpRig(SmpClient(port, clock)).permit)


def test_an_image_on_trial_is_given_up_when_nobody_confirms_it(
    machine: Machine, built: Path
) -> None:
    image = image_of(built, "new.bin")
    clock = SystemClock()
    port = open_serial(machine.port, clock, "the board")
    group = images_at(port, clock)
    group.upload(image.data, lambda _: None)
    group.try_next(image.hash)
    port.close()
    machine.power_off()
    machine.power_on(skip_idle=True)  # CONFIG_RIG_TRIAL_S go by in seconds
    machine.await_line("Nobody confirmed this image")
    back = wait_for_version(machine, "0.1.0")  # by itself
    assert back.running is not None
    assert back.running.confirmed


def test_an_image_on_trial_does_not_survive_a_power_cut(machine: Machine, built: Path) -> None:
    done = updater_of(machine).update(image_of(built, "new.bin"), keep=False)
    assert done.outcome is Outcome.ON_TRIAL
    assert done.after.running is not None
    assert not done.after.running.confirmed
    machine.power_off()
    machine.power_on()
    back = wait_for_version(machine, "0.1.0")
    assert back.running is not None
    assert back.running.confirmed


def test_the_bootloader_refuses_an_image_signed_with_another_key(
    machine: Machine, built: Path
) -> None:
    with pytest.raises(RigError, match=r"did not stay: the board runs version 0\.1\.0 again"):
        updater_of(machine).update(image_of(built, "foreign.bin"), keep=True)


def test_whoever_has_not_read_the_nonce_writes_nothing(machine: Machine, built: Path) -> None:
    clock = SystemClock()
    port = open_serial(machine.port, clock, "the board")
    blind = ImageGroup(port, clock, lambda: None)
    image = image_of(built, "new.bin")
    for write in (
        lambda: blind.upload(image.data, lambda _: None),
        lambda: blind.try_next(image.hash),
        blind.confirm,
        blind.reset,
    ):
        with pytest.raises(DeviceFault) as caught:
            write()
        assert caught.value.code == RigCode.NO_NONCE
    assert [slot.version for slot in blind.slots()] == ["0.1.0"]
    rig = SmpRig(SmpClient(port, clock))
    assert rig.faults().refusals == 4
    port.close()


def test_an_upload_that_power_cuts_leaves_the_old_image(machine: Machine, built: Path) -> None:
    image = image_of(built, "new.bin")
    clock = SystemClock()

    class PowerCut(Exception):
        pass

    def cut(offset: int) -> None:
        if offset > len(image.data) // 2:
            machine.power_off()
            raise PowerCut

    port = open_serial(machine.port, clock, "the board")
    with pytest.raises(PowerCut):
        images_at(port, clock).upload(image.data, cut)
    port.close()
    machine.power_on()
    assert wait_for_version(machine, "0.1.0").running is not None
    assert updater_of(machine).update(image, keep=True).outcome is Outcome.CONFIRMED


def test_a_broken_off_upload_goes_on_where_it_stopped(machine: Machine, built: Path) -> None:
    image = image_of(built, "new.bin")
    clock = SystemClock()
    offsets: list[int] = []

    class Enough(Exception):
        pass

    def stop(offset: int) -> None:
        offsets.append(offset)
        if offset > len(image.data) // 2:
            raise Enough

    port = open_serial(machine.port, clock, "the board")
    with pytest.raises(Enough):
        images_at(port, clock).upload(image.data, stop)
    port.close()
    again: list[int] = []
    port = open_serial(machine.port, clock, "the board")
    images_at(port, clock).upload(image.data, again.append)
    port.close()
    assert again[0] >= offsets[-1]
    assert again[-1] == len(image.data)


def test_an_image_that_has_not_proved_itself_is_not_confirmed(
    machine: Machine, built: Path
) -> None:
    updater_of(machine).update(image_of(built, "new.bin"), keep=False)
    machine.power_off()
    machine.power_on()  # back to the old one; now arm the new one again without a host's request
    wait_for_version(machine, "0.1.0")
    clock = SystemClock()
    port = open_serial(machine.port, clock, "the board")
    group = images_at(port, clock)
    group.try_next(image_of(built, "new.bin").hash)
    group.reset()
    port.close()
    # Only the image group is spoken to, so no request of the rig group was answered.
    seen: list[int] = []
    deadline_ns = clock.now_ns() + PATIENCE_NS
    while not seen and clock.now_ns() < deadline_ns:
        clock.sleep_ns(SECOND // 5)
        port = open_serial(machine.port, clock, "the board")
        group = images_at(port, clock)
        running = next(slot for slot in group.slots() if slot.active)
        if running.version == "0.2.0":
            with pytest.raises(DeviceFault) as caught:
                group.confirm()
            seen.append(caught.value.code)
        port.close()
    assert seen == [SmpCode.BAD_STATE]
