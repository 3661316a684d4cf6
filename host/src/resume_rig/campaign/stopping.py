"""How a campaign ends early: what it must do whatever else happens, and what it says."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from resume_rig.model.errors import (
    BoardRebooted,
    DeviceFault,
    DutFault,
    LinkLost,
    ProtocolError,
    RigError,
)
from resume_rig.model.shell_word import shell_word
from resume_rig.model.verdict import Finding, FindingKind

# Somebody who presses Ctrl-C over and over gets out; the lease then lets go of the actuators.
MOST_INTERRUPTS = 3


def insist(action: Callable[[], None]) -> None:
    """Do what must be done, again if Ctrl-C strikes in between; `action` may run twice."""
    for _ in range(MOST_INTERRUPTS):
        with contextlib.suppress(KeyboardInterrupt):
            action()
            return
    action()


def finding_of(error: RigError) -> Finding:
    """Return what a cycle keeps of a fault that ended it."""
    kind = (
        FindingKind.BOARD_REBOOTED if isinstance(error, BoardRebooted) else FindingKind.NOT_MEASURED
    )
    return Finding(kind, f"The rig failed during this cycle: {error}.")


def advised(text: str, path: Path) -> str:
    """Return a sentence that also says what is kept, and how to go on."""
    command = f"resume-rig run --resume {shell_word(path)}"
    return f"{text}; what was measured is in {path}, `{command}` goes on"


def with_advice(error: RigError, path: Path) -> RigError:
    """Return the same kind of error, with a sentence that also says how to go on."""
    text = advised(str(error), path)
    if isinstance(error, DeviceFault):
        return DeviceFault(error.group, error.code, text)
    for kind in (BoardRebooted, LinkLost, ProtocolError, DutFault):
        if isinstance(error, kind):
            return kind(text)
    return RigError(text)
