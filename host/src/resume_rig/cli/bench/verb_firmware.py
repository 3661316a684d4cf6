"""`resume-rig firmware`: which firmware a board runs, and how another one gets onto it.

`update` goes over SMP where MCUboot starts the board, `install` to the drive of a Pico's ROM.
"""

import argparse
import importlib.util
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.terminal.arguments import add_group, add_verb, duration_ns
from resume_rig.cli.terminal.console import (
    DONE,
    answer,
    answer_document,
    print_note,
    somebody_reads_notes,
)
from resume_rig.model.errors import RigError, UsageError
from resume_rig.report.text.terminal_text import LINE_START, joined

if TYPE_CHECKING:
    from resume_rig.model.clock import Clock
    from resume_rig.model.rig_url import RigUrl
    from resume_rig.rig.interface import RigInfo
    from resume_rig.rig.link.client import SmpRig
    from resume_rig.rig.update.image import FirmwareImage, Uf2Image
    from resume_rig.rig.update.updating import BoardFirmware, Updater

_RETURN_NS = 120_000_000_000
# Assumed: for a system to mount a drive, or to list a port again; it takes some seconds.
_DRIVE_NS = 30_000_000_000
_LOOK_AGAIN_NS = 250_000_000
_SWAP_HELP = (
    "how long the board may stay away: after a lost link, and while the bootloader swaps images "
    "(default 120s)"
)


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb, and its own verbs, to the command line."""
    actions = add_group(
        verbs,
        "firmware",
        "report which firmware a board runs, install one, and update it",
        "  resume-rig firmware status --rig serial:/dev/ttyACM0",
    )
    status = add_verb(
        actions,
        "status",
        "report which images the board's slots hold, and which one runs",
        "  resume-rig firmware status --rig serial:/dev/ttyACM0",
    )
    _add_board_arguments(status)
    status.set_defaults(execute=execute_status)
    update = add_verb(
        actions,
        "update",
        "send a signed image, let the board try it, and keep it once it has proved itself",
        "  resume-rig firmware update nucleo_h743zi.signed.bin --rig serial:/dev/ttyACM0",
    )
    update.add_argument("image", metavar="IMAGE", type=Path, help="an image signed for MCUboot")
    _add_board_arguments(update)
    keeping = update.add_mutually_exclusive_group()
    keeping.add_argument(
        "--confirm",
        action="store_true",
        help="keep the image once it has proved itself (default)",
    )
    keeping.add_argument(
        "--test", action="store_true", help="only try the image: the next reset takes it back"
    )
    update.set_defaults(execute=execute_update)
    _add_install(actions)


def _add_install(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    install = add_verb(
        actions,
        "install",
        "copy a UF2 to the drive that a Pico shows while its BOOTSEL bootloader runs",
        "  resume-rig firmware install zephyr.uf2\n"
        "  resume-rig firmware install zephyr.uf2 --rig serial:/dev/ttyACM0",
    )
    install.add_argument("image", metavar="UF2", type=Path, help="an image for the board's ROM")
    install.add_argument(
        "--rig",
        metavar="URL",
        help="serial:PORT of a board that runs this firmware: it is asked to start its "
        "bootloader, and waited for afterwards (default: you have held BOOTSEL down)",
    )
    install.add_argument(
        "--drive", metavar="FOLDER", type=Path, help="where the drive is (default: look for it)"
    )
    install.add_argument(
        "--wait",
        metavar="TIME",
        type=duration_ns,
        default=_DRIVE_NS,
        help="how long to look for the drive, and for the board afterwards (default 30s)",
    )
    install.set_defaults(execute=execute_install)


def execute_status(args: argparse.Namespace) -> int:
    """Report what the board's slots hold."""
    found = _updater(args).look()
    if args.json:
        document = {"schema": "resume-rig/firmware-status/1", **_board_fields(found)}
        answer_document(document)
        return DONE
    answer([f"{_board_line(found)}\n", *(f"{line}\n" for line in _slot_lines(found))])
    return DONE


