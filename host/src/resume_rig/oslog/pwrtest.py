"""Logs of Microsoft's test tools to OS records: PwrTest's XML and text, S3Resume.vbs's table.

XML has two generations of names. Text is what PwrTest prints and writes as .log, in the form of
Microsoft's paper and in the newer one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    Component,
    ComponentKind,
    Figure,
    OsRecord,
    SleepKind,
)
from resume_rig.oslog.source.elements import scan_elements, snake_case
from resume_rig.oslog.source.lines import LogLines, head_text
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.records import (
    BARE_RECORD,
    UINT32_MAX,
    SourceReading,
    SourceRequest,
    parse_utc_ns,
    parse_whole,
)

IDENTITY_LIMIT: Final = 128  # (name, value) pairs that are kept of a log's head
_NAME_LIMIT_CHARS: Final = 64
_VALUE_LIMIT_CHARS: Final = 200
# Every spelling of both generations of XML, the console and the log, without case.
_FIELDS: Final[Mapping[str, str]] = {
    "sleeptimems": "sleep",
    "suspend": "suspend",
    "suspendtimems": "suspend",
    "resume": "wake",
    "resumetimems": "wake",
    "driverinit": "driver",
    "driverinittimems": "driver",
    "driverwaketimems": "driver",
    "biosinit": "bios",
    "biosinittimems": "bios",
    "hiberread": "hiber_read",
    "hiberreadtimems": "hiber_read",
    "hiberwrite": "hiber_write",
    "hiberwritetimems": "hiber_write",
    "hiberpageswritten": "hiber_pages",
    "targetstate": "target",
    "effectivestate": "effective",
    "startt": "start",
    "transition starttime": "start",
    "endt": "end",
    "transition endtime": "end",
}
_STATE: Final = re.compile(r"S?([0-5])(?:\b.*)?", re.IGNORECASE)
_STATE_NAMES: Final[Mapping[str, int]] = {
    "hibernate": 4,
    "powersystemhibernate": 4,
    "dozes4": 4,  # pwrtest /sleep /s:dozes4 asks for Modern Standby, and hibernates after /dt
}
# Sx to the SYSTEM_POWER_STATE that event logs record.
_POWER_STATES: Final[Mapping[int, int]] = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6}
_KINDS: Final[Mapping[tuple[int | None, int | None], SleepKind]] = {
    (1, 1): SleepKind.S1,
    (3, 3): SleepKind.S3,
    (3, 4): SleepKind.HYBRID,
    (4, 4): SleepKind.S4,
}
_DURATIONS: Final = ("sleep", "suspend", "wake", "driver", "bios", "hiber_read", "hiber_write")
_GOOD_STATUS: Final = frozenset(
    {"", "0", "0x0", "0x00000000", "pass", "passed", "success", "succeeded", "ok"}
    | {"complete", "completed", "true", "s_ok", "(null)"}
)
_ZONED: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{1,40}(?:Z|[+-][0-9]{2}:?[0-9]{2})"
)
_CLOCK_TEXT: Final = re.compile(r"[0-9]{1,4}:[0-9]{2}:[0-9]{2}(?:[.:]{1,2}[0-9]{1,9})?")


def field_of(name: str) -> str | None:
    """Return which value a name is of; None of one that PwrTest does not write."""
    return _FIELDS.get(name.strip().lower())


@dataclass(slots=True)
class PwrTestTransition:
    """What was read of one transition.

    Attributes:
        number: as the log counts, None where it gives none.
        status: as recorded, empty where there is none.
        values: raw texts by the account's own names; the first of a name counts.
        text: original lines, where they are kept.
    """

    number: str = ""
    status: str = ""
    values: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)

    def take(self, name: str, value: str) -> bool:
        """Keep a value; return whether its name is one that PwrTest writes."""
        field = field_of(name)
        if field is None:
            return False
        self.values.setdefault(field, value.strip())
        return True


class PwrTestAccounts:
    """Collects a log's transitions and what its head holds of the DUT."""

    def __init__(self, request: SourceRequest, kind: str) -> None:
        self.tally = ProblemTally()
        self.os_build: int | None = None
        self._request = request
        self._kind = kind
        self._records: list[OsRecord] = []
        self._identity: dict[str, str] = {}
        self._local_times = False
        self._failed: list[str] = []
        self._strange_states: list[str] = []

    def identify(self, name: str, value: str) -> None:
        """Keep a fact of the DUT, e.g. `SystemManufacturer`; the first of a name counts."""
        key = snake_case(name)
        if key and len(self._identity) < IDENTITY_LIMIT:
            self._identity.setdefault(key, value.strip()[:_VALUE_LIMIT_CHARS])
        if key == "os_build_number" and self.os_build is None:
            self.os_build = self._whole(value) or None

    def add(self, transition: PwrTestTransition) -> None:
        """Make one transition a record."""
        failed = transition.status.strip().lower() not in _GOOD_STATUS
        if failed:
            self._failed.append(transition.status.strip()[:_NAME_LIMIT_CHARS])
        times = {name: self._whole(transition.values.get(name, "")) for name in _DURATIONS[1:]}
        times["sleep"] = self._sleep_time(transition.values.get("sleep", ""))
        measured = any(times.values()) and not failed
        target, effective = (self._state(transition.values, n) for n in ("target", "effective"))
        kind = _KINDS.get((target, effective), SleepKind.UNKNOWN)
        ms = times if measured else dict.fromkeys(_DURATIONS)
        pages = self._whole(transition.values.get("hiber_pages", ""))
        suspend_ms = ms["suspend"]
        self._records.append(
            replace(
                BARE_RECORD,
                source=self._request.source,
                record_id=self._whole(transition.number),
                kind=kind if measured else SleepKind.ABORTED,
                sleep_time_utc_ns=self._time(transition.values.get("start", "")),
                wake_time_utc_ns=self._time(transition.values.get("end", "")),
                sleep_ms=ms["sleep"] if suspend_ms is None else suspend_ms,
                wake_ms=ms["wake"],
                driver_init_ms=ms["driver"] or None,
                bios_init_ms=ms["bios"] or None,
                hiber_read_ms=ms["hiber_read"] or None,
                hiber_write_ms=ms["hiber_write"] or None,
                hiber_pages=(pages or None) if measured else None,
                target_state=None if target is None else _POWER_STATES[target],
                effective_state=None if effective is None else _POWER_STATES[effective],
                os_build=self.os_build,
                text="\n".join(transition.text),
                computer=self._identity.get("computer_name", ""),
            )
        )

    def add_standby(self, standby: "StandbyTransition") -> None:
        """Make one Modern Standby (pwrtest /cs) a record; its times of day name no zone."""
        self._local_times = True
        figures = [
            Figure(name, float(value))
            for name, value in standby.figures().items()
            if value is not None and standby.is_whole
        ]
        if not standby.is_whole:
            self._failed.append("aborted" if standby.is_aborted else "not complete")
        self._records.append(
            replace(
                BARE_RECORD,
                source=self._request.source,
                record_id=len(self._records) + 1,
                kind=SleepKind.MODERN_STANDBY if standby.is_whole else SleepKind.ABORTED,
                os_build=self.os_build,
                components=tuple(standby.phases),
                figures=tuple(figures),
                text="\n".join(standby.text),
                computer=self._identity.get("computer_name", ""),
            )
        )

    def finish(self) -> SourceReading:
        """Return all that the log holds."""
        if self._failed:
            quoted = ", ".join(repr(status) for status in list(dict.fromkeys(self._failed))[:3])
            self.tally.report(
                f"Transitions with another status than success ({quoted}), whose times therefore"
                f" do not count: {len(self._failed)} of {len(self._records)}.",
                damage=False,
            )
        if self._strange_states:
            self.tally.report(
                f"Sleep states that are not known (S1, S3, S4), so that their kind is unknown:"
                f" {len(self._strange_states)}, the first {self._strange_states[0]!r}.",
                damage=False,
            )
        if self._local_times:
            self.tally.report(
                "Times of day are local and the log names no zone, so sleep and wake times count"
                " as not reported.",
                damage=False,
            )
        if not self._records:
            self.tally.report(
                "The log holds no transition, so it shows nothing, whatever its last line reports.",
                damage=False,
            )
        return self._request.answer(
            self._records,
            self._kind,
            self.tally.integrity(),
            count=len(self._records),
            os_build=self.os_build,
            identity=tuple(self._identity.items()),
        )

    def _whole(self, text: str) -> int | None:
        try:
            return parse_whole(text, UINT32_MAX)
        except RecordError:
            self.tally.count(Problem.BAD_NUMBER)
            return None

    def _sleep_time(self, text: str) -> int | None:
        """Milliseconds; some versions write hh:mm:ss there, the length of the whole cycle."""
        return None if _CLOCK_TEXT.fullmatch(text) else self._whole(text)

    def _time(self, text: str) -> int | None:
        if not text:
            return None
        if not _ZONED.fullmatch(text):
            self._local_times = True
            return None
        try:
            return parse_utc_ns(text)
        except RecordError:
            self.tally.count(Problem.BAD_TIME)
            return None

    def _state(self, values: Mapping[str, str], name: str) -> int | None:
        text = values.get(name, "")
        if not text:
            return None
        match = _STATE.fullmatch(text)
        number = _STATE_NAMES.get(text.lower()) if match is None else int(match[1])
        if number is None:
            self._strange_states.append(text[:_NAME_LIMIT_CHARS])
        return number


