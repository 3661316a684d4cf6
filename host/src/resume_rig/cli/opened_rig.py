"""A rig, opened for the length of one verb."""

import argparse
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resume_rig.model.dut import DutProfile
    from resume_rig.rig.open import OpenRig


def dut_of(args: argparse.Namespace) -> "DutProfile | None":
    """Return the DUT profile that the arguments name; a simulated bench has a usual one."""
    from resume_rig.rig.dut_profile import profile_for

    return profile_for(args.rig, args.dut)


def rig_of(args: argparse.Namespace) -> "AbstractContextManager[OpenRig]":
    """Return the rig that the arguments name, open while the context lasts."""
    from resume_rig.acceptance.opened_rig import opened_rig

    return opened_rig(args.rig, dut_of(args))
