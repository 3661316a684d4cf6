"""What the firmware itself reports by ACPI's FPDT, to OS records: a boot, the last S3 resume.

ACPI 6.5, 5.2.24: the firmware notes its times in nanoseconds. Broken firmware gives hours (a
counter that was not reset over S3), or raw ticks of some counter, which look far too short or too
long. The records have no time of day and no number. Read are the tables, and the values that Linux
makes of them in /sys, with suspend_stats of debugfs, as text.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Component, ComponentKind, Figure, OsRecord, SleepKind
from resume_rig.model.units import NS_PER_MS, NS_PER_S
from resume_rig.oslog.source.lines import KERNEL, LogLines, head_lines
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import (
    BARE_RECORD,
    UINT64_MAX,
    SourceReading,
    SourceRequest,
    parse_whole,
)

LONGEST_NS: Final = 600 * NS_PER_S
"""No firmware takes 10 minutes."""

SHORTEST_NS: Final = 5_000_000
"""No firmware resumes a PC in less than 5 ms: such numbers are ticks, not nanoseconds."""


@dataclass(frozen=True, slots=True)
class FirmwareTimes:
    """What the firmware reports of one S3 sleep; None where it reports nothing sane."""

    suspend_ns: int | None = None
    resume_ns: int | None = None

    @property
    def resume_ms(self) -> int | None:
        """The resume in whole milliseconds, rounded to the nearest."""
        return None if self.resume_ns is None else (self.resume_ns + NS_PER_MS // 2) // NS_PER_MS

    def figures(self) -> list[tuple[str, float | None]]:
        """Return names and values of both, in milliseconds."""
        return [
            ("firmware_suspend_ms", _ms(self.suspend_ns)),
            ("firmware_resume_ms", _ms(self.resume_ns)),
        ]


def sane_resume_ns(value_ns: int) -> tuple[int | None, str]:
    """Return a firmware's resume time, or None and the sentence why not.

    0 means "not reported" and needs no sentence.
    """
    if value_ns == 0:
        return None, ""
    if value_ns > LONGEST_NS:
        return None, (
            "A firmware resume time is longer than 10 minutes and counts as not reported."
        )
    if value_ns < SHORTEST_NS:
        return None, (
            "A firmware resume time is shorter than 5 ms, as ticks taken for nanoseconds are, and"
            " counts as not reported."
        )
    return value_ns, ""


def sane_suspend_ns(value_ns: int) -> tuple[int | None, str]:
    """Return a firmware's suspend time, or None and the sentence why not."""
    if value_ns > LONGEST_NS:
        return None, (
            "A firmware suspend time is longer than 10 minutes and counts as not reported."
        )
    return value_ns or None, ""


def _ms(value_ns: int | None) -> float | None:
    return None if value_ns is None else value_ns / NS_PER_MS


FirmwareValues = dict[str, int]
"""Values by name; times in ns: firmware_start (of Linux) or reset end, load, launch, exit_start,
exit_end; resume_count, resume, resume_average; suspend_start, suspend_end."""

_BOOT_ORDER: Final = ("firmware_start", "load", "launch", "exit_start", "exit_end")
_BOOT_PHASES: Final = (
    ("firmware until the loader is read", "firmware_start", "load"),
    ("reading the loader", "load", "launch"),
    ("loader until ExitBootServices", "launch", "exit_start"),
    ("ExitBootServices", "exit_start", "exit_end"),
)


