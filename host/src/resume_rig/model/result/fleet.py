"""Many campaigns, side by side: each as a line, and the groups that they fall into."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique

from resume_rig.model.result.requirement import Requirement
from resume_rig.model.result.series import (
    NOTHING_COMMON,
    CommonTerm,
    CycleTimes,
    FailureRate,
    QuantileInterval,
)
from resume_rig.model.result.verdict import Verdict


@unique
class Trait(StrEnum):
    """What campaigns can be told apart by."""

    PRODUCT = "product"
    BIOS = "bios"
    STATE = "state"
    DUT = "dut"
    RIG = "rig"
    HOST = "host"


@unique
class UnitBy(StrEnum):
    """What tells units apart, as stores have no serial number of theirs."""

    DUT = "dut"
    FOLDER = "folder"
    STORE = "store"


@dataclass(frozen=True, slots=True)
class TimesOf:
    """One measure over the judged cycles of one campaign, or over its wires where none is judged.

    Attributes:
        name: what was timed.
        spread_ms: scaled median absolute deviation, which a few slow cycles do not move.
        median, p95: with their intervals, in which all that the values may be off by counts.
        common: what all values have wrong alike, at most.
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
    """One store.

    Attributes:
        path: as it was found.
        unit: which unit was measured, as far as the stores tell units apart.
        traits: hostile where they come from a DUT.
        begun_utc_ns: host wall time.
        running: another process is writing to it.
        marks: what a reader has to know of it: salvaged, faults injected, not done, gone on with.
        cycles: of any outcome.
        failures: of the judged cycles; None without any.
        outcomes: how many cycles came to which outcome; zeros are absent.
        findings: in how many cycles which kind was found; zeros are absent.
        times: by measure; one that no judged cycle has is absent.
        undecided: cycles that woke from a sleep that the requirement covers, without evidence.
        evidence_lacks: they are so many that there is no verdict but FAIL.
        all_cycles: total resume time of every cycle, or power button to display on where none is
            judged or none has it; None where nobody kept it.
    """

    path: str
    unit: str
    traits: Mapping[Trait, str]
    begun_utc_ns: int
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


@dataclass(frozen=True, slots=True)
class UnreadStore:
    """One that could not be taken in, and the sentence that says why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class GroupTimes:
    """One measure over the units of a group.

    Attributes:
        name: what was timed.
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
        unit: which.
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
    """Campaigns that are alike in the traits that were asked for.

    Attributes:
        traits: what they have in common, of those that were asked for.
        campaigns: worst verdict first, then as they began.
        units: how many units they are of.
        verdict: the worst of its campaigns.
        failures: of the judged cycles of all campaigns together; None without any. Cycles of one
            unit are alike, so that its bound holds for these units, not for others.
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
        unread: stores that are not in it.
        copies: (path, path of the one that it is a copy of) of stores that are counted once.
    """

    requirement: Requirement
    by: tuple[Trait, ...]
    groups: tuple[FleetGroup, ...]
    verdict: Verdict
    why: str
    unread: tuple[UnreadStore, ...] = ()
    copies: tuple[tuple[str, str], ...] = field(default=())

    @property
    def campaigns(self) -> tuple[FleetCampaign, ...]:
        """All of them, group by group."""
        return tuple(each for group in self.groups for each in group.campaigns)
