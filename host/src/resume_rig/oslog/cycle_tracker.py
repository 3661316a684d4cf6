"""Which companions belong to which account: follows events oldest first, reads no value.

Record order is the truth, time is not: an event between the wake and the setting of the clock
carries a stale stamp. A cycle writes 42, 107, Kernel-General 1, 131, 130 and then its account,
Power-Troubleshooter 1; a wake from hibernation also writes Kernel-Boot events. A cycle that
sleeps again quickly writes its account after the next 42, which then belongs to the next account.
No cycle reaches over a boot or a shutdown. What asks for a sleep stands before its 42: the request
of a process (187), and the change of the session (566).
"""

from collections.abc import Iterable
from typing import Final

from resume_rig.oslog.event import Event, EventRole

_Companions = dict[EventRole, Event]

COLD_BOOT: Final = "0"
"""BootType of Kernel-Boot 27; 1 is fast startup, 2 a wake from hibernation."""

_WAKE: Final = frozenset(
    {
        EventRole.RESUMED,
        EventRole.CLOCK_SET,
        EventRole.FIRMWARE_SUSPEND,
        EventRole.FIRMWARE_RESUME,
    }
)
_REQUEST: Final = frozenset({EventRole.SLEEP_REQUESTED, EventRole.SESSION_TO_SLEEP})
_WOKEN: Final = frozenset({EventRole.SESSION_FROM_SLEEP, EventRole.SCREEN_ON})
_OF_A_PROCESS: Final = ("", "4")
"""Reasons of a Kernel-Power 42 that a request of a process may have led to; old ones give none."""
_BOOT: Final = frozenset({EventRole.BOOT_STATUS, EventRole.BOOT_TYPE, EventRole.BOOT_TIMES})
_FOLLOWED: Final = (
    _WAKE
    | _BOOT
    | _REQUEST
    | _WOKEN
    | {
        EventRole.ACCOUNT,
        EventRole.BOOT,
        EventRole.SHUTDOWN,
        EventRole.ENTERING_SLEEP,
    }
)


class CycleTracker:
    """Holds the companions of two cycles at most.

    Attributes:
        unanswered: the Kernel-Power 42 that no account answered before the last boot.
        booted: what the last boot told of itself.
    """

    def __init__(self, unanswered: Event | None = None) -> None:
        """Start with nothing, or with a sleep that the log told of before."""
        self.unanswered: Event | None = None
        self.booted: _Companions = {}
        self._previous: _Companions = {}
        self._current: _Companions = {}
        self._requests: _Companions = {}
        if unanswered is not None:
            self._current[EventRole.ENTERING_SLEEP] = unanswered

    @property
    def asleep(self) -> Event | None:
        """The Kernel-Power 42 of the cycle at hand, if there is one."""
        return self._current.get(EventRole.ENTERING_SLEEP)

    def follow(self, event: Event) -> tuple[Event, ...]:
        """Take the next event; returns an account's companions, in record order."""
        role = event.role
        if role not in _FOLLOWED:
            return ()
        if role is EventRole.ACCOUNT:
            return tuple(self._close().values())
        if role is EventRole.BOOT:
            self.booted = {}
            self.unanswered = None  # a boot tells of the one before it alone
            self._end_of_boot()
        elif role is EventRole.SHUTDOWN:
            self._previous, self._current, self._requests = {}, {}, {}
        elif role in _BOOT:
            self._boot_event(event, role)
        elif role in _REQUEST:
            self._requests[role] = event
        elif role in _WOKEN:
            self._woken(event, role)
        elif role is EventRole.ENTERING_SLEEP or role in _WAKE:
            self._companion(event, role)
        return ()

    def _boot_event(self, event: Event, role: EventRole) -> None:
        if role is EventRole.BOOT_TYPE and event.data.get("BootType") == COLD_BOOT:
            self._end_of_boot()
        (self._current or self.booted)[role] = event

    def _end_of_boot(self) -> None:
        self.unanswered = self.asleep or self.unanswered
        self._previous, self._current, self._requests = {}, {}, {}

    def _companion(self, event: Event, role: EventRole) -> None:
        if role is EventRole.ENTERING_SLEEP:
            self.unanswered = None
            if _has_wake(self._current):
                self._previous, self._current = self._current, {}
            self._current |= self._led_to(event)
        self._current.pop(role, None)  # the last one of a kind, in its place
        self._current[role] = event

    def _led_to(self, sleep: Event) -> _Companions:
        """Return what asked for a sleep; a process only where the sleep says that one did."""
        requests, self._requests = self._requests, {}
        if sleep.data.get("Reason", "") not in _OF_A_PROCESS:
            requests.pop(EventRole.SLEEP_REQUESTED, None)
        return requests

    def _woken(self, event: Event, role: EventRole) -> None:
        """Take the session's change on a wake, and the screen that goes on in that session."""
        if role is EventRole.SESSION_FROM_SLEEP:
            if self._current:
                self._current[role] = event
            return
        wake = self._current.get(EventRole.SESSION_FROM_SLEEP)
        session = event.data.get("PreviousSessionId")
        if wake is not None and session and wake.data.get("NextSessionId") == session:
            self._current[role] = event

    def _close(self) -> _Companions:
        if self._previous and not _has_wake(self._current):
            closed, left = self._previous, self._current
        else:
            closed, left = self._current, {}
        self._previous, self._current = {}, left
        return closed


def _has_wake(companions: Iterable[EventRole]) -> bool:
    return not _WAKE.isdisjoint(companions)
