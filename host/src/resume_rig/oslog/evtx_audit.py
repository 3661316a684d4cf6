"""What is missing or damaged in an EVTX file, told apart from what a reader makes of it.

A reader leaves out what it cannot read, often without a word. So the file's own accounts are
checked first: every 64 KiB chunk names its first and last record and carries two checksums. The
file header's counts are stale on a copy of a live log (the "dirty" flag): the truth may be more
than they say, never less.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.problems import ProblemTally

FILE_MAGIC: Final = b"ElfFile\0"
FILE_HEADER_BYTES: Final = 4096
CHUNK_BYTES: Final = 65536
CHUNK_MAGIC: Final = b"ElfChnk\0"

_BLOCK_BYTES: Final = 32 * CHUNK_BYTES  # read at a time
_CHUNK_HEADER_BYTES: Final = 512
_DIRTY: Final = 1
_NO_CHECKSUM: Final = 2
_NO_RECORDS: Final = (1 << 64) - 1
# id of the next record at 24; flags and header checksum at 120, over the first 120 bytes
_FILE: Final = struct.Struct("<24xQ88xII")
# first and last record number, first and last record id, then the end of the used space and the
# data checksum; flags and header checksum at 120, over bytes 0..119 and 128..511
_CHUNK: Final = struct.Struct("<8xQQQQ8xII64xII")


@dataclass(frozen=True, slots=True)
class EvtxChunk:
    """One used chunk.

    Attributes:
        index: place in the file, from 0.
        first_id, last_id: EventRecordIDs that its header names, both included; None where the
            header is damaged or names none.
        fault: what is wrong with it, None where both checksums hold.
        first_number, last_number: places of these records in the file, without gaps even where
            an export left records out.
        checksummed: whether it carries checksums at all.
        used: where its records end.
    """

    index: int
    first_id: int | None
    last_id: int | None
    fault: str | None
    first_number: int = 0
    last_number: int = -1
    checksummed: bool = True
    used: int = 0

    @property
    def expected(self) -> int:
        """How many records its header promises."""
        return self.last_number - self.first_number + 1

    def holds(self, record_id: int) -> bool:
        """Whether the header promises the record."""
        return (self.first_id or 0) <= record_id <= (self.last_id or 0)


@dataclass(frozen=True, slots=True)
class EvtxAudit:
    """What an EVTX file says of itself, before any record is parsed.

    Attributes:
        header_sound: whether the file header's checksum holds.
        dirty: the log was copied while it was open, so the header's counts are stale.
        promised_id: the last record that the file header knows of; 0 where it knows none.
        partial_tail_bytes: of a chunk that the end of the file cuts off.
        slots: whole chunks that the file has room for, used or not.
        chunks: those in use, in the file's order.
    """

    header_sound: bool
    dirty: bool
    promised_id: int
    partial_tail_bytes: int
    slots: int
    chunks: tuple[EvtxChunk, ...] = field(default=())

    def tell(self, last_id: int, tally: ProblemTally) -> None:
        """Note what is damaged, cut off or stale; `last_id` is the last record of a sound chunk."""
        _tell_file(self, last_id, tally)
        _tell_chunks(self.chunks, tally)


class EvtxBlock:
    """Some slots of a file, one behind the other.

    Attributes:
        content: their bytes, 64 KiB each.
        chunks: what is in each slot; None where the space was never written.
    """

    def __init__(self, content: bytes, chunks: tuple[EvtxChunk | None, ...]) -> None:
        self.content = content
        self.chunks = chunks
        self._data: dict[int, bytes] = {}

    def data(self, slot: int) -> bytes:
        """Return the 64 KiB of a slot, always the same object."""
        if slot not in self._data:
            self._data[slot] = self.content[slot * CHUNK_BYTES : (slot + 1) * CHUNK_BYTES]
        return self._data[slot]

    def sound(self, slot: int) -> bool:
        """Whether the slot holds a chunk whose checksums hold."""
        chunk = self.chunks[slot]
        return chunk is not None and chunk.fault is None


class EvtxWalk:
    """Goes once through an EVTX file, one block in memory at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._header = b""
        self._tail_bytes = 0
        self._slots = 0
        self._chunks: list[EvtxChunk] = []

    def __iter__(self) -> Iterator[EvtxBlock]:
        """Yield the whole slots of the file, in its order.

        Raises:
            RecordError: the file ends before its first chunk.
        """
        with self._path.open("rb") as file:
            self._header = file.read(FILE_HEADER_BYTES)
            if len(self._header) < FILE_HEADER_BYTES:
                raise RecordError(
                    f"could not read {self._path}: found an EVTX file of {len(self._header)} bytes,"
                    f" allowed are {FILE_HEADER_BYTES} bytes of header and whole chunks"
                )
            while content := file.read(_BLOCK_BYTES):
                self._tail_bytes = len(content) % CHUNK_BYTES
                slots = len(content) // CHUNK_BYTES
                chunks = tuple(
                    _audit_chunk(self._slots + slot, content, slot * CHUNK_BYTES)
                    for slot in range(slots)
                )
                self._slots += slots
                self._chunks += [chunk for chunk in chunks if chunk is not None]
                if slots:
                    yield EvtxBlock(content[: slots * CHUNK_BYTES], chunks)

    def audit(self) -> EvtxAudit:
        """Return what the file says of itself, once all of it was walked."""
        next_id, flags, checksum = _FILE.unpack_from(self._header)
        sound = bool(flags & _NO_CHECKSUM) or zlib.crc32(self._header[:120]) == checksum
        return EvtxAudit(
            header_sound=sound,
            dirty=sound and bool(flags & _DIRTY),
            promised_id=max(0, next_id - 1) if sound else 0,
            partial_tail_bytes=self._tail_bytes,
            slots=self._slots,
            chunks=tuple(self._chunks),
        )


