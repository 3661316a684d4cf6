"""The replies of the rig group as the facts of `rig.interface`; shapes as in rig.cddl."""

import logging
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.model.errors import ProtocolError
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.light_columns import LightColumns
from resume_rig.rig.calibration import ChannelLatency
from resume_rig.rig.interface import (
    ActionStart,
    ActuatorInfo,
    ChannelInfo,
    EdgeBatch,
    Faults,
    LightBatch,
    PastBoot,
    RigInfo,
    SelfTestCheck,
)
from resume_rig.rig.smp.fields import Fields

logger = logging.getLogger(__name__)

PROTOCOL_VERSION: Final = 1
# Above what any board has (rig_core.h: 16, 4 and 16); a reply with more is noise.
_MOST_CHANNELS: Final = 32
_MOST_ACTUATORS: Final = 32
_MOST_CHECKS: Final = 64
_MOST_PAST: Final = 64
# The onset's units are whole parts of a count, a hertz and one.
_LEVEL_UNIT: Final = 256
_FREQUENCY_UNIT: Final = 1_000
_DUTY_UNIT: Final = 1_000_000
_MOST_NUMBER: Final = 2**32 - 1
_MOST_COUNTS: Final = 2**16 - 1
_MEASURED_KEYS: Final = (
    *("first", "t50", "t90", "res"),
    *("base", "sig", "peak", "lvl", "pwm", "duty", "u"),
)


@dataclass(frozen=True, slots=True)
class Identity:
    """A board's description, and the tables that its other replies are read with.

    Attributes:
        channels: by the index that edges and levels use; None for one that is not known here.
        actuators: the index that requests name each known actuator by.
    """

    info: RigInfo
    channels: tuple[Channel | None, ...]
    actuators: Mapping[Actuator, int]


def parse_identity(fields: Fields) -> Identity:
    """Return who the board is; channels that this version does not know are left out of `info`.

    Raises:
        ProtocolError: a wrong shape, or another protocol version.
    """
    protocol = fields.count("proto")
    if protocol != PROTOCOL_VERSION:
        raise ProtocolError(
            f"the board speaks version {protocol} of the rig protocol; this version of "
            f"resume-rig speaks {PROTOCOL_VERSION}"
        )
    channels = _with_latencies(_channel_infos(fields), fields)
    actuators = _actuator_infos(fields)
    info = RigInfo(
        protocol=protocol,
        firmware=fields.text("fw"),
        board=fields.text("board"),
        boot_id=fields.count("boot"),
        clock_source=fields.text("clk"),
        clock_hz=fields.count("hz"),
        clock_tolerance_ppb=fields.count("tol"),
        calibration_ppb=fields.integer("cal") if fields.has("cal") else None,
        lease_ns=fields.count("lease"),
        channels=tuple(known for known in channels if known is not None),
        actuators=tuple(known for known in actuators if known is not None),
        edge_ring=fields.count("ering"),
        light_ring=fields.count("lring"),
        dut_log=fields.text("dutlog") if fields.has("dutlog") else None,
        light_rate_hz=_optional(fields, "lhz"),
        light_full_scale=_optional(fields, "lmax"),
        onset_ring=_optional(fields, "oring") or 0,
        edge_source=fields.text("esrc") if fields.has("esrc") else None,
    )
    return Identity(
        info,
        tuple(known.channel if known else None for known in channels),
        {known.actuator: index for index, known in enumerate(actuators) if known is not None},
    )


def _channel_infos(fields: Fields) -> list[ChannelInfo | None]:
    names = ("name", "resolution_ns", "delay_ns", "uncertainty_ns")
    found: list[ChannelInfo | None] = []
    for record in fields.records("ch", names, _MOST_CHANNELS):
        name = record.text("name")
        numbers = [record.count(key) for key in names[1:]]
        if name in Channel.__members__:
            resolution_ns, delay_ns, uncertainty_ns = numbers
            found.append(ChannelInfo(Channel(name), resolution_ns, delay_ns, uncertainty_ns))
        else:
            logger.warning("the board has a channel that is not known here and left out: %s", name)
            found.append(None)
    return found


def _with_latencies(channels: list[ChannelInfo | None], fields: Fields) -> list[ChannelInfo | None]:
    names = tuple(known.channel if known else None for known in channels)
    measured = {row.channel: row for row in parse_latencies(fields, names)}
    return [known and replace(known, latency=measured.get(known.channel)) for known in channels]


def parse_latencies(
    fields: Fields, channels: Sequence[Channel | None]
) -> tuple[ChannelLatency, ...]:
    """Return the latencies under "lat"; none where there is no such key."""
    if not fields.has("lat"):
        return ()
    names = ("channel", "mean_ns", "sd_ns", "dev_ns", "n")
    found: list[ChannelLatency] = []
    for record in fields.records("lat", names, _MOST_CHANNELS):
        channel = channel_at(record, channels)
        if channel is not None:
            figures = [record.count(key) for key in names[2:]]
            found.append(ChannelLatency(channel, record.integer("mean_ns"), *figures))
    return tuple(found)


def channel_at(record: Fields, channels: Sequence[Channel | None]) -> Channel | None:
    """Return the channel that a record's "channel" is the index of; None: not known here."""
    index = record.count("channel")
    if index >= len(channels):
        raise record.wrong("channel", index, f"an index below {len(channels)}")
    return channels[index]


