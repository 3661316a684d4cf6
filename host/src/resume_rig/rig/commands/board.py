"""Who a board is, what time it has and how it does: info, time, self-test, faults, its files.

All but the echo (OS group) and files (fs_mgmt) are of the rig group, whose replies are read with
the tables of the board's info: `Identity`.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import ProtocolError
from resume_rig.model.power import PowerMonitor
from resume_rig.rig.interface import (
    ActuatorInfo,
    ChannelInfo,
    ChannelLatency,
    Faults,
    PastBoot,
    RigInfo,
    SelfTestCheck,
)
from resume_rig.rig.smp.packet import Group, Operation, OsCommand
from resume_rig.rig.smp.request import Fields, Request

logger = logging.getLogger(__name__)

FIRST_PROTOCOL: Final = 1
"""A board of this version has no nonce, and acts for whoever reaches its port."""
PROTOCOL_VERSION: Final = 2
# Above what any board has (rig_core.h: 16, 4 and 16); a reply with more is noise.
_MOST_CHANNELS: Final = 32
_MOST_ACTUATORS: Final = 32
_MOST_CHECKS: Final = 64
_MOST_PAST: Final = 64

Reply_co = TypeVar("Reply_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Identity:
    """A board's description, and the tables that its other replies are read with.

    Attributes:
        channels: by the index that edges and levels use; None for one that this version does not
            know.
        actuators: the index that requests name each actuator by.
        nonce: what the board asks for before it does what is hard to undo; new at each boot, and
            of no use to anybody who has not read it, so it goes into no store, log or report. None
            for a board of version 1.
    """

    info: RigInfo
    channels: tuple[Channel | None, ...]
    actuators: Mapping[Actuator, int]
    nonce: int | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class InfoRequest(Request):
    """Who the board is: the tables that its other replies are read with."""

    group = Group.RIG
    command = 0
    name = "info"

    def decode(self, reply: Fields) -> Identity:
        """Return who the board is; channels that this version does not know are left out of `info`.

        Raises:
            ProtocolError: a wrong shape, or another protocol version.
        """
        protocol = reply.count("proto")
        if not FIRST_PROTOCOL <= protocol <= PROTOCOL_VERSION:
            raise ProtocolError(
                f"the board speaks version {protocol} of the rig protocol; this version of "
                f"resume-rig speaks {FIRST_PROTOCOL} and {PROTOCOL_VERSION}"
            )
        channels = _with_latencies(_channel_infos(reply), reply)
        actuators = _actuator_infos(reply)
        info = RigInfo(
            protocol=protocol,
            firmware=reply.text("fw"),
            board=reply.text("board"),
            boot_id=reply.count("boot"),
            clock_source=reply.text("clk"),
            clock_hz=reply.count("hz"),
            clock_tolerance_ppb=reply.count("tol"),
            calibration_ppb=reply.integer("cal") if reply.has("cal") else None,
            lease_ns=reply.count("lease"),
            channels=tuple(each for each in channels if each is not None),
            actuators=tuple(each for each in actuators if each is not None),
            edge_ring=reply.count("ering"),
            light_ring=reply.count("lring"),
            dut_log=reply.text("dutlog") if reply.has("dutlog") else None,
            light_rate_hz=reply.optional("lhz"),
            light_full_scale=reply.optional("lmax"),
            onset_ring=reply.optional("oring") or 0,
            edge_source=reply.text("esrc") if reply.has("esrc") else None,
            power=_power_monitor(reply),
        )
        return Identity(
            info,
            tuple(each.channel if each else None for each in channels),
            {each.actuator: index for index, each in enumerate(actuators) if each is not None},
            None if protocol == FIRST_PROTOCOL else reply.count("nonce"),
        )


def _power_monitor(reply: Fields) -> PowerMonitor | None:
    if not reply.has("pring"):
        return None
    keys = ("pring", "pper", "pwin", "shunt", "stol")
    monitor = PowerMonitor(*(reply.count(key) for key in keys))
    if not (monitor.period_ns and monitor.shunt_uohm and monitor.window_ns <= monitor.period_ns):
        raise reply.wrong("pper", monitor.period_ns, "a period that holds the window, and a shunt")
    return monitor


def _channel_infos(reply: Fields) -> list[ChannelInfo | None]:
    names = ("name", "resolution_ns", "delay_ns", "uncertainty_ns")
    found: list[ChannelInfo | None] = []
    for record in reply.records("ch", names, _MOST_CHANNELS):
        name = record.text("name")
        numbers = [record.count(key) for key in names[1:]]
        if name in Channel.__members__:
            resolution_ns, delay_ns, uncertainty_ns = numbers
            found.append(ChannelInfo(Channel(name), resolution_ns, delay_ns, uncertainty_ns))
        else:
            logger.warning("the board has a channel that this version does not know: %s", name)
            found.append(None)
    return found


def _with_latencies(channels: list[ChannelInfo | None], fields: Fields) -> list[ChannelInfo | None]:
    names = tuple(each.channel if each else None for each in channels)
    measured = {row.channel: row for row in parse_latencies(fields, names)}
    return [each and replace(each, latency=measured.get(each.channel)) for each in channels]


def parse_latencies(
    fields: Fields, channels: Sequence[Channel | None]
) -> tuple[ChannelLatency, ...]:
    """Return the latencies under "lat"; none where there is no such key."""
    if not fields.has("lat"):
        return ()
    figures = ("sd_ns", "dev_ns", "n")
    return tuple(
        ChannelLatency(channel, record.integer("mean_ns"), *map(record.count, figures))
        for channel, record in channel_records(fields, "lat", ("mean_ns", *figures), channels)
    )


def channel_records(
    fields: Fields, key: str, names: Sequence[str], channels: Sequence[Channel | None]
) -> Iterator[tuple[Channel, Fields]]:
    """Yield the records under `key` whose channel this version knows, each with its channel.

    Args:
        fields: of the reply.
        key: of the list; each record begins with the index of a channel.
        names: of the values after that.
        channels: of the board, as in `Identity`.
    """
    for record in fields.records(key, ("channel", *names), _MOST_CHANNELS):
        index = record.count("channel")
        if index >= len(channels):
            raise record.wrong("channel", index, f"an index below {len(channels)}")
        channel = channels[index]
        if channel is not None:
            yield channel, record


def _actuator_infos(fields: Fields) -> list[ActuatorInfo | None]:
    found: list[ActuatorInfo | None] = []
    for record in fields.records("act", ("name", "max_press_ns"), _MOST_ACTUATORS):
        name, max_press_ns = record.text("name"), record.count("max_press_ns")
        if name in Actuator.__members__:
            found.append(ActuatorInfo(Actuator(name), max_press_ns))
        else:
            logger.warning("the board has an actuator that this version does not know: %s", name)
            found.append(None)
    return found


class RigRequest(Request, Generic[Reply_co]):
    """A command of the rig group whose reply is read with the tables of the board's info."""

    __slots__ = ()
    group: ClassVar[int] = Group.RIG

    def decode(self, reply: Fields, board: Identity) -> Reply_co:
        """Return the reply as a fact.

        Raises:
            ProtocolError: it is not as in the CDDL; the sentence names the key.
        """
        raise NotImplementedError


