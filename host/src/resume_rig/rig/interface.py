"""The seams of a bench: the board at its rig URL, and the OS of the DUT.

Every rung of the ladder (`sim:`, `native:`, `serial:`, `socket:`, `rfc2217:`) answers to `Rig`, and
each speaks the wire contract underneath (fixtures/wire/rig.cddl), whose words the facts keep.
The OS of a DUT is controlled by `DutControl` and read by `DutLog`. Nothing there waits: a command
is begun and asked about, as a DUT that goes to sleep may never answer. What the wires show counts,
and not how a command ended.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum, unique
from functools import partial
from typing import NamedTuple, Protocol

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.os_record import SleepKind
from resume_rig.model.power import PowerMonitor, PowerSamples


@dataclass(frozen=True, slots=True)
class ChannelLatency:
    """From driving an output to the stamp of the edge that this made at a channel; all ns.

    Attributes:
        mean_ns: 0 or more, or a little below 0 where the stamps are coarse.
        sd_ns: standard deviation.
        deviation_ns: largest deviation from the mean.
        count: edges measured.
    """

    channel: Channel
    mean_ns: int
    sd_ns: int
    deviation_ns: int
    count: int


@dataclass(frozen=True, slots=True)
class ChannelInfo:
    """One channel as the board describes it.

    Attributes:
        channel: the line.
        resolution_ns: of its edge source.
        delay_ns: from the DUT's pin to the stamp, to be subtracted from its stamps.
        uncertainty_ns: half-width left after that correction, per edge; with the resolution in
            it where the channel is calibrated, without it elsewhere.
        latency: in the calibration in force; None where it is not calibrated.
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
    """The identity and abilities of a board.

    Attributes:
        protocol: version of the rig group (this host speaks 1 and 2).
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
        edge_source: what stamps edges, e.g. "gpio-interrupt"; None where it is not reported.
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

    @property
    def guarded(self) -> bool:
        """Whether it acts only for hosts that can read what it answers (rig.cddl, version 2)."""
        return self.protocol > 1


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
        """Return whether samples beyond this batch are kept."""
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


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a board keeps of itself over resets.

    Attributes:
        crystal: the clock is no RC oscillator, so that it may be calibrated.
        store: "flash", "retained" (kept while the board has power), or "none".
        clock_ppb: measured rate error; None where nobody measured it.
        held_ns: by how much any of the latencies may be too great.
        latencies: of the channels that were measured.
    """

    crystal: bool
    store: str
    clock_ppb: int | None
    held_ns: int
    latencies: tuple[ChannelLatency, ...]

    @property
    def empty(self) -> bool:
        """Return whether nothing was measured."""
        return self.clock_ppb is None and not self.latencies


@unique
class LoopbackState(IntEnum):
    """How far the newest loop-back is."""

    NONE = 0
    RUNNING = 1
    DONE = 2
    STOPPED = 3


@dataclass(frozen=True, slots=True)
class LoopbackChannel:
    """What a loop-back found on one channel; times are latencies in ns, 0 where no edge came.

    Attributes:
        detected: changes of the output that made an edge.
        missed: changes that made none.
        extra: edges that no change explains.
    """

    channel: Channel
    detected: int
    missed: int
    extra: int
    mean_ns: int
    sd_ns: int
    min_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class LoopbackResult:
    """What came of the newest loop-back.

    Attributes:
        actuator: None in state NONE, or where this version knows none of its index.
        changes: of the output, up to now.
        held_ns: longest time between reading the clock before and after driving the pin.
        lost: edges that the board lost meanwhile, of any channel.
        channels: those that are wired to the output, without those that this version does not know.
    """

    state: LoopbackState
    actuator: Actuator | None = None
    changes: int = 0
    held_ns: int = 0
    lost: int = 0
    channels: tuple[LoopbackChannel, ...] = ()

    @property
    def ended_well(self) -> bool:
        """Return whether every change made its edge and none was extra, as the board asks for."""
        return (
            self.state is LoopbackState.DONE
            and self.lost == 0
            and all(c.detected == self.changes and c.extra == 0 for c in self.channels)
        )


class Rig(Protocol):
    """A rig on a bench.

    Every method may raise LinkLost, ProtocolError and BoardRebooted; requests that the board
    refuses raise DeviceFault, also where it lacks the actuator or channel, and numbers that the
    wire cannot carry are a UsageError. Methods block; `close` may be called twice.
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

        What is further ahead than a third of the lease begins only if the board is asked something
        meanwhile.

        Bound to the boot that `info` reported: a board that started anew presses nothing, even if
        that was between a lost reply and the repeat of the request.
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
        """Return the onset of light in the newest recording, as far as it is found."""
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
        """Return the bytes of a file on the board from `offset` to its end (SMP file group).

        Raises:
            ProtocolError: a reply for another offset, or more than 64 MiB.
        """
        ...

    def close(self) -> None:
        """Release every actuator if the link still works, and close it."""
        ...


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        ok: the DUT did it.
        reached: the DUT itself answered; one that goes to sleep may not come to that.
        text: what went wrong, without a full stop; empty where nothing did.
        output: what the command wrote, of one that reports.
    """

    ok: bool
    reached: bool = True
    text: str = ""
    output: bytes = b""


class DutControl(Protocol):
    """The OS of one DUT, at the other end of a shell, a program of the user's, or a simulation."""

    def prepare(self, states: Collection[SleepKind], *, reports: bool = False) -> None:
        """See, before a campaign begins, that its OS can be sent into each of the states.

        Args:
            states: that it will be sent into.
            reports: it will be asked for health reports.

        Raises:
            UsageError: it has no command for one, or none for the reports.
            RecordError: it does not answer.
        """
        ...

    def sleep(self, state: SleepKind) -> None:
        """Begin to send it into a state that it was prepared for."""
        ...

    def arm_timer(self, after_ns: int) -> None:
        """Begin to arm its clock, which then wakes it; from now, in whole seconds, rounded up."""
        ...

    def disarm_timer(self) -> None:
        """Begin to let its clock forget the wake."""
        ...

    def greet(self) -> None:
        """Begin a command that does nothing, to see whether its OS answers."""
        ...

    def report(self) -> None:
        """Begin a health report of its devices, links, counters and errors (`Ended.output`)."""
        ...

    def ended(self) -> Ended | None:
        """Return how the command ended that was begun last; None while it runs."""
        ...

    def close(self) -> None:
        """Give up what was begun; may be called twice."""
        ...


@dataclass(frozen=True, slots=True)
class DutLog:
    """A log that grows, read by offset.

    Attributes:
        name: what it is called where it comes from.
        text_from: returns the UTF-8 bytes from an offset to the present end; may raise RigError.
    """

    name: str
    text_from: Callable[[int], bytes]


def served_log(rig: Rig, info: RigInfo) -> DutLog | None:
    """Return the log that this board serves as a file; None for one that serves none."""
    name = info.dut_log
    return None if name is None else DutLog(name, partial(rig.download, name))
