"""What a board captures: edges, levels and light, its onset and the samples about it."""

import logging
from array import array
from dataclasses import dataclass
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.light import LightColumns, LightOnset, OnsetState
from resume_rig.model.power import PowerSamples
from resume_rig.rig.commands.board import Identity, RigRequest
from resume_rig.rig.interface import EdgeBatch, LightBatch, PowerBatch, SampleBatch
from resume_rig.rig.smp.packet import Operation
from resume_rig.rig.smp.request import Fields, checked_time

logger = logging.getLogger(__name__)

# rig.cddl, 10: the onset's units are whole parts of a count, a hertz and one.
_LEVEL_UNIT: Final = 256
_FREQUENCY_UNIT: Final = 1_000
_DUTY_UNIT: Final = 1_000_000
# What rig.cddl gives a number of an edge or block, and a converter's count.
_MOST_NUMBER: Final = 2**32 - 1
_MOST_COUNTS: Final = 2**16 - 1
_MOST_POWER: Final = 2**31
_MEASURED_KEYS: Final = (
    *("first", "t50", "t90", "res"),
    *("base", "sig", "peak", "lvl", "pwm", "duty", "u"),
)
_SAMPLE_BYTES: Final = 2  # rig.cddl, 13


@dataclass(frozen=True, slots=True)
class EdgesRequest(RigRequest[EdgeBatch]):
    """Up to `count` edges numbered from `cursor`; those of unknown channels keep their numbers."""

    command = 2
    name = "edges"
    cursor: int
    count: int

    def fields(self) -> dict[str, object]:
        return {"from": self.cursor, "max": self.count}

    def decode(self, reply: Fields, board: Identity) -> EdgeBatch:
        first, overruns = reply.count("first"), reply.count("ovr")
        rows = reply.rows("e", 2)
        edges: list[Edge] = []
        for number, (t_ns, code) in enumerate(rows, first):
            if code >> 1 >= len(board.channels):
                raise reply.wrong("e", code, f"a code below {2 * len(board.channels)}")
            channel = board.channels[code >> 1]
            if channel is not None:
                edges.append(Edge(number, t_ns, channel, code & 1))
        next_number, more = _advance(reply, self.cursor, len(rows))
        return EdgeBatch(tuple(edges), first, next_number, first - self.cursor, overruns, more)


@dataclass(frozen=True, slots=True)
class LevelsRequest(RigRequest[dict[Channel, int]]):
    """The present electrical level of each channel."""

    command = 3
    name = "levels"

    def decode(self, reply: Fields, board: Identity) -> dict[Channel, int]:
        bits = reply.count("lv")
        return {
            channel: bits >> index & 1
            for index, channel in enumerate(board.channels)
            if channel is not None
        }


@dataclass(frozen=True, slots=True)
class LightArmRequest(RigRequest[None]):
    """Record light for `duration_ns` from now, and look for its onset."""

    command = 7
    operation = Operation.WRITE
    name = "light"
    duration_ns: int
    baseline_ns: int | None = None
    settle_ns: int | None = None

    def __post_init__(self) -> None:
        checked_time("light for", self.duration_ns)
        checked_time("a baseline of", self.baseline_ns or 0)
        checked_time("a settled level of", self.settle_ns or 0)

    def fields(self) -> dict[str, object]:
        return {"dur": self.duration_ns, "base": self.baseline_ns, "settle": self.settle_ns}

    def decode(self, reply: Fields, board: Identity) -> None:
        return None


@dataclass(frozen=True, slots=True)
class LightRequest(RigRequest[LightBatch]):
    """Up to `count` light blocks numbered from `cursor`."""

    command = 7
    name = "light"
    cursor: int
    count: int

    def fields(self) -> dict[str, object]:
        return {"from": self.cursor, "max": self.count}

    def decode(self, reply: Fields, board: Identity) -> LightBatch:
        first, overruns = reply.count("first"), reply.count("ovr")
        columns = reply.unbounded_columns("b", 4)
        count = len(columns[0])
        next_number, more = _advance(reply, self.cursor, count)
        try:
            array("q", columns[0])  # times stay below 2^63
            blocks = LightColumns(range(first, first + count), *columns)
        except OverflowError:
            reply.columns("b", 4)  # raises for a number that is none at all
            most = max(map(max, columns[1:]))
            raise reply.wrong("b", most, f"counts up to {_MOST_COUNTS}") from None
        return LightBatch(blocks, first, next_number, first - self.cursor, overruns, more)


