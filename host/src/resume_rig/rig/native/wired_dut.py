"""A simulated DUT behind pins, lived a little ahead of time, and the way to its OS.

No clock, thread or port: whoever owns it decides how far to live, sends what it returns, and passes
on what the outputs did. An output that changed in the stretch already lived through moves its
contact at the end of that stretch; the contact is sensed, so no measurement notices.
"""

from typing import Final

import numpy as np
from numpy.random import SeedSequence, default_rng

from resume_rig.model.channel import Actuator
from resume_rig.model.dut import DutProfile
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.dut_profile import mac_bytes
from resume_rig.rig.native.bench import NativeBench
from resume_rig.rig.native.wires import (
    ACTUATOR_PINS,
    CHANNEL_PINS,
    FULL_SCALE_MV,
    PinChange,
    bus_change,
    level_change,
    light_change,
    load_change,
)
from resume_rig.rig.sim.dut.event import PanelChange, SimFault, WireChange
from resume_rig.rig.sim.dut.machine import SimulatedDut
from resume_rig.rig.sim.dut.os_log import OsClock, OsLog
from resume_rig.rig.sim.dut.panel import FULL_SCALE, RAMP_NS, Panel
from resume_rig.rig.sim.dut.states import PowerState, has_state

_LIGHT_STEP_NS: Final = 50_000  # while the panel ramps; after that its voltage stands still


class WiredDut:
    """One DUT that is up at `start_ns`. All times are the host's CLOCK_MONOTONIC_RAW.

    Args:
        profile: of the DUT; its channels are wired, the pins of others never change.
        start_ns: begin of its world.
        utc_ns: wall time then.
        seed: 0 or more; equal seeds and moves give equal DUTs.
        faults: how it misbehaves.
    """

    def __init__(
        self,
        profile: DutProfile,
        start_ns: int,
        utc_ns: int,
        seed: int,
        faults: frozenset[SimFault] = frozenset(),
    ) -> None:
        self._start_ns = start_ns
        self._wired = frozenset(profile.channels) & CHANNEL_PINS.keys()
        self._actuators = tuple(profile.actuators)
        self._mac = None if profile.mac is None else mac_bytes(profile.mac)
        dut, log, time, light = (default_rng(stream) for stream in SeedSequence(seed).spawn(4))
        self._dut = SimulatedDut(profile, dut, faults)
        self._log = OsLog(profile, OsClock(utc_ns, time), log, faults)
        self._panel = Panel(light)
        self._light_ns: int | None = None
        self._ramp_end_ns = 0
        self._bus: PinChange | None = None
        self._load_mw = 0
        self._reached_ns = 0
        self._outputs = 0

    def standing(self) -> list[PinChange]:
        """Return the present levels of all wired pins and the light, as changes at once."""
        levels = self._dut.levels
        changes = [level_change(0, channel, levels[channel]) for channel in self._wired]
        mask = sum(change.mask for change in changes)
        values = sum(change.values for change in changes)
        standing = [PinChange(0, mask, values), light_change(0, self._voltage_mv(self._reached_ns))]
        self._load_mw = self._dut.load_mw()
        standing.append(load_change(0, self._load_mw))
        if Actuator.KEYBOARD in self._actuators:
            self._bus = bus_change(0, self._dut.keyboard())
            standing.append(self._bus)
        return standing

    def next_ns(self) -> int | None:
        """Return when something happens next if no output changes; None: never."""
        next_ns = self._next_world_ns()
        return None if next_ns is None else next_ns + self._start_ns

    def live(self, until_ns: int) -> list[PinChange]:
        """Return what the pins do up to and including a time, in time order."""
        changes: list[PinChange] = []
        while (due_ns := self._next_world_ns()) is not None:
            if due_ns + self._start_ns > until_ns:
                break
            self._reached_ns = due_ns
            changes += self._lived_through(due_ns)
        return changes

    def drive(self, outputs: PinChange, earliest_ns: int) -> None:
        """Take a change of the image's outputs.

        Args:
            outputs: as the image sent it.
            earliest_ns: the contacts move no sooner, so that their edges can be sent ahead.
        """
        before = self._outputs
        self._outputs = before & ~outputs.mask | outputs.values & outputs.mask
        for actuator in self._actuators:
            bit = 1 << ACTUATOR_PINS[actuator]
            if (before ^ self._outputs) & bit:
                self._dut.move(
                    outputs.t_ns - self._start_ns,
                    actuator,
                    bool(self._outputs & bit),
                    max(earliest_ns - self._start_ns, self._reached_ns),
                )

    def command(self, t_ns: int, state: SleepKind) -> bool:
        """Command its OS into a state, at a time not lived yet; return whether it does so."""
        return self._dut.command(t_ns - self._start_ns, state)

    def arm_timer(self, t_ns: int, after_ns: int | None) -> bool:
        """Let its clock wake it so long after a time, or not; return whether its OS runs."""
        return self._dut.arm_timer(t_ns - self._start_ns, after_ns)

    def magic_packet(self, t_ns: int, address: bytes) -> None:
        """A magic packet for a network adapter leaves the host, at a time not lived yet."""
        if self._mac == address:
            self._dut.magic_packet(t_ns - self._start_ns)

    def os_runs(self) -> bool:
        """Return whether its OS would answer."""
        return self._dut.state is PowerState.UP

    def health_report(self, t_ns: int) -> str | None:
        """Return its health report; None where its OS would not answer."""
        return self._dut.health.report(t_ns - self._start_ns) if self.os_runs() else None

    def has_state(self, state: SleepKind) -> bool:
        """Return whether its OS can be sent into a state."""
        return has_state(self._dut.behaviour.sleeps, state)

    def log_text_from(self, offset: int) -> bytes:
        """Return the DUT's log from a byte offset on, as fragments: one event a line."""
        return self._log.text_from(offset)

    def log_document(self) -> str:
        """Return the DUT's log as one XML document."""
        return self._log.document()

    def _lived_through(self, world_ns: int) -> list[PinChange]:
        changes: list[PinChange] = []
        for event in self._dut.advance(world_ns):
            match event:
                case WireChange(t_ns, channel, level):
                    if channel in self._wired:
                        changes.append(level_change(t_ns + self._start_ns, channel, level))
                case PanelChange(t_ns, lit):
                    self._panel.switch(t_ns, lit)
                    self._light_ns, self._ramp_end_ns = t_ns, t_ns + RAMP_NS
                case _:
                    self._log.take(event)
        if self._light_ns is not None and self._light_ns <= world_ns:
            changes.append(self._ramped(self._light_ns))
        changes += self._bus_changes(world_ns)
        load_mw, self._load_mw = self._load_mw, self._dut.load_mw()
        if load_mw != self._load_mw:
            changes.append(load_change(world_ns + self._start_ns, self._load_mw))
        return changes

    def _bus_changes(self, world_ns: int) -> list[PinChange]:
        """Return the bus as a board that is its keyboard finds it, if that changed."""
        if Actuator.KEYBOARD not in self._actuators:
            return []
        now = bus_change(world_ns + self._start_ns, self._dut.keyboard())
        before, self._bus = self._bus, now
        return [] if before is not None and before.values == now.values else [now]

    def _next_world_ns(self) -> int | None:
        due = (self._dut.next_event_ns(), self._light_ns)
        return min((t_ns for t_ns in due if t_ns is not None), default=None)

    def _ramped(self, world_ns: int) -> PinChange:
        """Return the light at a moment of the panel's ramp, and plan the next one."""
        next_ns = world_ns + _LIGHT_STEP_NS
        self._light_ns = next_ns if next_ns <= self._ramp_end_ns else None
        return light_change(world_ns + self._start_ns, self._voltage_mv(world_ns))

    def _voltage_mv(self, world_ns: int) -> int:
        counts = int(self._panel.counts(np.array([world_ns], dtype=np.int64))[0])
        return counts * FULL_SCALE_MV // FULL_SCALE