class FirmwareAccount:
    """Collects values; `records` makes what they allow."""

    def __init__(self, tally: ProblemTally) -> None:
        self._tally = tally
        self._values: FirmwareValues = {}

    @property
    def reported(self) -> bool:
        """Whether there is any value."""
        return bool(self._values)

    def take(self, values: FirmwareValues) -> None:
        """Add values; the first of a name counts."""
        for name, value in values.items():
            self._values.setdefault(name, value)

    def records(self, source: int) -> tuple[OsRecord, ...]:
        """Return the boot and the last S3 resume, as far as they are reported."""
        found = [self._boot(source), self._resume(source)]
        return tuple(record for record in found if record is not None)

    def _boot(self, source: int) -> OsRecord | None:
        times = {name: self._values[name] for name in _BOOT_ORDER if self._values.get(name)}
        if not times:
            return None
        given = [times[name] for name in _BOOT_ORDER if name in times]
        if max(given) > LONGEST_NS:
            self._report("A boot time is longer than 10 minutes; the boot counts as not reported.")
            times = {}
        elif given != sorted(given):
            self._report("The boot times are out of order; the boot counts as not reported.")
            times = {}
        phases = tuple(
            Component(
                ComponentKind.PHASE,
                name,
                "",
                (times[end] - times[start]) / NS_PER_MS,
                times[start] / NS_PER_MS,
            )
            for name, start, end in _BOOT_PHASES
            if start in times and end in times
        )
        figures = tuple(Figure(f"{name}_ms", value / NS_PER_MS) for name, value in times.items())
        return replace(
            BARE_RECORD, source=source, kind=SleepKind.BOOT, components=phases, figures=figures
        )

    def _resume(self, source: int) -> OsRecord | None:
        values = self._values
        if not values.get("resume_count"):
            return None
        times = FirmwareTimes(
            self._sane(sane_suspend_ns(self._suspend_ns())),
            self._sane(sane_resume_ns(values.get("resume", 0))),
        )
        average_ns = self._sane(sane_resume_ns(values.get("resume_average", 0)))
        figures = [Figure(name, value) for name, value in times.figures() if value is not None]
        if average_ns is not None:
            figures.append(Figure("firmware_resume_average_ms", average_ns / NS_PER_MS))
        return replace(
            BARE_RECORD,
            source=source,
            kind=SleepKind.S3,
            figures=tuple(figures),
            firmware_resume_ms=times.resume_ms,
            firmware_resume_count=values["resume_count"],
        )

    def _suspend_ns(self) -> int:
        start_ns, end_ns = self._values.get("suspend_start"), self._values.get("suspend_end")
        if start_ns is None or end_ns is None:
            return 0
        if end_ns < start_ns:
            self._report("The suspend ends before it starts and counts as not reported.")
            return 0
        return end_ns - start_ns

    def _sane(self, judged: tuple[int | None, str]) -> int | None:
        value_ns, why_not = judged
        if why_not:
            self._report(why_not)
        return value_ns

    def _report(self, sentence: str) -> None:
        self._tally.report(sentence, damage=False)


KIND: Final = "acpi-fpdt"

_SIZE_LIMIT_BYTES: Final = 1 << 20
_TABLE_HEAD: Final = struct.Struct("<4sI")
_ACPI_HEAD: Final = struct.Struct("<4sIBB6s8sI4sI")
_RECORD_HEAD: Final = struct.Struct("<HBB")
_BOOT: Final = struct.Struct("<4xQQQQQ")
_RESUME: Final = struct.Struct("<IQQ")
_SUSPEND: Final = struct.Struct("<QQ")
_RESUME_NAMES: Final = ("resume_count", "resume", "resume_average")
_SUSPEND_NAMES: Final = ("suspend_start", "suspend_end")
_NAMES: Final = (b"FPDT", b"FBPT", b"S3PT")
_POINTERS: Final[Mapping[int, str]] = {0: "boot_table", 1: "s3_table"}


@dataclass(frozen=True, slots=True)
class _Record:
    table: bytes
    kind: int
    body: bytes


def is_fpdt_table(head: bytes) -> bool:
    """Whether a file that begins so is one of the three tables."""
    if len(head) < _TABLE_HEAD.size:
        return False
    name, length = _TABLE_HEAD.unpack_from(head)
    return name in _NAMES and _TABLE_HEAD.size <= length <= _SIZE_LIMIT_BYTES


