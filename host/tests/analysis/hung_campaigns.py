"""Campaigns of which some cycles hung in their resume, with the truth beside them.

Made of those of `match_campaigns`: what is taken away is the record of a cycle that hung.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from match_campaigns import Campaign

HUNG, DARK = 0.95, 0.5


def hung(
    made: Campaign,
    cycles: Collection[int],
    *,
    wrote: Collection[int] = (),
    silent: float = HUNG,
) -> Campaign:
    """Return a campaign with these cycles hung.

    Args:
        made: without any.
        cycles: that are told as hung.
        wrote: those of them whose OS wrote a record all the same.
        silent: as how likely it is told that none did.
    """
    gone = set()
    for cycle in set(cycles) - set(wrote):
        own = made.truth.get(cycle)
        gone |= {own} | {doubled for doubled, first in made.also.items() if first == own}
    kept = [at for at in range(len(made.records)) if at not in gone]
    place = {at: new for new, at in enumerate(kept)}
    return Campaign(
        [
            replace(each, silent=silent) if at in cycles and each.awake_ns is not None else each
            for at, each in enumerate(made.cycles)
        ],
        [replace(made.records[at], record_id=new) for at, new in place.items()],
        {cycle: place[own] for cycle, own in made.truth.items() if own in place},
        {place[at]: place[own] for at, own in made.also.items() if at in place and own in place},
        made.steps,
    )


def some_of(random: np.random.Generator, made: Campaign, share: float) -> set[int]:
    """Return some cycles, alone and in a row, some of them at either end."""
    count = len(made.cycles)
    chosen: set[int] = set()
    while len(chosen) < share * count:
        first = int(random.choice([0, count - 1, int(random.integers(count))]))
        chosen |= set(range(max(first - int(random.integers(3)), 0), first + 1))
    return chosen
