"""The parts of a simulated DUT that decide nothing: its states, times, lines and contacts.

What a state makes of a contact is the machine's (machine.py); the times here are those that all
DUTs share, and come from data sheets, coreboot and real logs, or are assumed.
"""

import math
from collections.abc import Callable, Mapping
from enum import Enum, unique
from functools import partial
from typing import Final, Protocol

from numpy.random import Generator

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutBehaviour, DutTiming, Spread
from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import NS_PER_MS
from resume_rig.rig.sim.dut.event import Agenda, DutEvent, PanelChange, Thread, WireChange

OVERRIDE_NS: Final = 4_000 * NS_PER_MS
"""Intel PCH: power button override, after debounce, counted in S0."""

SLP_S3_STRETCH_NS: Final = 50 * NS_PER_MS
"""Minimum SLP_S3# assertion, default in coreboot."""

SLP_S4_STRETCH_NS: Final = 1_000 * NS_PER_MS
"""Minimum SLP_S4# assertion, default in coreboot."""

SLP_SKEW_NS: Final = 30_000
"""SLP_S3#, SLP_S4#, SLP_S5# follow one another."""

PLTRST_AFTER_SLP_NS: Final = 100_000
"""PLTRST# falls before the rails do."""

LED_DELAY_NS: Final = 1 * NS_PER_MS

NETWORK: Final = Spread(250_000, 0.3, 100_000, 1_000_000)
"""From a host's network stack to a network adapter one switch away (assumed)."""

SLP_TYP_TRAP_NS: Final = 2 * NS_PER_MS
"""Firmware's part on the way down (FPDT SuspendStart to SuspendEnd)."""

DISPLAY_OFF_SHARE: Final = 0.03
"""Of the suspend time."""

SLEEP_ENTERED_SHARE: Final = 0.6
"""Of the suspend time; real 42 records stand there."""

ALONE_AFTER_NS: Final = 1_500 * NS_PER_MS
FLUTTER_NS: Final = 2_000 * NS_PER_MS
"""Of the power LED's line, with SimFault.NOISY_LINE."""

FLUTTER_STEP_NS: Final = 40_000
BOOT_LOGO_NS: Final = 1_800 * NS_PER_MS
BOOT_KERNEL_NS: Final = 3_000 * NS_PER_MS
BOOT_UP_NS: Final = 9_000 * NS_PER_MS

SECOND_RESET_AFTER_NS: Final = 80 * NS_PER_MS
"""A double reset: PLTRST# falls again so long after its first rise ..."""

SECOND_RESET_NS: Final = 40 * NS_PER_MS
"""... for so long."""

POST_NS: Final = 1_600 * NS_PER_MS
"""What a firmware takes more for a wake from S4, which is a boot to it."""

DEEP_AFTER_NS: Final = 400 * NS_PER_MS
"""From the OS having stopped to SLP_S0# falling, in Modern Standby (assumed)."""

DEEP_EVERY_NS: Final = 5_000 * NS_PER_MS
"""Something wakes the platform out of its deepest state so often (assumed)."""

STANDBY_EXIT_NS: Final = 120 * NS_PER_MS
"""From an accepted trigger to the OS, in Modern Standby."""

LID_BOUNCE_NS: Final = 700_000
"""Between two changes of a lid's sensor that bounces."""


SHUTDOWN_NS: Final = 2_500 * NS_PER_MS
"""What ending every session takes more than a suspend."""

RTC_TICK_NS: Final = 1_000 * NS_PER_MS
"""A wake by the DUT's own clock comes at a whole second."""


def draw_ns(spread: Spread, random: Generator) -> int:
    """Return one draw in ns; takes exactly one number from `random`, whatever the spread."""
    factor = math.exp(spread.sigma * random.standard_normal())
    return min(max(round(spread.median_ns * factor), spread.min_ns), spread.max_ns)


def light_after_ns(timing: DutTiming, drawn_ns: int, firmware_ns: int, driver_ns: int) -> int:
    """Return PLTRST# rising to light for a resume whose firmware and drivers took this long.

    The picture waits for the firmware and for the graphics driver, so what they take more or less
    than usual shifts it: the firmware wholly, the drivers by the share of them that usually lies
    before the light.
    """
    usual_firmware_ns = timing.reset_to_tsc.median_ns + timing.bios_init.median_ns
    usual_driver_ns = timing.driver_init.median_ns
    before_light_ns = timing.pltrst_to_light.median_ns - usual_firmware_ns
    share = min(max(before_light_ns / max(usual_driver_ns, 1), 0.0), 1.0)
    shift_ns = firmware_ns - usual_firmware_ns + round(share * (driver_ns - usual_driver_ns))
    return max(drawn_ns + shift_ns, 0)


