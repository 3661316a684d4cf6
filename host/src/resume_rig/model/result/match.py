"""How sure a match is, and why a cycle or an OS record has none."""

import re
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from resume_rig.model.os_record import OsRecord

HIGH_CONFIDENCE = 0.99
"""From here on a match is called high, and only then it feeds a verdict."""

LOWEST_CONFIDENCE = 0.98
"""Below it nothing is matched: another assignment is too likely."""


@unique
class Confidence(StrEnum):
    """The name of a match's confidence (correlate --json `match.level`)."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class MatchCertainty:
    """How sure it is that a record is of its cycle.

    Attributes:
        probability: of this record among all assignments that the times allow, 0..1.
    """

    probability: float

    @property
    def level(self) -> Confidence:
        """HIGH from HIGH_CONFIDENCE on."""
        return Confidence.HIGH if self.probability >= HIGH_CONFIDENCE else Confidence.LOW


@dataclass(frozen=True, slots=True)
class StatedPair:
    """A cycle and its OS record, as the user states them.

    Attributes:
        cycle: number of the cycle.
        record: number of the record in its log (`OsRecord.record_id`).
    """

    cycle: int
    record: int


_PAIR: Final = re.compile(r"([0-9]{1,9})=([0-9]{1,19})", re.ASCII)


def stated_pair_of(text: str) -> StatedPair | None:
    """Return a pair that is written `CYCLE=RECORD`; None where it is not one."""
    found = _PAIR.fullmatch(text)
    return None if found is None else StatedPair(int(found[1]), int(found[2]))


def percent(certainty: MatchCertainty) -> str:
    """Return a probability in words; never "100 %" for less."""
    if certainty.probability > 0.9999:
        return "over 99.99 %"
    return f"{100 * certainty.probability:.2f} %"


@unique
class CycleReason(StrEnum):
    """Why a cycle has no OS record (correlate --json `unmatched_cycle_reasons`)."""

    NO_LOG = "no-log"
    NO_TIME = "no-time"
    NOT_SURVIVED = "not-survived"
    NOT_WRITTEN = "not-written"
    BEFORE_LOG = "before-log"
    AFTER_LOG = "after-log"
    LOST = "record-lost"
    AMBIGUOUS = "ambiguous"
    UNRELATED = "unrelated-log"


@unique
class RecordReason(StrEnum):
    """Why an OS record belongs to no cycle (correlate --json `unmatched_records[].reason`)."""

    NO_SLEEP = "no-sleep-of-the-wires"
    NO_TIME = "no-time"
    DOUBLED = "doubled"
    DOZE = "doze"
    NOT_SURVIVED = "not-survived"
    BEFORE_CAMPAIGN = "before-campaign"
    AFTER_CAMPAIGN = "after-campaign"
    BETWEEN_CYCLES = "between-cycles"
    AMBIGUOUS = "ambiguous"
    UNRELATED = "unrelated-log"


CYCLE_REASONS = {
    CycleReason.NO_LOG: "no log was read",
    CycleReason.NO_TIME: "the cycle has no sleep and wake that a record could report",
    CycleReason.NOT_SURVIVED: "the OS did not come back from this sleep",
    CycleReason.NOT_WRITTEN: "no boot in the log is certainly this one; an OS need not write one",
    CycleReason.BEFORE_LOG: "the log begins later, so the record was overwritten or never exported",
    CycleReason.AFTER_LOG: "the log ends earlier",
    CycleReason.LOST: "the log covers the time before and after it, so the record is lost",
    CycleReason.AMBIGUOUS: "the times allow more than one assignment of the records",
    CycleReason.UNRELATED: (
        "nothing ties the times of the log to those of the cycles: it is of another machine, or "
        "the pace is too even to distinguish one cycle from the next"
    ),
}
"""Each reason as the end of a sentence."""

RECORD_REASONS = {
    RecordReason.NO_SLEEP: "reports no sleep that these signals could show",
    RecordReason.NO_TIME: "has neither a sleep nor a wake time",
    RecordReason.DOUBLED: "has the times of another record",
    RecordReason.DOZE: "was written without a wake of its own: a doze to hibernate, or a quick "
    "second sleep",
    RecordReason.NOT_SURVIVED: "reports a sleep that the OS did not come back from",
    RecordReason.BEFORE_CAMPAIGN: "is of a sleep before the first cycle",
    RecordReason.AFTER_CAMPAIGN: "is of a sleep after the last cycle",
    RecordReason.BETWEEN_CYCLES: "is of a sleep between two cycles, none of the campaign's",
    RecordReason.AMBIGUOUS: "could be of more than one cycle",
    RecordReason.UNRELATED: "is of a log whose times nothing ties to those of the cycles",
}
"""Each reason as the rest of a sentence that begins with the record."""


@dataclass(frozen=True, slots=True)
class UnmatchedRecord:
    """An OS record that is of no cycle, and the likely reason."""

    record: OsRecord
    reason: RecordReason


@dataclass(frozen=True, slots=True)
class ClockStep:
    """The OS clock was set, or the RTC jumped, between two matched cycles.

    Attributes:
        after_cycle, before_cycle: the numbers of the matched cycles on either side.
        step_s: how far the OS clock jumped, ahead positive, good to about half a second.
    """

    after_cycle: int
    before_cycle: int
    step_s: float
