"""The simulated DUT: a discrete-event machine without clock, thread or port.

Actuators go in, wires, light and the OS's moments come out, all in world time. What it takes from
real machines stands in the DUT profile; what all of them share stands here as constants.

What it makes of a press, by what it is doing when the press is accepted:
up: sleeps. Suspending: ignores it, as the OS clears the button's status before it writes SLP_TYP.
Power going down: remembers it and wakes as soon as the power is gone and SLP_S3# was low for its
minimum. Asleep: wakes. In firmware, or booting: ignores it. While the OS resumes: remembers it and
sleeps when the wake has ended, as Windows queues the request. Off: boots. Held for 4 s of S0: goes
off. A lid that opens while suspending or later is remembered: its wake event is latched.
"""

from enum import Enum, unique
from functools import partial

from numpy.random import Generator

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile, Spread
from resume_rig.rig.sim.agenda import Agenda, Thread
from resume_rig.rig.sim.contacts import CONTACT_DELAY
from resume_rig.rig.sim.dut_event import (
    DisplayOff,
    DriversReady,
    DutEvent,
    OsBooted,
    OsFrozen,
    OsResumed,
    PanelChange,
    PowerLost,
    RecordDue,
    SleepBegan,
    SleepEntered,
    WakeCause,
    WakeEnded,
    WireChange,
)
from resume_rig.rig.sim.faults import SimFault
from resume_rig.rig.sim.spread import draw_ns, light_after_ns

_MS = 1_000_000

_OVERRIDE_NS = 4_000 * _MS  # Intel PCH: power button override, after debounce, counted in S0
_SLP_S3_STRETCH_NS = 50 * _MS  # minimum SLP_S3# assertion, default in coreboot
_SLP_S4_STRETCH_NS = 1_000 * _MS  # minimum SLP_S4# assertion, default in coreboot
_SLP_SKEW_NS = 30_000  # SLP_S3#, SLP_S4#, SLP_S5# follow one another
_PLTRST_AFTER_SLP_NS = 100_000  # PLTRST# falls before the rails do
_LED_DELAY_NS = 1 * _MS
_SLP_TYP_TRAP_NS = 2 * _MS  # firmware's part on the way down (FPDT SuspendStart to SuspendEnd)
_DISPLAY_OFF_SHARE = 0.03  # of the suspend time
_SLEEP_ENTERED_SHARE = 0.6  # of the suspend time; real 42 records stand there
_ALONE_AFTER_NS = 1_500 * _MS
_FLUTTER_NS = 2_000 * _MS  # of the power LED's line, with SimFault.NOISY_LINE
_FLUTTER_STEP_NS = 40_000
_BOOT_LOGO_NS = 1_800 * _MS
_BOOT_KERNEL_NS = 3_000 * _MS
_BOOT_UP_NS = 9_000 * _MS


@unique
class PowerState(Enum):
    """What the DUT is doing."""

    UP = "up"
    SUSPENDING = "suspending"
    POWERING_DOWN = "powering down"
    S3 = "S3"
    POWERING_UP = "powering up"
    IN_FIRMWARE = "in firmware"
    RESUMING = "resuming"
    OFF = "off"
    BOOTING = "booting"


_COUNTS_OVERRIDE = (
    PowerState.UP,
    PowerState.SUSPENDING,
    PowerState.IN_FIRMWARE,
    PowerState.RESUMING,
    PowerState.BOOTING,
)
_REMEMBERS_LID = (PowerState.SUSPENDING, PowerState.POWERING_DOWN)


