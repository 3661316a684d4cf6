"""What a campaign tells whoever listens, while it runs.

Observers show and forward; they decide nothing. All times are of the board unless said otherwise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.store.raw import CycleRaw, Recovery
from resume_rig.model.channel import Channel
from resume_rig.model.recovery import RecoveryStep


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
class HostMaySleep:
    """Nothing keeps the host awake while the campaign runs."""

    why: str


@dataclass(frozen=True, slots=True)
class CycleStarted:
    """A cycle begins; `done` of the plan's `cycles` are over."""

    number: int
    done: int
    cycles: int
    levels: Mapping[Channel, int] | None = None


@dataclass(frozen=True, slots=True)
class Asleep:
    """The wires show that the DUT sleeps; `after_ns` the start of the trigger.

    `levels` are those of the wired channels then; None where nobody knows.
    """

    number: int
    after_ns: int
    levels: Mapping[Channel, int] | None = None


@dataclass(frozen=True, slots=True)
class Woke:
    """The wires show every sign of a wake; `after_ns` sleep entry."""

    number: int
    after_ns: int
    levels: Mapping[Channel, int] | None = None


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
    """The DUT is not as a cycle needs it; a step of its ladder follows."""

    after_cycle: int
    why: str
    step: RecoveryStep


@dataclass(frozen=True, slots=True)
class RigLost:
    """The rig does not answer, or started anew; it is waited for. The cycle in flight is void."""

    after_cycle: int
    text: str


@dataclass(frozen=True, slots=True)
class RigBack:
    """The same rig answers; `boot_id` tells whether its board started anew."""

    after_cycle: int
    boot_id: int


@dataclass(frozen=True, slots=True)
class LinkTold:
    """What the link to the rig lost and damaged in this session; all counts."""

    repeated: int
    stale: int
    damaged: int


CampaignEvent = (
    CampaignBegan
    | HostMaySleep
    | CycleStarted
    | Asleep
    | Woke
    | CycleDone
    | LogUnreadable
    | Recovering
    | Recovery
    | RigLost
    | RigBack
    | LinkTold
)
Observer = Callable[[CampaignEvent], None]


def note_text(event: HostMaySleep | LogUnreadable) -> str:
    """Return in a sentence what the campaign goes on in spite of."""
    match event:
        case HostMaySleep(why=why):
            return f"this host may fall asleep, and the campaign would stop: {why}"
        case LogUnreadable(number=number, text=text):
            return f"cycle {number}: {text}"


def ignore(event: CampaignEvent) -> None:
    """Listen to nothing."""
    del event