def read_fpdt_table(request: SourceRequest) -> SourceReading:
    """Return a boot and an S3 resume, where the tables hold them.

    They are FPDT, FBPT and S3PT. `/sys/firmware/acpi/tables/FPDT` only points to the other two; a
    dump may hold them one after another. FPDT has a checksum; FBPT and S3PT have none.

    Raises:
        RecordError: the file is larger than 1 MiB.
    """
    with request.path.open("rb") as file:
        data = file.read(_SIZE_LIMIT_BYTES + 1)
    if len(data) > _SIZE_LIMIT_BYTES:
        raise RecordError(
            f"could not read {request.path}: found an ACPI table of more than 1 MiB,"
            " allowed are 1 MiB; a real one has some hundred bytes"
        )
    tally = ProblemTally()
    account = FirmwareAccount(tally)
    identity: dict[str, str] = {}
    count = 0
    for record in _records(data, tally, identity):
        count += 1
        _take(record, account, tally, identity)
    if not account.reported:
        tally.report(
            "The table only points to the firmware's times and holds none of them;"
            " /sys/firmware/acpi/fpdt has them.",
            damage=False,
        )
    records = account.records(request.source)
    return request.answer(
        records, KIND, tally.integrity(), count=count, identity=tuple(identity.items())
    )


def _records(data: bytes, tally: ProblemTally, identity: dict[str, str]) -> Iterator[_Record]:
    offset = 0
    while offset + _TABLE_HEAD.size <= len(data):
        name, length = _TABLE_HEAD.unpack_from(data, offset)
        if name not in _NAMES or length < _TABLE_HEAD.size:
            tally.report("Bytes behind the tables were not understood.", damage=True)
            return
        table = data[offset : offset + length]
        shown = name.decode("ascii")
        if len(table) < length:
            tally.report(
                f"The table {shown} ends too early: {len(table)} of {length} bytes.", damage=True
            )
        start = _TABLE_HEAD.size
        if name == b"FPDT":
            if len(table) < _ACPI_HEAD.size:
                return
            start = _ACPI_HEAD.size
            if len(table) == length and sum(table) % 256:
                tally.report(
                    "The checksum of FPDT does not match, so its values are doubtful.", damage=True
                )
            fields = _ACPI_HEAD.unpack_from(table)
            identity["fpdt_oem_id"] = _text(fields[4])
            identity["fpdt_oem_table_id"] = _text(fields[5])
        yield from _records_of(name, table[start:], tally)
        offset += length


def _records_of(name: bytes, body: bytes, tally: ProblemTally) -> Iterator[_Record]:
    offset = 0
    while offset + _RECORD_HEAD.size <= len(body):
        kind, length, _revision = _RECORD_HEAD.unpack_from(body, offset)
        if length < _RECORD_HEAD.size or offset + length > len(body):
            tally.report(
                f"A record of {name.decode('ascii')} has a length that does not fit;"
                " what follows is unknown.",
                damage=True,
            )
            return
        yield _Record(name, kind, body[offset + _RECORD_HEAD.size : offset + length])
        offset += length


def _take(
    record: _Record, account: FirmwareAccount, tally: ProblemTally, identity: dict[str, str]
) -> None:
    values: FirmwareValues = {}
    match record.table, record.kind, len(record.body):
        case b"FPDT", 0 | 1 as kind, size if size >= 12:
            identity[_POINTERS[kind]] = f"0x{int.from_bytes(record.body[4:12], 'little'):x}"
        case b"FBPT", 2, size if size >= _BOOT.size:
            values = dict(zip(_BOOT_ORDER, _BOOT.unpack_from(record.body), strict=True))
        case b"S3PT", 0, size if size >= _RESUME.size:
            values = dict(zip(_RESUME_NAMES, _RESUME.unpack_from(record.body), strict=True))
        case b"S3PT", 1, size if size >= _SUSPEND.size:
            values = dict(zip(_SUSPEND_NAMES, _SUSPEND.unpack_from(record.body), strict=True))
        case (b"FPDT", 0 | 1, _) | (b"FBPT", 2, _) | (b"S3PT", 0 | 1, _):
            tally.report(
                f"A record of {record.table.decode('ascii')} is too short and was not used.",
                damage=True,
            )
        case _:
            pass  # other record types belong to the vendor
    account.take(values)


def _text(raw: bytes) -> str:
    return raw.decode("ascii", errors="replace").strip("\0 ")


SYSFS_KIND: Final = "linux-sysfs"

