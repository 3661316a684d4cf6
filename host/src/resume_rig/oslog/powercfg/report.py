"""Reports of powercfg in all their forms, recognised by content, read as one bounded text.

Windows 11 writes the data into a script: an object literal, cut into its members and never
executed. Windows 10 writes tables, which are read by structure and never by their labels: those are
in the language of Windows, the anchors of sessions, the classes of cells and the names of event
fields (TargetState, BiosInitDuration ...) are not.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.powercfg.session import (
    BUILD,
    MODERN_STANDBY_TYPE,
    NO_TRANSITIONS,
    SYSTEM_NAMES,
    TICKS_PER_US,
    Session,
    SessionReader,
    build_of,
    identity_of,
    us_of,
)
from resume_rig.oslog.powercfg.xml_report import (
    NAMESPACE,
    is_sleep_diagnostics,
    is_sleep_study_xml,
    read_sleep_diagnostics,
    read_xml_report,
)
from resume_rig.oslog.source.lines import encoding_of, head_text
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import (
    TEXT_LIMIT_CHARS,
    SourceReading,
    SourceRequest,
    parse_utc_ns,
)

VALUE_LIMIT_CHARS: Final = 8 << 20
"""A longer member or session is skipped; real sessions have some KB."""

MEMBERS_LIMIT: Final = 100_000
"""A report of a week has some hundreds."""

DEPTH_LIMIT: Final = 100
"""Real data is some ten levels deep."""

_ASSIGNMENT: Final = re.compile(r"\bLocalSprData\s{0,8}=\s{0,8}(?=\{)")
_TOKEN: Final = re.compile(r"[{}\[\]:,\"']")
_DEEP_TOKEN: Final = re.compile(r"[{}\[\]\"']")  # commas matter only near the top
_QUOTE_OR_ESCAPE: Final = re.compile(r'\\.|"', re.DOTALL)
_TOP: Final = 2
_NAME_LIMIT_CHARS: Final = 100

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Member:
    """One member of the object, or one element of a member that is an array.

    Attributes:
        name: of the member. value: None where it could not be read.
        readable: whether it could.
    """

    name: str
    value: Json
    readable: bool


def data_start(text: str) -> int | None:
    """Return where the object begins; None where the text holds none."""
    match = _ASSIGNMENT.search(text)
    return None if match is None else match.end()


@dataclass(frozen=True, slots=True)
class _Token:
    """A string, a bracket, a colon or a comma: its first character and where it stands."""

    char: str
    start: int
    end: int


class ScriptData:
    """Iterates over the wanted members; afterwards `complete` is whether the end was there.

    The literal is JSON but for some strings in single quotes. The scanner only looks for strings
    and brackets, so its time grows with the text and its depth is a number. Of a cut report the
    members before the cut are kept.
    """

    def __init__(self, text: str, start: int, wanted: frozenset[str]) -> None:
        self._text = text
        self._start = start
        self._wanted = wanted
        self.complete = False

    def members(self) -> Iterator[Member]:
        """Yield the members in their order, arrays element by element."""
        scan = _Scan(self._text, self._wanted)
        position, count = self._start, 0
        while (token := self._next(position, scan.depth)) is not None:
            position = token.end
            found = scan.take(token)
            if found is not None:
                count += 1
                yield found
            if scan.depth == 0 or scan.depth > DEPTH_LIMIT or count == MEMBERS_LIMIT:
                break
        self.complete = scan.depth == 0 and position > self._start

    def _next(self, position: int, depth: int) -> _Token | None:
        pattern = _TOKEN if depth <= _TOP else _DEEP_TOKEN
        match = pattern.search(self._text, position)
        if match is None:
            return None
        char, end = match[0], match.end()
        if char in "\"'":
            end = _string_end(self._text, end, char)
        return _Token(char, match.start(), end) if end > 0 else None


def _string_end(text: str, position: int, quote: str) -> int:
    """Return where a string ends, behind its quote; 0 where it has no end."""
    while (end := text.find(quote, position)) >= 0:
        escapes = end
        while escapes > position and text[escapes - 1] == "\\":
            escapes -= 1
        if (end - escapes) % 2 == 0:
            return end + 1
        position = end + 1
    return 0


class _Scan:
    """Where in the object the scanner is."""

    def __init__(self, text: str, wanted: frozenset[str]) -> None:
        self.depth = 0
        self._wanted = wanted
        self._text = text
        self._name = ""
        self._last_string = ""
        self._base = 1
        self._value_start = -1
        self._single: list[_Token] = []

    def take(self, token: _Token) -> Member | None:
        """Take the next token; return the member that it completes."""
        char = token.char
        if char in "\"'":
            self._string(token)
        elif char in "{[":
            self.depth += 1
            self._opened(char, token)
        elif char in "}]":
            found = self._closes(token)
            self.depth -= 1
            self._base = min(self._base, max(self.depth, 1))
            return found
        elif char == ":" and self.depth == 1:
            self._name = self._last_string
            self._begin_value(token.end)
        elif char == "," and self.depth == self._base:
            return self._value(token.start, token.end if self._base > 1 else -1)
        return None

    def _string(self, token: _Token) -> None:
        if self.depth == 1:
            self._last_string = self._text[token.start + 1 : token.end - 1][:_NAME_LIMIT_CHARS]
        if token.char == "'":
            self._single.append(token)

    def _opened(self, char: str, token: _Token) -> None:
        if self.depth == _TOP and self._base == 1 and char == "[":
            self._base = _TOP
            self._begin_value(token.end)

    def _closes(self, token: _Token) -> Member | None:
        if self.depth != self._base or self._value_start < 0:
            return None
        return self._value(token.start, -1)

    def _begin_value(self, start: int) -> None:
        self._value_start = start
        self._single = []

    def _value(self, end: int, next_start: int) -> Member | None:
        start, single = self._value_start, self._single
        self._begin_value(next_start)
        if self._name not in self._wanted:
            return None
        if start < 0 or not self._text[start : min(end, start + 64)].strip():
            return None
        if end - start > VALUE_LIMIT_CHARS:
            return Member(self._name, None, readable=False)
        try:
            value = json.loads(_as_json(self._text, start, end, single))
        except (ValueError, RecursionError):
            return Member(self._name, None, readable=False)
        return Member(self._name, value, readable=True)


def _as_json(text: str, start: int, end: int, single: list[_Token]) -> str:
    """Return a piece of the text with double quotes where single ones stood."""
    parts, position = [], start
    for token in single:
        inner = _QUOTE_OR_ESCAPE.sub(_requoted, text[token.start + 1 : token.end - 1])
        parts += [text[position : token.start], f'"{inner}"']
        position = token.end
    return "".join((*parts, text[position:end]))


def _requoted(match: re.Match[str]) -> str:
    """Other escapes mean the same in both kinds of string."""
    return {'"': '\\"', "\\'": "'"}.get(match[0], match[0])


KIND: Final = "powercfg-html"

_WANTED: Final = frozenset({"SystemInformation", "ScenarioInstances"})
_NO_TIME: Final = "0000-00-00"  # a FILETIME of 0
_UNREPORTED: Final = (1 << 64) - 1
_LOW_POWER: Final = ("Info.SwLowPowerStateTime", "Info.HwLowPowerStateTime")  # in 100 ns
_EXIT: Final = "MSExitPerformance."
_EVENT: Final = "EventLog."
_VALUES_LIMIT: Final = 500
_BLOCKERS_MOST: Final = 100
SESSIONS: Final = "report's sessions"
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
    unreadable = found_count = bad_times = 0
    data = ScriptData(text, start, _WANTED)
    for member in data.members():
        if not member.readable:
            unreadable += 1
        elif member.name == "SystemInformation" and isinstance(member.value, dict):
            system = member.value
        elif member.name == "ScenarioInstances":
            found_count += 1
            raw = _kept(member)
            if raw is not None:
                session, bad = _script_session(raw)
                sessions.append(session)
                bad_times += bad
    _script_report(tally, unreadable, complete=data.complete)
    computer = _text(system.get("ComputerName"))
    for session in sessions:
        session.computer = computer
    names = {SYSTEM_NAMES[key]: _shown(system[key]) for key in SYSTEM_NAMES if key in system}
    os_build = build_of(names.get("os_build", ""))
    tally.report_count(
        "Times or durations that could not be read count as not reported: {}.",
        bad_times,
        damage=True,
    )
    records = _records(SessionReader(request.source, os_build), sessions, tally)
    return request.answer(
        records,
        KIND,
        tally.integrity(),
        count=found_count,
        os_build=os_build,
        identity=identity_of(names),
    )


def _kept(member: Member) -> Mapping[str, Json] | None:
    if not isinstance(member.value, dict):
        return None
    kind = member.value.get("Type")
    return None if isinstance(kind, int) and kind in NO_TRANSITIONS else member.value


def _script_report(tally: ProblemTally, unreadable: int, *, complete: bool) -> None:
    tally.report_count(
        "Parts of the report that could not be read: {}, so their content is unknown.",
        unreadable,
        damage=True,
    )
    if not complete:
        tally.report(
            "The report's data ends too early, so later sessions are unknown.", damage=True
        )


def _records(
    reader: SessionReader, sessions: list[Session], tally: ProblemTally
) -> tuple[OsRecord, ...]:
    found: list[OsRecord] = []
    for session in sessions:
        kind = reader.kind(session)
        if kind is None:
            tally.not_understood(SESSIONS, f"session {session.number}, which has no type")
            continue
        if session.type is not None and session.type > _LAST_TYPE:
            tally.not_understood(SESSIONS, f"session {session.number} of type {session.type}")
        found.append(reader.record(session, kind))
    tally.report_count(
        "Numbers that could not be read count as not reported: {}.", reader.unreadable, damage=True
    )
    return tuple(found)


def _script_session(raw: Mapping[str, Json]) -> tuple[Session, int]:
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
        entry_text=_text(raw.get("EnterReason")),
        drained_mwh=_drained(raw),
        busy=list(_blockers(raw)),
    )
    bad_duration = session.duration_us is None and raw.get("Duration") is not None
    metadata = raw.get("Metadata")
    values = metadata.get("Values") if isinstance(metadata, dict) else None
    if isinstance(values, list):
        for item in values[:_VALUES_LIMIT]:
            if isinstance(item, dict):
                _take_value(session, _text(item.get("Key")), item.get("Value"))
    return session, bad_entry + bad_exit + bad_duration


def _drained(raw: Mapping[str, Json]) -> int | None:
    """Return what the battery lost; a capacity of 0 is no battery."""
    if raw.get("OnAc") is True:
        return None
    begun, ended = (_whole(raw.get(f"{end}RemainingCapacity")) for end in ("Entry", "Exit"))
    return begun - ended if begun and ended else None


def _blockers(raw: Mapping[str, Json]) -> Iterator[tuple[str, str, float]]:
    """Yield what was active in a session; ActiveTime is in us where its percentage says so."""
    duration_us = _whole(raw.get("Duration"))
    blockers = raw.get("TopBlockers")
    for blocker in blockers[:_BLOCKERS_MOST] if isinstance(blockers, list) else ():
        if not isinstance(blocker, dict):
            continue
        name, active_us = _text(blocker.get("Name")), _whole(blocker.get("ActiveTime"))
        percent = _whole(blocker.get("ActiveTimePercent"))
        if duration_us and percent is not None:
            of_percent_us = duration_us * percent / 100
            near = active_us is not None and abs(active_us - of_percent_us) <= duration_us / 50
            yield name, "", float(active_us or 0) if near else of_percent_us
        elif active_us is not None:
            yield name, "", float(active_us)


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
        if key == f"{_EXIT}ScreenOnExitTime":
            session.screen_on = number > 0
        session.exit_phases_ms.setdefault(key.removeprefix(_EXIT), number)
    elif key.startswith(_EVENT) and isinstance(value, str | int):
        session.values.setdefault(key.removeprefix(_EVENT), str(value)[:TEXT_LIMIT_CHARS])


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
    return value[:TEXT_LIMIT_CHARS] if isinstance(value, str) else ""


def _shown(value: Json) -> str:
    """Return a value of SystemInformation, which are strings and one boolean."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _text(value)


