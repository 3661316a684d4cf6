"""What each outcome of a cycle means to whoever counts, judges or shows cycles: one table.

Every list of outcomes in the product is made from it, so that none can forget one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique
from types import MappingProxyType
from typing import Final

from resume_rig.model.cycle import Outcome


@unique
class Counts(Enum):
    """What an outcome says of the DUT."""

    AS_PLANNED = "the DUT did what the plan asked for"
    FAILED = "the DUT did something else"
    NO_ANSWER = "the DUT was not asked, or nobody saw its answer"


@dataclass(frozen=True, slots=True)
class OutcomeMeaning:
    """What an outcome means.

    Attributes:
        words: as it is said.
        counts: of the DUT.
        fails: it fails a requirement by itself, without a time.
        why_not: why it is no evidence for or against a requirement; None where it can be.
        tries_resume: the cycle was an attempt at what the plan asked for, so that it counts where
            two campaigns are compared; a wake by something else was none.
        came_back: an OS ran after it, so that a record is expected.
        matched: its wires tell of a sleep and a wake that a record can be of.
    """

    words: str
    counts: Counts
    fails: bool = False
    why_not: str | None = None
    tries_resume: bool = True
    came_back: bool = False
    matched: bool = True


MEANINGS: Final[Mapping[Outcome, OutcomeMeaning]] = MappingProxyType(
    {
        Outcome.SLEPT_AND_WOKE: OutcomeMeaning("slept and woke", Counts.AS_PLANNED, came_back=True),
        Outcome.RECORD_MISSING: OutcomeMeaning("record missing", Counts.AS_PLANNED, came_back=True),
        Outcome.WOKE_LATE: OutcomeMeaning("woke late", Counts.FAILED, came_back=True),
        Outcome.NEVER_SLEPT: OutcomeMeaning(
            "never slept",
            Counts.FAILED,
            why_not="no sleep: the DUT never slept, so there was no resume",
            matched=False,
        ),
        Outcome.SLEPT_SHALLOW: OutcomeMeaning(
            "slept shallow",
            Counts.FAILED,
            why_not="slept shallow: the DUT did not reach the state that was asked for",
            came_back=True,
        ),
        Outcome.WOKE_ALONE: OutcomeMeaning(
            "woke alone",
            Counts.FAILED,
            why_not="not ours: something else woke the DUT",
            tries_resume=False,
            came_back=True,
        ),
        Outcome.NEVER_WOKE: OutcomeMeaning("never woke", Counts.FAILED, fails=True, matched=False),
        Outcome.HUNG_IN_SLEEP: OutcomeMeaning(
            "hung in sleep", Counts.FAILED, fails=True, matched=False
        ),
        Outcome.HUNG_IN_RESUME: OutcomeMeaning("hung in resume", Counts.FAILED, fails=True),
        Outcome.DARK: OutcomeMeaning("stayed dark", Counts.FAILED, fails=True, came_back=True),
        Outcome.REBOOTED: OutcomeMeaning("rebooted", Counts.FAILED, fails=True, matched=False),
        Outcome.INVALID: OutcomeMeaning(
            "invalid",
            Counts.NO_ANSWER,
            why_not="invalid: edges of this cycle were lost",
            tries_resume=False,
        ),
        Outcome.RIG_FAULT: OutcomeMeaning(
            "rig fault",
            Counts.NO_ANSWER,
            why_not="rig fault: the rig failed within this cycle",
            tries_resume=False,
        ),
        Outcome.INTERRUPTED: OutcomeMeaning(
            "interrupted",
            Counts.NO_ANSWER,
            why_not="interrupted: the cycle was not finished",
            tries_resume=False,
        ),
    }
)


def _those(counts: Counts) -> frozenset[Outcome]:
    return frozenset(each for each, meaning in MEANINGS.items() if meaning.counts is counts)


AS_PLANNED: Final = _those(Counts.AS_PLANNED)
"""The DUT did what the plan asked for."""

FAILED: Final = _those(Counts.FAILED)
"""Failures of the DUT's."""

NO_ANSWER: Final = _those(Counts.NO_ANSWER)
"""What is no answer of the DUT's, and proves nothing about it."""

NO_FAILURE: Final = AS_PLANNED | NO_ANSWER
"""What is no failure of the DUT's."""

SPOILED: Final = NO_ANSWER - {Outcome.INTERRUPTED}
"""What the rig owes, whatever the DUT did; nobody stopped it."""

BROKEN: Final = frozenset(each for each, meaning in MEANINGS.items() if meaning.fails)
"""Outcomes that fail without a time."""

CAME_BACK: Final = frozenset(each for each, meaning in MEANINGS.items() if meaning.came_back)
"""An OS ran after it."""

NOT_MATCHED: Final = frozenset(each for each, meaning in MEANINGS.items() if not meaning.matched)
"""No OS record can be of such a cycle."""

TRIED: Final = frozenset(each for each, meaning in MEANINGS.items() if meaning.tries_resume)
"""Attempts at what the plan asked for."""
