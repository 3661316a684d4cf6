"""Single actions outside of campaigns: a sleep, a wake, a move of the lid; power on, off and reset.

The wires decide what happened; each action returns how long it took, from its trigger on. The rig
has a finger on the power button and no wire to the reset header or the supply: a reset is a forced
off and a press. Where the button does not cut the power, a command of the user's may.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from resume_rig.acceptance.bench import BenchInUse, need
from resume_rig.campaign.dut.user_program import PowerCommand
from resume_rig.campaign.dut.wake_lan import network_of
from resume_rig.campaign.plan.states import dead_lines, first_change, is_dark, is_off, sleep_line
from resume_rig.campaign.run.actions import RELEASE_LAG_NS, MeasuredPress, check_press, press_once
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.run.settling import STARTS_WITHIN_NS, goes_off, runs_within, switched
from resume_rig.campaign.store.raw import Command
from resume_rig.model.channel import SLEEPERS, Actuator, Channel, WakeBy, WakeMeans
from resume_rig.model.dut import DEFAULT_LADDER
from resume_rig.model.errors import DutFault, UsageError
from resume_rig.model.units import seconds_text
from resume_rig.rig.dut_profile import packet_for
from resume_rig.rig.interface import Keyboard

PRESS_NS: Final = 150_000_000
SETTLE_NS: Final = 2_000_000_000


@unique
class DutState(StrEnum):
    """What the wires show of a DUT now."""

    AWAKE = "awake"
    S3 = "S3"
    S4 = "S4"
    OFF = "off"
    UNCLEAR = "unclear"


class SingleActions:
    """Actions on an open bench.

    Attributes:
        use: the bench.
        bench: the same for one action after another; it remembers where the lid is.
    """

    def __init__(self, use: BenchInUse) -> None:
        self.use = use
        self.bench = Bench(
            use.rig,
            use.opened.clock,
            use.info,
            use.wired,
            press_ns=PRESS_NS,
            movable=use.movable,
            send_packet=packet_for(network_of(use.opened.network, None, None), use.dut),
        )

    def press(self, duration_ns: int, *, force_off: bool = False) -> MeasuredPress:
        """Press the power button, and return what the header saw.

        Raises:
            UsageError: the rig cannot, or not for so long.
            DeviceFault: the board refuses; nothing was pressed.
        """
        need(self.use, "press the power button", Actuator.BUTTON)
        return press_once(self.use.rig, self.use.opened.clock, duration_ns, force_off=force_off)

    def move_lid(self, *, closed: bool) -> None:
        """Close or open the lid; the board opens it when it hears nothing for its lease.

        Raises:
            UsageError: the rig cannot.
        """
        need(self.use, f"{'close' if closed else 'open'} the lid", Actuator.LID)
        self.bench.begin()
        self.bench.move(Actuator.LID, closed=closed)

    def press_key(self, duration_ns: int) -> Keyboard:
        """Press the key of the keyboard that the board is, and return what the DUT made of it.

        Its counts are of this press alone.

        Raises:
            UsageError: the rig is no keyboard of the DUT, or presses no key for so long.
            DeviceFault: the board refuses; nothing was pressed.
            DutFault: the DUT had neither a report nor a wakeup of it.
        """
        need(self.use, "press a key", Actuator.KEYBOARD)
        check_press(self.use.info, Actuator.KEYBOARD, duration_ns)
        rig, clock = self.use.rig, self.use.opened.clock
        before = rig.keyboard()
        rig.press(Actuator.KEYBOARD, duration_ns)
        clock.sleep_ns(duration_ns + RELEASE_LAG_NS)
        after = rig.keyboard()
        made = dataclasses.replace(
            after,
            reports=after.reports - before.reports,
            wakeups=after.wakeups - before.wakeups,
            undelivered=after.undelivered - before.undelivered,
        )
        if (made.reports, made.wakeups) == (0, 0):
            armed = "armed" if before.armed else "not armed"
            raise DutFault(
                f"the DUT had nothing of the key: its bus was {before.bus}, remote wakeup {armed}"
            )
        return made

    def set_contact(self, *, closed: bool) -> None:
        """Close or open the dry contact; the board opens it when it hears nothing for its lease.

        Raises:
            UsageError: the rig has none for the DUT.
        """
        need(self.use, f"{'close' if closed else 'open'} the contact", Actuator.CONTACT)
        self.bench.begin()
        self.bench.set_contact(closed=closed)

    def send_magic_packet(self) -> None:
        """Send the packet that wakes the DUT's network adapter.

        Raises:
            UsageError: the DUT's profile names no MAC address.
            RigError: it could not be sent.
        """
        self.bench.begin()
        self.bench.wake(WakeMeans.LAN)

    def put_to_sleep(self, by: Actuator, timeout_ns: int) -> int:
        """Put a DUT that runs to sleep; return the time from the trigger to sleep entry [ns].

        Raises:
            UsageError: the rig cannot move that.
            DutFault: it does not run, or does not fall asleep in time.
        """
        if by not in SLEEPERS:
            raise UsageError(
                f"could not put the DUT to sleep by {by}; allowed are {', '.join(SLEEPERS)}"
            )
        need(self.use, "put the DUT to sleep", by)
        bench = self.bench
        bench.begin()
        if not bench.is_running():
            raise DutFault(f"could not put the DUT to sleep: it does not run ({self.lines()})")
        with self._released_on_error():
            since_ns = bench.board_now_ns()
            command = bench.move(by, closed=True)
            line = sleep_line(bench.wired)

            def asleep_ns() -> int | None:
                return first_change(bench.capture.edges, line, 0, from_ns=since_ns)

            until_ns = bench.clock.now_ns() + timeout_ns
            if not bench.wait(until_ns, lambda: asleep_ns() is not None, fast=True):
                raise DutFault(
                    f"could not put the DUT to sleep by {by}: it did not fall asleep within "
                    f"{seconds_text(timeout_ns)} ({self.lines()})"
                )
        return (asleep_ns() or since_ns) - _start_of(command, since_ns)

    def stay_asleep(self, duration_ns: int) -> None:
        """Watch a DUT that sleeps, and see that nothing wakes it.

        Raises:
            DutFault: it is awake, or wakes meanwhile.
        """
        bench = self.bench
        bench.begin()
        if bench.is_running():
            raise DutFault("the DUT does not sleep: every line shows one that runs")
        begun_ns = bench.clock.now_ns()
        if bench.wait(begun_ns + duration_ns, bench.is_running):
            after = seconds_text(bench.clock.now_ns() - begun_ns)
            raise DutFault(
                f"the DUT did not stay asleep for {seconds_text(duration_ns)}: it ran again after "
                f"{after}, and nobody had woken it"
            )

    def wake(self, by: WakeBy, timeout_ns: int, settle_ns: int = SETTLE_NS) -> int:
        """Wake a DUT that sleeps; return the time from the trigger to the last sign of it [ns].

        Its OS needs a moment behind that sign before it can be asked anything: `settle_ns`.

        Raises:
            UsageError: the rig cannot move that, or by a packet, and there is no address for it.
            DutFault: it does not sleep, does not wake in time, or stays dark.
        """
        if isinstance(by, Actuator):
            need(self.use, "wake the DUT", by)
        bench = self.bench
        bench.begin()
        if bench.is_running():
            raise DutFault("could not wake the DUT: it does not sleep, every line shows it runs")
        if by is Actuator.LID and not bench.lid_closed:
            bench.move(Actuator.LID, closed=True)
            bench.wait(bench.clock.now_ns() + bench.slow_pause_ns)
        since_ns = bench.board_now_ns()
        command = bench.wake(by)
        until_ns = bench.clock.now_ns() + timeout_ns
        woke = bench.wait(until_ns, self._is_up, fast=True)
        bench.let_go_of_lid()
        bench.let_go_of_contact()
        if not woke:
            raise DutFault(
                f"could not wake the DUT by {by}: within {seconds_text(timeout_ns)} it showed "
                f"{self.lines()}"
            )
        last_ns = max(self._rises_since(since_ns), default=since_ns)
        bench.wait(bench.clock.now_ns() + settle_ns)
        return last_ns - _start_of(command, since_ns)

    def state(self) -> DutState:
        """Return what the wires show now."""
        levels, wired = self.use.rig.levels(), frozenset(self.use.wired)
        if not dead_lines(levels, wired):
            return DutState.AWAKE
        if levels.get(sleep_line(wired)):
            return DutState.UNCLEAR
        if Channel.SLP_S5 in wired and is_off(levels, wired):
            return DutState.OFF
        deep = Channel.SLP_S4 in wired and not levels.get(Channel.SLP_S4)
        return DutState.S4 if deep else DutState.S3

    def await_state(self, wanted: DutState, timeout_ns: int) -> None:
        """Wait until the wires show a state.

        Raises:
            DutFault: they do not in time.
        """
        bench = self.bench
        bench.begin()
        if not bench.wait(bench.clock.now_ns() + timeout_ns, lambda: self.state() is wanted):
            raise DutFault(
                f"the DUT is {self.state()} {seconds_text(timeout_ns)} later ({self.lines()}), and "
                f"{wanted} was waited for"
            )

    def levels(self) -> dict[Channel, int]:
        """Return the present level of each wired channel."""
        levels = self.use.rig.levels()
        return {channel: levels[channel] for channel in self.use.wired if channel in levels}

    def _rises_since(self, since_ns: int) -> list[int]:
        edges = self.bench.capture.edges
        return [edge.t_ns for edge in edges if edge.level == 1 and edge.t_ns >= since_ns]

    def _is_up(self) -> bool:
        """Whether every sign is there; a lid that covers the display is opened for the last."""
        bench = self.bench
        if not bench.is_running():
            return False
        bench.let_go_of_lid()
        return not is_dark(bench.levels(), bench.wired)

    def lines(self) -> str:
        """Return the newest levels that were read, for a sentence."""
        levels = self.bench.levels()
        shown = [f"{c}={levels[c]}" for c in self.use.wired if c in levels]
        return ", ".join(shown)

    @contextmanager
    def _released_on_error(self) -> Iterator[None]:
        try:
            yield
        except DutFault:
            self.bench.let_go_of_lid()
            raise


def _start_of(command: Command, otherwise_ns: int) -> int:
    return otherwise_ns if command.start_ns is None else command.start_ns


ON_WITHIN_NS: Final = 60_000_000_000
_POWER_LINES: Final = (Channel.PWR_OK, Channel.SLP_S3)


@dataclass(frozen=True, slots=True)
class PowerChange:
    """What one action did.

    Attributes:
        before, after: what the wires showed.
        took_ns: from the first move to the lines that prove it; 0 where nothing was to be done.
    """

    before: DutState
    after: DutState
    took_ns: int


class PowerActions:
    """Switches the DUT of an open bench.

    Args:
        actions: on the bench, whose memory of the lid they share.
        supply: cuts the DUT's supply and gives it back; None for none.
    """

    def __init__(self, actions: SingleActions, supply: PowerCommand | None = None) -> None:
        self._actions = actions
        self._use, self._bench = actions.use, actions.bench
        self._supply = supply
        self._ladder = DEFAULT_LADDER if self._use.dut is None else self._use.dut.recovery

    def on(self, timeout_ns: int = ON_WITHIN_NS) -> PowerChange:
        """Start, or wake, a DUT that does not run; its OS may need a while longer.

        Raises:
            UsageError: the rig has no button to press.
            DutFault: its lines do not show a running DUT within `timeout_ns`.
        """
        need(self._use, "switch the DUT on", Actuator.BUTTON)
        self._bench.begin()
        before, begun_ns = self._actions.state(), self._bench.clock.now_ns()
        if before is DutState.AWAKE:
            return PowerChange(before, before, 0)
        self._bench.let_go_of_lid()
        self._start(timeout_ns)
        return self._changed(before, begun_ns)

    def off(self) -> PowerChange:
        """Cut the power of a DUT, whatever it does; its unsaved work is lost.

        Raises:
            UsageError: the rig has no button, or no line shows whether the DUT has power.
            DutFault: the lines still show power.
        """
        self._needs_for_off("switch the DUT off")
        self._bench.begin()
        before, begun_ns = self._actions.state(), self._bench.clock.now_ns()
        if before is DutState.OFF:
            return PowerChange(before, before, 0)
        self._cut()
        # Where SLP_S5 is not wired, the lines alone look like those of a DUT that hibernates.
        return PowerChange(before, DutState.OFF, self._bench.clock.now_ns() - begun_ns)

    def reset(self, timeout_ns: int = ON_WITHIN_NS) -> PowerChange:
        """Cut the power, and start the DUT again; raises as `off` and `on`."""
        self._needs_for_off("reset the DUT")
        self._bench.begin()
        before, begun_ns = self._actions.state(), self._bench.clock.now_ns()
        if before is not DutState.OFF:
            self._cut()
        self._bench.wait(self._bench.clock.now_ns() + self._ladder.off_ns)
        # One that starts by itself when its supply comes back must not be pressed off again.
        if not runs_within(self._bench, STARTS_WITHIN_NS if self._supply is not None else 0):
            self._start(timeout_ns)
        return self._changed(before, begun_ns)

    def let_boot(self) -> None:
        """Wait for as long as the DUT's profile gives its OS to react to the button."""
        self._bench.wait(self._bench.clock.now_ns() + self._ladder.boot_ns)

    def switch_supply(self, *, on: bool) -> None:
        """Run the user's command for the DUT's supply.

        Raises:
            UsageError: there is none.
            DutFault: it failed; the sentence says how.
        """
        if self._supply is None:
            raise UsageError(
                f"could not switch the DUT's supply {'on' if on else 'off'}: the rig has no relay "
                "in it; --power-cycle names a command that switches it"
            )
        if not switched(self._bench, self._supply, on=on):
            raise DutFault(
                f"could not switch the DUT's supply {'on' if on else 'off'}: "
                f"{self._supply.problem or 'the command did not end in time'}"
            )

    def _needs_for_off(self, doing: str) -> None:
        need(self._use, doing, Actuator.BUTTON)
        if not set(_POWER_LINES) & set(self._use.wired):
            raise UsageError(
                f"could not {doing}: no line of {self._use.dut_name} shows whether it has power; "
                f"{' or '.join(_POWER_LINES)} would"
            )

    def _cut(self) -> None:
        """Hold the button until the power is cut, or let the user's command cut the supply."""
        bench, hold_ns = self._bench, self._ladder.force_off_ns
        bench.let_go_of_lid()
        bench.force_off(hold_ns)
        bench.wait(bench.clock.now_ns() + hold_ns)
        if goes_off(self._bench):
            return
        by = f"a press of {seconds_text(hold_ns)}"
        if self._supply is not None:
            off = switched(self._bench, self._supply, on=False) and goes_off(self._bench)
            # Nobody may be left in the dark, whatever the command did.
            back = switched(self._bench, self._supply, on=True)
            if off and back:
                return
            by += f" and the supply's command ({self._supply.problem or 'it changed nothing'})"
        raise DutFault(f"could not switch the DUT off by {by}: it shows {self._actions.lines()}")

    def _start(self, timeout_ns: int) -> None:
        self._bench.move(Actuator.BUTTON, closed=False)
        if not runs_within(self._bench, timeout_ns):
            raise DutFault(
                f"could not switch the DUT on: {seconds_text(timeout_ns)} after the press it shows "
                f"{self._actions.lines()}"
            )

    def _changed(self, before: DutState, begun_ns: int) -> PowerChange:
        return PowerChange(before, self._actions.state(), self._bench.clock.now_ns() - begun_ns)