def _audit_chunk(index: int, content: bytes, at: int) -> EvtxChunk | None:
    """Return the chunk that begins at `at`; None where the space was never written."""
    if not content.startswith(CHUNK_MAGIC, at):
        if content.count(0, at, at + CHUNK_BYTES) == CHUNK_BYTES:
            return None
        return EvtxChunk(index, None, None, "its header is overwritten")
    first, last, first_id, last_id, used, data_checksum, flags, checksum = _CHUNK.unpack_from(
        content, at
    )
    checksummed = not flags & _NO_CHECKSUM
    view = memoryview(content)[at : at + CHUNK_BYTES]
    header = zlib.crc32(view[128:_CHUNK_HEADER_BYTES], zlib.crc32(view[:120]))
    if checksummed and header != checksum:
        return EvtxChunk(index, None, None, "the checksum of its header does not match")
    if _NO_RECORDS in (last, last_id) or last_id < first_id or last < first:
        return None
    fault = None
    if not _CHUNK_HEADER_BYTES <= used <= CHUNK_BYTES:
        fault = "its length is impossible"
    elif checksummed and zlib.crc32(view[_CHUNK_HEADER_BYTES:used]) != data_checksum:
        fault = "the checksum of its records does not match"
    return EvtxChunk(index, first_id, last_id, fault, first, last, checksummed, used)


def _tell_file(audit: EvtxAudit, last_id: int, tally: ProblemTally) -> None:
    if not audit.header_sound:
        tally.tell(
            "The checksum of the file header does not match, so how many records the log had is"
            " unknown.",
            damage=True,
        )
    if audit.partial_tail_bytes:
        tally.tell(
            f"The file ends inside a chunk, so the records in its last {audit.partial_tail_bytes}"
            " bytes and all after them are unknown.",
            damage=True,
        )
    if audit.promised_id > last_id:
        tally.tell(
            f"The file header knows of record {audit.promised_id}, so the records after {last_id}"
            " are missing.",
            damage=True,
        )
    if audit.dirty:
        tally.tell(
            "The log was copied while it was open, so whether records at its end are missing is"
            " unknown.",
            damage=False,
        )


def _tell_chunks(chunks: tuple[EvtxChunk, ...], tally: ProblemTally) -> None:
    for chunk in chunks:
        if chunk.fault is None:
            continue
        held = "its records are unknown"
        if chunk.first_id is not None:
            held = f"its records {chunk.first_id} to {chunk.last_id} are unknown"
        tally.tell(f"Chunk {chunk.index + 1} is damaged ({chunk.fault}), so {held}.", damage=True)
    unchecked = sum(not chunk.checksummed for chunk in chunks)
    if unchecked:
        tally.tell(
            f"{unchecked} of {len(chunks)} chunks carry no checksum, so damage in them would go"
            " unseen.",
            damage=False,
        )
