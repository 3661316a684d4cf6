"""A measured time with its uncertainty, and how wide 95 % of a sum of errors is.

The excess kurtosis decides: 0 is a normal distribution (k = 1.96), -1.2 a rectangle (k = 1.645), -2
two points (k = 1). Cumulants of independent errors add, so the kurtosis of a sum follows without
a convolution. The table is the middle between sums of rectangles and sums of a rectangle, or the
phase of a PWM, and a normal error; each of those lies within 2 % of it (timing/budget.py
convolves, and a test compares the two).
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import Final

from resume_rig.model.units import NS_PER_MS

SQRT_3: Final = sqrt(3.0)
RECTANGLE_SHARE: Final = 0.95
"""Of a rectangle's half-width: 95 % of it."""

# (excess kurtosis, coverage factor), both rising.
_TABLE: Final = (
    (-2.0, 1.0),
    (-1.944, 1.035),
    (-1.65, 1.35),
    (-1.5, 1.5),
    (-1.336, 1.585),
    (-1.2, RECTANGLE_SHARE * SQRT_3),
    (-1.1, 1.7),
    (-1.0, 1.745),
    (-0.8, 1.815),
    (-0.6, 1.875),
    (-0.4, 1.907),
    (-0.2, 1.938),
    (0.0, 1.96),
)
_KURTOSES: Final = tuple(row[0] for row in _TABLE)
_FACTORS: Final = tuple(row[1] for row in _TABLE)


def factor_of(kurtosis: float) -> float:
    """Return the coverage factor of 95 % for an excess kurtosis."""
    return _between(kurtosis, _KURTOSES, _FACTORS)


def kurtosis_of(factor: float) -> float:
    """Return the excess kurtosis that has this coverage factor; the inverse of `factor_of`."""
    return _between(factor, _FACTORS, _KURTOSES)


def _between(x: float, xs: tuple[float, ...], ys: tuple[float, ...]) -> float:
    place = bisect_left(xs, x)
    if place == 0:
        return ys[0]
    if place == len(xs):
        return ys[-1]
    x0, x1, y0, y1 = xs[place - 1], xs[place], ys[place - 1], ys[place]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


_NOT_GIVEN = -1