_LINE: Final = re.compile(r"\s{0,16}(?:[\w.\-/]{1,200}/)?([a-z_]{3,40}) ?[:= ]\s{0,16}(.{0,200})$")
_COUNTS: Final = (
    "success",
    "fail",
    *(
        f"failed_{step}"
        for step in (
            *("freeze", "prepare", "suspend", "suspend_late", "suspend_noirq"),
            *("resume", "resume_early", "resume_noirq"),
        )
    ),
)
_LAST: Final = ("last_failed_dev", "last_failed_errno", "last_failed_step")
_HARDWARE: Final = ("last_hw_sleep", "total_hw_sleep", "max_hw_sleep")
_STATS: Final = frozenset({*_COUNTS, *_LAST, *_HARDWARE})
# drivers/acpi/acpi_fpdt.c names the files.
_FIRMWARE: Final[Mapping[str, str]] = {
    "firmware_start_ns": "firmware_start",
    "bootloader_load_ns": "load",
    "bootloader_launch_ns": "launch",
    "exitbootservice_start_ns": "exit_start",
    "exitbootservice_end_ns": "exit_end",
    "resume_count": "resume_count",
    "resume_prev_ns": "resume",
    "resume_avg_ns": "resume_average",
    "suspend_start_ns": "suspend_start",
    "suspend_end_ns": "suspend_end",
}


def is_sysfs_values(head: bytes) -> bool:
    """Whether a file that begins so holds these values."""
    lines = head_lines(head)
    named = [found for line in lines if (found := _named(line)) is not None]
    firmware = sum(name in _FIRMWARE for name, _ in named)
    stats = {name for name, _ in named if name in _STATS}
    return (firmware > 0 or {"success", "fail"} <= stats) and len(named) * 2 >= len(lines)


def read_sysfs_values(request: SourceRequest) -> SourceReading:
    """Return the firmware's account of a boot and of the last S3 resume, where there is one.

    The file is debugfs's, or a directory tree written as `PATH:VALUE` lines, as `grep -r .
    DIRECTORY` prints it (`PATH=VALUE` and `PATH VALUE` too). suspend_stats counts sleeps and times
    none: its values are the source's identity.

    Raises:
        RecordError: it is a gzip archive that expands beyond measure.
    """
    tally = ProblemTally()
    account = FirmwareAccount(tally)
    stats: dict[str, str] = {}
    count = unreadable = 0
    for line in LogLines(request.path, tally, KERNEL):
        if (named := _named(line)) is None:
            continue
        name, value = named
        if name not in _STATS and name not in _FIRMWARE:
            if _whole(value) is not None:
                tally.not_understood("values of suspend_stats and FPDT", line)
            continue
        count += 1
        if name in _LAST:
            stats.setdefault(f"suspend_{name}", value)
            continue
        number = _whole(value)
        if number is None:
            unreadable += 1
        elif name in _FIRMWARE:
            account.take({_FIRMWARE[name]: number})
        else:
            unit = "_us" if name in _HARDWARE else ""
            stats.setdefault(f"suspend_{name}{unit}", str(number))
    tally.report_count(
        "Values that are no whole numbers: {}; they count as not reported.", unreadable, damage=True
    )
    if stats:
        _report_counts(stats, tally)
    records = account.records(request.source)
    return request.answer(
        records, SYSFS_KIND, tally.integrity(), count=count, identity=tuple(stats.items())
    )


def _report_counts(stats: Mapping[str, str], tally: ProblemTally) -> None:
    failed, succeeded = stats.get("suspend_fail", "?"), stats.get("suspend_success", "?")
    device = stats.get("suspend_last_failed_dev", "")
    last = f", the last one because of {device}" if device and failed != "0" else ""
    tally.report(
        f"suspend_stats counts sleeps and times none: {succeeded} succeeded, {failed}"
        f" failed{last}.",
        damage=False,
    )


def _named(line: str) -> tuple[str, str] | None:
    match = _LINE.match(line)
    if match is None:
        return None
    return match[1], match[2].strip()


def _whole(value: str) -> int | None:
    try:
        return parse_whole(value, UINT64_MAX)
    except RecordError:
        return None
