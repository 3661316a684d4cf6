"""How much of what a quantised reading says its neighbours have said before.

At an even pace the readings of one cycle and the next are off by nearly the same: a pace that
beats with whole seconds makes the error wander by a second within hours. Counted as if each were
independent, a candidate that lies a tenth of a second better for a while would seem certain.
"""

from dataclasses import replace

import numpy as np

from resume_rig.analysis.match_times import CycleTimes, Entries, Floats
from resume_rig.analysis.offset_tracks import Tracks

_TOGETHER = 64
_REACH_S = 1.3
_LEAST = 0.01


def with_beat(cycles: CycleTimes, entries: Entries, tracks: Tracks) -> CycleTimes:
    """Return the cycles with what each of their readings adds, by the best candidates."""
    rows = np.arange(len(cycles.at_s))
    stretch = np.searchsorted(tracks.first, rows, side="right") - 1
    departure_s = _departure(cycles.at_s + tracks.offset_at(stretch, 0, cycles.at_s), entries)
    known = ~np.isnan(departure_s)
    departure_s = np.where(known, departure_s, 0.0)
    starts = rows[::_TOGETHER]
    own = np.add.reduceat(departure_s**2, starts)
    shared = np.zeros(len(rows))
    shared[1:] = departure_s[1:] * departure_s[:-1]
    together = np.clip(np.add.reduceat(shared, starts) / np.maximum(own, 1e-9), 0.0, 1.0)
    news = np.maximum((1.0 - together) / (1.0 + together), _LEAST)
    return replace(cycles, news=news[rows // _TOGETHER])


def _departure(predicted_s: Floats, entries: Entries) -> Floats:
    """Return how far the nearest entry is from each prediction, NaN where that is too far."""
    after = np.minimum(np.searchsorted(entries.at_s, predicted_s), len(entries.at_s) - 1)
    up, down = (entries.at_s[at] - predicted_s for at in (after, np.maximum(after - 1, 0)))
    departure = np.where(np.abs(up) < np.abs(down), up, down)
    return np.asarray(np.where(np.abs(departure) <= _REACH_S, departure, np.nan))
