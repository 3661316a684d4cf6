"""Offsets between two clocks that a stretch of cycles votes for.

The difference of every entry and every cycle of the stretch is one vote. Differences that many
agree on are candidates. Cycles that repeat evenly make many, one for each shift.
"""

import numpy as np

from resume_rig.analysis.match.times import Floats, Indexes

# Readings about one offset are within a second, and what the time to the OS varies; closer offsets
# are one.
_WINDOW_S = 1.6
_APART_S = 0.8
# A quarter of a second of sorting. Fewer than seven cycles tell no offset from chance, and up to 40
# only the fullest windows are worth counting (assumed).
_VOTES_MAX = 2_000_000
_CYCLES_MIN = 7
_CYCLES_FEW = 40
# So many differences at a time stay in the processor's cache.
_AT_ONCE = 1 << 15


def most_voters(records: int) -> int:
    """Return how many cycles can vote against so many records."""
    return max(_CYCLES_MIN, _VOTES_MAX // max(records, 1))


def voted_offsets(outside_s: Floats, inside_s: Floats, most: int) -> Floats:
    """Return up to `most` offsets (inside minus outside), best first.

    Args:
        outside_s: the stretch, ascending, float64 [n].
        inside_s: where to look, float64 [m].
        most: how many to return.
    """
    if len(outside_s) == 0 or len(inside_s) == 0:
        return np.empty(0)
    voters = outside_s[: most_voters(len(inside_s))]
    differences = (inside_s[None, :] - voters[:, None]).ravel()
    # Each voter's differences are sorted; a stable sort merges such runs.
    differences.sort(kind="stable")
    return _chosen(differences, len(voters), most)


def agreed_offsets(differences_s: Floats, most: int) -> Floats:
    """Return up to `most` offsets that single votes, ascending, float64 [n], agree on."""
    if len(differences_s) == 0:
        return np.empty(0)
    return _chosen(differences_s, len(differences_s), most)


def _chosen(differences: Floats, voters: int, most: int) -> Floats:
    """Return the offsets with most votes, at least a window's half apart, best first."""
    few, votes = _most_voted(differences, voters, 64 * most)
    until = np.searchsorted(differences, differences[few] + _WINDOW_S, side="right")
    chosen: list[float] = []
    for at in np.argsort(-votes, kind="stable").tolist():
        offset = float(differences[few[at] : until[at]].mean())
        if all(abs(offset - other) > _APART_S for other in chosen):
            chosen.append(offset)
            if len(chosen) == most:
                break
    return np.array(chosen)


def _most_voted(differences: Floats, voters: int, most: int) -> tuple[Indexes, Indexes]:
    """Return the places from where a window holds most votes, at most so many, and the votes.

    Args:
        differences: ascending.
        voters: how many voted; a window seldom holds more votes than that.
        most: how many places to return.
    """
    # Where few voted and many records are there, only the fullest windows are worth counting.
    many = voters <= _CYCLES_FEW and len(differences) > most
    few = fullest_windows(differences, voters, most) if many else np.arange(len(differences))
    until = np.searchsorted(differences, differences[few] + _WINDOW_S, side="right")
    votes_each = (until - few).astype(np.int64)
    if len(few) > most:
        kept = np.sort(np.argpartition(votes_each, -most)[-most:])
        few, votes_each = few[kept], votes_each[kept]
    return few, votes_each


def fullest_windows(differences: Floats, voters: int, least: int) -> Indexes:
    """Return the places from where a window holds as many votes as at least so many places have.

    Args:
        differences: ascending, at least `least`.
        voters: how many voted; no more votes than that are asked for.
        least: how many places to return at least.
    """
    few, enough, too_many = None, 1, voters + 1
    votes = voters
    while enough < votes:
        # Of more votes there are never more windows.
        found = _windows_with(votes, differences)
        if len(found) >= least:
            few, enough = found, votes
        else:
            too_many = votes
        votes = (enough + too_many) // 2
    return np.arange(len(differences)) if few is None else few


def _windows_with(votes: int, differences: Floats) -> Indexes:
    """Return the places from where a window holds so many votes or more."""
    starts, found = len(differences) - votes + 1, []
    for low in range(0, starts, _AT_ONCE):
        high = min(low + _AT_ONCE, starts)
        wide = differences[low + votes - 1 : high + votes - 1] - differences[low:high]
        found.append(np.flatnonzero(wide <= _WINDOW_S) + low)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
