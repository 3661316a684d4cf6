"""Every kind of log that can be read, recognised by content; a new reader adds one line here.

A reader is loaded when a file is asked whether it is for it. Files that are no log whatever they
hold are recognised before any reader is asked: a campaign store and an archive may hold Event XML,
and a reader of text would find events there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.oslog.source.request import SourceReading, SourceRequest

_STORE_ID_AT: Final = 68
_STORE_ID: Final = b"RRIG"
_SQLITE: Final = b"SQLite format 3\0"
_SIGNATURES: Final[Mapping[bytes, str]] = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"PK\x03\x04": "a ZIP archive",
    b"%PDF": "a PDF document",
    _SQLITE: "an SQLite file",
    b"\x7fELF": "an ELF program",
}


def foreign_kind(head: bytes) -> str | None:
    """Return what a file is that is certainly no log, from its beginning; None where it may be."""
    if head.startswith(_SQLITE) and head[_STORE_ID_AT:].startswith(_STORE_ID):
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
    from resume_rig.oslog.evtx.file import is_evtx, read_evtx

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
    from resume_rig.oslog.linux.firmware import is_fpdt_table, read_fpdt_table
    from resume_rig.oslog.linux.kernel_log import is_kernel_log, read_kernel_log
    from resume_rig.oslog.linux.suspend_trace import is_suspend_trace, read_suspend_trace
    from resume_rig.oslog.linux.sysfs_values import is_sysfs_values, read_sysfs_values
    from resume_rig.oslog.linux.systemd_analyze import is_systemd_analyze, read_systemd_analyze

    yield LogFormat("suspend trace", is_suspend_trace, read_suspend_trace)
    yield LogFormat("kernel log", is_kernel_log, read_kernel_log)
    yield LogFormat("suspend_stats", is_sysfs_values, read_sysfs_values)
    yield LogFormat("ACPI FPDT", is_fpdt_table, read_fpdt_table)
    yield LogFormat("systemd-analyze", is_systemd_analyze, read_systemd_analyze, single=True)


def _reports() -> Iterator[LogFormat]:
    from resume_rig.oslog.powercfg.report import is_powercfg_report, read_powercfg_report
    from resume_rig.oslog.pwrtest.log import (
        is_pwrtest_text,
        is_pwrtest_xml,
        read_pwrtest_text,
        read_pwrtest_xml,
    )
    from resume_rig.oslog.pwrtest.s3resume import is_s3resume_text, read_s3resume_text

    yield LogFormat("powercfg report", is_powercfg_report, read_powercfg_report)
    yield LogFormat("PwrTest XML", is_pwrtest_xml, read_pwrtest_xml)
    yield LogFormat("PwrTest text", is_pwrtest_text, read_pwrtest_text)
    yield LogFormat("S3Resume output", is_s3resume_text, read_s3resume_text)


def _traces() -> Iterator[LogFormat]:
    from resume_rig.oslog.xperf.csv_tables import (
        is_xperf_pnp,
        is_xperf_services,
        read_xperf_pnp,
        read_xperf_services,
    )
    from resume_rig.oslog.xperf.dumper import is_xperf_dumper, read_xperf_dumper
    from resume_rig.oslog.xperf.wpa_table import is_wpa_table, read_wpa_table
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
