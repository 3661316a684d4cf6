"""What the window asks of the thread that owns the rig."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.run.hooks import HookEvent

if TYPE_CHECKING:
    from resume_rig.campaign.run.campaign import Surroundings
    from resume_rig.model.result.requirement import Requirement


@dataclass(frozen=True, slots=True)
class FindPorts:
    """List the boards that are plugged in."""


@dataclass(frozen=True, slots=True)
class Connect:
    """Open a rig; `dut` is the name or path of a profile, None for the usual one."""

    url: str
    dut: str | None = None


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Let go of the rig."""


@dataclass(frozen=True, slots=True)
class Press:
    """Press the button."""

    duration_ns: int
    force_off: bool = False


@dataclass(frozen=True, slots=True)
class MoveLid:
    """Close or open the lid; a closed one is kept closed."""

    closed: bool


@dataclass(frozen=True, slots=True)
class PressKey:
    """Press the key of the keyboard that the board is."""

    duration_ns: int


@dataclass(frozen=True, slots=True)
class MoveContact:
    """Close or open the dry contact; a closed one is kept closed."""

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


BenchAction = Press | MoveLid | PressKey | MoveContact | ReleaseAll | RecordLight | SelfTest


@dataclass(frozen=True, slots=True)
class RunCampaign:
    """Run a campaign, on a rig that is opened for it.

    Attributes:
        url: of the rig; empty to go on with the store's own.
        dut: name or path of a profile; None for the usual one, or the store's.
        plan: None to go on with the campaign of the store.
        store: path; a new file, or that of the campaign to go on with.
        requirement: what it is judged against.
        beside: what it may use beside the rig; its person is the window's.
        ask: whether the person at the window may be asked to help.
        hooks: commands of the user's.
        report: where the HTML report goes; None for beside the store.
    """

    url: str
    dut: str | None
    plan: Plan | None
    store: Path
    requirement: "Requirement"
    beside: "Surroundings"
    ask: bool = True
    hooks: Mapping[HookEvent, str] = field(default_factory=dict)
    report: Path | None = None

    @property
    def report_path(self) -> Path:
        """Where the HTML report goes."""
        return self.store.with_suffix(".html") if self.report is None else self.report


Request = FindPorts | Connect | Disconnect | BenchAction | RunCampaign
