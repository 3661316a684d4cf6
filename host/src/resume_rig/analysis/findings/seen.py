"""What a finding is made from: one cycle with its record, and what is known around the two."""

from collections.abc import Iterator
from dataclasses import dataclass

from resume_rig.analysis.norms import Norms
from resume_rig.analysis.os_away import HiddenMean
from resume_rig.analysis.platform import UNKNOWN_PLATFORM, Platform
from resume_rig.analysis.record_history import History
from resume_rig.model.cycle import OutsideCycle
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import Requirement
from resume_rig.model.verdict import Finding


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all cycles of a campaign share.

    Attributes:
        reset_to_tsc: PLTRST# rising to the TSC's zero, from the DUT profile.
        means: by number of cycle, what it and its neighbours hide on average.
    """

    requirement: Requirement
    reset_to_tsc: BoundedNs
    norms: Norms
    history: History
    means: dict[int, HiddenMean]
    platform: Platform = UNKNOWN_PLATFORM


@dataclass(frozen=True, slots=True)
class Seen:
    """One cycle and its OS record, in their surroundings."""

    outside: OutsideCycle
    record: OsRecord
    around: Surroundings


Found = Iterator[Finding]
"""What a family of findings gives; none where nothing is wrong."""
