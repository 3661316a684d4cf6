"""A table of judged cycles, and below them those that came since. Free of Qt."""

import dataclasses
from typing import Final

import numpy as np

from resume_rig.gui.state.table import Column, Rows, Table

NOT_YET: Final = "not yet"
"""Stands in columns of words where nothing is derived yet."""


def with_newer(judged: Table, seen: Table) -> Table:
    """Return the judged cycles, and those that are newer with what the runner saw of them.

    Args:
        judged: with all columns; the first one is the cycle's number, ascending.
        seen: of the same store, read later; its columns are found by their titles.
    """
    numbers = seen.columns[0].values
    known = judged.columns[0].values
    newer = np.flatnonzero(numbers > known[-1]) if len(known) else np.arange(len(numbers))
    if not len(newer):
        return judged
    by_title = {column.title: column for column in seen.columns}
    return Table(tuple(_longer(each, by_title.get(each.title), newer) for each in judged.columns))


def _longer(column: Column, source: Column | None, rows: Rows) -> Column:
    if column.words is None:
        more = np.full(len(rows), np.nan) if source is None else source.values[rows]
        return dataclasses.replace(column, values=np.concatenate((column.values, more)))
    texts = [NOT_YET] * len(rows) if source is None else [source.cell(int(row)) for row in rows]
    words = tuple(sorted({*column.words, *texts}))
    code_of = {word: code for code, word in enumerate(words)}
    renewed = np.array([code_of[word] for word in column.words], np.int32)
    known = renewed[column.values] if len(column.values) else np.zeros(0, np.int32)
    added = np.array([code_of[text] for text in texts], np.int32)
    return dataclasses.replace(column, values=np.concatenate((known, added)), words=words)
