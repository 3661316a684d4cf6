"""A board that holds a scripted conversation with SmpRig, over the in-process transport."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import cbor2
import pytest
from raw_request import Packet, packed

from resume_rig.rig.commands import actions, board, capture
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.packet import Group, Header
from resume_rig.rig.smp.request import Request
from resume_rig.timing.clocks import VirtualClock

COMMANDS = [
    found
    for module in (actions, board, capture, actions, board)
    for found in vars(module).values()
    if isinstance(found, type) and issubclass(found, Request) and hasattr(found, "command")
]
NAMES = {(found.group, found.command): found.name for found in COMMANDS}

Fields = dict[str, object]
SILENCE = None
HOST = 500  # what the host of the conversations calls itself

INFO: Fields = {
    "proto": 2,
    "nonce": 2**62,
    "fw": "0.1.0",
    "board": "rig",
    "boot": 77,
    "clk": "xtal",
    "hz": 1_000_000,
    "tol": 30_000,
    "lease": 60_000_000_000,
    "ch": [["PWR_OK", 1000, 50, 500], ["VBUS", 1, 1, 1], ["BUTTON", 1000, 0, 500]],
    "act": [["FAN", 5], ["BUTTON", 1_000_000_000], ["LID", 0]],
    "ering": 512,
    "lring": 0,
}


@dataclass
class Conversation:
    """A board that expects exactly these requests in this order."""

    lines: list[tuple[str, Fields, Fields | None]]
    operations: list[int] = field(default_factory=list)

    def handle(self, data: bytes) -> bytes | None:
        packet = Packet.unpack(data)
        header = packet.header
        name = NAMES[header.group, header.command]
        assert self.lines, f"nothing more was expected than {name}"
        command, request, reply = self.lines.pop(0)
        fields = cbor2.loads(packet.payload)
        assert fields.pop("host", None) == (HOST if header.group == Group.RIG else None)
        assert (name, fields) == (command, request)
        self.operations.append(header.operation)
        if reply is SILENCE:
            return None
        payload = cbor2.dumps(reply)
        answer = Header(
            header.operation + 1, header.group, header.sequence, header.command, len(payload)
        )
        return packed(answer) + payload


Talk = Callable[..., SmpRig]


@pytest.fixture
def said() -> Iterator[Conversation]:
    """Return a conversation that has to be held to its end."""
    conversation = Conversation([])
    yield conversation
    assert conversation.lines == []


@pytest.fixture
def board_info() -> Fields:
    """What the board of the conversations says of itself."""
    return dict(INFO)


@pytest.fixture
def talk(said: Conversation) -> Talk:
    """Return a rig whose board has said who it is and expects the given lines from then on."""

    def rig_with(*lines: tuple[str, Fields, Fields | None], info: Fields = INFO) -> SmpRig:
        said.lines = [("info", {}, info), *lines]
        clock = VirtualClock()
        return SmpRig(SmpClient(InProcessTransport(said.handle, clock), clock), first_token=HOST)

    return rig_with
