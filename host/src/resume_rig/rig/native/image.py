"""A native_sim image as a child process: its start, what it says, and its end.

The image never outlives us: the kernel kills it with the thread that made this object (see
launcher), and `stop` ends it with all that it may have started. It has a process group of its
own, so that Ctrl-C reaches us alone and actuators are released before it goes.
"""

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Final

from resume_rig.model.errors import UsageError
from resume_rig.rig.native import launcher

_TERMINAL: Final = re.compile(rb"^SMP at (/dev/[\x21-\x7e]{1,100})\r?\n", re.MULTILINE)
# Assumed: these decide how much of an image's output is read at once, kept and shown, and when one
# that does not end is killed.
_READ_BYTES: Final = 4096
_KEPT_BYTES: Final = 2048
_SHOWN_CHARACTERS: Final = 200
_GRACE_S: Final = 1.0


def check_image(path: Path) -> None:
    """Refuse what cannot be started.

    Raises:
        UsageError: not Linux, no such file, or not one that this user may execute.
    """
    if not sys.platform.startswith("linux"):
        raise UsageError(f"cannot start {path}: native_sim images run on Linux only")
    if not path.exists():
        raise UsageError(f"cannot start {path}: there is no such file; allowed is a zephyr.exe")
    if not path.is_file() or not os.access(path, os.X_OK):
        raise UsageError(
            f"cannot start {path}: it is no file that this user may execute; allowed is the "
            "zephyr.exe of a native_sim build"
        )


class Image:
    """A started image.

    Args:
        path: of the image; checked by `check_image` before.
        arguments: of its command line.

    Attributes:
        terminal: path of the pseudo-terminal that carries SMP; None until the image has said it.
    """

    def __init__(self, path: Path, arguments: list[str]) -> None:
        self.terminal: str | None = None
        self._path = path
        self._said = b""
        here = [sys.executable, "-I", "-S", str(launcher.__file__), str(os.getpid())]
        self._process = subprocess.Popen(
            [*here, str(path.absolute()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            process_group=0,
        )

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def fileno(self) -> int:
        """Return what select waits on for something that it says."""
        return self._out.fileno()

    def listen(self) -> bool:
        """Take what the image says, after select said that there is something; False at its end."""
        data = os.read(self.fileno(), _READ_BYTES)
        self._said += data
        found = _TERMINAL.search(self._said)
        if self.terminal is None and found is not None:
            self.terminal = found[1].decode("ascii")
        self._said = self._said[-_KEPT_BYTES:]
        return bool(data)

    def exit_clause(self) -> str:
        """End what may be left of an image that fell silent; return how it ended, as a clause."""
        status = self._reap()
        how = f"ended with status {status}"
        if status < 0:
            how = f"was ended by signal {-status}"
            with contextlib.suppress(ValueError):
                how += f" ({signal.Signals(-status).name})"
        return f"{how}{self.last_words()}"

    def last_words(self) -> str:
        """Return the newest thing that it said, as a clause, bounded: it may be anything."""
        lines = self._said.decode("utf-8", "replace").split("\n")
        words = [" ".join(line.split()) for line in lines]
        last = next((line for line in reversed(words) if line), "")
        shown = "".join(c if c.isprintable() else "?" for c in last[:_SHOWN_CHARACTERS])
        return f'; its last words were "{shown}"' if shown else "; it said nothing"

    def stop(self) -> None:
        """End the image, politely first so that an instrumented one can write its findings."""
        if self._process.returncode is None:
            self._signal(signal.SIGTERM)
            self._drain()
        self._reap()
        self._out.close()

    @property
    def _out(self) -> IO[bytes]:
        assert self._process.stdout is not None  # it was asked for
        return self._process.stdout

    def _drain(self) -> None:
        """Wait until everybody who could say something is gone, or the time of grace is over."""
        while select.select([self._out], [], [], _GRACE_S)[0]:
            if not os.read(self.fileno(), _READ_BYTES):
                return

    def _reap(self) -> int:
        if self._process.returncode is None:
            # Before it is waited for, so that its process group cannot be anybody else's yet.
            self._signal(signal.SIGKILL)
        return self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
