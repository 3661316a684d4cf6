"""How figures went over builds or weeks: points, changes, and what carries them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique

from resume_rig.model.result.fleet import Trait
from resume_rig.model.result.series import NOTHING_COMMON, CommonTerm, FailureRate
from resume_rig.model.result.verdict import Verdict


@unique
class TrendBy(StrEnum):
    """What makes the points of a trend."""

    BIOS = "bios"
    WEEK = "week"


@unique
class Repeats(StrEnum):
    """What is repeated independently, so that its scatter is the uncertainty of a figure."""

    UNITS = "units"
    CAMPAIGNS = "campaigns"
    CYCLES = "cycles"
    """One campaign alone: the interval holds for it, and for no other."""


@dataclass(frozen=True, slots=True)
class SessionTimes:
    """One measure of the cycles of one campaign that are of one point.

    Attributes:
        low_ms, high_ms: interval of the median by the campaign's own cycles; None where it has
            cycles of other points, too, or too few.
        common: what all its cycles share.
    """

    n: int
    median_ms: float
    p95_ms: float
    max_ms: float
    low_ms: float | None = None
    high_ms: float | None = None
    common: CommonTerm = NOTHING_COMMON


@dataclass(frozen=True, slots=True)
class TrendSession:
    """What one campaign adds to one point.

    Attributes:
        load_id: which judgement it is of.
        point: name of the build, or the week.
        begun_utc_ns: of the campaign. times: by measure.
        report: path of its HTML report; None where it has none.
    """

    load_id: int
    path: str
    report: str | None
    unit: str
    point: str
    begun_utc_ns: int
    verdict: Verdict
    cycles: int
    judged: int
    failed: int
    undecided: int
    times: Mapping[str, SessionTimes]


@dataclass(frozen=True, slots=True)
class TrendFigure:
    """One measure at one point.

    Attributes:
        value_ms: the mean of the units' medians; of one unit that of its campaigns'.
        low_ms, high_ms: its 95 % interval; None where nothing is repeated.
        p95_ms: the middle of the units' 95th percentiles. max_ms: the longest.
        repeats: what its interval rests on; n: how many of them; cycles: with a value.
    """

    measure: str
    value_ms: float
    low_ms: float | None
    high_ms: float | None
    p95_ms: float
    max_ms: float
    repeats: Repeats
    n: int
    cycles: int


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One build, or one week.

    Attributes:
        label: its name; hostile, where it is a build's.
        first_utc_ns: when its first campaign began; points stand in that order.
        verdict: the worst of its campaigns.
    """

    label: str
    first_utc_ns: int
    verdict: Verdict
    campaigns: int
    units: int
    cycles: int
    failures: FailureRate | None
    figures: tuple[TrendFigure, ...]


@dataclass(frozen=True, slots=True)
class Carrier:
    """A unit, or a component, in which a change shows.

    Attributes:
        name: hostile. before, after: in ms; of failures shares, 0..1.
    """

    name: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """After less before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class TrendChange:
    """A point at which a level changed.

    Attributes:
        measure: which; None: how often judged cycles fail.
        label: the first point of the new level. since: the first of the level before it.
        before, after: in ms; of failures shares, 0..1.
        low, high: 95 % interval of the difference; None of failures.
        p: chance of so clear a change anywhere in the trend where there is none.
        paired: the same units were measured on both sides, and each is its own reference.
        moved, of: so many of so many units changed by half of it or more, the same way.
        units: those that changed most, the most first.
        drivers: components that changed most; ranked, not tested.
    """

    measure: str | None
    label: str
    since: str
    before: float
    after: float
    low: float | None
    high: float | None
    p: float
    paired: bool
    moved: int
    of: int
    units: tuple[Carrier, ...]
    drivers: tuple[Carrier, ...] = ()

    @property
    def worse(self) -> bool:
        """Whether it got slower, or fails more often."""
        return self.after > self.before


@dataclass(frozen=True, slots=True)
class TrendCell:
    """One unit at one point.

    Attributes:
        median_ms: of the trend's first measure that it has; None of none.
        reports: of its campaigns that have one, the newest first.
    """

    verdict: Verdict
    campaigns: int
    judged: int
    failed: int
    median_ms: float | None
    reports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrendUnit:
    """One unit over the points; those that it was not measured at are absent."""

    name: str
    verdict: Verdict
    cells: Mapping[str, TrendCell]


@dataclass(frozen=True, slots=True)
class TrendGroup:
    """A product in a sleep state, over its points.

    Attributes:
        points: in order of time. units: worst verdict first.
        changes: in order of the points.
        tested: comparisons that were made; untested: points that could not be compared, and why.
    """

    traits: Mapping[Trait, str]
    verdict: Verdict
    points: tuple[TrendPoint, ...]
    changes: tuple[TrendChange, ...]
    units: tuple[TrendUnit, ...]
    tested: int
    untested: tuple[str, ...] = ()

    @property
    def first_worse(self) -> TrendChange | None:
        """The first change for the worse."""
        return next((each for each in self.changes if each.worse), None)


@dataclass(frozen=True, slots=True)
class Trend:
    """The whole answer of `trend`.

    Attributes:
        verdict: FAIL where a point is worse than the level before it, PASS where those that could
            be compared are not, NO-EVIDENCE where none could be.
        requirement: the profile that the campaigns were judged against, "id, version n".
        left_out: a sentence for each campaign that is not in it.
    """

    by: TrendBy
    requirement: str
    measures: tuple[str, ...]
    groups: tuple[TrendGroup, ...]
    verdict: Verdict
    why: str
    left_out: tuple[str, ...] = field(default=())
