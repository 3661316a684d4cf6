"""The log of the PC that this runs on: exported as a file, or followed as it grows.

It is asked for as a DUT's is over SSH, without SSH: on Windows by wevtutil, on Linux by journalctl.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from resume_rig.campaign.dut.shell import COMMAND_LIMIT_NS, DutKind, RunningCommand
from resume_rig.model.clock import Clock
from resume_rig.model.errors import RecordError, UsageError

_NAMES: Final = {
    DutKind.WINDOWS: "the System log of this PC",
    DutKind.LINUX: "the kernel's journal of this PC",
}
_RIGHTS: Final = {
    DutKind.WINDOWS: "this user needs to be in the group Event Log Readers",
    DutKind.LINUX: "this user needs to be in the group systemd-journal",
}
WEVTUTIL: Final = "wevtutil:"
DELAYS_CHANNEL: Final = "Microsoft-Windows-Diagnostics-Performance/Operational"
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,252}")
# Exporting 20 MB of events took 2 s; assumed: a full log on a slow disk takes a minute.
_EXPORT_S: Final = 120
_NO_JOURNAL: Final = b"No journal files were found"
_REASON_CHARS: Final = 200


def own_kind(platform: str = sys.platform) -> DutKind:
    """Return what kind of OS this is.

    Raises:
        RecordError: one that has neither wevtutil nor journalctl.
    """
    match platform:
        case "win32":
            return DutKind.WINDOWS
        case "linux":
            return DutKind.LINUX
        case _:
            raise RecordError(
                f"could not read the log of this PC: its system is {platform}, allowed are Windows "
                "and Linux; name log files of another PC"
            )


def own_name(kind: DutKind) -> str:
    """Return what sentences call the log of this PC."""
    return _NAMES[kind]


def export_own_log(folder: Path, kind: DutKind) -> Path:
    """Write the log of this PC into a folder, and return the file.

    Windows: the whole System log, by EvtExportLog. Linux: the kernel's messages since it started.

    Raises:
        RecordError: there is no such program, this user has not the right, or there is no log.
    """
    name, rights = _NAMES[kind], _RIGHTS[kind]
    if kind is DutKind.WINDOWS:
        path, output = folder / "System.evtx", folder / "messages"
        words = ["wevtutil", "epl", "System", str(path)]
    else:
        path = output = folder / "journal.json"
        words = ["journalctl", "-k", "-o", "json", "--no-pager"]
    try:
        with output.open("wb") as messages:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=messages,
                stderr=subprocess.PIPE,
                timeout=_EXPORT_S,
                check=False,
            )
    except OSError as error:
        raise RecordError(
            f"could not read {name}: there is no {words[0]} that can be started "
            f"({error.strerror or error}); name a log file"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise RecordError(
            f"could not read {name}: {words[0]} did not end within {_EXPORT_S} s; name a log file"
        ) from error
    if done.returncode or not path.is_file() or not path.stat().st_size:
        if kind is DutKind.LINUX and (_NO_JOURNAL in done.stderr or _may_read_all()):
            rights = "name a log file"
        raise RecordError(f"could not read {name}: {_reason(words[0], done)}; {rights}")
    return path


def export_own_delays(folder: Path, kind: DutKind) -> Path | None:
    """Write Windows' log of what it calls slow into a folder; None where there is none to have.

    It is asked for after the System log, whose errors name what wevtutil or the rights lack.
    """
    if kind is not DutKind.WINDOWS:
        return None
    path = folder / "Delays.evtx"
    try:
        subprocess.run(
            ["wevtutil", "epl", DELAYS_CHANNEL, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_EXPORT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return path if path.is_file() and path.stat().st_size else None


def _may_read_all() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _reason(program: str, done: "subprocess.CompletedProcess[bytes]") -> str:
    message = " ".join(done.stderr.decode("utf-8", "replace").split())[:_REASON_CHARS].rstrip(".")
    what = f"ended with status {done.returncode}" if done.returncode else "gave no event"
    return f"{program} {what}" + (f" ({message})" if message else "")


class ThisPc:
    """Runs commands where this runs; `ssh_log.SshLog` asks it as it asks a DUT.

    With a `host` they read the log of that other Windows PC, by this one's wevtutil.
    """

    def __init__(self, clock: Clock, kind: DutKind, host: str | None = None) -> None:
        self.text = _NAMES[kind] if host is None else f"{WEVTUTIL}{host}"
        self._clock = clock
        self._kind = kind
        self._more = "" if host is None else f" /r:{host}"

    def line(self, command: str) -> str:
        """Return the command line, which programs of Windows split by themselves."""
        return command + self._more

    def begin(self, command: str, limit_ns: int = COMMAND_LIMIT_NS) -> RunningCommand:
        """Start a command.

        Raises:
            RecordError: there is no such program.
        """
        is_windows = self._kind is DutKind.WINDOWS
        words = self.line(command) if is_windows else ["sh", "-c", command]
        return RunningCommand(words, self._clock, self.text, limit_ns, "no such program")

    def try_next_host(self) -> None:
        """There is only one."""

    def stated_kind(self) -> DutKind:
        """Return its kind, which nobody has to ask for."""
        return self._kind


def remote_event_log(text: str, clock: Clock, platform: str = sys.platform) -> ThisPc:
    """Return what reads the log in `wevtutil:HOST`, as this user, over Windows' own RPC.

    Raises:
        UsageError: it is not of that form, or this is no Windows.
    """
    host = text.removeprefix(WEVTUTIL)
    if not _HOST.fullmatch(host):
        raise UsageError(f"could not read a log at {text[:80]!r}: allowed is {WEVTUTIL}HOST")
    if platform != "win32":
        raise UsageError(
            f"could not read a log at {text!r}: only Windows has wevtutil; allowed here are a "
            "file, a folder and ssh:USER@HOST"
        )
    return ThisPc(clock, DutKind.WINDOWS, host)
