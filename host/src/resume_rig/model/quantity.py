"""A measured time with its bound."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BoundedNs:
    """A time difference and the half-width of the interval that contains it.

    Attributes:
        value_ns: best estimate, in nanoseconds.
        bound_ns: the truth lies within value_ns +/- bound_ns (coverage as the maker states it);
            never negative.
    """

    value_ns: int
    bound_ns: int

    def __post_init__(self) -> None:
        if self.bound_ns < 0:
            raise ValueError(f"bound_ns is {self.bound_ns}; a bound is 0 ns or more")

    def __add__(self, other: "BoundedNs") -> "BoundedNs":
        """Sum; bounds add (no independence is assumed)."""
        return BoundedNs(self.value_ns + other.value_ns, self.bound_ns + other.bound_ns)

    def __sub__(self, other: "BoundedNs") -> "BoundedNs":
        """Difference; bounds add (no independence is assumed)."""
        return BoundedNs(self.value_ns - other.value_ns, self.bound_ns + other.bound_ns)