_ANCHOR: Final = re.compile(r'<a name="connected-standby-session-([0-9]{1,6})"')
_CELL: Final = re.compile(r"<td(?: [^<>]{0,200})?>([^<>]{0,4000})</td>")
_ROW: Final = re.compile(
    r'<tr class="row-[a-z]{1,16}"><td class="center">([A-Za-z]{1,64})</td>'
    r'<td class="center">([^<>]{0,4000})</td></tr>'
)
_DURATION: Final = re.compile(r'<td class="hms">([0-9]{1,6}):([0-9]{2}):([0-9]{2})</td>')
_ANY_DURATION: Final = re.compile(
    r'<td class="hms"[^<>]{0,100}>([0-9]{1,6}):([0-9]{2}):([0-9]{2})</td>'
)
_REASON: Final = re.compile(r'<td class="ExitReason"[^<>]{0,100}>([^<>]{0,4000})</td>')
_COMPUTER: Final = "computer"
_SUMMARY: Final = 'class="session-summary"'
_STATE: Final = re.compile(r'<td class="(?:OsState|state)"[^<>]{0,100}>([^<>]{0,400})</td>')
# A row of the table of all sessions: its number, and all up to the end of the row.
_SUMMARY_ROW: Final = re.compile(
    r'<a href="#connected-standby-session-([0-9]{1,6})"[^<>]{0,100}>(.{0,8000}?)</tr>', re.DOTALL
)
_LOW_POWER_CELL: Final = re.compile(
    r'<td class="percentLowPowerStateTime"[^<>]{0,100}>([^<>]{0,40})</td>'
)
_PERCENT: Final = re.compile(r"([0-9]{1,3})\s{0,2}%")
_ENERGY_CELL: Final = re.compile(r'<td class="mw">([0-9., \u00a0\u202f]{1,20}) ?mWh</td>')
_DRAIN: Final = re.compile(r'<td class="chargeOrDrain">\s{0,8}Drain\s{0,8}</td>')
_OFFENDER: Final = re.compile(
    r"<tr[^<>]{0,200}>\s{0,64}"
    r"<td[^<>]{0,200}>([^<>]{1,400})</td>\s{0,64}<td[^<>]{0,200}>([^<>]{1,100})</td>\s{0,64}"
    r"<td[^<>]{0,200}>\s{0,8}[0-9]{1,3}\s{0,2}%\s{0,8}</td>\s{0,64}"
    r"<td[^<>]{0,200}>\s{0,8}([0-9]{1,6}):([0-9]{2}):([0-9]{2})\s{0,8}</td>"
)
# States in the words of an English Windows; None: nobody slept.
STATES_IN_WORDS: Final[Mapping[str, SleepKind | None]] = {
    "Active": None,
    "Screen Off": None,
    "Report Generated": None,
    "Shutdown": SleepKind.SHUTDOWN,
    "Bugcheck": SleepKind.SHUTDOWN,
    "Abnormal Shutdown": SleepKind.SHUTDOWN,
}


