"""What is known of a campaign's instrument: the board's statements, the front end, the DUT.

docs/explanation/uncertainty.md tells which delay is subtracted, and why never two.
"""

from functools import lru_cache
from typing import Final

from resume_rig.model.dut import DutProfile
from resume_rig.model.front_end import FrontEnd
from resume_rig.rig.front_end_file import shipped_front_end
from resume_rig.rig.interface import ChannelInfo, RigInfo
from resume_rig.timing.budget_terms import (
    FINGER_DEFINITION_NS,
    PRESS_DEFINITION_NS,
    StampFacts,
)
from resume_rig.timing.edge_uncertainty import IntervalBounds, Ramp

# Boards that are programs: their wires end at the stamp, there is no front end between.
_WITHOUT_FRONT_END: Final = frozenset({"sim", "native_sim", "qemu_cortex_m3", "mps2"})
_ATX_RAMP: Final = Ramp(0, 10_000_000, "ATX T4, 10 ms at most")


def bounds_of(rig: RigInfo, dut: DutProfile | None = None) -> IntervalBounds:
    """Return what any interval of a campaign is uncertain by.

    Args:
        rig: what the board states of itself.
        dut: says how PWR_OK rises and what presses the button, where it says so.

    Raises:
        UsageError: the delays of the front end cannot be read.
    """
    if dut is None:
        return _instrument(rig, _ATX_RAMP, PRESS_DEFINITION_NS)
    ramp = _ATX_RAMP
    if dut.pwr_ok_rise_max_ns is not None:
        ramp = Ramp(0, dut.pwr_ok_rise_max_ns, "the DUT profile")
    by_finger = dut.pressed_by == "finger"
    return _instrument(rig, ramp, FINGER_DEFINITION_NS if by_finger else PRESS_DEFINITION_NS)


@lru_cache(maxsize=8)
def _instrument(rig: RigInfo, pwr_ok_ramp: Ramp, press_definition_ns: int) -> IntervalBounds:
    """Made once a campaign: the instrument remembers what its kinds of intervals have in common.

    A measured rate error is not applied to stamps: it lies within the stated tolerance.
    """
    return IntervalBounds(
        rate_ppb=rig.clock_tolerance_ppb,
        stamps={info.channel: _stamp_facts(info, rig) for info in rig.channels},
        front_end=_front_end_of(rig),
        pwr_ok_ramp=pwr_ok_ramp,
        press_definition_ns=press_definition_ns,
    )


def _front_end_of(rig: RigInfo) -> FrontEnd | None:
    return None if rig.board.partition("/")[0] in _WITHOUT_FRONT_END else shipped_front_end()


def _stamp_facts(info: ChannelInfo, rig: RigInfo) -> StampFacts:
    """A loop-back leaves the front end out; what a delay has beside its mean is the front end's."""
    latency = info.latency
    latency_ns = 0 if latency is None else max(latency.mean_ns, 0)
    return StampFacts(
        resolution_ns=info.resolution_ns,
        uncertainty_ns=info.uncertainty_ns,
        edge_source=rig.edge_source or "",
        measured_sd_ns=None if latency is None else latency.sd_ns,
        deviation_ns=0 if latency is None else latency.deviation_ns,
        delay_ns=info.delay_ns,
        states_front_end=info.delay_ns > latency_ns,
    )
