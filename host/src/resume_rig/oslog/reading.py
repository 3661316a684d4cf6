"""Log files of any kind to a LogReading; a new reader adds one line to the families here.

The kind is recognised by content, and a reader's module is loaded when it is its turn. Files that
are certainly no log are refused before any reader is asked: a campaign store and an archive may
hold Event XML, and a reader of text would find events there.
"""

import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    KINDS,
    NO_SLEEPS,
    Integrity,
    LogReading,
    LogSource,
    OsRecord,
    SleepKind,
)
from resume_rig.oslog.event.delays import with_delays
from resume_rig.oslog.source.lines import NO_DECLARATION, encoding_of, has_declaration
from resume_rig.oslog.source.records import SourceReading, SourceRequest

_STORE_ID_AT: Final = 68
STORE_ID: Final = b"RRIG"
"""SQLite's application id of a campaign store."""

_SQLITE: Final = b"SQLite format 3\0"
_SIGNATURES: Final[Mapping[bytes, str]] = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"PK\x03\x04": "a ZIP archive",
    b"%PDF": "a PDF document",
    _SQLITE: "an SQLite file",
    b"\x7fELF": "an ELF program",
}


def is_sqlite(head: bytes) -> bool:
    """Return whether a file is SQLite's, as stores are, from its beginning."""
    return head.startswith(_SQLITE)


def is_store(head: bytes) -> bool:
    """Return whether a file is a campaign store, from its beginning."""
    return is_sqlite(head) and head.startswith(STORE_ID, _STORE_ID_AT)


def is_sqlite_file(path: Path) -> bool:
    """Return whether a file is SQLite's; False where it cannot be read."""
    try:
        if not path.is_file():
            return False  # a pipe would be waited for
        with path.open("rb") as file:
            return is_sqlite(file.read(len(_SQLITE)))
    except (OSError, ValueError):
        return False  # whoever opens it shows what is wrong with it


def foreign_kind(head: bytes) -> str | None:
    """Return what a file is that is certainly no log, from its beginning; None where it may be."""
    if is_store(head):
        return "a campaign store (`resume-rig correlate` and `report` judge stores)"
    return next((name for mark, name in _SIGNATURES.items() if head.startswith(mark)), None)


HEAD_BYTES: Final = 64 * 1024
"""How much of a file's beginning a reader is shown to recognise it by."""


@dataclass(frozen=True, slots=True)
class LogFormat:
    """One kind of log.

    Attributes:
        description: for error texts, e.g. "Event XML".
        recognises: whether a file that begins with these bytes is of this kind.
        read: reads such a file; raises RecordError where nothing of it can be read.
        single: a file is of one transition: several of one folder are the runs of one series.
    """

    description: str
    recognises: Callable[[bytes], bool]
    read: Callable[[SourceRequest], SourceReading]
    single: bool = False


def _binary_events() -> Iterator[LogFormat]:
    from resume_rig.oslog.etl.transitions import is_etl, read_etl
    from resume_rig.oslog.evtx import is_evtx, read_evtx

    yield LogFormat("EVTX", is_evtx, read_evtx)
    yield LogFormat("ETL", is_etl, read_etl)


def _events() -> Iterator[LogFormat]:
    from resume_rig.oslog.event.powershell_export import (
        is_csv_export,
        is_json_export,
        read_csv_export,
        read_json_export,
    )
    from resume_rig.oslog.event.xml_export import is_event_xml, read_event_xml

    # The exports may hold Event XML within them, so they are asked before it.
    yield LogFormat("event JSON", is_json_export, read_json_export)
    yield LogFormat("event CSV", is_csv_export, read_csv_export)
    yield LogFormat("Event XML", is_event_xml, read_event_xml)


def _linux() -> Iterator[LogFormat]:
    from resume_rig.oslog.linux.firmware import (
        is_fpdt_table,
        is_sysfs_values,
        read_fpdt_table,
        read_sysfs_values,
    )
    from resume_rig.oslog.linux.kernel_log import is_kernel_log, read_kernel_log
    from resume_rig.oslog.linux.suspend_trace import is_suspend_trace, read_suspend_trace
    from resume_rig.oslog.linux.systemd_analyze import is_systemd_analyze, read_systemd_analyze

    yield LogFormat("suspend trace", is_suspend_trace, read_suspend_trace)
    yield LogFormat("kernel log", is_kernel_log, read_kernel_log)
    yield LogFormat("suspend_stats", is_sysfs_values, read_sysfs_values)
    yield LogFormat("ACPI FPDT", is_fpdt_table, read_fpdt_table)
    yield LogFormat("systemd-analyze", is_systemd_analyze, read_systemd_analyze, single=True)


