"""A filter in words over the columns of a table: "outcome is hung and press to light above p99".

    filter     = part { "or" part }
    part       = condition { "and" condition }
    condition  = "not" condition | "(" filter ")" | column [comparison] value | words
    comparison = is, is not, holds, above, below, at least, at most, = != > < >= <=
    value      = a number, with a unit of time or without; pNN, a percentile; "missing"; words

A column is named by its title without the unit. Words that name no column are looked for in all
cells. Free of Qt.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.gui.state.table import Column, Table
from resume_rig.model.errors import UsageError
from resume_rig.model.units import TIME_UNITS_NS

Keep: TypeAlias = NDArray[np.bool_]

MOST_SIGNS: Final = 500
_MOST_DEEP: Final = 20
_TOKEN: Final = re.compile(r'"[^"]*"|<=|>=|!=|[()<>=]|[^\s()<>=!"]+')
_PERCENTILE: Final = re.compile(r"p(\d{1,2}(?:\.\d+)?)")
_NUMBER: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)(ns|us|ms|s)?")
_STOPS: Final = frozenset({"and", "or", ")"})
_COMPARISONS: Final[Mapping[tuple[str, ...], str]] = {
    ("is", "not"): "!=",
    ("is",): "=",
    ("holds",): "holds",
    ("above",): ">",
    ("below",): "<",
    ("at", "least"): ">=",
    ("at", "most"): "<=",
    **{(sign,): sign for sign in ("<=", ">=", "!=", "<", ">", "=")},
}
_OF_NUMBERS: Final[Mapping[str, Callable[[NDArray[np.float64], float], Keep]]] = {
    "=": operator.eq,
    "!=": lambda values, to: (values != to) & ~np.isnan(values),
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_FORMS: Final = "is, is not, holds, above, below, at least, at most, = != < > <= >="


def rows_of_filter(text: str, table: Table, aliases: Mapping[str, str]) -> Keep | None:
    """Return which rows a filter keeps; None where it is empty and keeps all.

    Args:
        text: the filter.
        table: whose rows.
        aliases: other names of columns, e.g. "t_50" for "press to light".

    Raises:
        UsageError: it cannot be understood; the text has what is allowed.
    """
    if not text.strip():
        return None
    if len(text) > MOST_SIGNS:
        raise UsageError(f"the filter has {len(text)} signs; {MOST_SIGNS} are allowed")
    return _Parser(_TOKEN.findall(text), table, aliases).whole()


class _Parser:
    """Reads a filter from left to right."""

    def __init__(self, tokens: Sequence[str], table: Table, aliases: Mapping[str, str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._deep = 0
        self._table = table
        self._columns: dict[tuple[str, ...], Column] = {
            tuple(_name_of(column).split()): column for column in table.columns
        }
        for alias, name in aliases.items():
            column = self._columns.get(tuple(name.split()))
            if column is not None:
                self._columns.setdefault(tuple(alias.split()), column)

    def whole(self) -> Keep:
        keep = self._filter()
        if self._at < len(self._tokens):
            self._refuse(f"found {self._tokens[self._at]!r} where it should end")
        return keep

    def _filter(self) -> Keep:
        keep = self._part()
        while self._take("or"):
            keep = keep | self._part()
        return keep

    def _part(self) -> Keep:
        keep = self._condition()
        while self._take("and"):
            keep = keep & self._condition()
        return keep

    def _condition(self) -> Keep:
        if self._take("not"):
            with self._deeper():
                return ~self._condition()
        if self._take("("):
            with self._deeper():
                keep = self._filter()
            if not self._take(")"):
                self._refuse("a bracket is not closed")
            return keep
        column = self._column()
        if column is None:
            return self._table.holding(self._words("a column or words"))
        return self._compared(column)

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._deep += 1
        if self._deep > _MOST_DEEP:
            self._refuse(f"brackets and nots are nested more than {_MOST_DEEP} deep")
        yield
        self._deep -= 1

    def _compared(self, column: Column) -> Keep:
        sign = self._comparison()
        words = self._words(f"a value for {_name_of(column)}")
        if words == "missing":
            return _missing(column) if sign != "!=" else ~_missing(column)
        if column.numeric and sign != "holds":
            values = column.values.astype(np.float64)
            return _OF_NUMBERS[sign](values, self._number(words, column, values))
        if sign not in ("=", "!=", "holds"):
            self._refuse(f"{_name_of(column)} holds words, which are not above or below others")
        keep = _same(column, words, within=sign == "holds")
        return ~keep if sign == "!=" else keep

    def _column(self) -> Column | None:
        """Take the longest name of a column that stands here."""
        rest = [token.lower() for token in self._tokens[self._at :]]
        found = [words for words in self._columns if words == tuple(rest[: len(words)])]
        if not found:
            return None
        words = max(found, key=len)
        self._at += len(words)
        return self._columns[words]

    def _comparison(self) -> str:
        rest = [token.lower() for token in self._tokens[self._at : self._at + 2]]
        for words, sign in _COMPARISONS.items():
            if tuple(rest[: len(words)]) == words:
                self._at += len(words)
                return sign
        return "="  # "wake by lid"

    def _words(self, wanted: str) -> str:
        """Take everything up to "and", "or" or a bracket."""
        start = self._at
        while self._at < len(self._tokens) and self._tokens[self._at].lower() not in _STOPS:
            self._at += 1
        if self._at == start:
            self._refuse(f"{wanted} is missing")
        return " ".join(token.strip('"') for token in self._tokens[start : self._at]).lower()

    def _number(self, words: str, column: Column, values: NDArray[np.float64]) -> float:
        if found := _PERCENTILE.fullmatch(words):
            measured = values[~np.isnan(values)]
            return float(np.percentile(measured, float(found[1]))) if len(measured) else np.nan
        found = _NUMBER.fullmatch(words.replace(" ", ""))
        if not found:
            self._refuse(
                f"{words!r} is no value of {_name_of(column)}; allowed are numbers, percentiles"
                " as p99, and missing"
            )
        number, unit, own = float(found[1]), found[2], _unit_of(column)
        if unit is None:
            return number
        if own not in TIME_UNITS_NS:
            self._refuse(f"{_name_of(column)} has no unit of time, and {words!r} has one")
        return number * TIME_UNITS_NS[unit] / TIME_UNITS_NS[own]

    def _take(self, word: str) -> bool:
        here = self._at < len(self._tokens) and self._tokens[self._at].lower() == word
        self._at += here
        return here

    def _refuse(self, why: str) -> NoReturn:
        names = ", ".join(_name_of(column) for column in self._table.columns)
        raise UsageError(f"could not filter: {why}; columns are {names}; comparisons are {_FORMS}")


def _name_of(column: Column) -> str:
    return column.title.partition(",")[0].lower()


def _unit_of(column: Column) -> str:
    return column.title.partition(",")[2].strip()


def _missing(column: Column) -> Keep:
    if column.numeric:
        return np.isnan(column.values.astype(np.float64))
    return column.rows_of(lambda text: not text or text == "-")


def _same(column: Column, words: str, *, within: bool) -> Keep:
    """Return which texts are the words, or begin with them, or hold them."""

    def keep(text: str) -> bool:
        text = text.lower()
        return words in text if within else text == words or text.startswith(f"{words} ")

    return column.rows_of(keep)