@dataclass(frozen=True, slots=True)
class PowerRequest(RigRequest[PowerBatch]):
    """Up to `count` samples of the power monitor numbered from `cursor`."""

    command = 17
    name = "power"
    cursor: int
    count: int

    def fields(self) -> dict[str, object]:
        return {"from": self.cursor, "max": self.count}

    def decode(self, reply: Fields, board: Identity) -> PowerBatch:
        first, overruns = reply.count("first"), reply.count("ovr")
        t_ns, *figures = (tuple(column) for column in reply.unbounded_columns("p", 3))
        if t_ns and not (min(t_ns) >= 0 and max(t_ns) < 2**63):
            raise reply.wrong("p", max(t_ns), "a time of 0 or more")
        for column in figures:
            if column and not (min(column) >= -_MOST_POWER and max(column) < _MOST_POWER):
                raise reply.wrong("p", max(column, key=abs), "a figure of 32 bits")
        next_number, more = _advance(reply, self.cursor, len(t_ns))
        lost = first - self.cursor
        samples = PowerSamples(t_ns, *figures)
        return PowerBatch(samples, first, next_number, lost, overruns, more)


@dataclass(frozen=True, slots=True)
class OnsetRequest(RigRequest[LightOnset]):
    """The onset of light in the newest recording; a state that is unknown here is LOST."""

    command = 10
    name = "onset"

    def decode(self, reply: Fields, board: Identity) -> LightOnset:
        number = reply.count("st")
        if number not in OnsetState.__members__.values():
            logger.warning("the board reports the onset of light by an unknown state: %d", number)
            return LightOnset(OnsetState.LOST)
        state = OnsetState(number)
        onset = LightOnset(
            state=state,
            first_ns=reply.optional("first"),
            half_ns=reply.optional("t50"),
            ninety_ns=reply.optional("t90"),
            resolution_ns=reply.optional("res"),
            base_counts=_scaled(reply, "base", _LEVEL_UNIT),
            sigma_counts=_scaled(reply, "sig", _LEVEL_UNIT),
            peak_counts=reply.optional("peak"),
            level_counts=_scaled(reply, "lvl", _LEVEL_UNIT),
            pwm_hz=_scaled(reply, "pwm", _FREQUENCY_UNIT),
            duty=_scaled(reply, "duty", _DUTY_UNIT),
            pwm_uncertainty_ns=reply.optional("u"),
        )
        if state is OnsetState.OK:
            for key in _MEASURED_KEYS:
                reply.count(key)
        return onset


@dataclass(frozen=True, slots=True)
class SamplesRequest(RigRequest[SampleBatch]):
    """Samples kept about the onset, numbered from `cursor`: `count`, or what fits."""

    command = 13
    name = "samples"
    cursor: int
    count: int | None = None

    def fields(self) -> dict[str, object]:
        return {"from": self.cursor, "max": self.count}

    def decode(self, reply: Fields, board: Identity) -> SampleBatch:
        state, data = reply.count("st"), reply.data("s")
        first, behind = reply.count("first"), reply.count("next")
        if len(data) % _SAMPLE_BYTES:
            raise reply.wrong("s", len(data), "an even number of bytes")
        counts = tuple(
            int.from_bytes(data[at : at + _SAMPLE_BYTES], "little")
            for at in range(0, len(data), _SAMPLE_BYTES)
        )
        if first < self.cursor:
            raise reply.wrong("first", first, f"a number from {self.cursor} on")
        after = first + len(counts)
        if after > behind or (not counts and after < behind):
            raise reply.wrong("next", behind, f"a number from {after} on, {after} without samples")
        defined = state in OnsetState.__members__.values()
        return SampleBatch(
            OnsetState(state) if defined else OnsetState.LOST,
            reply.count("t0"),
            first,
            behind,
            counts,
        )


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
