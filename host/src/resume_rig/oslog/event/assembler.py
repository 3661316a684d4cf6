"""Events in record order to OS records, oldest first or newest first.

Record order is the truth, time is not: an event between the wake and the setting of the clock
carries a stale stamp.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Ending, Figure, OsRecord
from resume_rig.oslog.event.accounts import (
    AccountReader,
    PowerNotes,
    companion_figures,
    shutdown_at_end,
    step_us,
)
from resume_rig.oslog.event.event import Event, EventRole, EventValues
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.records import parse_utc_ns

_ByRole = dict[EventRole, Event]
_Companions = tuple[Event, ...]

COLD_BOOT: Final = "0"
"""BootType of Kernel-Boot 27; 1 is fast startup, 2 a wake from hibernation."""

_FROM_IMAGE: Final = ("1", "2")

_WAKE: Final = frozenset(
    {
        EventRole.RESUMED,
        EventRole.CLOCK_SET,
        EventRole.FIRMWARE_SUSPEND,
        EventRole.FIRMWARE_RESUME,
    }
)
_SHOWS_A_SLEEP: Final = frozenset(
    {EventRole.ENTERING_SLEEP, EventRole.RESUMED, EventRole.FIRMWARE_RESUME}
)
"""Kernel-General 1 alone may be a setting of the clock without a sleep."""

_REQUEST: Final = frozenset({EventRole.SLEEP_REQUESTED, EventRole.SESSION_TO_SLEEP})
_WOKEN: Final = frozenset({EventRole.SESSION_FROM_SLEEP, EventRole.SCREEN_ON})
_OF_A_PROCESS: Final = ("", "4")
"""Reasons of a Kernel-Power 42 that a request of a process may have led to; old ones give none."""
_BOOT: Final = frozenset(
    {
        EventRole.BOOT_STATUS,
        EventRole.BOOT_TYPE,
        EventRole.IMAGE_REFUSED,
        EventRole.BOOT_TIMES,
    }
)
_FOLLOWED: Final = (
    _WAKE
    | _BOOT
    | _REQUEST
    | _WOKEN
    | {
        EventRole.ACCOUNT,
        EventRole.BOOT,
        EventRole.DIED,
        EventRole.SHUTDOWN,
        EventRole.ENTERING_SLEEP,
    }
)


@dataclass(frozen=True, slots=True)
class LeftCycle:
    """A sleep that no account will come of.

    Attributes:
        companions: its events, in record order.
        ending: what the events after them show.
        booted: the Kernel-Boot events of the boot that came instead of a resume.
    """

    companions: _Companions
    ending: Ending
    booted: _Companions = ()


class CycleTracker:
    """Holds the companions of two cycles at most, and of one that a boot interrupted.

    A cycle writes 42, 107, Kernel-General 1, 131, 130 and then its account, Power-Troubleshooter 1;
    a wake from hibernation also writes Kernel-Boot events. A cycle that sleeps again quickly writes
    its account after the next 42, which then belongs to the next account. No cycle reaches over a
    boot or a shutdown. What asks for a sleep stands before its 42: the request of a process (187),
    and the change of the session (566). A cycle whose account cannot come any more is left.

    Attributes:
        booted: the Kernel-Boot events of the last boot.
    """

    def __init__(self, interrupted: Iterable[Event] = ()) -> None:
        """Start with nothing, or with the sleep that is open where the first event stands."""
        self.booted: _ByRole = {}
        self._interrupted: _ByRole = {}
        self._previous: _ByRole = {}
        self._current: _ByRole = {event.role: event for event in interrupted if event.role}
        self._requests: _ByRole = {}
        self._left: list[LeftCycle] = []

    @property
    def open_cycle(self) -> _Companions:
        """The events of the cycle at hand."""
        return tuple(self._current.values())

    def follow(self, event: Event) -> _Companions:
        """Take the next event; returns the companions of an account or a death, in record order."""
        role = event.role
        if role not in _FOLLOWED:
            return ()
        if role is EventRole.ACCOUNT:
            return tuple(self._close(event).values())
        if role is EventRole.DIED:
            return self._die()
        if role is EventRole.BOOT:
            self._end_of_boot()
            self.booted = {}
        elif role is EventRole.SHUTDOWN:
            self._leave_interrupted()
            self._leave(self._previous, Ending.RESUMED)
            self._leave(self._current, Ending.REFUSED)
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

    def take_left(self) -> list[LeftCycle]:
        """Return the cycles that were left since the last call, oldest first."""
        left, self._left = self._left, []
        return left

    def end_of_boot(self) -> None:
        """Leave what cannot reach over the boot that follows: all but the cycle at hand."""
        self._leave_interrupted()
        self._leave(self._previous, Ending.RESUMED)
        self._previous = {}

    def end(self) -> None:
        """Leave all: the log ends here, or has a gap."""
        self.end_of_boot()
        self._leave(self._current, Ending.OPEN)
        self._current = {}

    def _leave(self, cycle: _ByRole, ending: Ending, booted: Iterable[Event] = ()) -> None:
        if not _SHOWS_A_SLEEP.isdisjoint(cycle):
            kind = cycle.get(EventRole.BOOT_TYPE)
            resumed = kind is not None and kind.data.get("BootType") in _FROM_IMAGE
            ending = Ending.RESUMED if resumed or _has_wake(cycle) else ending
            self._left.append(LeftCycle(tuple(cycle.values()), ending, tuple(booted)))

    def _leave_interrupted(self) -> None:
        self._leave(self._interrupted, Ending.BECAME_BOOT, self.booted.values())
        self._interrupted = {}

    def _boot_event(self, event: Event, role: EventRole) -> None:
        is_cold = role is EventRole.BOOT_TYPE and event.data.get("BootType") == COLD_BOOT
        if is_cold and (self._current or self._previous):
            self._end_of_boot()
        (self._current or self.booted)[role] = event

    def _end_of_boot(self) -> None:
        self.end_of_boot()
        self._interrupted, self._current, self._requests = self._current, {}, {}

    def _die(self) -> _Companions:
        """Let go of the sleep that a death is of: that which the boot interrupted, if there is."""
        if self._interrupted:
            died, self._interrupted = self._interrupted, {}
        else:
            died, self._current = self._current, {}
        return tuple(died.values())

    def _companion(self, event: Event, role: EventRole) -> None:
        if role is EventRole.ENTERING_SLEEP:
            self._leave_interrupted()
            if _has_wake(self._current):
                self._leave(self._previous, Ending.RESUMED)
                self._previous, self._current = self._current, {}
            elif EventRole.ENTERING_SLEEP in self._current:
                self._leave(self._current, Ending.REFUSED)
                self._current = {}
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

    def _close(self, account: Event) -> _ByRole:
        self._leave_interrupted()
        if self._previous and (
            not _has_wake(self._current) or _ended_between(self._previous, account, self._current)
        ):
            closed, left = self._previous, self._current
        else:
            self._leave(self._previous, Ending.RESUMED)
            closed, left = self._current, {}
        self._previous, self._current = {}, left
        return closed


def _ended_between(previous: _ByRole, account: Event, current: _ByRole) -> bool:
    """Return whether an account's wake lies between the beginnings of two cycles."""
    begun_ns = [
        None if (event := cycle.get(EventRole.ENTERING_SLEEP)) is None else event.time_utc_ns
        for cycle in (previous, current)
    ]
    try:
        woke_ns = parse_utc_ns(account.data.get("WakeTime", ""))
    except RecordError:
        return False  # counted where the account is read
    if woke_ns is None or begun_ns[0] is None or begun_ns[1] is None:
        return False
    return begun_ns[0] <= woke_ns < begun_ns[1]


