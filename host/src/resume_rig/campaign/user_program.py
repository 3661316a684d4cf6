"""A program of the user's own beside a campaign: no shell sees its words, nobody types to it."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

PREFIX: Final = "RESUME_RIG_"
_STANDARD_ERROR: Final = 2


def start_program(
    words: Sequence[str], told: Mapping[str, str], *, shown: bool = True
) -> "subprocess.Popen[bytes]":
    """Start a program.

    Args:
        words: of the command.
        told: what it finds in its environment, name -> text; each name gets RESUME_RIG_ before it.
        shown: whether what it writes may stand between what the campaign says; else it goes
            nowhere, as standard error is for a machine.

    Raises:
        OSError: it could not be started.
        ValueError: likewise, for a text that an environment cannot hold.
    """
    environment = {**os.environ, **{f"{PREFIX}{name.upper()}": text for name, text in told.items()}}
    return subprocess.Popen(
        list(words),
        env=environment,
        stdin=subprocess.DEVNULL,
        # Standard output is for the answer alone.
        stdout=_STANDARD_ERROR if shown else subprocess.DEVNULL,
        stderr=None if shown else subprocess.DEVNULL,
        start_new_session=True,
    )


def end_program(process: "subprocess.Popen[bytes]") -> None:
    """End a program, and what it started, if it still runs."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        # It leads a session of its own, so its group is what it started, and nothing of ours.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
