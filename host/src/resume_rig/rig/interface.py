"""The seam to the board: what every rung of the ladder can do.

`sim:`, `native:`, `serial:`, `socket:` and `rfc2217:` rigs all answer to this one Protocol, and
all of them speak the wire contract (fixtures/wire/rig.cddl) underneath.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import NamedTuple, Protocol

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.power import PowerMonitor, PowerSamples
from resume_rig.rig.calibration import Calibration, ChannelLatency, LoopbackResult


@dataclass(frozen=True, slots=True)
class ChannelInfo:
    """One channel as the board describes it.

    Attributes:
        channel: the line.
        resolution_ns: of its edge source.
        delay_ns: from the DUT's pin to the stamp, to be subtracted from its stamps.
        uncertainty_ns: half-width left after that correction, per edge; with the resolution in
            it where the channel is calibrated, without it elsewhere.
        latency: what the calibration in force says of it; None where it is not calibrated.
    """

    channel: Channel
    resolution_ns: int
    delay_ns: int
    uncertainty_ns: int
    latency: ChannelLatency | None = None


@dataclass(frozen=True, slots=True)
class ActuatorInfo:
    """One actuator as the board describes it; a longer press needs `force_off`."""

    actuator: Actuator
    max_press_ns: int


@dataclass(frozen=True, slots=True)
class RigInfo:
    """Who the board says it is.

    Attributes:
        protocol: version of the rig group (this host speaks 1).
        boot_id: new at each boot of the board; stamps of different boots do not compare.
        clock_source: e.g. "xtal"; clock_hz: rate of the edge counter.
        clock_tolerance_ppb: stated half-width of the clock's rate error.
        calibration_ppb: measured rate error, None where the board was never calibrated.
        lease_ns: the board lets go of everything when the host is silent for longer.
        edge_ring: how many edges the board keeps. light_ring: likewise for light blocks.
        dut_log: name under which the board serves the DUT's event log over the SMP file group;
            only simulated benches do, None otherwise.
        light_rate_hz: samples in a second, of boards that look for the onset of light; None
            elsewhere. light_full_scale: counts from which on its converter is at its end.
        onset_ring: how many samples such a board keeps about an onset.
        edge_source: what stamps edges, e.g. "gpio-interrupt"; None from boards that do not tell.
        power: the monitor in the DUT's supply; None without one.
    """

    protocol: int
    firmware: str
    board: str
    boot_id: int
    clock_source: str
    clock_hz: int
    clock_tolerance_ppb: int
    calibration_ppb: int | None
    lease_ns: int
    channels: tuple[ChannelInfo, ...]
    actuators: tuple[ActuatorInfo, ...]
    edge_ring: int
    light_ring: int
    dut_log: str | None
    light_rate_hz: int | None = None
    light_full_scale: int | None = None
    onset_ring: int = 0
    edge_source: str | None = None
    power: PowerMonitor | None = None

    def __post_init__(self) -> None:
        """Refuse a half-width below 0; the wire has none, a store of somebody else may have one."""
        if self.clock_tolerance_ppb < 0:
            raise ValueError(f"clock_tolerance_ppb is {self.clock_tolerance_ppb}")


class EdgeBatch(NamedTuple):
    """A reply to "edges from N".

    Attributes:
        edges: contiguous, numbered from `first`.
        first: number of the first edge returned (> the cursor asked for when edges were lost).
        next_number: the cursor to ask for next.
        lost: edges between the cursor and `first` that the ring no longer holds.
        overruns: edges overwritten unread since the board's boot.
        more: the ring holds further edges beyond this batch.
    """

    edges: tuple[Edge, ...]
    first: int
    next_number: int
    lost: int
    overruns: int
    more: bool


@dataclass(frozen=True, slots=True)
class LightBatch:
    """A reply to "light blocks from N"; fields as in EdgeBatch."""

    blocks: Sequence[LightBlock]
    first: int
    next_number: int
    lost: int
    overruns: int
    more: bool


@dataclass(frozen=True, slots=True)
class PowerBatch:
    """A reply to "power from N"; fields as in EdgeBatch."""

    samples: PowerSamples
    first: int
    next_number: int
    lost: int
    overruns: int
    more: bool


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """A reply to "samples from N": photodiode samples at full rate, kept about an onset.

    Attributes:
        state: of the onset in the same recording.
        start_ns: board clock at sample 0; sample n was taken at
            start_ns + n * 1 s / RigInfo.light_rate_hz.
        first: number of the first sample returned (> the number asked for when that one is held
            no more). next_number: behind the newest one kept.
        counts: of the converter, contiguous from `first`.
    """

    state: OnsetState
    start_ns: int
    first: int
    next_number: int
    counts: tuple[int, ...]

    @property
    def more(self) -> bool:
        """Tell whether samples beyond this batch are kept."""
        return self.first + len(self.counts) < self.next_number


@dataclass(frozen=True, slots=True)
class ActionStart:
    """An accepted press, lid move or loop-back: when the output changes and when it reverts.

    Attributes:
        start_ns: board clock at which the output is driven.
        end_ns: board clock at which it is released; None for a lid that stays closed. A
            loop-back is over then if every change was in time.
    """

    start_ns: int
    end_ns: int | None


@dataclass(frozen=True, slots=True)
class PastBoot:
    """An earlier boot of the board, as it noted it up to a second before it ended.

    Attributes:
        reset_reason: how it ended, as the next boot found it.
    """

    boot_id: int
    reset_reason: str
    uptime_ns: int
    edge_overruns: int
    light_overruns: int
    refusals: int
    lease_expiries: int


@unique
class KeyboardBus(StrEnum):
    """The bus between a DUT and a board that is its keyboard."""

    DETACHED = "detached"
    SUSPENDED = "suspended"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Keyboard:
    """What a DUT makes of the board as its keyboard; counts are since the board's boot.

    Attributes:
        armed: the DUT's OS lets it wake the DUT (SET_FEATURE DEVICE_REMOTE_WAKEUP).
        reports: that the DUT took. wakeups: remote wakeups signalled to a suspended bus.
        undelivered: presses of which the DUT got neither.
    """

    bus: KeyboardBus
    armed: bool
    reports: int
    wakeups: int
    undelivered: int


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """What a link lost and damaged; all counts.

    Attributes:
        repeated: requests that were sent again, as no reply came.
        stale: replies that came too late, or twice.
        damaged: packets that held no reply.
    """

    repeated: int
    stale: int
    damaged: int


@dataclass(frozen=True, slots=True)
class Faults:
    """What went wrong on the board since its boot; all counts.

    Attributes:
        history: earlier boots, newest first; empty on boards whose memory a reset clears.
    """

    reset_reason: str
    watchdog_resets: int
    edge_overruns: int
    light_overruns: int
    refusals: int
    lease_expiries: int
    uptime_ns: int
    history: tuple[PastBoot, ...] = ()


@dataclass(frozen=True, slots=True)
class SelfTestCheck:
    """One line of the board's self-test; value in the unit that the name ends with."""

    name: str
    ok: bool
    value: int