def _actuator_infos(fields: Fields) -> list[ActuatorInfo | None]:
    found: list[ActuatorInfo | None] = []
    for record in fields.records("act", ("name", "max_press_ns"), _MOST_ACTUATORS):
        name, max_press_ns = record.text("name"), record.count("max_press_ns")
        if name in Actuator.__members__:
            found.append(ActuatorInfo(Actuator(name), max_press_ns))
        else:
            logger.warning("the board has an actuator that is not known here: %s", name)
            found.append(None)
    return found


def parse_edges(fields: Fields, cursor: int, channels: Sequence[Channel | None]) -> EdgeBatch:
    """Return the edges from `cursor` on; those of unknown channels keep their numbers and go."""
    first, overruns = fields.count("first"), fields.count("ovr")
    rows = fields.rows("e", 2)
    edges: list[Edge] = []
    for number, (t_ns, code) in enumerate(rows, first):
        if code >> 1 >= len(channels):
            raise fields.wrong("e", code, f"a code below {2 * len(channels)}")
        channel = channels[code >> 1]
        if channel is not None:
            edges.append(Edge(number, t_ns, channel, code & 1))
    next_number, more = _advance(fields, cursor, len(rows))
    return EdgeBatch(tuple(edges), first, next_number, first - cursor, overruns, more)


def parse_light(fields: Fields, cursor: int) -> LightBatch:
    """Return the light blocks from `cursor` on."""
    first, overruns = fields.count("first"), fields.count("ovr")
    columns = fields.unbounded_columns("b", 4)
    count = len(columns[0])
    next_number, more = _advance(fields, cursor, count)
    try:
        array("q", columns[0])  # times stay below 2^63
        blocks = LightColumns(range(first, first + count), *columns)
    except OverflowError:
        fields.columns("b", 4)  # raises for a number that is none at all
        most = max(map(max, columns[1:]))
        raise fields.wrong("b", most, f"counts up to {_MOST_COUNTS}") from None
    return LightBatch(blocks, first, next_number, first - cursor, overruns, more)


def parse_onset(fields: Fields) -> LightOnset:
    """Return what is known of the onset of light; a state that is not known here is LOST."""
    number = fields.count("st")
    if number not in OnsetState.__members__.values():
        logger.warning(
            "the board tells the onset of light by a state that is not known: %d", number
        )
        return LightOnset(OnsetState.LOST)
    state = OnsetState(number)
    onset = LightOnset(
        state=state,
        first_ns=_optional(fields, "first"),
        half_ns=_optional(fields, "t50"),
        ninety_ns=_optional(fields, "t90"),
        resolution_ns=_optional(fields, "res"),
        base_counts=_scaled(fields, "base", _LEVEL_UNIT),
        sigma_counts=_scaled(fields, "sig", _LEVEL_UNIT),
        peak_counts=_optional(fields, "peak"),
        level_counts=_scaled(fields, "lvl", _LEVEL_UNIT),
        pwm_hz=_scaled(fields, "pwm", _FREQUENCY_UNIT),
        duty=_scaled(fields, "duty", _DUTY_UNIT),
        pwm_uncertainty_ns=_optional(fields, "u"),
    )
    if state is OnsetState.OK:
        for key in _MEASURED_KEYS:
            fields.count(key)
    return onset


def _optional(fields: Fields, key: str) -> int | None:
    return fields.count(key) if fields.has(key) else None


def _scaled(fields: Fields, key: str, parts: int) -> float | None:
    return fields.count(key) / parts if fields.has(key) else None


def _advance(fields: Fields, cursor: int, count: int) -> tuple[int, bool]:
    """Return the cursor to ask for next and whether there is more; checks the numbering."""
    first, newest = fields.count("first"), fields.count("next")
    if first < cursor:
        raise fields.wrong("first", first, f"a number from {cursor} on")
    after = first + count
    if newest > _MOST_NUMBER:
        raise fields.wrong("next", newest, f"a number up to {_MOST_NUMBER}")
    if after > newest:
        raise fields.wrong("next", newest, f"a number from {after} on")
    if count == 0 and after < newest:
        raise fields.wrong("next", newest, f"{after}, as the list is empty")
    return after, after < newest


def parse_levels(fields: Fields, channels: Sequence[Channel | None]) -> dict[Channel, int]:
    """Return the level of each known channel."""
    bits = fields.count("lv")
    return {
        channel: bits >> index & 1 for index, channel in enumerate(channels) if channel is not None
    }


def parse_action(fields: Fields) -> ActionStart:
    """Return when the output changes and reverts, board clock."""
    end_ns = fields.count("end") if fields.has("end") else None
    return ActionStart(fields.count("start"), end_ns)


def parse_selftest(fields: Fields) -> tuple[SelfTestCheck, ...]:
    """Return the board's checks."""
    fields.flag("ok")
    records = fields.records("checks", ("name", "ok", "value"), _MOST_CHECKS)
    return tuple(SelfTestCheck(r.text("name"), r.flag("ok"), r.integer("value")) for r in records)


def parse_faults(fields: Fields) -> Faults:
    """Return the board's fault counters."""
    return Faults(
        reset_reason=fields.text("reset"),
        watchdog_resets=fields.count("wdt"),
        edge_overruns=fields.count("eovr"),
        light_overruns=fields.count("lovr"),
        refusals=fields.count("ref"),
        lease_expiries=fields.count("lease"),
        uptime_ns=fields.count("up"),
        history=_history(fields),
    )


def _history(fields: Fields) -> tuple[PastBoot, ...]:
    if not fields.has("hist"):
        return ()
    names = ("boot", "reason", "up", "eovr", "lovr", "ref", "lease")
    return tuple(
        PastBoot(record.count("boot"), record.text("reason"), *map(record.count, names[2:]))
        for record in fields.records("hist", names, _MOST_PAST)
    )
