"""The simulated DUT: a discrete-event machine without clock, thread or port.

Actuators go in, wires, light and the OS's moments come out, all in world time. What it takes from
real machines stands in the DUT profile; what all of them share are constants in states.py.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final

from numpy.random import Generator

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutBehaviour, DutProfile, DutTiming, Spread
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.interface import Keyboard, KeyboardBus
from resume_rig.rig.sim.dut import event, states
from resume_rig.rig.sim.dut.event import Agenda, DutEvent, SimFault, SleepCause, Thread, WakeCause
from resume_rig.rig.sim.dut.states import (
    POST_NS,
    DutInput,
    DutLines,
    PowerState,
    by_chance,
    draw_ns,
    late_sleep_ns,
    light_after_ns,
)

_DEVICES: Final = (
    ("pci:0000:00:02.0", "i915 0x8086:0x9a49"),
    ("pci:0000:00:14.0", "xhci_hcd 0x8086:0xa0ed"),
    ("pci:0000:00:1f.3", "snd_hda_intel 0x8086:0xa0c8"),
    ("pci:0000:01:00.0", "nvme 0x144d:0xa808"),
    ("usb:3-6:13d3:56a2", "Integrated Camera"),
    ("usb:3-10:8087:0026", "Bluetooth"),
)
_LINK: Final = "wlan0"
_FAILING: Final = _DEVICES[4][0]
_PACKAGE_SHARE: Final = 0.98
"""Of a sleep that is not deep: the package may be in C10 all the while."""


class SimulatedHealth:
    """Devices and counters of one DUT since its OS booted; world time."""

    def __init__(self) -> None:
        self._boots = 1
        self._failed = False
        self._link_from_ns = 0
        self._deep_us = self._package_us = 0
        self._errors: list[str] = []

    def slept_in_standby(self, slept_ns: int, errs: DutBehaviour) -> None:
        """Count a Modern Standby that is over."""
        self._deep_us += round(slept_ns * errs.standby_deep_share / 1_000)
        self._package_us += round(slept_ns * _PACKAGE_SHARE / 1_000)

    def woke(self, t_ns: int, errs: DutBehaviour, *, lost: bool) -> None:
        """Its devices come back, but for one where that is lost; until the next wake."""
        self._failed = lost
        self._link_from_ns = t_ns + errs.link_late_ns
        if lost:
            stamp = f"[{t_ns / 1e9:12.6f}]"
            self._errors.append(f"{stamp} usb 3-6: device descriptor read/64, error -71")

    def booted(self, t_ns: int, errs: DutBehaviour) -> None:
        """Everything begins anew."""
        self._boots += 1
        self._errors.clear()
        self._deep_us = self._package_us = 0
        self.woke(t_ns, errs, lost=False)

    def report(self, now_ns: int) -> str:
        """Return the lines of a health report, as Linux's command writes them."""
        lines = ["resume-rig health 1", f"boot\tboot-{self._boots}"]
        lines += [
            f"device\t{each}\t0\t{name}"
            for each, name in _DEVICES
            if not (self._failed and each == _FAILING)
        ]
        lines.append(f"link\t{_LINK}\t{'up' if now_ns >= self._link_from_ns else 'down'}\t{_LINK}")
        lines += [
            f"residency\ttotal_hw_sleep\t{self._deep_us}",
            f"residency\tslp_s0\t{self._deep_us}",
            f"residency\tpackage C10\t{self._package_us}",
        ]
        lines += [f"error\t{each}" for each in self._errors[-64:]]
        return "\n".join([*lines, "end", ""])


_FROM_IMAGE = (SleepKind.S4, SleepKind.FAST_STARTUP)
_WITH_IMAGE = (*_FROM_IMAGE, SleepKind.HYBRID)
_DOZES = (SleepKind.S3, SleepKind.MODERN_STANDBY)
_SHUT_DOWN = (SleepKind.FAST_STARTUP, SleepKind.BOOT)
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
    from_image = depth in _FROM_IMAGE
    if from_image:
        bios_ns += POST_NS
    if by_chance(errs.firmware_late_share, random):
        bios_ns += errs.firmware_late_ns
    image_ns = errs.image_read_ns if from_image else 0
    light_ns = light_after_ns(timing, drawn_ns, tsc_ns + bios_ns + image_ns, driver_ns)
    if depth is SleepKind.MODERN_STANDBY:
        light_ns = max(light_ns - tsc_ns - bios_ns, 0)
    elif errs.lit_by_firmware:
        light_ns = tsc_ns + round(_FIRMWARE_LIGHT_SHARE * bios_ns)
    if by_chance(errs.light_late_share, random):
        light_ns += errs.light_late_ns
    return ResumeDraw(tsc_ns, bios_ns, image_ns, driver_ns, user_ns, light_ns)


