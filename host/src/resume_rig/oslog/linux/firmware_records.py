"""The values of ACPI's FPDT to OS records: one of a boot, one of the last S3 resume.

They have no time of day and no number. A boot is told from the reset of the CPU to the end of
ExitBootServices. The last resume is a cycle that happened, so it is a record of kind S3, with the
firmware's own time and nothing else.
"""

from typing import Final

from resume_rig.model.component import Component, ComponentKind, Figure
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.linux.firmware_time import (
    LONGEST_NS,
    NS_PER_MS,
    FirmwareTimes,
    sane_resume_ns,
    sane_suspend_ns,
)
from resume_rig.oslog.problems import ProblemTally
from resume_rig.oslog.trace_record import trace_record

FirmwareValues = dict[str, int]
"""Values by name; times in ns: firmware_start (of Linux) or reset end, load, launch, exit_start,
exit_end; resume_count, resume, resume_average; suspend_start, suspend_end."""

_BOOT_ORDER: Final = ("firmware_start", "load", "launch", "exit_start", "exit_end")
_BOOT_PHASES: Final = (
    ("firmware until the loader is read", "firmware_start", "load"),
    ("reading the loader", "load", "launch"),
    ("loader until ExitBootServices", "launch", "exit_start"),
    ("ExitBootServices", "exit_start", "exit_end"),
)


class FirmwareAccount:
    """Collects values; `records` makes what they allow."""

    def __init__(self, tally: ProblemTally) -> None:
        self._tally = tally
        self._values: FirmwareValues = {}

    @property
    def told(self) -> bool:
        """Whether there is any value."""
        return bool(self._values)

    def take(self, values: FirmwareValues) -> None:
        """Add values; the first of a name counts."""
        for name, value in values.items():
            self._values.setdefault(name, value)

    def records(self, source: int) -> tuple[OsRecord, ...]:
        """Return the boot and the last S3 resume, as far as they are told."""
        found = [self._boot(source), self._resume(source)]
        return tuple(record for record in found if record is not None)

    def _boot(self, source: int) -> OsRecord | None:
        times = {name: self._values[name] for name in _BOOT_ORDER if self._values.get(name)}
        if not times:
            return None
        known = [times[name] for name in _BOOT_ORDER if name in times]
        if max(known) > LONGEST_NS:
            self._tell("A boot time is longer than 10 minutes; the boot counts as not reported.")
            times = {}
        elif known != sorted(known):
            self._tell("The boot times are out of order; the boot counts as not reported.")
            times = {}
        phases = tuple(
            Component(
                ComponentKind.PHASE,
                name,
                "",
                (times[end] - times[start]) / NS_PER_MS,
                times[start] / NS_PER_MS,
            )
            for name, start, end in _BOOT_PHASES
            if start in times and end in times
        )
        figures = tuple(Figure(f"{name}_ms", value / NS_PER_MS) for name, value in times.items())
        return trace_record(source, SleepKind.BOOT, phases, figures)

    def _resume(self, source: int) -> OsRecord | None:
        values = self._values
        if not values.get("resume_count"):
            return None
        times = FirmwareTimes(
            self._sane(sane_suspend_ns(self._suspend_ns())),
            self._sane(sane_resume_ns(values.get("resume", 0))),
        )
        average_ns = self._sane(sane_resume_ns(values.get("resume_average", 0)))
        figures = [Figure(name, value) for name, value in times.figures() if value is not None]
        if average_ns is not None:
            figures.append(Figure("firmware_resume_average_ms", average_ns / NS_PER_MS))
        return trace_record(
            *(source, SleepKind.S3, (), tuple(figures)),
            firmware_resume_ms=times.resume_ms,
            firmware_resume_count=values["resume_count"],
        )

    def _suspend_ns(self) -> int:
        start_ns, end_ns = self._values.get("suspend_start"), self._values.get("suspend_end")
        if start_ns is None or end_ns is None:
            return 0
        if end_ns < start_ns:
            self._tell("The suspend ends before it starts and counts as not reported.")
            return 0
        return end_ns - start_ns

    def _sane(self, judged: tuple[int | None, str]) -> int | None:
        value_ns, why_not = judged
        if why_not:
            self._tell(why_not)
        return value_ns

    def _tell(self, sentence: str) -> None:
        self._tally.tell(sentence, damage=False)
