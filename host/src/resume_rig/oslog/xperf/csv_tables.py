"""CSV summaries of a boot: `xperf -a services` and `xperf -a pnp`, by their description.

Columns as appendix C of Microsoft's paper on on/off transitions tells them; they are found by
their titles. Times of `-a services` are milliseconds. The unit of `-a pnp` is not told: a title
may name it, else it is taken for microseconds, as xperf writes time stamps elsewhere.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from resume_rig.model.os_record import ComponentKind, SleepKind
from resume_rig.oslog.source.lines import head_text
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import figures_of, trace_record
from resume_rig.oslog.source.request import SourceReading, SourceRequest
from resume_rig.oslog.xperf.components import ComponentDraft, ComponentList, name_or_blank
from resume_rig.oslog.xperf.csv_rows import cells_of, column_name, number_of, rows_of, unit_ms

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
    """Return a boot's record with the services of the table.

    Raises:
        OSError: the file cannot be read.
    """
    return _read(request, _Table(SERVICES_KIND, _SERVICES_TITLES, _add_service, 1.0))


def read_xperf_pnp(request: SourceRequest) -> SourceReading:
    """Return a boot's record with the devices and drivers of the table.

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
        if self._not_understood:
            tally.report(
                f"{self._not_understood} rows are of a form that is not known and were left out.",
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
        ComponentDraft(
            kind=ComponentKind.SERVICE,
            name=name,
            phase=f"{transition[:20]} services",
            duration_ms=total_ms,
            start_ms=row.ms("startedat"),
            detail=row.text("container"),
            group=row.text("group"),
        ).done()
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
        ComponentDraft(
            kind=kind,
            name=name_or_blank(row.text("instancepath", "friendlyname", "drivername", "name")),
            phase=phase,
            duration_ms=end_ms - start_ms,
            start_ms=start_ms,
            held_ms=held_ms,
        ).done()
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
    if not found:
        tally.report(
            "The table holds no row that is understood, so it shows nothing.", damage=False
        )
    record = trace_record(request.source, SleepKind.BOOT, found, figures)
    records = (record,) if found else ()
    return request.answer(
        records, table.kind, tally.integrity(), count=len(records), from_description=True
    )
