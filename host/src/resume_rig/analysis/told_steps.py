"""Cycles that seem to have lost their record beside a setting of the clock that the log tells of.

A run of few cycles between two settings may stand anywhere in the log, so the match leaves it
alone. Its records are there, and no cycle's: that one of them is lost would be a false accusation.
Pure.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from resume_rig.analysis.closure_terms import figure_of
from resume_rig.model.os_record import OsRecord


def beside_told_steps(
    lost: Collection[int], pairs: Iterable[tuple[int, int]], records: Sequence[OsRecord]
) -> frozenset[int]:
    """Return those of the lost cycles that a record without a cycle may be of.

    Args:
        lost: cycles between or beside matched ones, that no record was matched with.
        pairs: (cycle, record) of what is matched.
        records: in record order.
    """
    steps = [index for index, record in enumerate(records) if figure_of(record, "clock_steps")]
    if not steps or not lost:
        return frozenset()
    matched = dict(pairs)
    cycles, taken = sorted(matched), frozenset(matched.values())
    found = set()
    for cycle in lost:
        low, high = _span(cycle, cycles, matched, len(records))
        after = bisect_left(steps, low)
        told = after < len(steps) and steps[after] <= high
        if told and any(index not in taken for index in range(low, min(high + 1, len(records)))):
            found.add(cycle)
    return frozenset(found)


def _span(
    cycle: int, cycles: Sequence[int], matched: dict[int, int], count: int
) -> tuple[int, int]:
    """Return the first and the last record among which that of a cycle may stand.

    Before the first matched cycle, and behind the last one, as many records as cycles are there.
    """
    place = bisect_left(cycles, cycle)
    before = cycles[place - 1] if place else None
    after = cycles[place] if place < len(cycles) else None
    if before is None and after is None:
        return 0, -1
    if after is None:
        low = matched[before] + 1 if before is not None else 0
        return low, min(low + cycle - (before or 0), count - 1)
    high = matched[after]
    low = matched[before] + 1 if before is not None else high - (after - cycle)
    return max(low, 0), high
