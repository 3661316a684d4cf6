"""What a DUT's own lists show of a cycle: devices, network links, errors, and idle residencies."""

from dataclasses import dataclass
from enum import StrEnum, unique

HEALTH_BYTES_MAX = 256 * 1024
"""Of one health report: 2,000 devices of 100 bytes (assumed); a longer one is cut, not whole."""


@dataclass(frozen=True, slots=True)
class HealthReading:
    """One health report as it came, before anybody reads it.

    Attributes:
        after: it was taken after the wake; otherwise before the sleep.
        begun_host_ns, ended_host_ns: host clock around the command that gave it.
        text: what the command wrote; hostile.
    """

    after: bool
    begun_host_ns: int
    ended_host_ns: int
    text: str


@unique
class DeviceChange(StrEnum):
    """What became of a device over a cycle."""

    GONE = "gone"
    NEW = "new"
    FAILED = "failed"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class ChangedDevice:
    """A device that is not after the wake what it was before the sleep.

    Attributes:
        id: instance path or bus address. name: for people. Both as the DUT wrote them, cut.
        problem_before, problem_after: Windows' problem code, or what Linux says of it; "0" is a
            device that works; None where it was not listed.
    """

    change: DeviceChange
    id: str
    name: str
    problem_before: str | None
    problem_after: str | None


@dataclass(frozen=True, slots=True)
class LinkReturn:
    """A network link that was up before the sleep.

    Attributes:
        down_until_ns: from the wake's trigger: it was still down at that time; None where no
            report showed it down.
        up_by_ns: from the trigger: it was up by then; None where it never was, or no wire shows
            the trigger.
        is_up: the last report showed it up.
    """

    name: str
    is_up: bool
    down_until_ns: int | None
    up_by_ns: int | None


@dataclass(frozen=True, slots=True)
class Residency:
    """What a counter of the DUT gained over a cycle, in microseconds."""

    name: str
    gained_us: int


@dataclass(frozen=True, slots=True)
class CycleHealth:
    """What changed over one cycle.

    Attributes:
        compared: there is a complete report from before the sleep, and one from after the wake.
        rebooted: the DUT booted in between, so that its counters began anew.
        devices: how many were listed before the sleep.
        changed: devices that are not what they were.
        links: those that were up before the sleep.
        errors: new entries of the DUT's log of level error or worse, as many as were read.
        errors_cut: there may be more of them.
        residencies: what the counters gained; empty where there are none.
        answered_by_ns: from the trigger to the end of the first report after the wake.
        took_ns: what the commands took together, before the sleep and after the wake.
    """

    compared: bool
    rebooted: bool
    devices: int
    changed: tuple[ChangedDevice, ...]
    links: tuple[LinkReturn, ...]
    errors: tuple[str, ...]
    errors_cut: bool
    residencies: tuple[Residency, ...]
    answered_by_ns: int | None
    took_ns: int
