"""An ETL file: its header, its buffers, and the events of chosen providers within them.

A file is a row of buffers, each of a header and of events, which stand at multiples of 8 bytes. The
first event of all is the file's header. Buffers belong to processors, so events are in no order of
time. Layouts: WMI_BUFFER_HEADER, TRACE_LOGFILE_HEADER, SYSTEM_TRACE_HEADER and EVENT_HEADER of the
Windows SDK and of Geoff Chappell's studies of the kernel. Buffers that a merge compressed are
counted and left out (docs/decisions/etl-own-reader.md).
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final
from uuid import UUID

from resume_rig.model.errors import RecordError
from resume_rig.model.units import NS_PER_S
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import ns_of_filetime

BUFFER_BYTES_MAX: Final = 16 << 20  # ETW's own limit, since Windows 8
PROVIDERS_MAX: Final = 4096

# size on the disk; the bytes that hold something, of which a compressed buffer has fewer; its type
_BUFFER: Final = struct.Struct("<I44xIHH16x")
_HEADER_TYPE: Final = 4
_NO_EVENT: Final = 0xFF  # what follows the last event of a buffer
# SYSTEM_TRACE_HEADER: version, type, marker, size, hook, thread, process, time, kernel, user
_SYSTEM: Final = struct.Struct("<HBBHHIIqII")
# EVENT_HEADER: size, type, marker, flags, property, thread, process, time, provider, then id,
# version, channel, level, opcode, task, keyword, processor time, activity
_EVENT: Final = struct.Struct("<HBBHHIIq16sHBBBBHQQ16s")
_START: Final = struct.Struct("<HBBH")
_EXTENDED: Final = struct.Struct("<HHHH")  # reserved, type, whether another follows, size
# TRACE_LOGFILE_HEADER up to its two pointers: buffer size, version, build, processors, end, timer
# resolution, greatest file size, mode, buffers, start buffers, pointer size, events lost, MHz
_LOGFILE: Final = struct.Struct("<IIIIqIIIIIIII")
_ZONE_BYTES: Final = 172
# boot, ticks a second, start, clock, buffers lost
_TIMES: Final = struct.Struct("<qqqII")

_OF_SYSTEM: Final = frozenset({1, 2, 3, 4, 16, 17})
_SYSTEM_TYPES: Final = frozenset({1, 2})
_EVENTS: Final = frozenset({18, 19})
_EXTENDED_INFO: Final = 0x1
_POINTERS_OF_4: Final = 0x20
_HOOK_OF_CONFIG_CPU: Final = 0x0B0A
_COMPUTER_NAME_AT: Final = 20
_COMPUTER_NAME_CHARS: Final = 256
_LONGEST_DAYS: Final = 366
_CLOCKS: Final = {1: "performance counter", 2: "system time", 3: "processor cycles"}
_SYSTEM_TIME: Final = 2
_PROCESSOR_CYCLES: Final = 3
_SYSTEM_TICKS_PER_S: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class TraceHeader:
    """What an ETL file reports of itself.

    Attributes:
        os_build: of the machine that was traced; None where it is 0.
        pointer_bytes: 4 or 8.
        start_utc_ns: of the trace.
        clock: what its times are read from; "unknown" for a number that has no name.
        ticks_per_s: of that clock.
        start_ticks: that clock at the start.
        events_lost, buffers_lost: as the session counted them.
    """

    os_build: int | None
    processors: int
    pointer_bytes: int
    start_utc_ns: int
    clock: str
    ticks_per_s: int
    start_ticks: int
    events_lost: int
    buffers_lost: int

    def utc_ns(self, ticks: int) -> int:
        """Return the wall time of a stamp, by the relation at the start."""
        return self.start_utc_ns + (ticks - self.start_ticks) * NS_PER_S // self.ticks_per_s


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event of a provider with a manifest.

    Attributes:
        provider: GUID in lower case, without braces.
        ticks: of the trace's clock.
        pointer_bytes: of its payload, 4 or 8.
        payload: its values, one after another.
    """

    provider: str
    event_id: int
    version: int
    ticks: int
    pointer_bytes: int
    payload: bytes


