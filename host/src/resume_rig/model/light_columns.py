"""Blocks of light as columns: a cycle has thousands, and most are never looked at one by one."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, overload

from resume_rig.model.edge import LightBlock


class Columns(NamedTuple):
    """Fields of LightBlock: numbers and times of 64 bits, counts of 16."""

    number: "array[int]"
    t_ns: "array[int]"
    minimum: "array[int]"
    mean: "array[int]"
    maximum: "array[int]"


_KINDS: Final = ("Q", "Q", "H", "H", "H")


class LightColumns(Sequence[LightBlock]):
    """A sequence of blocks that does not change; each one is made when it is asked for.

    It equals a tuple of the same blocks.

    Attributes:
        columns: of the blocks.

    Args:
        columns: for each field of LightBlock its values, all of one length.

    Raises:
        OverflowError: a value is negative or has more bits.
        TypeError: a value is no whole number.
    """

    __slots__ = ("columns",)

    def __init__(self, *columns: Iterable[int]) -> None:
        made = [array(kind, values) for kind, values in zip(_KINDS, columns, strict=True)]
        self.columns = Columns(*made)

    @classmethod
    def of(cls, blocks: Sequence[LightBlock]) -> "LightColumns":
        """Return any sequence of blocks as columns."""
        if isinstance(blocks, LightColumns):
            return blocks
        return cls(*zip(*blocks, strict=True)) if blocks else cls((), (), (), (), ())

    @classmethod
    def joined(cls, parts: Iterable[Sequence[LightBlock]]) -> "LightColumns":
        """Return the blocks of several sequences, one behind another."""
        whole = cls.of(())
        for part in parts:
            for column, more in zip(whole.columns, cls.of(part).columns, strict=True):
                column.extend(more)
        return whole

    def __len__(self) -> int:
        return len(self.columns.number)

    @overload
    def __getitem__(self, at: int) -> LightBlock: ...

    @overload
    def __getitem__(self, at: slice) -> "LightColumns": ...

    def __getitem__(self, at: int | slice) -> "LightBlock | LightColumns":
        if isinstance(at, slice):
            return LightColumns(*(column[at] for column in self.columns))
        return LightBlock(*(column[at] for column in self.columns))

    def __iter__(self) -> Iterator[LightBlock]:
        return map(LightBlock, *self.columns)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LightColumns):
            return self.columns == other.columns
        return isinstance(other, tuple) and tuple(self) == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"LightColumns({len(self)} blocks)"
