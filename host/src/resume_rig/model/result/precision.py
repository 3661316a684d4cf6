"""What a study of a measurement system finds: variance components, and what follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class Source(StrEnum):
    """Where variation comes from; each contains what the design does not separate from it."""

    UNIT = "unit"
    RIG = "rig"
    UNIT_BY_RIG = "unit x rig"
    SESSION = "session"
    REPEATABILITY = "repeatability"


@dataclass(frozen=True, slots=True)
class StudySession:
    """One store of a study.

    Attributes:
        path: of the store.
        unit, rig: who was measured, and with what.
        times_ms: by measure, in order of the cycles, warm-up left out.
    """

    path: str
    unit: str
    rig: str
    times_ms: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Deviation:
    """A standard deviation and its 95 % interval.

    Attributes:
        sd_ms: estimate; 0 where the estimate of the variance is negative.
        low_ms, high_ms: interval by the modified large-sample method; None without one.
    """

    sd_ms: float
    low_ms: float | None
    high_ms: float | None


@dataclass(frozen=True, slots=True)
class Component:
    """One source of variation.

    Attributes:
        freedom: degrees of freedom of its mean square.
        share: of the total variance, 0..1.
        contains_session: sessions are not told apart from it.
    """

    source: Source
    deviation: Deviation
    freedom: int
    share: float
    contains_session: bool = False


@dataclass(frozen=True, slots=True)
class MeasureStudy:
    """One measure over all sessions.

    Attributes:
        name: what was timed.
        mean_ms: of all values.
        values: of all sessions together.
        units, rigs, sessions: that have it.
        components: those that the design shows, unit first, repeatability last.
        repeatability: s_r of ISO 5725-2: cycle to cycle within a session.
        reproducibility: s_R of ISO 5725-2: everything but the unit; the "gauge R&R" of AIAG MSA.
        total: everything.
        grr_percent: reproducibility in % of the total; None without several units.
        categories: distinct categories, 1.41 of the unit's sd over the reproducibility's, rounded
            down; None without several units, or where no variation but theirs is found.
        session_cycles: cycles of the middle session.
        session_mean_ms: standard deviation of the mean of one such session of one unit.
    """

    name: str
    mean_ms: float
    values: int
    units: int
    rigs: int
    sessions: int
    components: tuple[Component, ...]
    repeatability: Deviation
    reproducibility: Deviation
    total: Deviation
    grr_percent: float | None
    categories: int | None
    session_cycles: int
    session_mean_ms: float


@dataclass(frozen=True, slots=True)
class Study:
    """The whole answer of `msa`.

    Attributes:
        sessions: (path, unit, rig) of each.
        measures: those with two values in a session at least, headline times first.
        notes: what the study cannot show, each one sentence.
    """

    sessions: tuple[tuple[str, str, str], ...]
    measures: tuple[MeasureStudy, ...]
    notes: tuple[str, ...]
