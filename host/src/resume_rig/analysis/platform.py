"""What is known of a DUT's platform before a campaign, from its profile; perhaps nothing."""

from dataclasses import dataclass

from resume_rig.analysis.findings.thresholds import LIGHT_AFTER_COMPLETE_NS
from resume_rig.model.dut import DutProfile
from resume_rig.model.quantity import BoundedNs


@dataclass(frozen=True, slots=True)
class Platform:
    """Constants of a platform that other campaigns have shown.

    Attributes:
        residual: PLTRST# -> light minus BiosInit minus DriverInit, with the scatter of healthy
            units as its bound; None: the campaign's own median stands in.
        firmware_extra_ms: BiosInit minus the firmware's FullResume; None: likewise.
        light_after_complete_max_ns: the display may light so long after "resume complete".
    """

    residual: BoundedNs | None = None
    firmware_extra_ms: float | None = None
    light_after_complete_max_ns: int = LIGHT_AFTER_COMPLETE_NS


UNKNOWN_PLATFORM = Platform()


def platform_of(dut: DutProfile | None) -> Platform:
    """Return what a DUT's profile knows of its platform."""
    known = None if dut is None else dut.known
    if known is None:
        return UNKNOWN_PLATFORM
    light_ns = known.light_after_complete_max_ns
    return Platform(
        residual=None
        if known.residual_ns is None
        else BoundedNs(known.residual_ns, known.residual_half_width_ns),
        firmware_extra_ms=known.firmware_extra_ms,
        light_after_complete_max_ns=LIGHT_AFTER_COMPLETE_NS if light_ns is None else light_ns,
    )
