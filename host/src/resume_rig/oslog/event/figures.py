"""Figures of an account: numbers of its companions that no field of a record holds.

A number of firmware above ten minutes is garbage (real firmware writes ResetEnd as
6568027066368): it is counted as a problem and gives no figure. FullResume alone is kept as it was
reported: beside BiosInit it may show that the firmware counts in another unit.

What the power manager reports between two records is kept for the later one: how a shutdown
before it began (Kernel-Power 109), the connectivity in standby (172), and the changes of the
session around Modern Standby (566). The last one of a kind counts. A shutdown belongs to the next
record of its own boot or of the boot right after it, everything else to a record of its own boot.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from resume_rig.model.os_record import Figure
from resume_rig.oslog.event.event import UINT64_MAX, Event, EventRole, EventValues
from resume_rig.oslog.source.problems import Problem

LONGEST_FIRMWARE_MS: Final = 10 * 60 * 1000
"""FPDT stamps of broken firmware give hours; above this it is no measurement."""

ABSURD_RESUME: Final = "firmware_resume_absurd_ms"
START_OS_IMAGE: Final = "start_os_image_ms"
_BOOT_TIMES: Final[Mapping[str, str]] = {
    "ResetEndStart": "reset_end_ms",
    "LoadOSImageStart": "load_os_image_ms",
    "StartOSImageStart": START_OS_IMAGE,
    "ExitBootServicesEntry": "exit_boot_services_entry_ms",
    "ExitBootServicesExit": "exit_boot_services_exit_ms",
}
# Values that are figures as they stand, by what the event is.
_PLAIN: Final[Mapping[EventRole, Mapping[str, str]]] = {
    EventRole.SLEEP_REQUESTED: {
        "SystemAction": "requested_action",
        "LightestSystemState": "requested_state",
    },
    EventRole.SESSION_TO_SLEEP: {
        "Reason": "sleep_session_reason",
        "PowerStateAc": "on_ac_at_sleep",
    },
    EventRole.ENTERING_SLEEP: {"Reason": "sleep_reason"},
    EventRole.RESUMED: {
        "WakeFromState": "wake_from_state",
        "WakeRequesterTypeAc": "wake_requester_ac",
        "WakeRequesterTypeDc": "wake_requester_dc",
    },
    EventRole.SESSION_FROM_SLEEP: {
        "PreviousSessionDurationInUs": "sleep_session_us",
        "Reason": "wake_session_reason",
        "PowerStateAc": "on_ac_at_wake",
    },
    EventRole.SCREEN_ON: {
        "PreviousSessionDurationInUs": "screen_on_us",
        "Reason": "screen_on_reason",
    },
    EventRole.BOOT_TYPE: {"BootType": "boot_type"},
    EventRole.BOOT_STATUS: {
        "LastShutdownGood": "last_shutdown_good",
        "LastBootGood": "last_boot_good",
    },
}
_NS_PER_US: Final = 1_000


def companion_figures(
    companions: Iterable[Event], values: EventValues, bios_init_ms: int | None = None
) -> tuple[Figure, ...]:
    """Return what the companions of an account tell, in their order.

    Args:
        companions: events of its cycle.
        values: reads them.
        bios_init_ms: of the account, to be set beside the firmware's own boot time.
    """
    figures: list[Figure] = []
    for event in companions:
        if event.role is not None and event.role in _PLAIN:
            figures += named(event, values, _PLAIN[event.role])
        match event.role:
            case EventRole.SESSION_FROM_SLEEP:
                figures += _drain(event, values)
            case EventRole.FIRMWARE_SUSPEND:
                figures += _suspend(event, values)
            case EventRole.FIRMWARE_RESUME:
                figures += _firmware(event, values, {"AverageResume": "firmware_average_resume_ms"})
                figures += _absurd_resume(event, values)
            case EventRole.CLOCK_SET:
                figures += _clock_jump(event, values)
            case EventRole.BOOT_TIMES:
                times = _firmware(event, values, _BOOT_TIMES)
                figures += [*times, *_excess(times, bios_init_ms)]
    return tuple(figures)


def named(
    event: Event, values: EventValues, names: Mapping[str, str], maximum: int = UINT64_MAX
) -> list[Figure]:
    """Return the values that the event has, under the names of their figures."""
    found = [(name, values.whole(event, field, maximum)) for field, name in names.items()]
    return [Figure(name, value) for name, value in found if value is not None]


def step_us(event: Event, values: EventValues) -> int | None:
    """Return NewTime - OldTime of a Kernel-General 1 in whole us; None where one is missing.

    Each time is cut to 1 us first, as the evtx library does: both forms of a log agree.
    """
    if event.data.get("NewTime", "") == event.data.get("OldTime"):
        return 0 if event.data["OldTime"] else None  # many settings change nothing
    new_ns, old_ns = values.time_ns(event, "NewTime"), values.time_ns(event, "OldTime")
    if new_ns is None or old_ns is None:
        return None
    return new_ns // _NS_PER_US - old_ns // _NS_PER_US


def clock_stop(
    companions: Iterable[Event], values: EventValues, sleep_ns: int | None
) -> tuple[Figure, ...]:
    """Return how long the OS's clock ran on after SleepTime: to OldTime of Kernel-General 1.

    On real machines that is 0.38 s and more beyond SleepDuration.
    """
    times = (values.time_ns(e, "OldTime") for e in companions if e.role is EventRole.CLOCK_SET)
    old_ns = next(times, None)
    if old_ns is None or sleep_ns is None or old_ns < sleep_ns:
        return ()
    ran_us = old_ns // _NS_PER_US - sleep_ns // _NS_PER_US
    return (Figure("sleep_to_clock_stop_us", ran_us),)


def _clock_jump(event: Event, values: EventValues) -> list[Figure]:
    jump_us = step_us(event, values)
    return [] if jump_us is None else [Figure("clock_jump_us", jump_us)]


def _drain(event: Event, values: EventValues) -> list[Figure]:
    """Return what the battery lost in the session that ended; a capacity of 0 is no battery."""
    names = "PreviousEnergyCapacityAtStart", "PreviousEnergyCapacityAtEnd"
    start_mwh, end_mwh = (values.whole(event, name) for name in names)
    if not start_mwh or not end_mwh:
        return []
    return [Figure("sleep_energy_drain_mwh", start_mwh - end_mwh)]


def _suspend(event: Event, values: EventValues) -> list[Figure]:
    start_ms = values.whole(event, "SuspendStart", UINT64_MAX)
    end_ms = values.whole(event, "SuspendEnd", UINT64_MAX)
    if start_ms is None or end_ms is None or not (start_ms or end_ms):
        return []
    if not 0 <= end_ms - start_ms <= LONGEST_FIRMWARE_MS:
        values.tally.count(Problem.ABSURD_FIRMWARE_TIME)
        return []
    return [
        Figure("firmware_suspend_ms", end_ms - start_ms),
        Figure("firmware_suspend_start_ms", start_ms),
    ]


def _firmware(event: Event, values: EventValues, names: Mapping[str, str]) -> list[Figure]:
    figures = []
    for figure in named(event, values, names):
        if figure.value > LONGEST_FIRMWARE_MS:
            values.tally.count(Problem.ABSURD_FIRMWARE_TIME)
        else:
            figures.append(figure)
    return figures


def _absurd_resume(event: Event, values: EventValues) -> list[Figure]:
    """Return a FullResume that is no time of a firmware, as it was told; none of one that may be.

    Its problem is counted where the record is made.
    """
    told = named(event, values, {"FullResume": ABSURD_RESUME})
    return [figure for figure in told if figure.value > LONGEST_FIRMWARE_MS]


def _excess(times: Iterable[Figure], bios_init_ms: int | None) -> list[Figure]:
    """Return by how much BiosInit is above the firmware's own time to the start of the OS."""
    if bios_init_ms is None:
        return []
    return [
        Figure("bios_init_minus_start_os_image_ms", bios_init_ms - figure.value)
        for figure in times
        if figure.name == START_OS_IMAGE and figure.value
    ]


