"""Where the OS clock may have stood in each stretch of a campaign: the candidates.

A stretch is a run of cycles short enough for the offset to be a line; in a long campaign also a
long run that one offset explains from end to end. Candidates are voted for, carried from stretch to
stretch both ways, and voted for again where they no longer explain the cycles: the clock was set.
The assignment in order that explains the intervals best (order.py) adds its own.
"""

from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match.offset_vote import (
    NONE,
    Candidates,
    Run,
    agreed_offsets,
    fitted,
    most_voters,
    voted_offsets,
)
from resume_rig.analysis.match.order import aligned
from resume_rig.analysis.match.times import (
    UNKNOWN,
    USUAL_LAGS,
    CycleTimes,
    Entries,
    Floats,
    Indexes,
)

# The offset, and one more where the clock was set among the cycles (assumed).
_OF_EACH_LAG = 2


class LiveVotes:
    """One vote of each record that a reading brought: for the last cycle before that reading.

    Where the log is late each time, the cycles before that one are voted for, too.
    """

    def __init__(self, cycles: CycleTimes, entries: Entries) -> None:
        self._at_s = cycles.at_s
        read = np.flatnonzero(entries.reading != UNKNOWN) if cycles.readings else np.empty(0, int)
        # Readings rise with the cycles; a clock of the wires that went back spoils a vote only.
        row = np.searchsorted(cycles.reading, entries.reading[read], side="right") - 1
        order = np.argsort(row, kind="stable")
        self._row = row[order]
        self._inside_s = entries.at_s[read[order]]

    def offsets(self, low: int, high: int) -> Floats:
        """Return what is voted for by the records of some cycles, by row from `low` to `high`."""
        first, last = np.searchsorted(self._row, [low, high])
        if first == last:
            return np.empty(0)
        row, inside_s = self._row[first:last], self._inside_s[first:last]
        voted = []
        for lag in USUAL_LAGS:
            some = row >= lag
            difference_s = np.sort(inside_s[some] - self._at_s[row[some] - lag])
            voted.append(agreed_offsets(difference_s, _OF_EACH_LAG))
        return np.concatenate(voted)


# Half an hour to an hour of cycles, in which a crystal's rate is a line; so many stretches at most
# keep time and memory bounded; sixteen of them are a long one (assumed).
_STRETCH = 64
_STRETCHES_MAX = 8000
_LONG = 1024
LONG_CAMPAIGN = 4 * _LONG
"""From so many cycles on what neighbours agree about is not looked at again."""
# Beyond that a crystal's rate may have turned with the temperature of the room (assumed).
_LONG_S = 86_400.0
# An offset is moved by the first cycles of a long stretch before all of it counts; the best and one
# more are carried on. Records next in order: some behind, for those that other sleeps wrote, and
# more ahead, for those of cycles that were lost (all assumed).
_LEAD_IN = (64, 256)
_FOLLOWED = 2
_BEFORE, _AFTER = 24, 96


