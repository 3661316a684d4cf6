"""Records that tell of no wake are matched by their sleep, once the other pairs tell the offset."""

from dataclasses import replace

import numpy as np

from resume_rig.analysis.match_likelihood import Noise, gains, lost_cost
from resume_rig.analysis.match_order import Choice
from resume_rig.analysis.match_pairs import Pairs
from resume_rig.analysis.match_times import CycleTimes, Entries


def by_sleep_times(
    sure: Choice, cycles: CycleTimes, entries: Entries, sleeps: Entries, noise: Noise
) -> Pairs:
    """Return pairs of cycles that are left with records that have only a sleep time.

    Args:
        sure: the pairs by wake.
        cycles: by wake.
        entries: those that `sure` names.
        sleeps: the records in question.
        noise: of the campaign.
    """
    free = np.ones(len(cycles.at_s), dtype=np.bool_)
    free[sure.rows] = False
    rows = np.flatnonzero(free & ~np.isnan(cycles.asleep_s))
    if len(rows) == 0 or len(sure.rows) == 0 or len(sleeps.at_s) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return Pairs(nothing, nothing, np.empty(0))
    asleep = replace(
        cycles,
        at_s=cycles.at_s - np.nan_to_num(cycles.asleep_s),
        asleep_s=np.full(len(cycles.at_s), np.nan),
    )
    offset_s = np.interp(rows, sure.rows, sure.offset_s)
    found = gains(asleep, sleeps, rows, offset_s, noise)
    lost = lost_cost(asleep, sleeps, rows, offset_s, noise)
    best = found.best(len(rows))
    best = best[best >= 0]
    of, entry = found.of[best], found.entry[best]
    share, rows = np.exp(found.gain[best] - found.either(lost)[of]), rows[of]
    after = np.searchsorted(sure.rows, rows)
    before_rank = np.append(-1, entries.rank[sure.entry])[after]
    after_rank = np.append(entries.rank[sure.entry], np.iinfo(np.int64).max)[after]
    in_order = (sleeps.rank[entry] > before_rank) & (sleeps.rank[entry] < after_rank)
    beside = np.append(1.0, sure.probability)[after] * np.append(sure.probability, 1.0)[after]
    pairs = Pairs(cycles.index[rows], sleeps.record[entry], share * beside).where(in_order)
    # A record that two cycles claim is of the likelier one.
    pairs = pairs.where(np.lexsort([-pairs.probability, pairs.record]))
    return pairs.where(np.unique(pairs.record, return_index=True)[1])
