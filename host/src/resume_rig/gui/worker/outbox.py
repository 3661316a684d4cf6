"""Events on their way from the rig's thread to the window's: in order, in batches, bounded."""

import threading
from collections import deque
from collections.abc import Callable

from resume_rig.gui.state.events import Event

MOST_WAITING = 2_000
MOST_A_BATCH = 64


class Outbox:
    """One thread puts events in, another one takes them out.

    Args:
        wake: called when there is something to take and nobody has been told so yet.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._events: deque[Event] = deque()
        self._room = threading.Condition()
        self._wake = wake
        self._woken = False
        self._closed = False

    def put(self, event: Event) -> None:
        """Put an event in; waits while the window is behind, so that memory stays bounded."""
        with self._room:
            self._room.wait_for(lambda: len(self._events) < MOST_WAITING or self._closed)
            self._events.append(event)
            wake, self._woken = not self._woken, True
        if wake:
            self._wake()

    def take(self) -> tuple[Event, ...]:
        """Return the oldest events; whoever called is woken again where more are waiting."""
        with self._room:
            count = min(len(self._events), MOST_A_BATCH)
            taken = tuple(self._events.popleft() for _ in range(count))
            self._woken = bool(self._events)
            self._room.notify_all()
            more = self._woken
        if more:
            self._wake()
        return taken

    def close(self) -> None:
        """Let nobody wait any more."""
        with self._room:
            self._closed = True
            self._room.notify_all()