class SimulatedDut:
    """One PC that is up when it is made.

    Attributes:
        faults: misbehaviours; may be exchanged at any time, holds for what starts after.
    """

    def __init__(
        self, profile: DutProfile, random: Generator, faults: frozenset[SimFault] = frozenset()
    ) -> None:
        self.faults = faults
        self._profile = profile
        self._timing = profile.timing
        self._random = random
        self._agenda = Agenda()
        self._shown: list[DutEvent] = []
        self._levels = dict.fromkeys(Channel, 1)
        self._state = PowerState.UP
        self._held = False
        self._display_wanted = True
        self._lit = True
        self._last_contact_ns = dict.fromkeys(Actuator, -1)
        self._power_off_ns = 0
        self._pending_wake: WakeCause | None = None
        self._pending_sleep = False
        self._cause = WakeCause.BUTTON

    @property
    def state(self) -> PowerState:
        """What it is doing, as of the last `advance`."""
        return self._state

    @property
    def levels(self) -> dict[Channel, int]:
        """Electrical level of every line, wired or not."""
        return dict(self._levels)

    def move(self, t_ns: int, actuator: Actuator, driven: bool, earliest_ns: int = 0) -> None:
        """An actuator's output changes at `t_ns`; its contact follows a little later.

        Args:
            t_ns: of the output; may lie before what `advance` has reached.
            actuator: which.
            driven: from then on.
            earliest_ns: of the contact, for who has advanced beyond the output's change already.
        """
        delay_ns = self._draw(CONTACT_DELAY[actuator, driven])
        after_last_ns = self._last_contact_ns[actuator] + 1
        contact_ns = max(t_ns + delay_ns, after_last_ns, earliest_ns)
        self._last_contact_ns[actuator] = contact_ns
        deed = self._button_contact if actuator is Actuator.BUTTON else self._lid_contact
        self._agenda.plan(contact_ns, partial(deed, driven), Thread.ALWAYS)

    def next_event_ns(self) -> int | None:
        """Return when something happens next if nobody moves an actuator; None: never."""
        return self._agenda.next_ns()

    def advance(self, t_ns: int) -> list[DutEvent]:
        """Return what happens up to and including `t_ns`, in time order."""
        self._agenda.run(t_ns)
        shown, self._shown = self._shown, []
        return shown

    # --- the button and the lid

    def _button_contact(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.BUTTON)
        self._held = closed
        self._set(Channel.BUTTON, 0 if closed else 1, t_ns)
        if closed:
            accepted_ns = t_ns + self._draw(self._timing.debounce)
            self._agenda.plan(accepted_ns, self._button_accepted, Thread.BUTTON)

    def _button_accepted(self, t_ns: int) -> None:
        if self._state in _COUNTS_OVERRIDE:
            self._count_override(t_ns)
        if self._state in (PowerState.UP, PowerState.RESUMING):
            self._ask_for_sleep(t_ns)
        elif self._state is PowerState.POWERING_DOWN:
            self._pending_wake = WakeCause.BUTTON
        elif self._state is PowerState.S3:
            self._wake(WakeCause.BUTTON, t_ns)
        elif self._state is PowerState.OFF:
            self._cold_boot(t_ns)

    def _count_override(self, t_ns: int) -> None:
        self._agenda.plan(t_ns + _OVERRIDE_NS, self._power_lost, Thread.BUTTON)

    def _lid_contact(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.LID)
        self._set(Channel.LID, 0 if closed else 1, t_ns)
        # The lid's sensor may gate the backlight itself (HP x360: LID_SW drives BLON_CON).
        self._show_panel(t_ns)
        accepted_ns = t_ns + self._draw(self._timing.lid_debounce)
        self._agenda.plan(accepted_ns, partial(self._lid_accepted, closed), Thread.LID)

    def _lid_accepted(self, closed: bool, t_ns: int) -> None:
        if closed:
            if self._profile.lid_close_sleeps:
                self._ask_for_sleep(t_ns)
        elif self._profile.lid_open_wakes:
            if self._state in _REMEMBERS_LID:
                self._pending_wake = WakeCause.LID
            elif self._state is PowerState.S3:
                self._wake(WakeCause.LID, t_ns)

    # --- going to sleep

    def _ask_for_sleep(self, t_ns: int) -> None:
        if self._state is PowerState.UP:
            self._sleep(t_ns)
        elif self._state is PowerState.RESUMING:
            self._pending_sleep = True

    def _sleep(self, t_ns: int) -> None:
        if SimFault.NEVER_SLEEPS in self.faults:
            return
        self._state = PowerState.SUSPENDING
        self._pending_wake = None
        suspend_ns = self._draw(self._timing.suspend)
        self._shown.append(SleepBegan(t_ns))
        plan = self._agenda.plan
        plan(t_ns + round(suspend_ns * _DISPLAY_OFF_SHARE), self._display_off)
        plan(t_ns + round(suspend_ns * _SLEEP_ENTERED_SHARE), self._sleep_entered)
        plan(t_ns + suspend_ns, self._freeze)

    def _display_off(self, t_ns: int) -> None:
        self._shown.append(DisplayOff(t_ns))
        self._want_display(False, t_ns)

    def _sleep_entered(self, t_ns: int) -> None:
        self._shown.append(SleepEntered(t_ns))

    def _freeze(self, t_ns: int) -> None:
        self._state = PowerState.POWERING_DOWN
        self._shown.append(OsFrozen(t_ns))
        self._agenda.plan(t_ns + _SLP_TYP_TRAP_NS, self._power_down)

    def _power_down(self, t_ns: int) -> None:
        self._power_off_ns = t_ns
        self._set(Channel.SLP_S3, 0, t_ns)
        self._set_later(Channel.PLTRST, 0, t_ns + _PLTRST_AFTER_SLP_NS)
        self._set_later(Channel.LED, 0, t_ns + _LED_DELAY_NS)
        power_gone_ns = t_ns + self._draw(self._timing.slp_s3_to_power_off)
        self._agenda.plan(power_gone_ns, self._power_gone)

    def _power_gone(self, t_ns: int) -> None:
        self._set(Channel.PWR_OK, 0, t_ns)
        self._state = PowerState.S3
        if self._pending_wake is not None:
            self._wake(self._pending_wake, t_ns)
        elif SimFault.WAKES_ALONE in self.faults:
            self._agenda.plan(t_ns + _ALONE_AFTER_NS, self._wake_alone)
        if SimFault.NOISY_LINE in self.faults:
            self._flutter(t_ns + _FLUTTER_NS, t_ns)

    def _flutter(self, until_ns: int, t_ns: int) -> None:
        """Change the power LED's line at 25 kHz, as a loose contact may; it ends dark."""
        quiet = t_ns >= until_ns or self._state is not PowerState.S3
        self._set(Channel.LED, 0 if quiet else 1 - self._levels[Channel.LED], t_ns)
        if not quiet:
            self._agenda.plan(t_ns + _FLUTTER_STEP_NS, partial(self._flutter, until_ns))

    # --- waking up

    def _wake_alone(self, t_ns: int) -> None:
        if self._state is PowerState.S3:
            self._wake(WakeCause.DEVICE, t_ns)

    def _wake(self, cause: WakeCause, t_ns: int) -> None:
        self._pending_wake = None
        if SimFault.NEVER_WAKES in self.faults:
            return
        self._state = PowerState.POWERING_UP
        self._cause = cause
        asked_ns = t_ns + self._draw(self._timing.button_to_slp_s3)
        self._agenda.plan(max(asked_ns, self._power_off_ns + _SLP_S3_STRETCH_NS), self._power_up)

    def _power_up(self, t_ns: int) -> None:
        self._set(Channel.SLP_S3, 1, t_ns)
        self._set_later(Channel.LED, 1, t_ns + _LED_DELAY_NS)
        pwr_ok_ns = t_ns + self._draw(self._timing.slp_s3_to_pwr_ok)
        pltrst_ns = pwr_ok_ns + self._draw(self._timing.pwr_ok_to_pltrst)
        self._set_later(Channel.PWR_OK, 1, pwr_ok_ns)
        booting = self._state is PowerState.BOOTING
        self._agenda.plan(pltrst_ns, self._boot if booting else self._run_firmware)

    def _run_firmware(self, t_ns: int) -> None:
        self._leave_reset(PowerState.IN_FIRMWARE, t_ns)
        timing = self._timing
        tsc_ns = self._draw(timing.reset_to_tsc)
        bios_ns = self._draw(timing.bios_init)
        driver_ns = self._draw(timing.driver_init)
        user_ns = self._draw(timing.user_init)
        light_ns = light_after_ns(
            timing, self._draw(timing.pltrst_to_light), tsc_ns + bios_ns, driver_ns
        )
        resumed_ns = t_ns + tsc_ns + bios_ns
        resumed = OsResumed(resumed_ns, self._cause, bios_ns, driver_ns, user_ns)
        plan = self._agenda.plan
        plan(resumed_ns, partial(self._os_resumed, resumed))
        plan(resumed_ns + driver_ns, lambda at_ns: self._shown.append(DriversReady(at_ns)))
        plan(resumed_ns + driver_ns + user_ns, self._wake_ended)
        if SimFault.DARK not in self.faults:
            plan(t_ns + light_ns, partial(self._want_display, True), Thread.DISPLAY)

    def _os_resumed(self, resumed: OsResumed, _t_ns: int) -> None:
        self._state = PowerState.RESUMING
        self._pending_sleep = False
        self._shown.append(resumed)

    def _leave_reset(self, state: PowerState, t_ns: int) -> None:
        self._state = state
        self._set(Channel.PLTRST, 1, t_ns)
        if self._held:
            self._count_override(t_ns)

    def _wake_ended(self, t_ns: int) -> None:
        self._state = PowerState.UP
        self._shown.append(WakeEnded(t_ns))
        due_ns = t_ns + self._draw(self._timing.record_delay)
        self._agenda.drop(Thread.RECORD)
        self._agenda.plan(due_ns, lambda at_ns: self._shown.append(RecordDue(at_ns)), Thread.RECORD)
        if self._pending_sleep:
            self._sleep(t_ns)

    # --- off and on

    def _power_lost(self, t_ns: int) -> None:
        self._agenda.drop(Thread.POWER)
        self._agenda.drop(Thread.RECORD)
        self._state = PowerState.OFF
        self._pending_wake = None
        self._power_off_ns = t_ns
        self._shown.append(PowerLost(t_ns))
        self._want_display(False, t_ns)
        self._set(Channel.SLP_S3, 0, t_ns)
        self._set_later(Channel.SLP_S4, 0, t_ns + _SLP_SKEW_NS)
        self._set_later(Channel.SLP_S5, 0, t_ns + 2 * _SLP_SKEW_NS)
        self._set_later(Channel.PLTRST, 0, t_ns + _PLTRST_AFTER_SLP_NS)
        self._set_later(Channel.LED, 0, t_ns + _LED_DELAY_NS)
        self._set_later(Channel.PWR_OK, 0, t_ns + self._draw(self._timing.slp_s3_to_power_off))

    def _cold_boot(self, t_ns: int) -> None:
        self._state = PowerState.BOOTING
        asked_ns = t_ns + self._draw(self._timing.button_to_slp_s3)
        start_ns = max(asked_ns, self._power_off_ns + _SLP_S4_STRETCH_NS)
        self._set_later(Channel.SLP_S5, 1, start_ns)
        self._set_later(Channel.SLP_S4, 1, start_ns + _SLP_SKEW_NS)
        self._agenda.plan(start_ns + 2 * _SLP_SKEW_NS, self._power_up)

    def _boot(self, t_ns: int) -> None:
        self._leave_reset(PowerState.BOOTING, t_ns)
        plan = self._agenda.plan
        plan(t_ns + _BOOT_KERNEL_NS, lambda at_ns: self._shown.append(OsBooted(at_ns)))
        plan(t_ns + _BOOT_UP_NS, self._boot_ended)
        if SimFault.DARK not in self.faults:
            plan(t_ns + _BOOT_LOGO_NS, partial(self._want_display, True), Thread.DISPLAY)

    def _boot_ended(self, _t_ns: int) -> None:
        self._state = PowerState.UP

    # --- what is seen

    def _want_display(self, wanted: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.DISPLAY)
        self._display_wanted = wanted
        self._show_panel(t_ns)

    def _show_panel(self, t_ns: int) -> None:
        lit = self._display_wanted and self._levels[Channel.LID] == 1
        if lit != self._lit:
            self._lit = lit
            self._set(Channel.BACKLIGHT, int(lit), t_ns)
            self._shown.append(PanelChange(t_ns, lit))

    def _set(self, channel: Channel, level: int, t_ns: int) -> None:
        if self._levels[channel] != level:
            self._levels[channel] = level
            self._shown.append(WireChange(t_ns, channel, level))

    def _set_later(self, channel: Channel, level: int, t_ns: int) -> None:
        self._agenda.plan(t_ns, partial(self._set, channel, level))

    def _draw(self, spread: Spread) -> int:
        return draw_ns(spread, self._random)
