"""The quick parts of the match done the plain way, for tests that hold one against the other."""

import numpy as np

from resume_rig.analysis.match.times import UNKNOWN

REACH_S, LATE, NEIGHBOURS, WINDOW_S = 1.3, 0.95, 4, 1.6


def near(at_s, predicted_s, reach_s):
    """Return what `match_gains.near` does, from a table of all neighbours."""
    first = np.searchsorted(at_s, predicted_s) - NEIGHBOURS // 2
    place = first[:, None] + np.arange(NEIGHBOURS)
    entry = np.clip(place, 0, len(at_s) - 1)
    away_s = at_s[entry] - predicted_s[:, None]
    of, column = np.nonzero((np.abs(away_s) <= reach_s) & (place == entry))
    return of, entry[of, column], away_s[of, column]


def fullest_windows(differences, voters, least):
    """Return what `offset_vote.fullest_windows` does, one number of votes after the other."""
    for votes in range(voters, 0, -1):
        wide = differences[votes - 1 :] - differences[: len(differences) - votes + 1]
        few = np.flatnonzero(wide <= WINDOW_S)
        if len(few) >= least:
            break
    return few


def residuals(inside, run, predicted_s, _after):
    """Return what the fit of offsets takes for residuals, each looked for in the whole log."""
    at_s = inside.at_s
    after = np.minimum(np.searchsorted(at_s, predicted_s), len(at_s) - 1)
    before = np.maximum(after - 1, 0)
    up, down = at_s[after] - predicted_s, at_s[before] - predicted_s
    is_after = np.abs(up) < np.abs(down)
    residual = np.where(is_after, up, down)
    close = np.abs(residual) <= REACH_S
    if run.reading is None:
        return residual, close, after, np.ones(1)
    told = inside.reading[np.where(is_after, after, before)]
    lag = np.where(told == UNKNOWN, 0, told - run.reading)
    return residual, close & (lag >= 0), after, LATE ** np.maximum(lag, 0)
