"""What a campaign keeps as it was recorded: cycles, recoveries, sessions; nothing derived."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique

from resume_rig.model.channel import Channel
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.light import LightOnset
from resume_rig.model.os_record import LogSource, OsRecord
from resume_rig.model.power import PowerSamples
from resume_rig.model.result.cycle import HealthReading, Outcome
from resume_rig.model.result.verdict import Finding
from resume_rig.rig.interface import Faults


@unique
class CommandName(StrEnum):
    """What was asked of the rig that moves or records something."""

    PRESS = "press"
    CLOSE_LID = "close-lid"
    OPEN_LID = "open-lid"
    ARM_LIGHT = "arm-light"
    RELEASE = "release"
    FORCE_OFF = "force-off"
    POWER_OFF = "power-off"
    POWER_ON = "power-on"
    ASK = "ask"
    SLEEP_COMMAND = "sleep-command"
    ARM_TIMER = "arm-timer"
    DISARM_TIMER = "disarm-timer"
    PRESS_KEY = "press-key"
    CLOSE_CONTACT = "close-contact"
    OPEN_CONTACT = "open-contact"
    SEND_PACKET = "send-packet"


@dataclass(frozen=True, slots=True)
class Command:
    """One request that moves or records something, and the board's answer.

    Attributes:
        host_ns: host clock just before it was sent.
        duration_ns: of a press, of light recording, until a timer is due, or how long the host
            took to hand a packet to its network; None where the command has none.
        start_ns, end_ns: board clock, from the answer; None where the answer has none. Of a timer
            that is armed: when the host knew that it was, and when it is due.
    """

    name: CommandName
    host_ns: int
    duration_ns: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None


@dataclass(frozen=True, slots=True)
class CycleRaw:
    """One cycle as it was recorded.

    Attributes:
        number: of the cycle in its campaign, from 1.
        session: the run or resume that it belongs to, from 1.
        boot_id: of the board; stamps compare within one.
        outcome: what the runner saw become of it.
        initial_levels: of the wired channels, just before the first edge.
        edges: numbered without gaps unless `lost_edges` says otherwise.
        light: blocks recorded around the wake; empty without a photodiode.
        exchanges: those of the cycle that bound the relation of the clocks best, in order.
        utc_minus_host_ns: host wall clock (UTC) minus host monotonic clock, in nanoseconds.
        started_host_ns, ended_host_ns: host clock around the cycle.
        lost_edges, lost_light: overwritten on the board before they were read.
        faults: the board's counters at the end; None where the link was gone.
        records: OS records that appeared while the cycle ran.
        findings: faults of the rig that the wires cannot show.
        onset: of the light in this cycle's recording, as the board reported it at the end; None
            where it looks for none, nothing was recorded, or an older version ran the cycle.
        sleep_timeout_ns, wake_timeout_ns: how long its signs were waited for, learned from the
            cycles before it or the plan's own; None where an older version ran the cycle.
        power: samples of the power monitor; None where the rig has none. lost_power: how many
            the board overwrote before they were read.
        health: what the DUT's OS reported of its devices, in order; empty where nobody asked.
    """

    number: int
    session: int
    boot_id: int
    outcome: Outcome
    utc_minus_host_ns: int
    started_host_ns: int
    ended_host_ns: int
    initial_levels: Mapping[Channel, int]
    edges: tuple[Edge, ...]
    light: Sequence[LightBlock]
    exchanges: tuple[ClockExchange, ...]
    commands: tuple[Command, ...]
    lost_edges: int = 0
    lost_light: int = 0
    faults: Faults | None = None
    records: tuple[OsRecord, ...] = ()
    findings: tuple[Finding, ...] = field(default=())
    onset: LightOnset | None = None
    sleep_timeout_ns: int | None = None
    wake_timeout_ns: int | None = None
    power: PowerSamples | None = None
    lost_power: int = 0
    health: tuple[HealthReading, ...] = ()


@dataclass(frozen=True, slots=True)
class Recovery:
    """One step of what was done outside of a cycle to have the DUT awake.

    Attributes:
        session: the run or resume that it belongs to.
        after_cycle: the newest cycle at that time, 0 for none.
        ok: whether the wires showed a DUT that is awake in the end.
        step: of the ladder; stores of version 1 know one more try alone.
        levels: of the wired channels in the end; None where the link was gone, or in version 1.
    """

    session: int
    after_cycle: int
    why: str
    ok: bool
    commands: tuple[Command, ...]
    edges: tuple[Edge, ...]
    step: RecoveryStep = RecoveryStep.PRESS
    levels: Mapping[Channel, int] | None = None


@dataclass(frozen=True, slots=True)
class LogMark:
    """Up to where a log reached when the campaign began; records up to here are not its own.

    Attributes:
        record_id: the highest then; None where records have no number, or there was none.
        written_utc_ns: the newest then, OS clock; None where there was none.
    """

    record_id: int | None = None
    written_utc_ns: int | None = None


@dataclass(frozen=True, slots=True)
class LogState:
    """The source of OS records as a session knows it."""

    source: LogSource
    mark: LogMark


@dataclass(frozen=True, slots=True)
class Session:
    """One run or resume of a campaign.

    Attributes:
        number: from 1.
        boot_id: of the board at its start.
    """

    number: int
    started_utc_ns: int
    boot_id: int
    host: str
    software: str
    log: LogState | None


def recoveries_of(steps: Iterable[Recovery]) -> int:
    """Return how often a DUT was brought back, or tried to be, whatever steps that took. Pure."""
    return len({(step.session, step.after_cycle) for step in steps})
