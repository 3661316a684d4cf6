"""What a simulated DUT can be doing, and the times that all of them share."""

from enum import Enum, unique
from typing import Final

from resume_rig.model.os_record import SleepKind

MS: Final = 1_000_000

OVERRIDE_NS: Final = 4_000 * MS
"""Intel PCH: power button override, after debounce, counted in S0."""

SLP_S3_STRETCH_NS: Final = 50 * MS
"""Minimum SLP_S3# assertion, default in coreboot."""

SLP_S4_STRETCH_NS: Final = 1_000 * MS
"""Minimum SLP_S4# assertion, default in coreboot."""

SLP_SKEW_NS: Final = 30_000
"""SLP_S3#, SLP_S4#, SLP_S5# follow one another."""

PLTRST_AFTER_SLP_NS: Final = 100_000
"""PLTRST# falls before the rails do."""

LED_DELAY_NS: Final = 1 * MS

SLP_TYP_TRAP_NS: Final = 2 * MS
"""Firmware's part on the way down (FPDT SuspendStart to SuspendEnd)."""

DISPLAY_OFF_SHARE: Final = 0.03
"""Of the suspend time."""

SLEEP_ENTERED_SHARE: Final = 0.6
"""Of the suspend time; real 42 records stand there."""

ALONE_AFTER_NS: Final = 1_500 * MS
FLUTTER_NS: Final = 2_000 * MS
"""Of the power LED's line, with SimFault.NOISY_LINE."""

FLUTTER_STEP_NS: Final = 40_000
BOOT_LOGO_NS: Final = 1_800 * MS
BOOT_KERNEL_NS: Final = 3_000 * MS
BOOT_UP_NS: Final = 9_000 * MS

SECOND_RESET_AFTER_NS: Final = 80 * MS
"""A double reset: PLTRST# falls again so long after its first rise ..."""

SECOND_RESET_NS: Final = 40 * MS
"""... for so long."""

POST_NS: Final = 1_600 * MS
"""What a firmware takes more for a wake from S4, which is a boot to it."""

STANDBY_EXIT_NS: Final = 120 * MS
"""From an accepted trigger to the OS, in Modern Standby."""

LID_BOUNCE_NS: Final = 700_000
"""Between two changes of a lid's sensor that bounces."""


SHUTDOWN_NS: Final = 2_500 * MS
"""What ending every session takes more than a suspend."""

RTC_TICK_NS: Final = 1_000 * MS
"""A wake by the DUT's own clock comes at a whole second."""


def next_tick_ns(t_ns: int) -> int:
    """Return when the DUT's own clock counts on at `t_ns` or after."""
    return -(-t_ns // RTC_TICK_NS) * RTC_TICK_NS


@unique
class PowerState(Enum):
    """What the DUT is doing; ASLEEP in any state that a trigger wakes it from."""

    UP = "up"
    SUSPENDING = "suspending"
    POWERING_DOWN = "powering down"
    ASLEEP = "asleep"
    POWERING_UP = "powering up"
    IN_FIRMWARE = "in firmware"
    RESUMING = "resuming"
    OFF = "off"
    BOOTING = "booting"


COUNTS_OVERRIDE: Final = (
    PowerState.UP,
    PowerState.SUSPENDING,
    PowerState.IN_FIRMWARE,
    PowerState.RESUMING,
    PowerState.BOOTING,
)
REMEMBERS_LID: Final = (PowerState.SUSPENDING, PowerState.POWERING_DOWN)


def has_state(sleeps: SleepKind, state: SleepKind) -> bool:
    """Return whether a DUT that makes `sleeps` of S3 can be sent into a state. Pure."""
    standby = sleeps is SleepKind.MODERN_STANDBY
    if state is SleepKind.MODERN_STANDBY:
        return standby
    return state in (SleepKind.S3, SleepKind.BOOT) or not standby
