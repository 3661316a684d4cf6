"""The raw cycles of a store as a sequence that keeps none of them: each pass reads them again."""

import dataclasses
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

from resume_rig.campaign.raw import CycleRaw
from resume_rig.campaign.store import Store
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import OsRecord


class StoredCycles(Sequence[CycleRaw]):
    """Cycles of a store, in order, without light. A committed cycle never changes.

    Args:
        path: of the store.
        numbers: of the cycles that are in this sequence; ascending. What another process adds
            to the store later is not.
        records: OS records of these cycles, in order. They are unpacked once, as they are part of
            the answer, and shared by all passes.
        ends: of each cycle, how many records it and those before it have.
    """

    def __init__(
        self,
        path: Path,
        numbers: Sequence[int],
        records: Sequence[OsRecord],
        ends: Sequence[int],
    ) -> None:
        self._path = path
        self._numbers = numbers
        self._records = records
        self._ends = ends

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[CycleRaw]:
        """Yield each, in order.

        Raises:
            RecordError: one cannot be read any more.
        """
        if not self._numbers:
            return
        last = self._numbers[-1]
        found = 0
        with Store.open(self._path) as store:
            for raw in store.cycles(with_light=False, with_records=False):
                if raw.number > last:
                    break
                found += 1
                yield self._whole(raw)
        if found != len(self._numbers):
            raise RecordError(
                f"could not read the store {self._path} again: found {found} cycles up to cycle "
                f"{last}, where {len(self._numbers)} were before"
            )

    @overload
    def __getitem__(self, place: int) -> CycleRaw: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[CycleRaw, ...]: ...

    def __getitem__(self, place: int | slice) -> CycleRaw | tuple[CycleRaw, ...]:
        """Return one, or some; each is read again.

        Raises:
            IndexError: there is none of that place.
            RecordError: it cannot be read any more.
        """
        if isinstance(place, slice):
            return self._read(self._numbers[place])
        return self._read([self._numbers[place]])[0]

    def _read(self, numbers: Sequence[int]) -> tuple[CycleRaw, ...]:
        with Store.open(self._path) as store:
            found = {
                raw.number: self._whole(raw)
                for raw in store.cycles(numbers, with_light=False, with_records=False)
            }
        missing = [number for number in numbers if number not in found]
        if missing:
            raise RecordError(
                f"could not read the store {self._path} again: cycle {missing[0]} is gone"
            )
        return tuple(found[number] for number in numbers)

    def _whole(self, raw: CycleRaw) -> CycleRaw:
        place = bisect_left(self._numbers, raw.number)
        if place == len(self._numbers) or self._numbers[place] != raw.number:
            return raw
        first = self._ends[place - 1] if place else 0
        records = tuple(self._records[first : self._ends[place]])
        return dataclasses.replace(raw, records=records) if records else raw
