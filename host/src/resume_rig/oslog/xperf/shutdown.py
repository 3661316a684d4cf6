"""The `shutdown` part of an xperf summary: sessions, services, and the kernel as what is left.

By Microsoft's paper on on/off transitions: kernel shutdown = shutdownTime - user session (session
1) - system session (session 0); 13066 - 6642 - 2675 = 3749 ms in its example.
"""

from collections.abc import Mapping
from typing import Final

from resume_rig.model.os_record import Component, ComponentKind, OsRecord, SleepKind
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import figures_of, trace_record
from resume_rig.oslog.xperf.components import ComponentDraft, ComponentList, name_or_blank
from resume_rig.oslog.xperf.time_unit import XperfTime

UNRESPONSIVE: Final = "unresponsive services"
"""The phase of services that did not answer the service control manager."""

_SYSTEM: Final = "0"
_SESSIONS: Final = {_SYSTEM: "system session", "1": "user session"}
_NAMES: Final = ("name", "exe", "processname", "servicename", "imagename", "process", "service")
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
        self._system_known = False

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
        return [trace_record(self._source, SleepKind.SHUTDOWN, components, figures)]

    @property
    def _list(self) -> str | None:
        """The innermost list that the current element stands in."""
        return next((tag for tag in reversed(self._path) if tag in _LISTS), None)

    def _kernel_ms(self, total_ms: float | None) -> float | None:
        """What is left of the shutdown; None where a part of it is not known.

        The system session is what the services take, so their time stands for a session 0 that
        is not listed.
        """
        parts = list(self._sessions)
        if not self._system_known:
            parts.append(self._time.ms(self._timing.get("servicesshutdownduration")))
        known = [value for value in parts if value is not None]
        if total_ms is None or not self._sessions:
            return None
        rest_ms = total_ms - sum(known)
        if rest_ms < 0:
            self._tally.report(
                "The sessions' shutdown takes longer than shutdownTime, so the time of the kernel"
                " is unknown.",
                damage=True,
            )
            return None
        return rest_ms if len(known) == len(parts) else None

    def _take_session(self, attributes: Mapping[str, str]) -> None:
        number = attributes.get("sessionid", "").strip()
        self._session = _SESSIONS.get(number, f"session {number}" if number else "a session")
        self._system_known = self._system_known or number == _SYSTEM
        duration_ms = self._duration_ms(attributes)
        self._sessions.append(duration_ms)
        start_ms = self._time.ms(attributes.get("starttime"))
        self._components.add(
            Component(ComponentKind.PHASE, self._session, "", duration_ms, start_ms)
        )

    def _take_entry(self, place: str, attributes: Mapping[str, str]) -> None:
        name = next((attributes[key] for key in _NAMES if attributes.get(key)), "")
        if not name:
            return
        phase = {
            "sessionshutdown": self._session,
            "services": "stop services",
            "unresponsiveservices": UNRESPONSIVE,
            "intervals": "intervals",
        }.get(place, "unresponsive applications")
        pid = attributes.get("pid") or attributes.get("processid")
        start = next((attributes[key] for key in _STARTS if attributes.get(key)), None)
        self._components.add(
            ComponentDraft(
                kind=_LISTS[place],
                name=name_or_blank(name),
                phase=phase,
                duration_ms=self._duration_ms(attributes),
                start_ms=self._time.ms(start),
                detail=f"pid {pid}" if pid else "",
            ).done()
        )

    def _duration_ms(self, attributes: Mapping[str, str]) -> float | None:
        """Return the duration as given, or from begin to end; None where it had not ended."""
        given = next((attributes[key] for key in _DURATIONS if attributes.get(key)), None)
        if given is not None:
            return self._time.ms(given)
        start_ms, end_ms = (
            self._time.ms(next((attributes[key] for key in keys if attributes.get(key)), None))
            for keys in (_STARTS, _ENDS)
        )
        if start_ms is None or end_ms is None or end_ms < start_ms:
            return None
        return end_ms - start_ms
