"""What the window asks of the thread that owns the rig."""

from dataclasses import dataclass
from pathlib import Path

from resume_rig.campaign.plan import Plan


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
class ReleaseAll:
    """Let go of every actuator."""


@dataclass(frozen=True, slots=True)
class RecordLight:
    """Record light from now on, or no longer."""

    on: bool


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Let the board measure itself."""


@dataclass(frozen=True, slots=True)
class RunCampaign:
    """Run a campaign, on a rig that is opened for it.

    Attributes:
        url: of the rig; empty to go on with the store's own.
        dut: name or path of a profile; None for the usual one, or the store's.
        plan: None to go on with the campaign of the store.
        store: path; a new file, or that of the campaign to go on with.
        log: as `run --log`; None for the simulated DUT's own, or none.
        requirement: name or path of a profile.
    """

    url: str
    dut: str | None
    plan: Plan | None
    store: Path
    log: str | None = None
    requirement: str = "sysfund-0004"


Request = (
    FindPorts
    | Connect
    | Disconnect
    | Press
    | MoveLid
    | ReleaseAll
    | RecordLight
    | SelfTest
    | RunCampaign
)
