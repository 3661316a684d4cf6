"""What the window asks of the thread that owns the rig, and what that thread reports. Free of Qt.

Events first, then requests: facts that go through queues and pipes; text in them is not escaped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.run.events import CampaignEvent
from resume_rig.campaign.run.hooks import HookEvent
from resume_rig.campaign.store.store import beside_store
from resume_rig.gui.state.store_writing import CampaignJudged
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.result.cycle import Outcome, OutsideCycle
from resume_rig.model.result.series import Drift
from resume_rig.model.rig_url import RigUrl
from resume_rig.rig.interface import Faults, RigInfo, SelfTestCheck
from resume_rig.rig.link.claim import FoundPort

if TYPE_CHECKING:
    from resume_rig.campaign.run.campaign import Surroundings
    from resume_rig.model.result.verdict import Requirement


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
    """A rig has answered.

    Attributes:
        levels: of every channel, just before the first edge that is reported.
        now_ns: board clock.
    """

    url: RigUrl
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
class WiresRead:
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
class HealthRead:
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
        limit_ms: on the total resume time; None where the requirement has none.
    """

    path: Path
    limit_ms: int | None


@dataclass(frozen=True, slots=True)
class CampaignReported:
    """An event of the campaign's runner; cycles that are over come as CycleStored."""

    event: CampaignEvent


@dataclass(frozen=True, slots=True)
class CycleStored:
    """A cycle is over and on the disk.

    Attributes:
        outside: what its wires show.
        edges: as they were on the DUT's pins.
        initial_levels: before the first edge.
        resume_ms: total resume time of each OS record that came during the cycle.
        done: cycles of the plan that are over.
        outcomes: of this session.
        left_ns: until the end, at the pace of the last cycles.
        drift: of the time to display on, over the cycles of this session that it was computed of.
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
    """More was learnt of the newest cycle: one more press showed where its DUT hangs.

    Attributes:
        outside: the cycle, as it is judged now.
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
        text: one sentence: why it ended, or what failed; empty where it is done.
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
    """The person at the window is asked to do what `text` describes."""

    text: str


@dataclass(frozen=True, slots=True)
class CampaignJudging:
    """The campaign is over, and its answer is being computed."""


@dataclass(frozen=True, slots=True)
class CampaignUnjudged:
    """There is no answer; `text` is one sentence: why."""

    text: str


BenchEvent = (
    PortsFound
    | Connecting
    | Connected
    | LinkDown
    | Disconnected
    | WiresRead
    | HealthRead
    | Answered
    | SelfTested
)
CampaignUpdate = (
    CampaignStarting
    | CampaignReported
    | CycleStored
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
Event = BenchEvent | CampaignUpdate


@dataclass(frozen=True, slots=True)
class FindPorts:
    """List the boards that are plugged in."""


@dataclass(frozen=True, slots=True)
class Connect:
    """Open a rig; `dut` is the name or path of a profile, None for the usual one."""

    url: RigUrl
    dut: str | None = None


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Let go of the rig."""


@dataclass(frozen=True, slots=True)
class Press:
    """Press the button, or the key of the keyboard that the board is."""

    actuator: Actuator
    duration_ns: int
    force_off: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """Close or open the lid or the dry contact; a closed one is kept closed."""

    actuator: Actuator
    closed: bool


@dataclass(frozen=True, slots=True)
class ReleaseAll:
    """Let go of every actuator."""


@dataclass(frozen=True, slots=True)
class RecordLight:
    """Record light from now on, or no longer."""

    on: bool


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Let the board measure itself."""


BenchAction = Press | Move | ReleaseAll | RecordLight | SelfTest


@dataclass(frozen=True, slots=True)
class RunCampaign:
    """Run a campaign, on a rig that is opened for it.

    Attributes:
        url: of the rig; empty to go on with the store's own.
        dut: name or path of a profile; None for the usual one, or the store's.
        plan: None to go on with the campaign of the store.
        store: path; a new file, or that of the campaign to go on with.
        requirement: what it is judged against.
        surroundings: what it may use next to the rig; its person is the window's.
        ask: whether the person at the window may be asked to help.
        hooks: commands of the user's.
        report: where the HTML report goes; None for next to the store.
    """

    url: RigUrl
    dut: str | None
    plan: Plan | None
    store: Path
    requirement: "Requirement"
    surroundings: "Surroundings"
    ask: bool = True
    hooks: Mapping[HookEvent, str] = field(default_factory=dict)
    report: Path | None = None

    @property
    def report_path(self) -> Path:
        """Where the HTML report goes."""
        return beside_store(self.store, ".html") if self.report is None else self.report


Request = FindPorts | Connect | Disconnect | BenchAction | RunCampaign
