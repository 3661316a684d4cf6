"""What the cycles of a campaign hide on average: narrower than one cycle can tell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from resume_rig.analysis.findings.thresholds import ALIKE_WIDTHS, MEDIAN_OF
from resume_rig.analysis.hidden_time import Hidden
from resume_rig.model.quantity import BoundedNs


@dataclass(frozen=True, slots=True)
class HiddenMean:
    """The mean hidden time of cycles in a row, or in several rows that agree.

    Attributes:
        mean: of them; bound as guaranteed.
        n: how many.
    """

    mean: BoundedNs
    n: int


def means_of(
    running: Sequence[Hidden | None], standing: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[HiddenMean | None]:
    """Return for each cycle what it and those like it hide on average; None where nobody knows.

    Args:
        running: by the OS's clock from one sleep to the next, in order of the cycles.
        standing: by the time that the OS was away; `means_in_a_row` tells what it needs.
        follows: likewise.
    """
    found = means_in_a_row(standing, follows)
    usual = usual_of(running)
    alike = [cycle for cycle in running if cycle is not None and _is_usual(cycle, usual)]
    if len(alike) < MEDIAN_OF:
        return found
    mean = _mean_of_narrow(alike)
    for index, cycles in enumerate(zip(running, standing, strict=True)):
        own = next((cycle for cycle in cycles if cycle is not None), None)
        if own is None or not _is_usual(own, usual):
            continue
        rows = found[index]
        if rows is None or mean.mean.bound_ns <= rows.mean.bound_ns:
            found[index] = mean
    return found


def means_in_a_row(
    cycles: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[HiddenMean | None]:
    """Return for each cycle the mean of the row that it is in; None where it is in none.

    A row ends where a cycle has no hidden time (its record is lost), and where one hides another
    time than the others do: it has a finding of its own. Where all rows agree within their bounds,
    the mean of them all is that of each: what a short one cannot tell, the others do.

    Args:
        cycles: in order.
        follows: whether each cycle's sleep began with the clock that the wake before it set: no
            other sleep and no boot was between.
    """
    rows = _rows(cycles, follows)
    found: list[HiddenMean | None] = [None] * len(cycles)
    means = [_mean(row, 1) for _, row in rows]
    if len(rows) > 1:
        whole = _mean([cycle for _, row in rows for cycle in row], len(rows))
        if all(agree(each.mean, whole.mean) for each in means):
            means = [min(each, whole, key=lambda mean: mean.mean.bound_ns) for each in means]
    for (first, row), mean in zip(rows, means, strict=True):
        found[first : first + len(row)] = [mean] * len(row)
    return found


def _rows(
    cycles: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[tuple[int, list[Hidden]]]:
    """Return the rows, each with the index of its first cycle."""
    usual = usual_of(cycles)
    rows: list[tuple[int, list[Hidden]]] = []
    is_open = False
    for index, (cycle, goes_on) in enumerate(zip(cycles, follows, strict=True)):
        if cycle is None or not _is_usual(cycle, usual):
            is_open = False
            continue
        if is_open and goes_on:
            rows[-1][1].append(cycle)
        else:
            rows.append((index, [cycle]))
        is_open = True
    return rows


def usual_of(cycles: Iterable[Hidden | None]) -> BoundedNs:
    """Return the interval that the cycles have in the middle, without the clock's steps."""
    known = [cycle.each for cycle in cycles if cycle is not None]
    if not known:
        return BoundedNs(0, 0)
    least_ns = round(median(each.value_ns - each.bound_ns for each in known))
    most_ns = round(median(each.value_ns + each.bound_ns for each in known))
    return BoundedNs((least_ns + most_ns) // 2, -(-(most_ns - least_ns) // 2))


def _is_usual(cycle: Hidden, usual: BoundedNs) -> bool:
    """Return whether a cycle may hide what the others do."""
    return agree(BoundedNs(cycle.each.value_ns, cycle.each.bound_ns + cycle.drift_ns), usual)


def agree(one: BoundedNs, other: BoundedNs) -> bool:
    """Return whether two intervals have a value in common."""
    return abs(one.value_ns - other.value_ns) <= one.bound_ns + other.bound_ns


def _mean(cycles: Sequence[Hidden], rows: int) -> HiddenMean:
    """Return the mean of cycles in so many rows: at both ends of each is half a second."""
    n = len(cycles)
    value_ns = sum(cycle.each.value_ns for cycle in cycles) // n
    bound_ns = sum(cycle.each.bound_ns for cycle in cycles) // n
    steps_ns = -(-max(cycle.drift_ns for cycle in cycles) * rows // n)
    return HiddenMean(BoundedNs(value_ns, bound_ns + steps_ns), n)


def _mean_of_narrow(cycles: Sequence[Hidden]) -> HiddenMean:
    """Return the mean of those that are nearly as narrow as the narrowest.

    What they hide is the same; a cycle that hides seconds before its sleep tells little of it.
    """
    least_ns = min(cycle.each.bound_ns for cycle in cycles)
    return _mean([c for c in cycles if c.each.bound_ns <= ALIKE_WIDTHS * least_ns], 1)
