"""The parts of an xperf summary (suspend, boot, shutdown), each to the records of its transitions.

By Microsoft's paper on on/off transitions, and its paper on Windows Embedded Standard 7 for the
services' attributes. What the papers leave open is read either way.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from resume_rig.model.os_record import Component, ComponentKind, Figure, OsRecord, SleepKind
from resume_rig.oslog.source.components import ComponentDraft, ComponentList, name_or_blank
from resume_rig.oslog.source.elements import snake_case
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import BARE_RECORD, figures_of
from resume_rig.oslog.xperf.times import XperfTime

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
_SUSPEND_NAMES: Final = (
    *("exe", "name", "servicename", "friendlyname", "devicename", "instancename", "instance"),
    *("drivername", "driver", "description", "path", "id"),
)
_DETAILS: Final = ("pid", "driver", "drivername", "instance", "instancename", "description")


def _first_of(attributes: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the first of some attributes that is there and not empty; else ""."""
    return next((attributes[name] for name in names if attributes.get(name)), "")


@dataclass(slots=True)
class _Scenario:
    attributes: Mapping[str, str] = field(default_factory=dict)
    components: ComponentList = field(default_factory=ComponentList)
    resume_devices: str | None = None


class SuspendPart:
    """Takes the elements below `suspend`, or those of a summary that has no such node.

    A scenario node has the times of the whole; children of the nodes suspendapps, suspendservices,
    querydevices, suspenddevices and resumedevices are the applications, services and devices.
    No paper states whether those stand in the scenario or behind it, so both are read.

    DriverInit is the duration of resumedevices: that paper ends the subphase, and the paper on
    resume times ends device initialization, when all drivers have completed their S0 set-power
    IRPs. resumecritical holds more than that, and no paper states how much.
    """

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
        name = _first_of(attributes, _SUSPEND_NAMES)
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
        return replace(
            BARE_RECORD,
            source=self._source,
            kind=_kind_of(bios_ms, write_ms, read_ms),
            components=components,
            figures=figures_of(
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


IDLE_WAIT_MS: Final = 10_000
"""How long the PC has to be idle in all until the boot counts as done."""

_END_TOLERANCE_MS: Final = 1_000
_POST_BOOT: Final = "PostExplorerPeriod"
_IGNORED_PHASE: Final = "TraceTail"  # what was traced after the boot was done
_DISK_VALUES: Final = ("readBytes", "writeBytes", "readOps", "writeOps")
_FIGURE_LIMIT: Final = 200
_NAMES: Final = ("friendlyname", "name", "instancepath", "description", "id")


class _Timed(NamedTuple):
    """A length that the summary gives; None where it had not ended yet."""

    duration_ms: float | None


class BootPart:
    """Takes the elements below `boot`.

    The end of PostBoot is found by ten seconds of idle, which are part of bootDoneViaPostBoot and
    of PostExplorerPeriod and no part of the boot.
    """

    def __init__(self, source: int, time: XperfTime, tally: ProblemTally) -> None:
        self._source = source
        self._time = time
        self._tally = tally
        self._path: list[str] = []
        self._components = ComponentList()
        self._figures: list[Figure] = []
        self._timing: Mapping[str, str] = {}
        self._interval = ""
        self._interval_level = 0
        self._pnp_phase = ""
        self._untimed: Counter[str] = Counter()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an element's begin."""
        tag = name.lower()
        self._path.append(tag)
        if tag == "timing" and not self._timing:
            self._take_timing(attributes)
        elif tag == "interval":
            self._take_interval(attributes)
        elif tag == "perprocesscpuusage":
            self._take_process(attributes)
        elif tag == "diskio":
            self._take_disk(attributes)
        elif tag == "services":
            self._figure("services_auto_start_ms", attributes.get("autostartduration"))
        elif tag == "servicetransition":
            self._take_service(attributes)
        elif "pnp" in self._path[:-1]:
            self._take_pnp(name, tag, attributes)
        elif "grouppolicy" in self._path[:-1]:
            self._take_policy(attributes)

    def end(self) -> None:
        """Take an element's end."""
        if self._path:
            self._path.pop()
        if len(self._path) < self._interval_level:
            self._interval, self._interval_level = "", 0

    def finish(self) -> list[OsRecord]:
        """Return the record of the boot."""
        done_ms = self._time.ms(self._timing.get("bootdoneviapostboot"))
        boot_ms = self._without_wait(done_ms)
        loader_ms = self._time.ms(self._timing.get("osloaderduration"))
        figures = figures_of(
            transition_ms=boot_ms,
            bios_end_to_idle_ms=None
            if loader_ms is None or boot_ms is None
            else loader_ms + boot_ms,
            boot_done_via_explorer_ms=self._time.ms(self._timing.get("bootdoneviaexplorer")),
            boot_done_via_post_boot_ms=done_ms,
        )
        components = self._components.finish(self._tally)
        for what, count in self._untimed.items():
            self._tally.report(
                f"The summary names {count} {what} without a time of theirs; they were left out.",
                damage=False,
            )
        return [
            replace(
                BARE_RECORD,
                source=self._source,
                kind=SleepKind.BOOT,
                components=components,
                figures=(*figures, *self._figures[:_FIGURE_LIMIT]),
            )
        ]

    def _take_timing(self, attributes: Mapping[str, str]) -> None:
        self._timing = dict(attributes)
        loader_ms = self._time.ms(attributes.get("osloaderduration"))
        if loader_ms is not None:
            self._phase("OSLoader", loader_ms)

    def _take_interval(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("name", "").strip()
        if not name or name == _IGNORED_PHASE:
            return
        self._interval, self._interval_level = name, len(self._path)
        duration_ms = self._time.ms(attributes.get("duration"))
        if name == _POST_BOOT:
            duration_ms = self._post_boot_ms(duration_ms, attributes)
            name = self._interval = "PostBoot"
        self._phase(name, duration_ms, self._time.ms(attributes.get("starttime")))

    def _post_boot_ms(
        self, duration_ms: float | None, attributes: Mapping[str, str]
    ) -> float | None:
        """Take the ten seconds off where the interval contains them: it ends as the boot does."""
        end_ms = self._time.ms(attributes.get("endtime"))
        done_ms = self._time.ms(self._timing.get("bootdoneviapostboot"))
        if None not in (end_ms, done_ms) and abs((end_ms or 0) - (done_ms or 0)) > (
            _END_TOLERANCE_MS
        ):
            return duration_ms
        return self._without_wait(duration_ms)

    def _without_wait(self, value_ms: float | None) -> float | None:
        if value_ms is None:
            return None
        return value_ms - IDLE_WAIT_MS if value_ms >= IDLE_WAIT_MS else value_ms

    def _take_process(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("name", "")
        if not self._interval or not name or name.lower().startswith("idle"):
            return
        share = attributes.get("percentofinterval", "").strip()
        self._components.add(
            Component(
                kind=ComponentKind.APPLICATION,
                name=name,
                phase=f"{self._interval} (processor time)",
                duration_ms=self._time.ms(attributes.get("time")),
                detail=f"{share} % of the phase" if share else "",
            )
        )

    def _take_disk(self, attributes: Mapping[str, str]) -> None:
        if not self._interval:
            return
        for key in _DISK_VALUES:
            text = attributes.get(key.lower(), "").replace(",", "")
            if text.isdecimal() and text.isascii() and len(text) <= 18:
                name = f"{snake_case(self._interval)}_disk_{snake_case(key)}"
                self._figures.append(Figure(name, float(text)))

    def _take_service(self, attributes: Mapping[str, str]) -> None:
        transition = attributes.get("transition", "start").strip().lower()
        timed = self._length_ms(attributes, "totaltransitiontimedelta", "startedat", "endedat")
        if timed is None:
            self._untimed["services"] += 1
            return
        self._components.add(
            Component(
                kind=ComponentKind.SERVICE,
                name=name_or_blank(attributes.get("name", "")),
                phase=f"{transition} services",
                duration_ms=timed.duration_ms,
                start_ms=self._time.ms(attributes.get("startedat")),
                detail=attributes.get("container", ""),
                group=attributes.get("group", "").strip(),
            )
        )

    def _take_policy(self, attributes: Mapping[str, str]) -> None:
        if not _first_of(attributes, _NAMES):
            return  # a node that only holds others
        timed = self._length_ms(attributes, "duration", "starttime", "endtime")
        if timed is None:
            self._untimed["group policies"] += 1
        else:
            self._add(ComponentKind.APPLICATION, "group policy", attributes, timed)

    def _length_ms(
        self, attributes: Mapping[str, str], whole: str, start: str, end: str
    ) -> "_Timed | None":
        """Return how long something took, as given or from begin to end; None without both.

        A -1 is a length of its own: it had not ended. What is only missing is none.
        """
        if given := attributes.get(whole, "").strip():
            given_ms = self._time.ms(given)
            return None if given_ms is None and not given.startswith("-") else _Timed(given_ms)
        if attributes.get(end, "").strip().startswith("-"):
            return _Timed(None)
        start_ms, end_ms = (self._time.ms(attributes.get(name)) for name in (start, end))
        if start_ms is None or end_ms is None or end_ms < start_ms:
            return None
        return _Timed(end_ms - start_ms)

    def _take_pnp(self, name: str, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "pnpobject":
            phase = f"{self._pnp_phase} Plug and Play".strip()
            self._add(ComponentKind.DEVICE, phase, attributes)
            return
        if "duration" in attributes and "pnpobject" not in self._path[:-1]:
            self._pnp_phase = attributes.get("name", "").strip() or name
            self._phase(
                f"{self._pnp_phase} Plug and Play",
                self._time.ms(attributes["duration"]),
                self._time.ms(attributes.get("starttime")),
                parent="PreSMSS",
            )

    def _add(
        self,
        kind: ComponentKind,
        phase: str,
        attributes: Mapping[str, str],
        timed: "_Timed | None" = None,
    ) -> None:
        held_ms = self._time.ms(attributes.get("prependtime") or attributes.get("prependduration"))
        details = [attributes.get(key, "") for key in ("activity", "type", "description")]
        timed = timed or _Timed(self._time.ms(attributes.get("duration")))
        self._components.add(
            Component(
                kind=ComponentKind.DRIVER if attributes.get("type", "") == "Driver" else kind,
                name=name_or_blank(_first_of(attributes, _NAMES)),
                phase=phase,
                duration_ms=timed.duration_ms,
                start_ms=self._time.ms(attributes.get("starttime")),
                detail=", ".join(detail for detail in details if detail),
                held_ms=held_ms,
            )
        )

    def _phase(
        self,
        name: str,
        duration_ms: float | None,
        start_ms: float | None = None,
        parent: str = "",
    ) -> None:
        self._components.add(Component(ComponentKind.PHASE, name, parent, duration_ms, start_ms))

    def _figure(self, name: str, text: str | None) -> None:
        value = self._time.ms(text)
        if value is not None:
            self._figures.append(Figure(name, value))


UNRESPONSIVE: Final = "unresponsive services"
"""The phase of services that did not answer the service control manager."""

_SYSTEM: Final = "0"
_SESSIONS: Final = {_SYSTEM: "system session", "1": "user session"}
_SHUTDOWN_NAMES: Final = (
    "name",
    "exe",
    "processname",
    "servicename",
    "imagename",
    "process",
    "service",
)
_DURATIONS: Final = ("duration", "shutdownduration", "shutdowntime", "totaltime", "lifetime")
_STARTS: Final = ("starttime", "shutdownstarttime", "start")
_ENDS: Final = ("endtime", "shutdownendtime", "end")
_LISTS: Final = {
    "sessionshutdown": ComponentKind.APPLICATION,
    "services": ComponentKind.SERVICE,
    "unresponsiveservices": ComponentKind.SERVICE,
    "unresponsiveprocesses": ComponentKind.APPLICATION,
    "unresponsiveapps": ComponentKind.APPLICATION,
    "intervals": ComponentKind.PHASE,
}


class ShutdownPart:
    """Takes the elements below `shutdown`."""

    def __init__(self, source: int, time: XperfTime, tally: ProblemTally) -> None:
        self._source = source
        self._time = time
        self._tally = tally
        self._path: list[str] = []
        self._components = ComponentList()
        self._timing: Mapping[str, str] = {}
        self._session = ""
        self._sessions: list[float | None] = []
        self._has_system = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an element's begin."""
        tag = name.lower()
        if tag == "timing" and not self._timing:
            self._timing = dict(attributes)
        elif tag == "sessionshutdown":
            self._take_session(attributes)
        elif tag not in _LISTS and self._list is not None:
            self._take_entry(self._list, attributes)
        self._path.append(tag)

    def end(self) -> None:
        """Take an element's end."""
        if self._path:
            self._path.pop()

    def finish(self) -> list[OsRecord]:
        """Return the record of the shutdown."""
        total_ms = self._time.ms(self._timing.get("shutdowntime"))
        kernel_ms = self._kernel_ms(total_ms)
        if kernel_ms is not None:
            self._components.add(Component(ComponentKind.PHASE, "kernel shutdown", "", kernel_ms))
        figures = figures_of(
            transition_ms=total_ms,
            services_shutdown_ms=self._time.ms(self._timing.get("servicesshutdownduration")),
        )
        components = self._components.finish(self._tally)
        return [
            replace(
                BARE_RECORD,
                source=self._source,
                kind=SleepKind.SHUTDOWN,
                components=components,
                figures=figures,
            )
        ]

    @property
    def _list(self) -> str | None:
        """The innermost list that the current element stands in."""
        return next((tag for tag in reversed(self._path) if tag in _LISTS), None)

    def _kernel_ms(self, total_ms: float | None) -> float | None:
        """What sessions 1 (user) and 0 (system) leave of shutdownTime; None where one is unknown.

        13066 - 6642 - 2675 = 3749 ms in the paper's example. The system session is what the
        services take, so their time stands for a session 0 that is not listed.
        """
        parts = list(self._sessions)
        if not self._has_system:
            parts.append(self._time.ms(self._timing.get("servicesshutdownduration")))
        given = [value for value in parts if value is not None]
        if total_ms is None or not self._sessions:
            return None
        rest_ms = total_ms - sum(given)
        if rest_ms < 0:
            self._tally.report(
                "The sessions' shutdown takes longer than shutdownTime, so the time of the kernel"
                " is unknown.",
                damage=True,
            )
            return None
        return rest_ms if len(given) == len(parts) else None

    def _take_session(self, attributes: Mapping[str, str]) -> None:
        number = attributes.get("sessionid", "").strip()
        self._session = _SESSIONS.get(number, f"session {number}" if number else "a session")
        self._has_system = self._has_system or number == _SYSTEM
        duration_ms = self._duration_ms(attributes)
        self._sessions.append(duration_ms)
        start_ms = self._time.ms(attributes.get("starttime"))
        self._components.add(
            Component(ComponentKind.PHASE, self._session, "", duration_ms, start_ms)
        )

    def _take_entry(self, place: str, attributes: Mapping[str, str]) -> None:
        name = _first_of(attributes, _SHUTDOWN_NAMES)
        if not name:
            return
        phase = {
            "sessionshutdown": self._session,
            "services": "stop services",
            "unresponsiveservices": UNRESPONSIVE,
            "intervals": "intervals",
        }.get(place, "unresponsive applications")
        pid = attributes.get("pid") or attributes.get("processid")
        self._components.add(
            Component(
                kind=_LISTS[place],
                name=name_or_blank(name),
                phase=phase,
                duration_ms=self._duration_ms(attributes),
                start_ms=self._time.ms(_first_of(attributes, _STARTS)),
                detail=f"pid {pid}" if pid else "",
            )
        )

    def _duration_ms(self, attributes: Mapping[str, str]) -> float | None:
        """Return the duration as given, or from begin to end; None where it had not ended."""
        if given := _first_of(attributes, _DURATIONS):
            return self._time.ms(given)
        start_ms, end_ms = (self._time.ms(_first_of(attributes, keys)) for keys in (_STARTS, _ENDS))
        if start_ms is None or end_ms is None or end_ms < start_ms:
            return None
        return end_ms - start_ms
