"""Commands that Zephyr's own groups answer: the echo of the OS group, and files (fs_mgmt)."""

from dataclasses import dataclass
from typing import NamedTuple

from resume_rig.rig.smp.packet import Group, Operation, OsCommand
from resume_rig.rig.smp.request import Fields, Request


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
        size_bytes: of the whole file; None where the board does not say.
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
