"""Chooses the cycles whose phase bars a report draws, where drawing all would help nobody."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.cycle import ReconciledCycle
from resume_rig.model.outcome import AS_PLANNED

BARS_FOR_ALL: Final = 200
"""Campaigns up to this many cycles have every bar drawn."""

_ENDS: Final = 5
_SLOWEST: Final = 10
_BROKEN: Final = 5


@dataclass(frozen=True, slots=True)
class BarChoice:
    """The chosen cycles in campaign order, and how many were chosen for which reason."""

    cycles: tuple[ReconciledCycle, ...]
    first: int
    last: int
    slowest: int
    broken: int
    left_out: int


def bar_choice(cycles: Sequence[ReconciledCycle]) -> BarChoice:
    """Return all of a short campaign; of a long one the first, the last and the worst."""
    if len(cycles) <= BARS_FOR_ALL:
        return BarChoice(tuple(cycles), len(cycles), 0, 0, 0, 0)
    middle = range(_ENDS, len(cycles) - _ENDS)
    broken = [i for i in middle if cycles[i].outside.outcome not in AS_PLANNED]
    taken = frozenset(broken)
    measured = [i for i in middle if i not in taken and _resume_ms(cycles[i]) is not None]
    slowest = sorted(measured, key=lambda i: -(_resume_ms(cycles[i]) or 0))[:_SLOWEST]
    ends = [*range(_ENDS), *range(len(cycles) - _ENDS, len(cycles))]
    chosen = sorted({*ends, *slowest, *broken[:_BROKEN]})
    return BarChoice(
        cycles=tuple(cycles[index] for index in chosen),
        first=_ENDS,
        last=_ENDS,
        slowest=len(slowest),
        broken=len(broken[:_BROKEN]),
        left_out=len(cycles) - len(chosen),
    )


def _resume_ms(cycle: ReconciledCycle) -> int | None:
    return None if cycle.record is None else cycle.record.resume_ms
