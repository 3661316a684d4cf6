"""Reports whose data stands in a script (Windows 11): sleep study and system power report."""

from collections.abc import Mapping
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogSource, OsRecord
from resume_rig.oslog.powercfg.identity import SYSTEM_NAMES, build_of, identity_of
from resume_rig.oslog.powercfg.script_data import Json, Member, ScriptData
from resume_rig.oslog.powercfg.session import NO_TRANSITIONS, TICKS_PER_US, Session, SessionReader
from resume_rig.oslog.problems import ProblemTally
from resume_rig.oslog.source_reading import SourceReading, SourceRequest
from resume_rig.oslog.timestamps import parse_utc_ns

KIND: Final = "powercfg-html"

_WANTED: Final = frozenset({"SystemInformation", "ScenarioInstances"})
_NO_TIME: Final = "0000-00-00"  # a FILETIME of 0
_UNREPORTED: Final = (1 << 64) - 1
_LOW_POWER: Final = ("Info.SwLowPowerStateTime", "Info.HwLowPowerStateTime")  # in 100 ns
_EXIT: Final = "MSExitPerformance."
_EVENT: Final = "EventLog."
_TEXT_LIMIT_CHARS: Final = 1000
_VALUES_LIMIT: Final = 500
_LAST_TYPE: Final = 11


def read_script_report(
    request: SourceRequest, text: str, start: int, tally: ProblemTally
) -> SourceReading:
    """Return the sessions of a report in which somebody slept or shut down.

    Args:
        request: the file.
        text: its text.
        start: where its data begins.
        tally: of problems.
    """
    system: Mapping[str, Json] = {}
    sessions: list[Session] = []
    unreadable = seen = bad_times = 0
    data = ScriptData(text, start, _WANTED)
    for member in data.members():
        if not member.readable:
            unreadable += 1
        elif member.name == "SystemInformation" and isinstance(member.value, dict):
            system = member.value
        elif member.name == "ScenarioInstances":
            seen += 1
            raw = _kept(member)
            if raw is not None:
                session, bad = _session(raw)
                sessions.append(session)
                bad_times += bad
    _tell(tally, unreadable, complete=data.complete)
    names = {SYSTEM_NAMES[key]: _shown(system[key]) for key in SYSTEM_NAMES if key in system}
    os_build = build_of(names.get("os_build", ""))
    if bad_times:
        tally.tell(
            f"Times or durations that could not be read count as not reported: {bad_times}.",
            damage=True,
        )
    records = _records(SessionReader(request.source, os_build), sessions, tally)
    source = LogSource(
        path=str(request.path),
        kind=KIND,
        os_build=os_build,
        records=seen,
        integrity=tally.integrity(),
        identity=identity_of(names),
    )
    return SourceReading(source, records)


def _kept(member: Member) -> Mapping[str, Json] | None:
    if not isinstance(member.value, dict):
        return None
    kind = member.value.get("Type")
    return None if isinstance(kind, int) and kind in NO_TRANSITIONS else member.value


def _tell(tally: ProblemTally, unreadable: int, *, complete: bool) -> None:
    if unreadable:
        tally.tell(
            f"Parts of the report that could not be read: {unreadable}, so what they told is"
            " unknown.",
            damage=True,
        )
    if not complete:
        tally.tell("The report's data ends too early, so later sessions are unknown.", damage=True)


def _records(
    reader: SessionReader, sessions: list[Session], tally: ProblemTally
) -> tuple[OsRecord, ...]:
    found: list[OsRecord] = []
    untyped = strange = 0
    for session in sessions:
        kind = reader.kind(session)
        if kind is None:
            untyped += 1
            continue
        strange += session.type is not None and session.type > _LAST_TYPE
        found.append(reader.record(session, kind))
    for count, sentence in (
        (reader.unreadable, "Numbers that could not be read count as not reported: {}."),
        (untyped, "Sessions without a type were not used: {}."),
        (strange, "Sessions of a type that no description names are of unknown kind: {}."),
    ):
        if count:
            tally.tell(sentence.format(count), damage=True)
    return tuple(found)


def _session(raw: Mapping[str, Json]) -> tuple[Session, int]:
    """Return a session, and how many of its times and durations could not be read."""
    entry_ns, bad_entry = _utc_ns(raw.get("EntryTimestamp"))
    exit_ns, bad_exit = _utc_ns(raw.get("ExitTimestamp"))
    session = Session(
        number=_whole(raw.get("SessionId")),
        type=_whole(raw.get("Type")),
        entry_utc_ns=entry_ns,
        exit_utc_ns=exit_ns,
        duration_us=_whole(raw.get("Duration")),
        wake_text=_text(raw.get("ExitReason")),
    )
    bad_duration = session.duration_us is None and raw.get("Duration") is not None
    metadata = raw.get("Metadata")
    values = metadata.get("Values") if isinstance(metadata, dict) else None
    if isinstance(values, list):
        for item in values[:_VALUES_LIMIT]:
            if isinstance(item, dict):
                _take_value(session, _text(item.get("Key")), item.get("Value"))
    return session, bad_entry + bad_exit + bad_duration


def _take_value(session: Session, key: str, value: Json) -> None:
    number = _whole(value)
    if key in _LOW_POWER:
        low_us = None if number in (None, _UNREPORTED) else (number or 0) / TICKS_PER_US
        if key == _LOW_POWER[0]:
            session.software_drips_us = low_us
        else:
            session.hardware_drips_us = low_us
    elif key == f"{_EXIT}TotalInMs":
        session.exit_latency_ms = number
    elif key.startswith(_EXIT) and number is not None:
        session.exit_phases_ms.setdefault(key.removeprefix(_EXIT), number)
    elif key.startswith(_EVENT) and isinstance(value, str | int):
        session.values.setdefault(key.removeprefix(_EVENT), str(value)[:_TEXT_LIMIT_CHARS])


def _utc_ns(value: Json) -> tuple[int | None, bool]:
    """Return a time that the report gives as UTC; those named Local end in Z too and are not."""
    if not isinstance(value, str) or value.startswith(_NO_TIME):
        return None, not (value is None or isinstance(value, str))
    try:
        return parse_utc_ns(value), False
    except RecordError:
        return None, True


def _whole(value: Json) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _UNREPORTED else None


def _text(value: Json) -> str:
    return value[:_TEXT_LIMIT_CHARS] if isinstance(value, str) else ""


def _shown(value: Json) -> str:
    """Return a value of SystemInformation, which are strings and one boolean."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _text(value)
