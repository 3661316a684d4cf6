"""What statistics find in a series of times, one a cycle, in the order of the cycles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.verdict import Statistics
from resume_rig.model.units import NS_PER_MS


@dataclass(frozen=True, slots=True)
class Training:
    """First boots of a series that were slower, because the boot prefetcher was still learning.

    Attributes:
        runs: how many. of: boots in the series.
        first_ms, last_ms: the first and the last of them. trained_ms: median of those after them.
    """

    runs: int
    of: int
    first_ms: float
    last_ms: float
    trained_ms: float


@dataclass(frozen=True, slots=True)
class CommonTerm:
    """What all cycles of a campaign have wrong in common: guaranteed half-widths, in ms.

    No number of cycles makes it less (JCGM 100:2008, 4.2.7 and 5.2). Between two campaigns on one
    rig `rig_ms` is the same error and cancels; `campaign_ms` is another one in each of them.

    Attributes:
        rig_ms: the same in every campaign on the rig: front end, board, timebase tolerance.
        campaign_ms: the same in every cycle of one campaign: PLTRST# to TSC start, how the OS
            rounds, what a finger or the DUT's display adds.
    """

    rig_ms: float = 0.0
    campaign_ms: float = 0.0

    @classmethod
    def of(cls, quantities: Iterable[BoundedNs]) -> "CommonTerm":
        """Return what quantities have in common: of each scope the most that any of them has."""
        rig_ns = campaign_ns = 0
        for each in quantities:
            rig_ns, campaign_ns = max(rig_ns, each.rig_ns), max(campaign_ns, each.campaign_ns)
        return cls(rig_ns / NS_PER_MS, campaign_ns / NS_PER_MS)

    @property
    def common_ms(self) -> float:
        """Both together."""
        return self.rig_ms + self.campaign_ms


NOTHING_COMMON = CommonTerm()
"""Of values that have nothing wrong in common."""


@dataclass(frozen=True, slots=True)
class QuantileInterval:
    """A quantile with the interval that order statistics give it, whatever the distribution.

    The interval is that of the truth: each value may be off by as much as its bound, and what all
    values have in common does not get less with their number.

    Attributes:
        share: which quantile, 0..1.
        value_ms: its estimate; None without a value.
        low_ms, high_ms: two-sided interval; None on a side that too few values leave open.
        confidence: of the interval, 0..1.
        needed: values that close both sides.
    """

    share: float
    value_ms: float | None
    low_ms: float | None
    high_ms: float | None
    confidence: float
    needed: int


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean with its interval: Student's t over the scatter, and what all values share.

    Attributes:
        value_ms: the mean. standard_ms: its standard uncertainty by scatter alone, s / root n.
        low_ms, high_ms: two-sided interval. confidence: of it, for the cycles that were run.
    """

    value_ms: float
    standard_ms: float
    low_ms: float
    high_ms: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Drift:
    """A monotone trend over the cycles.

    Attributes:
        slope_ms: change per 100 cycles (Theil and Sen).
        low_ms, high_ms: its 95 % interval; None where too few values give none.
        p: two-sided chance of so much order where there is no trend (Mann and Kendall).
    """

    slope_ms: float
    low_ms: float | None
    high_ms: float | None
    p: float

    @property
    def shown(self) -> bool:
        """Whether the trend is beyond chance (p below 1 %)."""
        return self.p < 0.01


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A place where the level of a series changed.

    Attributes:
        cycle: number of the first cycle of the new level.
        before_ms, after_ms: medians of the levels on both sides.
        p: chance of so clear a step where there is none.
    """

    cycle: int
    before_ms: float
    after_ms: float
    p: float


@dataclass(frozen=True, slots=True)
class FailureRate:
    """How often cycles fail, as `n` of them show (Clopper and Pearson, 1934).

    Attributes:
        failures: failed ones; MARGINAL ones count as failed.
        n: judged ones.
        low, high: two-sided 95 % interval, 0..1.
        upper: one-sided 95 % upper bound, 0..1.
        needed_for_1_percent: cycles without any failure that show a rate below 1 %.
        undecided: further cycles that woke, and of which there is no evidence. They count as
            failed in `high` and `upper`, as met in `low`: whatever they were, the bounds hold.
        tau: cycles that count as one, by the runs in which the failures come; 1 where they come
            singly, and where none shows how they come.
        upper_in_runs: `upper`, if failures came in runs of ten or more, as few of them do not show.
    """

    failures: int
    n: int
    low: float
    high: float
    upper: float
    needed_for_1_percent: int
    undecided: int = 0
    tau: float = 1.0
    upper_in_runs: float = 1.0


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """A series that has two middles and next to nothing between them.

    Attributes:
        low_n, high_n: values of either. low_ms, high_ms: their medians.
        above_ms: every value of the upper group is above it, no other one is.
    """

    low_n: int
    low_ms: float
    high_n: int
    high_ms: float
    above_ms: float


@dataclass(frozen=True, slots=True)
class SeriesStatistics:
    """All of one series; nothing in it was left out of the figures.

    Attributes:
        name: what was timed, unit at the end.
        figures: of all values, warm-up and outliers among them.
        drift: None below 10 values.
        warm_up: numbers of the first cycles that are unlike the rest.
        outliers: numbers of the cycles far from the middle.
        judged: whether the values are of judged cycles, and between wires of undecided ones, too;
            where none is judged, they are of the wires of all that slept and woke.
        common: what all values have wrong in common, at most; it is in the intervals.
        mean: None below two values.
        tau: values that count as one in the intervals, as they depend on one another; 1 or more.
        groups: None where there is one; an outlier is then far from its own group.
    """

    name: str
    figures: Statistics
    median: QuantileInterval
    p95: QuantileInterval
    drift: Drift | None
    change_points: tuple[ChangePoint, ...]
    warm_up: tuple[int, ...]
    outliers: tuple[int, ...]
    judged: bool = True
    common: CommonTerm = NOTHING_COMMON
    mean: MeanInterval | None = None
    tau: float = 1.0
    groups: TwoGroups | None = None


@unique
class CycleMark(StrEnum):
    """What a picture of all cycles shows of one; a letter each, as a campaign has 100,000.

    TIMED: it has the time. FAILED: it has the time, and its verdict is FAIL. BROKEN: the DUT did
    not sleep and wake as planned, and there is no time. UNKNOWN: it slept and woke, or nobody saw
    what it did, and there is no time. LEFT_OUT: it has the time and does not count.
    """

    TIMED = "."
    FAILED = "f"
    BROKEN = "x"
    UNKNOWN = "o"
    LEFT_OUT = "-"


@dataclass(frozen=True, slots=True)
class CycleTimes:
    """One measure over every cycle of a campaign, in their order; none is left out.

    Attributes:
        numbers: of the cycles. times_ms: of each, NaN without one.
        marks: a CycleMark of each, in one string.
    """

    name: str
    numbers: Sequence[int]
    times_ms: Sequence[float]
    marks: str

    def count(self, mark: CycleMark) -> int:
        """Return how many cycles have a mark."""
        return self.marks.count(mark.value)
