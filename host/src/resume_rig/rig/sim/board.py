"""The simulated board: the firmware's C core with a clock, pins and memory around it.

It decides nothing: capture, numbering, interlock and the rig group are the core's, which calls back
for the time and for outputs. cffi would print an exception in such a callback, and the core go on
with 0: Ctrl-C would be lost, and the board's time be 0. So an interrupted callback is called again,
and the exception raised where the core was called. Not safe for threads; the bench that owns the
board has one.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from resume_rig import __version__
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.units import NS_PER_S, PPB
from resume_rig.rig.interface import Keyboard, KeyboardBus, PastBoot
from resume_rig.rig.sim.dut.os_log import DUT_LOG_NAME
from resume_rig.rig.sim.dut.panel import (
    POWER_PERIOD_NS,
    POWER_RING,
    POWER_WINDOW_NS,
    SHUNT_TOLERANCE_PPM,
    SHUNT_UOHM,
    Load,
    Panel,
    SimulatedMonitor,
)

try:
    from resume_rig._core import ffi, lib
except ImportError as error:
    raise UsageError(
        f"the simulated bench needs the firmware's compiled core, and this installation has none "
        f"({error}): install a released wheel, or a C compiler (GCC or Clang) and then resume-rig "
        "again; logs and boards work without it"
    ) from error


@dataclass(frozen=True, slots=True)
class RatedClock:
    """A counter that started from 0 at `start_ns` of world time.

    Attributes:
        rate_ppb: rate error in parts per billion, positive = fast; above -1e9.
    """

    start_ns: int
    rate_ppb: int

    def at(self, world_ns: int) -> int:
        """Return the counter [ns] at a world time; whole nanoseconds, rounded down."""
        elapsed_ns = world_ns - self.start_ns
        return elapsed_ns + elapsed_ns * self.rate_ppb // PPB

    def when(self, counter_ns: int) -> int:
        """Return the first world time at which the counter shows `counter_ns` or more."""
        elapsed_ns = counter_ns * PPB // (PPB + self.rate_ppb)
        while self.at(self.start_ns + elapsed_ns - 1) >= counter_ns:
            elapsed_ns -= 1
        while self.at(self.start_ns + elapsed_ns) < counter_ns:
            elapsed_ns += 1
        return self.start_ns + elapsed_ns


EDGE_RING: Final = 4096  # assumed: decides how many edges may wait for a silent host
LIGHT_RING: Final = 4096  # some 4 s of 1 ms blocks
LEASE_NS: Final = 10_000_000_000  # assumed: decides how long the host may be silent
MAX_PRESS_NS: Final = 1_000_000_000  # far below the 4 s of a power button override
MAX_FORCE_NS: Final = 12_000_000_000  # override timers run for 4 to 10 s, BIOS permitting up to 14
# As the defaults of firmware/dts/bindings/rig/resume-rig,actuators.yaml, which give the reasons.
MIN_RELEASE_NS: Final = 100_000_000
WINDOW_NS: Final = 5_000_000_000
MAX_DRIVEN_NS: Final = 2_200_000_000
MAX_HOLD_NS: Final = 90_000_000_000_000
CONTACT_RELEASE_NS: Final = 1_000_000_000
CLOCK_HZ: Final = 1_000_000
CLOCK_TOLERANCE_PPB: Final = 30_000  # a plain crystal

_TICK_NS = NS_PER_S // CLOCK_HZ
# Boards sample at 50 kS/s; a virtual bench that plays a thousand cycles has no use for so many.
LIGHT_RATE_HZ: Final = 2_000
LIGHT_FULL_SCALE: Final = 4_095  # a converter of 12 bits
ONSET_RING: Final = 512  # some 256 ms
# Entry and stamp of an interrupt take 1 to 4 us; rounding down to a tick takes up to 1 us off.
_LATENCY_MIN_NS = 1_000
_LATENCY_SPAN_NS = 3_000
_DELAY_NS = 2_000
_UNCERTAINTY_NS = 2_500
_CHECKS = (
    ("edge_delay_ns", _DELAY_NS),
    ("edge_jitter_ns", _LATENCY_SPAN_NS),
    ("clock_tolerance_ppb", CLOCK_TOLERANCE_PPB),
)
_NEVER: Final = 2**64 - 1
_MOST_PAST: Final = 8  # rig.cddl, 9: earlier boots

_KINDS: Final = {
    Actuator.BUTTON: lib.RIG_ACTUATOR_PRESS,
    Actuator.LID: lib.RIG_ACTUATOR_HOLD,
    Actuator.KEYBOARD: lib.RIG_ACTUATOR_KEY,
    Actuator.CONTACT: lib.RIG_ACTUATOR_CONTACT,
}
_BUSES: Final = {
    KeyboardBus.DETACHED: lib.RIG_KEYBOARD_DETACHED,
    KeyboardBus.SUSPENDED: lib.RIG_KEYBOARD_SUSPENDED,
    KeyboardBus.READY: lib.RIG_KEYBOARD_READY,
}

_Drive = Callable[[int, Actuator, bool], None]


@dataclass(frozen=True, slots=True)
class BoardWiring:
    """What the front end connects, in the order in which the board numbers it."""

    channels: tuple[Channel, ...]
    actuators: tuple[Actuator, ...]


class SimulatedBoard:
    """One board, booted when it is made.

    Args:
        wiring: channels and actuators.
        world_now: world time [ns]; asked whenever the core asks for the time.
        drive: called with (world time, actuator, driven) when an output changes.
        random: for interrupt latency and boot ids.
        rate_ppb: rate error of its crystal.
        light_rate_hz: light samples in a second while it is armed; a divisor of 1e9, or 0 for a
            board without a photodiode.
        keyboard: asked what the DUT makes of it; None for a board that is no keyboard.
        power: it has a power monitor, which errs within its data sheet.
    """

    def __init__(
        self,
        wiring: BoardWiring,
        world_now: Callable[[], int],
        drive: _Drive,
        random: Generator,
        rate_ppb: int,
        *,
        light_rate_hz: int = LIGHT_RATE_HZ,
        keyboard: Callable[[], Keyboard] | None = None,
        power: bool = False,
    ) -> None:
        self._monitor = SimulatedMonitor(random) if power else None
        self._keyboard = keyboard
        self._wiring = wiring
        self._world_now = world_now
        self._drive = drive
        self._random = random
        self._rate_ppb = rate_ppb
        self._light_rate_hz = light_rate_hz
        self._sample_ns = NS_PER_S // light_rate_hz if light_rate_hz else 0
        self._world_ns = 0
        # What the core hands back, so that a callback finds its board.
        self._handle = ffi.new_handle(self)
        self.raised: BaseException | None = None
        self._index = {channel: number for number, channel in enumerate(wiring.channels)}
        self._driven = dict.fromkeys(wiring.actuators, False)
        self._ticking = False
        self._reply = ffi.new("uint8_t[]", 0)
        self._reply_bytes = ffi.buffer(self._reply)
        self._length = ffi.new("size_t *")
        self._has_deadline = False
        self._deadline_ns: int | None = None
        # What outlives a reset.
        self._calibration = ffi.new("struct rig_calibration *")
        self._past: list[PastBoot] = []
        self._boot_id: int | None = None

    def boot(self, world_ns: int, levels: dict[Channel, int], reset_reason: str) -> None:
        """Start the firmware: new boot id, empty rings, time from 0, everything released."""
        if self._boot_id is not None:
            ended = self._ended(self._boot_id, world_ns, reset_reason)
            self._past = [ended, *self._past][:_MOST_PAST]
        self._clock = RatedClock(world_ns, self._rate_ppb)
        self._asked_world_ns, self._asked_board_ns = world_ns, 0
        self._has_deadline = False
        self._world_ns = world_ns
        self._last_stamp_ns = 0
        self._next_sample_ns = 0
        self._next_power = 1
        self._memory: list[Any] = []
        self._core = ffi.new("struct rig_core *")
        word = sum(levels[channel] << bit for channel, bit in self._index.items())
        status: int = lib.rig_core_init(self._core, self._config(reset_reason), word)
        if status != 0:
            raise ValueError(f"the core refused the simulated board's configuration: {status}")

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Return what is observed, in the board's order."""
        return self._wiring.channels

    # --- time

    def now_ns(self) -> int:
        """Return board time; called by the core, which may be catching up on what was due."""
        if not self._ticking:
            self._world_ns = max(self._world_ns, self._world_now())
        return self.board_ns(self._world_ns)

    def board_ns(self, world_ns: int) -> int:
        """Return board time at a world time."""
        if world_ns != self._asked_world_ns:  # a request asks for the same one again
            self._asked_world_ns, self._asked_board_ns = world_ns, self._clock.at(world_ns)
        return self._asked_board_ns

    def deadline_world_ns(self) -> int | None:
        """Return the world time at which `tick` has something to do; None: never."""
        # Only what the core is asked, or does when it is due, changes what is due next.
        if not self._has_deadline:
            deadline_ns: int = lib.rig_core_deadline(self._core)
            self._deadline_ns = None if deadline_ns == _NEVER else self._clock.when(deadline_ns)
            self._has_deadline = True
        return self._deadline_ns

    def tick(self, world_ns: int) -> None:
        """Let the core do what is due at `world_ns`."""
        self._world_ns = world_ns
        self._ticking = True
        self._has_deadline = False
        try:
            lib.rig_core_tick(self._core, self._clock.at(world_ns))
        finally:
            self._ticking = False
        self._raise_pending()

    def release(self, world_ns: int) -> None:
        """Let go of every actuator at `world_ns`, as a reset does."""
        self._world_ns = world_ns
        self._has_deadline = False
        lib.rig_core_release(self._core)
        self._raise_pending()

    # --- pins

    def edge(self, world_ns: int, channel: Channel, level: int) -> None:
        """A wire changed; stamped as an interrupt would, late by some microseconds."""
        number = self._index.get(channel)
        if number is None:
            return
        latency_ns = _LATENCY_MIN_NS + round(self._random.random() * _LATENCY_SPAN_NS)
        stamp_ns = self._clock.at(world_ns + latency_ns) // _TICK_NS * _TICK_NS
        # One interrupt is served after the other.
        self._last_stamp_ns = max(self._last_stamp_ns, stamp_ns)
        lib.rig_core_edge(self._core, number, bool(level), self._last_stamp_ns)

    def drive(self, number: int, driven: bool) -> None:
        """An output changes; called by the core."""
        actuator = self._wiring.actuators[number]
        if self._driven[actuator] != driven:
            self._driven[actuator] = driven
            self._drive(self._world_ns, actuator, driven)

    def sample_light(self, panel: Panel, until_world_ns: int) -> None:
        """Sample the photodiode up to a world time, for as long as it is armed."""
        if not self._light_rate_hz:
            return
        armed_until_ns: int = self._core.light.armed_until_ns
        end_ns = min(self._clock.at(until_world_ns), armed_until_ns)
        if self._next_sample_ns < end_ns:
            t_ns = np.arange(self._next_sample_ns, end_ns, self._sample_ns, dtype=np.int64)
            counts = panel.counts(self._world_times(t_ns)).astype(np.uint16)
            light = ffi.addressof(self._core, "light")
            samples = ffi.from_buffer("uint16_t[]", counts)
            lib.rig_light_samples(light, self._next_sample_ns, samples, counts.size)
            self._next_sample_ns = int(t_ns[-1]) + self._sample_ns
        self._skip_unarmed(until_world_ns, armed_until_ns)

    def sample_power(self, load: Load, until_world_ns: int) -> None:
        """Let the power monitor sample what the DUT drew, up to a world time."""
        if self._monitor is None:
            return
        last = self._clock.at(until_world_ns) // POWER_PERIOD_NS
        numbers = np.arange(self._next_power, last + 1, dtype=np.int64)
        if not numbers.size:
            return
        self._next_power = int(last) + 1
        ends_ns = self._world_times(numbers * POWER_PERIOD_NS)
        bus_uv, current_ua = self._monitor.read(load.mean_mw(ends_ns, POWER_WINDOW_NS))
        sample = ffi.new("struct rig_power_sample *")
        for number, bus, current in zip(
            numbers.tolist(), bus_uv.tolist(), current_ua.tolist(), strict=True
        ):
            sample.t_ns, sample.bus_uv, sample.current_ua = number * POWER_PERIOD_NS, bus, current
            lib.rig_core_power(self._core, sample)

    def light_ends_by(self, world_ns: int) -> bool:
        """Return whether a recording ends by then whose samples were not all taken."""
        if not self._light_rate_hz:
            return False
        armed_until_ns: int = self._core.light.armed_until_ns
        return self._next_sample_ns < armed_until_ns <= self._clock.at(world_ns)

    def _world_times(self, board_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """World times [ns] of board times that lie within seconds of one another."""
        since_first_ns = board_ns - board_ns[0]
        slow_ns = np.rint(since_first_ns * (self._rate_ppb / 1e9)).astype(np.int64)
        world_ns: NDArray[np.int64] = self._clock.when(int(board_ns[0])) + since_first_ns - slow_ns
        return world_ns

    def _skip_unarmed(self, until_world_ns: int, armed_until_ns: int) -> None:
        now_ns = self._clock.at(until_world_ns)
        if now_ns >= armed_until_ns and self._next_sample_ns < now_ns:
            self._next_sample_ns = -(-now_ns // self._sample_ns) * self._sample_ns

    # --- requests

    def request(
        self, command: int, write: bool, rx_ns: int, payload: bytes, room: int
    ) -> tuple[int, bytes]:
        """Let the core answer one request of group 64.

        Args:
            command: of the rig group.
            write: the SMP operation.
            rx_ns: board time of arrival.
            payload: the request's CBOR.
            room: how long the reply's CBOR may be.

        Returns:
            SMP return code and the reply's CBOR.
        """
        if room > len(self._reply):
            self._reply = ffi.new("uint8_t[]", room)
            self._reply_bytes = ffi.buffer(self._reply)
        self._has_deadline = False
        status: int = lib.rig_core_request(
            self._core,
            command,
            write,
            rx_ns,
            payload,
            len(payload),
            self._reply,
            room,
            self._length,
        )
        if self.raised is not None:
            self._raise_pending()
        return status, self._reply_bytes[: self._length[0]]

    def take_permit(self, world_ns: int) -> bool:
        """Return whether the core permits a command of another group that is hard to undo."""
        permitted: bool = lib.rig_core_take_permit(self._core, self._clock.at(world_ns))
        return permitted

    def _raise_pending(self) -> None:
        """Raise what a callback could not: it was called by C."""
        if self.raised is not None:
            error, self.raised = self.raised, None
            raise error

    def fill_selftest(self, checks: Any, most: int) -> int:
        """Write up to `most` checks and return how many; called by the core."""
        results = _CHECKS[:most]
        for number, (name, value) in enumerate(results):
            checks[number].name = self._text(name)
            checks[number].ok = True
            checks[number].value = value
        return len(results)

    def fill_keyboard(self, found: Any) -> None:
        """Write what the DUT makes of the board as its keyboard; called by the core."""
        if self._keyboard is not None:
            keyboard = self._keyboard()
            found.state = _BUSES[keyboard.bus]
            found.armed = keyboard.armed
            found.reports = keyboard.reports
            found.wakeups = keyboard.wakeups
            found.undelivered = keyboard.undelivered

    # --- what outlives a reset

    def store(self, calibration: Any) -> int:
        """Keep a calibration; called by the core."""
        self._calibration[0] = calibration[0]
        return 0

    def _ended(self, boot_id: int, world_ns: int, reason: str) -> PastBoot:
        core = self._core
        return PastBoot(
            boot_id,
            reason,
            self._clock.at(world_ns),
            core.edges.numbers.overruns,
            core.light.numbers.overruns,
            core.refusals,
            core.lease_expiries,
        )

    # --- what the core is configured with

    def _config(self, reset_reason: str) -> Any:
        config = ffi.new("struct rig_config *")
        config.firmware = self._text(f"sim-{__version__}")
        config.board = self._text("sim")
        config.clock_source = self._text("sim-xtal")
        config.clock_hz = CLOCK_HZ
        config.clock_tolerance_ppb = CLOCK_TOLERANCE_PPB
        config.crystal = True
        config.edge_source = self._text("simulated")
        config.store_name = self._text("retained")
        config.calibration = self._calibration[0]
        config.store = lib.resume_rig_store
        config.past = self._past_boots()
        config.past_count = len(self._past)
        config.boot_id = self._boot_id = int(self._random.integers(1, 2**32))
        # Not of the bench's seed, which stands in reports.
        config.nonce = 1 + secrets.randbelow(2**63 - 1)
        config.reset_reason = self._text(reset_reason)
        config.dut_log = self._text(DUT_LOG_NAME)
        config.lease_ns = LEASE_NS
        config.channels = self._channels()
        config.channel_count = len(self._wiring.channels)
        config.actuators = self._actuators()
        config.actuator_count = len(self._wiring.actuators)
        config.edge_slots = self._keep(ffi.new("struct rig_edge[]", EDGE_RING))
        config.edge_capacity = EDGE_RING
        if self._light_rate_hz:
            self._add_photodiode(config)
        config.now_ns = lib.resume_rig_now_ns
        config.drive = lib.resume_rig_drive
        config.selftest = lib.resume_rig_selftest
        if self._monitor is not None:
            self._add_power_monitor(config)
        if self._keyboard is not None:
            config.keyboard = lib.resume_rig_keyboard
        config.context = self._handle
        return self._keep(config)

    def _add_photodiode(self, config: Any) -> None:
        config.light_slots = self._keep(ffi.new("struct rig_light_block[]", LIGHT_RING))
        config.light_capacity = LIGHT_RING
        config.onset.slots = self._keep(ffi.new("uint16_t[]", ONSET_RING))
        config.onset.capacity = ONSET_RING
        config.onset.rate_hz = self._light_rate_hz
        config.onset.full_scale = LIGHT_FULL_SCALE

    def _add_power_monitor(self, config: Any) -> None:
        config.power.slots = self._keep(ffi.new("struct rig_power_sample[]", POWER_RING))
        config.power.capacity = POWER_RING
        config.power.period_ns = POWER_PERIOD_NS
        config.power.window_ns = POWER_WINDOW_NS
        config.power.shunt_uohm = SHUNT_UOHM
        config.power.shunt_tolerance_ppm = SHUNT_TOLERANCE_PPM

    def _channels(self) -> Any:
        channels = self._keep(ffi.new("struct rig_channel_config[]", len(self._wiring.channels)))
        for slot, channel in zip(channels, self._wiring.channels, strict=True):
            slot.name = self._text(channel.value)
            slot.resolution_ns = _TICK_NS
            slot.delay_ns = _DELAY_NS
            slot.uncertainty_ns = _UNCERTAINTY_NS
        return channels

    def _actuators(self) -> Any:
        actuators = self._keep(ffi.new("struct rig_actuator_config[]", len(self._wiring.actuators)))
        for slot, actuator in zip(actuators, self._wiring.actuators, strict=True):
            slot.name = self._text(actuator.value)
            hold = actuator in (Actuator.LID, Actuator.CONTACT)
            slot.kind = _KINDS[actuator]
            slot.max_press_ns = MAX_PRESS_NS
            slot.max_force_ns = MAX_FORCE_NS if actuator is Actuator.BUTTON else 0
            slot.min_release_ns = (
                CONTACT_RELEASE_NS if actuator is Actuator.CONTACT else MIN_RELEASE_NS
            )
            slot.window_ns = 0 if hold else WINDOW_NS
            slot.max_driven_ns = 0 if hold else MAX_DRIVEN_NS
            slot.max_hold_ns = MAX_HOLD_NS if hold else 0
        return actuators

    def _past_boots(self) -> Any:
        boots = self._keep(ffi.new("struct rig_past[]", _MOST_PAST))
        for slot, boot in zip(boots, self._past, strict=False):
            slot.boot_id = boot.boot_id
            slot.reason = self._text(boot.reset_reason)
            slot.up_ns = boot.uptime_ns
            slot.edge_overruns = boot.edge_overruns
            slot.light_overruns = boot.light_overruns
            slot.refusals = boot.refusals
            slot.lease_expiries = boot.lease_expiries
        return boots

    def _text(self, text: str) -> Any:
        return self._keep(ffi.new("char[]", text.encode()))

    def _keep(self, memory: Any) -> Any:
        """The core keeps pointers; what they point to lives as long as this boot."""
        self._memory.append(memory)
        return memory


def _extern(name: str, call: Callable[..., Any]) -> None:
    """Let cffi find a callback by its name; it finds its board by the handle that comes first."""

    def called(context: Any, *arguments: Any) -> Any:
        return call(ffi.from_handle(context), *arguments)

    def failed(_: type[BaseException], error: BaseException, trace: TracebackType) -> Any:
        local = trace.tb_frame.f_locals
        board: SimulatedBoard = ffi.from_handle(local["context"])
        board.raised = error
        return call(board, *local["arguments"]) if isinstance(error, KeyboardInterrupt) else None

    ffi.def_extern(name=name, onerror=failed)(called)


_extern("resume_rig_now_ns", lambda board: board.now_ns())
_extern("resume_rig_drive", lambda board, number, driven: board.drive(number, driven))
_extern("resume_rig_selftest", lambda board, checks, most: board.fill_selftest(checks, most))
_extern("resume_rig_keyboard", lambda board, found: board.fill_keyboard(found))
_extern("resume_rig_store", lambda board, calibration: board.store(calibration))
