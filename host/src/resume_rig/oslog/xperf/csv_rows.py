"""Rows of comma-separated tables: line by line, so that a lost quotation mark costs one line."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from resume_rig.oslog.source.lines import LogLines
from resume_rig.oslog.source.problems import ProblemTally

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
