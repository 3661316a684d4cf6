"""All ways through a campaign, from a table of states made one number at a time.

The states are the candidates, then: no record, before the log, after the log.
"""

import math

import numpy as np

from resume_rig.analysis.match.likelihood import IMPOSSIBLE, NEVER, gains, lost_cost, reach_of


def followed(cycles, entries, tracks, noise, *, log_prior, cells_of=1):
    """Return (row, slot, probability) of all candidates and the evidence, one way after the other.

    Args:
        cycles: all of them.
        entries: all of them.
        tracks: the candidates.
        noise: what the records are like.
        log_prior: of an offset.
        cells_of: how many cycles make a cell where a stretch has several candidates; or a number
            for each stretch.
    """
    chain = _Chain(cycles, entries, tracks, noise, log_prior)
    sizes = [cells_of] * len(tracks.middle_s) if isinstance(cells_of, int) else cells_of
    return chain.found(sizes)


class _Chain:
    def __init__(self, cycles, entries, tracks, noise, log_prior):
        self.at_s, self.tracks, self.noise, self.log_prior = cycles.at_s, tracks, noise, log_prior
        self.k = tracks.offset_s.shape[1]
        n, first_s = len(cycles.at_s), entries.at_s[0]
        self.stretch = [sum(row >= first for first in tracks.first[1:-1]) for row in range(n)]
        self.rank_s, self.rank_source = {}, {}
        for entry, rank in enumerate(entries.rank.tolist()):
            self.rank_s[rank] = entries.at_s[entry]
            self.rank_source[rank] = entries.source[entry]
        ranks = sorted(self.rank_s)
        self.place = {
            r: [o for o in ranks if self.rank_source[o] == self.rank_source[r]].index(r)
            for r in ranks
        }
        reach_s = reach_of(entries, noise)
        self.log_s = first_s - reach_s, entries.at_s[-1] + reach_s
        self.near = [
            *zip(*(self._near(cycles, entries, slot) for slot in range(self.k)), strict=True)
        ]
        rows, off_s = np.arange(n), np.full(n, np.inf)
        within = lost_cost(cycles, entries, rows, first_s - cycles.at_s, noise).tolist()
        beyond = lost_cost(cycles, entries, rows, off_s, noise).tolist()
        self.none = [*zip(within, beyond, beyond, strict=True)]

    def offset_s(self, stretch, slot, at_s):
        tracks = self.tracks
        away_s = at_s - tracks.middle_s[stretch]
        return tracks.offset_s[stretch, slot] + tracks.rate[stretch, slot] * away_s

    def _near(self, cycles, entries, slot):
        """Return of each row: the gain, and the ranks of the first, last and best record."""
        n = len(cycles.at_s)
        offset_s = np.array(
            [self.offset_s(self.stretch[r], slot, cycles.at_s[r]) for r in range(n)]
        )
        rows = np.flatnonzero(~np.isnan(offset_s))
        found = gains(cycles, entries, rows, offset_s[rows], self.noise)
        either = found.either(lost_cost(cycles, entries, rows, offset_s[rows], self.noise))
        near = [(NEVER, None, None, None)] * n
        for at, row in enumerate(rows.tolist()):
            entry = found.entry[found.of == at].tolist()
            listed = [
                *zip(found.gain[found.of == at].tolist(), entries.rank[entry].tolist(), strict=True)
            ]
            near[row] = either[at], None, None, None
            if listed:
                best = max(range(len(listed)), key=lambda e, listed=listed: (listed[e][0], -e))
                top, best_rank = listed[best]
                near[row] = either[at], None, None, best_rank
                if top > 0 and entries.half_s[entry[best]] == 0:
                    as_good = [rank for worth, rank in listed if worth >= max(top - 3, 0)]
                    near[row] = either[at], min(as_good), max(as_good), best_rank
        return near

    def found(self, sizes):
        cells = []
        for stretch, size in enumerate(sizes):
            low, high = (int(at) for at in self.tracks.first[stretch : stretch + 2])
            alone = np.isfinite(self.tracks.offset_s[stretch]).sum() <= 1
            step = high - low if alone else size
            cells += [range(at, min(at + step, high)) for at in range(low, high, step)]
        self.cells = cells
        self.next = self._next_ranks()
        states = range(self.k + 3)
        gain = [[self._gain(cell, state) for state in states] for cell in cells]
        prior = [self.log_prior(np.array([o]))[0] for o in self.tracks.offset_s[0].tolist()]
        prior = [NEVER if math.isnan(p) else p for p in [*prior, NEVER, 0.0, NEVER]]
        ahead = [[p + g for p, g in zip(prior, gain[0], strict=True)]]
        # Of the likeliest way to each state the last four records: (rank, worth), and when.
        used = [([(-1, 0.0)] * 4, 0.0) for _ in states]
        used = [self._used(used[state], 0, state) for state in states]
        into = [None]
        for at in range(1, len(cells)):
            costs = [[self._cost(at, i, j, used[i]) for j in states] for i in states]
            into.append(costs)
            ways = [[ahead[-1][i] + costs[i][j] for i in states] for j in states]
            used = [self._used(used[int(np.argmax(ways[j]))], at, j) for j in states]
            ahead.append([log_sum(ways[j]) + gain[at][j] for j in states])
        back = [0.0] * self.k + [0.0, NEVER, 0.0]
        evidence = log_sum([a + b for a, b in zip(ahead[-1], back, strict=True)])
        found = []
        for at in reversed(range(len(cells))):
            both = [a + b for a, b in zip(ahead[at], back, strict=True)]
            likely = [math.exp(each - log_sum(both)) for each in both]
            found += [(row, s, likely[s]) for row in cells[at] for s in range(self.k)]
            if at:
                after = [b + g for b, g in zip(back, gain[at], strict=True)]
                back = [log_sum([into[at][i][j] + after[j] for j in states]) for i in states]
        return sorted(found), evidence

    def _gain(self, cell, state):
        if state >= self.k:
            return sum(self.none[row][state - self.k] for row in cell)
        first_s, last_s = (
            self.at_s[row] + self.offset_s(self.stretch[row], state, self.at_s[row])
            for row in (cell[0], cell[-1])
        )
        if not (last_s >= self.log_s[0] and first_s <= self.log_s[1]):
            return NEVER
        return sum(self.near[row][state][0] for row in cell)

    def _worth(self, cell, slot):
        """Return how much more than none the best record is worth, if there is one."""
        more = [
            self.near[row][slot][0] - self.none[row][0]
            for row in cell
            if self.near[row][slot][3] is not None
        ]
        return max([0.0, *more])

    def _used(self, before, at, state):
        cell = self.cells[at]
        ranks = [] if state >= self.k else [self.near[row][state][1] for row in cell]
        ranks = [rank for rank in ranks if rank is not None]
        if not ranks:
            return before
        newest = max(ranks), self._worth(cell, state)
        return [newest, *before[0][:3]], self.at_s[cell[-1]]

    def _next_ranks(self):
        """Return the next rank that each candidate uses from each row, as long as it goes on."""
        n, following = len(self.at_s), {}
        for row in reversed(range(n)):
            for slot in range(self.k):
                ranks = [self.near[row][slot][2]]
                if row + 1 < n:
                    on = slot
                    if self.stretch[row + 1] != self.stretch[row]:
                        on = self._goes_on(self.stretch[row], slot, self.at_s[row + 1])
                    ranks.append(following[row + 1, on] if on is not None else None)
                following[row, slot] = min((r for r in ranks if r is not None), default=None)
        return following

    def _goes_on(self, stretch, slot, at_s):
        offset_s = self.offset_s(stretch, slot, at_s)
        away_s = [abs(self.offset_s(stretch + 1, s, at_s) - offset_s) for s in range(self.k)]
        away_s = [math.inf if math.isnan(each) else each for each in away_s]
        return away_s.index(min(away_s)) if min(away_s) <= 0.8 else None

    def _cost(self, at, i, j, used):
        """Return what it costs to go from state i of the cell before to state j of this one."""
        now_s, before_s = self.at_s[self.cells[at][0]], self.at_s[self.cells[at - 1][-1]]
        stretch, origin = (self.stretch[self.cells[each][0]] for each in (at, at - 1))
        none, before_log, after_log = self.k, self.k + 1, self.k + 2
        cost = 0.0 if i == j else NEVER
        if j < none and i < none:
            cost = self._between(origin, i, stretch, j)
        elif j < none and i == none:
            cost = -math.log(16) - 8
        elif j < none and i == before_log:
            offset_s = self.offset_s(stretch, j, before_s)
            begins = before_s + offset_s < self.log_s[0]
            return self.log_prior(np.array([offset_s]))[0] if begins else NEVER
        elif j == none and i < none:
            return math.log(16) + 8 + self._step(math.exp(8))
        elif j == after_log and i < none:
            return 0.0 if now_s + self.offset_s(origin, i, now_s) > self.log_s[1] else NEVER
        if j < none and NEVER < cost < 0:
            return cost + self._record_of_step(at, j, used)
        return cost

    def _between(self, origin, i, stretch, j):
        """Return what the step between two candidates costs, on entering a stretch or within."""
        begins_s = self.at_s[self.tracks.first[stretch]]
        step_s = abs(self.offset_s(stretch, j, begins_s) - self.offset_s(origin, i, begins_s))
        if math.isnan(step_s):
            return NEVER
        same = step_s <= 0.8 if origin != stretch else i == j
        return 0.0 if same else self._step(step_s)

    def _step(self, step_s):
        return -math.log(16 * max(step_s, 1.0) / self.noise.steps_per_cycle)

    def _record_of_step(self, at, slot, used):
        """Return what a step loses by the records before its own, which it has to have."""
        cell, (remembered, last_s) = self.cells[at], used
        if self._worth(cell, slot) == 0:
            return NEVER
        following = self.next[cell[0], slot]
        behind = [rank >= (math.inf if following is None else following) for rank, _ in remembered]
        if all(behind):
            return IMPOSSIBLE
        lost = sum(worth for (_, worth), b in zip(remembered, behind, strict=True) if b)
        near = [self.near[row][slot][3] for row in cell]
        rank, last = min(rank for rank in near if rank is not None), remembered[0][0]
        if last >= 0 and self.rank_source[rank] == self.rank_source[last]:
            between = max(self.place[rank] - self.place[last] - 1, 0)
            wires_s = max(self.at_s[cell[0]] - last_s, 1.0)
            log_s = max(abs(self.rank_s[rank] - self.rank_s[last]), wires_s)
            lost += between * math.log(log_s / wires_s)
        return -lost


def log_sum(values):
    """Return log(sum(exp(values)))."""
    top = max(values)
    return top + math.log(sum(math.exp(each - top) for each in values))


def best_of_each(listed, n):
    """Return the likeliest candidate of each of so many cycles."""
    best = [(-1.0, 0)] * n
    for row, slot, likely in listed:
        best[row] = max(best[row], (likely, -slot))
    return [-slot for _, slot in best]
