"""Every kind of log that can be read, told apart by content; a new reader adds one line here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from resume_rig.oslog.event_xml import is_event_xml, read_event_xml
from resume_rig.oslog.evtx_file import is_evtx, read_evtx
from resume_rig.oslog.powershell_export import (
    is_csv_export,
    is_json_export,
    read_csv_export,
    read_json_export,
)
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


FORMATS: Final[tuple[LogFormat, ...]] = (
    LogFormat("EVTX", is_evtx, read_evtx),
    # The exports may hold Event XML within them, so they are asked before it.
    LogFormat("event JSON", is_json_export, read_json_export),
    LogFormat("event CSV", is_csv_export, read_csv_export),
    LogFormat("Event XML", is_event_xml, read_event_xml),
)


def format_of(head: bytes) -> LogFormat | None:
    """Return the first format that recognises the beginning of a file, None where none does."""
    return next((entry for entry in FORMATS if entry.recognises(head)), None)


def allowed_formats() -> str:
    """Return the formats' names as an enumeration."""
    *most, last = (entry.description for entry in FORMATS)
    return f"{', '.join(most)} and {last}"
