"""A requirement profile: versioned limits with their source."""

import functools
from dataclasses import dataclass, replace
from enum import StrEnum, unique

from resume_rig.model.os_record import SleepKind

RESUME = "resume_ms"
BIOS = "bios_init_ms"
EVIDENCE_MIN = 0.9
"""Share of the cycles that woke that must have a value where a profile does not say. A choice of
this project, as no document names one: with a tenth missing, a share of cycles is off by a tenth at
most, whatever the missing ones were."""

_MS_NS = 1_000_000


@unique
class Comparison(StrEnum):
    """How a value stands to its limit where it conforms."""

    AT_MOST = "at_most"
    BELOW = "below"
    AT_LEAST = "at_least"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit on one measure.

    Attributes:
        measure: what is limited (verdict/measures.py has the names); its unit is at the end.
        comparison: which side conforms.
        value: the limit, in ns for a measure of time, in the measure's own unit for a rate.
        unit: what the profile, and a reader, says it in: ns, us, ms, s, pages/ms or MB/s.
        required: a limit that is only advised decides no verdict.
        share: None where every cycle must conform; else the share of cycles that must, e.g. 0.95
            for a limit on the 95th percentile.
        confidence: with which a share must be shown, one-sided.
        kinds: kinds of sleep it is for; empty = all of its profile's.
    """

    measure: str
    comparison: Comparison
    value: int | float
    unit: str
    required: bool = True
    share: float | None = None
    confidence: float = 0.95
    kinds: tuple[SleepKind, ...] = ()


@dataclass(frozen=True, slots=True)
class Requirement:
    """Limits that a verdict is given against.

    Attributes:
        id: e.g. "sysfund-0004".
        version: of the profile in this project, not of the document it comes from.
        title: one line for a report.
        source: the document that the limits come from.
        kinds: the kinds of sleep it speaks of; others are judged apart.
        resume_limit_ms: BiosInit + DriverInit must be at most this; None where the profile does
            not limit it.
        bios_advised_ms: BiosInit should be at most this (a recommendation, never a FAIL); or None.
        ignore_first: the first transition of each log is left out.
        limit_fails: a resume time at the limit itself fails, where others are met by it.
        guard_band: whether values so near a limit that their uncertainty decides are MARGINAL;
            without it the reported value counts as it stands.
        further: limits beyond these two.
        evidence_min: the share, 0..1, of the cycles that woke from a sleep of these kinds that
            must have a value; with fewer there is no verdict but FAIL.
    """

    id: str
    version: int
    title: str
    source: str
    kinds: tuple[SleepKind, ...]
    resume_limit_ms: int | None
    bios_advised_ms: int | None
    ignore_first: bool = False
    limit_fails: bool = False
    guard_band: bool = True
    further: tuple[Limit, ...] = ()
    evidence_min: float = EVIDENCE_MIN

    def limits(self) -> tuple[Limit, ...]:
        """Return every limit, each with the kinds of sleep that it is for."""
        return _limits_of(self)


@functools.lru_cache(maxsize=16)  # asked for with each of 100,000 cycles
def _limits_of(requirement: Requirement) -> tuple[Limit, ...]:
    found: list[Limit] = []
    if requirement.resume_limit_ms is not None:
        comparison = Comparison.BELOW if requirement.limit_fails else Comparison.AT_MOST
        found.append(Limit(RESUME, comparison, requirement.resume_limit_ms * _MS_NS, "ms"))
    if requirement.bios_advised_ms is not None:
        limit_ns = requirement.bios_advised_ms * _MS_NS
        found.append(Limit(BIOS, Comparison.AT_MOST, limit_ns, "ms", required=False))
    found += requirement.further
    return tuple(replace(limit, kinds=limit.kinds or requirement.kinds) for limit in found)
