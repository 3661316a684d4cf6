"""The part of a long campaign that its noise is learnt from, and what is not worth following."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match_likelihood import Noise, by_chance
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_tracks import Tracks

_LEARNT_FROM = 16_384
_SAME_S = 0.8
# By how much a candidate may miss being worth a step there and one back, and still be followed.
_SHORT_OF_STEPS = 5.0
# So many candidates that are alike are more than those that a step leaves behind.
_MANY = 5
_SAMPLED = 128
Mask = NDArray[np.bool_]


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
    stretches = slice(first, last)
    return cycles.of(part), Tracks(
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
    total = np.add.reduceat(gain, tracks.first[:-1], axis=0)
    best = _leads(tracks, total, np.zeros(len(total)), step_cost)
    offset_s = tracks.offset_s.copy()
    for stretch in np.flatnonzero(_settled(tracks, best)).tolist():
        part = slice(int(tracks.first[stretch]), int(tracks.first[stretch + 1]))
        lead = int(best[stretch])
        ahead = np.cumsum(gain[part] - gain[part, lead : lead + 1], axis=0)
        gained = (ahead - np.minimum(np.minimum.accumulate(ahead, axis=0), 0.0)).max(axis=0)
        enough = 2 * step_cost(offset_s[stretch] - offset_s[stretch, lead]) - _SHORT_OF_STEPS
        hopeless = gained < enough
        hopeless[lead] = False
        offset_s[stretch, hopeless] = np.nan
    return replace(tracks, offset_s=offset_s)


def sample_of(tracks: Tracks) -> tuple[Indexes, Indexes]:
    """Return some rows of each stretch, and where those of each begin; last, their number."""
    rows = []
    for low, high in pairwise(tracks.first.tolist()):
        rows.append(np.unique(np.linspace(low, high - 1, _SAMPLED).astype(np.int64)))
    first = np.append(0, np.cumsum([len(each) for each in rows])).astype(np.int64)
    return np.concatenate(rows), first


def uncrowded(
    tracks: Tracks,
    gain: Floats,
    first: Indexes,
    step_cost: Callable[[Floats], Floats],
    noise: Noise,
) -> tuple[Tracks, Mask]:
    """Return the tracks with the best candidate alone where many are as good, and where that is.

    At an even pace there are more than can be followed; `match_rivals` weighs the others.

    Args:
        tracks: of a long campaign.
        gain: log-likelihood of some cycles under each candidate of their stretch, float64 [r, k].
        first: the first of them in each stretch and, last, their number (`sample_of`).
        step_cost: what a step of some seconds costs.
        noise: what the records are like.
    """
    total = np.add.reduceat(gain, first[:-1], axis=0)
    best_of_each = gain.max(axis=1)
    with_record = best_of_each[best_of_each > 0]
    of_each = float(with_record.mean()) if len(with_record) else 0.0
    chance = np.array([by_chance(of_each, int(n), noise) for n in np.diff(first)])
    alike = (total >= total.max(axis=1, keepdims=True) - chance[:, None]).sum(axis=1)
    crowded = alike >= _MANY
    best = _leads(tracks, total, np.where(crowded, chance, 0.0), step_cost)
    alone = np.flatnonzero(crowded & _settled(tracks, best))
    offset_s = tracks.offset_s.copy()
    offset_s[alone] = np.nan
    offset_s[alone, best[alone]] = tracks.offset_s[alone, best[alone]]
    return replace(tracks, offset_s=offset_s), crowded


def _settled(tracks: Tracks, best: Indexes) -> Mask:
    """Return the stretches whose best candidate is that of both neighbours."""
    at = np.arange(len(best))
    lead_s, rate = tracks.offset_s[at, best], tracks.rate[at, best]
    moved = np.abs(np.diff(lead_s) - rate[:-1] * np.diff(tracks.middle_s)) > _SAME_S
    settled = np.ones(len(best), dtype=np.bool_)
    settled[[0, -1]] = False
    settled[:-1] &= ~moved
    settled[1:] &= ~moved
    return settled


def _leads(
    tracks: Tracks, gain: Floats, chance: Floats, step_cost: Callable[[Floats], Floats]
) -> Indexes:
    """Return the best candidate of each stretch, going on with one while no step is worth it.

    At an even pace many are as good as each other; which of them leads must not change for
    nothing.
    """
    best = np.argmax(gain, axis=1).astype(np.int64)
    middle_s, offset_s, rate = tracks.middle_s, tracks.offset_s, tracks.rate
    for at in range(1, len(best)):
        lead = best[at - 1]
        moved_s = rate[at - 1, lead] * (middle_s[at] - middle_s[at - 1])
        apart_s = np.abs(offset_s[at] - (offset_s[at - 1, lead] + moved_s))
        same = int(np.nanargmin(apart_s))
        short = gain[at, best[at]] - gain[at, same]
        if apart_s[same] <= _SAME_S and short <= max(step_cost(apart_s[best[at]]), chance[at]):
            best[at] = same
    return np.asarray(best, dtype=np.int64)
