"""What a finding is made from: one cycle with its record, and what is known around the two."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from resume_rig.analysis.norms import Norms
from resume_rig.analysis.os_away import HiddenMean, longest_bios_ms
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


@dataclass(frozen=True)
class Seen:
    """One cycle and its OS record, in their surroundings."""

    outside: OutsideCycle
    record: OsRecord
    around: Surroundings

    @cached_property
    def longest_bios_ms(self) -> float | None:
        """The longest BIOS time that clock and wires leave room for; None if not known."""
        before = self.around.history.before(self.record)
        return longest_bios_ms(self.outside, self.record, before, self.around.reset_to_tsc)


Found = Iterator[Finding]
"""What a family of findings gives; none where nothing is wrong."""
