"""The library that suites import; its keywords stand in the other files of this package."""

from collections.abc import Callable
from typing import Any, Final

from robot.api.deco import library

from resume_rig import __version__
from resume_rig.robot.arguments import (
    By,
    Contact,
    Duration,
    Kind,
    Part,
    Refusal,
    Share,
    Waker,
    read_by,
    read_contact,
    read_duration,
    read_kind,
    read_part,
    read_share,
    read_waker,
)
from resume_rig.robot.bench_keywords import DutKeywords, RigKeywords
from resume_rig.robot.campaign_keywords import (
    CampaignKeywords,
    EvidenceKeywords,
    ExpectationKeywords,
)
from resume_rig.robot.session import Held, LogListener

_CONVERTERS: Final[dict[type, Callable[[Any], Any] | Callable[[Any, Any], Any]]] = {
    By: read_by,
    Waker: read_waker,
    Contact: read_contact,
    Duration: read_duration,
    Kind: read_kind,
    Share: read_share,
    Part: read_part,
}


@library(
    scope="GLOBAL",
    version=__version__,
    converters=_CONVERTERS,
    doc_format="ROBOT",
    auto_keywords=False,
)
class ResumeRig(RigKeywords, DutKeywords, CampaignKeywords, ExpectationKeywords, EvidenceKeywords):
    """Times how a PC resumes from sleep, from outside, and judges it.

    A *rig* presses the power button or moves the lid of a *DUT* (the PC under test) and stamps
    its power lines and the light of its display on one clock.
    A *campaign* is many *cycles* of sleep and wake; it lies in a *store*, a file.
    One test judges one campaign: cycles are in the store, never in output.xml.

    = Example =

    | *** Settings ***
    | Library           resume_rig.robot.ResumeRig
    | Suite Setup       Open Rig    sim:clock=virtual,seed=7    dut=healthy-laptop
    | Suite Teardown    Close Rig
    |
    | *** Test Cases ***
    | The Laptop Resumes Within 2 Seconds
    |     Run Campaign    cycles=10
    |     Every Cycle Should Sleep And Wake
    |     Resume Time Should Be At Most    2 s
    |     Display Should Light Within    1500 ms
    |     Campaign Should Pass

    = Arguments =

    A time has a unit: ``250 ms``, ``2 s``, ``1 min``; a bare number is refused.
    Where a plan's word varies, ``button, lid`` is a list and ``5 s to 60 s`` a range.
    A share is in percent: ``95 %``.
    Channels, actuators, kinds of sleep, outcomes and findings have the words of the glossary.

    = How it judges =

    A value so near a limit that its uncertainty decides is MARGINAL, and what was not measured is
    NO-EVIDENCE; neither passes. The sentence of a failure has the figures, the cycle that decides,
    and its phases.
    """

    def __init__(self, needs: str | None = None) -> None:
        """Import the library.

        ``needs`` is the version that the suites were written for, for example ``needs=0.1``;
        another one is refused.
        """
        if needs is not None and not _fits(needs, __version__):
            raise Refusal(
                f"could not use the library ResumeRig {__version__}: these suites need version "
                f"{needs}; install that one, or change their `needs`"
            )
        held = Held()
        super().__init__(held)
        self.ROBOT_LIBRARY_LISTENER = LogListener(held)


def _fits(needs: str, version: str) -> bool:
    wanted = needs.split(".")
    return wanted == version.split(".")[: len(wanted)]