@dataclass(frozen=True, slots=True)
class BoundedNs:
    """A time difference and how far the truth may be from it.

    Where only the bound is given, the error is taken for a rectangle (JCGM 100:2008, 4.3.7):
    standard_ns is bound / sqrt(3), expanded_ns 95 % of it.

    Attributes:
        value_ns: best estimate, in nanoseconds.
        bound_ns: guaranteed: the truth lies within value_ns +/- bound_ns; never negative.
        standard_ns: standard uncertainty (GUM), rounded up.
        expanded_ns: half-width of the interval that holds the truth in 95 of 100 measurements;
            never above bound_ns.
        rig_ns: the part of the bound that is one and the same error in every campaign on this
            rig (`Scope.RIG`). campaign_ns: the part that is the same in every cycle of this
            campaign alone (`Scope.CAMPAIGN`); where not given, all that is left of the bound.
            Neither gets less with more cycles. They divide the bound, and are no part of what the
            quantity is, so that equality does not look at them.

    Raises:
        ValueError: a width is negative, or above the bound.
    """

    value_ns: int
    bound_ns: int
    standard_ns: int = _NOT_GIVEN
    expanded_ns: int = _NOT_GIVEN
    rig_ns: int = field(default=0, compare=False)
    campaign_ns: int = field(default=_NOT_GIVEN, compare=False)

    def __post_init__(self) -> None:
        bound_ns = self.bound_ns
        if bound_ns < 0:
            raise ValueError(f"bound_ns is {bound_ns}; a bound is 0 ns or more")
        if self.standard_ns == _NOT_GIVEN:
            object.__setattr__(self, "standard_ns", ceil(bound_ns / SQRT_3))
        if self.expanded_ns == _NOT_GIVEN:
            object.__setattr__(self, "expanded_ns", ceil(bound_ns * RECTANGLE_SHARE))
        if self.campaign_ns == _NOT_GIVEN:
            object.__setattr__(self, "campaign_ns", max(bound_ns - self.rig_ns, 0))
        if self.rig_ns < 0 or self.campaign_ns < 0 or self.common_ns > bound_ns:
            raise ValueError(
                f"rig_ns is {self.rig_ns} and campaign_ns {self.campaign_ns}; both are 0 ns or "
                f"more, and bound_ns ({bound_ns}) at most together"
            )
        if 0 <= self.standard_ns <= bound_ns and 0 <= self.expanded_ns <= bound_ns:
            return
        for name in ("standard_ns", "expanded_ns"):
            if not 0 <= getattr(self, name) <= bound_ns:
                raise ValueError(
                    f"{name} is {getattr(self, name)}; it is 0 to bound_ns ({bound_ns}) ns"
                )

    @property
    def common_ns(self) -> int:
        """Guaranteed half-width of what all cycles of a campaign share, of whatever scope."""
        return self.rig_ns + self.campaign_ns

    @property
    def guard_ns(self) -> int:
        """Half-width that holds the truth of 95 % of a campaign's cycles, whatever they share.

        An error that all cycles share is fixed, and may be anywhere within its limits, at the end
        of them, too: it counts with all of its half-width, what is a cycle's own with its 95 %.
        """
        return min(self.bound_ns, self.common_ns + self.expanded_ns)

    def __add__(self, other: "BoundedNs") -> "BoundedNs":
        """Sum of two whose errors are independent; see `joined` for those that share some."""
        return self._with(self.value_ns + other.value_ns, other)

    def __sub__(self, other: "BoundedNs") -> "BoundedNs":
        """Difference of two whose errors are independent."""
        return self._with(self.value_ns - other.value_ns, other)

    def joined(self, after: "BoundedNs") -> "BoundedNs":
        """Sum of two intervals one after the other, which share an edge and a clock.

        Here it is open how much they share, so all widths add: never too small.
        """
        return BoundedNs(
            self.value_ns + after.value_ns,
            self.bound_ns + after.bound_ns,
            self.standard_ns + after.standard_ns,
            self.expanded_ns + after.expanded_ns,
            self.rig_ns + after.rig_ns,
            self.campaign_ns + after.campaign_ns,
        )

    def from_median(self, median_ns: int) -> "BoundedNs":
        """Difference from the median of values as uncertain as this one, which is one of them.

        The median adds pi / 2n of their variance, and the value's own part in it takes 2 / n
        away: what is left is at most this value's own, for any n. The bound doubles, as the
        median lies within the same bound. What all of them share cancels.
        """
        return BoundedNs(
            self.value_ns - median_ns,
            2 * self.bound_ns,
            self.standard_ns,
            self.expanded_ns,
            rig_ns=0,
            campaign_ns=0,
        )

    def _with(self, value_ns: int, other: "BoundedNs") -> "BoundedNs":
        bound_ns = self.bound_ns + other.bound_ns
        shared = self.rig_ns + other.rig_ns, self.campaign_ns + other.campaign_ns
        mine, theirs = self.standard_ns**2, other.standard_ns**2
        variance = mine + theirs
        if not variance:
            expanded_ns = min(self.expanded_ns + other.expanded_ns, bound_ns)
            return BoundedNs(value_ns, bound_ns, 0, expanded_ns, *shared)
        kurtosis = (self._kurtosis() * mine**2 + other._kurtosis() * theirs**2) / variance**2
        standard = sqrt(variance)
        return BoundedNs(
            value_ns,
            bound_ns,
            min(ceil(standard), bound_ns),
            min(ceil(factor_of(kurtosis) * standard), bound_ns),
            *shared,
        )

    def _kurtosis(self) -> float:
        return kurtosis_of(self.expanded_ns / self.standard_ns) if self.standard_ns else 0.0


def rounded_ms(quantity: BoundedNs) -> tuple[str, str]:
    """Return value and expanded uncertainty in milliseconds, with digits that mean something.

    The uncertainty (95 %) is rounded up and takes in what rounding the value moved it by, so that
    the shown interval always contains the computed one.
    """
    width_ns = quantity.expanded_ns
    decimals = 0 if width_ns >= 10_000_000 else 1 if width_ns >= 1_000_000 else 2
    step_ns = NS_PER_MS // 10**decimals
    steps = (quantity.value_ns + step_ns // 2) // step_ns
    moved_ns = abs(quantity.value_ns - steps * step_ns)
    width_steps = -(-(width_ns + moved_ns) // step_ns)
    scale = 10**decimals
    return f"{steps / scale:.{decimals}f}", f"{width_steps / scale:.{decimals}f}"
