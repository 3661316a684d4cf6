"""What the pair hidden Markov model says of a campaign: pairs, and how likely each is."""

from collections.abc import Sequence

import numpy as np

from pair_hmm.origin import Found, found_in
from pair_hmm.rows import Mask, cycle_rows, log_rows
from resume_rig.analysis.match.pairs import OutsideMoments, columns_of, moments_of, record_times
from resume_rig.analysis.match.times import UNKNOWN, Floats, arrivals_of
from resume_rig.model.os_record import NO_SLEEPS, OsRecord

_LIKELY = 0.5
# Two readings of an RTC in whole seconds, with what varies, differ by less.
_SET_S = 3.0
# A pair between two settings that nothing shows: a sleep of somebody explains it as well (assumed).
_ALONE = 0.9


def likely_pairs(
    cycles: Sequence[OutsideMoments],
    records: Sequence[OsRecord],
    *,
    both_utc: bool = True,
    arrived_at: Sequence[int | None] = (),
    stated_pair: tuple[int, int] | None = None,
) -> dict[tuple[int, int], float]:
    """Return the best record of each cycle that may have one, and how likely it is, 0..1.

    Arguments as of `match`.
    """
    arrivals = arrivals_of(arrived_at, len(records), len(cycles))
    times = record_times(columns_of(records), NO_SLEEPS)
    rows = cycle_rows(moments_of(cycles), arrivals, stated_pair)
    found = {
        source: one
        for source in np.unique(times.source).tolist()
        if (one := found_in(rows, log_rows(times, arrivals, [source]), both_utc=both_utc))
    }
    own = [source for source, one in found.items() if one.own > _LIKELY]
    best = max(found.values(), key=lambda one: one.own, default=None)
    if len(own) > 1:
        best = found_in(rows, log_rows(times, arrivals, own), both_utc=both_utc)
    return {} if best is None else _pairs(best)


def _pairs(found: Found) -> dict[tuple[int, int], float]:
    row, record, likely = found.best()
    probability = likely * found.own
    alone = _alone(found.offset_s(row, record), likely)
    alone &= found.log.reading[record] == UNKNOWN
    probability[alone] = np.minimum(probability[alone], _ALONE)
    cycle, of_log = found.cycles.index[row], found.log.record[record]
    each = zip(cycle.tolist(), of_log.tolist(), strict=True)
    return dict(zip(each, probability.tolist(), strict=True))


def _alone(offset_s: Floats, likely: Floats) -> Mask:
    """Return which likely pairs have no other by the same clock beside them, while others have."""
    runs = np.flatnonzero(likely > _LIKELY)
    is_set = np.abs(np.diff(offset_s[runs])) > _SET_S
    alone = np.zeros(len(likely), dtype=np.bool_)
    alone[runs] = np.append(True, is_set) & np.append(is_set, True)
    return alone if len(runs) > 1 else np.zeros_like(alone)
