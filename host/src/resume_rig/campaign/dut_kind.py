"""What kind of operating system answers at the far end of SSH."""

from enum import StrEnum, unique
from typing import Final

from resume_rig.campaign.dut_shell import Answer

PROBE: Final = "uname -s"
"""A Windows without a uname refuses it; one with a Unix shell does not say Linux."""


@unique
class DutKind(StrEnum):
    """An operating system that a campaign knows how to ask."""

    WINDOWS = "windows"
    LINUX = "linux"


def kind_of(answer: Answer) -> DutKind:
    """Return what the answer to PROBE tells."""
    return DutKind.LINUX if answer.output.strip() == b"Linux" else DutKind.WINDOWS
