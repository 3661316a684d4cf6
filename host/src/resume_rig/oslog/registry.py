"""Every kind of log that can be read, told apart by content; a new reader adds one line here.

A reader is loaded when a file is asked whether it is for it: to read one binary log takes no
reader of other kinds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from resume_rig.oslog.foreign_file import foreign_kind
from resume_rig.oslog.source_reading import SourceReading, SourceRequest

HEAD_BYTES: Final = 64 * 1024
"""How much of a file's beginning a reader is shown to recognise it by."""


@dataclass(frozen=True, slots=True)
class LogFormat:
    """One kind of log.

    Attributes:
        description: for error texts, e.g. "Event XML".
        recognises: whether a file that begins with these bytes is of this kind.
        read: reads such a file; raises RecordError where nothing of it can be read.
    """

    description: str
    recognises: Callable[[bytes], bool]
    read: Callable[[SourceRequest], SourceReading]


def _binary_events() -> Iterator[LogFormat]:
    from resume_rig.oslog.evtx_file import is_evtx, read_evtx

    yield LogFormat("EVTX", is_evtx, read_evtx)


def _events() -> Iterator[LogFormat]:
    from resume_rig.oslog.event_xml import is_event_xml, read_event_xml
    from resume_rig.oslog.powershell_export import (
        is_csv_export,
        is_json_export,
        read_csv_export,
        read_json_export,
    )

    # The exports may hold Event XML within them, so they are asked before it.
    yield LogFormat("event JSON", is_json_export, read_json_export)
    yield LogFormat("event CSV", is_csv_export, read_csv_export)
    yield LogFormat("Event XML", is_event_xml, read_event_xml)


def _linux() -> Iterator[LogFormat]:
    from resume_rig.oslog.linux.fpdt_table import is_fpdt_table, read_fpdt_table
    from resume_rig.oslog.linux.kernel_log import is_kernel_log, read_kernel_log
    from resume_rig.oslog.linux.suspend_trace import is_suspend_trace, read_suspend_trace
    from resume_rig.oslog.linux.sysfs_values import is_sysfs_values, read_sysfs_values

    yield LogFormat("suspend trace", is_suspend_trace, read_suspend_trace)
    yield LogFormat("kernel log", is_kernel_log, read_kernel_log)
    yield LogFormat("suspend_stats", is_sysfs_values, read_sysfs_values)
    yield LogFormat("ACPI FPDT", is_fpdt_table, read_fpdt_table)


def _reports() -> Iterator[LogFormat]:
    from resume_rig.oslog.powercfg.report import is_powercfg_report, read_powercfg_report
    from resume_rig.oslog.pwrtest_text import is_pwrtest_text, read_pwrtest_text
    from resume_rig.oslog.pwrtest_xml import is_pwrtest_xml, read_pwrtest_xml
    from resume_rig.oslog.s3resume_text import is_s3resume_text, read_s3resume_text

    yield LogFormat("powercfg report", is_powercfg_report, read_powercfg_report)
    yield LogFormat("PwrTest XML", is_pwrtest_xml, read_pwrtest_xml)
    yield LogFormat("PwrTest text", is_pwrtest_text, read_pwrtest_text)
    yield LogFormat("S3Resume output", is_s3resume_text, read_s3resume_text)


def _traces() -> Iterator[LogFormat]:
    from resume_rig.oslog.wpa_table import is_wpa_table, read_wpa_table
    from resume_rig.oslog.xperf_csv import (
        is_xperf_pnp,
        is_xperf_services,
        read_xperf_pnp,
        read_xperf_services,
    )
    from resume_rig.oslog.xperf_dumper import is_xperf_dumper, read_xperf_dumper
    from resume_rig.oslog.xperf_xml import is_xperf_xml, read_xperf_xml

    yield LogFormat("xperf summary XML", is_xperf_xml, read_xperf_xml)
    yield LogFormat("xperf services CSV", is_xperf_services, read_xperf_services)
    yield LogFormat("xperf pnp CSV", is_xperf_pnp, read_xperf_pnp)
    yield LogFormat("xperf dumper CSV", is_xperf_dumper, read_xperf_dumper)
    yield LogFormat("wpaexporter CSV", is_wpa_table, read_wpa_table)


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


def allowed_formats() -> str:
    """Return the formats' names as an enumeration."""
    *most, last = (entry.description for entry in formats())
    return f"{', '.join(most)} and {last}"
