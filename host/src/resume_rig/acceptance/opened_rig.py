"""A rig, claimed for this process and opened, and let go of whatever happens."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.report.json_text import utc_json
from resume_rig.rig.claim import Claim, claim_rig
from resume_rig.rig.open import OpenRig, open_rig
from resume_rig.timing.clocks import SystemClock

_TO_SECONDS: Final = len("2026-01-01T00:00:00")


@contextmanager
def opened_rig(
    url: str,
    dut: DutProfile | None,
    *,
    clock: Clock | None = None,
    not_before_utc_ns: int = 0,
    sessions_before: int = 0,
) -> Iterator[OpenRig]:
    """Open a rig for this process alone; close it, which releases its actuators, at the end.

    Args:
        url: of the rig.
        dut: its DUT's profile.
        clock: used instead of the one that the URL asks for.
        not_before_utc_ns: wall time at which a virtual clock starts at the earliest.
        sessions_before: of the campaign that goes on.

    Raises:
        UsageError: no URL of a rig.
        LinkLost: nobody answers, or another process has the rig; the sentence says which.
    """
    with claim_here(url):
        opened = open_rig(
            url,
            clock,
            dut,
            not_before_utc_ns=not_before_utc_ns,
            sessions_before=sessions_before,
        )
        try:
            yield opened
        finally:
            opened.rig.close()


def claim_here(url: str) -> Claim:
    """Note that this program has the rig at `url` from now on; raises as `claim_rig`."""
    now_utc = (utc_json(SystemClock().utc_ns()) or "")[:_TO_SECONDS] + "Z"
    return claim_rig(url, _program(), now_utc)


def _program() -> str:
    path = Path(sys.argv[0] or "python")
    return path.parent.name if path.stem == "__main__" else path.stem
