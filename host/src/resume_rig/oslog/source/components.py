"""Components of one record, whatever account times them, bounded."""

from dataclasses import dataclass, replace
from typing import Final

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
