"""Events in record order to OS records, oldest first or newest first.

Record order is the truth, time is not: an event between the wake and the setting of the clock
carries a stale stamp.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from resume_rig.model.os_record import Figure, OsRecord
from resume_rig.oslog.event.accounts import (
    AccountReader,
    PowerNotes,
    companion_figures,
    shutdown_at_end,
    step_us,
)
from resume_rig.oslog.event.event import Event, EventRole, EventValues
from resume_rig.oslog.source.problems import Problem, ProblemTally

_ByRole = dict[EventRole, Event]

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

    A cycle writes 42, 107, Kernel-General 1, 131, 130 and then its account, Power-Troubleshooter 1;
    a wake from hibernation also writes Kernel-Boot events. A cycle that sleeps again quickly writes
    its account after the next 42, which then belongs to the next account. No cycle reaches over a
    boot or a shutdown. What asks for a sleep stands before its 42: the request of a process (187),
    and the change of the session (566).

    Attributes:
        unanswered: the Kernel-Power 42 that no account answered before the last boot.
        booted: the Kernel-Boot events of the last boot.
    """

    def __init__(self, unanswered: Event | None = None) -> None:
        """Start with nothing, or with a sleep that stands before the first event."""
        self.unanswered: Event | None = None
        self.booted: _ByRole = {}
        self._previous: _ByRole = {}
        self._current: _ByRole = {}
        self._requests: _ByRole = {}
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
            self.unanswered = None  # a boot reports of the one before it alone
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

    def _led_to(self, sleep: Event) -> _ByRole:
        """Return what asked for a sleep; a process only where the sleep names that reason."""
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

    def _close(self) -> _ByRole:
        if self._previous and not _has_wake(self._current):
            closed, left = self._previous, self._current
        else:
            closed, left = self._current, {}
        self._previous, self._current = {}, left
        return closed


def _has_wake(companions: Iterable[EventRole]) -> bool:
    return not _WAKE.isdisjoint(companions)


_Companions = tuple[Event, ...]
_Take = Callable[[Event, _Companions], OsRecord | None]


class ForwardAssembler:
    """Takes events oldest first and gives each record at once."""

    def __init__(
        self,
        source: int,
        tally: ProblemTally,
        unanswered: Event | None = None,
        shutdown: Event | None = None,
    ) -> None:
        """Start a log.

        Args:
            source: index that the records carry.
            tally: takes what cannot be read.
            unanswered: a Kernel-Power 42 that stands before the log's first event.
            shutdown: a Kernel-Power 109 that stands before it.
        """
        self.os_build: int | None = None
        self._values = EventValues(tally)
        self._accounts = AccountReader(source, self._values)
        self._tracker = CycleTracker(unanswered)
        self._session: Event | None = None
        self._clock = _ClockSteps(self._values)
        self._started = False
        self._notes = PowerNotes(shutdown)
        self._boot_event: Event | None = None
        self._takes: dict[EventRole | None, _Take] = {
            EventRole.ACCOUNT: self._account,
            EventRole.BOOT: self._boot,
            EventRole.BOOT_TIMES: self._boot_times,
            EventRole.DIED: self._death,
            EventRole.ENTERING_STANDBY: self._enter_standby,
            EventRole.LEFT_STANDBY: self._leave_standby,
            EventRole.CLOCK_STEPPED: self._clock_step,
            EventRole.CLOCK_SET: self._wake,
            EventRole.ENTERING_SLEEP: self._sleep,
        }

    def feed(self, event: Event) -> OsRecord | None:
        """Return the record that the event completes, if it does."""
        companions = self._tracker.follow(event)
        take = self._takes.get(event.role)
        record = None if take is None else take(event, companions)
        self._notes.follow(event)
        return record

    def _account(self, event: Event, companions: _Companions) -> OsRecord | None:
        return self._accounts.read(event, companions, self.os_build, self._figures_between())

    def _boot(self, event: Event, _: _Companions) -> None:
        self.end_session()
        self._clock = _ClockSteps(self._values)
        self._started = True
        self.os_build = self._accounts.build_of(event)
        self._boot_event = event

    def _boot_times(self, event: Event, _: _Companions) -> OsRecord | None:
        """Return the record of a cold boot, once: the firmware's part of it is in this event."""
        began, self._boot_event = self._boot_event, None
        booted = self._tracker.booted
        kind = booted.get(EventRole.BOOT_TYPE)
        if began is None or kind is None or kind.data.get("BootType") != COLD_BOOT:
            return None
        return self._accounts.read_boot(began, event, tuple(booted.values()), self.os_build)

    def _death(self, event: Event, _: _Companions) -> OsRecord | None:
        entered = self._tracker.unanswered or self._tracker.asleep
        boot = companion_figures(self._tracker.booted.values(), self._values)
        figures = (*boot, *self._notes.figures(self._values))
        return self._accounts.read_death(event, entered, figures, self.os_build)

    def _enter_standby(self, event: Event, _: _Companions) -> None:
        self.end_session()
        self._session = event

    def _leave_standby(self, event: Event, _: _Companions) -> OsRecord | None:
        entered, self._session = self._session, None
        return self._accounts.read_session(entered, event, self.os_build, self._figures_between())

    def _clock_step(self, event: Event, _: _Companions) -> None:
        self._clock.add(event)

    def _wake(self, _event: Event, _: _Companions) -> None:
        self._clock.woke()

    def _sleep(self, _event: Event, _: _Companions) -> None:
        self._clock.slept()

    def _figures_between(self) -> tuple[Figure, ...]:
        """Return the figures of what stands between the record before and this one."""
        started, self._started = self._started, False
        figures = (*self._notes.figures(self._values), *self._clock.take())
        return (*figures, Figure("os_started", 1)) if started else figures

    def end_session(self) -> None:
        """Note that a Modern Standby session that is open cannot end any more."""
        if self._session is not None:
            self._values.tally.count(Problem.OPEN_SESSION)
        self._session = None

    def forget_cycle(self) -> None:
        """Let go of all whose account cannot come any more: the log ends here, or has a gap."""
        self.end_session()
        self._tracker = CycleTracker()
        self._clock = _ClockSteps(self._values)
        self._started = False
        self._notes = PowerNotes()
        self._boot_event = None