def is_static_report(text: str) -> bool:
    """Whether a text is a sleep study of this form."""
    return _ANCHOR.search(text) is not None


def read_static_report(request: SourceRequest, text: str, tally: ProblemTally) -> SourceReading:
    """Return the sessions whose power states the report holds; its local times are not used.

    A session with a share of its time in the low power state is one of Modern Standby (Connected
    Standby in Windows 8.1, whose table has no column for states). Of one whose state stands only in
    words those of an English Windows are known.

    Args:
        request: the file.
        text: its text.
        tally: of problems.
    """
    names = _identity(text)
    computer = names.pop(_COMPUTER, "")
    os_build = build_of(names.get("os_build", ""))
    reader = SessionReader(request.source, os_build)
    records: list[OsRecord] = []
    rows = {int(row[1]): row[2] for row in _SUMMARY_ROW.finditer(text)}
    sections = dict(_sections(text))
    for number in sorted({*rows, *sections}):
        row, section = rows.get(number, ""), sections.get(number, "")
        session = _session(number, section)
        session.computer = computer
        _take_row(session, row, section)
        kind = reader.kind(session)
        if kind is None:
            state = _STATE.search(section) or _STATE.search(row)
            words = "" if state is None else _plain(state[1])
            if words not in STATES_IN_WORDS:
                tally.not_understood(SESSIONS, f"session {number}, {words or 'without a state'}")
                continue
            kind = STATES_IN_WORDS[words]
        if kind is not None:
            records.append(reader.record(session, kind))
    if (summaries := text.count(_SUMMARY)) > len(sections):
        tally.not_understood(SESSIONS, f"one of {summaries} summaries, which no session has")
    _report(tally, records, reader.unreadable, text)
    return request.answer(
        records,
        KIND,
        tally.integrity(),
        count=len({*rows, *sections}),
        os_build=os_build,
        identity=identity_of(names),
    )


