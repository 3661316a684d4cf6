"""XML summaries of xperf: `-a suspend`, `-a boot` and `-a shutdown`, by their description.

No sample of a real one is public: Microsoft's papers describe them and show pieces. What they do
not describe is passed over, and a summary without anything that they do is reported.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.source.elements import scan_elements
from resume_rig.oslog.source.lines import head_text
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import SourceReading, SourceRequest
from resume_rig.oslog.xperf.phases import BootPart, ShutdownPart, SuspendPart
from resume_rig.oslog.xperf.times import XperfTime

_ROOT: Final = re.compile(r"<results[\s>]", re.IGNORECASE)
_SIGNS: Final = re.compile(
    r"timeFormat|<(?:boot|shutdown|suspend|scenario|suspendapps|resumedevices)[\s/>]",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"<(?:suspendapps|suspenddevices|resumedevices|serviceTransition)[\s/>]|bootDoneViaExplorer"
    r"|servicesShutdownDuration|autoStartDuration",
    re.IGNORECASE,
)
_SUSPEND_NODES: Final = frozenset(
    {"scenario", "suspendapps", "suspendservices", "querydevices", "suspenddevices"}
    | {"resumedevices", "resumeservices", "resumeapps"}
)
_BOOT_NODES: Final = frozenset({"services", "servicetransition", "grouppolicy", "pnp"})


class _Part(Protocol):
    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self) -> None: ...

    def finish(self) -> list[OsRecord]: ...


# What each kind of summary is made of, and the unit of the papers' examples.
_PARTS: Final[Mapping[str, tuple[Callable[[int, XperfTime, ProblemTally], _Part], str]]] = {
    "suspend": (SuspendPart, "usec"),
    "boot": (BootPart, "msec"),
    "shutdown": (ShutdownPart, "msec"),
}


def is_xperf_xml(head: bytes) -> bool:
    """Whether a file that begins so is an XML summary of xperf."""
    text = head_text(head)
    if not text.startswith("<"):
        return False
    root = _ROOT.search(text)
    return _BARE.search(text) is not None or (
        root is not None and _SIGNS.search(text, root.start()) is not None
    )


def read_xperf_xml(request: SourceRequest) -> SourceReading:
    """Return the records of an XML summary of xperf.

    Raises:
        RecordError: it declares a document type or an entity.
    """
    tally = ProblemTally()
    summary = _Summary(request.source, tally)
    scan_elements(request.path, summary, tally)
    records = summary.finish()
    if not records:
        tally.report(
            "The summary holds no boot, shutdown or suspend that is understood, so it shows"
            " nothing.",
            damage=False,
        )
    return request.answer(
        records, summary.kind, tally.integrity(), count=len(records), from_description=True
    )


class _Summary:
    """Hands the elements of each part to its reader."""

    def __init__(self, source: int, tally: ProblemTally) -> None:
        self.kind = "xperf"
        self._source = source
        self._tally = tally
        self._records: list[OsRecord] = []
        self._unit: str | None = None
        self._time: XperfTime | None = None
        self._part: _Part | None = None
        self._level = 0
        self._part_level = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = name.lower()
        self._level += 1
        if "timeformat" in attributes:
            self._name_unit(attributes["timeformat"])
        if self._part is not None:
            self._part.start(name, attributes)
        elif tag in _PARTS:
            self._open(tag, self._level)
        elif tag in _SUSPEND_NODES:  # a summary without a suspend node around them
            self._open("suspend", 0).start(name, attributes)
        elif tag == "timing":
            kind = "shutdown" if "shutdowntime" in attributes else "boot"
            self._open(kind, 0).start(name, attributes)
        elif tag in _BOOT_NODES:  # an excerpt: a boot's services alone
            self._open("boot", 0).start(name, attributes)

    def end(self, name: str, text: str) -> None:
        if text and name.lower() == "timeformat":
            self._name_unit(text)
        if self._part is not None:
            if self._level == self._part_level:
                self._close()
            else:
                self._part.end()
        self._level -= 1

    def finish(self) -> list[OsRecord]:
        self._close()
        return self._records

    def _name_unit(self, unit: str) -> None:
        self._unit = unit
        if self._time is not None:
            self._time.name_unit(unit)

    def _open(self, tag: str, level: int) -> _Part:
        make, assumed = _PARTS[tag]
        self._time = XperfTime(self._tally, assumed)
        if self._unit is not None:
            self._time.name_unit(self._unit)
        self._part = make(self._source, self._time, self._tally)
        self._part_level = level
        if self.kind == "xperf":
            self.kind = f"xperf-{tag}"
        return self._part

    def _close(self) -> None:
        if self._part is None or self._time is None:
            return
        self._records += self._part.finish()
        self._time.finish()
        self._part = self._time = None
