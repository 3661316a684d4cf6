"""A DUT profile: who the unit is, what is wired, and how a simulated one behaves."""

from dataclasses import dataclass

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut_character import SOUND, DutBehaviour, DutKnown
from resume_rig.model.recovery import DEFAULT_LADDER, RecoveryLadder


@dataclass(frozen=True, slots=True)
class Spread:
    """A time that varies from cycle to cycle: log-normal around its median, cut to a range.

    Attributes:
        median_ns: the middle of the distribution.
        sigma: standard deviation of the natural logarithm; 0 = always the median.
        min_ns, max_ns: draws are clipped to this range.
    """

    median_ns: int
    sigma: float
    min_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class DutTiming:
    """How long each phase of a simulated DUT takes (docs/reference/dut-profiles.md).

    Attributes:
        debounce, lid_debounce: sensed edge to the chipset having accepted it.
        suspend: accepted sleep request to the OS writing SLP_TYP; ends with SLP_S3# falling.
        slp_s3_to_power_off: SLP_S3# falling to PWR_OK falling.
        button_to_slp_s3: accepted wake to SLP_S3# rising.
        reset_to_tsc: PLTRST# rising to the TSC's zero, where bios_init starts.
        driver_init, user_init: one after the other from the OS's waking vector; together they are
            the record's WakeDuration.
        pltrst_to_light: PLTRST# rising to the backlight being enabled, in a resume whose firmware
            and drivers take their usual time; when they take longer, so does the light.
        record_delay: end of the wake to the record being written.
    """

    debounce: Spread
    lid_debounce: Spread
    suspend: Spread
    slp_s3_to_power_off: Spread
    button_to_slp_s3: Spread
    slp_s3_to_pwr_ok: Spread
    pwr_ok_to_pltrst: Spread
    reset_to_tsc: Spread
    bios_init: Spread
    driver_init: Spread
    user_init: Spread
    pltrst_to_light: Spread
    record_delay: Spread


@dataclass(frozen=True, slots=True)
class DutProfile:
    """One DUT.

    Attributes:
        name: file name without suffix.
        chassis: "laptop" or "desktop".
        channels: the lines that are wired; others are absent from every result.
        actuators: what the rig can move on this unit.
        reset_to_tsc_min_ns, reset_to_tsc_max_ns: what is known of PLTRST# rising to the TSC's
            zero, which neither side can see.
        os_build: the Windows build that a simulated one claims.
        firmware_extra_ms: BiosInitDuration minus FullResume, constant per machine.
        timing: how a simulated one behaves.
        lid_close_sleeps, lid_open_wakes: what a simulated one does when its lid moves.
        pwr_ok_rise_max_ns: PWR_OK rises within so long (0 to 100 %); None: within ATX's 10 ms.
        pressed_by: what presses the button: "header" (photoMOS at its header) or "finger".
        known: what healthy units of its platform have shown; None: nothing.
        behaviour: how a simulated one errs.
        recovery: how it is brought back when it hangs.
        idle_ns: after so long without input its OS puts it to sleep; None: never, or nobody says.
    """

    name: str
    title: str
    manufacturer: str
    product: str
    bios_version: str
    chassis: str
    channels: tuple[Channel, ...]
    actuators: tuple[Actuator, ...]
    reset_to_tsc_min_ns: int
    reset_to_tsc_max_ns: int
    os_build: int
    firmware_extra_ms: int
    timing: DutTiming
    lid_close_sleeps: bool = True
    lid_open_wakes: bool = True
    pwr_ok_rise_max_ns: int | None = None
    pressed_by: str = "header"
    known: DutKnown | None = None
    behaviour: DutBehaviour = SOUND
    recovery: RecoveryLadder = DEFAULT_LADDER
    idle_ns: int | None = None
