"""A DUT profile: the unit, what is wired, its platform, how it is brought back when it hangs.

And how a simulated one behaves; docs/reference/dut-profiles.md has the file.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import NS_PER_S


@unique
class RecoveryStep(StrEnum):
    """One rung; a ladder takes them in its own order, each only when the one before failed."""

    WAIT = "wait"
    """It may come by itself."""
    PRESS = "press"
    """One more try by the plan's own triggers."""
    FORCE_OFF = "force-off"
    """The button is held until the power is cut, and pressed to boot."""
    POWER_CYCLE = "power-cycle"
    """A command of the user's cuts the supply and gives it back."""
    ASK = "ask"
    """A person at a terminal looks at it."""


@dataclass(frozen=True, slots=True)
class RecoveryLadder:
    """What is tried, and how long.

    Attributes:
        steps: in this order; those that a bench cannot do are left out.
        wait_ns: how long it may take to come by itself.
        force_off_ns: how long the button is held; a chipset cuts the power after 4 s.
        off_ns: how long it stays off before it is switched on.
        boot_ns: from lines that show a running DUT to an OS that reacts to its button.
        ask_ns: how long a person is waited for.
        tries: how often each step may be taken in a campaign.
        in_a_row: so many recoveries without a good cycle between them end a campaign.
    """

    steps: tuple[RecoveryStep, ...] = tuple(RecoveryStep)
    wait_ns: int = 30 * NS_PER_S
    force_off_ns: int = 8 * NS_PER_S
    off_ns: int = 5 * NS_PER_S
    boot_ns: int = 60 * NS_PER_S
    ask_ns: int = 900 * NS_PER_S
    tries: int = 200
    in_a_row: int = 3


DEFAULT_LADDER = RecoveryLadder()
"""Of a DUT whose profile names none, or that has no profile."""


@dataclass(frozen=True, slots=True)
class PlatformConstants:
    """Constants of a platform, learned over healthy units and campaigns; None: not learned.

    Attributes:
        residual_ns: PLTRST# rising to light, minus BiosInit, minus DriverInit.
        residual_half_width_ns: how far healthy cycles are from it, at most.
        firmware_extra_ms: BiosInit minus the firmware's FullResume.
        light_after_complete_max_ns: the display may light so long after the OS's "complete".
    """

    residual_ns: int | None = None
    residual_half_width_ns: int = 0
    firmware_extra_ms: int | None = None
    light_after_complete_max_ns: int | None = None