class BackwardAssembler:
    """Takes events newest first, as `wevtutil /rd:true` writes them; gives records at the end.

    It holds the events since two boots, because what an event means depends on what stands before
    it in time; nothing but a sleep that was never answered reaches over a boot.
    """

    def __init__(self, source: int, tally: ProblemTally) -> None:
        self.os_build: int | None = None
        self._source = source
        self._tally = tally
        self._events: list[Event] = []
        self._later: list[Event] = []
        self._records: list[list[OsRecord]] = []

    def feed(self, event: Event) -> None:
        """Take one event; its record comes from `finish`."""
        self._events.append(event)
        if event.role is EventRole.BOOT:
            self._next_boot()

    def finish(self) -> list[OsRecord]:
        """Return the records, oldest first."""
        self._next_boot()
        self._next_boot()
        return [record for records in reversed(self._records) for record in records]

    def _next_boot(self) -> None:
        """Assemble the events of the boot that follows in time on the one just read."""
        earlier = self._events[::-1]
        self._assemble(self._later, earlier)
        self._later, self._events = earlier, []

    def _assemble(self, events: Sequence[Event], earlier: Sequence[Event]) -> None:
        if not events:
            return
        forward = ForwardAssembler(
            self._source, self._tally, _unanswered_in(earlier), shutdown_at_end(earlier)
        )
        given = [forward.feed(event) for event in events]
        self._records.append([record for record in given if record is not None])
        forward.end_session()
        self.os_build = self.os_build or forward.os_build


class _ClockSteps:
    """Steps of the clock between two records, other than its setting on a wake."""

    def __init__(self, values: EventValues) -> None:
        self._values = values
        self._count = 0
        self._total_us = 0
        self._awake_us = 0
        self._asleep = False
        self._last: tuple[object, ...] = ()

    def slept(self) -> None:
        """Note a sleep: the clock is set on the wake from it."""
        self._asleep = True

    def woke(self) -> None:
        """Note a wake: what follows is steps of the clock that it set."""
        self._asleep = False
        self._awake_us = 0

    def add(self, event: Event) -> None:
        """Count a step.

        A setting that changed nothing is none, and one written twice is one. An old Windows gives
        no reason: the first after a sleep is that of the wake.
        """
        if self._asleep and "Reason" not in event.data:
            self.woke()
            return
        times = tuple(event.data.get(name) for name in ("OldTime", "NewTime"))
        step = 0 if times == self._last else step_us(event, self._values)
        self._last = times
        if step:
            self._count += 1
            self._total_us += step
            self._awake_us += step

    def take(self) -> tuple[Figure, ...]:
        """Return the figures and start anew."""
        count, total_us, awake_us = self._count, self._total_us, self._awake_us
        self._count = self._total_us = self._awake_us = 0
        if not count:
            return ()
        figures = Figure("clock_steps", count), Figure("clock_stepped_us", total_us)
        return (*figures, Figure("clock_stepped_after_wake_us", awake_us)) if awake_us else figures


def _unanswered_in(events: Iterable[Event]) -> Event | None:
    """Return the Kernel-Power 42 that no account answers by the end of these events."""
    tracker = CycleTracker()
    for event in events:
        tracker.follow(event)
    return tracker.asleep
