"""Answers that are of many campaigns: a fleet in groups, and a trend over builds or weeks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique

from resume_rig.model.evidence import band_of
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.result.series import (
    NOTHING_COMMON,
    CommonTerm,
    CycleTimes,
    FailureRate,
    QuantileInterval,
)
from resume_rig.model.result.verdict import Requirement, Verdict


@unique
class Trait(StrEnum):
    """What campaigns can be grouped by."""

    PRODUCT = "product"
    BIOS = "bios"
    STATE = "state"
    DUT = "dut"
    RIG = "rig"
    HOST = "host"


@unique
class UnitBy(StrEnum):
    """What distinguishes units, as stores have no serial number of theirs."""

    DUT = "dut"
    FOLDER = "folder"
    STORE = "store"


@dataclass(frozen=True, slots=True)
class TimesOf:
    """One measure over the judged cycles of one campaign, or over its wires where none is judged.

    Attributes:
        spread_ms: scaled median absolute deviation, which a few slow cycles do not move.
        median, p95: with their intervals, in which all that the values may be off by counts.
        common: what all values have wrong in common, at most.
    """

    name: str
    n: int
    median_ms: float
    p95_ms: float
    max_ms: float
    spread_ms: float
    median: QuantileInterval | None = None
    p95: QuantileInterval | None = None
    common: CommonTerm = NOTHING_COMMON


@dataclass(frozen=True, slots=True)
class FleetCampaign:
    """One store, or one OS log.

    Attributes:
        path: as it was found.
        unit: which unit was measured, by `UnitBy`.
        traits: hostile where they come from a DUT.
        begun_utc_ns: host wall time; of a log its first sleep, None where it has no time.
        running: another process is writing to it.
        marks: what a reader has to know of it: salvaged, faults injected, not done, gone on with;
            of a log, that it is incomplete or shares sleeps with another.
        cycles: of any outcome.
        failures: of the judged cycles; None without any.
        outcomes: how many cycles came to which outcome, by the wires; zeros are absent.
        findings: in how many cycles which kind was found; zeros are absent.
        times: by measure; one that no judged cycle has is absent.
        undecided: cycles that woke from a sleep that the requirement covers, without evidence.
        evidence_lacks: they are so many that there is no verdict but FAIL.
        all_cycles: total resume time of every cycle, or power button to display on where none is
            judged or none has it; None where nobody kept it.
        log: which kind of OS log it is, e.g. "evtx"; empty of a store.
        kinds: of a log, its sleeps by kind, the commonest first; empty of a store.
    """

    path: str
    unit: str
    traits: Mapping[Trait, str]
    begun_utc_ns: int | None
    running: bool
    marks: tuple[str, ...]
    cycles: int
    verdict: Verdict
    why: str
    failures: FailureRate | None
    outcomes: Mapping[str, int]
    findings: Mapping[str, int]
    times: Mapping[str, TimesOf]
    undecided: int = 0
    evidence_lacks: bool = False
    all_cycles: CycleTimes | None = None
    log: str = ""
    kinds: Mapping[SleepKind, int] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether it measured no PC; what nobody states is not taken for it."""
        return SIMULATED_MARK in self.marks


SALVAGED = "salvaged"
"""Mark of a campaign whose store was salvaged from a damaged one."""

SIMULATED_MARK = "SIMULATED"
"""Mark of a campaign of a simulated bench."""


@dataclass(frozen=True, slots=True)
class SurveyedStore:
    """One store, or one OS log.

    Attributes:
        accounts: int64 [n], a hash of each OS record, the same in every export of it.
        campaign_id: the same of all copies of a campaign; empty of a log.
        begun_ns, ended_ns: int64 [n], when the sleep of each account began and ended by its log;
            of one without times any moment in it, and 0 for its end.
        cycles: int64 [n], a fingerprint of each cycle of a store, the same in every copy of it.
        first: account and record of a log's first transition, where the requirement ignores it.
    """

    campaign: FleetCampaign
    accounts: Sequence[int] = ()
    begun_ns: Sequence[int] = ()
    ended_ns: Sequence[int] = ()
    campaign_id: str = ""
    cycles: Sequence[int] = ()
    first: tuple[int, OsRecord] | None = None


