"""CSV tables of Microsoft's tools, by their columns: `xperf -a services`, `-a pnp`, wpaexporter's.

Columns of xperf are those of appendix C of Microsoft's paper on on/off transitions. Of a table of
wpaexporter, whatever view it is of, a column that names a process, service, module, device or
region is what a row is about, and the first column of a duration, weight or processor time is how
long. Tables are read line by line, so that a lost quotation mark costs one line.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from resume_rig.model.os_record import Component, ComponentKind, OsRecord, SleepKind
from resume_rig.oslog.source.components import COMPONENT_LIMIT, ComponentList, name_or_blank
from resume_rig.oslog.source.lines import LogLines, head_text
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import BARE_RECORD, SourceReading, SourceRequest, figures_of

COLUMN_LIMIT: Final = 256
"""Columns of a row that are looked at."""

_TIME_UNIT: Final = re.compile(
    r"[(\[]\s*(ns|us|µs|μs|ms|s|nsec|usec|msec|sec)\s*[)\]]", re.IGNORECASE
)
_UNITS_MS: Final = {
    **dict.fromkeys(("ns", "nsec"), 1e-6),
    **dict.fromkeys(("us", "µs", "μs", "usec"), 1e-3),
    **dict.fromkeys(("ms", "msec"), 1.0),
    **dict.fromkeys(("s", "sec"), 1e3),
}
_NUMBER: Final = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3}){1,5}(?:\.[0-9]{1,12})?|[0-9]{1,18}(?:\.[0-9]{1,12})?"
)


def cells_of(line: str) -> list[str]:
    """Return the cells of one line, stripped."""
    if '"' not in line:
        return [cell.strip() for cell in line.split(",", COLUMN_LIMIT)]
    try:
        row = next(csv.reader([line.replace("\0", "")], skipinitialspace=True), [])
    except csv.Error:
        return []
    return [cell.strip() for cell in row[: COLUMN_LIMIT + 1]]


def title_cells(line: str) -> list[str]:
    """Return the cells of a title line, which may be separated by tabs, as a copied table is."""
    return _tabbed(line) if "\t" in line.strip() else cells_of(line)


def _tabbed(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t", COLUMN_LIMIT)]


def rows_of(path: Path, tally: ProblemTally) -> Iterator[list[str]]:
    """Yield the rows of a table that are not empty; by tabs where its first row has any.

    Every tool ends each row. One without an end may be cut within a number, so it is left out.

    Raises:
        OSError: the file cannot be read.
    """
    lines = LogLines(path, tally)
    held, cells = "", None
    for line in lines:
        if held:
            cells = cells or (_tabbed if "\t" in held.strip() else cells_of)
            yield cells(held)
        held = "" if line.isspace() else line
    cells = cells or cells_of
    if lines.open_end and held:
        tally.report(
            "The table ends inside a row, so that row and all after it are unknown.", damage=True
        )
    elif held:
        yield cells(held)


def number_of(text: str) -> float | None:
    """Return a number of 0 or more, thousands' commas allowed; None where it is none."""
    text = text.strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    return float(text.replace(",", ""))


def unit_ms(title: str) -> float | None:
    """Return how many milliseconds the unit in a column's title is; None where it names none."""
    match = _TIME_UNIT.search(title)
    return None if match is None else _UNITS_MS[match[1].lower()]


def column_name(title: str) -> str:
    """Return a column's title to compare by: letters and digits only, without its unit."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"[(\[].*", "", title.lower()))


SERVICES_KIND: Final = "xperf-services"
PNP_KIND: Final = "xperf-pnp"

_SERVICES_TITLES: Final = frozenset({"servicename", "totaltime", "startedat"})
_PNP_TITLES: Final = frozenset({"eventtype", "startts", "endts"})
_TITLE_LINES: Final = 64
# What each event of the PnP table is, and the phase it is shown under.
_PNP_EVENTS: Final[Mapping[str, tuple[ComponentKind, str]]] = {
    "bootinit": (ComponentKind.DRIVER, "boot driver entry"),
    "driverload": (ComponentKind.DRIVER, "driver load"),
    "devicestart": (ComponentKind.DEVICE, "device start"),
    "deviceenum": (ComponentKind.DEVICE, "device enumeration"),
}


def is_xperf_services(head: bytes) -> bool:
    """Whether a file that begins so is a CSV summary of services."""
    return _titles_in(head, _SERVICES_TITLES)


def is_xperf_pnp(head: bytes) -> bool:
    """Whether a file that begins so is a CSV summary of Plug and Play."""
    return _titles_in(head, _PNP_TITLES)


def read_xperf_services(request: SourceRequest) -> SourceReading:
    """Return a boot's record with the services of the table; its times are milliseconds.

    Raises:
        OSError: the file cannot be read.
    """
    return _read(request, _Table(SERVICES_KIND, _SERVICES_TITLES, _add_service, 1.0))


def read_xperf_pnp(request: SourceRequest) -> SourceReading:
    """Return a boot's record with the devices and drivers of the table.

    A title may name the unit of its times; else they are taken for microseconds, as xperf writes
    time stamps elsewhere.

    Raises:
        OSError: the file cannot be read.
    """
    return _read(request, _Table(PNP_KIND, _PNP_TITLES, _add_pnp, None))


class _Row:
    """One row by its columns' names; times in milliseconds."""

    def __init__(self, titles: Mapping[str, tuple[int, float]], cells: Sequence[str]) -> None:
        self._titles = titles
        self._cells = cells

    def text(self, *names: str) -> str:
        for name in names:
            index = self._titles.get(name, (len(self._cells), 1.0))[0]
            if index < len(self._cells) and self._cells[index]:
                return self._cells[index]
        return ""

    def ms(self, *names: str) -> float | None:
        name = next((name for name in names if name in self._titles), None)
        value = None if name is None else number_of(self.text(name))
        return None if name is None or value is None else value * self._titles[name][1]


