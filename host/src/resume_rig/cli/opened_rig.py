"""A rig, opened for the length of one verb and let go of whatever happens."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resume_rig.model.dut import DutProfile
    from resume_rig.rig.open import OpenRig


def dut_of(args: argparse.Namespace) -> "DutProfile | None":
    """Return the DUT profile that the arguments name; a simulated bench has a default one."""
    from resume_rig.rig.dut_profile import load_dut_profile

    if args.dut is not None:
        return load_dut_profile(args.dut)
    simulated = args.rig.startswith(("sim:", "native:"))
    return load_dut_profile("healthy-laptop") if simulated else None


@contextmanager
def opened_rig(
    url: str,
    dut: "DutProfile | None",
    not_before_utc_ns: int = 0,
    sessions_before: int = 0,
) -> "Iterator[OpenRig]":
    """Open a rig; close it, which releases its actuators, at the end.

    Args:
        url: of the rig.
        dut: its DUT's profile.
        not_before_utc_ns: wall time at which a virtual clock starts at the earliest.
        sessions_before: of the campaign that goes on.
    """
    from resume_rig.acceptance.bench_in_use import claim_here
    from resume_rig.rig.open import open_rig

    with claim_here(url):
        opened = open_rig(
            url, dut=dut, not_before_utc_ns=not_before_utc_ns, sessions_before=sessions_before
        )
        try:
            yield opened
        finally:
            opened.rig.close()
