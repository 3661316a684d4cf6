"""The clock of a rig that the window runs a campaign on: one that can be stopped."""

from resume_rig.gui.worker.gate import Gate, Stop, StoppableSystemClock, StoppableVirtualClock
from resume_rig.model.clock import Clock
from resume_rig.rig.open import parse_sim_options
from resume_rig.timing.clocks import VIRTUAL_START_UTC_NS


def clock_for(url: str, gate: Gate, not_before_utc_ns: int) -> Clock:
    """Return the clock that a rig's URL asks for, one that can be stopped.

    Raises:
        UsageError: options of a simulated bench that it has not.
    """
    scheme, _, options = url.partition(":")
    if scheme == "sim" and parse_sim_options(options).virtual:
        return StoppableVirtualClock(Stop(gate), max(VIRTUAL_START_UTC_NS, not_before_utc_ns))
    return StoppableSystemClock(Stop(gate))
