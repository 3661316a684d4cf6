"""System sleep diagnostics (`powercfg /systemsleepdiagnostics`): why a DUT slept, or did not.

The page is tables written out. Those of the sleeps have eight cells: start, duration, state,
action, reason, number, status, success. The state is the name of an enumeration member; the reason
is in the language of Windows and is passed over, as are the intervals in which nobody slept.
Times of day are local, without a zone: they are not used.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.os_record import Figure, OsRecord, SleepKind
from resume_rig.oslog.powercfg.session import Session, SessionReader
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest

KIND: Final = "powercfg-diagnostics"
NAMESPACE: Final = "http://schemas.microsoft.com/systemsleepdiagnostics/2016"

_INTERVAL: Final = re.compile(r'<a name="user-not-present-session-[0-9]{1,6}"')
_ROW: Final = '<td class="percent">'
_CELL: Final = r'\s{0,64}<td class="center">([^<>]{0,400})</td>'
_END: Final = r"\s{0,64}</tr>"
_SLEEP: Final = re.compile(rf"{_ROW}([^<>]{{0,64}})</td>{_CELL * 7}{_END}")
_POWER_REQUEST: Final = re.compile(rf"{_ROW}[^<>]{{0,64}}</td>{_CELL * 3}{_END}")
_DURATION: Final = re.compile(r"([0-9]{1,6}):([0-9]{2}):([0-9]{2})")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]{1,8}|[0-9]{1,10}")
_KINDS: Final[Mapping[str, SleepKind]] = {
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
    return f'xmlns:ssd="{NAMESPACE}"' in text[:4096]


def read_sleep_diagnostics(request: SourceRequest, text: str, tally: ProblemTally) -> SourceReading:
    """Return the sleeps that a report lists, each once.

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
    return request.answer(records, KIND, tally.integrity(), count=len(_INTERVAL.findall(text)))


def _record(reader: SessionReader, place: int, sleep: _Sleep) -> OsRecord:
    kind = _KINDS.get(sleep.state, SleepKind.UNKNOWN)
    if sleep.success == _FAILED and kind is not SleepKind.UNKNOWN:
        kind = SleepKind.ABORTED
    record = reader.record(Session(number=place, duration_us=_duration_us(sleep.duration)), kind)
    numbers = (("transition_status", sleep.status), ("transition_successful", sleep.success))
    told = tuple(Figure(name, _whole(text)) for name, text in numbers if _NUMBER.fullmatch(text))
    return replace(record, figures=(*record.figures, *told))


def _report(tally: ProblemTally, sleeps: list[_Sleep], records: tuple[OsRecord, ...]) -> None:
    if records:
        tally.report(
            "The report's times of day are local and without a zone, so none is used.",
            damage=False,
        )
    strange = sum(record.kind is SleepKind.UNKNOWN for record in records)
    if strange:
        tally.report(f"Sleeps of a state that was not understood: {strange}.", damage=False)
    unreadable = sum(
        _duration_us(sleep.duration) is None
        or not (_NUMBER.fullmatch(sleep.status) and _NUMBER.fullmatch(sleep.success))
        for sleep in sleeps
    )
    if unreadable:
        tally.report(
            f"Sleeps with a duration or number that could not be read: {unreadable}.", damage=True
        )


def _report_what_is_missing(tally: ProblemTally, rows: int, text: str) -> None:
    """Tell of rows that are neither a sleep nor a power request, and of an end that is missing."""
    others = text.count(_ROW) - rows - sum(1 for _ in _POWER_REQUEST.finditer(text))
    if others:
        tally.report(
            f"Rows of a form that is not known: {others}, so a sleep may be missing.", damage=True
        )
    if "</html>" not in text[-4096:].lower():
        tally.report("The report ends too early, so later sleeps are unknown.", damage=True)


def _duration_us(text: str) -> int | None:
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (int(group) for group in match.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000


def _whole(text: str) -> int:
    """A status may be written as 0xc0000001; without 0x it is decimal."""
    return int(text, 16) if text.lower().startswith("0x") else int(text)
