"""Cycles and their records as arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match_times import Floats, Indexes


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Which record is of which cycle, in order of the cycles; each stands once.

    Attributes:
        cycle, record: indexes, int64 [p].
        probability: that they belong together, float64 [p].
    """

    cycle: Indexes
    record: Indexes
    probability: Floats

    def where(self, kept: NDArray[np.bool_] | Indexes) -> "Pairs":
        """Return a part of them."""
        return Pairs(self.cycle[kept], self.record[kept], self.probability[kept])

    def with_more(self, more: "Pairs") -> "Pairs":
        """Return these and more."""
        both = Pairs(
            np.concatenate([self.cycle, more.cycle]),
            np.concatenate([self.record, more.record]),
            np.concatenate([self.probability, more.probability]),
        )
        return both.in_order()

    def in_order(self) -> "Pairs":
        """Return them in order of the cycles."""
        return self.where(np.argsort(self.cycle, kind="stable"))
