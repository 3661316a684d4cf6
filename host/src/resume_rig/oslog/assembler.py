"""Events in record order to OS records.

The forward assembler holds two cycles at most and gives each record at once. The backward one
holds the events since two boots, because only what stands before an event in time tells what it
means; nothing but a sleep that was never answered reaches over a boot.
"""

from collections.abc import Callable, Iterable, Sequence

from resume_rig.model.component import Figure
from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.account import AccountReader
from resume_rig.oslog.cycle_tracker import CycleTracker
from resume_rig.oslog.event import Event, EventRole
from resume_rig.oslog.event_values import EventValues
from resume_rig.oslog.figures import companion_figures, step_us
from resume_rig.oslog.other_accounts import OtherAccountReader
from resume_rig.oslog.power_notes import PowerNotes, shutdown_at_end
from resume_rig.oslog.problems import Problem, ProblemTally

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
        self._others = OtherAccountReader(source, self._values)
        self._tracker = CycleTracker(unanswered)
        self._session: Event | None = None
        self._clock = _ClockSteps(self._values)
        self._notes = PowerNotes(shutdown)
        self._takes: dict[EventRole | None, _Take] = {
            EventRole.ACCOUNT: self._account,
            EventRole.BOOT: self._boot,
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
        return self._accounts.read(event, companions, self.os_build, self._told_between())

    def _boot(self, event: Event, _: _Companions) -> None:
        self.end_session()
        self._clock = _ClockSteps(self._values)
        self.os_build = self._accounts.build_of(event)

    def _death(self, event: Event, _: _Companions) -> OsRecord | None:
        entered = self._tracker.unanswered or self._tracker.asleep
        boot = companion_figures(self._tracker.booted.values(), self._values)
        told = (*boot, *self._notes.figures(self._values))
        return self._others.read_death(event, entered, told, self.os_build)

    def _enter_standby(self, event: Event, _: _Companions) -> None:
        self.end_session()
        self._session = event

    def _leave_standby(self, event: Event, _: _Companions) -> OsRecord | None:
        entered, self._session = self._session, None
        return self._others.read_session(entered, event, self.os_build, self._told_between())

    def _clock_step(self, event: Event, _: _Companions) -> None:
        self._clock.add(event)

    def _wake(self, _event: Event, _: _Companions) -> None:
        self._clock.woke()

    def _sleep(self, _event: Event, _: _Companions) -> None:
        self._clock.slept()

    def _told_between(self) -> tuple[Figure, ...]:
        """Return the figures of what stands between the record before and this one."""
        return (*self._notes.figures(self._values), *self._clock.take())

    def end_session(self) -> None:
        """Note that a Modern Standby session that is open cannot end any more."""
        if self._session is not None:
            self._values.tally.count(Problem.OPEN_SESSION)
        self._session = None

    def forget_cycle(self) -> None:
        """Let go of all whose account cannot come any more."""
        self._tracker = CycleTracker()
        self._session = None
        self._clock = _ClockSteps(self._values)
        self._notes = PowerNotes()


class BackwardAssembler:
    """Takes events newest first, as `wevtutil /rd:true` writes them; gives records at the end."""

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
        self._assemble(self._later, earlier, last=not self._records)
        self._later, self._events = earlier, []

    def _assemble(self, events: Sequence[Event], earlier: Sequence[Event], *, last: bool) -> None:
        if not events:
            return
        forward = ForwardAssembler(
            self._source, self._tally, _unanswered_in(earlier), shutdown_at_end(earlier)
        )
        given = [forward.feed(event) for event in events]
        self._records.append([record for record in given if record is not None])
        if not last:
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

        A setting that changed nothing is none, and one told twice is one. An old Windows gives
        no reason: the first after a sleep is that of the wake.
        """
        if self._asleep and "Reason" not in event.data:
            self.woke()
            return
        told = tuple(
            values.get(name)
            for name in ("OldTime", "NewTime")
            for values in (event.data, event.times_ns)
        )
        step = 0 if told == self._last else step_us(event, self._values)
        self._last = told
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