class TraceWalk:
    """Goes once through a file.

    Attributes:
        header: of the file.
        computer: name of the machine that was traced; empty where the trace has none.
        events: how many there are, of all providers.
        counts: events by the GUID of their provider, of those with a manifest.
        first_ticks, last_ticks: earliest and latest stamp; None without one.

    Args:
        path: of the file.
        wanted: whether an event is, by its provider's GUID as in the file and its number.
        tally: gets what is missing or damaged.

    Raises:
        RecordError: it is no ETL file.
        OSError: it cannot be read.
    """

    def __init__(
        self, path: Path, wanted: Callable[[bytes, int], bool], tally: ProblemTally
    ) -> None:
        self._path = path
        self._wanted = wanted
        self._tally = tally
        self.computer = ""
        self.events = 0
        self._counts: Counter[bytes] = Counter()
        self.first_ticks: int | None = None
        self.last_ticks: int | None = None
        self._compressed = self._damaged = 0
        with path.open("rb") as file:
            found = header_of(file.read(_BUFFER_AND_HEADER))
        if found is None:
            raise RecordError(f"could not read {path}: found no header of an ETL file")
        self.header = found

    @property
    def counts(self) -> Counter[str]:
        """Events by provider."""
        return Counter({str(UUID(bytes_le=guid)): n for guid, n in self._counts.items()})

    def __iter__(self) -> Iterator[TraceEvent]:
        """Yield the wanted events, in the order of the file."""
        with self._path.open("rb") as file:
            while (content := self._next_buffer(file)) is not None:
                yield from self._events_of(content)
        self._report()

    def _next_buffer(self, file: IO[bytes]) -> memoryview | None:
        """Return what a buffer holds, behind its header; None at the end of the file."""
        while True:
            begin = file.read(_BUFFER.size)
            if len(begin) < _BUFFER.size:
                self._damaged += bool(begin)
                return None
            size, used, *_ = _BUFFER.unpack(begin)
            if not _BUFFER.size <= size <= BUFFER_BYTES_MAX:
                # Where the next one begins is open.
                self._damaged += 1
                return None
            rest = file.read(size - _BUFFER.size)
            if len(rest) < size - _BUFFER.size:
                self._damaged += 1
            if used <= size:
                return memoryview(rest)[: max(0, used - _BUFFER.size)]
            self._compressed += 1

    def _events_of(self, content: memoryview) -> Iterator[TraceEvent]:
        at, end = 0, len(content)
        while at + 8 <= end:
            size, kind, marker, flags = _START.unpack_from(content, at)
            if marker == _NO_EVENT:
                return
            length = flags if kind in _OF_SYSTEM else size
            if length < 8 or at + length > end:
                self._damaged += 1
                return
            self.events += 1
            if kind in _EVENTS:
                event = self._event(content[at : at + length], flags)
                if event is not None:
                    yield event
            elif kind in _SYSTEM_TYPES and length >= _SYSTEM.size:
                self._take_system(content[at : at + length])
            at += (length + 7) & ~7

    def _event(self, event: memoryview, flags: int) -> TraceEvent | None:
        if len(event) < _EVENT.size:
            self._damaged += 1
            return None
        fields = _EVENT.unpack_from(event)
        ticks, guid, event_id, version = fields[7], fields[8], fields[9], fields[10]
        self._note_time(ticks)
        if guid in self._counts or len(self._counts) < PROVIDERS_MAX:
            self._counts[guid] += 1
        if not self._wanted(guid, event_id):
            return None
        payload_at = _payload_at(event) if flags & _EXTENDED_INFO else _EVENT.size
        if payload_at is None:
            self._damaged += 1
            return None
        return TraceEvent(
            str(UUID(bytes_le=guid)),
            event_id,
            version,
            ticks,
            4 if flags & _POINTERS_OF_4 else 8,
            bytes(event[payload_at:]),
        )

    def _take_system(self, event: memoryview) -> None:
        hook, ticks = _SYSTEM.unpack_from(event)[4], _SYSTEM.unpack_from(event)[7]
        self._note_time(ticks)
        if hook == _HOOK_OF_CONFIG_CPU and not self.computer:
            begin = _SYSTEM.size + _COMPUTER_NAME_AT
            name = bytes(event[begin : begin + 2 * _COMPUTER_NAME_CHARS])
            self.computer = name.decode("utf-16-le", "replace").partition("\0")[0]

    def _note_time(self, ticks: int) -> None:
        # Merged traces hold descriptions without a time of their own.
        longest = self.header.ticks_per_s * _LONGEST_DAYS * 24 * 3600
        if not 0 <= ticks - self.header.start_ticks <= longest:
            return
        if self.first_ticks is None or ticks < self.first_ticks:
            self.first_ticks = ticks
        if self.last_ticks is None or ticks > self.last_ticks:
            self.last_ticks = ticks

    def _report(self) -> None:
        report, lost = self._tally.report, self.header
        if self._compressed:
            report(
                f"{_buffers_are(self._compressed)} compressed and not read; record without"
                " -compress, or open the trace with Microsoft's tools.",
                damage=True,
            )
        if self._damaged:
            report(
                f"{_buffers_are(self._damaged)} damaged, so events may be missing.",
                damage=True,
            )
        if lost.events_lost or lost.buffers_lost:
            report(
                f"The session lost {lost.events_lost} events and {lost.buffers_lost} buffers while"
                " it recorded, so transitions may be missing or cut.",
                damage=True,
            )


