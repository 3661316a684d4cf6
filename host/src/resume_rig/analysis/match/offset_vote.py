"""Offsets between two clocks that a stretch of cycles votes for, moved to where their pairs are.

The difference of every entry and every cycle of the stretch is one vote; differences that many
agree on are candidates, one for each shift where cycles repeat evenly. Each candidate is then
fitted to the pairs that it makes.
"""

from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match.times import (
    UNKNOWN,
    CycleTimes,
    Entries,
    Floats,
    Indexes,
    Readings,
    Rows,
    joined,
)

# Readings about one offset are within a second, and what the time to the OS varies; closer offsets
# are one (both assumed).
_WINDOW_S = 1.6
_DIFFERENCE_S = 0.8
# A quarter of a second of sorting. Fewer than seven cycles distinguish no offset from chance, and
# up to 40 only the fullest windows are worth counting (assumed).
_VOTES_MAX = 2_000_000
_CYCLES_MIN = 7
_CYCLES_FEW = 40
# Assumed: so many differences at a time stay in the processor's cache.
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
    """Return the offsets with most votes, at least half a window from each other, best first."""
    few, votes = _most_voted(differences, voters, 64 * most)
    until = np.searchsorted(differences, differences[few] + _WINDOW_S, side="right")
    chosen: list[float] = []
    for at in np.argsort(-votes, kind="stable").tolist():
        offset = float(differences[few[at] : until[at]].mean())
        if all(abs(offset - other) > _DIFFERENCE_S for other in chosen):
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


# Half a second of the RTC, as much again where a vote is off, and what varies (assumed).
_REACH_S = 1.3
# Five times a poor crystal: more is no drift. Fewer pairs show no rate (assumed).
_RATE_MAX = 150e-6
_RATE_OF_AT_LEAST = 24
# What crystals do; what a quantised reading is off by; and by how much all of them change at once
# where a pace beats with whole seconds (all assumed).
_CRYSTAL_RATE = 30e-6
_READING_S, _BEAT_S = 0.3, 1.0
# After two the pairs stay the same. An offset that explains less than three of four cycles, or none
# of five in a row, may hide a setting of the clock: others are looked for (assumed).
_ROUNDS = 2
_SUPPORT = 0.75
_MISSED_RUN = 5
# What a pair counts for each reading of the log by which its record came late (assumed).
_LATE = 0.95
_Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates(Rows):
    """Offsets in one run of cycles with their support, best first; float64 [k] each.

    Attributes:
        offset_s: in the middle of the run. rate: how it moves, seconds a second.
        score: cycles that have a record there, those in the middle of the reach counting most.
        missed: the longest run of cycles without one.
    """

    offset_s: Floats
    rate: Floats
    score: Floats
    missed: Floats

    def __len__(self) -> int:
        return len(self.offset_s)

    def with_more(self, more: "Candidates") -> "Candidates":
        """Return these and more."""
        return joined([self, more])

    def later(self, by_s: float) -> Floats:
        """Return the offsets by so much later, or earlier, float64 [k]."""
        return self.offset_s + self.rate * by_s

    def explain(self, cycles: int) -> bool:
        """Return whether the best of them explains a run of so many cycles."""
        if len(self) == 0:
            return False
        return bool(self.score[0] >= _SUPPORT * cycles and self.missed[0] < _MISSED_RUN)


