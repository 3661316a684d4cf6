"""Offsets between two clocks that would explain two sequences of times, and how well each does.

Arrays only: `outside_ns` int64 [n] and `inside_ns` int64 [m], each ascending. `match` says what
they are and what it makes of the answer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]

# Half a second of RTC quantisation, half a second of spread between SLP_S3# rising and the OS
# reading the RTC, and as much again for the offset itself being an estimate.
TOLERANCE_NS = 1_500_000_000
_WINDOW_NS = 2_000_000_000
# A run is short enough for 100 ppm of drift to stay below a second at a minute a cycle.
_RUN = 128
_SEED_RUN = 64
_SEED_RUN_MIN = 8
_VOTES_MAX = 2_000_000
_CANDIDATES_A_SEED = 24
_MEDIAN_OF_AT_LEAST = 3
_TIME_ZONES_NS = 15 * 3_600_000_000_000
_CLOSE_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """An offset (inside minus outside) that the cycles around `row` voted for."""

    offset_ns: int
    row: int


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A candidate followed through all times.

    Attributes:
        rows, columns: the pairs, int64 [k], both ascending.
        residual_ns: inside minus outside minus the local offset, int64 [k].
        offset_ns: the local offset at each outside time, int64 [n].
    """

    rows: Times
    columns: Times
    residual_ns: Times
    offset_ns: Times

    def score(self) -> float:
        """Return the number of pairs, each counting less the farther apart it is."""
        return float((1.0 - (self.residual_ns / TOLERANCE_NS) ** 2).sum())


def prior(offset_ns: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return how many pairs' worth speaks for an offset between clocks meant to show UTC."""
    size = np.abs(np.asarray(offset_ns, dtype=np.float64))
    return np.asarray(1.0 / (1.0 + size / _CLOSE_NS) + 0.5 * (size <= _TIME_ZONES_NS))


def candidate_offsets(
    outside_ns: Times, inside_ns: Times, same_epoch: bool
) -> tuple[Candidate, ...]:
    """Return offsets worth following; none where one of the sequences is empty."""
    n, m = len(outside_ns), len(inside_ns)
    if n == 0 or m == 0:
        return ()
    found = [
        Candidate(int(inside_ns[0] - outside_ns[0]), 0),
        Candidate(int(inside_ns[-1] - outside_ns[-1]), n - 1),
    ]
    length = min(n, max(_SEED_RUN_MIN, min(_SEED_RUN, _VOTES_MAX // m)))
    for start in sorted({0, (n - length) // 2, n - length}):
        run = outside_ns[start : start + length]
        offsets = _votes(run, inside_ns, same_epoch)
        found += [Candidate(offset, start + length // 2) for offset in offsets]
    return _apart(found)


def _apart(candidates: list[Candidate]) -> tuple[Candidate, ...]:
    """Return candidates without those that begin at the same run with nearly the same offset."""
    found: dict[tuple[int, int], Candidate] = {}
    for candidate in candidates:
        found.setdefault(
            (candidate.row // _RUN, candidate.offset_ns // (_WINDOW_NS // 4)), candidate
        )
    return tuple(found.values())


def _votes(run_ns: Times, inside_ns: Times, same_epoch: bool) -> list[int]:
    differences = np.sort((inside_ns[None, :] - run_ns[:, None]).ravel())
    until = np.searchsorted(differences, differences + _WINDOW_NS, side="right")
    votes = (until - np.arange(len(differences))).astype(np.float64)
    if same_epoch:
        votes += prior(differences)
    chosen: list[int] = []
    for _ in range(_CANDIDATES_A_SEED):
        best = int(np.argmax(votes))
        if not np.isfinite(votes[best]):
            break
        chosen.append(int(np.median(differences[best : until[best]])))
        taken = slice(
            int(np.searchsorted(differences, differences[best] - _WINDOW_NS)),
            int(until[best]),
        )
        votes[taken] = -np.inf
    return chosen


def align(
    outside_ns: Times, inside_ns: Times, preferred: NDArray[np.bool_], candidate: Candidate
) -> Alignment:
    """Follow a candidate through all times and pair what it brings together.

    Args:
        outside_ns: ascending.
        inside_ns: ascending.
        preferred: which of the inside times are paired before the others (bool [m]).
        candidate: where to begin.
    """
    local = _follow(outside_ns, inside_ns, candidate)
    moved = np.maximum.accumulate(outside_ns + local)
    rows, columns = nearest_pairs(moved, inside_ns, preferred)
    return Alignment(rows, columns, inside_ns[columns] - moved[rows], local)


def _follow(outside_ns: Times, inside_ns: Times, candidate: Candidate) -> Times:
    """Return the local offset at each outside time: constant in a run, carried on to the next."""
    local = np.full(len(outside_ns), candidate.offset_ns, dtype=np.int64)
    for step in (1, -1):
        offset_ns, row = candidate.offset_ns, candidate.row
        while 0 <= row < len(outside_ns):
            run = slice(row, row + _RUN) if step == 1 else slice(max(0, row - _RUN), row)
            times = outside_ns[run] + offset_ns
            residual = inside_ns[nearest(inside_ns, times)] - times
            close = residual[np.abs(residual) <= TOLERANCE_NS]
            if len(close) >= _MEDIAN_OF_AT_LEAST:
                offset_ns += int(np.median(close))
            local[run] = offset_ns
            row += step * _RUN
            if step == -1 and run.start == 0:
                break
    return local


def nearest(sorted_ns: Times, at_ns: Times) -> Times:
    """Return for each time the index of the nearest in an ascending, non-empty array."""
    after = np.clip(np.searchsorted(sorted_ns, at_ns), 0, len(sorted_ns) - 1)
    before = np.maximum(after - 1, 0)
    closer = np.abs(at_ns - sorted_ns[before]) <= np.abs(sorted_ns[after] - at_ns)
    return np.asarray(np.where(closer, before, after), dtype=np.int64)


def nearest_pairs(
    left_ns: Times,
    right_ns: Times,
    preferred: NDArray[np.bool_],
    tolerance_ns: int = TOLERANCE_NS,
) -> tuple[Times, Times]:
    """Pair one to one what is mutually nearest and within the tolerance, preferred ones first.

    On a line, mutually nearest pairs never cross; so each of the two passes keeps the order.
    """
    rows: list[Times] = []
    columns: list[Times] = []
    free = np.arange(len(left_ns), dtype=np.int64)
    for group in (np.flatnonzero(preferred), np.flatnonzero(~preferred)):
        if len(free) == 0 or len(group) == 0:
            continue
        left, right = left_ns[free], right_ns[group]
        to_right = nearest(right, left)
        mutual = nearest(left, right)[to_right] == np.arange(len(left))
        taken = mutual & (np.abs(right[to_right] - left) <= tolerance_ns)
        rows.append(free[taken])
        columns.append(group[to_right[taken]])
        free = free[~taken]
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    all_rows, all_columns = np.concatenate(rows), np.concatenate(columns)
    order = np.argsort(all_rows, kind="stable")
    return all_rows[order], all_columns[order]
