"""The intervals of one cycle in a few hundred bytes: a campaign has a hundred thousand cycles."""

from array import array
from collections.abc import Iterator, Mapping
from functools import cache

from resume_rig.model.cycle import IntervalName
from resume_rig.model.quantity import BoundedNs

_WORDS = 6


class PackedIntervals(Mapping[IntervalName, BoundedNs]):
    """Intervals by name, which cannot be changed; equal to a dict of the same ones.

    Args:
        intervals: nanoseconds, each within 64 bits.
    """

    __slots__ = ("_places", "_words")

    def __init__(self, intervals: Mapping[IntervalName, BoundedNs]) -> None:
        self._places = _places_of(tuple(intervals))
        self._words = array("q")
        for each in intervals.values():
            widths = (each.bound_ns, each.standard_ns, each.expanded_ns)
            self._words.extend((each.value_ns, *widths, each.rig_ns, each.campaign_ns))

    def __getitem__(self, name: IntervalName) -> BoundedNs:
        """Return an interval; KeyError where it could not be formed."""
        at = _WORDS * self._places[name]
        return BoundedNs(*self._words[at : at + _WORDS])

    def __contains__(self, name: object) -> bool:
        """Return whether an interval could be formed."""
        return name in self._places

    def __iter__(self) -> Iterator[IntervalName]:
        """Yield the names in the order in which they were given."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)


@cache
def _places_of(names: tuple[IntervalName, ...]) -> Mapping[IntervalName, int]:
    """Return where each name stands; shared, as there are few sets of names."""
    return {name: place for place, name in enumerate(names)}
