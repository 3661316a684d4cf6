"""One event of a Windows event log, as far as a sleep or a wake is concerned, and its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.timestamps import parse_utc_ns, parse_whole


@unique
class Provider(StrEnum):
    """Who writes the events that tell of sleeps and wakes; the value is the provider's GUID."""

    POWER_TROUBLESHOOTER = "cdc05e28-c449-49c6-b9d2-88cf761644df"
    KERNEL_POWER = "331c3b3a-2005-44c2-ac5e-77220c37d6b4"
    KERNEL_GENERAL = "a68ca8b7-004f-d7b6-a698-07e2de0f1f5d"
    KERNEL_BOOT = "15ca44ff-4d7a-4baa-bba5-0998955e531e"
    DIAGNOSTICS_PERFORMANCE = "cfc18ec0-96b1-4eba-961b-622caee05b0a"


@unique
class EventRole(StrEnum):
    """What an event is within the account of one cycle, or around it."""

    ACCOUNT = "Power-Troubleshooter 1"
    ENTERING_SLEEP = "Kernel-Power 42"
    RESUMED = "Kernel-Power 107"
    CLOCK_SET = "Kernel-General 1"
    FIRMWARE_SUSPEND = "Kernel-Power 130"
    FIRMWARE_RESUME = "Kernel-Power 131"
    BOOT = "Kernel-General 12"
    SHUTDOWN = "Kernel-General 13"
    CLOCK_STEPPED = "Kernel-General 1, not on a wake"
    BOOT_STATUS = "Kernel-Boot 20"
    BOOT_TYPE = "Kernel-Boot 27"
    BOOT_TIMES = "Kernel-Boot 30"
    DIED = "Kernel-Power 41"
    ENTERING_STANDBY = "Kernel-Power 506"
    LEFT_STANDBY = "Kernel-Power 507"
    SLEEP_REQUESTED = "Kernel-Power 187"
    SHUTDOWN_BEGUN = "Kernel-Power 109"
    CONNECTIVITY = "Kernel-Power 172"
    SESSION_CHANGED = "Kernel-Power 566"
    SESSION_TO_SLEEP = "Kernel-Power 566, into a system transition"
    SESSION_FROM_SLEEP = "Kernel-Power 566, out of a system transition"
    SESSION_TO_STANDBY = "Kernel-Power 566, into Modern Standby"
    SESSION_FROM_STANDBY = "Kernel-Power 566, out of Modern Standby"
    SCREEN_ON = "Kernel-Power 566, the screen goes on"
    BOOT_TOOK = "Diagnostics-Performance 100"
    SHUTDOWN_TOOK = "Diagnostics-Performance 200"
    STANDBY_TOOK = "Diagnostics-Performance 300"
    DELAY = "Diagnostics-Performance, what delayed a transition"


PROVIDER_NAMES: Final[Mapping[str, Provider]] = {
    "microsoft-windows-power-troubleshooter": Provider.POWER_TROUBLESHOOTER,
    "microsoft-windows-kernel-power": Provider.KERNEL_POWER,
    "microsoft-windows-kernel-general": Provider.KERNEL_GENERAL,
    "microsoft-windows-kernel-boot": Provider.KERNEL_BOOT,
    "microsoft-windows-diagnostics-performance": Provider.DIAGNOSTICS_PERFORMANCE,
}
PROVIDER_GUIDS: Final[Mapping[str, Provider]] = {provider.value: provider for provider in Provider}

DELAY_EVENT_IDS: Final = (*range(101, 111), *range(201, 204), *range(301, 311), 350, 351, 352)
"""Events of Diagnostics-Performance that name what delayed a transition."""

ROLES: Final[Mapping[tuple[Provider, int], EventRole]] = {
    (Provider.POWER_TROUBLESHOOTER, 1): EventRole.ACCOUNT,
    (Provider.KERNEL_POWER, 42): EventRole.ENTERING_SLEEP,
    (Provider.KERNEL_POWER, 107): EventRole.RESUMED,
    (Provider.KERNEL_GENERAL, 1): EventRole.CLOCK_SET,
    (Provider.KERNEL_POWER, 130): EventRole.FIRMWARE_SUSPEND,
    (Provider.KERNEL_POWER, 131): EventRole.FIRMWARE_RESUME,
    (Provider.KERNEL_GENERAL, 12): EventRole.BOOT,
    (Provider.KERNEL_GENERAL, 13): EventRole.SHUTDOWN,
    (Provider.KERNEL_BOOT, 20): EventRole.BOOT_STATUS,
    (Provider.KERNEL_BOOT, 27): EventRole.BOOT_TYPE,
    (Provider.KERNEL_BOOT, 30): EventRole.BOOT_TIMES,
    (Provider.KERNEL_POWER, 41): EventRole.DIED,
    (Provider.KERNEL_POWER, 506): EventRole.ENTERING_STANDBY,
    (Provider.KERNEL_POWER, 507): EventRole.LEFT_STANDBY,
    (Provider.KERNEL_POWER, 187): EventRole.SLEEP_REQUESTED,
    (Provider.KERNEL_POWER, 109): EventRole.SHUTDOWN_BEGUN,
    (Provider.KERNEL_POWER, 172): EventRole.CONNECTIVITY,
    (Provider.KERNEL_POWER, 566): EventRole.SESSION_CHANGED,
    (Provider.DIAGNOSTICS_PERFORMANCE, 100): EventRole.BOOT_TOOK,
    (Provider.DIAGNOSTICS_PERFORMANCE, 200): EventRole.SHUTDOWN_TOOK,
    (Provider.DIAGNOSTICS_PERFORMANCE, 300): EventRole.STANDBY_TOOK,
    **{(Provider.DIAGNOSTICS_PERFORMANCE, each): EventRole.DELAY for each in DELAY_EVENT_IDS},
}
PERFORMANCE_EVENT_IDS: Final = frozenset({100, 200, 300, *DELAY_EVENT_IDS})
"""Events of Diagnostics-Performance that tell of a transition."""

