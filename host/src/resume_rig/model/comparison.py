"""What two samples of cycles, a base and a candidate, say of each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

from resume_rig.model.os_record import SleepKind


@unique
class Change(StrEnum):
    """What became of one time from base to candidate."""

    SLOWER = "slower"
    SLIGHTLY_SLOWER = "slightly-slower"
    FASTER = "faster"
    NOT_SHOWN = "not-shown"
    TOO_FEW = "too-few"


@unique
class Answer(StrEnum):
    """The answer of a comparison."""

    REGRESSION = "REGRESSION"
    NO_REGRESSION = "NO-REGRESSION"
    NO_EVIDENCE = "NO-EVIDENCE"


@dataclass(frozen=True, slots=True)
class Effect:
    """One time in both samples.

    Attributes:
        name: what was timed.
        base_n, candidate_n: values.
        base_median_ms, candidate_median_ms: medians.
        shift_ms: estimate of the shift from base to candidate (Hodges and Lehmann); positive =
            slower.
        low_ms, high_ms: its 95 % interval; None where too few values give none.
        mean_ratio: candidate's mean over the base's; None where the base's is 0.
        p: two-sided, of the exact rank-sum permutation test (its normal limit for many values).
        p_adjusted: p after Holm over all effects of its family.
        detectable_ms: the smallest shift that these samples show with 80 % probability; None where
            they show none whatever it is.
        matters_ms: the smallest slow-down that the user asked about.
        headline: whether the answer needs this one to be powerful enough.
    """

    name: str
    base_n: int
    candidate_n: int
    base_median_ms: float
    candidate_median_ms: float
    shift_ms: float
    low_ms: float | None
    high_ms: float | None
    mean_ratio: float | None
    p: float
    p_adjusted: float
    detectable_ms: float | None
    matters_ms: float
    change: Change
    headline: bool

    @property
    def powerful(self) -> bool:
        """Whether a slow-down that matters would have been shown, with 80 % probability."""
        return self.detectable_ms is not None and self.detectable_ms <= self.matters_ms


@dataclass(frozen=True, slots=True)
class FailureEffect:
    """How often cycles failed, or were slow, in both samples; p is Fisher's, two-sided."""

    base_failed: int
    base_n: int
    candidate_failed: int
    candidate_n: int
    p: float
    p_adjusted: float
    more: bool


@dataclass(frozen=True, slots=True)
class SlowCycles:
    """How often a headline time was far above the middle of both samples together.

    Attributes:
        name: what was timed.
        above_ms: from here on a cycle is slow.
        counts: of slow cycles.
    """

    name: str
    above_ms: float
    counts: FailureEffect


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """Who a sample is of.

    Attributes:
        path: as the user named it.
        cycles: that are of the compared kind and not left out.
        identity: names and values, hostile where they come from a DUT.
    """

    path: str
    cycles: int
    identity: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The whole answer of `compare`.

    Attributes:
        effects: the main family, slow-downs first, the greatest share of its median first.
        slow: headline times that have slow cycles on either side; of the main family, too.
        components: parts of transitions, a family of their own, which decides nothing.
        components_compared: how many there were; `components` are those that changed.
        differences: (name, base, candidate) of what the identities disagree in.
        warnings: why the two may not be comparable; each is one sentence.
        alpha: chance to name any difference of the main family where there is none.
    """

    base: SampleFacts
    candidate: SampleFacts
    kind: SleepKind | None
    effects: tuple[Effect, ...]
    failures: FailureEffect | None
    slow: tuple[SlowCycles, ...]
    components: tuple[Effect, ...]
    components_compared: int
    differences: tuple[tuple[str, str, str], ...]
    warnings: tuple[str, ...]
    alpha: float
    answer: Answer
    why: str