def _reports() -> Iterator[LogFormat]:
    from resume_rig.oslog.powercfg.report import is_powercfg_report, read_powercfg_report
    from resume_rig.oslog.pwrtest import (
        is_pwrtest_text,
        is_pwrtest_xml,
        is_s3resume_text,
        read_pwrtest_text,
        read_pwrtest_xml,
        read_s3resume_text,
    )

    yield LogFormat("powercfg report", is_powercfg_report, read_powercfg_report)
    yield LogFormat("PwrTest XML", is_pwrtest_xml, read_pwrtest_xml)
    yield LogFormat("PwrTest text", is_pwrtest_text, read_pwrtest_text)
    yield LogFormat("S3Resume output", is_s3resume_text, read_s3resume_text)


def _traces() -> Iterator[LogFormat]:
    from resume_rig.oslog.xperf.csv_tables import (
        is_wpa_table,
        is_xperf_pnp,
        is_xperf_services,
        read_wpa_table,
        read_xperf_pnp,
        read_xperf_services,
    )
    from resume_rig.oslog.xperf.dumper import is_xperf_dumper, read_xperf_dumper
    from resume_rig.oslog.xperf.xml_summary import is_xperf_xml, read_xperf_xml

    yield LogFormat("xperf summary XML", is_xperf_xml, read_xperf_xml, single=True)
    yield LogFormat("xperf services CSV", is_xperf_services, read_xperf_services, single=True)
    yield LogFormat("xperf pnp CSV", is_xperf_pnp, read_xperf_pnp, single=True)
    yield LogFormat("xperf dumper CSV", is_xperf_dumper, read_xperf_dumper, single=True)
    yield LogFormat("wpaexporter CSV", is_wpa_table, read_wpa_table, single=True)


_FAMILIES: Final = (_binary_events, _events, _linux, _reports, _traces)


def formats() -> Iterator[LogFormat]:
    """Yield every kind, in the order in which a file is asked."""
    for family in _FAMILIES:
        yield from family()


def format_of(head: bytes) -> LogFormat | None:
    """Return the first format that recognises the beginning of a file, None where none does."""
    if foreign_kind(head) is not None:
        return None
    return next((entry for entry in formats() if entry.recognises(head)), None)


def name_of_log(path: Path) -> str | None:
    """Return which kind of log a file is, None where it is none or cannot be read."""
    try:
        with path.open("rb") as stream:
            entry = format_of(stream.read(HEAD_BYTES))
    except OSError:
        return None
    return None if entry is None else entry.description


def allowed_formats() -> str:
    """Return the formats' names as an enumeration."""
    *most, last = (entry.description for entry in formats())
    return f"{', '.join(most)} and {last}"


# What begins so may still be a log: Linux logs are kept as gzip archives.
_FOREIGN_STARTS: Final[Mapping[bytes, str]] = {
    b"\x1f\x8b": "a gzip archive",
    b"MZ": "a Windows program",
}
_TEXT_CONTROLS: Final = frozenset("\t\n\v\f\r\x1b")


def read_logs(
    paths: Sequence[Path], keep_text: bool = False, progress: Callable[[int], None] | None = None
) -> LogReading:
    """Return the records of all logs, in the order of `paths`.

    A record that several of them hold (the same log twice, an export beside its EVTX file) is
    taken once: counted twice, it would prove twice as much. What delayed a sleep stands in a log
    of its own, and goes to the record of that sleep.

    Args:
        paths: log files of any kind.
        keep_text: whether records carry their events' original text.
        progress: called with the number of files that are read, before each; what it raises ends
            it.

    Raises:
        RecordError: a file is missing, of another kind, or nothing of it can be read.
    """
    readings: list[SourceReading] = []
    for index, path in enumerate(paths):
        if progress is not None:
            progress(index)
        readings.append(_read_log(SourceRequest(path, source=index, keep_text=keep_text)))
    overlaps: tuple[frozenset[int], ...] = ()
    if len(readings) > 1:
        readings, overlaps = _each_once(readings)
    records = [record for reading in readings for record in reading.records]
    return LogReading(
        sources=tuple(reading.source for reading in readings),
        records=tuple(_standing(record) for record in with_delays(records) if record is not None),
        computers=tuple(dict.fromkeys(chain.from_iterable(each.computers for each in readings))),
        overlaps=overlaps,
    )


def _standing(record: OsRecord) -> OsRecord:
    """Return what a trace timed and no account of the sleep took up as that account itself."""
    if record.kind is not SleepKind.STANDBY_PERFORMANCE or record.effective_state is None:
        return record
    states = record.target_state, record.effective_state
    return replace(record, kind=KINDS.get(states, SleepKind.UNKNOWN))