class Rig(Protocol):
    """A rig on a bench.

    Every method may raise LinkLost, ProtocolError and BoardRebooted; requests that the board
    refuses raise DeviceFault. Methods block; `close` may be called twice.
    """

    def info(self) -> RigInfo:
        """Return the identity and abilities of the board."""
        ...

    def exchange_clocks(self) -> ClockExchange:
        """Stamp one request and reply on both sides."""
        ...

    def edges(self, cursor: int, count: int = 128) -> EdgeBatch:
        """Return up to `count` edges numbered from `cursor`."""
        ...

    def await_change(
        self,
        until_host_ns: int,
        pause_ns: int,
        channels: Collection[Channel] = (),
        *,
        log: bool = False,
    ) -> bool:
        """Wait until something may have changed, at most until a host time; return whether it may.

        After False nothing has: the board need not be asked.

        A board never speaks unasked, so this ends after `pause_ns` as well. A simulated bench on a
        virtual clock knows its next edge, and time jumps there instead.

        Args:
            until_host_ns: returns then at the latest.
            pause_ns: how often a board is asked that cannot look ahead.
            channels: edges on these count; none: nothing on a wire does.
            log: the DUT's log growing counts, too, where the board serves it.
        """
        ...

    def levels(self) -> dict[Channel, int]:
        """Return the present electrical level of each channel."""
        ...

    def press(
        self,
        actuator: Actuator,
        duration_ns: int,
        at_ns: int | None = None,
        force_off: bool = False,
    ) -> ActionStart:
        """Press for `duration_ns`, at board time `at_ns` or at once.

        Bound to the boot that `info` told of: a board that started anew presses nothing.
        """
        ...

    def lid(self, closed: bool, at_ns: int | None = None) -> ActionStart:
        """Close or open the lid, at board time `at_ns` or at once; bound to a boot as `press`."""
        ...

    def contact(self, closed: bool, at_ns: int | None = None) -> ActionStart:
        """Close or open the dry contact; as `lid`."""
        ...

    def keyboard(self) -> Keyboard:
        """Return what the DUT makes of the board as its keyboard; refused by one that is none."""
        ...

    def release(self) -> None:
        """Let go of every actuator and forget what was scheduled."""
        ...

    def arm_light(
        self, duration_ns: int, baseline_ns: int | None = None, settle_ns: int | None = None
    ) -> None:
        """Record light for `duration_ns` from now, and look for its onset.

        While light is recorded, this only prolongs the recording. A new one should begin at
        least `baseline_ns` before the trigger.

        Args:
            duration_ns: above 0.
            baseline_ns: length of the baseline, 100 ms (the default) or more.
            settle_ns: how long a level holds still to be settled, 200 ms to 4 s, 1 s by default.
        """
        ...

    def onset(self) -> LightOnset:
        """Return what is known of the onset of light in the newest recording."""
        ...

    def light(self, cursor: int, count: int = 128) -> LightBatch:
        """Return up to `count` light blocks numbered from `cursor`."""
        ...

    def power(self, cursor: int, count: int = 128) -> PowerBatch:
        """Return up to `count` samples of the power monitor numbered from `cursor`."""
        ...

    def selftest(self) -> tuple[SelfTestCheck, ...]:
        """Let the board measure itself; refused while an action is under way."""
        ...

    def faults(self) -> Faults:
        """Return the board's fault counters."""
        ...

    def samples(self, number: int, count: int | None = None) -> SampleBatch:
        """Return samples kept about the onset, numbered from `number`: `count`, or what fits."""
        ...

    def start_loopback(
        self, actuator: Actuator, channels: Sequence[Channel], count: int, gap_ns: int
    ) -> ActionStart:
        """Drive an output again and again; no DUT may be connected.

        Args:
            actuator: whose output pin is wired.
            channels: to whose pins.
            count: changes of the output, 2 to 10000.
            gap_ns: mean time between two, 100 us to 100 ms.
        """
        ...

    def loopback(self) -> LoopbackResult:
        """Return what came of the newest loop-back; asking keeps one that runs alive."""
        ...

    def calibration(self) -> Calibration:
        """Return what the board keeps of itself."""
        ...

    def calibrate(
        self, *, clock_ppb: int | None = None, loopback: bool = False, clear: bool = False
    ) -> Calibration:
        """Let the board keep something of itself over resets, and return all that it keeps.

        `info` has to be asked anew for the delays and uncertainties that hold from then on.

        Args:
            clock_ppb: rate error of its clock, -1e6 to 1e6.
            loopback: take the latencies of the newest loop-back.
            clear: forget everything before that.
        """
        ...

    def download(self, name: str, offset: int) -> bytes:
        """Return the bytes of a file on the board from `offset` to its end (SMP file group)."""
        ...

    def close(self) -> None:
        """Release every actuator if the link still works, and close it."""
        ...
