"""What sets a DUT apart: what is known of its platform, and how a simulated one errs."""

from dataclasses import dataclass

from resume_rig.model.os_record import SleepKind


@dataclass(frozen=True, slots=True)
class DutKnown:
    """Constants of a platform, learned over healthy units and campaigns; None: not known.

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


SOUND = DutBehaviour()
"""Of a DUT that does what it is asked, and tells the truth."""
