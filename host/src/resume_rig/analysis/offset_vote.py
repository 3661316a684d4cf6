"""Offsets between two clocks that a stretch of cycles votes for.

The difference of every entry and every cycle of the stretch is one vote. Differences that many
agree on are candidates. Cycles that repeat evenly make many, one for each shift.
"""

import numpy as np

from resume_rig.analysis.match_times import Floats

_WINDOW_S = 1.6
_APART_S = 0.8
_VOTES_MAX = 2_000_000
_CYCLES_MIN = 7


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
    differences.sort()
    until = np.searchsorted(differences, differences + _WINDOW_S, side="right").astype(np.int32)
    votes = until - np.arange(len(differences), dtype=np.int32)
    few = np.arange(len(votes))
    if len(few) > 64 * most:
        few = np.sort(np.argpartition(votes, -64 * most)[-64 * most :])
    order = few[np.argsort(-votes[few], kind="stable")]
    chosen: list[float] = []
    for at in order:
        offset = float(differences[at : until[at]].mean())
        if all(abs(offset - other) > _APART_S for other in chosen):
            chosen.append(offset)
            if len(chosen) == most:
                break
    return np.array(chosen)
