"""Tables of a campaign, and each as CSV (RFC 4180) or, by DuckDB, as Parquet.

docs/reference/exports.md lists their columns. An unknown value is an empty field. Text that a
spreadsheet would take for a formula gets an apostrophe before it: some of it came from a DUT.
"""

import csv
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

from resume_rig.analysis.findings.groups import findings_of
from resume_rig.analysis.verdict.columns import (
    CYCLE,
    INSIDE,
    OUTSIDE,
    RECONCILED,
    Column,
    Placed,
    Row,
    Value,
    in_order,
    of_part,
    placed,
)
from resume_rig.model.edge import Edge
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import Component, OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.model.result.verdict import Finding
from resume_rig.report.text.hostile_text import encodable, one_line
from resume_rig.report.text.json_text import utc_json


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and the rows below them; `rows` can be read once."""

    name: str
    columns: tuple[Column[Any], ...]
    rows: Iterable[tuple[Value, ...]]


_PUBLISHED: Final = f"""
cycle outcome state_outside state_asked wake_by ignored judged verdict why_not
{" ".join(column.name for time in OUTSIDE for column in time.columns())}
press_to_resume_complete_ns press_to_resume_complete_bound_ns unexplained_ns unexplained_bound_ns
light_after_complete_ns light_after_complete_bound_ns
record_id kind_inside bios_init_ms driver_init_ms resume_ms firmware_resume_ms sleep_ms wake_ms
hiber_read_ms hiber_write_ms sleep_time_utc wake_time_utc findings user_init_ms
press_to_desktop_ns press_to_desktop_bound_ns failed_by simulated"""
"""The order of the columns of `cycles`: readers of CSV count them."""


def cycle_columns(*, simulated: bool | None = None) -> tuple[Column[Placed], ...]:
    """Return the columns of `cycles`: those of a cycle, and what is text here alone."""
    columns = (
        *of_part(lambda row: row.cycle, CYCLE),
        *(column for time in (*OUTSIDE, *RECONCILED) for column in time.columns()),
        *of_part(lambda row: row.cycle.record, (*_RECORD, *INSIDE)),
        Column("findings", str, _kinds, "The kinds of its findings, with semicolons between"),
        Column("failed_by", str, lambda row: ";".join(row.cycle.failed_by), "What failed it"),
        Column("simulated", bool, lambda _: simulated, "No PC was measured"),
    )
    return tuple(in_order(_PUBLISHED, ((each.name, each) for each in columns)).values())


_RECORD: Final[tuple[Column[OsRecord], ...]] = (
    Column("record_id", int, lambda r: r.record_id, "Number of its OS record in the log"),
    Column("kind_inside", str, lambda r: r.kind.value, "The kind of sleep by its OS record"),
    Column("sleep_time_utc", str, lambda r: utc_json(r.sleep_time_utc_ns), "SleepTime"),
    Column("wake_time_utc", str, lambda r: utc_json(r.wake_time_utc_ns), "WakeTime"),
)


def _kinds(row: Placed) -> str:
    return ";".join(finding.kind.value for finding in findings_of(row.cycle))


def cycles_table(
    correlation: Correlation, *, reset_to_tsc: BoundedNs | None, simulated: bool | None = None
) -> Table:
    """Return one row a cycle: outcome, outside, inside, reconciled, verdict.

    Args:
        correlation: the answer.
        reset_to_tsc: PLTRST# rising to the TSC's zero, as the DUT profile bounds it.
        simulated: whether no PC was measured; None where nobody states it.
    """
    columns = cycle_columns(simulated=simulated)
    return Table("cycles", columns, _rows(columns, placed(correlation.cycles, reset_to_tsc)))


def _rows(columns: Sequence[Column[Row]], of: Iterable[Row]) -> Iterator[tuple[Value, ...]]:
    return (tuple(column.get(row) for column in columns) for row in of)


def findings_table(correlation: Correlation) -> Table:
    """Return one row a finding, in order of the cycles."""
    columns: tuple[Column[tuple[int, Finding]], ...] = (
        Column("cycle", int, lambda row: row[0]),
        Column("kind", str, lambda row: row[1].kind.value),
        Column("text", str, lambda row: one_line(row[1].text)),
    )
    found = (
        (cycle.outside.number, finding)
        for cycle in correlation.cycles
        for finding in findings_of(cycle)
    )
    return Table("findings", columns, _rows(columns, found))


def edges_table(recorded: Iterable[RecordedCycle]) -> Table:
    """Return one row an edge; `t_ns` counts from the wake trigger of its cycle."""
    columns: tuple[Column[tuple[RecordedCycle, Edge]], ...] = (
        Column("cycle", int, lambda row: row[0].number),
        Column("number", int, lambda row: row[1].number),
        Column("t_ns", int, lambda row: row[1].t_ns - row[0].zero_ns),
        Column("board_ns", int, lambda row: row[1].t_ns),
        Column("channel", str, lambda row: row[1].channel.value),
        Column("level", int, lambda row: row[1].level),
    )
    found = ((each, edge) for each in recorded for edge in each.edges)
    return Table("edges", columns, _rows(columns, found))


def components_table(correlation: Correlation) -> Table:
    """Return one row for each phase, device, service and application that a record times."""
    columns: tuple[Column[tuple[int, Component]], ...] = (
        Column("cycle", int, lambda row: row[0]),
        Column("kind", str, lambda row: row[1].kind.value),
        Column("name", str, lambda row: one_line(row[1].name)),
        Column("phase", str, lambda row: one_line(row[1].phase)),
        Column("duration_ms", float, lambda row: row[1].duration_ms),
        Column("start_ms", float, lambda row: row[1].start_ms),
    )
    found = (
        (cycle.outside.number, part)
        for cycle in correlation.cycles
        for record in (cycle.shutdown, cycle.record)
        if record is not None
        for part in record.components
    )
    return Table("components", columns, _rows(columns, found))


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
