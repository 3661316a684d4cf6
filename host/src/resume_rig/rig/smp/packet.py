"""SMP packets: the eight byte header and its numbers.

The layout is mcumgr's (Zephyr: "SMP Protocol Specification"). No I/O and no CBOR here; neighbours:
`framing` puts packets on a serial line, `client` matches replies with requests.
"""

import struct
from enum import IntEnum, unique
from typing import Final, NamedTuple, Self

HEADER: Final = struct.Struct(">BBHHBB")
"""Version and operation, flags, payload length, group, sequence number, command."""

VERSION_2: Final = 1
"""What SMP version 2 puts in the header's two version bits."""

OPERATION_BITS: Final = 0b111
"""Of the header's first byte; the version is above them."""

VERSION_BITS: Final = 0b11

MAX_PAYLOAD_BYTES: Final = 0xFFFF  # the header's length has two bytes


@unique
class Operation(IntEnum):
    """What a packet asks for or answers; a reply is its request plus one."""

    READ = 0
    READ_REPLY = 1
    WRITE = 2
    WRITE_REPLY = 3


@unique
class Group(IntEnum):
    """The command groups that this host speaks."""

    OS = 0
    IMAGE = 1
    FILE = 8
    RIG = 64


@unique
class OsCommand(IntEnum):
    """Commands of the OS group that are used here."""

    ECHO = 0
    RESET = 5
    BUFFERS = 6
    INFO = 7


@unique
class ImageCommand(IntEnum):
    """Commands of the image group that are used here."""

    STATE = 0
    UPLOAD = 1


class Header(NamedTuple):
    """One SMP header.

    Attributes:
        operation: 0 to 7; a number outside `Operation` is kept as it came.
        group: 0 to 65535.
        sequence: 0 to 255.
        command: 0 to 255.
        length: payload bytes that follow.
        version: 0 for SMP version 1, 1 for version 2.
        flags: none is defined yet.
    """

    operation: int
    group: int
    sequence: int
    command: int
    length: int
    version: int = VERSION_2
    flags: int = 0

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Return the header at the start of `data`.

        Raises:
            ValueError: fewer than eight bytes.
        """
        if len(data) < HEADER.size:
            raise ValueError(f"an SMP header takes {HEADER.size} bytes; found {len(data)}")
        first, flags, length, group, sequence, command = HEADER.unpack_from(data)
        return cls(
            first & OPERATION_BITS,
            group,
            sequence,
            command,
            length,
            first >> 3 & VERSION_BITS,
            flags,
        )


def request_packet(
    operation: Operation, group: int, command: int, sequence: int, payload: bytes
) -> bytes:
    """Return the bytes of a version 2 packet around `payload`.

    Raises:
        ValueError: the payload is longer than 65535 bytes.
    """
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise ValueError(
            f"an SMP payload of {len(payload)} bytes is too long; allowed are {MAX_PAYLOAD_BYTES}"
        )
    first = VERSION_2 << 3 | operation
    return HEADER.pack(first, 0, len(payload), group, sequence, command) + payload