class BoardStamps(NamedTuple):
    """When a board got a request and when it answered; its own clock."""

    rx_ns: int
    tx_ns: int


@dataclass(frozen=True, slots=True)
class TimeRequest(RigRequest[BoardStamps]):
    """The board's clock, stamped on both ways."""

    command = 1
    name = "time"

    def decode(self, reply: Fields, board: Identity) -> BoardStamps:
        rx_ns, tx_ns = reply.count("rx"), reply.count("tx")
        if tx_ns < rx_ns:
            raise reply.wrong("tx", tx_ns, f"a time from {rx_ns} on")
        return BoardStamps(rx_ns, tx_ns)


@dataclass(frozen=True, slots=True)
class SelftestRequest(RigRequest[tuple[SelfTestCheck, ...]]):
    """Let the board measure itself; refused while an action is under way."""

    command = 8
    operation = Operation.WRITE
    name = "selftest"

    def decode(self, reply: Fields, board: Identity) -> tuple[SelfTestCheck, ...]:
        reply.flag("ok")
        records = reply.records("checks", ("name", "ok", "value"), _MOST_CHECKS)
        return tuple(
            SelfTestCheck(r.text("name"), r.flag("ok"), r.integer("value")) for r in records
        )


@dataclass(frozen=True, slots=True)
class FaultsRequest(RigRequest[Faults]):
    """The board's fault counters, and its earlier boots."""

    command = 9
    name = "faults"

    def decode(self, reply: Fields, board: Identity) -> Faults:
        return Faults(
            reset_reason=reply.text("reset"),
            watchdog_resets=reply.count("wdt"),
            edge_overruns=reply.count("eovr"),
            light_overruns=reply.count("lovr"),
            refusals=reply.count("ref"),
            lease_expiries=reply.count("lease"),
            uptime_ns=reply.count("up"),
            history=_history(reply),
        )


def _history(fields: Fields) -> tuple[PastBoot, ...]:
    if not fields.has("hist"):
        return ()
    names = ("boot", "reason", "up", "eovr", "lovr", "ref", "lease")
    return tuple(
        PastBoot(record.count("boot"), record.text("reason"), *map(record.count, names[2:]))
        for record in fields.records("hist", names, _MOST_PAST)
    )


@dataclass(frozen=True, slots=True)
class EchoRequest(Request):
    """Let the board send `text` back."""

    group = Group.OS
    command = OsCommand.ECHO
    operation = Operation.WRITE
    name = "echo"
    text: str

    def fields(self) -> dict[str, object]:
        return {"d": self.text}

    def decode(self, reply: Fields) -> str:
        """Return what came back, which is what was sent."""
        if reply.values.get("r") != self.text:
            raise reply.wrong("r", reply.values.get("r"), repr(self.text))
        return self.text


class FileChunk(NamedTuple):
    """A part of a file.

    Attributes:
        size_bytes: of the whole file; None where the board does not state it.
    """

    size_bytes: int | None
    data: bytes


@dataclass(frozen=True, slots=True)
class FileRequest(Request):
    """The bytes of a file from `offset` on, as many as fit into a reply."""

    group = Group.FILE
    command = 0
    name = "file"
    file: str
    offset: int

    def fields(self) -> dict[str, object]:
        return {"name": self.file, "off": self.offset}

    def decode(self, reply: Fields) -> FileChunk:
        """Return the chunk.

        Raises:
            ProtocolError: it is of another offset.
        """
        found = reply.count("off")
        if found != self.offset:
            raise reply.wrong("off", found, str(self.offset))
        return FileChunk(reply.optional("len"), reply.data("data"))
