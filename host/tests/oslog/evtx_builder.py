"""EVTX files made of a few records, byte by byte, for the tests of the EVTX reader."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

CHUNK = 65536
RECORDS = 512
NULL, STRING, UINT8, UINT16, UINT32, UINT64 = 0x00, 0x01, 0x04, 0x06, 0x08, 0x0A
GUID, FILETIME, SID, HEX64, BINXML = 0x0F, 0x11, 0x13, 0x15, 0x21
EVENTS = "http://schemas.microsoft.com/win/2004/08/events/event"
SERVICE = bytes.fromhex("010100000000000512000000")


@dataclass(frozen=True)
class Field:
    """One value of EventData: its name, its type and its bytes."""

    name: str
    value_type: int
    value: bytes


@dataclass(frozen=True)
class Record:
    """One event as the builder takes it."""

    provider: str
    guid: bytes
    event_id: int
    fields: tuple[Field, ...]
    version: int = 1
    written: int = 133_000_000_000_000_000
    literal_provider: bool = False
    prefixed_data: bool = False


class ChunkBuilder:
    """Lays records out as the event log service does: names and templates once a chunk."""

    def __init__(self, first_id: int = 1) -> None:
        self._bytes = bytearray(RECORDS)
        self._names: dict[str, int] = {}
        self._templates: dict[object, int] = {}
        self._first = self._next = first_id

    def add(self, record: Record) -> bool:
        """Append a record; False, and nothing done, where the chunk is full."""
        before = len(self._bytes), dict(self._names), dict(self._templates)
        place = len(self._bytes)
        self._bytes += struct.pack("<IIQQ", 0x2A2A, 0, self._next, record.written)
        self._bytes += b"\x0f\x01\x01\x00"
        self._event(record)
        self._bytes += b"\0"
        self._bytes += bytes(-(len(self._bytes) + 4) % 8)
        size = len(self._bytes) + 4 - place
        self._bytes += struct.pack("<I", size)
        if len(self._bytes) > CHUNK:
            del self._bytes[before[0] :]
            self._names, self._templates = before[1], before[2]
            return False
        struct.pack_into("<I", self._bytes, place + 4, size)
        self._next += 1
        return True

    def chunk(self) -> bytes:
        """Return the 64 KiB with true checksums."""
        used = len(self._bytes)
        chunk = bytearray(bytes(self._bytes).ljust(CHUNK, b"\0"))
        last = self._next - 1
        struct.pack_into("<8sQQQQII", chunk, 0, b"ElfChnk\0", *([self._first, last] * 2), 128, 0)
        struct.pack_into("<II", chunk, 48, used, zlib.crc32(chunk[RECORDS:used]))
        struct.pack_into("<I", chunk, 124, zlib.crc32(chunk[:120] + chunk[128:RECORDS]))
        return bytes(chunk)

    def _event(self, record: Record) -> None:
        key = ("event", record.literal_provider and (record.provider, record.guid))
        self._use(key, lambda: self._event_text(record))
        data = self._data(record, self._values_at(record))
        values = self._system(record, data)
        self._put_values(values[:17])
        # The embedded template was laid out for the place where it now stands.
        self._bytes += data

    def _values_at(self, record: Record) -> int:
        """Return where the embedded template will stand: behind the 18 values' table and 17."""
        return (
            len(self._bytes) + 4 + 18 * 4 + sum(len(v) for _, v in self._system(record, b"")[:17])
        )

    def _system(self, record: Record, data: bytes) -> list[tuple[int, bytes]]:
        name = record.provider.encode("utf-16-le")
        return [
            (UINT8, b"\4"),
            (UINT8, b"\0"),
            (UINT16, b"\0\0"),
            (UINT16, struct.pack("<H", record.event_id)),
            (NULL, b"\0\0"),
            (HEX64, bytes(8)),
            (FILETIME, struct.pack("<Q", record.written)),
            (NULL, b""),
            (UINT32, b"\4\0\0\0"),
            (UINT32, b"\10\0\0\0"),
            (UINT64, struct.pack("<Q", self._next)),
            (UINT8, bytes([record.version])),
            (SID, SERVICE),
            (NULL, b""),
            (STRING, name),
            (GUID, record.guid),
            (STRING, "System".encode("utf-16-le")),
            (BINXML, data),
        ]

    def _data(self, record: Record, place: int) -> bytes:
        """Return the embedded EventData as it stands at `place`."""
        kept = self._bytes
        self._bytes = bytearray(kept.ljust(place, b"\0"))
        if record.prefixed_data:
            self._bytes += b"\x0f\x01\x01\x00"
        key = ("data", tuple((field.name, field.value_type) for field in record.fields))
        self._use(key, lambda: self._data_text(record))
        values = [(field.value_type, field.value) for field in record.fields]
        self._put_table(values)
        self._bytes += b"".join(value for _, value in values) + b"\0"
        data, self._bytes = bytes(self._bytes[place:]), kept
        self._put_table([*self._system(record, b"")[:17], (BINXML, data)])
        return data

    def _put_table(self, values: Sequence[tuple[int, bytes]]) -> None:
        self._bytes += struct.pack("<I", len(values))
        for value_type, value in values:
            self._bytes += struct.pack("<HBB", len(value), value_type, 0)

    def _put_values(self, values: Sequence[tuple[int, bytes]]) -> None:
        self._bytes += b"".join(value for _, value in values)

    def _use(self, key: object, text: object) -> None:
        """Begin an instance of a template, defined here where it is used first."""
        place = self._templates.get(key)
        at = len(self._bytes) + 10
        self._bytes += struct.pack("<BBII", 0x0C, 1, hash(key) & 0xFFFFFFFF, place or at)
        if place is None:
            self._templates[key] = at
            identity = zlib.crc32(repr(key).encode())
            self._bytes += struct.pack("<I16sI", 0, struct.pack("<IIII", *[identity] * 4), 0)
            begin = len(self._bytes)
            self._bytes += b"\x0f\x01\x01\x00"
            assert callable(text)
            text()
            self._bytes += b"\0"
            struct.pack_into("<I", self._bytes, begin - 4, len(self._bytes) - begin)

    def _name(self, name: str) -> None:
        place = self._names.get(name)
        at = len(self._bytes) + 4
        self._bytes += struct.pack("<I", place or at)
        if place is None:
            self._names[name] = at
            self._bytes += struct.pack("<IHH", 0, 0, len(name)) + name.encode("utf-16-le") + b"\0\0"

    def _open(self, name: str, attributes: Sequence[tuple[str, bytes]], dependency: int) -> int:
        """Begin an element and return where its size belongs."""
        self._bytes += struct.pack("<BH", 0x41 if attributes else 0x01, dependency)
        size_at = len(self._bytes)
        self._bytes += bytes(4)
        self._name(name)
        if attributes:
            begin = len(self._bytes)
            self._bytes += bytes(4)
            for index, (key, value) in enumerate(attributes):
                self._bytes.append(0x06 if index + 1 == len(attributes) else 0x46)
                self._name(key)
                self._bytes += value
            struct.pack_into("<I", self._bytes, begin, len(self._bytes) - begin - 4)
        return size_at

    def _close(self, size_at: int, token: int) -> None:
        self._bytes.append(token)
        struct.pack_into("<I", self._bytes, size_at, len(self._bytes) - size_at - 4)

    def _element(
        self, name: str, content: bytes, *attributes: tuple[str, bytes], dependency: int = 0xFFFF
    ) -> None:
        size_at = self._open(name, attributes, dependency)
        if content:
            self._bytes += b"\2" + content
        self._close(size_at, 4 if content else 3)

    def _event_text(self, record: Record) -> None:
        provider = (("Name", _place(14, STRING)), ("Guid", _place(15, GUID)))
        if record.literal_provider:
            provider = (("Name", _literal(record.provider)), ("Guid", _literal("{}")))
        event = self._open("Event", [("xmlns", _literal(EVENTS))], 17)
        self._bytes += b"\2"
        system = self._open("System", (), 0xFFFF)
        self._bytes += b"\2"
        self._element("Provider", b"", *provider)
        self._element("EventID", _place(3, UINT16), ("Qualifiers", _place(4, UINT16)), dependency=3)
        for name, index, value_type in (
            ("Version", 11, UINT8),
            ("Level", 0, UINT8),
            ("Task", 2, UINT16),
            ("Opcode", 1, UINT8),
            ("Keywords", 5, HEX64),
        ):
            self._element(name, _place(index, value_type), dependency=index)
        self._element("TimeCreated", b"", ("SystemTime", _place(6, FILETIME)))
        self._element("EventRecordID", _place(10, UINT64), dependency=10)
        self._element(
            *("Execution", b""), ("ProcessID", _place(8, UINT32)), ("ThreadID", _place(9, UINT32))
        )
        self._element("Channel", _place(16, STRING), dependency=16)
        self._element("Computer", _literal("DUT"))
        self._element("Security", b"", ("UserID", _place(12, SID)))
        self._close(system, 4)
        self._bytes += _place(17, BINXML)
        self._close(event, 4)

    def _data_text(self, record: Record) -> None:
        event_data = self._open("EventData", (), 0xFFFF)
        self._bytes += b"\2"
        for index, field in enumerate(record.fields):
            place = b"\x0d" + struct.pack("<HB", index, field.value_type)
            self._element("Data", place, ("Name", _literal(field.name)))
        self._close(event_data, 4)


def _place(index: int, value_type: int) -> bytes:
    return struct.pack("<BHB", 0x0E, index, value_type)


def _literal(text: str) -> bytes:
    return struct.pack("<BBH", 0x05, STRING, len(text)) + text.encode("utf-16-le")


def evtx_file(chunks: Sequence[bytes], next_id: int) -> bytes:
    """Return a whole file with a true header."""
    head = struct.pack(
        *("<8sQQQIHHHH", b"ElfFile\0", 0, len(chunks) - 1, next_id, 128, 1, 3, 4096, len(chunks))
    ).ljust(120, b"\0")
    head += struct.pack("<II", 0, zlib.crc32(head))
    return head.ljust(4096, b"\0") + b"".join(chunks)
