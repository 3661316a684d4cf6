"""What a campaign tells whoever listens, while it runs.

Observers show and forward; they decide nothing. All times are of the board unless said otherwise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from resume_rig.campaign.plan import Plan
from resume_rig.campaign.raw import CycleRaw


@dataclass(frozen=True, slots=True)
class CampaignBegan:
    """A run or a resume begins.

    Attributes:
        session: 1 for a run, more for a resume.
        done: cycles of the plan that earlier sessions did.
    """

    path: Path
    plan: Plan
    session: int
    done: int


@dataclass(frozen=True, slots=True)
class CycleStarted:
    """A cycle begins; `done` of the plan's `cycles` are over."""

    number: int
    done: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Asleep:
    """The wires show that the DUT sleeps; `after_ns` the start of the trigger."""

    number: int
    after_ns: int


@dataclass(frozen=True, slots=True)
class Woke:
    """The wires show every sign of a wake; `after_ns` sleep entry."""

    number: int
    after_ns: int


@dataclass(frozen=True, slots=True)
class CycleDone:
    """A cycle is over and on the disk."""

    raw: CycleRaw


@dataclass(frozen=True, slots=True)
class LogUnreadable:
    """The OS log could not be read; the campaign goes on and tries again a cycle later."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Recovering:
    """The DUT is not as a cycle needs it; one attempt follows."""

    after_cycle: int
    why: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """The attempt is over; `ok` tells whether the DUT is awake."""

    after_cycle: int
    ok: bool


CampaignEvent = (
    CampaignBegan
    | CycleStarted
    | Asleep
    | Woke
    | CycleDone
    | LogUnreadable
    | Recovering
    | Recovered
)
Observer = Callable[[CampaignEvent], None]


def ignore(event: CampaignEvent) -> None:
    """Listen to nothing."""
    del event