def late_sleep_ns(errs: DutBehaviour, random: Generator) -> int:
    """Return how long embedded controller and user mode keep a sleep request from the OS.

    It takes a number only where that is spread.
    """
    spread_ns = errs.late_sleep_spread_ns
    return errs.late_sleep_ns + (round(random.uniform(0, spread_ns)) if spread_ns else 0)


def by_chance(share: float, random: Generator) -> bool:
    """Return True in a share of cases; takes a number only where there are such cases."""
    return share > 0 and random.random() < share


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


LOAD_MW: Final = {
    PowerState.UP: 9_000,
    PowerState.SUSPENDING: 11_000,
    PowerState.POWERING_DOWN: 2_500,
    PowerState.ASLEEP: 350,
    PowerState.POWERING_UP: 4_000,
    PowerState.IN_FIRMWARE: 14_000,
    PowerState.RESUMING: 17_000,
    PowerState.OFF: 120,
    PowerState.BOOTING: 16_000,
}
"""What a simulated laptop draws (assumed); a sleep in S0 as in its profile."""

COUNTS_OVERRIDE: Final = (
    PowerState.UP,
    PowerState.SUSPENDING,
    PowerState.IN_FIRMWARE,
    PowerState.RESUMING,
    PowerState.BOOTING,
)


def has_state(sleeps: SleepKind, state: SleepKind) -> bool:
    """Return whether a DUT that makes `sleeps` of S3 can be sent into a state. Pure."""
    standby = sleeps is SleepKind.MODERN_STANDBY
    if state is SleepKind.MODERN_STANDBY:
        return standby
    return state in (SleepKind.S3, SleepKind.BOOT) or not standby


DEEP: Final = (SleepKind.S4, SleepKind.FAST_STARTUP, SleepKind.BOOT)
"""States in which SLP_S4# is low."""


class DutLines:
    """Levels of every line, wired or not; all 1 when it is made.

    Args:
        agenda: of the DUT.
        shown: takes what changes.
    """

    def __init__(self, agenda: Agenda, shown: list[DutEvent]) -> None:
        self.levels = dict.fromkeys(Channel, 1)
        self._agenda = agenda
        self._shown = shown
        self._display_wanted = True
        self._lit = True

    def set(self, channel: Channel, level: int, t_ns: int) -> None:
        """A line goes to a level, if it is not there."""
        if self.levels[channel] != level:
            self.levels[channel] = level
            self._shown.append(WireChange(t_ns, channel, level))

    def set_later(self, channel: Channel, level: int, t_ns: int) -> None:
        """A line will go to a level at `t_ns`, unless the power is lost before."""
        self._agenda.plan(t_ns, partial(self.set, channel, level))

    def power_falls(self, t_ns: int, depth: SleepKind) -> None:
        """The lines of a sleep follow SLP_S3#; PWR_OK falls when the supply is gone."""
        later = self.set_later
        self.set(Channel.SLP_S3, 0, t_ns)
        if depth in DEEP:
            later(Channel.SLP_S4, 0, t_ns + SLP_SKEW_NS)
        if depth is SleepKind.BOOT:
            later(Channel.SLP_S5, 0, t_ns + 2 * SLP_SKEW_NS)
        later(Channel.PLTRST, 0, t_ns + PLTRST_AFTER_SLP_NS)
        later(Channel.LED, 0, t_ns + LED_DELAY_NS)

    def flutter(self, lasts: Callable[[], bool], until_ns: int, t_ns: int) -> None:
        """Change the power LED's line at 25 kHz, as a loose contact may; it ends dark."""
        quiet = t_ns >= until_ns or not lasts()
        self.set(Channel.LED, 0 if quiet else 1 - self.levels[Channel.LED], t_ns)
        if not quiet:
            again = partial(self.flutter, lasts, until_ns)
            self._agenda.plan(t_ns + FLUTTER_STEP_NS, again)

    def want_display(self, wanted: bool, t_ns: int) -> None:
        """The display is switched; what was planned for it is forgotten."""
        self._agenda.drop(Thread.DISPLAY)
        self._display_wanted = wanted
        self.show_panel(t_ns)

    def show_panel(self, t_ns: int) -> None:
        """Let the panel follow; a closed lid's sensor may gate it (HP x360: BLON_CON)."""
        lit = self._display_wanted and self.levels[Channel.LID] == 1
        if lit != self._lit:
            self._lit = lit
            self.set(Channel.BACKLIGHT, int(lit), t_ns)
            self._shown.append(PanelChange(t_ns, lit))


