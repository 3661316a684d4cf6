"""A table as Parquet, zstd-compressed, by DuckDB (the extra `export`)."""

import tempfile
from pathlib import Path

import duckdb

from resume_rig.model.errors import UsageError
from resume_rig.report.export.table import Table, csv_pieces

_SQL_TYPES = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN"}


def write_parquet(table: Table, path: Path) -> None:
    """Write `table` to `path`, which is replaced.

    One thread and the order of the rows kept: the same table gives the same bytes.

    Raises:
        UsageError: the place cannot be written to.
    """
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
