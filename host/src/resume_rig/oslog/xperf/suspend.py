"""The `suspend` part of an xperf summary: one record for each scenario.

By Microsoft's paper on on/off transitions: a scenario node with the times of the whole, and nodes
suspendapps, suspendservices, querydevices, suspenddevices and resumedevices whose children are the
applications, services and devices. Whether those stand in the scenario or behind it is not told,
so both are read.

DriverInit is the duration of resumedevices: that paper ends the subphase, and the paper on resume
times ends device initialisation, when all drivers have completed their S0 set-power IRPs.
resumecritical holds more than that, and no paper says how much.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from resume_rig.model.os_record import Component, ComponentKind, OsRecord, SleepKind
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import figures_of, trace_record
from resume_rig.oslog.xperf.components import ComponentDraft, ComponentList, name_or_blank
from resume_rig.oslog.xperf.time_unit import XperfTime

# Node names without case to the phase's name and what its children are.
_PHASES: Final[Mapping[str, tuple[str, ComponentKind]]] = {
    "suspendapps": ("suspend apps", ComponentKind.APPLICATION),
    "suspendservices": ("suspend services", ComponentKind.SERVICE),
    "querydevices": ("query devices", ComponentKind.DEVICE),
    "suspenddevices": ("suspend devices", ComponentKind.DEVICE),
    "resumedevices": ("resume devices", ComponentKind.DEVICE),
    "resumeservices": ("resume services", ComponentKind.SERVICE),
    "resumeapps": ("resume apps", ComponentKind.APPLICATION),
}
_CHILDREN: Final = dict(_PHASES.values())
_NAMES: Final = (
    *("exe", "name", "servicename", "friendlyname", "devicename", "instancename", "instance"),
    *("drivername", "driver", "description", "path", "id"),
)
_DETAILS: Final = ("pid", "driver", "drivername", "instance", "instancename", "description")


@dataclass(slots=True)
class _Scenario:
    attributes: Mapping[str, str] = field(default_factory=dict)
    components: ComponentList = field(default_factory=ComponentList)
    resume_devices: str | None = None


class SuspendPart:
    """Takes the elements below `suspend`, or those of a summary that has no such node."""

    def __init__(self, source: int, time: XperfTime, tally: ProblemTally) -> None:
        self._source = source
        self._time = time
        self._tally = tally
        self._scenario: _Scenario | None = None
        self._open: list[ComponentDraft | None] = []
        self._records: list[OsRecord] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an element's begin."""
        tag = name.lower()
        parent = next((draft for draft in reversed(self._open) if draft is not None), None)
        if tag == "scenario":
            self._close()
            self._scenario = _Scenario(dict(attributes))
            self._open.append(None)
        elif parent is None and tag in _PHASES:
            self._open.append(self._phase(tag, attributes))
        elif parent is not None and "duration" in attributes:
            self._open.append(self._child(tag, attributes, parent))
        else:
            self._open.append(None)

    def end(self) -> None:
        """Take an element's end."""
        draft = self._open.pop() if self._open else None
        if draft is not None and self._scenario is not None:
            self._scenario.components.add(draft.done())

    def finish(self) -> list[OsRecord]:
        """Return the records; elements that a cut document left open count as they stand."""
        while self._open:
            self.end()
        self._close()
        return self._records

    def _phase(self, tag: str, attributes: Mapping[str, str]) -> ComponentDraft:
        if self._scenario is None:
            self._scenario = _Scenario()
        if tag == "resumedevices":
            self._scenario.resume_devices = attributes.get("duration")
        children_ms = self._time.ms(attributes.get("totalchildrenduration"))
        return ComponentDraft(
            kind=ComponentKind.PHASE,
            name=_PHASES[tag][0],
            phase="",
            duration_ms=self._time.ms(attributes.get("duration")),
            start_ms=self._time.ms(attributes.get("start")),
            children_ms=children_ms,
            sums_children=children_ms is None,
        )

    def _child(
        self, tag: str, attributes: Mapping[str, str], parent: ComponentDraft
    ) -> ComponentDraft:
        name = next((attributes[key] for key in _NAMES if attributes.get(key)), "")
        details = (
            f"{key} {attributes[key]}"
            for key in _DETAILS
            if attributes.get(key) and attributes[key] != name
        )
        within_phase = parent.kind is ComponentKind.PHASE
        duration_ms = self._time.ms(attributes["duration"])
        parent.add_child(duration_ms)
        phase = parent.name if within_phase else parent.phase
        return ComponentDraft(
            kind=ComponentKind.DRIVER if "driver" in tag else _CHILDREN[phase],
            name=name_or_blank(name),
            phase=phase,
            duration_ms=duration_ms,
            start_ms=self._time.ms(attributes.get("start")),
            detail=", ".join(details),
        )

    def _close(self) -> None:
        if self._scenario is None:
            return
        scenario, self._scenario = self._scenario, None
        self._records.append(self._record(scenario))

    def _record(self, scenario: _Scenario) -> OsRecord:
        given = scenario.attributes
        whole = self._time.whole_ms
        bios_ms = whole(given.get("biosinit")) or None
        write_ms, read_ms = (whole(given.get(key)) or None for key in ("hiberwrite", "hiberread"))
        components = scenario.components.finish(self._tally)
        return trace_record(
            self._source,
            _kind_of(bios_ms, write_ms, read_ms),
            components,
            figures_of(
                transition_ms=self._time.ms(given.get("duration")),
                suspend_ms=self._time.ms(given.get("suspend")),
                resume_critical_ms=self._time.ms(given.get("resumecritical")),
                resume_thread_ms=self._time.ms(given.get("resume")),
                display_off_ms=_display_off_ms(components),
            ),
            sleep_ms=whole(given.get("suspend")),
            driver_init_ms=whole(scenario.resume_devices) or None,
            bios_init_ms=bios_ms,
            hiber_read_ms=read_ms,
            hiber_write_ms=write_ms,
        )


def _kind_of(bios_ms: int | None, write_ms: int | None, read_ms: int | None) -> SleepKind:
    """Hybrid sleep writes the file and does not read it; only sleep has a BIOS time."""
    if write_ms is not None and read_ms is None:
        return SleepKind.HYBRID
    if write_ms is not None or read_ms is not None:
        return SleepKind.S4
    return SleepKind.UNKNOWN if bios_ms is None else SleepKind.S3


def _display_off_ms(components: tuple[Component, ...]) -> float | None:
    """What suspendapps takes beyond its applications: the video driver fades and turns off."""
    return next(
        (
            c.own_ms
            for c in components
            if c.kind is ComponentKind.PHASE and c.name == "suspend apps"
        ),
        None,
    )
