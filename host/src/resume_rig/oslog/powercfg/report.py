"""Reports of powercfg in all their forms, by what they hold.

A report is read as one text, bounded: it is a page that a browser has to show.
"""

from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.powercfg.script_report import data_start, read_script_report
from resume_rig.oslog.powercfg.sleep_diagnostics import (
    is_sleep_diagnostics,
    read_sleep_diagnostics,
)
from resume_rig.oslog.powercfg.static_report import is_static_report, read_static_report
from resume_rig.oslog.powercfg.xml_report import NAMESPACE, is_sleep_study_xml, read_xml_report
from resume_rig.oslog.source.encoding import encoding_of
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest

SIZE_LIMIT_BYTES: Final = 16 << 20
"""A week of a busy laptop makes some MiB."""


def read_report(path: Path, tally: ProblemTally) -> str:
    """Return a report's text.

    Raises:
        RecordError: it is larger than 16 MiB.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(SIZE_LIMIT_BYTES + 1)
    if len(data) > SIZE_LIMIT_BYTES:
        raise RecordError(
            f"could not read {path}: found a report of more than 16 MiB, allowed are 16 MiB;"
            " powercfg /duration makes shorter ones"
        )
    try:
        return data.decode(encoding_of(data)).lstrip("\ufeff")
    except UnicodeDecodeError:
        tally.report("The report holds bytes not valid in its encoding.", damage=True)
    return data.decode(encoding_of(data), errors="replace").lstrip("\ufeff")


def head_text(head: bytes) -> str:
    """Return a file's beginning as text to recognise it by."""
    return head.decode(encoding_of(head), errors="replace").lstrip("\ufeff \t\r\n")


def is_powercfg_report(head: bytes) -> bool:
    """Whether a file that begins so is a report of powercfg."""
    text = head_text(head)
    if is_sleep_study_xml(text):
        return True
    if not text[:15].lower().startswith(("<html", "<!doctype html")):
        return False
    if f'xmlns:slp="{NAMESPACE}"' in text[:4096] or is_sleep_diagnostics(text):
        return True
    return data_start(text) is not None


def read_powercfg_report(request: SourceRequest) -> SourceReading:
    """Return the sleeps of a report.

    Raises:
        RecordError: it is larger than 16 MiB, declares an entity, or is of no known form.
    """
    tally = ProblemTally()
    text = read_report(request.path, tally)
    if is_sleep_study_xml(text):
        return read_xml_report(request, text, tally)
    start = data_start(text)
    if start is not None:
        return read_script_report(request, text, start, tally)
    if is_static_report(text):
        return read_static_report(request, text, tally)
    if is_sleep_diagnostics(text):
        return read_sleep_diagnostics(request, text, tally)
    raise RecordError(
        f"could not read {request.path}: found a report of powercfg without sessions, allowed are"
        " reports of powercfg /sleepstudy, /systempowerreport and /systemsleepdiagnostics"
    )