def _each_once(
    readings: Sequence[SourceReading],
) -> tuple[list[SourceReading], tuple[frozenset[int], ...]]:
    """Leave out of each source what one before it holds, and report it in its problems.

    Returns:
        the sources, and which of them overlap (`LogReading.overlaps`).
    """
    holders: dict[int, int] = {}
    groups = [frozenset({index}) for index in range(len(readings))]
    found: list[SourceReading] = []
    for index, reading in enumerate(readings):
        keys = [_identities(record) for record in reading.records]
        kept: list[OsRecord] = []
        for record, (asked, _) in zip(reading.records, keys, strict=True):
            before = {holders[key] for key in asked if key in holders}
            if not before:
                kept.append(record)
            for other in before:
                if other not in groups[index]:
                    whole = groups[index] | groups[other]
                    for each in whole:
                        groups[each] = whole
        for _, own in keys:
            holders.update((key, index) for key in own if key not in holders)
        repeated = len(reading.records) - len(kept)
        source = _with_repeats(reading.source, repeated) if repeated else reading.source
        found.append(replace(reading, source=source, records=tuple(kept)))
    return found, tuple(dict.fromkeys(group for group in groups if len(group) > 1))


def _identities(record: OsRecord) -> tuple[set[int], set[int]]:
    """Return by what a record is recognised in another file, and by what others are in this one.

    The evtx library keeps 1 us of the times of an event's data, XML 100 ns. An account in a trace
    has no number, so it is recognised by its times alone.
    """
    sleep_ns, wake_ns = record.sleep_time_utc_ns, record.wake_time_utc_ns
    times_us = tuple(
        None if time_ns is None else time_ns // 1_000
        for time_ns in (record.written_utc_ns, sleep_ns, wake_ns)
    )
    values = (
        *(record.kind, record.wake_source.text, *times_us[1:], record.sleep_ms, record.wake_ms),
        *(record.driver_init_ms, record.bios_init_ms),
    )
    whole = None not in times_us and record.kind not in NO_SLEEPS
    if record.record_id is None:
        bare = {hash(("bare", values))} if whole else set()
        return {hash(("any", values))} | bare if whole else bare, bare
    own = (
        set() if record.written_utc_ns is None else {hash((record.record_id, times_us[0], values))}
    )
    if not whole:
        return own, own
    return own | {hash(("bare", values))}, own | {hash(("any", values))}


def _with_repeats(source: LogSource, repeated: int) -> LogSource:
    note = (
        "1 record stands in a log before this one too and was used once."
        if repeated == 1
        else f"{repeated} records stand in a log before this one too and were used once."
    )
    found = source.integrity
    integrity = Integrity(found.ok, (*found.problems, note), (*found.notes, note))
    return replace(source, integrity=integrity)


def _read_log(request: SourceRequest) -> SourceReading:
    path = request.path
    try:
        if (found := _no_file(path.stat().st_mode)) is not None:
            raise RecordError(_refusal(path, found))
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        entry = format_of(head)
        if entry is None:
            raise RecordError(_refusal(path, _describe(head)))
        return entry.read(request)
    except FileNotFoundError as error:
        raise RecordError(_refusal(path, "no such file")) from error
    except (OSError, ValueError) as error:  # ValueError: a null byte within the path
        raise RecordError(_refusal(path, _reason(error))) from error


def _no_file(mode: int) -> str | None:
    """Name what stands where a file should; None for a file."""
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a pipe (write it to a file first)" if stat.S_ISFIFO(mode) else "a device"


def _refusal(path: Path, found: str) -> str:
    return f"could not read {path}: found {found}, allowed are {allowed_formats()} files"


def _reason(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return f"that the system refuses it ({reason or error})"


def _describe(head: bytes) -> str:
    """Name what a file is that no reader recognises, from its beginning."""
    if not head:
        return "an empty file"
    if (kind := foreign_kind(head)) is not None:
        return kind
    for mark, name in _FOREIGN_STARTS.items():
        if head.startswith(mark):
            return name
    text = head.decode(encoding_of(head), errors="replace").lstrip("\ufeff \t\r\n")
    return _describe_text(text) if text else "a file of blanks"


def _describe_text(text: str) -> str:
    if text[:15].lower().startswith(("<html", "<!doctype html")):
        return "an HTML page"
    if text.startswith("<") and has_declaration(text):
        return f"an XML document with {NO_DECLARATION.removeprefix('found ').partition(',')[0]}"
    if any(ord(char) < 32 and char not in _TEXT_CONTROLS for char in text):
        return "binary data"
    return "an XML document without events" if text.startswith("<?xml") else "other text"