@dataclass(frozen=True, slots=True)
class UnreadStore:
    """One that could not be taken in, and why, in a sentence; `is_log`: an OS log."""

    path: str
    why: str
    is_log: bool = False


@dataclass(frozen=True, slots=True)
class GroupTimes:
    """One measure over the units of a group.

    Attributes:
        units: that have it.
        median_ms: the middle of the units' medians.
        low_ms, high_ms: the ends of the units' medians, each widened by what its cycles share: the
            true medians lie between them.
        next_within: chance that a further unit of the same kind has its median between them,
            whatever the distribution; None of one unit.
        between_ms: standard deviation from unit to unit, what chance within a unit does to its
            median taken off; None below 3 units.
        within_ms: standard deviation from cycle to cycle within a unit, the middle of the units'.
        common: what all cycles of a unit share, at most. `rig_ms` is the same error for all units
            of a rig; `campaign_ms` is another one in each unit, and `between_ms` does not see it.
    """

    name: str
    units: int
    median_ms: float
    low_ms: float
    high_ms: float
    next_within: float | None
    between_ms: float | None
    within_ms: float
    common: CommonTerm = NOTHING_COMMON


@dataclass(frozen=True, slots=True)
class OutlyingUnit:
    """A unit that is unlike the others of its group.

    Attributes:
        measure: what it is unlike in; None: how often it fails.
        value, others: its median and the middle of the others', in ms; failures: shares of 0..1.
        p: chance of so unlike a unit anywhere in the group where all are of one kind.
    """

    unit: str
    measure: str | None
    value: float
    others: float
    p: float


@dataclass(frozen=True, slots=True)
class FleetGroup:
    """Campaigns with the same of each trait that was asked for.

    Attributes:
        traits: what they have in common, of those that were asked for.
        campaigns: worst verdict first, then as they began.
        units: how many units they are of.
        verdict: the worst of its campaigns.
        failures: of the judged cycles of all campaigns together; None without any. Cycles of one
            unit resemble each other, so that its bound holds for these units, not for others.
        units_failed: of how many units at least one judged cycle failed.
        units_share: how often units have a failing cycle, in campaigns as long as these.
        outliers: units unlike the others, the clearest first.
    """

    traits: Mapping[Trait, str]
    campaigns: tuple[FleetCampaign, ...]
    units: int
    verdict: Verdict
    failures: FailureRate | None
    units_failed: int
    units_share: FailureRate | None
    times: tuple[GroupTimes, ...]
    outliers: tuple[OutlyingUnit, ...]


@dataclass(frozen=True, slots=True)
class Fleet:
    """The whole answer of `fleet`.

    Attributes:
        by: the traits that make the groups.
        groups: worst verdict first.
        headline: how many campaigns have which verdict, in a sentence; why: what it rests on.
        unread: stores that are not in it.
        copies: (path, path of the one that it is a copy of) of stores that are counted once.
    """

    requirement: Requirement
    by: tuple[Trait, ...]
    groups: tuple[FleetGroup, ...]
    verdict: Verdict
    headline: str
    why: str
    unread: tuple[UnreadStore, ...] = ()
    copies: tuple[tuple[str, str], ...] = field(default=())

    @property
    def band(self) -> str:
        """What every face shows across its top, where any campaign measured no PC; else ""."""
        return band_of([each.simulated for each in self.campaigns], "campaigns")

    @property
    def campaigns(self) -> tuple[FleetCampaign, ...]:
        """All of them, group by group."""
        return tuple(each for group in self.groups for each in group.campaigns)


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
        simulated: it measured no PC; what nobody states is not taken for it.
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
    simulated: bool = False


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
        band: what every face shows across its top, where a campaign measured no PC; else "".
    """

    by: TrendBy
    requirement: str
    measures: tuple[str, ...]
    groups: tuple[TrendGroup, ...]
    verdict: Verdict
    why: str
    left_out: tuple[str, ...] = field(default=())
    band: str = ""
