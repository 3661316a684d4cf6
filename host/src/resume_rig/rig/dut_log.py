"""The event log of a DUT that is simulated: on a board that serves it, or in this process."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from resume_rig.rig.interface import Rig, RigInfo


@dataclass(frozen=True, slots=True)
class DutLog:
    """A log that grows, read by offset.

    Attributes:
        name: what it is called where it comes from.
        text_from: returns the UTF-8 bytes from an offset to the present end; may raise RigError.
    """

    name: str
    text_from: Callable[[int], bytes]


def served_log(rig: Rig, info: RigInfo) -> DutLog | None:
    """Return the log that this board serves as a file; None for one that serves none."""
    name = info.dut_log
    return None if name is None else DutLog(name, partial(rig.download, name))
