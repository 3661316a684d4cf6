"""Which boards are plugged in, and which process has a rig.

A serial port is exclusive anyway, but its refusal does not name who has it. So a claim leaves a
note, one for each port, in the folder for temporary files; it is held by a lock that dies with its
process, and means nothing while that is free.
"""

import getpass
import hashlib
import os
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from serial.tools import list_ports

from resume_rig.model.errors import LinkLost
from resume_rig.rig.smp.serial_transport import port_key

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_MOST_BYTES: Final = 400
_LOCKED_AT: Final = 1 << 20
"""Windows locks bytes against reading, too: one far behind the note."""


@dataclass(frozen=True, slots=True)
class FoundPort:
    """A serial port of a USB device.

    Attributes:
        path: of the port; `serial:PATH` is its URL.
        usb_serial: serial number of the device; it is the same in every port.
        product: what the device calls itself; text of the device's, bound and escape it.
    """

    path: str
    usb_serial: str
    product: str


def found_ports() -> tuple[FoundPort, ...]:
    """Return the ports of USB devices that have a serial number, by that number."""
    ports = [
        FoundPort(port.device, port.serial_number, port.product or port.description or "")
        for port in list_ports.comports()
        if port.serial_number
    ]
    return tuple(sorted(ports, key=lambda port: (port.usb_serial, port.path)))


@dataclass(slots=True)
class Claim:
    """A rig that this process has; `release` gives it back, and so does the process's end."""

    _file: int | None

    def release(self) -> None:
        """Give the rig back; may be called twice."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def claim_rig(url: str, who: str, since_utc: str) -> Claim:
    """Note that this process has the rig at `url`, for as long as the claim is held.

    Args:
        url: of the rig. Simulated benches belong to their process and need no claim.
        who: the program, as the next one shall read it.
        since_utc: now, likewise.

    Raises:
        LinkLost: another process has it; the sentence names it.
    """
    place = _place_of(url)
    if place is None:
        return Claim(None)
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        file = os.open(place, flags, 0o644)
    except OSError:
        # Another user's note, or no folder to write to: the port itself still refuses a second.
        return Claim(None)
    if not _is_own_note(file):
        os.close(file)
        return Claim(None)
    if not _locked(file):
        holder = _read(file)
        os.close(file)
        raise LinkLost(
            f"could not open the rig {url}: {holder} has it; wait until it is done, or end it"
        )
    note = f"{who}, process {os.getpid()} of {_user()}, since {since_utc}"
    os.ftruncate(file, 0)
    os.write(file, note.encode("utf-8")[:_MOST_BYTES])
    return Claim(file)


def _place_of(url: str) -> Path | None:
    scheme, _, rest = url.partition(":")
    if scheme in ("sim", "native"):
        return None
    name = rest.removeprefix("//")
    if scheme == "serial":
        name = port_key(rest) if sys.platform == "win32" else os.path.realpath(rest)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"resume-rig-{digest}.claim"


def _is_own_note(file: int) -> bool:
    """Return whether a file is no pipe, no other user's, and no other file's second name.

    The folder is everybody's: what was put there under the note's name is neither believed nor
    written to.
    """
    found = os.fstat(file)
    return (
        stat.S_ISREG(found.st_mode)
        and found.st_nlink == 1
        and (sys.platform == "win32" or found.st_uid == os.geteuid())
    )


def _locked(file: int) -> bool:
    try:
        if sys.platform == "win32":
            os.lseek(file, _LOCKED_AT, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _read(file: int) -> str:
    """Return the text of a note; anybody may have written it."""
    os.lseek(file, 0, os.SEEK_SET)
    text = os.read(file, _MOST_BYTES).decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "?" for c in text) or "another process"


def _user() -> str:
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "an unnamed user"
