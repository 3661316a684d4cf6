"""What a board drives: presses, the lid, a contact, its keyboard, and loop-backs of its outputs.

With a loop-back the board measures its own latency; the calibration is what it keeps of that.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.rig.commands.board import (
    Identity,
    RigRequest,
    channel_records,
    parse_latencies,
)
from resume_rig.rig.interface import (
    ActionStart,
    Calibration,
    Keyboard,
    KeyboardBus,
    LoopbackChannel,
    LoopbackResult,
    LoopbackState,
)
from resume_rig.rig.smp.packet import Operation
from resume_rig.rig.smp.request import Fields, checked_time

logger = logging.getLogger(__name__)

_BUSES: Final = {0: KeyboardBus.DETACHED, 1: KeyboardBus.SUSPENDED, 2: KeyboardBus.READY}
_U32: Final = 0xFFFF_FFFF  # rig.cddl: "n"
_MOST_PPB: Final = 1_000_000  # rig.cddl, 12


class ActionRequest(RigRequest[ActionStart]):
    """A command that drives an output; the answer is when it changes and reverts, board clock."""

    __slots__ = ()
    operation = Operation.WRITE

    def decode(self, reply: Fields, board: Identity) -> ActionStart:
        return ActionStart(reply.count("start"), reply.optional("end"))


@dataclass(frozen=True, slots=True)
class PressRequest(ActionRequest):
    """Press for `duration_ns`, at board time `at_ns` or at once.

    Attributes:
        actuator: its index in the board's info.
        token: a new one for each press.
        boot_id: refused by a board of another boot.
        nonce: of this boot, for a press that is force-off; None for others.
    """

    command = 4
    name = "press"
    actuator: int
    duration_ns: int
    token: int
    boot_id: int
    at_ns: int | None = None
    force_off: bool = False
    nonce: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        checked_time("a press of", self.duration_ns)
        checked_time("a press at board time", self.at_ns or 0)

    def fields(self) -> dict[str, object]:
        return {
            "act": self.actuator,
            "dur": self.duration_ns,
            "tok": self.token,
            "boot": self.boot_id,
            "at": self.at_ns,
            "force": self.force_off or None,
            "nonce": self.nonce,
        }


@dataclass(frozen=True, slots=True)
class HoldRequest(ActionRequest):
    """Hold something or let go of it, at board time `at_ns` or at once.

    Attributes:
        token, boot_id: as of a press.
    """

    closed: bool
    token: int
    boot_id: int
    at_ns: int | None = None

    def __post_init__(self) -> None:
        checked_time(f"a {self.name} move at board time", self.at_ns or 0)

    def fields(self) -> dict[str, object]:
        return {
            "closed": self.closed,
            "tok": self.token,
            "boot": self.boot_id,
            "at": self.at_ns,
        }


@dataclass(frozen=True, slots=True)
class LidRequest(HoldRequest):
    """Close or open the lid."""

    command = 5
    name = "lid"


@dataclass(frozen=True, slots=True)
class ContactRequest(HoldRequest):
    """Close or open the dry contact."""

    command = 14
    name = "contact"


@dataclass(frozen=True, slots=True)
class KeyboardRequest(RigRequest[Keyboard]):
    """What the DUT makes of the board as its keyboard."""

    command = 15
    name = "keyboard"

    def decode(self, reply: Fields, board: Identity) -> Keyboard:
        return Keyboard(
            _BUSES.get(reply.count("st"), KeyboardBus.DETACHED),
            reply.flag("arm"),
            reply.count("rep"),
            reply.count("wake"),
            reply.count("none"),
        )


@dataclass(frozen=True, slots=True)
class ReleaseRequest(RigRequest[None]):
    """Let go of every actuator and forget what was scheduled."""

    command = 6
    operation = Operation.WRITE
    name = "release"

    def decode(self, reply: Fields, board: Identity) -> None:
        return None


@dataclass(frozen=True, slots=True)
class BootloaderRequest(RigRequest[int]):
    """Leave the firmware for the bootloader in ROM; the answer is when, board clock.

    Attributes:
        boot_id: refused by a board of another boot.
        nonce: of this boot; None for a board of version 1, which has none.
    """

    command = 16
    operation = Operation.WRITE
    name = "bootloader"
    boot_id: int
    nonce: int | None = field(repr=False)

    def fields(self) -> dict[str, object]:
        return {"boot": self.boot_id, "nonce": self.nonce}

    def decode(self, reply: Fields, board: Identity) -> int:
        return reply.count("t")


@dataclass(frozen=True, slots=True)
class PermitRequest(RigRequest[int]):
    """Permit one reset, or one write of the image group; the answer is until when, board clock.

    Attributes:
        boot_id: refused by a board of another boot.
        nonce: of this boot.
    """

    command = 18
    operation = Operation.WRITE
    name = "permit"
    boot_id: int
    nonce: int = field(repr=False)

    def fields(self) -> dict[str, object]:
        return {"boot": self.boot_id, "nonce": self.nonce}

    def decode(self, reply: Fields, board: Identity) -> int:
        return reply.count("until")


@dataclass(frozen=True, slots=True)
class LoopbackStartRequest(ActionRequest):
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


@dataclass(frozen=True, slots=True)
class LoopbackResultRequest(RigRequest[LoopbackResult]):
    """What came of the newest loop-back; an unknown state is STOPPED."""

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
        actuators = {index: actuator for actuator, index in board.actuators.items()}
        return LoopbackResult(
            state=state,
            actuator=actuators.get(reply.count("act")),
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
            held_ns=reply.optional("held") or 0,
            latencies=parse_latencies(reply, board.channels),
        )


@dataclass(frozen=True, slots=True)
class CalibrationWriteRequest(CalibrationRequest):
    """Let the board keep something of itself over resets; the reply is all that it keeps.

    Attributes:
        boot_id: refused by a board of another boot.
        clock_ppb: measured rate error.
        loopback: take the latencies of the newest loop-back.
        clear: forget everything first.
    """

    operation = Operation.WRITE
    boot_id: int
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
            "boot": self.boot_id,
        }


def _loopback_channels(
    fields: Fields, channels: Sequence[Channel | None]
) -> tuple[LoopbackChannel, ...]:
    names = ("detected", "missed", "extra", "mean", "sd", "min", "max")
    return tuple(
        LoopbackChannel(
            channel,
            detected=record.count("detected"),
            missed=record.count("missed"),
            extra=record.count("extra"),
            mean_ns=record.integer("mean"),
            sd_ns=record.count("sd"),
            min_ns=record.integer("min"),
            max_ns=record.integer("max"),
        )
        for channel, record in channel_records(fields, "ch", names, channels)
    )
