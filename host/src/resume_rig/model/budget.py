"""The uncertainty budget of one interval: a table whose rows sum to its totals (GUM)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from math import ceil, sqrt


@unique
class Evaluation(StrEnum):
    """How a term was evaluated (JCGM 100:2008, 4.2 and 4.3)."""

    A = "A"
    """By statistics of repeated observations."""
    B = "B"
    """By anything else: data sheets, simulation, definitions."""


@unique
class Distribution(StrEnum):
    """How the error of a term is spread about 0."""

    NORMAL = "normal"
    RECTANGLE = "rectangle"
    PWM_PHASE = "pwm-phase"
    """At either end with `BudgetRow.at_ends` together, evenly between them otherwise."""


@unique
class Scope(StrEnum):
    """How far one error of a term reaches; the wider it is, the more it outlasts repetition."""

    CYCLE = "cycle"
    """Another one in each cycle: it scatters, and a mean of many cycles has less of it."""
    CAMPAIGN = "campaign"
    """The same in every cycle of a campaign: one DUT, as it is set up, under one OS."""
    RIG = "rig"
    """The same in every campaign on a rig."""


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One term of a budget.

    Attributes:
        source: document or file that the figures come from.
        half_width_ns: the error is within +/- this; standard_ns: its standard uncertainty.
        sensitivity: by what the error reaches the result: +1 or -1, 2 where it counts twice.
        group: rows of one group have one and the same error; None where it is a row's own.
        correction_ns: what was subtracted from the stamp on account of it.
        at_ends: for PWM_PHASE, the probability of the two ends together (the PWM's duty).
        scope: in what its error is the same; rows of one group have one scope.
    """

    name: str
    source: str
    evaluation: Evaluation
    distribution: Distribution
    half_width_ns: int
    standard_ns: int
    sensitivity: int = 1
    group: str | None = None
    correction_ns: int = 0
    at_ends: float = 0.0
    scope: Scope = Scope.CYCLE

    @property
    def contribution_ns(self) -> int:
        """Standard uncertainty times sensitivity, signed: correlated ones may cancel."""
        return self.sensitivity * self.standard_ns


@dataclass(frozen=True, slots=True)
class Repeated:
    """Type A, next to the budget: how the DUT itself scatters over a campaign's cycles.

    Attributes:
        count: cycles that have the interval.
        sd_ns: standard deviation of one cycle.
        mean_standard_ns: standard uncertainty of their mean, sd / sqrt(count).
        mean_expanded_ns: half-width that holds the true mean with 95 %: Student's t over the
            scatter, and all that the cycles share.
    """

    count: int
    mean_ns: int
    sd_ns: int
    mean_standard_ns: int
    mean_expanded_ns: int = 0


@dataclass(frozen=True, slots=True)
class Budget:
    """One interval's budget.

    Attributes:
        name: of the interval, as in JSON.
        value_ns: the duration that it is made for (a campaign's median).
        standard_ns: combined standard uncertainty: the root of the groups' summed squares.
        expanded_ns: half-width of the 95 % coverage interval. bound_ns: guaranteed half-width.
        note: what a reader has to know; empty as a rule.
        repeated: never mixed with the rows; None where too few cycles have the interval.
    """

    name: str
    value_ns: int
    rows: tuple[BudgetRow, ...]
    standard_ns: int
    expanded_ns: int
    bound_ns: int
    note: str = ""
    repeated: Repeated | None = None

    @property
    def coverage_factor(self) -> float:
        """Expanded over standard uncertainty; 0.0 where nothing is uncertain."""
        return self.expanded_ns / self.standard_ns if self.standard_ns else 0.0

    @property
    def common_ns(self) -> int:
        """Guaranteed half-width of what all cycles of the campaign share."""
        return scoped_bound_ns(self.rows, Scope.RIG) + scoped_bound_ns(self.rows, Scope.CAMPAIGN)


def by_group(rows: tuple[BudgetRow, ...]) -> Mapping[str, tuple[BudgetRow, ...]]:
    """Return rows that have one error together, and each other row alone, in order."""
    found: dict[str, tuple[BudgetRow, ...]] = {}
    for number, row in enumerate(rows):
        key = f"#{number}" if row.group is None else row.group
        found[key] = (*found.get(key, ()), row)
    return found


def combined_standard_ns(rows: tuple[BudgetRow, ...]) -> int:
    """Return the root of the groups' summed squares, rounded up."""
    nets = [sum(row.contribution_ns for row in group) for group in by_group(rows).values()]
    return ceil(sqrt(sum(net * net for net in nets)))


def summed_bound_ns(rows: tuple[BudgetRow, ...]) -> int:
    """Return the linear sum of the groups' half-widths."""
    return sum(
        abs(sum(row.sensitivity * row.half_width_ns for row in group))
        for group in by_group(rows).values()
    )


def scoped_bound_ns(rows: tuple[BudgetRow, ...], scope: Scope) -> int:
    """Return the linear sum of the half-widths of the groups of one scope."""
    return summed_bound_ns(tuple(row for row in rows if row.scope is scope))
