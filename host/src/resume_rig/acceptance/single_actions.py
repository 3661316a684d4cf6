"""One sleep, one wake, one move of the lid: what a test asks for outside of campaigns.

The wires decide what happened; each action returns how long it took, from its trigger on.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum, unique
from typing import Final

from resume_rig.acceptance.bench import BenchInUse, need
from resume_rig.campaign.dut.wake_lan import network_of
from resume_rig.campaign.plan.states import dead_lines, first_change, is_dark, is_off, sleep_line
from resume_rig.campaign.run.actions import RELEASE_LAG_NS, MeasuredPress, press_once
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.store.raw import Command
from resume_rig.model.channel import SLEEPERS, Actuator, Channel, WakeBy, WakeMeans
from resume_rig.model.errors import DutFault, UsageError
from resume_rig.model.units import seconds_text
from resume_rig.rig.interface import Keyboard
from resume_rig.rig.magic_packet import packet_for

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
    """Actions on an open bench; they share one memory of where the lid is.

    Args:
        use: the bench.
    """

    def __init__(self, use: BenchInUse) -> None:
        self._use = use
        self._bench = Bench(
            use.rig,
            use.opened.clock,
            use.info,
            use.wired,
            press_ns=PRESS_NS,
            movable=use.movable,
            send_packet=packet_for(network_of(use.opened.network, None, None), use.dut),
        )

    @property
    def use(self) -> BenchInUse:
        """The bench in use."""
        return self._use

    @property
    def bench(self) -> Bench:
        """What remembers where the lid is."""
        return self._bench

    def press(self, duration_ns: int, *, force_off: bool = False) -> MeasuredPress:
        """Press the power button, and return what the header saw.

        Raises:
            UsageError: the rig cannot.
            DeviceFault: the board refuses; nothing was pressed.
        """
        need(self._use, "press the power button", Actuator.BUTTON)
        return press_once(self._use.rig, self._use.opened.clock, duration_ns, force_off=force_off)

    def move_lid(self, *, closed: bool) -> None:
        """Close or open the lid; the board opens it when it hears nothing for its lease.

        Raises:
            UsageError: the rig cannot.
        """
        need(self._use, f"{'close' if closed else 'open'} the lid", Actuator.LID)
        self._bench.begin()
        self._bench.move(Actuator.LID, closed=closed)

    def press_key(self, duration_ns: int) -> Keyboard:
        """Press the key of the keyboard that the board is, and return what the DUT made of it.

        Its counts are of this press alone.

        Raises:
            UsageError: the rig is no keyboard of the DUT.
            DeviceFault: the board refuses; nothing was pressed.
            DutFault: the DUT had neither a report nor a wakeup of it.
        """
        need(self._use, "press a key", Actuator.KEYBOARD)
        rig, clock = self._use.rig, self._use.opened.clock
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
        need(self._use, f"{'close' if closed else 'open'} the contact", Actuator.CONTACT)
        self._bench.begin()
        self._bench.set_contact(closed=closed)

    def send_magic_packet(self) -> None:
        """Send the packet that wakes the DUT's network adapter.

        Raises:
            UsageError: the DUT's profile names no MAC address.
            RigError: it could not be sent.
        """
        self._bench.begin()
        self._bench.wake(WakeMeans.LAN)

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
        need(self._use, "put the DUT to sleep", by)
        bench = self._bench
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
        bench = self._bench
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
            UsageError: the rig cannot move that, or by a packet, and nobody knows where to.
            DutFault: it does not sleep, does not wake in time, or stays dark.
        """
        if isinstance(by, Actuator):
            need(self._use, "wake the DUT", by)
        bench = self._bench
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
        levels, wired = self._use.rig.levels(), frozenset(self._use.wired)
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
        bench = self._bench
        bench.begin()
        if not bench.wait(bench.clock.now_ns() + timeout_ns, lambda: self.state() is wanted):
            raise DutFault(
                f"the DUT is {self.state()} {seconds_text(timeout_ns)} later ({self.lines()}), and "
                f"{wanted} was waited for"
            )

    def levels(self) -> dict[Channel, int]:
        """Return the present level of each wired channel."""
        levels = self._use.rig.levels()
        return {channel: levels[channel] for channel in self._use.wired if channel in levels}

    def _rises_since(self, since_ns: int) -> list[int]:
        edges = self._bench.capture.edges
        return [edge.t_ns for edge in edges if edge.level == 1 and edge.t_ns >= since_ns]

    def _is_up(self) -> bool:
        """Whether every sign is there; a lid that covers the display is opened for the last."""
        bench = self._bench
        if not bench.is_running():
            return False
        bench.let_go_of_lid()
        return not is_dark(bench.levels(), bench.wired)

    def lines(self) -> str:
        """Return the newest levels that were read, for a sentence."""
        levels = self._bench.levels()
        shown = [f"{c}={levels[c]}" for c in self._use.wired if c in levels]
        return ", ".join(shown)

    @contextmanager
    def _released_on_error(self) -> Iterator[None]:
        try:
            yield
        except DutFault:
            self._bench.let_go_of_lid()
            raise


def _start_of(command: Command, otherwise_ns: int) -> int:
    return otherwise_ns if command.start_ns is None else command.start_ns