_AddRow = Callable[[_Row, ComponentList], bool]  # whether the row was understood


class _Table:
    """Which rows are read, how, and what was not understood."""

    def __init__(
        self,
        kind: str,
        wanted: frozenset[str],
        add: _AddRow,
        ms_per_unit: float | None,
    ) -> None:
        self.kind = kind
        self._wanted = wanted
        self._add = add
        self._ms_per_unit = ms_per_unit
        self._titles: Mapping[str, tuple[int, float]] = {}
        self._assumed = False
        self._not_understood = 0
        self._auto_start: dict[str, float] = {}

    def take(self, cells: Sequence[str], components: ComponentList) -> None:
        names = [column_name(cell) for cell in cells]
        if self._wanted <= set(names):
            self._titles = self._read_titles(cells, names)
        elif not self._titles:
            self._take_head(cells)
        elif not self._add(_Row(self._titles, cells), components):
            self._not_understood += 1

    def finish(self, tally: ProblemTally) -> dict[str, float]:
        if self._assumed:
            tally.report(
                "The table names no unit of its times; microseconds were taken, as xperf writes"
                " time stamps.",
                damage=False,
            )
        tally.report_count(
            "{} rows are of a form that is not known and were left out.",
            self._not_understood,
            damage=False,
        )
        return self._auto_start

    def _read_titles(
        self, cells: Sequence[str], names: Sequence[str]
    ) -> Mapping[str, tuple[int, float]]:
        units = [unit_ms(cell) for cell in cells]
        if self._ms_per_unit is None and not any(units):
            self._assumed = True
        default = self._ms_per_unit or next((unit for unit in units if unit), 1e-3)
        titles: dict[str, tuple[int, float]] = {}
        for index, (name, unit) in enumerate(zip(names, units, strict=True)):
            titles.setdefault(name, (index, unit or default))
        return titles

    def _take_head(self, cells: Sequence[str]) -> None:
        """Keep the time of all autostart services, which stands above the table."""
        text = column_name(cells[0]) if cells else ""
        if not text.startswith("autostart"):
            return
        value = next((n for n in map(number_of, cells[1:]) if n is not None), None)
        if value is not None and ("elapsed" in text or "duration" in text or "time" in text):
            self._auto_start["services_auto_start_ms"] = value


def _add_service(row: _Row, components: ComponentList) -> bool:
    name, total_ms = row.text("servicename"), row.ms("totaltime")
    transition = row.text("transition").lower() or "start"
    if not name or (total_ms is None and row.text("totaltime") != "-1"):
        return False
    components.add(
        Component(
            kind=ComponentKind.SERVICE,
            name=name,
            phase=f"{transition[:20]} services",
            duration_ms=total_ms,
            start_ms=row.ms("startedat"),
            detail=row.text("container"),
            group=row.text("group"),
        )
    )
    return True


def _add_pnp(row: _Row, components: ComponentList) -> bool:
    event = _PNP_EVENTS.get(column_name(row.text("eventtype")))
    start_ms, end_ms, pend_ms = row.ms("startts"), row.ms("endts"), row.ms("pendts")
    if event is None or start_ms is None or end_ms is None or end_ms < start_ms:
        return False
    kind, phase = event
    held_ms = None if pend_ms is None else min(max(pend_ms, start_ms), end_ms) - start_ms
    components.add(
        Component(
            kind=kind,
            name=name_or_blank(row.text("instancepath", "friendlyname", "drivername", "name")),
            phase=phase,
            duration_ms=end_ms - start_ms,
            start_ms=start_ms,
            held_ms=held_ms,
        )
    )
    return True


def _titles_in(head: bytes, wanted: frozenset[str]) -> bool:
    text = head_text(head)
    if text.startswith("<"):
        return False
    lines = text.replace("\r", "\n").split("\n", _TITLE_LINES)[:_TITLE_LINES]
    return any(
        wanted <= {column_name(cell) for cell in cells_of(line)} for line in lines if "," in line
    )


def _read(request: SourceRequest, table: _Table) -> SourceReading:
    tally = ProblemTally()
    components = ComponentList()
    for cells in rows_of(request.path, tally):
        table.take(cells, components)
    figures = figures_of(**table.finish(tally))
    found = components.finish(tally)
    record = replace(
        BARE_RECORD, source=request.source, kind=SleepKind.BOOT, components=found, figures=figures
    )
    return _answer(request, table.kind, record, tally)


def _answer(
    request: SourceRequest, kind: str, record: OsRecord, tally: ProblemTally
) -> SourceReading:
    """Return the record of a table; none where it has no components."""
    records = (record,) if record.components else ()
    if not records:
        tally.report(
            "The table holds no row that is understood, so it shows nothing.", damage=False
        )
    return request.answer(
        records, kind, tally.integrity(), count=len(records), from_description=True
    )


KIND: Final = "wpa-table"

# Columns that name what a row is about, the more specific ones first.
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
    record = replace(
        BARE_RECORD, source=request.source, kind=SleepKind.UNKNOWN, components=components
    )
    return _answer(request, KIND, record, tally)


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
        tally.report_count(
            "{} rows hold no time that is understood and were left out.",
            self._not_understood,
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
