"""Sleep studies of Windows 10: tables written out, read by structure and never by their labels.

Labels and state names are in the language of Windows. What is not: the anchors of the sessions, the
classes of the cells, and the names of event fields (TargetState, BiosInitDuration ...). A session
whose state stands only in words, a shutdown for example, is of no kind that can be told.
Times of day are local, without a zone: they are not used.
"""

import html
import re
from collections.abc import Iterator
from typing import Final

from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.powercfg.session import BUILD, Session, SessionReader, build_of, identity_of
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest

KIND: Final = "powercfg-html"

_TEXT_LIMIT_CHARS: Final = 1000
_ANCHOR: Final = re.compile(r'<a name="connected-standby-session-([0-9]{1,6})"')
_CELL: Final = re.compile(r"<td(?: [^<>]{0,200})?>([^<>]{0,4000})</td>")
_ROW: Final = re.compile(
    r'<tr class="row-[a-z]{1,16}"><td class="center">([A-Za-z]{1,64})</td>'
    r'<td class="center">([^<>]{0,4000})</td></tr>'
)
_DURATION: Final = re.compile(r'<td class="hms">([0-9]{1,6}):([0-9]{2}):([0-9]{2})</td>')
_REASON: Final = re.compile(r'<td class="ExitReason"[^<>]{0,100}>([^<>]{0,4000})</td>')
_SUMMARY: Final = 'class="session-summary"'
_EVENT_STATE: Final = 'class="OsState"'


def is_static_report(text: str) -> bool:
    """Whether a text is a sleep study of this form."""
    return _ANCHOR.search(text) is not None


def read_static_report(request: SourceRequest, text: str, tally: ProblemTally) -> SourceReading:
    """Return the sessions whose power states the report tells.

    Args:
        request: the file.
        text: its text.
        tally: of problems.
    """
    names = _identity(text)
    os_build = build_of(names.get("os_build", ""))
    reader = SessionReader(request.source, os_build)
    records: list[OsRecord] = []
    seen = in_words = 0
    for number, section in _sections(text):
        seen += 1
        session = _session(number, section)
        kind = reader.kind(session)
        if kind is not None:
            records.append(reader.record(session, kind))
        elif _EVENT_STATE in section:
            in_words += 1
    _report(tally, records, in_words, reader.unreadable, text)
    return request.answer(
        records, KIND, tally.integrity(), count=seen, os_build=os_build, identity=identity_of(names)
    )


def _report(
    tally: ProblemTally, records: list[OsRecord], in_words: int, unreadable: int, text: str
) -> None:
    if records:
        tally.report(
            "The report's times of day are local and without a zone, so none is used.",
            damage=False,
        )
    if in_words:
        tally.report(
            f"Sessions whose state stands only in words, in the language of Windows: {in_words};"
            " they were not used.",
            damage=False,
        )
    if unreadable:
        tally.report(
            f"Numbers that could not be read count as not reported: {unreadable}.", damage=True
        )
    if "</html>" not in text[-4096:].lower():
        tally.report("The report ends too early, so later sessions are unknown.", damage=True)


def _sections(text: str) -> Iterator[tuple[int, str]]:
    anchors = list(_ANCHOR.finditer(text))
    for index, anchor in enumerate(anchors):
        end = anchors[index + 1].start() if index + 1 < len(anchors) else len(text)
        yield int(anchor[1]), text[anchor.end() : end]


def _session(number: int, section: str) -> Session:
    """The first of a name counts: event 42 comes before event 1 and says the same."""
    summary = section[: section.find("</table>") + 1 or None] if _SUMMARY in section else ""
    duration, reason = _DURATION.search(summary), _REASON.search(summary)
    session = Session(number=number)
    if duration is not None:
        hours, minutes, seconds = (int(group) for group in duration.groups())
        session.duration_us = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000
    if reason is not None:
        session.wake_text = _plain(reason[1])
    for row in _ROW.finditer(section):
        session.values.setdefault(row[1], _plain(row[2]))
    return session


def _identity(text: str) -> dict[str, str]:
    """The first table: computer, product, BIOS, build, role; the build is known by its form."""
    start = text.find('<table class="defs">')
    if start < 0:
        return {}
    table = text[start : text.find("</table>", start) + 1 or None][:16_384]
    values = [_plain(match[1]) for match in _CELL.finditer(table)][1::2]
    build = next((i for i, value in enumerate(values) if BUILD.match(value)), None)
    if build is None or build < 2:
        return {}
    found = {"system_product": values[build - 2], "bios_version": values[build - 1]}
    return {**found, "os_build": values[build]}


def _plain(cell: str) -> str:
    return html.unescape(cell).strip()[:_TEXT_LIMIT_CHARS]
