"""Kernel logs: dmesg, journalctl, syslog, and the kernel log of a pm-graph test."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.linux.cycle import COMPONENT_LIMIT, CycleDraft
from resume_rig.oslog.linux.kernel_cycles import KernelCycles
from resume_rig.oslog.linux.kernel_events import kernel_event
from resume_rig.oslog.linux.kernel_lines import (
    FROM_KERNEL,
    FRONT_LIMIT_CHARS,
    KernelLine,
    export_lines,
    is_journal_export,
    is_journal_json,
    json_lines,
    parse_kernel_line,
)
from resume_rig.oslog.linux.pm_graph import PmGraphHeader, is_pm_graph
from resume_rig.oslog.source.lines import KERNEL, LogLines, head_lines
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest

KIND: Final = "linux-kernel-log"

_JOURNAL_BOOT: Final = ("-- Boot ", "-- Reboot")
_HEAD_LINES: Final = 3


def is_kernel_log(head: bytes) -> bool:
    """Whether a file that begins so is a kernel log."""
    lines = head_lines(head)
    if is_journal_export(lines) or is_journal_json(lines):
        return True
    told = [line for line in lines if not line.startswith(("#", "-- "))]
    if not told:
        return bool(lines) and is_pm_graph(lines[0])
    known = [(line, found) for line in told if (found := parse_kernel_line(line)) is not None]
    return len(known) * 2 > len(told) and any(_is_the_kernels(*each) for each in known)


def _is_the_kernels(line: str, found: KernelLine) -> bool:
    """Other programs write a time in brackets too, but not this one, or not of this."""
    return (
        found.stamp_us is not None
        or FROM_KERNEL.search(line[:FRONT_LIMIT_CHARS]) is not None
        or kernel_event(found.message) is not None
    )


def read_kernel_log(request: SourceRequest) -> SourceReading:
    """Return the cycles that a kernel log tells of.

    Raises:
        RecordError: it is a gzip archive that expands beyond measure.
    """
    tally = ProblemTally()
    reader = _KernelLogReader(request, tally)
    reader.read()
    return request.answer(
        reader.records, KIND, tally.integrity(), count=reader.lines, identity=reader.identity()
    )


class _KernelLogReader:
    def __init__(self, request: SourceRequest, tally: ProblemTally) -> None:
        self._request = request
        self._tally = tally
        self._header = PmGraphHeader(tally)
        self._kernel_cycles = KernelCycles(self._take, keep_text=request.keep_text)
        self._other_lines = 0
        self._cut = 0
        self._left_out = 0
        self.lines = 0
        self.records: list[OsRecord] = []

    def read(self) -> None:
        lines = iter(LogLines(self._request.path, self._tally, KERNEL))
        for line in self._kernel_lines(lines):
            self.lines += 1
            self._kernel_cycles.follow(line, kernel_event(line.message))
        self._kernel_cycles.finish()
        self._report_problems()

    def identity(self) -> tuple[tuple[str, str], ...]:
        found = dict(self._header.identity)
        if self._kernel_cycles.kernel:
            found.setdefault("kernel", self._kernel_cycles.kernel)
        if self._kernel_cycles.machine:
            machine, _, bios = self._kernel_cycles.machine.partition(", BIOS ")
            found.setdefault("system_product", machine)
            if bios:
                found.setdefault("bios_version", bios)
        return tuple(found.items())

    def _kernel_lines(self, lines: Iterator[str]) -> Iterator[KernelLine]:
        first = list(islice(lines, _HEAD_LINES))
        if is_journal_export(first):
            yield from export_lines(chain(first, lines), self._tally)
        elif is_journal_json(first):
            yield from json_lines(chain(first, lines), self._tally)
        else:
            yield from self._text_lines(chain(first, lines))

    def _text_lines(self, lines: Iterator[str]) -> Iterator[KernelLine]:
        for line in lines:
            if line.startswith("#"):
                if self._header.read(line):
                    self._kernel_cycles.finish()
            elif line.startswith(_JOURNAL_BOOT):
                self._kernel_cycles.boot()
            elif (found := parse_kernel_line(line)) is not None:
                yield found
            elif line.strip() and line[0] not in " \t" and not line.startswith("-- "):
                self._other_lines += 1

    def _take(self, cycle: CycleDraft) -> None:
        if self._header.tests:
            cycle.firmware = self._header.firmware
        if cycle.reported_kind is SleepKind.UNKNOWN and not cycle.ended:
            self._cut += 1
        self._left_out += cycle.left_out
        self.records.append(cycle.record(self._request.source))

    def _report_problems(self) -> None:
        if self._cut:
            self._tally.report(
                f"Sleeps whose end is not in the log: {self._cut}, so whether they were"
                " woken from is unknown.",
                damage=True,
            )
        if self._left_out:
            self._tally.report(
                f"Device times beyond {COMPONENT_LIMIT} of one sleep were left out:"
                f" {self._left_out}.",
                damage=True,
            )
        if self._other_lines:
            self._tally.report(
                f"Lines that are no kernel messages were passed over: {self._other_lines}.",
                damage=False,
            )
