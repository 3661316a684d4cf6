"""The onset of light as the board measures it, and blocks of light as columns."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum, unique
from typing import Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.edge import LightBlock


@unique
class OnsetState(IntEnum):
    """What became of looking for the onset (fixtures/wire/rig.cddl)."""

    IDLE = 0
    """Nothing was recorded since the board's boot."""
    DARK = 1
    """Recording, and no light yet."""
    RISING = 2
    """Recording; light came, its level has not settled yet."""
    OK = 3
    """Measured."""
    NO_LIGHT = 4
    """The recording is over and no light came."""
    NOT_SETTLED = 5
    """Light came, and the recording was over before its level had settled."""
    UNSTABLE = 6
    """The level moved, or flickered without a period, whenever it should have been settled."""
    SATURATED = 7
    """The converter was at the end of its range."""
    NO_BASELINE = 8
    """The baseline was cut short, or light moved in it."""
    LOST = 9
    """Samples did not come at the rate, or those about a slow onset are no longer held."""


@dataclass(frozen=True, slots=True)
class LightOnset:
    """When a panel came on. What a state does not give is None, never guessed.

    Attributes:
        state: only OK carries everything; NOT_SETTLED, UNSTABLE and SATURATED carry `first_ns`.
        first_ns: board clock of the first light (t_first).
        half_ns, ninety_ns: board clock at 50 % and 90 % of the settled level (t_50, t_90).
        resolution_ns: distance of the points that these times are interpolated between.
        base_counts, sigma_counts: the baseline's mean and standard deviation, converter counts.
        peak_counts: greatest sample.
        level_counts: mean of the settled level over whole PWM periods, baseline included.
        pwm_hz: of the backlight, 0.0 for DC; one above half the sample rate appears folded.
        duty: share of the PWM's light part, 0 to 1; 1.0 for DC.
        pwm_uncertainty_ns: standard uncertainty of `half_ns` by the PWM's unknown phase.
    """

    state: OnsetState
    first_ns: int | None = None
    half_ns: int | None = None
    ninety_ns: int | None = None
    resolution_ns: int | None = None
    base_counts: float | None = None
    sigma_counts: float | None = None
    peak_counts: int | None = None
    level_counts: float | None = None
    pwm_hz: float | None = None
    duty: float | None = None
    pwm_uncertainty_ns: int | None = None


@unique
class LightBasis(StrEnum):
    """What the intervals to light end at (correlate --json `light_definition`)."""

    HALF = "t_50"
    """50 % of the settled level, as the board timed it."""
    BLOCKS = "t_50-of-1ms-blocks"
    """The same from stored blocks of 1 ms, where the board reported no onset."""
    LARGEST_STEP = "t_50-of-the-largest-step"
    """50 % of the largest step, from stored blocks of 1 ms, where light came in several steps."""
    COMPARATOR = "comparator"
    """BACKLIGHT rising, at whatever level the comparator is set to."""


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
    def of_arrays(cls, *columns: NDArray[Any]) -> "LightColumns":
        """Return columns of whole numbers as such, with no object for each of them."""
        made = cls.of(())
        for kind, column, values in zip(_KINDS, made.columns, columns, strict=True):
            column.frombytes(np.asarray(values, np.dtype(kind)).tobytes())
        return made

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
