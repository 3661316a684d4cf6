"""Opens the rig that a URL names, with the DUT's profile that goes with it."""

from resume_rig.gui.worker.gate import Gate, Stop, StoppableSystemClock, StoppableVirtualClock
from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.open import OpenRig, open_rig, parse_sim_options
from resume_rig.timing.clocks import VIRTUAL_START_UTC_NS

USUAL_PROFILE = "healthy-laptop"


def dut_for(url: str, name_or_path: str | None) -> DutProfile | None:
    """Return a profile; a simulated bench has a usual one, a board has none.

    Raises:
        UsageError: there is no such profile, or it is not one.
    """
    if name_or_path:
        return load_dut_profile(name_or_path)
    return load_dut_profile(USUAL_PROFILE) if url.startswith(("sim:", "native:")) else None


def opened_for(
    url: str, name_or_path: str | None, not_before_utc_ns: int = 0
) -> tuple[OpenRig, DutProfile | None]:
    """Return an open rig and its DUT's profile; whoever asked closes it.

    Raises:
        UsageError: no URL of a rig, or no such profile.
        RigError: nobody answers, or something that is no rig.
    """
    dut = dut_for(url, name_or_path)
    return open_rig(url, dut=dut, not_before_utc_ns=not_before_utc_ns), dut


def clock_for(url: str, gate: Gate, not_before_utc_ns: int) -> Clock:
    """Return the clock that a rig's URL asks for, one that can be stopped.

    Raises:
        UsageError: options of a simulated bench that it has not.
    """
    scheme, _, options = url.partition(":")
    if scheme == "sim" and parse_sim_options(options).virtual:
        return StoppableVirtualClock(Stop(gate), max(VIRTUAL_START_UTC_NS, not_before_utc_ns))
    return StoppableSystemClock(Stop(gate))
