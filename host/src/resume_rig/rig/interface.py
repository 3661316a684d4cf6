"""The seam to the board: what every rung of the ladder can do.

`sim:`, `native:`, `serial:`, `socket:` and `rfc2217:` rigs all answer to this one Protocol, and
all of them speak the wire contract (fixtures/wire/rig.cddl) underneath.
"""

from dataclasses import dataclass
from typing import Protocol

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.light import LightOnset


@dataclass(frozen=True, slots=True)
class ChannelInfo:
    """One channel as the board describes it.

    Attributes:
        channel: the line.
        resolution_ns: of its edge source.
        delay_ns: of its front end, to be subtracted from its stamps.
        uncertainty_ns: half-width left after that correction, per edge.
    """

    channel: Channel
    resolution_ns: int
    delay_ns: int
    uncertainty_ns: int


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


@dataclass(frozen=True, slots=True)
class EdgeBatch:
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

    blocks: tuple[LightBlock, ...]
    first: int
    next_number: int
    lost: int
    overruns: int
    more: bool


@dataclass(frozen=True, slots=True)
class ActionStart:
    """An accepted press or lid move: when the output changes (board clock) and when it reverts.

    Attributes:
        start_ns: board clock at which the output is driven.
        end_ns: board clock at which it is released; None for a lid that stays closed.
    """

    start_ns: int
    end_ns: int | None


@dataclass(frozen=True, slots=True)
class Faults:
    """What went wrong on the board since its boot; all counts."""

    reset_reason: str
    watchdog_resets: int
    edge_overruns: int
    light_overruns: int
    refusals: int
    lease_expiries: int
    uptime_ns: int


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
        """Press for `duration_ns`, at board time `at_ns` or at once."""
        ...

    def lid(self, closed: bool, at_ns: int | None = None) -> ActionStart:
        """Close or open the lid, at board time `at_ns` or at once."""
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

    def selftest(self) -> tuple[SelfTestCheck, ...]:
        """Let the board measure itself; refused while an action is under way."""
        ...

    def faults(self) -> Faults:
        """Return the board's fault counters."""
        ...

    def download(self, name: str, offset: int) -> bytes:
        """Return the bytes of a file on the board from `offset` to its end (SMP file group)."""
        ...

    def close(self) -> None:
        """Release every actuator if the link still works, and close it."""
        ...
