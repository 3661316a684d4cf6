"""A board that holds a scripted conversation with SmpRig, over the in-process transport."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import cbor2
import pytest

from resume_rig.rig.client import SmpRig
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.inprocess_transport import InProcessTransport
from resume_rig.rig.smp.packet import FileCommand, Header, Packet, RigCommand
from resume_rig.timing.clocks import VirtualClock

Fields = dict[str, object]
SILENCE = None

INFO: Fields = {
    "proto": 1,
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
        name = {8: FileCommand, 64: RigCommand}.get(header.group, FileCommand)(header.command).name
        assert self.lines, f"nothing more was expected than {name}"
        command, request, reply = self.lines.pop(0)
        assert (name.lower(), cbor2.loads(packet.payload)) == (command, request)
        self.operations.append(header.operation)
        if reply is SILENCE:
            return None
        payload = cbor2.dumps(reply)
        answer = Header(
            header.operation + 1, header.group, header.sequence, header.command, len(payload)
        )
        return answer.pack() + payload


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
        return SmpRig(SmpClient(InProcessTransport(said.handle, clock), clock), first_token=500)

    return rig_with
