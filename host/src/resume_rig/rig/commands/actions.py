"""What a board drives: presses, the lid, a contact, its keyboard, and letting go."""

from dataclasses import dataclass
from typing import Final

from resume_rig.rig.commands.board import Identity, RigRequest
from resume_rig.rig.interface import ActionStart, Keyboard, KeyboardBus
from resume_rig.rig.smp.packet import Operation
from resume_rig.rig.smp.request import Fields, checked_time


def parse_action(fields: Fields) -> ActionStart:
    """Return when the output changes and reverts, board clock."""
    end_ns = fields.count("end") if fields.has("end") else None
    return ActionStart(fields.count("start"), end_ns)


@dataclass(frozen=True, slots=True)
class PressRequest(RigRequest[ActionStart]):
    """Press for `duration_ns`, at board time `at_ns` or at once.

    Attributes:
        actuator: its index in the board's info.
        token: a new one for each press.
        boot_id: refused by a board of another boot.
    """

    command = 4
    operation = Operation.WRITE
    name = "press"
    actuator: int
    duration_ns: int
    token: int
    boot_id: int
    at_ns: int | None = None
    force_off: bool = False

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
        }

    def decode(self, reply: Fields, board: Identity) -> ActionStart:
        return parse_action(reply)


@dataclass(frozen=True, slots=True)
class HoldRequest(RigRequest[ActionStart]):
    """Hold something or let go of it, at board time `at_ns` or at once.

    Attributes:
        token, boot_id: as of a press.
    """

    operation = Operation.WRITE
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

    def decode(self, reply: Fields, board: Identity) -> ActionStart:
        return parse_action(reply)


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


_BUSES: Final = {0: KeyboardBus.DETACHED, 1: KeyboardBus.SUSPENDED, 2: KeyboardBus.READY}


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
    """

    command = 16
    operation = Operation.WRITE
    name = "bootloader"
    boot_id: int

    def fields(self) -> dict[str, object]:
        return {"boot": self.boot_id}

    def decode(self, reply: Fields, board: Identity) -> int:
        return reply.count("t")
