"""The one form of ZIP file that a bundle is: every reader finds the same files in it.

ZIP readers disagree where an archive leaves them a choice: a stream starts at byte 0, Java and
Python start at the end, some believe the local header and some the directory. So a bundle has no
choice: files one after another from byte 0, their headers as this module writes them, the directory
right behind, the end record at the end. What is read is written again, and compared byte by byte.

No ZIP64, no comment, no extra field, no encryption, one way of packing, one date.
"""

import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

BYTES_MOST: Final = 2**32 - 2
"""Of an archive, and of what is in it: more needs ZIP64."""

FILES_MOST: Final = 500
_CHUNK: Final = 1024**2
_NAME_MOST: Final = 64
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_VERSION: Final = 20  # Deflate
_UNIX: Final = 3 << 8
_DEFLATED: Final = 8
_DATE: Final = 0x21  # 1980-01-01, so that the same evidence gives the same bytes
_MODE: Final = (stat.S_IFREG | 0o644) << 16


class NotCanonical(Exception):
    """The file is no archive of this form, or is damaged; the text says how."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive.

    Attributes:
        name: ASCII. at: offset of its header. packed_bytes, size_bytes: packed, and unpacked.
    """

    name: str
    at: int
    crc: int = 0
    packed_bytes: int = 0
    size_bytes: int = 0

    @property
    def data_at(self) -> int:
        """Offset of its packed bytes."""
        return self.at + _LOCAL.size + len(self.name)

    @property
    def end(self) -> int:
        """Offset of what follows it."""
        return self.data_at + self.packed_bytes

    def local(self) -> bytes:
        """Return the header before its bytes."""
        fields = (_VERSION, 0, _DEFLATED, 0, _DATE, self.crc, self.packed_bytes, self.size_bytes)
        return _LOCAL.pack(b"PK\3\4", *fields, len(self.name), 0) + self.name.encode("ascii")

    def central(self) -> bytes:
        """Return its row of the directory."""
        fields = (_DEFLATED, 0, _DATE, self.crc, self.packed_bytes, self.size_bytes)
        head = _CENTRAL.pack(
            *(b"PK\1\2", _UNIX | _VERSION, _VERSION, 0, *fields),
            *(len(self.name), 0, 0, 0, 0, _MODE, self.at),
        )
        return head + self.name.encode("ascii")


def _end_record(entries: Sequence[Entry]) -> bytes:
    count, size = len(entries), sum(len(entry.central()) for entry in entries)
    at = entries[-1].end if entries else 0
    return _END.pack(b"PK\5\6", 0, 0, count, count, size, at, 0)


def write_archive(stream: IO[bytes], folder: Path, names: Sequence[str]) -> None:
    """Write files of a folder as an archive, in this order.

    Raises:
        OverflowError: they are larger than an archive can be.
    """
    entries: list[Entry] = []
    for name in names:
        entry = _written(stream, folder / name, Entry(name, entries[-1].end if entries else 0))
        entries.append(entry)
    for entry in entries:
        stream.write(entry.central())
    stream.write(_end_record(entries))
    if stream.tell() > BYTES_MOST or sum(entry.size_bytes for entry in entries) > BYTES_MOST:
        raise OverflowError


def _written(stream: IO[bytes], path: Path, entry: Entry) -> Entry:
    stream.write(entry.local())
    packer, crc, size = zlib.compressobj(wbits=-zlib.MAX_WBITS), 0, 0
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            crc, size = zlib.crc32(chunk, crc), size + len(chunk)
            stream.write(packer.compress(chunk))
            if max(size, stream.tell()) > BYTES_MOST:
                raise OverflowError
    stream.write(packer.flush())
    packed = stream.tell() - entry.data_at
    done = replace(entry, crc=crc, packed_bytes=packed, size_bytes=size)
    stream.seek(entry.at)
    stream.write(done.local())
    stream.seek(done.end)
    return done


def read_entries(stream: IO[bytes]) -> tuple[Entry, ...]:
    """Return the files of an archive, from its beginning to its end.

    Raises:
        NotCanonical: it has another form, or its bytes are not all of these files.
        OSError: it cannot be read.
    """
    size = stream.seek(0, 2)
    if size > BYTES_MOST:
        raise NotCanonical(f"it is larger than {BYTES_MOST} bytes")
    end = _at(stream, size - _END.size, _END.size) if size >= _END.size else b""
    if not end.startswith(b"PK\5\6"):
        raise NotCanonical("it does not end as an archive does")
    _, _, _, _, count, length, directory_at, _ = _END.unpack(end)
    if count > FILES_MOST or length > FILES_MOST * (_CENTRAL.size + _NAME_MOST):
        raise NotCanonical(
            f"it has {count} files in a directory of {length} bytes; allowed are {FILES_MOST} files"
        )
    entries = tuple(_entries(_at(stream, directory_at, length)))
    place = 0
    for entry in entries:
        if entry.at != place:
            raise NotCanonical(f"there is something before {entry.name}, or files share bytes")
        if _at(stream, entry.at, len(entry.local())) != entry.local():
            raise NotCanonical(f"the header of {entry.name} is not the one in the directory")
        place = entry.end
    if place != directory_at or end != _end_record(entries) or place + length + len(end) != size:
        raise NotCanonical("there is something beside its files, or its end is not the file's end")
    return entries


def _entries(directory: bytes) -> Iterator[Entry]:
    names: set[str] = set()
    while directory:
        if len(directory) < _CENTRAL.size:
            raise NotCanonical("its directory is cut")
        fields = _CENTRAL.unpack_from(directory)
        crc, packed, size, name_length, at = *fields[7:11], fields[16]
        raw = directory[_CENTRAL.size : _CENTRAL.size + name_length]
        if not raw or len(raw) > _NAME_MOST or not (raw.isascii() and raw.decode().isprintable()):
            raise NotCanonical(f"{raw[:80]!r} is no name of a file in a bundle")
        entry = Entry(raw.decode(), at, crc, packed, size)
        if not directory.startswith(entry.central()):
            raise NotCanonical(f"the row of {entry.name} in its directory has another form")
        if entry.name in names:
            raise NotCanonical(f"it has {entry.name} twice")
        names.add(entry.name)
        directory = directory[len(entry.central()) :]
        yield entry


def _at(stream: IO[bytes], place: int, length: int) -> bytes:
    stream.seek(place)
    found = stream.read(length)
    if len(found) != length:
        raise NotCanonical("it is cut")
    return found


def content(stream: IO[bytes], entry: Entry) -> Iterator[bytes]:
    """Yield the bytes of a file, no more than its header says.

    Raises:
        NotCanonical: they are others than the header says, or there are more behind them.
    """
    wrong = NotCanonical(f"{entry.name} is damaged")
    unpacker, crc, left = zlib.decompressobj(-zlib.MAX_WBITS), 0, entry.size_bytes
    stream.seek(entry.data_at)
    packed_left, packed = entry.packed_bytes, b""
    try:
        while not unpacker.eof:
            if not packed:
                packed = stream.read(min(_CHUNK, packed_left))
                packed_left -= len(packed)
            # One byte more than is left shows that there is more.
            chunk = unpacker.decompress(packed, min(_CHUNK, left + 1))
            if not chunk and not packed and not unpacker.eof:
                raise wrong
            packed = unpacker.unconsumed_tail
            crc, left = zlib.crc32(chunk, crc), left - len(chunk)
            if left < 0:
                raise wrong
            yield chunk
    except zlib.error as error:
        raise wrong from error
    if left or packed_left or packed or unpacker.unused_data or crc != entry.crc:
        raise wrong
