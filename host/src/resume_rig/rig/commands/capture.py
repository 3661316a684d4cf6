"""What a board captures: edges, levels, light, its onset and the samples about it, and power."""

import logging
from array import array
from dataclasses import dataclass
from typing import Final, TypeVar

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

_Batch_co = TypeVar("_Batch_co", covariant=True)


@dataclass(frozen=True, slots=True)
class _NumberedRequest(RigRequest[_Batch_co]):
    """Up to `count` of what the board numbers, from number `cursor` on."""

    cursor: int
    count: int

    def fields(self) -> dict[str, object]:
        return {"from": self.cursor, "max": self.count}

    def numbers(self, reply: Fields, found: int) -> tuple[int, int, int, int, bool]:
        """Return first, next, lost, overruns and more of a batch that holds so many.

        Raises:
            ProtocolError: the reply's numbers do not go together.
        """
        first, newest = reply.count("first"), reply.count("next")
        if first < self.cursor:
            raise reply.wrong("first", first, f"a number from {self.cursor} on")
        after = first + found
        if newest > _MOST_NUMBER:
            raise reply.wrong("next", newest, f"a number up to {_MOST_NUMBER}")
        if after > newest:
            raise reply.wrong("next", newest, f"a number from {after} on")
        if found == 0 and after < newest:
            raise reply.wrong("next", newest, f"{after}, as the list is empty")
        return first, after, first - self.cursor, reply.count("ovr"), after < newest


@dataclass(frozen=True, slots=True)
class EdgesRequest(_NumberedRequest[EdgeBatch]):
    """Up to `count` edges numbered from `cursor`; those of unknown channels keep their numbers."""

    command = 2
    name = "edges"

    def decode(self, reply: Fields, board: Identity) -> EdgeBatch:
        rows = reply.rows("e", 2)
        numbers = self.numbers(reply, len(rows))
        edges: list[Edge] = []
        for number, (t_ns, code) in enumerate(rows, numbers[0]):
            if code >> 1 >= len(board.channels):
                raise reply.wrong("e", code, f"a code below {2 * len(board.channels)}")
            channel = board.channels[code >> 1]
            if channel is not None:
                edges.append(Edge(number, t_ns, channel, code & 1))
        return EdgeBatch(tuple(edges), *numbers)


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
class LightRequest(_NumberedRequest[LightBatch]):
    """Up to `count` light blocks numbered from `cursor`."""

    command = 7
    name = "light"

    def decode(self, reply: Fields, board: Identity) -> LightBatch:
        columns = reply.unbounded_columns("b", 4)
        numbers = self.numbers(reply, len(columns[0]))
        try:
            array("q", columns[0])  # times stay below 2^63
            blocks = LightColumns(range(*numbers[:2]), *columns)
        except OverflowError:
            reply.columns("b", 4)  # raises for a number that is none at all
            most = max(map(max, columns[1:]))
            raise reply.wrong("b", most, f"counts up to {_MOST_COUNTS}") from None
        return LightBatch(blocks, *numbers)


@dataclass(frozen=True, slots=True)
class PowerRequest(_NumberedRequest[PowerBatch]):
    """Up to `count` samples of the power monitor numbered from `cursor`."""

    command = 17
    name = "power"

    def decode(self, reply: Fields, board: Identity) -> PowerBatch:
        t_ns, *figures = (tuple(column) for column in reply.unbounded_columns("p", 3))
        if t_ns and not (min(t_ns) >= 0 and max(t_ns) < 2**63):
            raise reply.wrong("p", max(t_ns), "a time of 0 or more")
        for column in figures:
            if column and not (min(column) >= -_MOST_POWER and max(column) < _MOST_POWER):
                raise reply.wrong("p", max(column, key=abs), "a figure of 32 bits")
        return PowerBatch(PowerSamples(t_ns, *figures), *self.numbers(reply, len(t_ns)))


@dataclass(frozen=True, slots=True)
class OnsetRequest(RigRequest[LightOnset]):
    """The onset of light in the newest recording; an unknown state is LOST."""

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
