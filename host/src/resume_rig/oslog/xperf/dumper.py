"""What is taken from `xperf -a dumper`: video initialisation, power IRPs, boot drivers.

By Microsoft's paper on on/off transitions. The first column is the event's type, the second its
time in microseconds since the start of the trace; the block from BeginHeader to EndHeader names
the further columns. System session video: from the end of the first start of csrss.exe to the
start of wininit.exe; user session video: from the second csrss.exe to winlogon.exe.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from resume_rig.model.os_record import (
    BOOT_START_DRIVERS,
    Component,
    ComponentKind,
    SleepKind,
)
from resume_rig.oslog.source.components import ComponentList, name_or_blank
from resume_rig.oslog.source.lines import LogLines, head_text
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import BARE_RECORD, SourceReading, SourceRequest, figures_of
from resume_rig.oslog.xperf.csv_tables import cells_of, column_name

KIND: Final = "xperf-dumper"

_HEAD: Final = re.compile(
    r"^[ \t]*(?:BeginHeader[ \t]*[\r\n]|I-DCStart[ \t]*,[ \t]*[0-9]"
    r"|Microsoft-Windows-Subsys-SMSS/smss:ExecuteImage/(?:Start|Stop)[ \t]*,[ \t]*[0-9]"
    r"|Microsoft-Windows-Kernel-Power/Irp/(?:Start|Stop)[ \t]*,[ \t]*[0-9])",
    re.MULTILINE,
)
_WANTED: Final = re.compile(
    r"[ \t]*(?:BeginHeader|EndHeader|OS Version|I-DCStart|Microsoft-Windows-Kernel-Power/Irp/"
    r"|Microsoft-Windows-Subsys-SMSS/smss:ExecuteImage/)"
)
_OS_VERSION: Final = re.compile(r"[ \t]*OS Version:[ \t]*[0-9]{1,3}\.[0-9]{1,3}\.([0-9]{1,6})")
_IMAGE: Final = re.compile(r"[\\/\"]?((?:csrss|wininit|winlogon)\.exe)\b", re.IGNORECASE)
_OPEN_IRPS_LIMIT: Final = 10_000
_IRP_EVENTS: Final = (
    "Microsoft-Windows-Kernel-Power/Irp/Start",
    "Microsoft-Windows-Kernel-Power/Irp/Stop",
)
_IRP_CHARS: Final = 64
_BOOT_DRIVERS_LIMIT: Final = 2_000  # assumed; a PC has some hundreds
_DRIVER_CHARS: Final = 64
_VIDEO: Final = (
    ("system session video", 1, "wininit.exe"),
    ("user session video", 2, "winlogon.exe"),
)


def is_xperf_dumper(head: bytes) -> bool:
    """Whether a file that begins so is a raw dump of xperf, or what findstr took out of one."""
    return _HEAD.search(head_text(head)) is not None


def read_xperf_dumper(request: SourceRequest) -> SourceReading:
    """Return one record of what the dump times.

    Raises:
        OSError: the file cannot be read.
    """
    tally = ProblemTally()
    dump = _Dump()
    for line in LogLines(request.path, tally):
        if _WANTED.match(line) is not None:
            dump.take(line)
    components = dump.finish().finish(tally)
    if not components:
        tally.report(
            "The dump holds no start of the session's processes and no power IRP that can be"
            " timed, so it shows nothing.",
            damage=False,
        )
    kind = SleepKind.BOOT if dump.is_boot else SleepKind.UNKNOWN
    drivers = ", ".join(dump.boot_drivers)
    if dump.boot_drivers_left_out:
        tally.report(
            f"The dump names more than {_BOOT_DRIVERS_LIMIT} drivers that were loaded when the"
            f" trace began; {dump.boot_drivers_left_out} lines of others were left out.",
            damage=True,
        )
    figures = figures_of(boot_start_drivers=float(len(dump.boot_drivers)) or None)
    record = replace(
        BARE_RECORD, source=request.source, kind=kind, components=components, figures=figures
    )
    records = (record,) if components or figures else ()
    return request.answer(
        records,
        KIND,
        tally.integrity(),
        count=len(records),
        os_build=dump.os_build,
        identity=((BOOT_START_DRIVERS, drivers),) if drivers else (),
        from_description=True,
    )


class _Dump:
    """Takes the lines that matter."""

    def __init__(self) -> None:
        self.os_build: int | None = None
        self.boot_drivers: dict[str, None] = {}
        self.boot_drivers_left_out = 0
        self._columns: dict[str, list[str]] = {}
        self._in_header = False
        self._components = ComponentList()
        self._csrss_ends: list[float] = []
        self._starts: dict[str, list[float]] = {}
        self._open_irps: dict[str, tuple[float, str]] = {}

    @property
    def is_boot(self) -> bool:
        """Whether session processes start in it: only a boot does that."""
        return bool(self._csrss_ends or self._starts)

    def take(self, line: str) -> None:
        text = line.strip()
        if text in {"BeginHeader", "EndHeader"}:
            self._in_header = text == "BeginHeader"
            return
        if (version := _OS_VERSION.match(line)) is not None:
            self.os_build = int(version[1]) or None
            return
        cells = cells_of(text)
        if self._in_header:
            if cells and cells[0] in _IRP_EVENTS:
                self._columns[cells[0]] = [column_name(cell) for cell in cells]
        elif len(cells) > 1 and cells[1].isascii() and cells[1].isdecimal():
            self._take_event(cells, int(cells[1][:18]) / 1_000)

    def finish(self) -> ComponentList:
        for name, number, follower in _VIDEO:
            if len(self._csrss_ends) < number:
                continue
            end_ms = self._csrss_ends[number - 1]
            later = [start for start in self._starts.get(follower, ()) if start >= end_ms]
            if later:
                self._components.add(
                    Component(ComponentKind.PHASE, name, "SMSSInit", min(later) - end_ms, end_ms)
                )
        return self._components

    def _take_event(self, cells: Sequence[str], at_ms: float) -> None:
        event = cells[0]
        if event == "I-DCStart":
            self._take_driver(cells)
        elif event in _IRP_EVENTS:
            self._take_irp(cells, at_ms)
        else:
            self._take_image(event, cells, at_ms)

    def _take_driver(self, cells: Sequence[str]) -> None:
        """Take a driver that was loaded when the trace began; in a boot's, the loader did that."""
        path = next(
            (c.strip('" ') for c in cells[2:] if c.strip('" ').lower().endswith(".sys")), ""
        )
        name = path.replace("/", "\\").rpartition("\\")[2].lower()[:_DRIVER_CHARS]
        if not name or name in self.boot_drivers:
            return
        if len(self.boot_drivers) < _BOOT_DRIVERS_LIMIT:
            self.boot_drivers[name] = None
        else:
            self.boot_drivers_left_out += 1

    def _take_image(self, event: str, cells: Sequence[str], at_ms: float) -> None:
        found = (_IMAGE.search(cell) for cell in cells[3:])  # the third one is smss.exe itself
        image = next((match[1].lower() for match in found if match is not None), None)
        if image is None:
            return
        if image == "csrss.exe" and event.endswith("/Stop"):
            if len(self._csrss_ends) < 2:
                self._csrss_ends.append(at_ms)
        elif image != "csrss.exe" and event.endswith("/Start"):
            starts = self._starts.setdefault(image, [])
            if len(starts) < 16:
                starts.append(at_ms)

    def _take_irp(self, cells: Sequence[str], at_ms: float) -> None:
        columns = self._columns.get(cells[0], [])
        irp = _cell(cells, columns, "irp")[:_IRP_CHARS]
        if not irp:
            return
        if cells[0].endswith("/Start"):
            if len(self._open_irps) < _OPEN_IRPS_LIMIT:
                instance = _cell(cells, columns, "instancename") or _cell(cells, columns, "driver")
                self._open_irps[irp] = (at_ms, name_or_blank(instance))
        elif irp in self._open_irps:
            start_ms, instance = self._open_irps.pop(irp)
            self._components.add(
                Component(
                    kind=ComponentKind.DEVICE,
                    name=instance,
                    phase="power IRP",
                    duration_ms=max(0.0, at_ms - start_ms),
                    start_ms=start_ms,
                )
            )


def _cell(cells: Sequence[str], columns: Sequence[str], name: str) -> str:
    index = columns.index(name) if name in columns else len(cells)
    return cells[index].strip('"') if index < len(cells) else ""