def short_stretches(cycles: int) -> Indexes:
    """Return the first cycle of each short stretch and, last, the number of cycles."""
    length = max(_STRETCH, -(-cycles // _STRETCHES_MAX))
    return np.append(np.arange(0, cycles, length), cycles).astype(np.int64)


def with_long_stretches(
    cycles: CycleTimes,
    inside: Entries,
    by_rank_s: Floats,
    first: Indexes,
    *,
    start: int,
    candidates: Candidates,
) -> Indexes:
    """Return the stretches with those joined that one offset explains.

    Args:
        cycles: all of them.
        inside: all entries.
        by_rank_s: all entries in the order in which their records were written.
        first: the short stretches.
        start: the short stretch at which offsets are known.
        candidates: those, referring to the middle of that stretch.
    """
    times_s = cycles.at_s
    if len(times_s) < LONG_CAMPAIGN or len(candidates) == 0:
        return first
    per_block = max(1, _LONG // int(first[1] - first[0]))
    edges = np.append(first[:-1:per_block], first[-1])
    block = int(np.searchsorted(edges, first[start], side="right")) - 1
    middle_s = float((times_s[first[start]] + times_s[first[start + 1] - 1]) / 2)
    joined = np.zeros(len(edges) - 1, dtype=np.bool_)
    for order in (range(block, len(joined)), range(block - 1, -1, -1)):
        walk = _Walk(cycles, inside, by_rank_s, order.step)
        walk.candidates, walk.at_s = (
            candidates.where(np.arange(min(_FOLLOWED, len(candidates)))),
            middle_s,
        )
        for each in order:
            joined[each] = walk.explains(int(edges[each]), int(edges[each + 1]))
    inner = np.repeat(joined, per_block)[: len(first) - 1]
    inner[::per_block] = False
    return np.append(first[:-1][~inner], first[-1])


class _Walk:
    """Goes from block to block with an offset."""

    def __init__(self, cycles: CycleTimes, inside: Entries, by_rank_s: Floats, step: int) -> None:
        self._cycles, self._inside, self._by_rank_s = cycles, inside, by_rank_s
        self._step = step
        self.candidates = NONE
        self.at_s = 0.0

    def explains(self, low: int, high: int) -> bool:
        """Return whether the offset explains a block; find a new one behind it, if not."""
        times = self._cycles.at_s[low:high]
        candidates, at_s = self.candidates, self.at_s
        for length in (*_LEAD_IN, len(times)):
            first, last = (low, min(low + length, high))
            if self._step == -1:
                first, last = (max(high - length, low), high)
            part = Run.of(self._cycles, slice(first, last))
            middle_s = float(part.at_s[0] + part.at_s[-1]) / 2
            moved_s = candidates.later(middle_s - at_s)
            candidates = fitted(self._inside, part, middle_s, moved_s, candidates.rate)
            at_s = middle_s
        best = candidates.where(np.argsort(-candidates.score, kind="stable"))
        if times[-1] - times[0] <= _LONG_S and best.explain(len(times)):
            self.candidates, self.at_s = best, at_s
            return True
        self._look_behind(low, high)
        return False

    def _look_behind(self, low: int, high: int) -> None:
        """Vote at the far end of a block, among the records next in order."""
        times = self._cycles.at_s[low:high]
        near, behind = (times[0], slice(max(high - _STRETCH, low), high))
        if self._step == -1:
            near, behind = (times[-1], slice(low, min(low + _STRETCH, high)))
        far = Run.of(self._cycles, behind)
        expected = near + self.candidates.offset_s[0] + self.candidates.rate[0] * (near - self.at_s)
        place = int(np.searchsorted(self._inside.at_s, expected))
        ahead = len(times) + _AFTER
        first, last = (place - _BEFORE, place + ahead)
        if self._step == -1:
            first, last = (place - ahead, place + _BEFORE)
        offsets = voted_offsets(far.at_s, self._by_rank_s[max(first, 0) : max(last, 0)], _FOLLOWED)
        if len(offsets):
            middle_s = float(far.at_s[0] + far.at_s[-1]) / 2
            found = fitted(self._inside, far, middle_s, offsets, np.zeros(len(offsets)))
            if found.explain(len(far.at_s)):
                self.candidates, self.at_s = found, middle_s


# Closer candidates are one: half a second of the RTC, and what varies (assumed).
_SAME_S = 0.7
# What is tried in a stretch: the most voted offsets of it, and of a longer run that holds the few
# uneven pauses of an even pace; and from where in the log to look on (assumed).
_VOTED = 32
_LONG_RUN = 512
_PLACES = 8
# What is kept: fewer in long campaigns, so that time and memory grow with their length alone
# (assumed; docs/validation-match.md has what is left out).
_KEPT_OF_VOTES = 200_000
_KEPT_MIN, _KEPT_MAX = 6, 96
# Shares of the best score: below the first it is not carried on; what is as good as the best goes
# first; and less than two pairs is next to nothing (assumed).
_POOR = 0.3
_ANY = 2.0
_AS_GOOD = 0.9
# Two clocks that agree: off by a minute at most, to be voted for among the records there alone
# (assumed).
_CLOSE_S = 60.0
# Two readings of an RTC in whole seconds about one offset, and what varies; two pairs are a run
# (assumed).
_RUN_S, _RUN_OF = 1.2, 2
# Of so many cycles next to a stretch so many speak for an offset that is looked at in it, too
# (assumed; benchmarks/matching.py).
_EDGE, _EDGE_EXPLAINED, _EDGE_MOST = 6, 3, 4


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """Candidates of every stretch, the best first; NaN where a stretch has fewer.

    Attributes:
        first: first cycle of each stretch and, last, the number of cycles; int64 [s + 1].
        offset_s: in the middle of the stretch, float64 [s, k].
        rate: how the offset moves, seconds a second, float64 [s, k].
        middle_s: time of the middle of each stretch, float64 [s].
    """

    first: Indexes
    offset_s: Floats
    rate: Floats
    middle_s: Floats

    def offset_at(self, stretch: int | Indexes, slot: int | Indexes, at_s: Floats) -> Floats:
        """Return a candidate's offset at some times."""
        away = at_s - self.middle_s[stretch]
        return np.asarray(self.offset_s[stretch, slot] + self.rate[stretch, slot] * away)


def find_tracks(
    cycles: CycleTimes, entries: Entries, expected_s: float | None, traced_s: Floats
) -> Tracks:
    """Return the candidates.

    Args:
        cycles: at least one.
        entries: at least one.
        expected_s: the offset of two clocks that agree; None where nothing is expected.
        traced_s: offsets that are candidates for another reason (`trace`).
    """
    return _Finder(cycles, entries, expected_s, traced_s).tracks()


class _Finder:
    def __init__(
        self, cycles: CycleTimes, entries: Entries, expected_s: float | None, traced_s: Floats
    ) -> None:
        self._expected_s, self._traced_s = expected_s, traced_s
        self._cycles = cycles
        self._at_s = cycles.at_s
        self._entries = entries
        self._kept = int(np.clip(_KEPT_OF_VOTES // len(cycles.at_s), _KEPT_MIN, _KEPT_MAX))
        self._again = int(np.clip(self._kept // 2, 10, 48))
        self._live = LiveVotes(cycles, entries)
        self._cut(short_stretches(len(cycles.at_s)))
        by_rank = np.argsort(entries.rank, kind="stable")
        self._by_rank_s = entries.at_s[by_rank]
        self._place = np.empty(len(by_rank), dtype=np.int64)
        self._place[by_rank] = np.arange(len(by_rank))

    def _cut(self, first: Indexes) -> None:
        """Take these for the stretches."""
        self._first = first
        self._count = len(first) - 1
        self._middle_s = (self._at_s[first[:-1]] + self._at_s[first[1:] - 1]) / 2

    def tracks(self) -> Tracks:
        found = self._at_places()
        if self._cycles.stated_pair is None:
            self._sweep(found, range(self._count), NONE)
            self._sweep(found, range(self._count - 1, -1, -1), NONE)
        else:
            start = next((at for at, each in enumerate(found) if len(each)), 0)
            self._sweep(found, range(start + 1, self._count), found[start])
            self._sweep(found, range(start - 1, -1, -1), found[start])
        found = [self._with_neighbours(found, stretch) for stretch in range(self._count)]
        self._add_aligned(found)
        most = max(1, *(len(each) for each in found))
        offset, rate = np.full((self._count, most), np.nan), np.zeros((self._count, most))
        for stretch, each in enumerate(found):
            offset[stretch, : len(each)] = each.offset_s
            rate[stretch, : len(each)] = each.rate
        return Tracks(self._first, offset, rate, self._middle_s)

    def _add_aligned(self, found: list[Candidates]) -> None:
        """Add the runs of the assignment that explains the intervals best, whatever votes say.

        Each stands in the stretches of its cycles and in the one on either side, so that the clock
        can be followed to it and from it. At an even pace, and of a run of few cycles, others that
        are wrong have as many votes, and more of them than can be kept.
        """
        ways = aligned(self._cycles, self._entries)
        cuts = np.flatnonzero(np.abs(np.diff(ways.offset_s)) > _RUN_S) + 1
        for run in np.split(np.arange(len(ways.rows)), cuts):
            if len(run) < _RUN_OF:
                continue
            stretch = np.searchsorted(self._first, ways.rows[run], side="right") - 1
            low, high = max(int(stretch[0]) - 1, 0), min(int(stretch[-1]) + 2, self._count)
            for at in range(low, high):
                here = run[stretch == np.clip(at, stretch[0], stretch[-1])]
                offsets_s = ways.offset_s[here if len(here) else run]
                one = self._fitted(at, np.median(offsets_s, keepdims=True))
                own = found[at]
                if np.all(np.abs(own.offset_s - one.offset_s) > _SAME_S):
                    found[at] = own.with_more(one)

    def _at_places(self) -> list[Candidates]:
        """Return what is voted for at the beginning, the middle and the end; cut the stretches.

        Where somebody knows a pair, nothing else is voted for.
        """
        if self._cycles.stated_pair is None:
            places = sorted({0, self._count // 2, self._count - 1})
            voted = {stretch: self._voted(stretch) for stretch in places}
        else:
            voted = self._of_pair(*self._cycles.stated_pair)
        by_stretch = {
            stretch: self._merged(NONE, self._fitted(stretch, offset_s))
            for stretch, offset_s in voted.items()
        }
        short, middle_s = self._first, self._middle_s
        start = max(
            by_stretch,
            key=lambda at: float(by_stretch[at].score[0]) if len(by_stretch[at]) else 0.0,
        )
        self._cut(
            with_long_stretches(
                self._cycles,
                self._entries,
                self._by_rank_s,
                short,
                start=start,
                candidates=by_stretch[start],
            )
        )
        found = [NONE] * self._count
        for stretch, each in by_stretch.items():
            within = int(np.searchsorted(self._first, short[stretch], side="right")) - 1
            found[within] = each
            if len(self._first) < len(short):
                difference_s = self._middle_s[within] - middle_s[stretch]
                moved = self._fitted(within, each.later(difference_s), each.rate)
                found[within] = self._merged(NONE, moved)
        return found

    def _sweep(self, found: list[Candidates], order: range, before: Candidates) -> None:
        """Carry candidates from stretch to stretch; `before` are those before the first of them."""
        for stretch in order:
            own = found[stretch]
            if not self._unexplained(own, stretch) and self._has(own, stretch, before, order.step):
                before = own
                continue
            carried = self._carried(before, stretch - order.step, stretch)
            both = self._merged(carried, own) if len(carried) else own
            if self._unexplained(carried, stretch) or self._unexplained(both, stretch):
                both = self._merged(both, self._next_in_order(carried, own, stretch, order.step))
            found[stretch] = both
            before = both

    def _with_neighbours(self, found: list[Candidates], stretch: int) -> Candidates:
        """Return the candidates of a stretch and those of both neighbours.

        The clock may have been set at its first cycles or at its last ones: too few for the
        offset before, or after, to stand out among the others.
        """
        own = found[stretch]
        for origin in (stretch - 1, stretch + 1):
            if not 0 <= origin < self._count:
                continue
            if self._has(own, stretch, found[origin], stretch - origin):
                continue
            carried = self._carried(found[origin], origin, stretch)
            difference = np.abs(carried.offset_s[:, None] - own.offset_s[None, :])
            if len(own) == 0 or np.any(difference.min(axis=1) > _SAME_S):
                own = self._merged(carried, own)
            own = self._with_edge(own, found[origin], origin, stretch)
        return own

    def _with_edge(
        self, own: Candidates, neighbour: Candidates, origin: int, stretch: int
    ) -> Candidates:
        """Return the candidates with those that explain the neighbour's cycles next to this one.

        Where the clock was set shortly before a stretch ends, or twice soon after it begins, such
        a run is short in both, and little speaks for it in either.
        """
        if len(self._at_s) >= LONG_CAMPAIGN:
            return own
        times = self._times(origin)
        times = times[:_EDGE] if origin > stretch else times[-_EDGE:]
        away_s = times - self._middle_s[origin]
        os_s = times + neighbour.offset_s[:, None] + neighbour.rate[:, None] * away_s
        near = np.searchsorted(self._entries.at_s, [os_s - _SAME_S, os_s + _SAME_S])
        explained = (near[1] > near[0]).sum(axis=1)
        difference_s = self._middle_s[stretch] - self._middle_s[origin]
        moved_s = neighbour.later(difference_s)
        new = np.ones(len(neighbour), dtype=np.bool_)
        if len(own):
            new = np.abs(moved_s[:, None] - own.offset_s[None, :]).min(axis=1) > _SAME_S
        order = np.argsort(-explained, kind="stable")
        some = order[(explained[order] >= _EDGE_EXPLAINED) & new[order]][:_EDGE_MOST]
        nothing = np.zeros(len(some))
        return own.with_more(Candidates(moved_s[some], neighbour.rate[some], nothing, nothing))

    def _has(self, own: Candidates, stretch: int, before: Candidates, step: int) -> bool:
        """Return whether all that a neighbour may carry here is there already."""
        if len(self._at_s) < LONG_CAMPAIGN or len(before) == 0 or len(own) == 0:
            return False
        worthy = before.where(before.score >= _POOR * before.score[0])
        difference_s = self._middle_s[stretch] - self._middle_s[stretch - step]
        difference = np.abs(worthy.later(difference_s)[:, None] - own.offset_s[None, :])
        return bool(np.all(difference.min(axis=1) <= _SAME_S))

    def _of_pair(self, cycle: int, record: int) -> dict[int, Floats]:
        """Return the offsets at which a record is of a cycle, by the stretch of that."""
        row = np.flatnonzero(self._cycles.index == cycle)
        if len(row) == 0:
            return {0: np.empty(0)}
        stretch = int(np.searchsorted(self._first, row[0], side="right")) - 1
        os_s = self._entries.at_s[self._entries.record == record]
        return {stretch: os_s - self._at_s[row[0]]}

    def _times(self, stretch: int) -> Floats:
        return self._at_s[self._first[stretch] : self._first[stretch + 1]]

    def _voted(self, stretch: int) -> Floats:
        """Return what the cycles of a stretch, and those of a longer run, vote for.

        The short run shows a clock that is set often; the long one has the few irregular pauses
        that distinguish the shifts of an even pace.
        """
        times, inside = self._times(stretch), self._entries.at_s
        low = max(min(int(self._first[stretch]), len(self._at_s) - _LONG_RUN), 0)
        voted = [self._traced_s, voted_offsets(times, inside, _VOTED), self._live_offsets(stretch)]
        if most_voters(len(inside)) > len(times):
            voted.append(voted_offsets(self._at_s[low : low + _LONG_RUN], inside, _VOTED))
        if self._expected_s is not None:
            ends_s = times[[0, -1]] + self._expected_s + np.array([-_CLOSE_S, _CLOSE_S])
            first, last = np.searchsorted(inside, ends_s)
            voted.append(voted_offsets(times, inside[first:last], _VOTED))
        return np.concatenate(voted)

    def _live_offsets(self, stretch: int) -> Floats:
        """Return what the records vote for that the readings of a stretch of cycles brought."""
        return self._live.offsets(int(self._first[stretch]), int(self._first[stretch + 1]))

    def _carried(self, before: Candidates, origin: int, stretch: int) -> Candidates:
        if len(before) == 0:
            return NONE
        worthy = before.where(before.score >= _POOR * before.score[0])
        difference_s = self._middle_s[stretch] - self._middle_s[origin]
        return self._fitted(stretch, worthy.later(difference_s), worthy.rate)

    def _next_in_order(
        self, carried: Candidates, own: Candidates, stretch: int, step: int
    ) -> Candidates:
        """Vote again, among the records that stand next in the log, whatever their times."""
        times = self._times(stretch)
        expected_s = np.concatenate([carried.offset_s[:_PLACES], own.offset_s[:1]])
        if len(expected_s) == 0:
            return self._fitted(stretch, self._voted(stretch))
        edge = times[0] if step == 1 else times[-1]
        near = np.searchsorted(self._entries.at_s, edge + expected_s)
        voted: list[Floats] = [self._live_offsets(stretch)]
        tried: list[int] = []
        for place in self._place[np.minimum(near, len(self._place) - 1)].tolist():
            if any(abs(place - other) < _BEFORE for other in tried):
                continue
            tried.append(place)
            ahead = len(times) + _AFTER
            low, high = (place - _BEFORE, place + ahead)
            if step == -1:
                low, high = (place - ahead, place + _BEFORE)
            inside = self._by_rank_s[max(low, 0) : max(high, 0)]
            voted.append(voted_offsets(times, inside, self._again))
        return self._fitted(stretch, np.concatenate(voted))

    def _unexplained(self, candidates: Candidates, stretch: int) -> bool:
        return not candidates.explain(int(self._first[stretch + 1] - self._first[stretch]))

    def _fitted(self, stretch: int, offset_s: Floats, rate: Floats | None = None) -> Candidates:
        """Return offsets moved to the middle of their pairs, with their support."""
        rate = np.zeros(len(offset_s)) if rate is None else rate
        middle_s = float(self._middle_s[stretch])
        part = slice(int(self._first[stretch]), int(self._first[stretch + 1]))
        return fitted(self._entries, Run.of(self._cycles, part), middle_s, offset_s, rate)

    def _merged(self, one: Candidates, other: Candidates) -> Candidates:
        """Return both without doubles and without what explains next to nothing, best first.

        Those of `one` come from a neighbour or were there before; they stay for this stretch even
        if little speaks for them here, because the clock may have been set within it. And where
        more are as good as can be kept, they go first: at an even pace all shifts are equal, and
        what is followed in one stretch must be there in the next.
        """
        both = one.with_more(other)
        offset, score = both.offset_s, both.score
        trusted = np.arange(len(offset)) < len(one)
        best = float(score.max()) if len(score) else 0.0
        before = trusted & (score >= _AS_GOOD * best) & (len(offset) > self._kept)
        ahead = np.where(trusted, 0.01, 0.0) + np.where(before, (1.0 - _AS_GOOD) * best, 0.0)
        order = np.argsort(-(score + ahead), kind="stable")
        chosen: list[int] = []
        for at in order.tolist():
            if len(chosen) == self._kept:
                break
            weak = score[at] < max(min(_ANY, best / 2), 0.04 * best)
            if weak and not trusted[at] and chosen:
                continue
            if all(abs(offset[at] - offset[c]) > _SAME_S for c in chosen):
                chosen.append(at)
        chosen.sort(key=lambda at: -(float(score[at]) + 0.01 * bool(trusted[at])))
        return both.where(np.array(chosen, dtype=np.int64))