def _take_row(session: Session, row: str, section: str) -> None:
    """Take what the table of all sessions and the list of offenders have of one."""
    if session.duration_us is None and (duration := _ANY_DURATION.search(row)) is not None:
        session.duration_us = us_of(duration)
    shares = [found for cell in _LOW_POWER_CELL.findall(row) if (found := _PERCENT.search(cell))]
    if not shares or session.values:
        return
    session.type = MODERN_STANDBY_TYPE
    times_us = [
        None if session.duration_us is None else session.duration_us * int(share[1]) / 100
        for share in shares
    ]
    session.software_drips_us = times_us[0]
    session.hardware_drips_us = times_us[1] if len(times_us) > 1 else None
    energy = _ENERGY_CELL.search(row)
    if energy is not None and _DRAIN.search(row) is not None:
        session.drained_mwh = int(re.sub(r"[^0-9]", "", energy[1]) or 0)
    session.busy = [
        (_plain(name), _plain(kind), (int(h) * 3600 + int(m) * 60 + int(s)) * 1_000_000.0)
        for name, kind, h, m, s in _OFFENDER.findall(section)[:_BLOCKERS_MOST]
    ]


def _report(tally: ProblemTally, records: list[OsRecord], unreadable: int, text: str) -> None:
    if records:
        tally.report(
            "The report's times of day are local and without a zone, so none is used.",
            damage=False,
        )
    tally.report_count(
        "Numbers that could not be read count as not reported: {}.", unreadable, damage=True
    )
    if "</html>" not in text[-4096:].lower():
        tally.report("The report ends too early, so later sessions are unknown.", damage=True)


