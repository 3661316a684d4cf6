"""Facts and intervals in a tenth of their memory: a campaign has a hundred thousand cycles.

They are pickled in chunks, compressed, and made again in each pass. What is unpickled was pickled
in the same process; it never comes from a file.
"""

import dataclasses
import io
import pickle
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar, cast, overload

from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName

# Assumed: decides memory in a pass against compression.
_CHUNK: Final = 128
# zlib's quickest level.
_FAST: Final = 1
Item = TypeVar("Item")
Result = TypeVar("Result")


class PackedSequence(Sequence[Item]):
    """Facts that cannot be changed; each pass makes them anew, a chunk at a time.

    Who wants less memory goes through them and keeps no lists of them.

    Args:
        items: dataclasses of the model; any number, read once.
        kept: what some of the items refer to, and what is not packed: an item that is made anew
            refers to the same objects again.
    """

    def __init__(self, items: Iterable[Item], kept: Sequence[object] = ()) -> None:
        self._kept = kept
        self._chunks: list[bytes] = []
        self._count = 0
        self._last: tuple[int, list[Item]] = (-1, [])
        places = {id(each): place for place, each in enumerate(kept)}
        source = iter(items)
        while chunk := list(islice(source, _CHUNK)):
            self._chunks.append(zlib.compress(_packed(chunk, places), _FAST))
            self._count += len(chunk)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        for number in range(len(self._chunks)):
            yield from self._chunk(number)

    def __eq__(self, other: object) -> bool:
        """Return whether another one, or a tuple, has equal items."""
        if not isinstance(other, PackedSequence | tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Item, ...]: ...

    def __getitem__(self, place: int | slice) -> Item | tuple[Item, ...]:
        """Return one, or some; the chunk that was asked for last stays unpacked.

        Raises:
            IndexError: there is none of that place.
        """
        if isinstance(place, slice):
            return tuple(map(self._at, range(*place.indices(self._count))))
        if not -self._count <= place < self._count:
            raise IndexError(f"there is no item {place}; there are {self._count}")
        return self._at(place % self._count)

    def _at(self, place: int) -> Item:
        number, within = divmod(place, _CHUNK)
        last, chunk = self._last
        if last != number:
            chunk = self._chunk(number)
            self._last = (number, chunk)
        return chunk[within]

    def _chunk(self, number: int) -> list[Item]:
        reader = _Reader(zlib.decompress(self._chunks[number]), self._kept)
        return cast("list[Item]", reader.load())


class Derived(Collection[Result], Generic[Item, Result]):
    """What is derived from each of some facts, anew in each pass: no list is kept.

    Args:
        facts: any number, gone through in each pass.
        derive: what of each.
    """

    def __init__(self, facts: Collection[Item], derive: Callable[[Item], Result]) -> None:
        self._facts, self._derive = facts, derive

    def __len__(self) -> int:
        return len(self._facts)

    def __iter__(self) -> Iterator[Result]:
        return map(self._derive, self._facts)

    def __contains__(self, wanted: object) -> bool:
        return any(each == wanted for each in self)


class _Parts(dict[type, Callable[[Any], tuple[type, tuple[object, ...]]]]):
    """How each dataclass is split into values: much faster than pickle finds out by itself."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[type, tuple[object, ...]]]:
        if not dataclasses.is_dataclass(kind):
            raise KeyError(kind)
        names = [each.name for each in dataclasses.fields(kind)]
        if len(names) == 1:
            names *= 2
        values, count = attrgetter(*names), len(dataclasses.fields(kind))

        def parts(fact: object) -> tuple[type, tuple[object, ...]]:
            return kind, values(fact)[:count]

        self[kind] = parts
        return parts


_PARTS: Final = _Parts()


class _Writer(pickle.Pickler):
    dispatch_table = _PARTS

    def __init__(self, stream: io.BytesIO, places: Mapping[int, int]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._place_of = places.get

    def persistent_id(self, obj: object) -> int | None:
        """Return the place of what is kept; None of what is packed."""
        return self._place_of(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, packed: bytes, kept: Sequence[object]) -> None:
        super().__init__(io.BytesIO(packed))
        self._kept = kept

    def persistent_load(self, pid: int) -> object:
        """Return what is kept at a place."""
        return self._kept[pid]


def _packed(chunk: list[Any], places: Mapping[int, int]) -> bytes:
    stream = io.BytesIO()
    _Writer(stream, places).dump(chunk)
    return stream.getvalue()


# Of an interval: its fields.
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
        return name in self._places

    def __iter__(self) -> Iterator[IntervalName]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@cache
def _places_of(names: tuple[IntervalName, ...]) -> Mapping[IntervalName, int]:
    """Return where each name stands; shared, as there are few sets of names."""
    return {name: place for place, name in enumerate(names)}
