"""What systemd reports of a boot: the output of `systemd-analyze` and `systemd-analyze blame`.

`Startup finished in 5.721s (firmware) + 2.946s (loader) + 1.250s (kernel) + 12.029s (userspace)
= 21.948s`, then when the default target was reached, then one unit a line with its time to start.
Each number is rounded by itself, so the printed sum counts. A boot has a time of day where the
line is the journal's (`journalctl _PID=1 -g "Startup finished in" -o short-iso-precise`).
"""

import re
from dataclasses import replace
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    MAIN_PATH,
    Component,
    ComponentKind,
    OsRecord,
    SleepKind,
)
from resume_rig.model.units import NS_PER_MS
from resume_rig.oslog.source.components import ComponentList, name_or_blank
from resume_rig.oslog.source.lines import LogLines, head_lines
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import (
    BARE_RECORD,
    SourceReading,
    SourceRequest,
    figures_of,
    parse_utc_ns,
)

KIND: Final = "linux-systemd-analyze"

_SPAN: Final = r"(?:[0-9]{1,3}h )?(?:[0-9]{1,3}min ?)?(?:[0-9]{1,6}(?:\.[0-9]{1,9})?(?:ms|us|s))?"
_FINISHED: Final = re.compile(
    r"\s*(?:([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2}))"
    r" \S{1,64} systemd\[1\]: )?Startup finished in "
)
_LINE_CHARS: Final = 400
_OF_OS: Final = ("kernel", "initrd", "userspace")
_PART: Final = re.compile(rf"({_SPAN}) \(([a-z]{{1,12}})\)")
_TOTAL: Final = re.compile(rf"=\s*({_SPAN})\.?\s*$")
_TARGET: Final = re.compile(rf"\s*(\S{{1,200}}\.target) reached after ({_SPAN}) in userspace")
_UNIT: Final = re.compile(rf"\s*({_SPAN}) (\S{{1,260}}\.[a-z]{{3,9}})\s*$")
_PIECES: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(h|min|ms|us|s)")
_UNITS_MS: Final = {"h": 3_600_000.0, "min": 60_000.0, "s": 1_000.0, "ms": 1.0, "us": 1e-3}
_RECORDS_LIMIT: Final = 10_000


def is_systemd_analyze(head: bytes) -> bool:
    """Whether a file that begins so is what systemd-analyze prints of a boot."""
    lines = [line for line in head_lines(head) if line.strip()][:1]
    return any(
        (_FINISHED.match(line) and _parts_of(line)) or _unit_of(line) is not None for line in lines
    )


def read_systemd_analyze(request: SourceRequest) -> SourceReading:
    """Return a boot for each output in the file.

    Raises:
        OSError: the file cannot be read.
    """
    tally = ProblemTally()
    boots = _Boots(request.source, tally)
    for line in LogLines(request.path, tally):
        boots.take(line)
    records = boots.finish()
    return request.answer(records, KIND, tally.integrity(), count=len(records))


class _Boots:
    """Takes lines; the output of each boot begins with its sum, or with a unit where none is."""

    def __init__(self, source: int, tally: ProblemTally) -> None:
        self._source = source
        self._tally = tally
        self._records: list[OsRecord] = []
        self._parts = ComponentList()
        self._phases: dict[str, float] = {}
        self._done_ns: int | None = None
        self._total_ms: float | None = None
        self._target_ms: float | None = None
        self._begun = False
        self._other = 0

    def take(self, line: str) -> None:
        finished = _FINISHED.match(line)
        if finished is not None and _parts_of(line):
            self._close()
            self._begun = True
            self._done_ns = _utc_ns(finished[1])
            self._take_sum(line)
        elif self._begun and self._total_ms is None and line.lstrip().startswith("+ "):
            self._take_sum(line)  # a sum that was wrapped
        elif (target := _TARGET.match(line)) is not None:
            self._target_ms = _ms(target[2])
        elif (unit := _unit_of(line)) is not None:
            self._begun = True
            self._parts.add(unit)
        elif line.strip():
            self._other += 1

    def _take_sum(self, line: str) -> None:
        self._total_ms = _ms(found[1]) if (found := _TOTAL.search(line)) else None
        for name, duration_ms in _parts_of(line):
            self._phases[name] = duration_ms
            self._parts.add(Component(ComponentKind.PHASE, name, "", duration_ms))

    def finish(self) -> list[OsRecord]:
        self._close()
        self._tally.report_count(
            "Lines that are no times of a boot were passed over: {}.", self._other, damage=False
        )
        return self._records

    def _close(self) -> None:
        if self._begun and len(self._records) < _RECORDS_LIMIT:
            self._records.append(self._record())
        self._parts, self._begun, self._phases = ComponentList(), False, {}
        self._total_ms = self._target_ms = None

    def _record(self) -> OsRecord:
        loader_ms, kernel_ms = self._phases.get("firmware"), self._phases.get("loader")
        os_ms = sum(self._phases.get(name, 0.0) for name in _OF_OS)
        if os_ms and self._done_ns is not None:
            self._parts.add(Component(ComponentKind.PHASE, MAIN_PATH, "", os_ms))
        figures = figures_of(
            transition_ms=self._total_ms,
            target_reached_ms=self._target_ms,
            start_os_image_ms=loader_ms,
            exit_boot_services_exit_ms=None
            if loader_ms is None or kernel_ms is None
            else loader_ms + kernel_ms,
        )
        done_ns = self._done_ns
        return replace(
            BARE_RECORD,
            source=self._source,
            kind=SleepKind.BOOT,
            sleep_time_utc_ns=None if done_ns is None else done_ns - round(os_ms * NS_PER_MS),
            wake_time_utc_ns=done_ns,
            written_utc_ns=done_ns,
            components=self._parts.finish(self._tally),
            figures=figures,
        )


def _utc_ns(text: str | None) -> int | None:
    try:
        return None if text is None else parse_utc_ns(text)
    except RecordError:
        return None


def _parts_of(line: str) -> list[tuple[str, float]]:
    """Return the phases in a line of the sum that a boot's output begins with."""
    parts = ((part[2], _ms(part[1])) for part in _PART.finditer(line[:_LINE_CHARS]))
    return [(name, duration_ms) for name, duration_ms in parts if duration_ms is not None]


def _unit_of(line: str) -> Component | None:
    found = _UNIT.match(line)
    duration_ms = None if found is None else _ms(found[1])
    if found is None or duration_ms is None:
        return None
    device = found[2].endswith(".device")
    kind = ComponentKind.DEVICE if device else ComponentKind.SERVICE
    phase = "device initialization" if device else "start services"
    return Component(kind, name_or_blank(found[2]), phase, duration_ms)


def _ms(span: str) -> float | None:
    """Return a span as systemd prints it, `1min 16.528s`; None where there is nothing in it."""
    pieces = _PIECES.findall(span)
    whole = sum(float(value) * _UNITS_MS[unit] for value, unit in pieces)
    return round(whole, 6) if pieces else None