def _sections(text: str) -> Iterator[tuple[int, str]]:
    anchors = list(_ANCHOR.finditer(text))
    for index, anchor in enumerate(anchors):
        end = anchors[index + 1].start() if index + 1 < len(anchors) else len(text)
        yield int(anchor[1]), text[anchor.end() : end]


def _session(number: int, section: str) -> Session:
    """The first of a name counts: event 42 comes before event 1 and has the same."""
    summary = section[: section.find("</table>") + 1 or None] if _SUMMARY in section else ""
    duration, reason = _DURATION.search(summary), _REASON.search(summary)
    session = Session(number=number)
    if duration is not None:
        session.duration_us = us_of(duration)
    if reason is not None:
        session.wake_text = _plain(reason[1])
    for row in _ROW.finditer(section):
        session.values.setdefault(row[1], _plain(row[2]))
    return session


def _identity(text: str) -> dict[str, str]:
    """The first table: computer, product, BIOS, build, role; the build is found by its form."""
    start = text.find('<table class="defs">')
    if start < 0:
        return {}
    table = text[start : text.find("</table>", start) + 1 or None][:16_384]
    values = [_plain(match[1]) for match in _CELL.finditer(table)][1::2]
    build = next((i for i, value in enumerate(values) if BUILD.match(value)), None)
    if build is None or build < 2:
        return {}
    found = {"system_product": values[build - 2], "bios_version": values[build - 1]}
    return {**found, "os_build": values[build], _COMPUTER: values[build - 3] if build > 2 else ""}


def _plain(cell: str) -> str:
    return html.unescape(cell).strip()[:TEXT_LIMIT_CHARS]


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
        RecordError: it is larger than 16 MiB, declares an entity, or has none of the forms.
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