class WiredOs:
    """Passes commands to the DUT of a bench that runs.

    Args:
        bench: whose thread lives the DUT.
        dut: the one at its pins.
    """

    def __init__(self, bench: NativeBench, dut: WiredDut) -> None:
        self._bench = bench
        self._dut = dut

    def has_state(self, state: SleepKind) -> bool:
        """Return whether the DUT can be sent into a state."""
        return self._dut.has_state(state)

    def command_sleep(self, state: SleepKind) -> bool:
        """Command the DUT's OS into a state; return whether it runs and does so."""
        return self._bench.in_its_world(lambda t_ns: self._dut.command(t_ns, state))

    def arm_timer(self, after_ns: int | None) -> bool:
        """Let the DUT's clock wake it, or forget that (None); return whether its OS runs."""
        return self._bench.in_its_world(lambda t_ns: self._dut.arm_timer(t_ns, after_ns))

    def magic_packet(self, address: bytes) -> None:
        """Send a packet to the DUT."""
        self._bench.in_its_world(lambda t_ns: self._dut.magic_packet(t_ns, address))

    def os_runs(self) -> bool:
        """Return whether the DUT's OS would answer now."""
        return self._bench.in_its_world(lambda _: self._dut.os_runs())

    def health_report(self) -> str | None:
        """Return the health report of the DUT's OS; None where it would not answer now."""
        return self._bench.in_its_world(self._dut.health_report)