def execute_update(args: argparse.Namespace) -> int:
    """Check the image, send it, and report what the board runs then."""
    from resume_rig.rig.update.image import MAX_IMAGE_BYTES, parse_image

    image = parse_image(_read_bytes(args.image, MAX_IMAGE_BYTES), str(args.image))
    done = _updater(args).update(image, keep=not args.test)
    if args.json:
        document = {
            "schema": "resume-rig/firmware-update/1",
            "outcome": str(done.outcome),
            "image": _image_fields(args.image, image),
            "sent_bytes": done.sent_bytes,
            "resumptions": done.resumptions,
            "before": _board_fields(done.before),
            "after": _board_fields(done.after),
        }
        answer_document(document)
        return DONE
    states = {
        "confirmed": "and it is confirmed",
        "on-trial": "on trial: the next reset takes it back, unless it is updated to once more "
        "without --test",
        "nothing-to-do": "as it did before",
    }
    answer([f"The board runs version {image.version}, {states[done.outcome]}.\n"])
    return DONE


def execute_install(args: argparse.Namespace) -> int:
    """Check the image, start the board's bootloader, copy, and report what runs then."""
    from resume_rig.rig.update.drive import await_drive, install
    from resume_rig.rig.update.image import MAX_UF2_BYTES, parse_uf2
    from resume_rig.timing.clocks import SystemClock

    image = parse_uf2(_read_bytes(args.image, MAX_UF2_BYTES), str(args.image))
    clock = SystemClock()
    if args.rig is not None:
        _start_bootloader(args.rig, image, clock)
        print_note("The board starts its bootloader; waiting for the drive.")
    drive = await_drive(image, clock, args.wait, args.drive)
    print_note(f"Copying {len(image.data)} bytes to {drive.path} ...")
    install(image, drive, clock)
    info = None if args.rig is None else _await_board(args.rig, clock, args.wait)
    if args.json:
        document = {
            "schema": "resume-rig/firmware-install/1",
            "image": {
                "path": str(args.image),
                "family": image.family.name,
                "pages": image.pages,
                "size_bytes": len(image.data),
            },
            "drive": str(drive.path),
            "board": None if info is None else info.board,
            "firmware": None if info is None else info.firmware,
        }
        answer_document(document)
    elif info is None:
        answer(["The board took the image and started it; look with: resume-rig doctor\n"])
    else:
        answer([f"{info.board} runs firmware {info.firmware}.\n"])
    return DONE


def _rig_at(url: "RigUrl", clock: "Clock") -> "SmpRig":
    from resume_rig.rig.link.client import SmpRig
    from resume_rig.rig.link.open import open_port
    from resume_rig.rig.smp.client import SmpClient

    return SmpRig(SmpClient(open_port(url, clock), clock, secrets.randbits(8)))


def _start_bootloader(url: "RigUrl", image: "Uf2Image", clock: "Clock") -> None:
    """Ask the board for its bootloader, unless the image is for another chip.

    Raises:
        UsageError: the image is for another chip.
        RigError: the board does not answer, refuses, or has no such bootloader.
    """
    rig = _rig_at(url, clock)
    try:
        board = rig.info().board
        if image.family.name.lower() not in board:
            raise UsageError(
                f"could not install on {url}: it is a {board}, and the image is for "
                f"{image.family.name}"
            )
        rig.leave_for_bootloader()
    finally:
        rig.close()


def _await_board(url: "RigUrl", clock: "Clock", wait_ns: int) -> "RigInfo":
    """Return who answers once the new image runs.

    Raises:
        RigError: nobody does in time.
    """
    deadline_ns = clock.now_ns() + wait_ns
    while True:
        try:
            rig = _rig_at(url, clock)
            try:
                return rig.info()
            finally:
                rig.close()
        except RigError as error:
            if clock.now_ns() >= deadline_ns:
                raise RigError(
                    f"the board took the image, and did not answer at {url} within "
                    f"{wait_ns / 1e9:g} s: {error}; its port may have another name now"
                ) from error
        clock.sleep_ns(_LOOK_AGAIN_NS)


