"""Whether a measured value conforms to a limit, and how likely a wrong answer is.

After JCGM 106:2012. The guard band holds 95 % of what is a cycle's own and the whole of what all
cycles share (8.3.2, 8.3.3): a PASS or FAIL that stands outside of it is wrong with a chance of
2.5 % at most, and MARGINAL stands within. An error that all cycles share is fixed in a rig; at the
end of its range it would make every PASS of a campaign wrong at once, so no share of it is left
out. The
chance that one value's truth lies on the other side of the limit is its specific risk (9.3): the
consumer's of a PASS, the producer's of a FAIL.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.stats.distributions import beta_below, normal_below
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.requirement import Comparison
from resume_rig.model.result.verdict import Verdict

_UPPER: Final = frozenset({Comparison.AT_MOST, Comparison.BELOW})
_STRICT: Final = frozenset({Comparison.BELOW, Comparison.ABOVE})
# A symmetric beta distribution of such a shape is a normal one to every digit shown.
_NORMAL_FROM_SHAPE: Final = 2_000.0


@dataclass(frozen=True, slots=True)
class Conformity:
    """One value against one limit.

    Attributes:
        conforming: probability that the true value conforms, 0..1.
        risk: probability that PASS or FAIL is wrong; of MARGINAL, that the likelier side is.
        hidden: MARGINAL because the value passes as it was reported, and does not with the BIOS
            time that clock and wires add to it.
    """

    verdict: Verdict
    conforming: float
    hidden: bool = False

    @property
    def risk(self) -> float:
        """Specific risk, see above."""
        match self.verdict:
            case Verdict.PASS:
                return 1.0 - self.conforming
            case Verdict.FAIL:
                return self.conforming
            case _:
                return min(self.conforming, 1.0 - self.conforming)


def conformity(
    value: BoundedNs, limit_ns: int, comparison: Comparison, *, guard_band: bool = True
) -> Conformity:
    """Return how a value stands to a limit.

    Args:
        value: with its uncertainty.
        limit_ns: the limit.
        comparison: which side conforms, and whether the limit itself does.
        guard_band: without it the value counts as it stands.
    """
    upper = comparison in _UPPER
    # How much room is left, positive where the value conforms.
    room_ns = limit_ns - value.value_ns if upper else value.value_ns - limit_ns
    guard_ns = value.guard_ns if guard_band else 0
    conforming = below_by(room_ns, value)
    least_ns, most_ns = room_ns - guard_ns, room_ns + guard_ns
    strict = comparison in _STRICT
    if strict and room_ns == value.bound_ns == 0:
        conforming = 0.0  # it is the limit itself, for certain
    # At the very edge of a guard band the truth is on the limit with a chance of nothing.
    if least_ns > 0 or (least_ns == 0 and (not strict or guard_ns > 0)):
        return Conformity(Verdict.PASS, conforming)
    if most_ns <= 0:
        return Conformity(Verdict.FAIL, conforming)
    return Conformity(Verdict.MARGINAL, conforming)


def standard_ns(value: BoundedNs) -> float:
    """Return the standard uncertainty of a value."""
    return value.standard_ns


def below_by(room_ns: int, value: BoundedNs) -> float:
    """Return the probability that the truth is at most `room_ns` above the value.

    The truth is taken as a symmetric beta distribution on value +/- bound with the value's
    standard uncertainty: a rectangle where that is bound / sqrt(3), nearly a triangle where two
    equal rectangles add, a normal distribution in the limit.
    """
    bound = value.bound_ns
    if abs(room_ns) >= bound:
        return 1.0 if room_ns >= 0 else 0.0
    standard = max(standard_ns(value), bound * 1e-6)
    shape = (bound * bound / (standard * standard) - 1.0) / 2.0
    if shape > _NORMAL_FROM_SHAPE:
        return normal_below(room_ns / standard)
    return beta_below((room_ns / bound + 1.0) / 2.0, max(shape, 1e-3), max(shape, 1e-3))


def risk_of_all(parts: Iterable[Conformity], verdict: Verdict) -> float:
    """Return a bound on the probability that a verdict on all of them is wrong.

    A PASS is wrong where any value does not conform: at most the sum of their risks, however their
    errors depend on each other (Boole). A FAIL is wrong where all values that failed conform: at
    most the least of their risks.
    """
    if verdict is Verdict.PASS:
        return min(1.0, sum(1.0 - part.conforming for part in parts))
    failed = [part.risk for part in parts if part.verdict is Verdict.FAIL]
    return min(failed, default=0.0) if verdict is Verdict.FAIL else 0.0