class SimulatedDut:
    """One PC that is up when it is made.

    What a press does depends on the state in which it is accepted:

    - up: it sleeps
    - suspending: nothing, as the OS clears the button's status before it writes SLP_TYP
    - power going down: it wakes as soon as the power is gone and SLP_S3# was low for its minimum
    - asleep: it wakes
    - in firmware, or booting: nothing
    - resuming: it sleeps when the wake has ended, as Windows queues the request
    - off: it boots

    A button that is held for 4 s of S0 switches it off. A lid that opens while it suspends, or
    later, is remembered: its wake event is latched.

    A key of its keyboard, its plug and a magic packet wake it where its profile arms it for
    them; from S4 and off the key does not, as the bus has no power there, and only the packet
    switches it on.

    Its OS does what it is commanded, and sleeps by itself where its profile names an `idle_s`.
    Its own clock wakes it, or switches it on, where that was armed. From S5, and from the S4 of
    a fast startup, a lid does not wake it.

    Its profile's behaviour is how it errs; a sound one draws not one number more for that. What
    its OS lists of devices and counters is `SimulatedHealth`.

    Attributes:
        faults: misbehaviours; may be exchanged at any time, holds for what starts after.
        behaviour: how it errs; likewise.
        health: what its OS lists.
    """

    def __init__(
        self, profile: DutProfile, random: Generator, faults: frozenset[SimFault] = frozenset()
    ) -> None:
        self.faults = faults
        self._profile = profile
        self._timing = profile.timing
        self.behaviour = profile.behaviour
        self._random = random
        self._agenda = Agenda()
        self._shown: list[DutEvent] = []
        self._lines = DutLines(self._agenda, self._shown)
        self._input = DutInput(self, self._timing, self._agenda, self._lines, random)
        self._state = PowerState.UP
        self._power_off_ns = 0
        self._pending_wake: WakeCause | None = None
        self._pending_sleep = False
        self._cause = WakeCause.BUTTON
        self._depth = SleepKind.S3
        self._dozing = False
        self._supplied = True
        self._reports = self._wakeups = self._undelivered = 0
        self._shut_down = False
        self.health = SimulatedHealth()
        self.touched(0)

    @property
    def state(self) -> PowerState:
        """What it is doing, as of the last `advance`."""
        return self._state

    @property
    def levels(self) -> dict[Channel, int]:
        """Electrical level of every line, wired or not."""
        return dict(self._lines.levels)

    def move(self, t_ns: int, actuator: Actuator, driven: bool, earliest_ns: int = 0) -> None:
        """An actuator's output changes at `t_ns`; its contact follows a little later.

        Args:
            t_ns: of the output; may lie before what `advance` has reached.
            actuator: which.
            driven: from then on.
            earliest_ns: of the contact, for who has advanced beyond the output's change already.
        """
        self._input.move(t_ns, actuator, driven, earliest_ns)

    def command(self, t_ns: int, state: SleepKind) -> bool:
        """Its OS is commanded into a state; return whether it runs and does so.

        One that errs does what its behaviour has instead of S3.
        """
        if self._state is not PowerState.UP:
            return False
        depth = self.behaviour.sleeps if state is SleepKind.S3 else state
        begin = partial(self._sleep, depth=depth, cause=SleepCause.COMMAND)
        self._agenda.plan(t_ns, begin, Thread.ALWAYS)
        return True

    def arm_timer(self, t_ns: int, after_ns: int | None) -> bool:
        """Its clock is set to wake it, or to forget that; return whether its OS runs."""
        if self._state is PowerState.UP:
            self._agenda.drop(Thread.TIMER)
            if after_ns is not None:
                due_ns = states.next_tick_ns(t_ns + after_ns)
                wake = partial(self._wake_or_switch_on, WakeCause.TIMER)
                self._agenda.plan(due_ns, wake, Thread.TIMER)
        return self._state is PowerState.UP

    def supply(self, t_ns: int, on: bool) -> None:
        """Its supply is cut or given back at `t_ns`; it then stays off until it is switched on."""
        self._agenda.plan(t_ns, partial(self._supply, on), Thread.ALWAYS)

    def next_event_ns(self) -> int | None:
        """Return when something happens next if nobody moves an actuator; None: never."""
        return self._agenda.next_ns()

    def advance(self, t_ns: int) -> list[DutEvent]:
        """Return what happens up to and including `t_ns`, in time order."""
        self._agenda.run(t_ns)
        shown = self._shown.copy()
        self._shown.clear()
        return shown

    # --- the button and the lid

    def touched(self, t_ns: int) -> None:
        """Somebody is there: count anew how long nobody is."""
        self._agenda.drop(Thread.IDLE)
        if self._profile.idle_ns is not None:
            self._agenda.plan(t_ns + self._profile.idle_ns, self._idle_over, Thread.IDLE)

    def lid_bounces(self) -> int:
        """Return how often the lid's sensor falls back at each edge."""
        return self.behaviour.lid_bounces

    def button_accepted(self, t_ns: int) -> None:
        """Do what a press means now."""
        if self._state in states.COUNTS_OVERRIDE:
            self._count_override(t_ns)
        if self._state in (PowerState.UP, PowerState.RESUMING):
            self._ask_for_sleep(t_ns)
        elif self._state is PowerState.OFF and self._supplied:
            self._cold_boot(t_ns)
        else:
            self._wake_by(WakeCause.BUTTON, t_ns)

    def _count_override(self, t_ns: int) -> None:
        self._agenda.plan(t_ns + states.OVERRIDE_NS, self._power_lost, Thread.BUTTON)

    def lid_accepted(self, closed: bool, t_ns: int) -> None:
        """Do what a lid that moved means now."""
        if closed:
            if self._profile.lid_close_sleeps:
                self._ask_for_sleep(t_ns)
        elif self._profile.lid_open_wakes and self._depth not in _SHUT_DOWN:
            if self._state is PowerState.SUSPENDING:
                self._pending_wake = WakeCause.LID
            else:
                self._wake_by(WakeCause.LID, t_ns)

    # --- other ways to wake it

    def key_pressed(self, t_ns: int) -> None:
        """Take a report, or the remote wakeup of a suspended bus that is armed for it."""
        bus = self.keyboard().bus
        armed = bus is KeyboardBus.SUSPENDED and self._profile.keyboard_wakes
        if bus is KeyboardBus.READY:
            self._reports += 1
        elif armed:
            self._wakeups += 1
            self._wake_by(WakeCause.KEYBOARD, t_ns)
        else:
            self._undelivered += 1

    def contact_closed(self, t_ns: int) -> None:
        """The plug of its adapter or dock is in."""
        if self._profile.contact_wakes and self._depth not in _SHUT_DOWN:
            self._wake_by(WakeCause.CONTACT, t_ns)

    def magic_packet(self, t_ns: int) -> None:
        """A packet that names its network adapter leaves the host at `t_ns`."""
        arrival_ns = t_ns + self._draw(states.NETWORK)
        if self._profile.lan_wakes:
            wake = partial(self._wake_or_switch_on, WakeCause.LAN)
            self._agenda.plan(arrival_ns, wake, Thread.ALWAYS)

    def keyboard(self) -> Keyboard:
        """Return what it makes of the board as its keyboard; counts are since it was made."""
        bus = KeyboardBus.READY
        if self._state in (PowerState.OFF, PowerState.BOOTING) or (
            self._state is PowerState.ASLEEP and self._depth in states.DEEP
        ):
            bus = KeyboardBus.DETACHED
        elif self._state not in (PowerState.UP, PowerState.SUSPENDING, PowerState.RESUMING):
            bus = KeyboardBus.SUSPENDED
        counts = (self._reports, self._wakeups, self._undelivered)
        return Keyboard(bus, self._profile.keyboard_wakes, *counts)

    def _wake_or_switch_on(self, cause: WakeCause, t_ns: int) -> None:
        """Wake it, or switch it on where its OS has shut it down."""
        if self._state is PowerState.OFF and self._supplied and self._shut_down:
            self._cold_boot(t_ns)
        else:
            self._wake_by(cause, t_ns)

    def _wake_by(self, cause: WakeCause, t_ns: int) -> None:
        if self._state is PowerState.POWERING_DOWN:
            self._pending_wake = cause
        elif self._state is PowerState.ASLEEP:
            self._wake(cause, t_ns)

    def load_mw(self) -> int:
        """Return what it draws now."""
        asleep = self._state is PowerState.ASLEEP
        if asleep and self._depth is SleepKind.MODERN_STANDBY:
            # On average: little where it is deep.
            shallow_mw, share = self._profile.standby_mw, self.behaviour.standby_deep_share
            return round(shallow_mw * (1 - share) + states.LOAD_MW[PowerState.ASLEEP] * share)
        deep = asleep and self._depth in states.DEEP
        return states.LOAD_MW[PowerState.OFF if deep else self._state]

    # --- going to sleep

    def _ask_for_sleep(self, t_ns: int) -> None:
        if self._state is PowerState.UP:
            self._agenda.plan(t_ns + late_sleep_ns(self.behaviour, self._random), self._sleep)
        elif self._state is PowerState.RESUMING:
            self._pending_sleep = True

    def _idle_over(self, t_ns: int) -> None:
        if self._state is PowerState.UP:
            self._sleep(t_ns, cause=SleepCause.IDLE)

    def _sleep(
        self, t_ns: int, depth: SleepKind | None = None, cause: SleepCause = SleepCause.USER
    ) -> None:
        if SimFault.NEVER_SLEEPS in self.faults or self._state is not PowerState.UP:
            return
        self._state = PowerState.SUSPENDING
        self._pending_wake = None
        self._depth = self.behaviour.sleeps if depth is None else depth
        image_ns = self.behaviour.image_write_ns if self._depth in _WITH_IMAGE else 0
        suspend_ns = self._draw(self._timing.suspend) + image_ns
        suspend_ns += states.SHUTDOWN_NS if self._depth in _SHUT_DOWN else 0
        self._shown.append(event.SleepBegan(t_ns, self._depth, image_ns, cause))
        plan = self._agenda.plan
        plan(t_ns + round(suspend_ns * states.DISPLAY_OFF_SHARE), self._display_off)
        plan(t_ns + round(suspend_ns * states.SLEEP_ENTERED_SHARE), self._sleep_entered)
        plan(t_ns + suspend_ns, self._freeze)

    def _display_off(self, t_ns: int) -> None:
        self._shown.append(event.DisplayOff(t_ns))
        self._lines.want_display(False, t_ns)

    def _sleep_entered(self, t_ns: int) -> None:
        self._shown.append(event.SleepEntered(t_ns))

    def _freeze(self, t_ns: int) -> None:
        self._state = PowerState.POWERING_DOWN
        self._shown.append(event.OsFrozen(t_ns))
        hidden_ns = self.behaviour.hidden_before_sleep_ns
        self._agenda.plan(t_ns + states.SLP_TYP_TRAP_NS + hidden_ns, self._power_down)

    def _power_down(self, t_ns: int) -> None:
        self._power_off_ns = t_ns
        if self._depth is SleepKind.MODERN_STANDBY:
            self._lines.set_later(Channel.LED, 0, t_ns + states.LED_DELAY_NS)
            if self.behaviour.standby_deep_share and Channel.SLP_S0 in self._profile.channels:
                self._agenda.plan(t_ns + states.DEEP_AFTER_NS, partial(self._go_deep, t_ns))
            self._fallen_asleep(t_ns)
            return
        self._lines.power_falls(t_ns, self._depth)
        power_gone_ns = t_ns + self._draw(self._timing.slp_s3_to_power_off)
        self._agenda.plan(power_gone_ns, self._power_gone)

    def _go_deep(self, since_ns: int, t_ns: int) -> None:
        """Reach the deepest state, for its share of a period, in the same Modern Standby."""
        if self._state is PowerState.ASLEEP and self._power_off_ns == since_ns:
            self._lines.set(Channel.SLP_S0, 0, t_ns)
            deep_ns = round(states.DEEP_EVERY_NS * self.behaviour.standby_deep_share)
            if deep_ns < states.DEEP_EVERY_NS:
                self._lines.set_later(Channel.SLP_S0, 1, t_ns + deep_ns)
                again = partial(self._go_deep, since_ns)
                self._agenda.plan(t_ns + states.DEEP_EVERY_NS, again)

    def _power_gone(self, t_ns: int) -> None:
        self._lines.set(Channel.PWR_OK, 0, t_ns)
        self._fallen_asleep(t_ns)

    def _fallen_asleep(self, t_ns: int) -> None:
        if self._depth is SleepKind.BOOT:
            self._state, self._shut_down = PowerState.OFF, True
            return
        self._state = PowerState.ASLEEP
        doze_ns = self.behaviour.doze_after_ns
        alone = self._by_chance(self.behaviour.wakes_alone_share)
        if self._pending_wake is not None:
            self._wake(self._pending_wake, t_ns)
        elif alone or SimFault.WAKES_ALONE in self.faults:
            self._agenda.plan(t_ns + states.ALONE_AFTER_NS, self._wake_alone)
        elif doze_ns is not None and self._depth in _DOZES:
            self._agenda.plan(t_ns + doze_ns, partial(self._doze, self._power_off_ns))
        if SimFault.NOISY_LINE in self.faults:
            until_ns = t_ns + states.FLUTTER_NS
            self._lines.flutter(lambda: self._state is PowerState.ASLEEP, until_ns, t_ns)

    # --- waking up

    def _wake_alone(self, t_ns: int) -> None:
        if self._state is PowerState.ASLEEP:
            self._wake(WakeCause.DEVICE, t_ns)

    def _doze(self, since_ns: int, t_ns: int) -> None:
        """Wake with a dark display to hibernate, if it is the same sleep still."""
        if self._state is PowerState.ASLEEP and self._power_off_ns == since_ns:
            self._wake(WakeCause.DOZE, t_ns)
            self._dozing = SimFault.NEVER_WAKES not in self.faults

    def _wake(self, cause: WakeCause, t_ns: int) -> None:
        self._pending_wake = None
        if SimFault.NEVER_WAKES in self.faults:
            return
        self._state = PowerState.POWERING_UP
        self._cause = cause
        asked_ns = t_ns + self._draw(self._timing.button_to_slp_s3)
        if self._depth is SleepKind.MODERN_STANDBY:
            self._agenda.plan(asked_ns + states.STANDBY_EXIT_NS, self._leave_standby)
        elif self._depth in _FROM_IMAGE:
            start_ns = max(asked_ns, self._power_off_ns + states.SLP_S4_STRETCH_NS)
            self._lines.set_later(Channel.SLP_S4, 1, start_ns)
            self._agenda.plan(start_ns + states.SLP_SKEW_NS, self._power_up)
        else:
            start_ns = max(asked_ns, self._power_off_ns + states.SLP_S3_STRETCH_NS)
            self._agenda.plan(start_ns, self._power_up)

    def _leave_standby(self, t_ns: int) -> None:
        self._lines.set(Channel.SLP_S0, 1, t_ns)
        self._lines.set(Channel.LED, 1, t_ns)
        self.health.slept_in_standby(t_ns - self._power_off_ns, self.behaviour)
        drawn = draw_resume(self._timing, self.behaviour, self._random, self._depth)
        self._resume(t_ns, t_ns, drawn)

    def _power_up(self, t_ns: int) -> None:
        self._lines.set(Channel.SLP_S3, 1, t_ns)
        self._lines.set_later(Channel.LED, 1, t_ns + states.LED_DELAY_NS)
        pwr_ok_ns = t_ns + self._draw(self._timing.slp_s3_to_pwr_ok)
        pltrst_ns = pwr_ok_ns + self._draw(self._timing.pwr_ok_to_pltrst)
        self._lines.set_later(Channel.PWR_OK, 1, pwr_ok_ns)
        runs = self._boot if self._state is PowerState.BOOTING else self._run_firmware
        self._agenda.plan(pltrst_ns, runs)

    def _run_firmware(self, t_ns: int) -> None:
        self._leave_reset(PowerState.IN_FIRMWARE, t_ns)
        errs = self.behaviour
        if self._by_chance(errs.double_reset_share):
            self._lines.set_later(Channel.PLTRST, 0, t_ns + states.SECOND_RESET_AFTER_NS)
            t_ns += states.SECOND_RESET_AFTER_NS + states.SECOND_RESET_NS
            self._lines.set_later(Channel.PLTRST, 1, t_ns)
        hangs = self._by_chance(errs.hang_share)
        drawn = draw_resume(self._timing, self.behaviour, self._random, self._depth)
        if not hangs:
            self._resume(t_ns, t_ns + drawn.tsc_ns + drawn.bios_ns + drawn.image_ns, drawn)

    def _resume(self, light_from_ns: int, resumed_ns: int, drawn: ResumeDraw) -> None:
        times = (drawn.bios_ns, drawn.driver_ns, drawn.user_ns, drawn.image_ns)
        plan, resumed = self._agenda.plan, event.OsResumed(resumed_ns, self._cause, *times)
        plan(resumed_ns, partial(self._os_resumed, resumed))
        ready_ns = resumed_ns + drawn.driver_ns
        plan(ready_ns, lambda at_ns: self._shown.append(event.DriversReady(at_ns)))
        plan(ready_ns + drawn.user_ns, self._wake_ended)
        if SimFault.DARK not in self.faults and not self._dozing:
            light_ns = light_from_ns + drawn.light_ns
            plan(light_ns, partial(self._lines.want_display, True), Thread.DISPLAY)

    def _os_resumed(self, resumed: event.OsResumed, t_ns: int) -> None:
        self._state = PowerState.RESUMING
        self._pending_sleep = False
        lost = self._by_chance(self.behaviour.device_lost_share)
        self.health.woke(t_ns, self.behaviour, lost=lost)
        self._shown.append(resumed)

    def _leave_reset(self, state: PowerState, t_ns: int) -> None:
        self._state = state
        self._lines.set(Channel.PLTRST, 1, t_ns)
        if self._input.held:
            self._count_override(t_ns)

    def _wake_ended(self, t_ns: int) -> None:
        self._state = PowerState.UP
        self._shown.append(event.WakeEnded(t_ns))
        self.touched(t_ns)
        if self._dozing:
            self._dozing = False
            self._sleep(t_ns, SleepKind.S4)
            return
        due_ns = t_ns + self._draw(self._timing.record_delay)
        self._agenda.drop(Thread.RECORD)
        self._agenda.plan(due_ns, self._record_due, Thread.RECORD)
        if self._pending_sleep:
            self._sleep(t_ns)

    def _record_due(self, t_ns: int) -> None:
        self._shown.append(event.RecordDue(t_ns))

    # --- off and on

    def _power_lost(self, t_ns: int) -> None:
        self._agenda.drop(Thread.POWER)
        self._agenda.drop(Thread.RECORD)
        self._state, self._shut_down = PowerState.OFF, False
        self._depth = SleepKind.BOOT
        self._pending_wake = None
        self._dozing = False
        self._power_off_ns = t_ns
        self._shown.append(event.PowerLost(t_ns))
        self._lines.want_display(False, t_ns)
        self._lines.power_falls(t_ns, SleepKind.BOOT)
        off_ns = self._draw(self._timing.slp_s3_to_power_off)
        self._lines.set_later(Channel.PWR_OK, 0, t_ns + off_ns)

    def _supply(self, on: bool, t_ns: int) -> None:
        self._supplied = on
        if not on:
            self._power_lost(t_ns)

    def _cold_boot(self, t_ns: int) -> None:
        if SimFault.NEVER_WAKES in self.faults and self._shut_down:
            return
        self._state = PowerState.BOOTING
        asked_ns = t_ns + self._draw(self._timing.button_to_slp_s3)
        start_ns = max(asked_ns, self._power_off_ns + states.SLP_S4_STRETCH_NS)
        self._lines.set_later(Channel.SLP_S5, 1, start_ns)
        self._lines.set_later(Channel.SLP_S4, 1, start_ns + states.SLP_SKEW_NS)
        self._agenda.plan(start_ns + 2 * states.SLP_SKEW_NS, self._power_up)

    def _boot(self, t_ns: int) -> None:
        self._leave_reset(PowerState.BOOTING, t_ns)
        plan = self._agenda.plan
        kernel_ns, logo_ns = t_ns + states.BOOT_KERNEL_NS, t_ns + states.BOOT_LOGO_NS
        clean, self._shut_down = self._shut_down, False
        plan(kernel_ns, lambda at_ns: self._shown.append(event.OsBooted(at_ns, clean)))
        plan(t_ns + states.BOOT_UP_NS, self._boot_ended)
        if SimFault.DARK not in self.faults:
            plan(logo_ns, partial(self._lines.want_display, True), Thread.DISPLAY)

    def _boot_ended(self, t_ns: int) -> None:
        self.health.booted(t_ns, self.behaviour)
        self._state = PowerState.UP
        self.touched(t_ns)

    # --- draws

    def _draw(self, spread: Spread) -> int:
        return draw_ns(spread, self._random)

    def _by_chance(self, share: float) -> bool:
        return by_chance(share, self._random)