_STAMP: Final = re.compile(
    r"([0-9/.\-]{6,10})[: T]([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.:]{1,2}([0-9]{1,6}))?"
)
_DAY_US: Final = 86_400_000_000
_PHASES_MOST: Final = 256
_STANDBY_TAGS: Final = frozenset(
    {"enteringcs", "inputdisabled", "phaseenter", "phaseexit", "exitingcs", "abortingcs"}
    | {"inputenabled", "exitedcs", "abortedcs", "platformidlestats"}
)


def _stamp(text: str) -> tuple[str, int] | None:
    """Return the day as written, whose order of fields is open, and microseconds within it."""
    found = _STAMP.fullmatch(text.strip())
    if found is None:
        return None
    hours, minutes, seconds = (int(found[place]) for place in (2, 3, 4))
    fraction_us = int((found[5] or "0").ljust(6, "0"))
    us = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction_us
    return (found[1], us) if us < _DAY_US else None


def _between_us(first: str, last: str) -> int | None:
    """Return the time between two stamps, less than a day; None where one is no stamp."""
    begin, end = _stamp(first), _stamp(last)
    if begin is None or end is None:
        return None
    if begin[0] == end[0]:
        return end[1] - begin[1] if end[1] >= begin[1] else None
    return (end[1] - begin[1]) % _DAY_US


