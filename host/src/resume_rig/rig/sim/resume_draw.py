"""How long the phases of one resume of a simulated DUT take."""

from dataclasses import dataclass

from numpy.random import Generator

from resume_rig.model.dut import DutTiming
from resume_rig.model.dut_character import DutBehaviour
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.sim.dut_state import POST_NS
from resume_rig.rig.sim.spread import draw_ns, light_after_ns

# Of the BIOS time, where the firmware itself lights the panel.
_FIRMWARE_LIGHT_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class ResumeDraw:
    """One resume, from PLTRST# rising (in Modern Standby, which has none, from the OS's start).

    Attributes:
        tsc_ns: to the TSC's zero. bios_ns: from there to the OS, or to its loader.
        image_ns: reading the hibernation image; 0 without one.
        driver_ns, user_ns: one after the other from the OS's waking vector.
        light_ns: to the display being switched on.
    """

    tsc_ns: int
    bios_ns: int
    image_ns: int
    driver_ns: int
    user_ns: int
    light_ns: int


def draw_resume(
    timing: DutTiming, errs: DutBehaviour, random: Generator, depth: SleepKind
) -> ResumeDraw:
    """Return one resume from a kind of sleep; takes as many numbers whatever the kind."""
    tsc_ns = draw_ns(timing.reset_to_tsc, random)
    bios_ns = draw_ns(timing.bios_init, random)
    driver_ns = draw_ns(timing.driver_init, random)
    user_ns = draw_ns(timing.user_init, random)
    drawn_ns = draw_ns(timing.pltrst_to_light, random)
    from_image = depth in (SleepKind.S4, SleepKind.FAST_STARTUP)
    if from_image:
        bios_ns += POST_NS
    if errs.firmware_late_share and random.random() < errs.firmware_late_share:
        bios_ns += errs.firmware_late_ns
    image_ns = errs.image_read_ns if from_image else 0
    light_ns = light_after_ns(timing, drawn_ns, tsc_ns + bios_ns + image_ns, driver_ns)
    if depth is SleepKind.MODERN_STANDBY:
        light_ns = max(light_ns - tsc_ns - bios_ns, 0)
    elif errs.lit_by_firmware:
        light_ns = tsc_ns + round(_FIRMWARE_LIGHT_SHARE * bios_ns)
    if errs.light_late_share and random.random() < errs.light_late_share:
        light_ns += errs.light_late_ns
    return ResumeDraw(tsc_ns, bios_ns, image_ns, driver_ns, user_ns, light_ns)
