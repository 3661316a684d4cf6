"""The one tree of exceptions: all that a user can cause, each one sentence.

A sentence has what was attempted, on what, what was found, what is allowed; a command in it is
written as a shell takes it. The command line maps each branch to an exit status and prints no
traceback for it.
"""

import os
import shlex
import subprocess
from pathlib import Path


class ResumeRigError(Exception):
    """The root: an expected failure with a sentence for the user."""


class UsageError(ResumeRigError):
    """An argument, a plan or a profile is not of its form (exit status 2)."""


class RecordError(ResumeRigError):
    """A log, a capture or a store cannot be read (exit status 2)."""


class RigError(ResumeRigError):
    """The rig or the DUT does not do what it should (exit status 3)."""


class LinkLost(RigError):
    """No answer, or no port any more."""


class RigGone(LinkLost):
    """The rig has ended: there is nothing that could come back."""


class ProtocolError(RigError):
    """The other side answered, but not as a rig does."""


class DeviceFault(RigError):
    """The board refused a request with an SMP error.

    Attributes:
        group: SMP group that the code belongs to; 64 is the rig group, -1 an SMP-level `rc`.
        code: the error code of that group (fixtures/wire/rig.cddl names those of group 64).
        left_ns: how much later the request would be taken [ns]; 0 where it does not report it.
    """

    def __init__(self, group: int, code: int, text: str, left_ns: int = 0) -> None:
        super().__init__(text)
        self.group = group
        self.code = code
        self.left_ns = left_ns


class BoardRebooted(RigError):
    """The boot id changed: every stamp from before is on another clock."""


class DutFault(RigError):
    """The DUT did not sleep, did not wake, or stayed dark."""


def shell_word(path: Path | str) -> str:
    """Return a path or an argument as one word of a command that a user copies."""
    if os.name == "nt":
        return subprocess.list2cmdline([str(path)])
    return shlex.quote(str(path))