@dataclass(frozen=True, slots=True)
class DutBehaviour:
    """How a simulated DUT differs from a sound one. A share is of cycles, 0 to 1.

    Attributes:
        sleeps: what it really does when it is asked to sleep: S3, hybrid, S4 or modern-standby, or
            boot: it shuts down, and boots when it is woken.
        claims: the kind that its OS writes; None: the truth.
        doze_after_ns: S3 goes on to S4 after so long; None: never.
        image_write_ns, image_read_ns: of the hibernation image.
        hidden_before_sleep_ns: from the OS having stopped to SLP_S3# falling, beyond the usual.
        late_sleep_ns, late_sleep_spread_ns: from the accepted press or lid to SleepTime: so much,
            and evenly up to so much more.
        unreported_suspend_ns: of the way to sleep that the OS's clock shows, what SleepDuration
            lacks.
        tsc_resets: False: BiosInit is the uptime.
        bios_factor: what BiosInit is reported times; 0: not reported.
        full_resume_factor: the same of FullResume in the firmware's table.
        average_factor: the same of AverageResume.
        resume_count_runs: False: count and times of the firmware's table never change.
        wake_source_type: what the OS names as the source of every wake; None: the truth.
        lit_by_firmware: the panel is lit before the OS has control.
        light_late_share, light_late_ns: the display is late, by so much.
        firmware_late_share, firmware_late_ns: its firmware takes so much longer.
        pwm_hz, pwm_duty: of the dimmed panel; 0 Hz: not dimmed.
        lid_bounces: how often the lid's sensor falls back at each of its edges.
        hang_share: never gets out of its firmware.
        wakes_alone_share: something else wakes it.
        double_reset_share: PLTRST# rises twice.
        record_missing_share, record_aborted_share, record_doubled_share: what becomes of the
            OS's record.
        clock_step_share, clock_step_ns: the OS's clock is set, by so much, after the wake.
        device_lost_share: a device of it is gone after the wake.
        link_late_ns: its network link comes up so long after the OS runs.
        standby_deep_share: of a Modern Standby, so much is in its deepest state; 0: it drains.
    """

    sleeps: SleepKind = SleepKind.S3
    claims: SleepKind | None = None
    doze_after_ns: int | None = None
    image_write_ns: int = 3_000_000_000
    image_read_ns: int = 2_500_000_000
    hidden_before_sleep_ns: int = 0
    late_sleep_ns: int = 0
    late_sleep_spread_ns: int = 0
    unreported_suspend_ns: int = 0
    tsc_resets: bool = True
    bios_factor: float = 1.0
    full_resume_factor: float = 1.0
    average_factor: float = 1.0
    resume_count_runs: bool = True
    wake_source_type: int | None = None
    lit_by_firmware: bool = False
    light_late_share: float = 0.0
    light_late_ns: int = 0
    firmware_late_share: float = 0.0
    firmware_late_ns: int = 0
    pwm_hz: int = 0
    pwm_duty: float = 1.0
    lid_bounces: int = 0
    hang_share: float = 0.0
    wakes_alone_share: float = 0.0
    double_reset_share: float = 0.0
    record_missing_share: float = 0.0
    record_aborted_share: float = 0.0
    record_doubled_share: float = 0.0
    clock_step_share: float = 0.0
    clock_step_ns: int = 0
    device_lost_share: float = 0.0
    link_late_ns: int = 0
    standby_deep_share: float = 0.97


SOUND = DutBehaviour()
"""Of a DUT that does what it is asked, and reports the truth."""


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


NO_PROFILE: Final = "a DUT without a profile"
"""What sentences call the DUT of a bench or a store that names none."""

STANDBY_MW = 6_000
"""What a simulated DUT draws in Modern Standby that does not reach its deepest state (assumed)."""


@dataclass(frozen=True, slots=True)
class DutProfile:
    """One DUT.

    Attributes:
        name: file name without suffix.
        chassis: "laptop" or "desktop".
        channels: the lines that are wired; others are absent from every result.
        actuators: what the rig can move on this unit.
        reset_to_tsc_min_ns, reset_to_tsc_max_ns: bounds of PLTRST# rising to the TSC's
            zero, which neither side can observe.
        os_build: the Windows build that a simulated one claims.
        firmware_extra_ms: BiosInitDuration minus FullResume, constant per machine.
        lid_close_sleeps, lid_open_wakes: what a simulated one does when its lid moves.
        keyboard_wakes, contact_wakes, lan_wakes: whether a simulated one is armed for them.
        mac: of the network adapter that a magic packet wakes, twelve hexadecimal digits in pairs;
            None: not stated.
        s3_power_max_mw: a unit that draws more is not in S3; None: half of what it draws awake.
        standby_mw: what a simulated one draws in Modern Standby.
        clock_slew_max_ppm: its time service slews its OS's clock by no more; 0: it is stopped.
            None: not stated, so that it may do what any policy allows.
        pwr_ok_rise_max_ns: PWR_OK rises within so long (0 to 100 %); None: within ATX's 10 ms.
        pressed_by: what presses the button: "header" (photoMOS at its header) or "finger".
        platform: what healthy units have shown, the table `known` of the file; None: nothing.
        recovery: how it is brought back when it hangs.
        idle_ns: after so long without input its OS puts it to sleep; None: never, or not stated.
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
    platform: PlatformConstants | None = None
    behaviour: DutBehaviour = SOUND
    recovery: RecoveryLadder = DEFAULT_LADDER
    idle_ns: int | None = None
    keyboard_wakes: bool = True
    contact_wakes: bool = True
    lan_wakes: bool = True
    mac: str | None = None
    s3_power_max_mw: int | None = None
    standby_mw: int = STANDBY_MW
    clock_slew_max_ppm: float | None = None
