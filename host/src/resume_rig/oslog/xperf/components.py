"""Components of one record, bounded, and the times of an xperf summary that they are made of."""

from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Component, ComponentKind
from resume_rig.oslog.source.problems import ProblemTally

COMPONENT_LIMIT: Final = 20_000
"""Components of one record; a summary of a PC has some hundreds."""

_NAME_LIMIT_CHARS: Final = 260
_DETAIL_LIMIT_CHARS: Final = 200


@dataclass(slots=True)
class ComponentDraft:
    """A component whose children are still to come; see Component for the fields."""

    kind: ComponentKind
    name: str
    phase: str
    duration_ms: float | None
    start_ms: float | None = None
    detail: str = ""
    held_ms: float | None = None
    group: str = ""
    children_ms: float | None = None
    sums_children: bool = True

    def add_child(self, duration_ms: float | None) -> None:
        """Take note of a child's duration, unless the account gave the sum itself."""
        if self.sums_children:
            self.children_ms = (self.children_ms or 0.0) + (duration_ms or 0.0)

    def done(self) -> Component:
        """Return the component; its own time is unknown where children overlap beyond it."""
        own_ms = None
        if self.duration_ms is not None and self.children_ms is not None:
            own_ms = self.duration_ms - self.children_ms
            own_ms = own_ms if own_ms >= 0 else None
        return Component(
            kind=self.kind,
            name=self.name,
            phase=self.phase,
            duration_ms=self.duration_ms,
            start_ms=self.start_ms,
            own_ms=own_ms,
            detail=self.detail,
            held_ms=self.held_ms,
            group=self.group,
        )


class ComponentList:
    """The components of one record, in the order in which they are added."""

    def __init__(self) -> None:
        self._components: list[Component] = []
        self._left_out = 0

    def add(self, component: Component) -> None:
        """Keep a component while there is room, its texts bounded."""
        if len(self._components) < COMPONENT_LIMIT:
            self._components.append(_bounded(component))
        else:
            self._left_out += 1

    def finish(self, tally: ProblemTally) -> tuple[Component, ...]:
        """Return all, and report those for which there was no room."""
        if self._left_out:
            tally.report(
                f"A record times more than {COMPONENT_LIMIT} components;"
                f" {self._left_out} of them were left out.",
                damage=True,
            )
        return tuple(self._components)


def _bounded(component: Component) -> Component:
    texts = (component.name, component.phase, component.detail, component.group)
    if max(map(len, texts)) <= _DETAIL_LIMIT_CHARS:
        return component
    return replace(
        component,
        name=component.name[:_NAME_LIMIT_CHARS],
        phase=component.phase[:_DETAIL_LIMIT_CHARS],
        detail=component.detail[:_DETAIL_LIMIT_CHARS],
        group=component.group[:_DETAIL_LIMIT_CHARS],
    )


def name_or_blank(text: str) -> str:
    """Return a name, bounded, or what stands for one that is missing."""
    return text.strip()[:_NAME_LIMIT_CHARS] or "(no name)"


_UNITS_PER_MS: Final = {
    "nsec": 1_000_000,
    "usec": 1_000,
    "msec": 1,
}
_PER_MS: Final = {
    **_UNITS_PER_MS,
    **{"nanoseconds": 1_000_000, "ns": 1_000_000},
    **{"microseconds": 1_000, "us": 1_000, "µs": 1_000},
    **{"milliseconds": 1, "ms": 1},
}
_LONGEST: Final = 1 << 63
_QUOTED_CHARS: Final = 40


class XperfTime:
    """Turns a summary's numbers into milliseconds, in the unit of its `timeFormat`."""

    def __init__(self, tally: ProblemTally, assumed: str) -> None:
        """Take a summary's first unit.

        Args:
            tally: takes a unit or a number that is not understood.
            assumed: the unit where the summary names none, as the papers' examples have it.
        """
        self._tally = tally
        self._assumed = assumed
        self._per_ms: int | None = _UNITS_PER_MS[assumed]
        self._named = False
        self._unreadable = 0

    def name_unit(self, text: str) -> None:
        """Take over the unit that `timeFormat` names."""
        self._named = True
        self._per_ms = _PER_MS.get(text.strip().lower())
        if self._per_ms is None:
            self._tally.report(
                f"The summary's timeFormat is {text[:_QUOTED_CHARS]!r}, which is no unit that is"
                " known (nsec, usec, msec), so its times count as not reported.",
                damage=True,
            )

    def ms(self, text: str | None) -> float | None:
        """Return a time in milliseconds; None where it is missing, unreadable or had not ended."""
        if text is None or not text.strip() or self._per_ms is None:
            return None
        try:
            value = _number(text)
        except RecordError:
            self._unreadable += 1
            return None
        return None if value < 0 else value / self._per_ms

    def whole_ms(self, text: str | None) -> int | None:
        """Return the same as a whole number, rounded to the nearest."""
        value = self.ms(text)
        return None if value is None else int(value + 0.5)

    def finish(self) -> None:
        """Report what was assumed and what could not be read."""
        if not self._named:
            self._tally.report(
                f"The summary names no timeFormat; {self._assumed} was taken, as Microsoft's paper"
                " has it.",
                damage=False,
            )
        self._tally.report_count(
            "{} times could not be read and count as not reported.", self._unreadable, damage=True
        )


def _number(text: str) -> float:
    cleaned = text.strip().replace(",", "")
    digits = cleaned.removeprefix("-").replace(".", "", 1)
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 20:
        raise RecordError(f"could not read a time: found {text[:_QUOTED_CHARS]!r}")
    value = float(cleaned)
    if value >= _LONGEST:
        raise RecordError(f"could not read a time: found {text[:_QUOTED_CHARS]!r}")
    return value
