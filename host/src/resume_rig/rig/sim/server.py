"""The simulated board's side of SMP: OS group, file group (the DUT's log), rig group.

Refusals are those of Zephyr's mcumgr: an SMP `rc` where the request is not understood, the group's
own error where the group refuses.
"""

from collections.abc import Mapping
from enum import IntEnum, unique
from typing import Final, Protocol

import cbor2

from resume_rig import __version__
from resume_rig.rig.smp.packet import (
    HEADER,
    OPERATION_BITS,
    VERSION_2,
    VERSION_BITS,
    Group,
    Operation,
)
from resume_rig.rig.smp.refusal import FileCode, SmpCode

# As our images configure them: CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE and _COUNT.
BUFFER_BYTES: Final = 2048
BUFFER_COUNT: Final = 4
IN_PROCESS_BYTES: Final = 16_384
"""Of a board that no line is in front of."""
_FILE_OVERHEAD_BYTES: Final = 64  # header, keys and lengths around a chunk of a file
_MAX_DEPTH: Final = 8  # rig.cddl: levels of a request
# As plain numbers: an enum's are slow to compare.
_WRITE: Final = int(Operation.WRITE)
_REQUESTS: Final = (int(Operation.READ), _WRITE)
_RIG: Final = int(Group.RIG)
_OK: Final = int(SmpCode.OK)


@unique
class _OsCommand(IntEnum):
    """Commands of the OS group that are answered."""

    ECHO = 0
    RESET = 5
    PARAMETERS = 6
    APPLICATION_INFO = 7


@unique
class _FileCommand(IntEnum):
    """Commands of the file group that are answered."""

    DATA = 0
    STATUS = 1


_Map = Mapping[object, object]
_Answer = dict[str, object] | SmpCode | FileCode


class BoardService(Protocol):
    """What the server asks of the bench behind it."""

    def rig_request(
        self, command: int, write: bool, payload: bytes, room: int
    ) -> tuple[int, bytes]:
        """Return the rig group's SMP code and its CBOR of at most `room` bytes."""
        ...

    def reboot(self) -> None:
        """Restart the board."""
        ...

    def file_size(self, name: str) -> int | None:
        """Return the length of a file in bytes; None when there is no such file."""
        ...

    def file_bytes(self, name: str, offset: int, count: int) -> bytes:
        """Return a part of a file that exists."""
        ...


class SmpServer:
    """Answers requests; keeps no state between them."""

    def __init__(self, board: BoardService, buffer_bytes: int = BUFFER_BYTES) -> None:
        self._board = board
        self._buffer_bytes = buffer_bytes

    def answers(self, data: bytes) -> list[bytes]:
        """Return one reply packet for each request in `data`.

        Requests may stand one behind another. What is too short for a header is dropped, as no
        reply could be addressed; so are replies, lest two boards talk to each other for ever.
        """
        replies: list[bytes] = []
        while len(data) >= HEADER.size:
            # Taken apart without a Header: a simulated campaign asks thousands of times a second.
            first, _, length_bytes, group, sequence, command = HEADER.unpack_from(data)
            operation = first & OPERATION_BITS
            end = HEADER.size + length_bytes
            if operation in _REQUESTS:
                whole = end <= len(data) <= self._buffer_bytes
                write, payload = operation == _WRITE, data[HEADER.size : end]
                body = (
                    self._reply(group, command, write, payload) if whole else _rc(SmpCode.CORRUPT)
                )
                first = min(first >> 3 & VERSION_BITS, VERSION_2) << 3 | operation + 1
                reply = HEADER.pack(first, 0, len(body), group, sequence, command)
                replies.append(reply + body)
            data = data[end:]
        return replies

    def _reply(self, group: int, command: int, write: bool, payload: bytes) -> bytes:
        if group == _RIG:
            code, body = self._board.rig_request(
                command, write, payload, self._buffer_bytes - HEADER.size
            )
            return body if code == _OK else _rc(SmpCode(code))
        request = _decoded(payload)
        if request is None:
            return _rc(SmpCode.INVALID_VALUE)
        match group:
            case Group.OS:
                answer = self._os_answer(command, write, request)
            case Group.FILE:
                answer = self._file_answer(command, write, request)
            case _:
                answer = SmpCode.NOT_SUPPORTED
        return _body(answer)

    def _os_answer(self, command: int, write: bool, request: _Map) -> _Answer:
        match command, write:
            case (_OsCommand.ECHO, _):  # mcumgr takes it as read and as write
                text = request.get("d")
                return {"r": text} if isinstance(text, str) else SmpCode.INVALID_VALUE
            case (_OsCommand.RESET, True):
                self._board.reboot()
                return {}
            case (_OsCommand.PARAMETERS, False):
                return {"buf_size": self._buffer_bytes, "buf_count": BUFFER_COUNT}
            case (_OsCommand.APPLICATION_INFO, False):
                return {"output": f"resume-rig simulated bench {__version__}"}
            case _:
                return SmpCode.NOT_SUPPORTED

    def _file_answer(self, command: int, write: bool, request: _Map) -> _Answer:
        if write or command not in (_FileCommand.DATA, _FileCommand.STATUS):
            return SmpCode.NOT_SUPPORTED
        name = request.get("name")
        if not isinstance(name, str) or not name:
            return SmpCode.INVALID_VALUE
        size = self._board.file_size(name)
        if size is None:
            return FileCode.NOT_FOUND
        if command == _FileCommand.STATUS:
            return {"len": size}
        return self._chunk(name, size, request.get("off", 0))

    def _chunk(self, name: str, size: int, offset: object) -> _Answer:
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
            return SmpCode.INVALID_VALUE
        if offset > size:
            return FileCode.OFFSET_BEYOND_FILE
        data = self._board.file_bytes(name, offset, self._buffer_bytes - _FILE_OVERHEAD_BYTES)
        # mcumgr tells the length with offset 0 only; a log that grows is read from further on.
        return {"off": offset, "data": data, "len": size}


def _decoded(payload: bytes) -> _Map | None:
    """Return the CBOR map of a request; no bytes at all are an empty map, as for mcumgr."""
    if not payload:
        return {}
    try:
        found: object = cbor2.loads(payload, max_depth=_MAX_DEPTH)
    except (cbor2.CBORError, ValueError, OverflowError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _body(answer: _Answer) -> bytes:
    match answer:
        case SmpCode():
            return _rc(answer)
        case FileCode():
            return cbor2.dumps({"err": {"group": int(Group.FILE), "rc": int(answer)}})
        case _:
            return cbor2.dumps(answer)


def _rc(code: SmpCode) -> bytes:
    return cbor2.dumps({"rc": int(code)})
