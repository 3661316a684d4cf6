"""Sleep studies as XML (`powercfg /sleepstudy /xml`), read by their description.

No public sample exists. Programs that read such files agree on OsStateInstance and ScenarioInstance
with the attributes Type, EntryTimestamp or TimeStamp, ExitTimestamp, Duration in 100 ns, and
HwLowPowerStateTime. Attributes are found by name; everything else is passed over.
"""

import html
import re
from collections.abc import Mapping
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.powercfg.session import (
    SYSTEM_NAMES,
    TICKS_PER_US,
    Session,
    SessionReader,
    build_of,
    identity_of,
)
from resume_rig.oslog.source.encoding import NO_DECLARATION, has_declaration
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest
from resume_rig.oslog.source.timestamps import parse_utc_ns, parse_whole

KIND: Final = "powercfg-xml"
NAMESPACE: Final = "http://schemas.microsoft.com/sleepstudy/2012"

_INT64_MAX: Final = (1 << 63) - 1
_INSTANCE: Final = re.compile(r"<(?:OsState|Scenario)Instance\s([^<>]{0,8192})>")
_ATTRIBUTE: Final = re.compile(r"([A-Za-z]{1,64})\s{0,8}=\s{0,8}\"([^\"<>]{0,2000})\"")
_ELEMENT: Final = "<{0}>([^<>]{{0,400}})</{0}>"
_KINDS: Final[Mapping[str, SleepKind | None]] = {
    "Sleep": SleepKind.MODERN_STANDBY,
    "Standby": SleepKind.S3,
    "Hybrid Sleep": SleepKind.HYBRID,
    "Hibernate": SleepKind.S4,
    "Hybrid Shutdown": SleepKind.FAST_STARTUP,
    "Shutdown": SleepKind.SHUTDOWN,
    "Bugcheck": SleepKind.SHUTDOWN,
    "Abnormal Shutdown": SleepKind.SHUTDOWN,
    "Active": None,
    "Screen Off": None,
    "Report Generated": None,
}
_TEXT_LIMIT_CHARS: Final = 1000


def is_sleep_study_xml(text: str) -> bool:
    """Whether a file that begins so is a sleep study as XML."""
    return text.startswith("<?xml") and NAMESPACE in text[:4096] and "<SleepStudy" in text[:4096]


def read_xml_report(request: SourceRequest, text: str, tally: ProblemTally) -> SourceReading:
    """Return the sessions in which somebody slept or shut down.

    Raises:
        RecordError: the document declares a document type or an entity.
    """
    if has_declaration(text):
        raise RecordError(f"could not read {request.path}: {NO_DECLARATION}")
    names = {
        name: html.unescape(match[1])
        for field, name in SYSTEM_NAMES.items()
        if (match := re.search(_ELEMENT.format(field), text)) is not None
    }
    os_build = build_of(names.get("os_build", ""))
    reader = SessionReader(request.source, os_build)
    records: list[OsRecord] = []
    seen = strange = unreadable = 0
    for instance in _INSTANCE.finditer(text):
        seen += 1
        values = {m[1]: html.unescape(m[2]) for m in _ATTRIBUTE.finditer(instance[1])}
        kind = _KINDS.get(values.get("Type", ""), SleepKind.UNKNOWN)
        if kind is None:
            continue
        strange += kind is SleepKind.UNKNOWN
        session, bad = _session(values)
        unreadable += bad
        records.append(reader.record(session, kind))
    tally.report("Sleep studies as XML are read by their description.", damage=False)
    if strange:
        tally.report(f"Sessions of a type that was not understood: {strange}.", damage=False)
    if unreadable:
        tally.report(
            f"Times or durations that could not be read count as not reported: {unreadable}.",
            damage=True,
        )
    if "</SleepStudy>" not in text[-4096:]:
        tally.report("The report ends too early, so later sessions are unknown.", damage=True)
    return request.answer(
        records,
        KIND,
        tally.integrity(),
        count=seen,
        os_build=os_build,
        identity=identity_of(names),
        from_description=True,
    )


def _session(values: Mapping[str, str]) -> tuple[Session, int]:
    bad = 0
    times: list[int | None] = []
    for name in ("EntryTimestamp", "ExitTimestamp"):
        text = values.get(name) or (values.get("TimeStamp", "") if name[1] == "n" else "")
        try:
            times.append(parse_utc_ns(text))
        except RecordError:
            times.append(None)
            bad += not text.startswith("0000-00-00")
    numbers: dict[str, int | None] = {}
    for name in ("Id", "Duration", "LowPowerStateTime", "HwLowPowerStateTime"):
        try:
            numbers[name] = parse_whole(values.get(name, ""), _INT64_MAX)
        except RecordError:
            numbers[name] = None
            bad += 1
    ticks = numbers["Duration"]
    software, hardware = numbers["LowPowerStateTime"], numbers["HwLowPowerStateTime"]
    session = Session(
        number=numbers["Id"],
        entry_utc_ns=times[0],
        exit_utc_ns=times[1],
        duration_us=None if ticks is None else ticks // TICKS_PER_US,
        software_drips_us=None if software is None else software / TICKS_PER_US,
        hardware_drips_us=None if hardware is None else hardware / TICKS_PER_US,
        wake_text=values.get("ExitReason", "")[:_TEXT_LIMIT_CHARS],
    )
    return session, bad
