"""Whether another offset explains a run of matched cycles as well as the one that was found.

The chain weighs the candidates that it was given. At an even pace there may be hundreds that
explain as much, more than can be followed. So each run between two steps of the clock is looked at
once more: against all records that stand between those of its neighbours, does another offset
come near?
"""

import numpy as np

from resume_rig.analysis.match_choice import Choice
from resume_rig.analysis.match_likelihood import Noise, gains, log_sum, lost_cost
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_vote import most_voters, voted_offsets

STEP_S = 1.5
"""Offsets of two matched cycles in a row that are farther apart are a step of the clock."""
_RIVALS = 24
_VOTERS = 256
_WEIGHED = 4096
_SAME_S = 1.0
_LIKELY = 0.5
_FARTHEST = 40.0
# One pair alone cannot tell a step of the clock from chance.
_ALONE = 0.9


def unrivalled(
    chosen: Choice,
    cycles: CycleTimes,
    entries: Entries,
    noise: Noise,
    expected_s: float | None,
) -> Floats:
    """Return for each pair the probability that no rival of its whole run is the truth instead."""
    likely = np.flatnonzero(chosen.probability > _LIKELY)
    sure = np.zeros(len(chosen.rows))
    if len(likely) == 0:
        return sure
    cuts = np.flatnonzero(np.abs(np.diff(chosen.offset_s[likely])) > STEP_S) + 1
    runs = np.split(likely, cuts)
    rank = entries.rank[chosen.entry]
    for at, run in enumerate(runs):
        before = runs[at - 1][-1] if at else None
        after = runs[at + 1][0] if at + 1 < len(runs) else None
        first = 0 if before is None else int(chosen.rows[before]) + 1
        last = len(cycles.at_s) if after is None else int(chosen.rows[after])
        free = np.ones(len(entries.at_s), dtype=np.bool_)
        if before is not None:
            free &= entries.rank > rank[before]
        if after is not None:
            free &= entries.rank < rank[after]
        anchor_s = expected_s if before is None else float(chosen.offset_s[before])
        found = chosen.where(run)
        weight = _rivals(
            np.arange(first, last),
            found,
            cycles,
            entries.where(free),
            noise=noise,
            anchor_s=anchor_s,
        )
        low = 0 if before is None else int(before) + 1
        high = len(sure) if after is None else int(after)
        sure[low:high] = 1.0 / (1.0 + weight)
        if len(run) == 1 and len(runs) > 1:
            sure[low:high] *= _ALONE
    return sure


def _rivals(
    rows: Indexes,
    run: Choice,
    cycles: CycleTimes,
    free: Entries,
    *,
    noise: Noise,
    anchor_s: float | None,
) -> float:
    """Return the likelihood of all rivals together against that of the run as it was found."""
    voters = run.rows
    # The cycles about a short run may have a better story that the run is no part of.
    spread = rows[np.unique(np.linspace(0, len(rows) - 1, _VOTERS).astype(np.int64))]
    most = min(most_voters(len(free.at_s)), _VOTERS)
    groups = {some[:most].tobytes(): some[:most] for some in (voters, rows, spread)}
    offsets = np.concatenate(
        [voted_offsets(cycles.at_s[some], free.at_s, _RIVALS) for some in groups.values()]
    )
    if len(rows) > _WEIGHED:
        rows = rows[np.linspace(0, len(rows) - 1, _WEIGHED).astype(np.int64)]
    own_s = np.interp(rows, voters, run.offset_s)
    middle_s = float(np.median(own_s))
    moved = np.unique(np.round((offsets - middle_s) / (_SAME_S / 2)) * (_SAME_S / 2))
    moved = moved[np.abs(moved) > _SAME_S]
    own = _explained(rows, own_s, cycles, free, noise) - _far(middle_s, anchor_s)
    total = 0.0
    for away in moved.tolist():
        shifted = own_s + away
        shifted = shifted + _centred(rows, shifted, cycles, free)
        rival = _explained(rows, shifted, cycles, free, noise) - _far(middle_s + away, anchor_s)
        total += float(np.exp(np.clip(rival - own, -_FARTHEST, _FARTHEST)))
    return total


def _explained(
    rows: Indexes, offset_s: Floats, cycles: CycleTimes, free: Entries, noise: Noise
) -> float:
    found = gains(cycles, free, rows, offset_s, noise)
    lost = lost_cost(cycles, free, rows, offset_s, noise)
    return float(log_sum(np.column_stack([found.gain, lost]), axis=1).sum())


def _centred(rows: Indexes, offset_s: Floats, cycles: CycleTimes, free: Entries) -> float:
    """Return how far a rival's own pairs are from it, in the median."""
    predicted = cycles.at_s[rows] + offset_s
    after = np.minimum(np.searchsorted(free.at_s, predicted), len(free.at_s) - 1)
    before = np.maximum(after - 1, 0)
    up, down = free.at_s[after] - predicted, free.at_s[before] - predicted
    residual = np.where(np.abs(up) < np.abs(down), up, down)
    near = residual[np.abs(residual) < _SAME_S]
    return float(np.median(near)) if len(near) else 0.0


def _far(offset_s: float, anchor_s: float | None) -> float:
    """Return what speaks against an offset so far from the one before, or from the expected."""
    return 0.0 if anchor_s is None else float(np.log(max(abs(offset_s - anchor_s), 1.0)))
