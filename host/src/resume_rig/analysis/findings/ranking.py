"""Which devices, drivers, services, applications and phases take longest, over all records.

Components overlap and nest, so their times are never added up here: each is ranked by the longest
that it ever took. Components of one name in one phase are one, whatever record they are of.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from resume_rig.model.os_record import Component, ComponentKind, OsRecord, SleepKind

TRANSITION_FIGURE: Final = "transition_ms"
"""The figure by which an account tells how long its whole transition took."""

_HALVES: Final = frozenset({"suspend", "resume"})
_MOMENTS: Final = {SleepKind.BOOT: "boot", SleepKind.SHUTDOWN: "shutdown"}
NO_SLEEP_MOMENTS: Final = frozenset(_MOMENTS.values())


@dataclass(frozen=True, slots=True)
class Ranked:
    """One component over all records.

    Attributes:
        moment: "boot", "shutdown" or "sleep" (which a resume belongs to).
        kind, name, phase: as in Component; name is hostile.
        count: how often it was timed.
        not_ended: how often it had not ended when the account did.
        median_ms, worst_ms: of its durations; None where it never ended.
        own_ms: of the worst one, without its children; None where unknown.
        held_ms: of the worst one, how long others had to wait for it; None where unknown.
        share: median share of the transition, 0..1 or more where the account reaches beyond it;
            None where the transition's length is unknown.
        detail, group: of the worst one.
    """

    moment: str
    kind: ComponentKind
    name: str
    phase: str
    count: int
    not_ended: int
    median_ms: float | None
    worst_ms: float | None
    own_ms: float | None
    held_ms: float | None
    share: float | None
    detail: str
    group: str


@dataclass(slots=True)
class _Group:
    """What came together under one name."""

    worst: Component
    durations_ms: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    not_ended: int = 0

    def take(self, component: Component, transition_ms: float | None) -> None:
        if component.duration_ms is None:
            self.not_ended += 1
            return
        self.durations_ms.append(component.duration_ms)
        if transition_ms:
            self.shares.append(component.duration_ms / transition_ms)
        if self.worst.duration_ms is None or component.duration_ms > self.worst.duration_ms:
            self.worst = component


def rank(records: Iterable[OsRecord]) -> tuple[Ranked, ...]:
    """Return all components, the one with the longest duration first.

    What never ended comes first of all: nobody knows how long it would have taken.
    """
    groups: dict[tuple[str, ComponentKind, str, str], _Group] = {}
    for record in records:
        moment = moment_of(record)
        transition_ms = transition_length_ms(record)
        for component in record.components:
            key = (moment, component.kind, component.name, component.phase)
            group = groups.get(key)
            if group is None:
                group = groups[key] = _Group(component)
            group.take(component, transition_ms)
    found = [_ranked(moment, group) for (moment, *_), group in groups.items()]
    found.sort(key=lambda one: (one.worst_ms is not None, -(one.worst_ms or 0.0)))
    return tuple(found)


def moment_of(record: OsRecord) -> str:
    """Return which transition a record is of: "boot", "shutdown" or "sleep"."""
    return _MOMENTS.get(record.kind, "sleep")


def transition_length_ms(record: OsRecord) -> float | None:
    """Return how long a transition took as its account tells; None where it does not.

    An account without the figure tells by its phases "suspend" and "resume", which it may time
    from a start of their own. Components alone do not tell: six services of a boot are no boot.
    """
    for figure in record.figures:
        if figure.name == TRANSITION_FIGURE:
            return figure.value or None
    halves = [
        component.duration_ms
        for component in record.components
        if component.name in _HALVES
        and component.kind is ComponentKind.PHASE
        and component.phase == ""
        and component.duration_ms is not None
    ]
    return sum(halves) or None


def _ranked(moment: str, group: _Group) -> Ranked:
    worst = group.worst
    return Ranked(
        moment=moment,
        kind=worst.kind,
        name=worst.name,
        phase=worst.phase,
        count=len(group.durations_ms) + group.not_ended,
        not_ended=group.not_ended,
        median_ms=median(group.durations_ms) if group.durations_ms else None,
        worst_ms=worst.duration_ms,
        own_ms=worst.own_ms,
        held_ms=worst.held_ms,
        share=median(group.shares) if group.shares else None,
        detail=worst.detail,
        group=worst.group,
    )
