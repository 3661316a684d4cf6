"""What changes from cycle to cycle in a plan. Pure.

What a cycle gets follows from the plan, its seed and the cycle's place alone: a campaign that was
stopped goes on with the cycles that it would have had.
"""

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

from resume_rig.model.channel import SleepBy, WakeBy
from resume_rig.model.os_record import SleepKind

MAX_VALUES = 1_000

Varied: TypeAlias = int | SleepBy | WakeBy | SleepKind


@unique
class Order(StrEnum):
    """How the values of several lists come together."""

    SEQUENCE = "sequence"
    """Each list goes on by one a cycle, and begins again at its end."""
    MATRIX = "matrix"
    """Every combination in turn; the list that the plan names last changes fastest."""
    RANDOM = "random"
    """Each value is drawn, all with the same chance."""


@dataclass(frozen=True, slots=True)
class Range:
    """Any value between two, both included, drawn anew for each cycle."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Vary:
    """One key of a plan that is not the same in every cycle.

    Attributes:
        name: of the field of Plan.
        values: of that field; one or more.
    """

    name: str
    values: tuple[Varied, ...] | Range


def values_of_cycle(vary: Sequence[Vary], order: Order, seed: int, index: int) -> dict[str, Varied]:
    """Return what varies in one cycle, by name.

    Args:
        vary: what varies, in the order of the plan.
        order: how lists come together.
        seed: of everything that is drawn.
        index: how many cycles of the plan are done before this one, from 0.
    """
    # A generator a cycle: no cycle depends on how many numbers another one drew.
    chance = random.Random(f"{seed}/{index}")
    found: dict[str, Varied] = {}
    combination = index
    for each in reversed(vary):
        values = each.values
        if isinstance(values, Range):
            found[each.name] = chance.randint(values.low, values.high)
        elif order is Order.RANDOM:
            found[each.name] = chance.choice(values)
        elif order is Order.MATRIX:
            combination, place = divmod(combination, len(values))
            found[each.name] = values[place]
        else:
            found[each.name] = values[index % len(values)]
    return found


def combinations(vary: Sequence[Vary], order: Order) -> Iterator[dict[str, Varied]]:
    """Yield which values come together in some cycle, by name; of a range, both ends.

    Args:
        vary: what varies, in the order of the plan.
        order: how lists come together.
    """
    lists = [each for each in vary if not isinstance(each.values, Range)]
    ranges = [each for each in vary if isinstance(each.values, Range)]
    if order is Order.SEQUENCE:
        period = math.lcm(*(len(extremes(each.values)) for each in lists))
        rows: Iterable[dict[str, Varied]] = (
            values_of_cycle(lists, order, 0, index) for index in range(min(period, MAX_VALUES**2))
        )
    else:
        rows = _product(lists)
    ends = list(_product(ranges))
    return ({**row, **end} for row in rows for end in ends)


def _product(vary: Sequence[Vary]) -> Iterator[dict[str, Varied]]:
    names = [each.name for each in vary]
    for values in itertools.product(*(extremes(each.values) for each in vary)):
        yield dict(zip(names, values, strict=True))


def extremes(values: tuple[Varied, ...] | Range) -> tuple[Varied, ...]:
    """Return the values that have to be allowed for all of them to be."""
    return (values.low, values.high) if isinstance(values, Range) else values
