"""Tables of a campaign, and each as CSV (RFC 4180) or, by DuckDB, as Parquet.

docs/reference/exports.md lists their columns. An unknown value is an empty field. Text that a
spreadsheet would take for a formula gets an apostrophe before it: some of it came from a DUT.
"""

import csv
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeAlias

from resume_rig.analysis.findings.groups import findings_of
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import OsRecord, state_word
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation, IntervalName, ReconciledCycle
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.report.text.hostile_text import encodable, one_line
from resume_rig.report.text.json_text import utc_json

Value: TypeAlias = int | float | str | bool | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: with its unit at the end.
        type: of its values; each may be None.
    """

    name: str
    type: type[int] | type[float] | type[str] | type[bool]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and the rows below them; `rows` can be read once."""

    name: str
    columns: tuple[Column, ...]
    rows: Iterable[tuple[Value, ...]]


_Getter: TypeAlias = Callable[[ReconciledCycle], Value]


def cycles_table(correlation: Correlation, *, simulated: bool | None = None) -> Table:
    """Return one row a cycle: outcome, outside, inside, reconciled, verdict.

    Args:
        correlation: the answer.
        simulated: whether no PC was measured; None where nobody states it.
    """
    getters = [*_cycle_getters(), (Column("simulated", bool), lambda _: simulated)]
    return Table(
        "cycles",
        tuple(column for column, _ in getters),
        (tuple(get(cycle) for _, get in getters) for cycle in correlation.cycles),
    )


def findings_table(correlation: Correlation) -> Table:
    """Return one row a finding, in order of the cycles."""
    columns = (Column("cycle", int), Column("kind", str), Column("text", str))
    return Table(
        "findings",
        columns,
        (
            (cycle.outside.number, finding.kind.value, one_line(finding.text))
            for cycle in correlation.cycles
            for finding in findings_of(cycle)
        ),
    )


def edges_table(recorded: Iterable[RecordedCycle]) -> Table:
    """Return one row an edge; `t_ns` counts from the wake trigger of its cycle."""
    columns = (
        Column("cycle", int),
        Column("number", int),
        Column("t_ns", int),
        Column("board_ns", int),
        Column("channel", str),
        Column("level", int),
    )
    rows = (
        (
            each.number,
            edge.number,
            edge.t_ns - each.zero_ns,
            edge.t_ns,
            edge.channel.value,
            edge.level,
        )
        for each in recorded
        for edge in each.edges
    )
    return Table("edges", columns, rows)


def components_table(correlation: Correlation) -> Table:
    """Return one row for each phase, device, service and application that a record times."""
    columns = (
        Column("cycle", int),
        Column("kind", str),
        Column("name", str),
        Column("phase", str),
        Column("duration_ms", float),
        Column("start_ms", float),
    )
    return Table("components", columns, _component_rows(correlation))


def _component_rows(correlation: Correlation) -> Iterator[tuple[Value, ...]]:
    for cycle in correlation.cycles:
        records = (each for each in (cycle.shutdown, cycle.record) if each is not None)
        for part in (part for record in records for part in record.components):
            yield (
                cycle.outside.number,
                part.kind.value,
                one_line(part.name),
                one_line(part.phase),
                part.duration_ms,
                part.start_ms,
            )


def _cycle_getters() -> list[tuple[Column, _Getter]]:
    return [
        (Column("cycle", int), lambda c: c.outside.number),
        (Column("outcome", str), lambda c: c.outcome.value),
        (Column("state_outside", str), lambda c: c.outside.state.value),
        (Column("state_asked", str), _state_asked),
        (Column("wake_by", str), _wake_by),
        (Column("ignored", bool), lambda c: c.outside.ignored),
        (Column("judged", bool), lambda c: c.judged),
        (Column("verdict", str), lambda c: c.verdict.value),
        (Column("why_not", str), lambda c: None if c.why_not is None else one_line(c.why_not)),
        *[pair for name in IntervalName for pair in _interval(name)],
        *_bounded("press_to_resume_complete_ns", lambda c: c.press_to_resume_complete),
        *_bounded("unexplained_ns", lambda c: c.unexplained),
        *_bounded("light_after_complete_ns", lambda c: c.light_after_complete),
        (Column("record_id", int), lambda c: c.record.record_id if c.record else None),
        (Column("kind_inside", str), lambda c: c.record.kind.value if c.record else None),
        *[_inside_ms(name) for name in _INSIDE_MS],
        _utc("sleep_time_utc", lambda record: record.sleep_time_utc_ns),
        _utc("wake_time_utc", lambda record: record.wake_time_utc_ns),
        (Column("findings", str), lambda c: ";".join(f.kind.value for f in findings_of(c))),
        _inside_ms("user_init_ms"),
        *_bounded("press_to_desktop_ns", lambda c: c.press_to_desktop),
        (Column("failed_by", str), lambda c: ";".join(c.failed_by)),
    ]


