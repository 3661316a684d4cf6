"""Events in record order to OS records: which companions belong to which account.

Record order is the truth, time is not: an event between the wake and the setting of the clock
carries a stale stamp. A cycle writes 42, 107, Kernel-General 1, 131, 130 and then its account,
Power-Troubleshooter 1. A cycle that sleeps again quickly writes its account after the next 42,
which then belongs to the next account.

The forward assembler holds two cycles at most, the backward one two cycles and its results.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.account import AccountReader, with_build
from resume_rig.oslog.event import Event, EventRole

_Companions = dict[EventRole, Event]


class ForwardAssembler:
    """Takes events oldest first and gives each record at once."""

    def __init__(self, accounts: AccountReader) -> None:
        self.os_build: int | None = None
        self._accounts = accounts
        self._previous: _Companions = {}
        self._current: _Companions = {}

    def feed(self, event: Event) -> OsRecord | None:
        """Return the record that the event completes, if it does."""
        role = event.role
        if role is EventRole.ACCOUNT:
            return self._accounts.read(event, self._close().values(), self.os_build)
        if role is EventRole.BOOT:
            self.os_build = self._accounts.build_of(event) or self.os_build
        elif role is not None:
            if role is EventRole.ENTERING_SLEEP and _has_wake(self._current):
                self._previous, self._current = self._current, {}
            self._current.pop(role, None)  # the last one of a kind, in its place
            self._current[role] = event
        return None

    def forget_cycle(self) -> None:
        """Let go of companions whose account cannot come any more."""
        self._previous, self._current = {}, {}

    def _close(self) -> _Companions:
        if self._previous and not _has_wake(self._current):
            closed, left = self._previous, self._current
        else:
            closed, left = self._current, {}
        self._previous, self._current = {}, left
        return closed


@dataclass(slots=True)
class _OpenAccount:
    """An account whose companions are still to come, as they stand before it in the log."""

    account: Event
    os_build: int | None = None
    asleep_again: Event | None = None
    companions: list[Event] = field(default_factory=list)
    roles: set[EventRole] = field(default_factory=set)

    def take(self, event: Event, role: EventRole) -> None:
        if EventRole.ENTERING_SLEEP in self.roles:
            return  # the cycle is complete; what stands before is another's
        if role is EventRole.ENTERING_SLEEP and not self.companions:
            self.asleep_again = self.asleep_again or event
        elif role not in self.roles:
            self.roles.add(role)
            self.companions.append(event)

    def keep_own_sleep(self) -> None:
        """Without any wake before the account, the sleep found is its own."""
        if not self.companions and self.asleep_again is not None:
            self.companions.append(self.asleep_again)
            self.roles.add(EventRole.ENTERING_SLEEP)
            self.asleep_again = None


class BackwardAssembler:
    """Takes events newest first, as `wevtutil /rd:true` writes them; gives records at the end."""

    def __init__(self, accounts: AccountReader) -> None:
        self.os_build: int | None = None
        self._accounts = accounts
        self._complete: _OpenAccount | None = None
        self._open: _OpenAccount | None = None
        self._records: list[OsRecord] = []
        self._built = 0

    def feed(self, event: Event) -> None:
        """Take one event; its record comes from `finish`."""
        role = event.role
        if role is EventRole.ACCOUNT:
            self._next_account(_OpenAccount(event))
        elif role is EventRole.BOOT:
            self._boot(event)
        elif role is not None and self._open is not None:
            self._open.take(event, role)

    def finish(self) -> list[OsRecord]:
        """Return the records, oldest first."""
        self._next_account(None)
        self._next_account(None)
        return self._records[::-1]

    def _next_account(self, account: _OpenAccount | None) -> None:
        """Close the open account; its second sleep completes the one after it in time."""
        closing, later = self._open, self._complete
        if closing is not None:
            closing.keep_own_sleep()
            if later is not None and closing.asleep_again is not None:
                later.take(closing.asleep_again, EventRole.ENTERING_SLEEP)
        if later is not None:
            later.keep_own_sleep()
            self._give(later)
        self._complete, self._open = closing, account

    def _give(self, done: _OpenAccount) -> None:
        self._records.append(
            self._accounts.read(done.account, reversed(done.companions), done.os_build)
        )
        if done.os_build is not None:
            self._built = len(self._records)

    def _boot(self, event: Event) -> None:
        """Everything seen so far and not yet given a build was written after this boot."""
        build = self._accounts.build_of(event)
        if build is None:
            return
        self.os_build = self.os_build or build
        for waiting in (self._complete, self._open):
            if waiting is not None:
                waiting.os_build = waiting.os_build or build
        for index in range(self._built, len(self._records)):
            self._records[index] = with_build(self._records[index], build)
        self._built = len(self._records)


def _has_wake(companions: Iterable[EventRole]) -> bool:
    return any(role is not EventRole.ENTERING_SLEEP for role in companions)