_SHUTDOWN: Final[Mapping[str, str]] = {
    "ShutdownActionType": "shutdown_action",
    "ShutdownEventCode": "shutdown_event_code",
    "ShutdownReason": "shutdown_reason",
}
_FIGURES: Final[Mapping[EventRole, Mapping[str, str]]] = {
    EventRole.CONNECTIVITY: {
        "State": "standby_connectivity",
        "Reason": "standby_connectivity_reason",
    },
    EventRole.SESSION_TO_STANDBY: {"Reason": "standby_session_reason"},
    EventRole.SESSION_FROM_STANDBY: {
        "PreviousSessionDurationInUs": "standby_session_us",
        "Reason": "standby_left_reason",
    },
}
_STANDBY: Final = frozenset({EventRole.SESSION_TO_STANDBY, EventRole.SESSION_FROM_STANDBY})
_RECORD: Final = frozenset({EventRole.ACCOUNT, EventRole.LEFT_STANDBY, EventRole.DIED})
"""After these, what was told before is told."""


class PowerNotes:
    """Holds the last event of each kind since the last record.

    Attributes:
        shutdown: the Kernel-Power 109 of the present boot.
    """

    def __init__(self, shutdown: Event | None = None) -> None:
        """Start with nothing, or with a shutdown that the log told of before."""
        self.shutdown = shutdown
        self._before: Event | None = None
        self._held: dict[EventRole, Event] = {}
        self._in_standby = False

    def follow(self, event: Event) -> None:
        """Take the next event; where it makes a record, `figures` is asked before."""
        role = event.role
        if role is EventRole.SHUTDOWN_BEGUN:
            self.shutdown = event
        elif role is EventRole.BOOT:
            self._forget(shutdown_before=self.shutdown)
        elif role in _RECORD:
            self._forget(shutdown_before=None)
        elif role is EventRole.ENTERING_STANDBY:
            self._in_standby = True
        elif role is EventRole.SESSION_FROM_STANDBY and not self._in_standby:
            return  # of a session whose beginning the log does not tell
        elif role is not None and role in _FIGURES:
            self._held[role] = event

    def figures(self, values: EventValues) -> tuple[Figure, ...]:
        """Return what is held."""
        figures: list[Figure] = []
        shutdown = self.shutdown or self._before
        if shutdown is not None:
            figures += named(shutdown, values, _SHUTDOWN)
        for role, event in self._held.items():
            if self._in_standby or role not in _STANDBY:
                figures += named(event, values, _FIGURES[role])
        return tuple(figures)

    def _forget(self, *, shutdown_before: Event | None) -> None:
        self._before, self.shutdown = shutdown_before, None
        self._in_standby = False
        self._held.clear()


def shutdown_at_end(events: Iterable[Event]) -> Event | None:
    """Return the Kernel-Power 109 that the next boot follows, of the events of one boot."""
    notes = PowerNotes()
    for event in events:
        notes.follow(event)
    return notes.shutdown
