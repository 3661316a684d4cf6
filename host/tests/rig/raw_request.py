"""Requests and packets as a board has them: also such that the host never sends."""

from typing import NamedTuple, Self

from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.packet import HEADER, Group, Header, Operation
from resume_rig.rig.smp.request import Request


def raw_request(
    operation: Operation,
    group: int,
    command: int,
    fields: dict[str, object] | None = None,
    name: str = "time",
) -> Request:
    class Raw(Request):
        def fields(self) -> dict[str, object]:
            return fields or {}

    Raw.operation, Raw.group, Raw.command, Raw.name = operation, group, command, name
    return Raw()


RESET = raw_request(Operation.WRITE, Group.OS, 5, name="reset")


def reset(rig: SmpRig, client: SmpClient) -> None:
    """Reset a board whose rig was identified in this boot: it does so behind a permit alone."""
    rig.permit()
    client.request(RESET)


def packed(header: Header) -> bytes:
    first = header.version << 3 | header.operation
    numbers = (header.length, header.group, header.sequence, header.command)
    return HEADER.pack(first, header.flags, *numbers)


class Packet(NamedTuple):
    """A header and the CBOR that follows it, still encoded."""

    header: Header
    payload: bytes

    def pack(self) -> bytes:
        return packed(self.header) + self.payload

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        packet = cls(Header.unpack(data), data[HEADER.size :])
        assert packet.header.length == len(packet.payload)
        return packet
