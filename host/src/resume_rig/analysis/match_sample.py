"""The part of a long campaign that its noise is learnt from, and what is not worth following."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from resume_rig.analysis.match_times import CycleTimes, Entries, Floats
from resume_rig.analysis.offset_tracks import Tracks

_LEARNT_FROM = 16_384
_SAME_S = 0.8
# What a candidate may gain in a stretch beside another, without being worth a step there.
_SHORT_OF_A_STEP = 5.0


def to_learn_from(
    cycles: CycleTimes, entries: Entries, tracks: Tracks
) -> tuple[CycleTimes, Tracks]:
    """Return the middle of what the log covers, or all of a campaign that is not long."""
    n = len(cycles.at_s)
    if n <= _LEARNT_FROM:
        return cycles, tracks
    told_s = tracks.middle_s + tracks.offset_s[:, 0]
    covered = np.flatnonzero((told_s >= entries.at_s[0]) & (told_s <= entries.at_s[-1]))
    middle = int(covered[len(covered) // 2]) if len(covered) else len(told_s) // 2
    low = max(int(tracks.first[middle]) - _LEARNT_FROM // 2, 0)
    first = int(np.searchsorted(tracks.first, low, side="right")) - 1
    last = int(np.searchsorted(tracks.first, min(low + _LEARNT_FROM, n)))
    part = slice(int(tracks.first[first]), int(tracks.first[last]))
    some = CycleTimes(
        cycles.base_ns,
        cycles.at_s[part],
        cycles.index[part],
        cycles.asleep_s[part],
        cycles.unlike[part],
        cycles.reading[part],
        cycles.readings,
    )
    stretches = slice(first, last)
    return some, Tracks(
        tracks.first[first : last + 1] - part.start,
        tracks.offset_s[stretches],
        tracks.rate[stretches],
        tracks.middle_s[stretches],
    )


def worth_following(tracks: Tracks, gain: Floats, step_cost: Callable[[Floats], Floats]) -> Tracks:
    """Return the tracks without those that could only be had for two steps more than they gain.

    Only stretches whose best candidate is that of both neighbours lose any.

    Args:
        tracks: of a long campaign.
        gain: log-likelihood of each cycle under each candidate of its stretch, float64 [n, k].
        step_cost: what a step of some seconds costs.
    """
    starts = tracks.first[:-1]
    best = np.add.reduceat(gain, starts, axis=0).argmax(axis=1)
    at = np.arange(len(best))
    lead_s, rate = tracks.offset_s[at, best], tracks.rate[at, best]
    moved = np.abs(np.diff(lead_s) - rate[:-1] * np.diff(tracks.middle_s)) > _SAME_S
    settled = np.ones(len(best), dtype=np.bool_)
    settled[[0, -1]] = False
    settled[:-1] &= ~moved
    settled[1:] &= ~moved
    offset_s = tracks.offset_s.copy()
    for stretch in np.flatnonzero(settled).tolist():
        part = slice(int(tracks.first[stretch]), int(tracks.first[stretch + 1]))
        lead = int(best[stretch])
        ahead = np.cumsum(gain[part] - gain[part, lead : lead + 1], axis=0)
        gained = (ahead - np.minimum(np.minimum.accumulate(ahead, axis=0), 0.0)).max(axis=0)
        enough = step_cost(offset_s[stretch] - offset_s[stretch, lead]) - _SHORT_OF_A_STEP
        hopeless = gained < enough
        hopeless[lead] = False
        offset_s[stretch, hopeless] = np.nan
    return replace(tracks, offset_s=offset_s)