# photoMOS across the power switch: command to pin 0.50 +/- 0.22 ms, release 0.06 to 2.9 ms, by
# simulation. Coil under the lid's Hall sensor: about 24 ms to close and 4 ms to open.
CONTACT_DELAY: Final[Mapping[tuple[Actuator, bool], Spread]] = {
    (Actuator.BUTTON, True): Spread(500_000, 0.4, 200_000, 1_200_000),
    (Actuator.BUTTON, False): Spread(400_000, 0.8, 60_000, 2_900_000),
    (Actuator.LID, True): Spread(24 * NS_PER_MS, 0.1, 15 * NS_PER_MS, 40 * NS_PER_MS),
    (Actuator.LID, False): Spread(4 * NS_PER_MS, 0.2, 2 * NS_PER_MS, 15 * NS_PER_MS),
    # Assumed: the resume signal is on a suspended bus within a frame or so.
    (Actuator.KEYBOARD, True): Spread(300_000, 0.3, 100_000, 1_000_000),
    (Actuator.KEYBOARD, False): Spread(300_000, 0.3, 100_000, 1_000_000),
    # A photoMOS as at the button.
    (Actuator.CONTACT, True): Spread(500_000, 0.4, 200_000, 1_200_000),
    (Actuator.CONTACT, False): Spread(400_000, 0.8, 60_000, 2_900_000),
}
"""By actuator and whether it is driven from then on."""


class Touched(Protocol):
    """Who takes what the contacts mean."""

    def touched(self, t_ns: int) -> None:
        """A contact moved."""
        ...

    def button_accepted(self, t_ns: int) -> None:
        """The button was held for longer than its debounce."""
        ...

    def lid_accepted(self, closed: bool, t_ns: int) -> None:
        """The lid stood still for longer than its debounce."""
        ...

    def key_pressed(self, t_ns: int) -> None:
        """A key of the keyboard went down."""
        ...

    def contact_closed(self, t_ns: int) -> None:
        """The plug was in for longer than its debounce."""
        ...

    def lid_bounces(self) -> int:
        """Return how often its sensor falls back at each edge."""
        ...


class DutInput:
    """Contacts of one DUT.

    Attributes:
        held: the button is.

    Args:
        dut: takes what is accepted.
        timing: of the DUT.
        agenda, lines, random: the DUT's own.
    """

    def __init__(
        self, dut: Touched, timing: DutTiming, agenda: Agenda, lines: DutLines, random: Generator
    ) -> None:
        self.held = False
        self._dut = dut
        self._timing = timing
        self._agenda = agenda
        self._lines = lines
        self._random = random
        self._last_contact_ns = dict.fromkeys(Actuator, -1)

    def move(self, t_ns: int, actuator: Actuator, driven: bool, earliest_ns: int) -> None:
        """An output changes; its contact follows a little later, at `earliest_ns` or after."""
        delay_ns = draw_ns(CONTACT_DELAY[actuator, driven], self._random)
        after_last_ns = self._last_contact_ns[actuator] + 1
        contact_ns = max(t_ns + delay_ns, after_last_ns, earliest_ns)
        self._last_contact_ns[actuator] = contact_ns
        action = {
            Actuator.BUTTON: self._button_contact,
            Actuator.LID: self._lid_contact,
            Actuator.KEYBOARD: self._key,
            Actuator.CONTACT: self._plug,
        }[actuator]
        self._agenda.plan(contact_ns, partial(action, driven), Thread.ALWAYS)

    def _key(self, down: bool, t_ns: int) -> None:
        if down:
            self._dut.touched(t_ns)
            self._dut.key_pressed(t_ns)

    def _plug(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.CONTACT)
        if closed:
            accepted_ns = t_ns + draw_ns(self._timing.debounce, self._random)
            self._agenda.plan(accepted_ns, self._dut.contact_closed, Thread.CONTACT)

    def _button_contact(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.BUTTON)
        self.held = closed
        self._lines.set(Channel.BUTTON, 0 if closed else 1, t_ns)
        self._dut.touched(t_ns)
        if closed:
            accepted_ns = t_ns + draw_ns(self._timing.debounce, self._random)
            self._agenda.plan(accepted_ns, self._dut.button_accepted, Thread.BUTTON)

    def _lid_contact(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.LID)
        self._dut.touched(t_ns)
        level = 0 if closed else 1
        self._lid_to(level, t_ns)
        for bounce in range(self._dut.lid_bounces()):
            away_ns = t_ns + (2 * bounce + 1) * LID_BOUNCE_NS
            self._agenda.plan(away_ns, partial(self._lid_to, 1 - level), Thread.LID)
            self._agenda.plan(away_ns + LID_BOUNCE_NS, partial(self._lid_to, level), Thread.LID)
        accepted_ns = t_ns + draw_ns(self._timing.lid_debounce, self._random)
        self._agenda.plan(accepted_ns, partial(self._dut.lid_accepted, closed), Thread.LID)

    def _lid_to(self, level: int, t_ns: int) -> None:
        self._lines.set(Channel.LID, level, t_ns)
        self._lines.show_panel(t_ns)
