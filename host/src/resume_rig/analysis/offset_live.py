"""Offsets that the readings of the log speak for: what came since a cycle's end is likely of it."""

import numpy as np

from resume_rig.analysis.match_live import UNKNOWN, USUAL_LAGS
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats
from resume_rig.analysis.offset_vote import agreed_offsets

_OF_EACH_LAG = 2


class LiveVotes:
    """One vote of each record that a reading brought: for the last cycle before that reading.

    Where the log is late each time, the cycles before that one are voted for, too.
    """

    def __init__(self, cycles: CycleTimes, entries: Entries) -> None:
        self._at_s = cycles.at_s
        told = np.flatnonzero(entries.reading != UNKNOWN) if cycles.readings else np.empty(0, int)
        # Readings rise with the cycles; a clock of the wires that went back spoils a vote only.
        row = np.searchsorted(cycles.reading, entries.reading[told], side="right") - 1
        order = np.argsort(row, kind="stable")
        self._row = row[order]
        self._inside_s = entries.at_s[told[order]]

    def offsets(self, low: int, high: int) -> Floats:
        """Return what is voted for by the records of some cycles, by row from `low` to `high`."""
        first, last = np.searchsorted(self._row, [low, high])
        if first == last:
            return np.empty(0)
        row, inside_s = self._row[first:last], self._inside_s[first:last]
        voted = []
        for lag in USUAL_LAGS:
            apart_s = np.sort((inside_s - self._at_s[np.maximum(row - lag, 0)])[row >= lag])
            voted.append(agreed_offsets(apart_s, _OF_EACH_LAG))
        return np.concatenate(voted)
