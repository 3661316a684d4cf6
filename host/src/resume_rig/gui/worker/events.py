"""What the thread that owns the rig tells the window. Facts; text in them is not escaped yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from resume_rig.campaign.run.events import CampaignEvent
from resume_rig.gui.state.answer import CampaignJudged
from resume_rig.model.channel import Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.result.cycle import Outcome, OutsideCycle
from resume_rig.model.result.series import Drift
from resume_rig.rig.interface import Faults, RigInfo, SelfTestCheck
from resume_rig.rig.link.ports import FoundPort


@dataclass(frozen=True, slots=True)
class PortsFound:
    """Boards that are plugged in."""

    ports: tuple[FoundPort, ...]


@dataclass(frozen=True, slots=True)
class Connecting:
    """A rig is being opened."""

    url: str


@dataclass(frozen=True, slots=True)
class Connected:
    """A rig has said who it is.

    Attributes:
        levels: of every channel, just before the first edge that is told.
        now_ns: board clock.
    """

    url: str
    info: RigInfo
    dut: DutProfile | None
    simulated: bool
    levels: Mapping[Channel, int]
    now_ns: int


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The rig does not answer any more; it is looked for."""

    text: str


@dataclass(frozen=True, slots=True)
class Disconnected:
    """No rig is open; `why` is one sentence, or None where somebody wanted it so."""

    why: str | None = None


@dataclass(frozen=True, slots=True)
class WiresSeen:
    """What was read since the last time.

    Attributes:
        now_ns: board clock at the reading.
        lost: edges that were overwritten before they could be read.
    """

    edges: tuple[Edge, ...]
    light: tuple[LightBlock, ...]
    now_ns: int
    lost: int = 0


@dataclass(frozen=True, slots=True)
class HealthSeen:
    """How the board and the link are.

    Attributes:
        bound_ns: half-width of a board stamp's host time; None before two exchanges.
        round_trip_ns: of the newest exchange, without the board's own time.
    """

    faults: Faults
    levels: Mapping[Channel, int]
    bound_ns: int | None
    round_trip_ns: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The board did what was asked, or its interlock refused; `text` is one sentence."""

    action: str
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class SelfTested:
    """The board's own checks."""

    checks: tuple[SelfTestCheck, ...]


@dataclass(frozen=True, slots=True)
class CampaignStarting:
    """A campaign is about to open its rig.

    Attributes:
        limit_ms: on BIOS + drivers; None where the requirement has none.
    """

    path: Path
    requirement: str
    limit_ms: int | None


@dataclass(frozen=True, slots=True)
class CampaignTold:
    """An event of the campaign's runner; cycles that are over come as CycleSeen."""

    event: CampaignEvent


@dataclass(frozen=True, slots=True)
class CycleSeen:
    """A cycle is over and on the disk.

    Attributes:
        outside: what the wires say of it.
        edges: as they were on the DUT's pins.
        initial_levels: before the first edge.
        resume_ms: BIOS + drivers, of each OS record that came during the cycle.
        done: cycles of the plan that are over.
        outcomes: of this session.
        left_ns: until the end, at the pace of the last cycles.
        drift: of press to light over all cycles of this session, as it was looked at last.
    """

    outside: OutsideCycle
    edges: tuple[Edge, ...]
    initial_levels: Mapping[Channel, int]
    resume_ms: tuple[int, ...]
    done: int
    outcomes: Mapping[Outcome, int]
    left_ns: int | None
    drift: Drift | None = None


@dataclass(frozen=True, slots=True)
class CycleRevised:
    """More was learnt of the newest cycle: one more press told where its DUT hangs.

    Attributes:
        outside: what is known now.
        outcomes: of this session.
    """

    outside: OutsideCycle
    outcomes: Mapping[Outcome, int]


@dataclass(frozen=True, slots=True)
class CampaignHeld:
    """The campaign waits between two cycles, or goes on."""

    held: bool


@dataclass(frozen=True, slots=True)
class CampaignOver:
    """The campaign has ended.

    Attributes:
        finished: the plan is done, or a rule of it ended it.
        text: one sentence: why it ended, or what failed; empty where there is nothing to say.
        failed: the rig, the DUT, the plan or the disk ended it.
    """

    path: Path
    finished: bool
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class CampaignRefused:
    """A campaign could not begin; nothing was moved. `text` is one sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class CampaignNoted:
    """Something that whoever runs the campaign has to know; `text` is one sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class PersonAsked:
    """The person at the window is asked to do something; `text` says what."""

    text: str


@dataclass(frozen=True, slots=True)
class CampaignJudging:
    """The campaign is over, and its answer is being computed."""


@dataclass(frozen=True, slots=True)
class CampaignUnjudged:
    """There is no answer; `text` says in one sentence why."""

    text: str


BenchEvent = (
    PortsFound
    | Connecting
    | Connected
    | LinkDown
    | Disconnected
    | WiresSeen
    | HealthSeen
    | Answered
    | SelfTested
)
CampaignSight = (
    CampaignStarting
    | CampaignTold
    | CycleSeen
    | CycleRevised
    | CampaignHeld
    | CampaignNoted
    | PersonAsked
    | CampaignOver
    | CampaignRefused
    | CampaignJudging
    | CampaignJudged
    | CampaignUnjudged
)
Event = BenchEvent | CampaignSight
