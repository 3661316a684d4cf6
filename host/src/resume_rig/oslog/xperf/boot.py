"""The `boot` part of an xperf summary: phases, services, Plug and Play, processor and disk.

By Microsoft's paper on on/off transitions, and its paper on Windows Embedded Standard 7 for the
services' attributes. The end of PostBoot is found by ten seconds of idle, which are part of
bootDoneViaPostBoot and of PostExplorerPeriod and no part of the boot.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from resume_rig.model.os_record import Component, ComponentKind, Figure, OsRecord, SleepKind
from resume_rig.oslog.source.elements import snake_case
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import figures_of, trace_record
from resume_rig.oslog.xperf.components import ComponentDraft, ComponentList, name_or_blank
from resume_rig.oslog.xperf.time_unit import XperfTime

IDLE_WAIT_MS: Final = 10_000
"""How long the PC has to be idle in all until the boot counts as done."""

_END_TOLERANCE_MS: Final = 1_000
_POST_BOOT: Final = "PostExplorerPeriod"
_IGNORED_PHASE: Final = "TraceTail"  # what was traced after the boot was done
_DISK_VALUES: Final = ("readBytes", "writeBytes", "readOps", "writeOps")
_FIGURE_LIMIT: Final = 200
_NAMES: Final = ("friendlyname", "name", "instancepath", "description", "id")


class _Timed(NamedTuple):
    """A length that the summary gives; None where it says that there was no end yet."""

    duration_ms: float | None


class BootPart:
    """Takes the elements below `boot`."""

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
            bios_end_to_idle_ms=_sum_ms(loader_ms, boot_ms),
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
            trace_record(
                self._source, SleepKind.BOOT, components, (*figures, *self._figures[:_FIGURE_LIMIT])
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
            ComponentDraft(
                kind=ComponentKind.APPLICATION,
                name=name,
                phase=f"{self._interval} (processor time)",
                duration_ms=self._time.ms(attributes.get("time")),
                detail=f"{share} % of the phase" if share else "",
            ).done()
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
            ComponentDraft(
                kind=ComponentKind.SERVICE,
                name=name_or_blank(attributes.get("name", "")),
                phase=f"{transition} services",
                duration_ms=timed.duration_ms,
                start_ms=self._time.ms(attributes.get("startedat")),
                detail=attributes.get("container", ""),
                group=attributes.get("group", "").strip(),
            ).done()
        )

    def _take_policy(self, attributes: Mapping[str, str]) -> None:
        if not any(attributes.get(key) for key in _NAMES):
            return  # a node that only holds others
        timed = self._length_ms(attributes, "duration", "starttime", "endtime")
        if timed is None:
            self._untimed["group policies"] += 1
        else:
            self._add(ComponentKind.APPLICATION, "group policy", attributes, timed)

    def _length_ms(
        self, attributes: Mapping[str, str], whole: str, start: str, end: str
    ) -> "_Timed | None":
        """Return how long something took, as given or from begin to end; None where nobody says.

        A -1 says that it had not ended; what is only missing says nothing, and is no such thing.
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
            ComponentDraft(
                kind=ComponentKind.DRIVER if attributes.get("type", "") == "Driver" else kind,
                name=name_or_blank(next((attributes[n] for n in _NAMES if attributes.get(n)), "")),
                phase=phase,
                duration_ms=timed.duration_ms,
                start_ms=self._time.ms(attributes.get("starttime")),
                detail=", ".join(detail for detail in details if detail),
                held_ms=held_ms,
            ).done()
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


def _sum_ms(*parts_ms: float | None) -> float | None:
    known = [part_ms for part_ms in parts_ms if part_ms is not None]
    return sum(known) if len(known) == len(parts_ms) else None