RELEVANT_EVENT_IDS: Final = frozenset(
    event_id for provider, event_id in ROLES if provider is not Provider.DIAGNOSTICS_PERFORMANCE
)
"""Events of all other providers; many have numbers of Diagnostics-Performance and tell nothing."""

CLOCK_SET_ON_WAKE: Final = "2"
"""Reason of Kernel-General 1: the clock was synchronised with the hardware on a wake."""

_CLOCK_SET: Final = EventRole.CLOCK_SET  # a member's look-up costs more than all of Event's test
_CLOCK_STEPPED: Final = EventRole.CLOCK_STEPPED
_SESSION_CHANGED: Final = EventRole.SESSION_CHANGED

# Session types of Kernel-Power 566: 0 active, 1 screen off, 2 Modern Standby, 3 a system
# transition, which is any sleep, hibernation or shutdown.
_BY_NEXT_SESSION: Final[Mapping[str, EventRole]] = {
    "2": EventRole.SESSION_TO_STANDBY,
    "3": EventRole.SESSION_TO_SLEEP,
}
_BY_PREVIOUS_SESSION: Final[Mapping[str, EventRole]] = {
    "2": EventRole.SESSION_FROM_STANDBY,
    "3": EventRole.SESSION_FROM_SLEEP,
}
_SCREEN_OFF_TO_ACTIVE: Final = ("1", "0")


@dataclass(frozen=True, slots=True)
class Event:
    """One event that matters, values as written.

    Attributes:
        provider: matched by GUID, or by name where the GUID is absent or strange.
        version: of the event's manifest entry; None where none is written.
        record_id: EventRecordID; its order is the order of what happened, time is not.
        time_utc_ns: TimeCreated, ns since 1970 UTC; stale between a wake and the clock's setting.
        data: the named values of EventData; the first of two with one name. Hostile texts.
        text: the original text where it was asked for, else empty.
        role: what the event is within a cycle's account; None where it has no part in one.
    """

    provider: Provider
    event_id: int
    version: int | None
    record_id: int | None
    time_utc_ns: int | None
    data: Mapping[str, str]
    text: str = ""
    role: EventRole | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the role once: every reader and every step of the assembly asks for it."""
        role = ROLES.get((self.provider, self.event_id))
        if role is _CLOCK_SET and self.data.get("Reason") != CLOCK_SET_ON_WAKE:
            role = _CLOCK_STEPPED
        elif role is _SESSION_CHANGED:
            role = _session_role(self.data)
        object.__setattr__(self, "role", role)


def _session_role(data: Mapping[str, str]) -> EventRole:
    """Return what a change of the session is; the end of a sleep counts before a beginning."""
    previous, following = data.get("PreviousSessionType", ""), data.get("NextSessionType", "")
    if (previous, following) == _SCREEN_OFF_TO_ACTIVE:
        return EventRole.SCREEN_ON
    ended = _BY_PREVIOUS_SESSION.get(previous)
    return ended or _BY_NEXT_SESSION.get(following, _SESSION_CHANGED)


def provider_of(guid: str, name: str) -> Provider | None:
    """Return the provider, by its GUID (braces and case do not matter) or else by its name."""
    return PROVIDER_GUIDS.get(guid.strip(" {}").lower()) or PROVIDER_NAMES.get(name.strip().lower())


UINT32_MAX: Final = (1 << 32) - 1
UINT64_MAX: Final = (1 << 64) - 1

_TRUTHS: Final = {"true": 1, "false": 0}


class EventValues:
    """Reads values of one source's events."""

    def __init__(self, tally: ProblemTally) -> None:
        self.tally = tally

    def whole(self, event: Event, name: str, maximum: int = UINT32_MAX) -> int | None:
        """Return a number from 0 to `maximum`, true and false as 1 and 0; None without one."""
        text = event.data.get(name)
        if not text:
            return None
        try:
            return parse_whole(text, maximum)
        except RecordError:
            truth = _TRUTHS.get(text.strip().lower())
        if truth is None:
            self.tally.count(Problem.BAD_NUMBER)
        return truth

    def time_ns(self, event: Event, name: str) -> int | None:
        """Return a time in ns since 1970 UTC; None without one."""
        try:
            return parse_utc_ns(event.data.get(name, ""))
        except RecordError:
            self.tally.count(Problem.BAD_TIME)
            return None