def _has_wake(companions: Iterable[EventRole]) -> bool:
    return not _WAKE.isdisjoint(companions)


_Take = Callable[[Event, _Companions], OsRecord | None]


class ForwardAssembler:
    """Takes events oldest first and gives each record at once."""

    def __init__(
        self,
        source: int,
        tally: ProblemTally,
        interrupted: Iterable[Event] = (),
        shutdown: Event | None = None,
    ) -> None:
        """Start a log.

        Args:
            source: index that the records carry.
            tally: takes what cannot be read.
            interrupted: the events of the sleep that is open before the log's first event.
            shutdown: a Kernel-Power 109 that stands before it.
        """
        self.os_build: int | None = None
        self._values = EventValues(tally)
        self._accounts = AccountReader(source, self._values)
        self._tracker = CycleTracker(interrupted)
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

    def feed(self, event: Event) -> list[OsRecord]:
        """Return the records that the event completes, and those whose account it rules out."""
        companions = self._tracker.follow(event)
        given = self._left()
        take = self._takes.get(event.role)
        if take is not None and (record := take(event, companions)) is not None:
            given.append(record)
        self._notes.follow(event)
        return given

    def _left(self) -> list[OsRecord]:
        return [
            self._accounts.read_left(left.companions, left.ending, self.os_build, left.booted)
            for left in self._tracker.take_left()
        ]

    def _account(self, event: Event, companions: _Companions) -> OsRecord | None:
        return self._accounts.read(event, companions, self.os_build, self._figures_between())

    def _boot(self, event: Event, _: _Companions) -> OsRecord | None:
        session = self._end_session(Ending.BECAME_BOOT)
        self._clock = _ClockSteps(self._values)
        self._started = True
        self.os_build = self._accounts.build_of(event)
        self._boot_event = event
        return session

    def _boot_times(self, event: Event, _: _Companions) -> OsRecord | None:
        """Return the record of a cold boot, once: the firmware's part of it is in this event."""
        began, self._boot_event = self._boot_event, None
        booted = self._tracker.booted
        kind = booted.get(EventRole.BOOT_TYPE)
        if began is None or kind is None or kind.data.get("BootType") != COLD_BOOT:
            return None
        return self._accounts.read_boot(began, event, tuple(booted.values()), self.os_build)

    def _death(self, event: Event, companions: _Companions) -> OsRecord | None:
        booted = tuple(self._tracker.booted.values())
        boot = companion_figures(booted, self._values)
        figures = (*boot, *self._notes.figures(self._values))
        entered = next((e for e in companions if e.role is EventRole.ENTERING_SLEEP), None)
        died = self._accounts.read_death(event, entered, figures, self.os_build)
        if died is not None or _SHOWS_A_SLEEP.isdisjoint(each.role for each in companions):
            return died
        woke = any(each.role in _WAKE for each in companions)
        ending = Ending.RESUMED if woke else Ending.BECAME_BOOT
        return self._accounts.read_left(companions, ending, self.os_build, (*booted, event))

    def _enter_standby(self, event: Event, _: _Companions) -> OsRecord | None:
        session = self._end_session(Ending.OPEN)
        self._session = event
        return session

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

    def _end_session(self, ending: Ending) -> OsRecord | None:
        """Return the record of a Modern Standby session that is open and cannot end any more."""
        entered, self._session = self._session, None
        if entered is None:
            return None
        self._values.tally.count(Problem.OPEN_SESSION)
        return self._accounts.read_open_session(entered, ending, self.os_build)

    def end_of_boot(self) -> list[OsRecord]:
        """Return the records of what does not reach over the boot that follows."""
        self._tracker.end_of_boot()
        session = self._end_session(Ending.BECAME_BOOT)
        return [*self._left(), *([session] if session else [])]

    def finish(self) -> list[OsRecord]:
        """Return the records of what no account can come of: the log ends here, or has a gap."""
        self._tracker.end()
        session = self._end_session(Ending.OPEN)
        given = [*self._left(), *([session] if session else [])]
        self._tracker = CycleTracker()
        self._clock = _ClockSteps(self._values)
        self._started = False
        self._notes = PowerNotes()
        self._boot_event = None
        return given


class BackwardAssembler:
    """Takes events newest first, as `wevtutil /rd:true` writes them; gives records at the end.

    It holds the events since two boots, because what an event means depends on what stands before
    it in time; nothing but a sleep that is open reaches over a boot.
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
            self._source, self._tally, _open_in(earlier), shutdown_at_end(earlier)
        )
        given = [record for event in events for record in forward.feed(event)]
        # What was read first is what the log ends with.
        given += forward.end_of_boot() if self._records else forward.finish()
        self._records.append(given)
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


def _open_in(events: Iterable[Event]) -> _Companions:
    """Return the events of the sleep that is open at the end of these."""
    tracker = CycleTracker()
    for event in events:
        tracker.follow(event)
    return tracker.open_cycle