NONE = Candidates(np.empty(0), np.empty(0), np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Consecutive cycles.

    Attributes:
        at_s: their times, ascending, float64 [n].
        reading: of the log since their ends, int32 [n]; None where it was not read meanwhile.
    """

    at_s: Floats
    reading: Readings | None

    @classmethod
    def of(cls, cycles: CycleTimes, part: slice) -> "Run":
        """Return some of a campaign's cycles."""
        return cls(cycles.at_s[part], cycles.reading[part] if cycles.readings else None)


def fitted(
    inside: Entries, run: Run, middle_s: float, offset_s: Floats, rate: Floats
) -> Candidates:
    """Return offsets moved to the middle of their pairs, with their support, in the order given.

    Args:
        inside: all entries.
        run: the cycles.
        middle_s: the time to which the offsets refer.
        offset_s: float64 [k].
        rate: seconds a second, float64 [k].
    """
    if len(offset_s) == 0:
        return NONE
    away = run.at_s - middle_s
    after = None
    for _ in range(_ROUNDS):
        predicted_s = run.at_s + offset_s[:, None] + rate[:, None] * away
        residual, near, after, _ = residuals(inside, run, predicted_s, after)
        count = near.sum(axis=1)
        moved = np.where(near, residual, 0.0).sum(axis=1) / np.maximum(count, 1)
        offset_s = offset_s + moved
        rate = _turned(residual - moved[:, None], near, away, rate)
    predicted_s = run.at_s + offset_s[:, None] + rate[:, None] * away
    residual, near, _, late = residuals(inside, run, predicted_s, after)
    score = np.where(near, (1.0 - 0.5 * (residual / _REACH_S) ** 2) * late, 0.0).sum(axis=1)
    return Candidates(offset_s, rate, score, _longest_gap(near))


def residuals(
    inside: Entries, run: Run, predicted_s: Floats, after: Indexes | None
) -> tuple[Floats, _Mask, Indexes, Floats]:
    """Return how far the nearest entries are, whether they are pairs, and what each counts.

    Also, third, the entries after the predictions, to be looked at first the next time.
    """
    at_s = inside.at_s
    if after is None:
        after = _next_after(at_s, predicted_s)
    else:
        # What moved a little stands between the same two entries, as a rule.
        before = np.maximum(after - 1, 0)
        moved = np.flatnonzero((at_s[after] < predicted_s) | (at_s[before] >= predicted_s))
        if len(moved):
            after.ravel()[moved] = _next_after(at_s, predicted_s.ravel()[moved])
    before = np.maximum(after - 1, 0)
    up, down = at_s[after] - predicted_s, at_s[before] - predicted_s
    is_after = np.abs(up) < np.abs(down)
    residual = np.where(is_after, up, down)
    near = np.abs(residual) <= _REACH_S
    if run.reading is None:
        return residual, near, after, np.ones(1)
    reading = inside.reading[np.where(is_after, after, before)]
    lag = np.where(reading == UNKNOWN, 0, reading - run.reading)
    return residual, near & (lag >= 0), after, _LATE ** np.maximum(lag, 0)


def _next_after(at_s: Floats, predicted_s: Floats) -> Indexes:
    """Return the first entry that is not before each prediction; the last where there is none."""
    # A short part is searched quicker than a whole log.
    first, last = np.searchsorted(at_s, [predicted_s.min(), predicted_s.max()])
    after = first + np.searchsorted(at_s[first:last], predicted_s)
    return np.asarray(np.minimum(after, len(at_s) - 1))


def _turned(residual: Floats, near: _Mask, away: Floats, rate: Floats) -> Floats:
    """Return the rates after a least-squares step, as far as pairs and time show them."""
    count = near.sum(axis=1)
    weight = np.maximum((near * away**2).sum(axis=1), 1.0)
    slope = (np.where(near, residual, 0.0) * away).sum(axis=1) / weight
    # Evenly spread pairs over a time T have a weight of count * T^2 / 12.
    beat = _BEAT_S**2 * count / (12 * weight)
    believed = _CRYSTAL_RATE**2 / (_CRYSTAL_RATE**2 + _READING_S**2 / weight + beat)
    turned = np.where(count >= _RATE_OF_AT_LEAST, rate + believed * slope, rate)
    return np.clip(turned, -_RATE_MAX, _RATE_MAX)


def _longest_gap(near: _Mask) -> Floats:
    """Return the longest run of cycles without a pair, for each candidate."""
    place = np.arange(1, near.shape[1] + 1)
    last = np.maximum.accumulate(np.where(near, place, 0), axis=1)
    return np.asarray((place - last).max(axis=1), dtype=np.float64)