class StandbyTransition:
    """One Modern Standby of pwrtest /cs, from EnteringCS to ExitedCS or AbortedCS.

    Attributes:
        phases: of the PDC, in order of their ends. text: original lines, where they are kept.
    """

    def __init__(self) -> None:
        self.phases: list[Component] = []
        self.text: list[str] = []
        self._at: dict[str, str] = {}
        self._open: dict[str, str] = {}
        self._entries: list[int] = []

    def take(self, tag: str, stamp: str, name: str) -> None:
        """Take one of its elements."""
        if tag == "phaseenter" and len(self._open) < _PHASES_MOST:
            self._open[name] = stamp
        elif tag == "phaseexit" and name in self._open and len(self.phases) < _PHASES_MOST:
            us = _between_us(self._open.pop(name), stamp)
            if us is not None:
                self.phases.append(Component(ComponentKind.PHASE, name, "standby", us / 1_000))
        else:
            self._at.setdefault(tag, stamp)

    def take_idle(self, entries: int) -> None:
        """Take how often the deepest platform idle state was entered up to now."""
        self._entries = [*self._entries[:1], entries]

    @property
    def is_whole(self) -> bool:
        """Whether it was entered and left, and not aborted."""
        return {"enteringcs", "exitedcs"} <= self._at.keys() and not self.is_aborted

    @property
    def is_aborted(self) -> bool:
        """Whether the log reports that it was given up."""
        return not {"abortingcs", "abortedcs"}.isdisjoint(self._at)

    def figures(self) -> dict[str, int | None]:
        """Return its figures by name; None for one that the log does not give."""
        at = self._at
        entered = self._entries[-1] - self._entries[0] if len(self._entries) > 1 else None
        return {
            "session_us": _between_us(at.get("enteringcs", ""), at.get("exitedcs", "")),
            "exit_latency_us": _between_us(at.get("exitingcs", ""), at.get("exitedcs", "")),
            "deepest_idle_entries": entered if entered is None or entered >= 0 else None,
        }


