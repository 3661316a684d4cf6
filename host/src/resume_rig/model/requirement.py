"""A requirement profile: versioned limits with their source."""

from dataclasses import dataclass

from resume_rig.model.os_record import SleepKind


@dataclass(frozen=True, slots=True)
class Requirement:
    """Limits that a verdict is given against.

    Attributes:
        id: e.g. "sysfund-0004".
        version: of the profile in this project, not of the document it comes from.
        title: one line for a report.
        source: the document that the limits come from.
        kinds: the kinds of sleep it speaks of; others are judged apart.
        resume_limit_ms: BiosInit + DriverInit must be at most this.
        bios_advised_ms: BiosInit should be at most this (a recommendation, never a FAIL); or None.
        ignore_first: the first transition of each log is left out.
        limit_fails: a time at the limit itself fails, where others are met by it.
        guard_band: whether times so near the limit that rounding decides are MARGINAL; without
            it the reported sum counts as it stands.
    """

    id: str
    version: int
    title: str
    source: str
    kinds: tuple[SleepKind, ...]
    resume_limit_ms: int
    bios_advised_ms: int | None
    ignore_first: bool = False
    limit_fails: bool = False
    guard_band: bool = True