_INSIDE_MS = (
    "bios_init_ms",
    "driver_init_ms",
    "resume_ms",
    "firmware_resume_ms",
    "sleep_ms",
    "wake_ms",
    "hiber_read_ms",
    "hiber_write_ms",
)


def _state_asked(cycle: ReconciledCycle) -> Value:
    asked = cycle.outside.asked
    return None if asked is None else state_word(asked)


def _wake_by(cycle: ReconciledCycle) -> Value:
    return None if cycle.outside.wake_by is None else cycle.outside.wake_by.value


def _interval(name: IntervalName) -> list[tuple[Column, _Getter]]:
    return _bounded(name.value, lambda cycle: cycle.outside.intervals.get(name))


def _bounded(
    name: str, get: Callable[[ReconciledCycle], BoundedNs | None]
) -> list[tuple[Column, _Getter]]:
    """Return the value's column, and that of its bound."""

    def value(cycle: ReconciledCycle) -> Value:
        found = get(cycle)
        return None if found is None else found.value_ns

    def bound(cycle: ReconciledCycle) -> Value:
        found = get(cycle)
        return None if found is None else found.bound_ns

    bound_name = f"{name.removesuffix('_ns')}_bound_ns"
    return [(Column(name, int), value), (Column(bound_name, int), bound)]


def _inside_ms(name: str) -> tuple[Column, _Getter]:
    def value(cycle: ReconciledCycle) -> Value:
        found: int | None = None if cycle.record is None else getattr(cycle.record, name)
        return found

    return Column(name, int), value


def _utc(name: str, get: Callable[[OsRecord], int | None]) -> tuple[Column, _Getter]:
    def value(cycle: ReconciledCycle) -> Value:
        return None if cycle.record is None else utc_json(get(cycle.record))

    return Column(name, str), value


_FORMULA = ("=", "+", "-", "@")
_ROWS_A_PIECE = 500


def csv_pieces(table: Table) -> Iterator[str]:
    """Yield the file in pieces; memory stays flat."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    for index, row in enumerate(table.rows, start=1):
        writer.writerow([_field(value) for value in row])
        if index % _ROWS_A_PIECE == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _field(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            text = encodable(one_line(value))
            return f"'{text}" if text.startswith(_FORMULA) else text
        case _:
            return repr(value)


_SQL_TYPES = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN"}


def write_parquet(table: Table, path: Path) -> None:
    """Write `table` to `path`, which is replaced.

    One thread and the order of the rows kept: the same table gives the same bytes.

    Raises:
        UsageError: the place cannot be written to, or DuckDB is not installed.
    """
    try:
        import duckdb  # of resume-rig[export]; CSV needs nothing
    except ImportError:
        raise UsageError(
            "could not write Parquet: the package duckdb is not installed; install "
            "resume-rig[export], or export csv"
        ) from None
    types = ", ".join(f"'{c.name}': '{_SQL_TYPES[c.type]}'" for c in table.columns)
    with tempfile.TemporaryDirectory(prefix="resume-rig-") as folder:
        between = Path(folder) / "table.csv"
        with between.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(csv_pieces(table))
        try:
            with duckdb.connect(config={"threads": 1}) as connection:
                connection.execute(
                    f"COPY (SELECT * FROM read_csv({_quoted(between)}, header = true, "
                    f"auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
                    f"columns = {{{types}}}, nullstr = '')) TO {_quoted(path)} "
                    "(FORMAT parquet, COMPRESSION zstd)"
                )
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise UsageError(f"could not write {path}: {reason}") from error


def _quoted(path: Path) -> str:
    text = str(path).replace("'", "''")
    return f"'{text}'"
