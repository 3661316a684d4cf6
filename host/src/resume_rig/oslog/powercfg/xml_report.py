"""The rarer reports of powercfg: sleep study as XML, and system sleep diagnostics.

Of `powercfg /sleepstudy /xml` no public sample exists. Programs that read such files agree on
OsStateInstance and ScenarioInstance with the attributes Type, EntryTimestamp or TimeStamp,
ExitTimestamp, Duration in 100 ns, and HwLowPowerStateTime; everything else is passed over.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Figure, OsRecord, SleepKind
from resume_rig.oslog.powercfg.session import (
    SYSTEM_NAMES,
    TICKS_PER_US,
    Session,
    SessionReader,
    build_of,
    identity_of,
    us_of,
)
from resume_rig.oslog.source.lines import NO_DECLARATION, has_declaration
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import (
    INT64_MAX,
    TEXT_LIMIT_CHARS,
    SourceReading,
    SourceRequest,
    parse_utc_ns,
    parse_whole,
)

KIND: Final = "powercfg-xml"
NAMESPACE: Final = "http://schemas.microsoft.com/sleepstudy/2012"

_TYPE_CHARS: Final = 40
_INSTANCE: Final = re.compile(r"<(?:OsState|Scenario)Instance\s([^<>]{0,8192})>")
_ANY_INSTANCE: Final = re.compile(
    r"<[A-Za-z]{1,64}\s(?=[^<>]{0,8000}(?:Timestamp|TimeStamp|Type)=)[^<>]{0,8192}>"
)
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
    named = re.search(_ELEMENT.format("ComputerName"), text)
    computer = "" if named is None else html.unescape(named[1])[:TEXT_LIMIT_CHARS]
    os_build = build_of(names.get("os_build", ""))
    reader = SessionReader(request.source, os_build)
    records: list[OsRecord] = []
    found_count = unreadable = 0
    for instance in _INSTANCE.finditer(text):
        found_count += 1
        values = {m[1]: html.unescape(m[2]) for m in _ATTRIBUTE.finditer(instance[1])}
        kind = _KINDS.get(values.get("Type", ""), SleepKind.UNKNOWN)
        if kind is None:
            continue
        if kind is SleepKind.UNKNOWN:
            tally.not_understood(
                "report's sessions", f"one of type {values.get('Type', '')[:_TYPE_CHARS]!r}"
            )
        session, bad = _session(values)
        unreadable += bad
        session.computer = computer
        records.append(reader.record(session, kind))
    for instance in _ANY_INSTANCE.finditer(text):
        if _INSTANCE.match(instance[0]) is None:
            tally.not_understood("report's sessions", instance[0])
    tally.report("Sleep studies as XML are read by their description.", damage=False)
    tally.report_count(
        "Times or durations that could not be read count as not reported: {}.",
        unreadable,
        damage=True,
    )
    if "</SleepStudy>" not in text[-4096:]:
        tally.report("The report ends too early, so later sessions are unknown.", damage=True)
    return request.answer(
        records,
        KIND,
        tally.integrity(),
        count=found_count,
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
            numbers[name] = parse_whole(values.get(name, ""), INT64_MAX)
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
        wake_text=values.get("ExitReason", "")[:TEXT_LIMIT_CHARS],
    )
    return session, bad


DIAGNOSTICS_KIND: Final = "powercfg-diagnostics"
DIAGNOSTICS_NAMESPACE: Final = "http://schemas.microsoft.com/systemsleepdiagnostics/2016"

_INTERVAL: Final = re.compile(r'<a name="user-not-present-session-[0-9]{1,6}"')
_ROW: Final = '<td class="percent">'
_CELL: Final = r'\s{0,64}<td class="center">([^<>]{0,400})</td>'
_CENTRED: Final = '<td class="center">'
_END: Final = r"\s{0,64}</tr>"
_SLEEP: Final = re.compile(rf"{_ROW}([^<>]{{0,64}})</td>{_CELL * 7}{_END}")
_POWER_REQUEST: Final = re.compile(rf"{_ROW}[^<>]{{0,64}}</td>{_CELL * 3}{_END}")
_DURATION: Final = re.compile(r"([0-9]{1,6}):([0-9]{2}):([0-9]{2})")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]{1,8}|[0-9]{1,10}")
_DIAGNOSTICS_KINDS: Final[Mapping[str, SleepKind]] = {
    "Sleeping1": SleepKind.S1,
    "Sleeping3": SleepKind.S3,
    "Hibernate": SleepKind.S4,
    "Shutdown": SleepKind.SHUTDOWN,
}
_FAILED: Final = "0"


@dataclass(frozen=True, slots=True)
class _Sleep:
    """One row; texts as written, without blanks around."""

    start: str
    duration: str
    state: str
    action: str
    reason: str
    number: str
    status: str
    success: str


def is_sleep_diagnostics(text: str) -> bool:
    """Whether a text is a report of this form."""
    return f'xmlns:ssd="{DIAGNOSTICS_NAMESPACE}"' in text[:4096]


def read_sleep_diagnostics(request: SourceRequest, text: str, tally: ProblemTally) -> SourceReading:
    """Return the sleeps that a report of /systemsleepdiagnostics lists, each once.

    Its tables of sleeps have eight cells: start, duration, state, action, reason, number, status,
    success. The state is the name of an enumeration member. The reason is in the language of
    Windows and is passed over, as are intervals in which nobody slept, and local times of day.

    Args:
        request: the file.
        text: its text.
        tally: of problems.
    """
    rows = [_Sleep(*(cell.strip() for cell in row.groups())) for row in _SLEEP.finditer(text)]
    sleeps = list(dict.fromkeys(rows))
    reader = SessionReader(request.source, os_build=None)
    records = tuple(_record(reader, place, sleep) for place, sleep in enumerate(sleeps, start=1))
    _report(tally, sleeps, records)
    _report_what_is_missing(tally, len(rows), text)
    return request.answer(
        records, DIAGNOSTICS_KIND, tally.integrity(), count=len(_INTERVAL.findall(text))
    )


def _record(reader: SessionReader, place: int, sleep: _Sleep) -> OsRecord:
    kind = _DIAGNOSTICS_KINDS.get(sleep.state, SleepKind.UNKNOWN)
    if sleep.success == _FAILED and kind is not SleepKind.UNKNOWN:
        kind = SleepKind.ABORTED
    record = reader.record(Session(number=place, duration_us=_duration_us(sleep.duration)), kind)
    numbers = (("transition_status", sleep.status), ("transition_successful", sleep.success))
    more = tuple(Figure(name, _whole(text)) for name, text in numbers if _NUMBER.fullmatch(text))
    return replace(record, figures=(*record.figures, *more))


def _report(tally: ProblemTally, sleeps: list[_Sleep], records: tuple[OsRecord, ...]) -> None:
    if records:
        tally.report(
            "The report's times of day are local and without a zone, so none is used.",
            damage=False,
        )
    for sleep, record in zip(sleeps, records, strict=True):
        if record.kind is SleepKind.UNKNOWN:
            tally.not_understood("report's sleeps", f"one of state {sleep.state[:_TYPE_CHARS]!r}")
    unreadable = sum(
        _duration_us(sleep.duration) is None
        or not (_NUMBER.fullmatch(sleep.status) and _NUMBER.fullmatch(sleep.success))
        for sleep in sleeps
    )
    tally.report_count(
        "Sleeps with a duration or number that could not be read: {}.", unreadable, damage=True
    )


def _report_what_is_missing(tally: ProblemTally, rows: int, text: str) -> None:
    """Report rows that are neither a sleep nor a power request, and an end that is missing."""
    others = text.count(_ROW) - rows - sum(1 for _ in _POWER_REQUEST.finditer(text))
    tally.report_count(
        "Rows of a form that is not known: {}, so a sleep may be missing.", others, damage=True
    )
    cells = text.count(_CENTRED) - 7 * rows - 3 * sum(1 for _ in _POWER_REQUEST.finditer(text))
    if "<td" in text and not (_ROW in text or _CENTRED in text) and _INTERVAL.search(text):
        tally.not_understood("report's tables", "rows of intervals without a cell that is known")
    if others == 0 and cells > 0:
        tally.not_understood("report's cells", f"one of {cells} that are in no row that is known")
    if "</html>" not in text[-4096:].lower():
        tally.report("The report ends too early, so later sleeps are unknown.", damage=True)


def _duration_us(text: str) -> int | None:
    match = _DURATION.fullmatch(text)
    return None if match is None else us_of(match)


def _whole(text: str) -> int:
    """A status may be written as 0xc0000001; without 0x it is decimal."""
    return int(text, 16) if text.lower().startswith("0x") else int(text)