def _add_board_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rig",
        metavar="URL",
        required=True,
        help="serial:PORT, socket:HOST:PORT or rfc2217:HOST:PORT",
    )
    parser.add_argument(
        "--wait", metavar="TIME", type=duration_ns, default=_RETURN_NS, help=_SWAP_HELP
    )


def _updater(args: argparse.Namespace) -> "Updater":
    """Return what updates the board that the arguments name.

    Raises:
        UsageError: smpclient is not installed.
    """
    if importlib.util.find_spec("smpclient") is None:
        raise UsageError(
            "could not speak to the board's image group: smpclient is not installed; install it "
            'with: pip install "resume-rig[dfu]"'
        )
    from resume_rig.rig.link.open import open_port
    from resume_rig.rig.update.updating import Updater
    from resume_rig.timing.clocks import SystemClock

    clock = SystemClock()
    return Updater(
        name=args.rig,
        open_port=lambda: open_port(args.rig, clock),
        clock=clock,
        on_step=print_note,
        on_offset=_Progress(),
        return_ns=args.wait,
    )


class _Progress:
    """Shows how far an upload is: in place on a terminal, every tenth elsewhere."""

    def __init__(self) -> None:
        self._live = somebody_reads_notes()
        self._tenths = -1

    def __call__(self, offset_bytes: int, image_bytes: int) -> None:
        percent = 100 * offset_bytes // image_bytes
        if self._live:
            line_end = "\n" if offset_bytes == image_bytes else ""
            sent = f"sent {offset_bytes} of {image_bytes} bytes ({percent} %)"
            print_note(joined(LINE_START, sent), end=line_end)
        elif percent // 10 != self._tenths:
            self._tenths = percent // 10
            print_note(f"sent {offset_bytes} of {image_bytes} bytes ({percent} %)")


def _read_bytes(path: Path, most: int) -> bytes:
    if path.exists() and not path.is_file():  # a device never ends, a pipe never begins
        raise UsageError(f"could not read the image {path}: it is a folder or a device")
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise UsageError(
            f"could not read the image {path}: {error.strerror or error}; name a file"
        ) from error
    if len(data) > most:
        raise UsageError(
            f"could not send {path}: it has more than {most} bytes, and no board has such a slot"
        )
    return data


def _image_fields(path: Path, image: "FirmwareImage") -> dict[str, object]:
    return {
        "path": str(path),
        "version": image.version,
        "hash": image.hash.hex(),
        "board": image.board,
        "size_bytes": len(image.data),
    }


def _board_fields(found: "BoardFirmware") -> dict[str, object]:
    info = found.info
    return {
        "board": None if info is None else info.board,
        "firmware": None if info is None else info.firmware,
        "boot_id": None if info is None else info.boot_id,
        "slots": [
            {
                "slot": slot.number,
                "version": slot.version,
                "hash": None if slot.hash is None else slot.hash.hex(),
                "active": slot.active,
                "confirmed": slot.confirmed,
                "pending": slot.pending,
                "permanent": slot.permanent,
            }
            for slot in found.slots
        ],
    }


def _board_line(found: "BoardFirmware") -> str:
    if found.info is None:
        return "The rig of the image that runs did not start; the board can only be updated."
    return f"{found.info.board} runs firmware {found.info.firmware}."


def _slot_lines(found: "BoardFirmware") -> list[str]:
    lines = []
    for slot in found.slots:
        words = [
            word
            for word, true in (
                ("runs", slot.active),
                ("confirmed", slot.confirmed),
                ("on trial", slot.active and not slot.confirmed),
                ("to be tried at the next reset", slot.pending),
            )
            if true
        ]
        short = "no hash" if slot.hash is None else slot.hash.hex()[:16]
        lines.append(f"slot {slot.number}  {slot.version:<12} {short}  {', '.join(words)}".rstrip())
    return lines
