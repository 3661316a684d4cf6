"""ACPI's firmware performance data tables as files: FPDT, FBPT and S3PT (ACPI 6.5, 5.2.24).

`/sys/firmware/acpi/tables/FPDT` only points to the other two; a dump may hold them one after
another. FPDT has a checksum; FBPT and S3PT have none.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogSource
from resume_rig.oslog.linux.firmware_records import FirmwareAccount, FirmwareValues
from resume_rig.oslog.problems import ProblemTally
from resume_rig.oslog.source_reading import SourceReading, SourceRequest

KIND: Final = "acpi-fpdt"

_SIZE_LIMIT_BYTES: Final = 1 << 20
_TABLE_HEAD: Final = struct.Struct("<4sI")
_ACPI_HEAD: Final = struct.Struct("<4sIBB6s8sI4sI")
_RECORD_HEAD: Final = struct.Struct("<HBB")
_BOOT: Final = struct.Struct("<4xQQQQQ")
_RESUME: Final = struct.Struct("<IQQ")
_SUSPEND: Final = struct.Struct("<QQ")
_BOOT_NAMES: Final = ("firmware_start", "load", "launch", "exit_start", "exit_end")
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
    """Return a boot and an S3 resume, where the tables tell of them.

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
    if not account.told:
        tally.tell(
            "The table only points to the firmware's times and holds none of them;"
            " /sys/firmware/acpi/fpdt has them.",
            damage=False,
        )
    records = account.records(request.source)
    source = LogSource(
        path=str(request.path),
        kind=KIND,
        os_build=None,
        records=count,
        integrity=tally.integrity(),
        identity=tuple(identity.items()),
    )
    return SourceReading(source, records)


def _records(data: bytes, tally: ProblemTally, identity: dict[str, str]) -> Iterator[_Record]:
    offset = 0
    while offset + _TABLE_HEAD.size <= len(data):
        name, length = _TABLE_HEAD.unpack_from(data, offset)
        if name not in _NAMES or length < _TABLE_HEAD.size:
            tally.tell("Bytes behind the tables were not understood.", damage=True)
            return
        table = data[offset : offset + length]
        shown = name.decode("ascii")
        if len(table) < length:
            tally.tell(
                f"The table {shown} ends too early: {len(table)} of {length} bytes.", damage=True
            )
        start = _TABLE_HEAD.size
        if name == b"FPDT":
            if len(table) < _ACPI_HEAD.size:
                return
            start = _ACPI_HEAD.size
            if len(table) == length and sum(table) % 256:
                tally.tell(
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
            tally.tell(
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
            values = dict(zip(_BOOT_NAMES, _BOOT.unpack_from(record.body), strict=True))
        case b"S3PT", 0, size if size >= _RESUME.size:
            values = dict(zip(_RESUME_NAMES, _RESUME.unpack_from(record.body), strict=True))
        case b"S3PT", 1, size if size >= _SUSPEND.size:
            values = dict(zip(_SUSPEND_NAMES, _SUSPEND.unpack_from(record.body), strict=True))
        case (b"FPDT", 0 | 1, _) | (b"FBPT", 2, _) | (b"S3PT", 0 | 1, _):
            tally.tell(
                f"A record of {record.table.decode('ascii')} is too short and was not used.",
                damage=True,
            )
        case _:
            pass  # other record types belong to the vendor
    account.take(values)


def _text(raw: bytes) -> str:
    return raw.decode("ascii", errors="replace").strip("\0 ")