def _buffers_are(count: int) -> str:
    return "1 buffer is" if count == 1 else f"{count} buffers are"


def _payload_at(event: memoryview) -> int | None:
    """Return where the values begin, behind items such as a stack; None where they lie outside."""
    at, more = _EVENT.size, 1
    while more & 1:
        if at + _EXTENDED.size > len(event):
            return None
        _, _, more, size = _EXTENDED.unpack_from(event, at)
        at += (_EXTENDED.size + size + 7) & ~7
    return at if at <= len(event) else None


_HEADER_AT: Final = _BUFFER.size + _SYSTEM.size
_BUFFER_AND_HEADER: Final = _HEADER_AT + _LOGFILE.size + 16 + _ZONE_BYTES + 4 + _TIMES.size


def header_of(head: bytes) -> TraceHeader | None:
    """Return the header of an ETL file that begins so; None for any other file."""
    if len(head) < _BUFFER_AND_HEADER:
        return None
    size, _, _, buffer_type = _BUFFER.unpack_from(head)
    _, kind, marker, _, hook, _, _, start_ticks, _, _ = _SYSTEM.unpack_from(head, _BUFFER.size)
    wrong = buffer_type != _HEADER_TYPE or kind not in _SYSTEM_TYPES or marker >> 4 != 0xC
    if wrong or hook != 0 or not _BUFFER.size <= size <= BUFFER_BYTES_MAX:
        return None
    return _logfile_header(head, start_ticks)


def _logfile_header(head: bytes, start_ticks: int) -> TraceHeader | None:
    fields = _LOGFILE.unpack_from(head, _HEADER_AT)
    build, processors = fields[2], fields[3]
    pointer_bytes, events_lost, mhz = fields[10], fields[11], fields[12]
    if pointer_bytes not in (4, 8):
        return None
    times_at = _HEADER_AT + _LOGFILE.size + 2 * pointer_bytes + _ZONE_BYTES
    _, ticks_per_s, start, clock, buffers_lost = _TIMES.unpack_from(head, (times_at + 7) & ~7)
    if clock == _SYSTEM_TIME:
        ticks_per_s = _SYSTEM_TICKS_PER_S
    elif clock == _PROCESSOR_CYCLES:
        ticks_per_s = mhz * 1_000_000
    start_ns = ns_of_filetime(start)
    if start_ns is None or not 0 < ticks_per_s < 1 << 48:
        return None
    return TraceHeader(
        build or None,
        processors,
        pointer_bytes,
        start_ns,
        _CLOCKS.get(clock, "unknown"),
        ticks_per_s,
        start_ticks,
        events_lost,
        buffers_lost,
    )