# The paper writes NO.0 Transition--TargetState:S3; newer ones count, as in No.1 of 4, and space.
_BEGIN: Final = re.compile(
    r"NO\.\s*([0-9]{1,9})(?:\s+of\s+[0-9]{1,9})?\s+Transition\s*--\s*TargetState\s*:\s*(\S*)",
    re.IGNORECASE,
)
_STATE_LINE: Final = re.compile(
    r"NO\.\s*[0-9]{1,9}(?:\s+of\s+[0-9]{1,9})?\s+Transition\s*--\s*([^:]{1,200})",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(r"([A-Za-z][A-Za-z _]{0,60}?)\s*:\s*(.*)")
_CAPABILITY: Final = re.compile(r"([A-Za-z][A-Za-z0-9_.]{0,60})\s*=\s*(.*)")
_HEAD: Final = re.compile(r"(?:^|[\r\n])[ \t]*Start:\s*PwrTest\b", re.IGNORECASE)
_ANY_BEGIN: Final = re.compile(
    r"(?:^|[\r\n])[ \t]*NO\.[0-9]{1,9}(?:\s+of\s+[0-9]{1,9})?\s+Transition\s*--", re.IGNORECASE
)
_END: Final = re.compile(r"End:\s*(\w+).*", re.IGNORECASE)
_SECTION: Final = re.compile(
    r"(?:SYSTEM_POWER_CAPABILITIES|System\s?Information)\s*:?", re.IGNORECASE
)
_TEXT_LINES_LIMIT: Final = 64
_TEXT_CHARS_LIMIT: Final = 1024


def is_pwrtest_text(head: bytes) -> bool:
    """Whether a file that begins so is what PwrTest prints or its .log."""
    text = head_text(head)
    if text.startswith("<"):
        return False
    return _HEAD.search(text) is not None or _ANY_BEGIN.search(text) is not None


def read_pwrtest_text(request: SourceRequest) -> SourceReading:
    """Return the OS records of PwrTest's text.

    Raises:
        OSError: the file cannot be read.
    """
    transitions = _TextTransitions(
        PwrTestAccounts(request, "pwrtest-log"), keep_text=request.keep_text
    )
    for line in LogLines(request.path, transitions.accounts.tally):
        if (line := line.strip()) != "":
            transitions.take(line)
    return transitions.finish()


class _TextTransitions:
    """Takes lines; a transition ends where the next begins, or where the log ends it.

    The newer form closes each with "Transition -- Complete"; once a log has shown that it does,
    a transition without it broke off. The form of the paper never does.
    """

    def __init__(self, accounts: PwrTestAccounts, *, keep_text: bool) -> None:
        self.accounts = accounts
        self._keep_text = keep_text
        self._transition: PwrTestTransition | None = None
        self._closes = False
        self._in_head = False

    def take(self, line: str) -> None:
        if (begin := _BEGIN.fullmatch(line)) is not None:
            self._begin(begin, line)
        elif (state := _STATE_LINE.fullmatch(line)) is not None:
            self._close("" if state[1].lower() in {"complete", "completed"} else state[1])
        elif (end := _END.fullmatch(line)) is not None:
            self._close("" if end[1].lower() == "pass" and not self._closes else "not complete")
        elif self._transition is not None:
            self._value(line)
        elif _SECTION.fullmatch(line) is not None:
            self._in_head = True
        elif "transition" in line.lower() or self._is_value(line):
            self.accounts.tally.not_understood(_VALUES, line)
        elif self._in_head:
            self._identity(line)

    def _is_value(self, line: str) -> bool:
        value = _VALUE.fullmatch(line)
        return value is not None and field_of(value[1]) is not None

    def finish(self) -> SourceReading:
        self._close("not complete" if self._closes else "")
        return self.accounts.finish()

    def _begin(self, begin: re.Match[str], line: str) -> None:
        self._close("not complete" if self._closes else "")
        self._in_head = False
        self._closes = self._closes or " of " in line.lower()
        self._transition = PwrTestTransition(number=begin[1])
        self._transition.take("TargetState", begin[2])
        if self._keep_text:
            self._transition.text.append(line)

    def _value(self, line: str) -> None:
        value = _VALUE.fullmatch(line)
        transition = self._transition
        if value is None and line.lower().startswith("no."):
            self.accounts.tally.not_understood(_VALUES, line)
        if value is None or transition is None:
            return
        if not transition.take(value[1], value[2]) and value[1].lower() not in _SILENT:
            self.accounts.tally.not_understood(_VALUES, line)
        if self._keep_text and len(transition.text) < _TEXT_LINES_LIMIT:
            transition.text.append(line[:_TEXT_CHARS_LIMIT])

    def _identity(self, line: str) -> None:
        pair = _CAPABILITY.fullmatch(line) or _VALUE.fullmatch(line)
        if pair is not None:
            self.accounts.identify(pair[1], pair[2])

    def _close(self, status: str) -> None:
        if self._transition is None:
            return
        self._transition.status = status
        self.accounts.add(self._transition)
        self._transition = None


_VALUES: Final = "log's values of transitions"
_SILENT: Final = frozenset({"transition status", "status", "duration"})
"""Values that PwrTest writes of a transition and that no record has: the length of the cycle."""

_ROOT: Final = re.compile(r"<(?:[\w.\-]{1,64}:)?PwrTestLog[\s/>]", re.IGNORECASE)
_IDENTITY: Final = frozenset({"systeminformation", "system_power_capabilities"})


def is_pwrtest_xml(head: bytes) -> bool:
    """Whether a file that begins so is an XML log of PwrTest."""
    text = head_text(head)
    return text.startswith("<") and _ROOT.search(text) is not None


def read_pwrtest_xml(request: SourceRequest) -> SourceReading:
    """Return the OS records of an XML log of PwrTest.

    Raises:
        RecordError: it declares a document type or an entity.
    """
    taker = _XmlTransitions(PwrTestAccounts(request, "pwrtest-xml"), keep_text=request.keep_text)
    scan_elements(request.path, taker, taker.accounts.tally)
    return taker.finish()


class _XmlTransitions:
    """Takes elements: `SleepTransition` with its values, and what identifies the DUT."""

    def __init__(self, accounts: PwrTestAccounts, *, keep_text: bool) -> None:
        self.accounts = accounts
        self._keep_text = keep_text
        self._transition: PwrTestTransition | None = None
        self._standby: StandbyTransition | None = None
        self._idle = (-1, 0)
        self._identity: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = name.lower()
        if tag == "sleeptransition":
            self._close(cut=True)
            self._transition = PwrTestTransition(
                number=attributes.get("number", ""), status=attributes.get("status", "")
            )
            for attribute, value in attributes.items():
                self._transition.take(attribute, value)
        elif tag in _STANDBY_TAGS:
            self._take_standby(tag, attributes)
        elif tag == "state" and self._standby is not None:
            numbers = [_count(attributes, name) for name in ("index", "successcount")]
            self._idle = max(self._idle, (numbers[0], numbers[1]))
        elif tag in _IDENTITY or self._identity:
            self._identity.append(tag)
            for attribute, value in attributes.items():
                self.accounts.identify(attribute, value)

    def end(self, name: str, text: str) -> None:
        if self._identity:
            self._identity.pop()
            if self._identity and text:
                self.accounts.identify(name, text)
        elif name.lower() == "platformidlestats" and self._standby is not None:
            if self._idle[0] >= 0:
                self._standby.take_idle(self._idle[1])
            self._idle = (-1, 0)
        elif name.lower() == "sleeptransition":
            self._close(cut=False)
        elif self._transition is not None:
            taken = self._transition.take(name, text)
            if taken and self._keep_text:
                self._transition.text.append(f"{name}: {text}")
            elif not taken and name.lower() not in _SILENT:
                self.accounts.tally.not_understood(_VALUES, f"{name}: {text}")
        elif field_of(name) is not None:
            self.accounts.tally.not_understood(_VALUES, f"{name}: {text}, in no transition")

    def finish(self) -> SourceReading:
        self._close(cut=True)
        self._close_standby()
        return self.accounts.finish()

    def _take_standby(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take an element of pwrtest /cs; what follows the exit is of the same until the next."""
        if tag == "enteringcs":
            self._close_standby()
            self._standby = StandbyTransition()
        standby = self._standby
        if standby is None:
            return
        stamp, name = attributes.get("timestamp", ""), attributes.get("name", "")
        standby.take(tag, stamp, name[:_NAME_LIMIT_CHARS])
        if self._keep_text and len(standby.text) < _TEXT_LINES_LIMIT:
            standby.text.append(f"{tag}: {name} {stamp}"[:_TEXT_CHARS_LIMIT])

    def _close_standby(self) -> None:
        if self._standby is not None:
            self.accounts.add_standby(self._standby)
        self._standby = None

    def _close(self, *, cut: bool) -> None:
        """Take a transition; one that the log breaks off in counts as not measured."""
        if self._transition is None:
            return
        if cut:
            self._transition.status = "not complete"
        self.accounts.add(self._transition)
        self._transition = None


def _count(attributes: Mapping[str, str], name: str) -> int:
    """Return a count; -1 where there is none."""
    text = attributes.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1


KIND: Final = "s3resume"

_TITLE: Final = re.compile(r"Transition\s*#\s*\|\s*BIOS\s*Init\s*\|\s*Driver\s*Init\s*\|\s*Total")
_ROW: Final = re.compile(
    r"\s*([0-9]{1,9})(\s*\(ignored\))?[\s|]+([0-9]{1,9})[\s|]+([0-9]{1,9})[\s|]+([0-9]{1,9})[\s|]*",
    re.IGNORECASE,
)


def is_s3resume_text(head: bytes) -> bool:
    """Whether a file that begins so holds S3Resume's table and is not this project's own."""
    text = head_text(head)
    title = _TITLE.search(text)
    return title is not None and "Verdict" not in text[title.end() : title.end() + 20]


def read_s3resume_text(request: SourceRequest) -> SourceReading:
    """Return the OS records of S3Resume's output: all of them S3, times of day unknown.

    The row that S3Resume marks as ignored is a record so marked: the script's own minimum,
    maximum and average leave it out, and so does every judgement.

    Raises:
        OSError: the file cannot be read.
    """
    tally = ProblemTally()
    records: list[OsRecord] = []
    wrong_sums = 0
    in_table = False
    for line in LogLines(request.path, tally):
        if _TITLE.search(line) is not None:
            in_table = True
        row = _ROW.fullmatch(line) if in_table else None
        if row is None:
            if in_table and line[:1].isdecimal():
                tally.count(Problem.BAD_NUMBER)
            continue
        records.append(_record(request, row, line))
        wrong_sums += int(row[3]) + int(row[4]) != int(row[5])
    _report(tally, records, wrong_sums)
    return request.answer(records, KIND, tally.integrity(), count=len(records))


def _record(request: SourceRequest, row: re.Match[str], line: str) -> OsRecord:
    return replace(
        BARE_RECORD,
        source=request.source,
        record_id=int(row[1]),
        kind=SleepKind.S3,
        driver_init_ms=int(row[4]) or None,
        bios_init_ms=int(row[3]) or None,
        target_state=4,
        effective_state=4,
        text=line if request.keep_text else "",
        ignored=row[2] is not None,
    )


def _report(tally: ProblemTally, records: list[OsRecord], wrong_sums: int) -> None:
    if wrong_sums:
        tally.report(
            f"In {wrong_sums} of {len(records)} rows BIOS Init and Driver Init do not add up to"
            " Total, so one of the three is wrong there.",
            damage=True,
        )
    if not records:
        tally.report("The table has no row, so it shows nothing.", damage=False)
