"""Cycles and entries of the match from plain arrays, for tests of its steps."""

import numpy as np

from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.times import UNKNOWN, CycleTimes, Entries


def cycles_of(at_s, *, readings: int = 0, stated_pair=None, **columns) -> CycleTimes:
    """Return cycles that woke then, of which nothing else is known but what is given."""
    at_s = np.asarray(at_s, dtype=np.float64)
    n, unknown = len(at_s), np.full(len(at_s), np.nan)
    usual = {
        "index": np.arange(n),
        "asleep_s": unknown,
        "unlike": np.zeros(n, dtype=np.int64),
        "reading": np.zeros(n, dtype=np.int32),
        "information": np.ones(n),
        "silent": np.zeros(n),
        "awake_s": unknown,
        "to_sleep_s": unknown,
    }
    given = {name: np.asarray(values) for name, values in columns.items()}
    return CycleTimes(
        base_ns=0, at_s=at_s, readings=readings, stated_pair=stated_pair, **usual | given
    )


def entries_of(at_s, *, widest_s: float = 0.0, **columns) -> Entries:
    """Return entries at those moments, ascending, each of a record of its own."""
    at_s = np.asarray(at_s, dtype=np.float64)
    n, unknown = len(at_s), np.full(len(at_s), np.nan)
    usual = {
        "record": np.arange(n),
        "rank": np.arange(n),
        "log_weight": np.zeros(n),
        "half_s": np.zeros(n),
        "asleep_s": unknown,
        "kind": np.ones(n, dtype=np.int64),
        "reading": np.full(n, UNKNOWN, dtype=np.int32),
        "settings_s": np.zeros(n),
        "source": np.zeros(n, dtype=np.int64),
        "before": np.arange(n) - 1,
        "awake_s": unknown,
        "took_s": unknown,
        "resume_s": unknown,
    }
    given = {name: np.asarray(values) for name, values in columns.items()}
    return Entries(base_ns=0, at_s=at_s, widest_s=widest_s, **usual | given)


def pairs_of(cycles: CycleTimes, entries: Entries, rows, entry, offset_s=None) -> Choice:
    """Return certain pairs; the clock stood where they say, or at the offsets given."""
    rows, entry = np.asarray(rows, dtype=np.int64), np.asarray(entry, dtype=np.int64)
    difference_s = entries.at_s[entry] - cycles.at_s[rows]
    offset_s = difference_s if offset_s is None else np.asarray(offset_s, dtype=np.float64)
    return Choice(
        rows,
        entries.record[entry],
        entry,
        np.ones(len(rows)),
        offset_s,
        difference_s - offset_s,
    )
