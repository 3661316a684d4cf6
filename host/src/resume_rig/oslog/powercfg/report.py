"""Reports of powercfg in all their forms: told apart by what they hold."""

from resume_rig.model.errors import RecordError
from resume_rig.oslog.powercfg.report_text import head_text, read_report
from resume_rig.oslog.powercfg.script_data import data_start
from resume_rig.oslog.powercfg.script_report import read_script_report
from resume_rig.oslog.powercfg.sleep_diagnostics import (
    is_sleep_diagnostics,
    read_sleep_diagnostics,
)
from resume_rig.oslog.powercfg.static_report import is_static_report, read_static_report
from resume_rig.oslog.powercfg.xml_report import NAMESPACE, is_sleep_study_xml, read_xml_report
from resume_rig.oslog.problems import ProblemTally
from resume_rig.oslog.source_reading import SourceReading, SourceRequest


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
