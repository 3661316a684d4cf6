"""Records that tell of no wake are matched by their sleep, once the other pairs tell the offset."""

from dataclasses import dataclass, replace

import numpy as np

from resume_rig.analysis.match_choice import Choice
from resume_rig.analysis.match_likelihood import Noise, gains, log_sum, lost_cost
from resume_rig.analysis.match_times import CycleTimes, Entries


@dataclass(frozen=True, slots=True)
class SleepPair:
    """A cycle, a record and the probability of the two belonging together."""

    cycle: int
    record: int
    probability: float


def by_sleep_times(
    sure: Choice, cycles: CycleTimes, entries: Entries, sleeps: Entries, noise: Noise
) -> list[SleepPair]:
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
        return []
    asleep = replace(
        cycles,
        at_s=cycles.at_s - np.nan_to_num(cycles.asleep_s),
        asleep_s=np.full(len(cycles.at_s), np.nan),
    )
    offset_s = np.interp(rows, sure.rows, sure.offset_s)
    found = gains(asleep, sleeps, rows, offset_s, noise)
    lost = lost_cost(asleep, sleeps, rows, offset_s, noise)
    share = np.exp(found.gain - log_sum(np.column_stack([found.gain, lost]), axis=1)[:, None])
    best = share.argmax(axis=1)
    at = np.arange(len(rows))
    entry, share = found.entry[at, best], share[at, best]
    after = np.searchsorted(sure.rows, rows)
    before_rank = np.append(-1, entries.rank[sure.entry])[after]
    after_rank = np.append(entries.rank[sure.entry], np.iinfo(np.int64).max)[after]
    in_order = (sleeps.rank[entry] > before_rank) & (sleeps.rank[entry] < after_rank)
    beside = np.append(1.0, sure.probability)[after] * np.append(sure.probability, 1.0)[after]
    pairs: dict[int, SleepPair] = {}
    for place in np.flatnonzero(in_order).tolist():
        record, probability = int(sleeps.record[entry[place]]), float(share[place] * beside[place])
        pair = SleepPair(int(cycles.index[rows[place]]), record, probability)
        if record not in pairs or pairs[record].probability < probability:
            pairs[record] = pair
    return list(pairs.values())
