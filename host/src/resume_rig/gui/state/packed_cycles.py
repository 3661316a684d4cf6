"""The cycles of an answer, packed: a hundred thousand of them are a few megabytes. Free of Qt."""

import pickle
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from resume_rig.model.cycle import ReconciledCycle

_BLOCK: Final = 64
_LEVEL: Final = 1


class PackedCycles:
    """Cycles that are looked at one by one; each is unpacked when somebody asks for it.

    They are this program's own, from its memory or from a process of its own: no file is trusted.

    Args:
        cycles: in order.
    """

    __slots__ = ("_blocks", "_length")

    def __init__(self, cycles: Iterable[ReconciledCycle]) -> None:
        self._blocks: list[bytes] = []
        self._length = 0
        for block in _blocks_of(cycles):
            self._blocks.append(zlib.compress(pickle.dumps(block, pickle.HIGHEST_PROTOCOL), _LEVEL))
            self._length += len(block)

    def __len__(self) -> int:
        """Return how many there are."""
        return self._length

    def __getitem__(self, place: int) -> ReconciledCycle:
        """Return one, by its place from 0; IndexError where there is none."""
        if not 0 <= place < self._length:
            raise IndexError(place)
        block, at = divmod(place, _BLOCK)
        found: list[ReconciledCycle] = pickle.loads(zlib.decompress(self._blocks[block]))
        return found[at]


def _blocks_of(cycles: Iterable[ReconciledCycle]) -> Iterator[list[ReconciledCycle]]:
    rest = iter(cycles)
    while block := list(islice(rest, _BLOCK)):
        yield block
