"""A table as CSV (RFC 4180): comma, quotes where needed, LF, UTF-8, a heading line.

What is not known is an empty field. Text that a spreadsheet would take for a formula gets an
apostrophe before it: some of it came from a DUT.
"""

import csv
from collections.abc import Iterator
from io import StringIO

from resume_rig.report.export.table import Table, Value
from resume_rig.report.hostile_text import encodable, one_line

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
