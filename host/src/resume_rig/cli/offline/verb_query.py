"""`resume-rig query`: questions of the user's own to a lake, in SQL that only reads."""

import argparse
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from resume_rig.cli.offline.verb_lake import add_engine_arguments, check_engine
from resume_rig.cli.terminal.arguments import add_verb, duration_ns, named, whole_number
from resume_rig.cli.terminal.console import DONE, answer, answer_json, answer_style, print_note
from resume_rig.model.errors import UsageError
from resume_rig.model.units import NS_PER_S

if TYPE_CHECKING:
    from resume_rig.report.text.json_text import Json

_ROWS_MOST = 1_000_000
_CELL_MOST = 60
# A question to 10 million cycles takes seconds (benchmarks/lake.py).
_TIME_LIMIT_NS = 120 * NS_PER_S


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "query",
        "ask a lake in SQL; it only reads",
        "  resume-rig query /srv/lake 'SELECT dut, verdict, count(*) AS n FROM campaigns GROUP BY "
        "dut, verdict'",
    )
    parser.add_argument("lake", metavar="URL", type=named, help="folder or URL of the lake")
    parser.add_argument(
        "sql",
        metavar="SQL",
        type=named,
        help="one SELECT, in DuckDB's dialect, whichever engine answers",
    )
    parser.add_argument(
        "--rows",
        metavar="N",
        type=whole_number,
        default=1000,
        help="show at most so many rows (default 1000)",
    )
    parser.add_argument(
        "--time-limit",
        metavar="TIME",
        type=duration_ns,
        default=_TIME_LIMIT_NS,
        help="give up after this time (default 2min)",
    )
    add_engine_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Ask, and show what is answered."""
    from resume_rig.report.text.json_text import json_text, text_json

    if not 1 <= args.rows <= _ROWS_MOST:
        raise UsageError(f"could not show {args.rows} rows; allowed are 1 to {_ROWS_MOST} (--rows)")
    if args.time_limit <= 0:
        raise UsageError("could not ask: allowed is a --time-limit above 0 s")
    check_engine(args, "ask a lake")
    from resume_rig.lake.question import Question, answered

    question = Question(args.lake, args.sql, args.rows, args.engine, args.spark_master)
    columns, rows = answered(question, args.time_limit)
    more, rows = len(rows) > args.rows, rows[: args.rows]
    if more:
        print_note(f"resume-rig: there are more rows; --rows {args.rows} cut them off")
    if args.json:
        document: dict[str, Json] = {
            "schema": "resume-rig/query/1",
            "columns": [text_json(name) for name in columns],
            "rows": [[_json(value) for value in row] for row in rows],
            "more": more,
        }
        answer_json([json_text(document) + "\n"])
    else:
        answer(_table(columns, rows))
    return DONE


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    from resume_rig.report.text.terminal_style import Column, table_lines

    style = answer_style()
    shown = [
        Column(
            style.cell(name, _CELL_MOST),
            [style.cell(_text(row[place]), _CELL_MOST) for row in rows],
            right=all(isinstance(row[place], int | float | None) for row in rows),
        )
        for place, name in enumerate(columns)
    ]
    for line in table_lines(shown):
        yield f"{line}\n"


def _text(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _json(value: Any) -> "Json":
    from resume_rig.report.text.json_text import number_json, text_json

    match value:
        case None | bool() | int():
            found: Json = value
        case float():
            found = number_json(value)
        case Decimal():
            found = int(value) if value == value.to_integral_value() else float(value)
        case list() | tuple():
            found = [_json(each) for each in value]
        case dict():
            found = {text_json(str(name)): _json(each) for name, each in value.items()}
        case _:
            found = text_json(value.isoformat() if isinstance(value, date) else str(value))
    return found
