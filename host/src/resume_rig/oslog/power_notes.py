"""What the power manager tells between two records, kept for the later one.

How a shutdown before it began (Kernel-Power 109), the connectivity in standby (172), and the
changes of the session around Modern Standby (566). The last one of a kind counts. A shutdown
belongs to the next record of its own boot or of the boot right after it, everything else to a
record of its own boot.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from resume_rig.model.component import Figure
from resume_rig.oslog.event import Event, EventRole
from resume_rig.oslog.event_values import EventValues
from resume_rig.oslog.figures import named

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
