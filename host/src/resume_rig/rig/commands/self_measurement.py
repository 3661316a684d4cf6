"""How a board measures itself, and what it keeps of that: loop-back and calibration."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.rig.calibration import Calibration, LoopbackChannel, LoopbackResult, LoopbackState
from resume_rig.rig.commands.actions import parse_action
from resume_rig.rig.commands.board import (
    MOST_CHANNELS,
    Identity,
    RigRequest,
    channel_at,
    parse_latencies,
)
from resume_rig.rig.interface import ActionStart
from resume_rig.rig.smp.packet import Operation
from resume_rig.rig.smp.request import Fields, checked_time

logger = logging.getLogger(__name__)

_U32: Final = 0xFFFF_FFFF  # rig.cddl: "n"
_MOST_PPB: Final = 1_000_000  # rig.cddl, 12


@dataclass(frozen=True, slots=True)
class LoopbackStartRequest(RigRequest[ActionStart]):
    """Drive an output again and again; no DUT may be connected.

    Attributes:
        actuator: its index in the board's info.
        channels: bit n for channel n.
        token: a new one for each loop-back.
        count: changes of the output.
        gap_ns: mean time between two changes.
        boot_id: refused by a board of another boot.
    """

    command = 11
    operation = Operation.WRITE
    name = "loopback"
    actuator: int
    channels: int
    token: int
    count: int
    gap_ns: int
    boot_id: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= _U32:  # the board says which of these it takes
            raise UsageError(
                f"a loop-back of {self.count} changes is not possible; allowed is 2 to 10000"
            )
        checked_time("a gap of", self.gap_ns)

    def fields(self) -> dict[str, object]:
        return {
            "act": self.actuator,
            "ch": self.channels,
            "tok": self.token,
            "n": self.count,
            "gap": self.gap_ns,
            "boot": self.boot_id,
        }

    def decode(self, reply: Fields, board: Identity) -> ActionStart:
        return parse_action(reply)


@dataclass(frozen=True, slots=True)
class LoopbackResultRequest(RigRequest[LoopbackResult]):
    """What came of the newest loop-back; a state that is unknown here counts as stopped."""

    command = 11
    name = "loopback"

    def decode(self, reply: Fields, board: Identity) -> LoopbackResult:
        number = reply.count("st")
        if number not in LoopbackState.__members__.values():
            logger.warning("the board reports a loop-back by an unknown state: %d", number)
            number = LoopbackState.STOPPED
        state = LoopbackState(number)
        if state is LoopbackState.NONE:
            return LoopbackResult(state)
        return LoopbackResult(
            state=state,
            actuator=_actuator_at(reply.count("act"), board),
            changes=reply.count("n"),
            held_ns=reply.count("held"),
            lost=reply.count("lost"),
            channels=_loopback_channels(reply, board.channels),
        )


@dataclass(frozen=True, slots=True)
class CalibrationRequest(RigRequest[Calibration]):
    """What the board keeps of itself over resets."""

    command = 12
    name = "calibration"

    def decode(self, reply: Fields, board: Identity) -> Calibration:
        return Calibration(
            crystal=reply.flag("xtal"),
            store=reply.text("store"),
            clock_ppb=reply.integer("cal") if reply.has("cal") else None,
            held_ns=reply.count("held") if reply.has("held") else 0,
            latencies=parse_latencies(reply, board.channels),
        )


@dataclass(frozen=True, slots=True)
class CalibrationWriteRequest(CalibrationRequest):
    """Let the board keep something of itself over resets; the reply is all that it keeps.

    Attributes:
        clock_ppb: measured rate error.
        loopback: take the latencies of the newest loop-back.
        clear: forget everything first.
    """

    operation = Operation.WRITE
    clock_ppb: int | None = None
    loopback: bool = False
    clear: bool = False

    def __post_init__(self) -> None:
        if abs(self.clock_ppb or 0) > _MOST_PPB:
            raise UsageError(
                f"a clock that is off by {self.clock_ppb} ppb cannot be calibrated; allowed is "
                f"-{_MOST_PPB} to {_MOST_PPB} ppb"
            )

    def fields(self) -> dict[str, object]:
        return {
            "cal": self.clock_ppb,
            "loop": self.loopback or None,
            "clear": self.clear or None,
        }


def _actuator_at(index: int, identity: Identity) -> Actuator | None:
    return next((actuator for actuator, at in identity.actuators.items() if at == index), None)


def _loopback_channels(
    fields: Fields, channels: Sequence[Channel | None]
) -> tuple[LoopbackChannel, ...]:
    names = ("channel", "seen", "missed", "extra", "mean", "sd", "min", "max")
    found: list[LoopbackChannel] = []
    for record in fields.records("ch", names, MOST_CHANNELS):
        channel = channel_at(record, channels)
        if channel is not None:
            found.append(
                LoopbackChannel(
                    channel,
                    seen=record.count("seen"),
                    missed=record.count("missed"),
                    extra=record.count("extra"),
                    mean_ns=record.integer("mean"),
                    sd_ns=record.count("sd"),
                    min_ns=record.integer("min"),
                    max_ns=record.integer("max"),
                )
            )
    return tuple(found)
