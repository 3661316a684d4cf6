"""A program of the user's for a campaign: the way to the DUT's OS, or its supply's switch."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final, Protocol

from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.interface import Ended

PREFIX: Final = "RESUME_RIG_"
_STANDARD_ERROR: Final = 2
_LAST_OUTPUT_S: Final = 0.2

OUTPUT_BYTES_MOST: Final = 256 * 1024
"""Assumed: what a person reads of a program; one that ran wild wrote 3.4 GB in 13 s."""

_QUOTED: Final = re.compile(r"([\"']).*\1", re.DOTALL)


if sys.platform == "win32":
    import ctypes
    from ctypes.wintypes import BOOL, HANDLE, LPCWSTR, LPVOID, UINT

    # CreateProcess's flag, which subprocess has no name for.
    _SUSPENDED: Final = 0x4
    _kernel = ctypes.WinDLL("kernel32")
    _create_job = _kernel.CreateJobObjectW
    _create_job.argtypes, _create_job.restype = (LPVOID, LPCWSTR), HANDLE
    _assign = _kernel.AssignProcessToJobObject
    _assign.argtypes, _assign.restype = (HANDLE, HANDLE), BOOL
    _terminate_job = _kernel.TerminateJobObject
    _terminate_job.argtypes, _terminate_job.restype = (HANDLE, UINT), BOOL
    _close_handle = _kernel.CloseHandle
    _close_handle.argtypes, _close_handle.restype = (HANDLE,), BOOL
    # kernel32 wakes threads alone, and subprocess keeps no handle of the first one.
    _let_run = ctypes.WinDLL("ntdll").NtResumeProcess
    _let_run.argtypes, _let_run.restype = (HANDLE,), ctypes.c_long

    class _Family:
        """A program and what it starts: a job object, which it is in before it runs."""

        FLAGS: Final = _SUSPENDED

        def __init__(self, process: "subprocess.Popen[bytes]") -> None:
            handle = int(process._handle)  # type: ignore[attr-defined]
            self._job = _create_job(None, None)
            # A system that refuses this lets the program alone be ended.
            _assign(self._job, handle)
            if _let_run(handle) < 0:
                process.kill()

        def end(self) -> None:
            """End all of them."""
            if self._job:
                _terminate_job(self._job, 1)

        def forget(self) -> None:
            """Let those that are left live on."""
            job, self._job = self._job, None
            if job:
                _close_handle(job)

else:

    class _Family:
        """A program and what it starts: the group of a program that leads a session."""

        FLAGS: Final = 0

        def __init__(self, process: "subprocess.Popen[bytes]") -> None:
            self._leader = process.pid

        def end(self) -> None:
            """End all of them."""
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader, signal.SIGKILL)

        def forget(self) -> None:
            """Let those that are left live on."""


def _pass_on(output: IO[bytes], program: str) -> None:
    """Write what a program writes to standard error, its beginning alone; the rest is read."""
    left = OUTPUT_BYTES_MOST
    with output, contextlib.suppress(OSError, ValueError):
        while chunk := os.read(output.fileno(), 65_536):
            if left <= 0:
                continue
            _write(chunk[:left])
            left -= len(chunk)
            if left <= 0:
                most = f"more than {OUTPUT_BYTES_MOST // 1024} KiB"
                _write(f"\nresume-rig: {program} wrote {most}; the rest is cut off\n".encode())


def _write(data: bytes) -> None:
    # Standard output is for the answer alone.
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(_STANDARD_ERROR, data) :]


class UserProgram:
    """A program that was started.

    Args:
        words: of the command.
        variables: what it finds in its environment, name -> text; each name gets RESUME_RIG_ before
            it.
        shown: whether what it writes may stand between lines of the campaign, up to
            `OUTPUT_BYTES_MOST`; else it goes nowhere, as standard error is for a machine.

    Raises:
        OSError: it could not be started.
        ValueError: likewise, for a text that an environment cannot hold.
    """

    def __init__(
        self, words: Sequence[str], variables: Mapping[str, str], *, shown: bool = True
    ) -> None:
        self._output: threading.Thread | None = None
        own = {f"{PREFIX}{name.upper()}": text for name, text in variables.items()}
        self._process = subprocess.Popen(
            list(words),
            env={**os.environ, **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if shown else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if shown else subprocess.DEVNULL,
            start_new_session=True,
            creationflags=_Family.FLAGS,
        )
        self._family = _Family(self._process)
        if self._process.stdout is not None:
            passing = (self._process.stdout, words[0])
            self._output = threading.Thread(target=_pass_on, args=passing, daemon=True)
            self._output.start()

    def status(self, wait_s: float = 0) -> int | None:
        """Return its exit status; None where it still runs after so many seconds."""
        try:
            status = self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            return None
        self._family.forget()
        if self._output is not None:
            # What it started may write on, and is not waited for.
            self._output.join(_LAST_OUTPUT_S)
            self._output = None
        return status

    def end(self) -> None:
        """End it, and what it started, if it still runs."""
        if self._process.poll() is None:
            self._family.end()
            self._process.kill()
            self._process.wait()
        self._family.forget()


def command_words(text: str) -> tuple[str, ...]:
    """Return a command as words; no shell sees it.

    Raises:
        UsageError: quotes are not closed, or nothing is there.
    """
    try:
        words = tuple(shlex.split(text, posix=os.name != "nt"))
        if os.name == "nt":  # a backslash is no escape there, and quotes are left to programs
            words = tuple(word[1:-1] if _QUOTED.fullmatch(word) else word for word in words)
    except ValueError as error:
        raise UsageError(f"could not use the command {text!r}: {error}") from error
    if not words:
        raise UsageError("could not use an empty command; name a program")
    return words


def program_words(text: str) -> tuple[str, ...]:
    """Return a command as words, of a program that is there.

    A campaign that looks for it at its first failure finds out at night that it is missing.

    Raises:
        UsageError: as `command_words`, or there is no such program.
    """
    words = command_words(text)
    if shutil.which(words[0]) is None:
        raise UsageError(
            f"could not use the command {text!r}: there is no program {words[0]!r} that this user "
            "may run, in the folders of PATH or at that path"
        )
    return words


class _ProgramRunner:
    """Runs a program of the user's anew for each thing that it is asked for.

    Args:
        words: of the command (`program_words`); no shell sees them.
        variables: what it finds in its environment as well, name -> text.
        shown: whether what it writes may stand between lines of the campaign.
    """

    def __init__(
        self, words: Sequence[str], variables: Mapping[str, str], *, shown: bool = True
    ) -> None:
        self._words = words
        self._variables = variables
        self._shown = shown
        self._program: UserProgram | None = None

    def _begin(self, asked: Mapping[str, str]) -> str | None:
        """Run it, in place of one that still runs; return why it could not be run."""
        self._end()
        try:
            self._program = UserProgram(
                self._words, {**self._variables, **asked}, shown=self._shown
            )
        except (OSError, ValueError) as error:
            return f"the command {self._words[0]} could not be run: {error}"
        return None

    def _end(self) -> None:
        if self._program is not None:
            self._program.end()
        self._program = None


class UserControl(_ProgramRunner):
    """A DutControl: the program finds RESUME_RIG_ASK = sleep, arm-timer, disarm-timer or greet.

    Exit status 0 is success. It finds RESUME_RIG_STATE (S3, S4, S5, ...) with `sleep`, and
    RESUME_RIG_AFTER_S, whole seconds, with `arm-timer`.
    """

    _failed: Ended | None = None

    def prepare(self, states: Collection[SleepKind], *, reports: bool = False) -> None:
        """Nobody knows what the program can do until it is asked.

        Raises:
            UsageError: it is to report, and nobody reads what it writes.
        """
        del states
        if reports:
            raise UsageError(
                "the plan asks for health reports, and a --sleep-command gives none; allowed are "
                "--dut-shell ssh:USER@HOST without it, or health = false"
            )

    def sleep(self, state: SleepKind) -> None:
        """Begin to send the DUT into a state."""
        self._start({"ask": "sleep", "state": state_word(state)})

    def arm_timer(self, after_ns: int) -> None:
        """Begin to arm the DUT's clock."""
        self._start({"ask": "arm-timer", "after_s": str(-(-after_ns // NS_PER_S))})

    def disarm_timer(self) -> None:
        """Begin to let the DUT's clock forget the wake."""
        self._start({"ask": "disarm-timer"})

    def greet(self) -> None:
        """Begin to see whether the DUT's OS answers."""
        self._start({"ask": "greet"})

    def report(self) -> None:
        """Begin nothing: `prepare` refuses a campaign that asks for it."""
        self.close()
        self._failed = Ended(ok=False, text="a --sleep-command gives no health report")

    def ended(self) -> Ended | None:
        """Return how the program ended; None while it runs."""
        if self._program is None:
            return self._failed or Ended(ok=False, reached=False, text="nothing was asked")
        status = self._program.status()
        if status is None:
            return None
        text = f"the command {self._words[0]} ended with status {status}" if status else ""
        return Ended(ok=status == 0, text=text)

    def close(self) -> None:
        """End the program if it still runs."""
        self._end()

    def _start(self, asked: Mapping[str, str]) -> None:
        why = self._begin(asked)
        self._failed = None if why is None else Ended(ok=False, reached=False, text=why)


class PowerCommand(_ProgramRunner):
    """A PowerSwitch: the program finds RESUME_RIG_POWER = off or on; exit status 0 is success.

    Attributes:
        problem: why the last one failed, in a sentence without a full stop; None where it did not.
    """

    problem: str | None = None

    def start(self, *, on: bool) -> None:
        """Run the command."""
        self.problem = self._begin({"power": "on" if on else "off"})

    def succeeded(self) -> bool | None:
        """Return whether it ended with status 0; None while it runs."""
        if self._program is None:
            return False
        status = self._program.status()
        if status:
            self.problem = f"the command {self._words[0]} ended with status {status}"
        return None if status is None else status == 0

    def stop(self) -> None:
        """End the command if it still runs."""
        self._end()


class PowerSwitch(Protocol):
    """Cuts the supply of the DUT and gives it back; asked again and again, it never blocks."""

    def start(self, *, on: bool) -> None:
        """Begin to switch."""
        ...

    def succeeded(self) -> bool | None:
        """Return whether the switch that was begun last did its work; None while it works."""
        ...

    def stop(self) -> None:
        """Give up what was begun."""
        ...


class Person(Protocol):
    """Somebody who can look at the DUT; asked again and again, it never blocks."""

    def ask(self, text: str) -> None:
        """Show a sentence that asks for what is to be done."""
        ...

    def answered(self) -> bool:
        """Return whether the person answered that it is done."""
        ...


@dataclass(frozen=True, slots=True)
class OutsideHelp:
    """What a campaign may use besides the rig; None where there is none."""

    power: PowerSwitch | None = None
    person: Person | None = None


NO_HELP = OutsideHelp()
