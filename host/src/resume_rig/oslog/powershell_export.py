"""What PowerShell exports of an event log: `Get-WinEvent | ConvertTo-Json` and `| Export-Csv`."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import Event
from resume_rig.oslog.event_parser import event_of, is_relevant, parse_event
from resume_rig.oslog.event_text import EventText, encoding_of
from resume_rig.oslog.powershell_item import UnnamedValues, fields_of, is_record, xml_of
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.source_reading import (
    SourceReading,
    SourceRequest,
    TakeEvent,
    read_source,
)

JSON_KIND: Final = "eventlog-json"
CSV_KIND: Final = "eventlog-csv"
ITEM_LIMIT_CHARS: Final = 1 << 20
"""A longer item of JSON ends the reading: no event comes near."""

_BLOCK_BYTES: Final = 256 * 1024
_FALLBACK: Final = "cp1252"  # what PowerShell 5 calls "Default" in western Europe and America
_BETWEEN_ITEMS: Final = re.compile(r"[\s\ufeff,\[\]]*")
_JSON_MARKS: Final = re.compile(r'"ProviderName"|(?:<|\\u003[cC])Event ')
_CSV_HEADER: Final = re.compile(r'(?:#TYPE [^\r\n]*[\r\n]+)?("?[\w ]{1,80}"?(?:[,;\t]|[\r\n]))')
_CSV_MARKS: Final = re.compile(r"\b(?:ProviderName|RecordId)\b|<Event ")
_ADVICE: Final = (
    "found an export with messages and values without names, allowed is one of the events' XML:"
    " Get-WinEvent -LogName System -Oldest | ForEach-Object { $_.ToXml() } | Set-Content log.xml"
)


def is_json_export(head: bytes) -> bool:
    """Whether a file that begins so is JSON of events."""
    text = _start_of(head)
    return text[:1] in ("[", "{") and _JSON_MARKS.search(text) is not None


def is_csv_export(head: bytes) -> bool:
    """Whether a file that begins so is CSV of events."""
    text = _start_of(head)
    return _CSV_HEADER.match(text) is not None and _CSV_MARKS.search(text) is not None


def read_json_export(request: SourceRequest) -> SourceReading:
    """Return the OS records of a JSON export.

    Raises:
        RecordError: the file is no JSON, or has values without names only.
    """
    return read_source(request, JSON_KIND, _scan_json)


def read_csv_export(request: SourceRequest) -> SourceReading:
    """Return the OS records of a CSV export.

    Raises:
        RecordError: the file is no CSV, or has values without names only.
    """
    return read_source(request, CSV_KIND, _scan_csv)


def _start_of(head: bytes) -> str:
    return head.decode(encoding_of(head), errors="replace").lstrip("\ufeff \t\r\n")


def _scan_json(request: SourceRequest, take: TakeEvent, tally: ProblemTally) -> int:
    return _scan(_json_items(request, tally), request, take, tally)


def _scan_csv(request: SourceRequest, take: TakeEvent, tally: ProblemTally) -> int:
    return _scan(_csv_items(request, tally), request, take, tally)


def _scan(
    items: Iterator[object], request: SourceRequest, take: TakeEvent, tally: ProblemTally
) -> int:
    count = used = unnamed = 0
    for item in items:
        count += 1
        event = _event_of(item, tally, keep=request.keep_text)
        if isinstance(event, UnnamedValues):
            unnamed += 1
        elif event is not None and event.role is not None:
            used += 1
            take(event)
    if unnamed and not used:
        raise RecordError(f"could not read {request.path}: {_ADVICE}")
    for _ in range(unnamed):
        tally.count(Problem.UNNAMED)
    if count == 0 and not tally.integrity().ok:
        raise RecordError(
            f"could not read {request.path}: found an export without one whole event, allowed is"
            " one that holds at least one"
        )
    return count


def _event_of(item: object, tally: ProblemTally, *, keep: bool) -> Event | UnnamedValues | None:
    text = xml_of(item)
    try:
        if text is not None:
            return parse_event(text, tally, keep_text=keep) if is_relevant(text) else None
        if not isinstance(item, Mapping) or not is_record(item):
            tally.count(Problem.STRAY_TEXT)
            return None
        fields = fields_of(item)
        if fields is None or isinstance(fields, UnnamedValues):
            return fields
        kept = json.dumps(item)[:ITEM_LIMIT_CHARS] if keep else ""
        return event_of(fields, tally, text=kept)
    except RecordError:
        tally.count(Problem.MALFORMED)
        return None


def _texts(request: SourceRequest, tally: ProblemTally) -> Iterator[str]:
    decoder = EventText(str(request.path), tally, fallback=_FALLBACK)
    with request.path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _json_items(request: SourceRequest, tally: ProblemTally) -> Iterator[object]:
    """Yield the items of arrays, or items one after another; one in memory at a time."""
    decoder = json.JSONDecoder()
    buffer, place, ended = "", 0, False
    texts = _texts(request, tally)
    while True:
        between = _BETWEEN_ITEMS.match(buffer, place)
        place = between.end() if between is not None else place
        try:
            item, end = decoder.raw_decode(buffer, place)
        except (ValueError, RecursionError):
            more = None if len(buffer) - place > ITEM_LIMIT_CHARS else next(texts, None)
            if more is not None:
                buffer, place = buffer[place:] + more, 0
                continue
            ended = True
        if ended:
            if place < len(buffer):
                tally.count(Problem.CUT)
            return
        place = end
        yield from _unwrapped(item)


def _unwrapped(item: object) -> Iterator[object]:
    """Yield the items of PowerShell 5's {"value": [...], "Count": n}, or the item."""
    inner = item.get("value") if isinstance(item, dict) and "Count" in item else None
    if isinstance(inner, list):
        yield from inner
    else:
        yield item


def _csv_items(request: SourceRequest, tally: ProblemTally) -> Iterator[object]:
    source = _Lines(_texts(request, tally))
    lines = iter(source)
    first = next(lines, "").lstrip("\ufeff")
    if first.startswith("#TYPE"):
        first = next(lines, "")
    delimiter = max(",;\t", key=first.count)
    try:
        names = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:  # a line end within a title: no row can have these
        names = []
    rows = csv.reader(lines, delimiter=delimiter)
    while True:
        try:
            row = next(rows, None)
        except csv.Error:
            tally.count(Problem.OVERSIZED)
            continue
        if row is None:
            return
        if source.open_end:  # perhaps cut within a number
            tally.count(Problem.CUT)
        elif len(row) == len(names):
            yield dict(zip(names, row, strict=True))
        elif row:
            tally.count(Problem.MALFORMED)


class _Lines:
    """Lines with their ends, once; one of more than the limit comes in pieces.

    Attributes:
        open_end: whether the line last given has no end, and no other follows.
    """

    def __init__(self, texts: Iterator[str]) -> None:
        self.open_end = False
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        rest = ""
        for text in self._texts:
            *whole, rest = (rest + text.replace("\0", "\ufffd")).split("\n")
            yield from (f"{line}\n" for line in whole)
            if len(rest) > ITEM_LIMIT_CHARS:
                yield rest
                rest = ""
        self.open_end = bool(rest)
        if rest:
            yield rest
