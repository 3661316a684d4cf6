"""CSV tables that wpaexporter writes of a trace: by their columns, whatever view they are of.

A column that names a process, service, module, device or region tells what a row is about; the
first column of a duration, weight or processor time tells how long. The unit stands in the
column's title.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.os_record import Component, ComponentKind, SleepKind
from resume_rig.oslog.source.lines import head_text
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import trace_record
from resume_rig.oslog.source.request import SourceReading, SourceRequest
from resume_rig.oslog.xperf.components import COMPONENT_LIMIT, ComponentList, name_or_blank
from resume_rig.oslog.xperf.csv_rows import column_name, number_of, rows_of, title_cells, unit_ms

KIND: Final = "wpa-table"

# Columns that name what a row is about, the more telling ones first.
_SUBJECTS: Final[Mapping[str, ComponentKind]] = {
    "region": ComponentKind.PHASE,
    "regionname": ComponentKind.PHASE,
    "phase": ComponentKind.PHASE,
    "service": ComponentKind.SERVICE,
    "servicename": ComponentKind.SERVICE,
    "device": ComponentKind.DEVICE,
    "devicename": ComponentKind.DEVICE,
    "driver": ComponentKind.DRIVER,
    "module": ComponentKind.DRIVER,
    "process": ComponentKind.APPLICATION,
    "processname": ComponentKind.APPLICATION,
    "newprocess": ComponentKind.APPLICATION,
    "newprocessname": ComponentKind.APPLICATION,
    "initiatingprocess": ComponentKind.APPLICATION,
}
_TIMES: Final = re.compile(
    r"(duration|weight|cpu ?usage|service ?time|io ?time|elapsed|total ?time|time)\b", re.IGNORECASE
)
_BEGINS: Final = frozenset({"start", "starttime", "begin"})
_NO_DURATION: Final = re.compile(r"^(?:start|begin|end|stop|switch|timestamp)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where in a row what stands."""

    subject: int
    kind: ComponentKind
    value: int
    value_ms: float
    title: str
    start: int | None
    start_ms: float


def is_wpa_table(head: bytes) -> bool:
    """Whether a file that begins so is a table of wpaexporter: its first line has both columns."""
    text = head_text(head)
    first, _, _ = text.replace("\r", "\n").partition("\n")
    return not text.startswith("<") and _columns_of(title_cells(first)) is not None


def read_wpa_table(request: SourceRequest) -> SourceReading:
    """Return one record with the components of the table.

    Rows of one name are added up where the table shows weights: it has one for each thread.

    Raises:
        OSError: the file cannot be read.
    """
    tally = ProblemTally()
    columns: _Columns | None = None
    rows = _Rows()
    for cells in rows_of(request.path, tally):
        if columns is None:
            columns = _columns_of(cells)
        else:
            rows.take(cells, columns)
    components = rows.finish(tally)
    if not components:
        tally.report(
            "The table holds no row that is understood, so it shows nothing.", damage=False
        )
    record = trace_record(request.source, SleepKind.UNKNOWN, components)
    records = (record,) if components else ()
    return request.answer(
        records, KIND, tally.integrity(), count=len(records), from_description=True
    )


class _Rows:
    """Takes rows; durations stand as they are, weights of one name are added up."""

    def __init__(self) -> None:
        self._single = ComponentList()
        self._sums: dict[tuple[ComponentKind, str, str], float] = {}
        self._not_understood = 0
        self._left_out = 0

    def take(self, cells: Sequence[str], columns: _Columns) -> None:
        value = number_of(cells[columns.value]) if columns.value < len(cells) else None
        if value is None or columns.subject >= len(cells):
            self._not_understood += 1
            return
        name = name_or_blank(cells[columns.subject])
        value_ms = value * columns.value_ms
        if not columns.title.lower().startswith("duration"):
            self._add_up((columns.kind, name, columns.title), value_ms)
            return
        start = None if columns.start is None else columns.start
        start_value = number_of(cells[start]) if start is not None and start < len(cells) else None
        start_ms = None if start_value is None else start_value * columns.start_ms
        self._single.add(Component(columns.kind, name, "trace", value_ms, start_ms))

    def finish(self, tally: ProblemTally) -> tuple[Component, ...]:
        for (kind, name, title), value_ms in self._sums.items():
            self._single.add(Component(kind, name, f"trace ({title.lower()})", value_ms))
        if self._not_understood:
            tally.report(
                f"{self._not_understood} rows hold no time that is understood and were left out.",
                damage=False,
            )
        if self._left_out:
            tally.report(
                f"The table names more than {COMPONENT_LIMIT} components; {self._left_out} rows"
                " were left out.",
                damage=True,
            )
        return self._single.finish(tally)

    def _add_up(self, key: tuple[ComponentKind, str, str], value_ms: float) -> None:
        if key in self._sums or len(self._sums) < COMPONENT_LIMIT:
            self._sums[key] = self._sums.get(key, 0.0) + value_ms
        else:
            self._left_out += 1


def _columns_of(titles: Sequence[str]) -> _Columns | None:
    """Return where a title line's columns are; None where it is none of such a table."""
    names = [column_name(title) for title in titles]
    subject = next((name for name in _SUBJECTS if name in names), None)
    times = [
        (index, unit)
        for index, title in enumerate(titles)
        if (unit := unit_ms(title)) is not None
        and _TIMES.search(title) is not None
        and _NO_DURATION.match(title) is None
    ]
    if subject is None or not times:
        return None
    value, value_ms = times[0]
    start = next((index for index, name in enumerate(names) if name in _BEGINS), None)
    return _Columns(
        subject=names.index(subject),
        kind=_SUBJECTS[subject],
        value=value,
        value_ms=value_ms,
        title=re.sub(r"\s*[(\[].*", "", titles[value])[:40],
        start=start,
        start_ms=1.0 if start is None else unit_ms(titles[start]) or 1_000.0,
    )
