"""Kernel logs: dmesg, journalctl, syslog, and the kernel log of a pm-graph test."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from resume_rig.model.os_record import LogSource, OsRecord, SleepKind
from resume_rig.oslog.linux.cycle_draft import COMPONENT_LIMIT, CycleDraft
from resume_rig.oslog.linux.journal_lines import (
    export_lines,
    is_journal_export,
    is_journal_json,
    json_lines,
)
from resume_rig.oslog.linux.kernel_events import kernel_event
from resume_rig.oslog.linux.kernel_lines import (
    FROM_KERNEL,
    FRONT_LIMIT_CHARS,
    KernelLine,
    parse_kernel_line,
)
from resume_rig.oslog.linux.kernel_story import KernelStory
from resume_rig.oslog.linux.pm_graph import PmGraphHeader, is_pm_graph
from resume_rig.oslog.log_text import KERNEL, LogLines, head_lines
from resume_rig.oslog.problems import ProblemTally
from resume_rig.oslog.source_reading import SourceReading, SourceRequest

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
    source = LogSource(
        path=str(request.path),
        kind=KIND,
        os_build=None,
        records=reader.lines,
        integrity=tally.integrity(),
        identity=reader.identity(),
    )
    return SourceReading(source, tuple(reader.records))


class _KernelLogReader:
    def __init__(self, request: SourceRequest, tally: ProblemTally) -> None:
        self._request = request
        self._tally = tally
        self._header = PmGraphHeader(tally)
        self._story = KernelStory(self._take, keep_text=request.keep_text)
        self._other_lines = 0
        self._cut = 0
        self._left_out = 0
        self.lines = 0
        self.records: list[OsRecord] = []

    def read(self) -> None:
        lines = iter(LogLines(self._request.path, self._tally, KERNEL))
        for line in self._kernel_lines(lines):
            self.lines += 1
            self._story.tell(line, kernel_event(line.message))
        self._story.finish()
        self._tell_problems()

    def identity(self) -> tuple[tuple[str, str], ...]:
        found = dict(self._header.identity)
        if self._story.kernel:
            found.setdefault("kernel", self._story.kernel)
        if self._story.machine:
            machine, _, bios = self._story.machine.partition(", BIOS ")
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
                    self._story.finish()
            elif line.startswith(_JOURNAL_BOOT):
                self._story.boot()
            elif (found := parse_kernel_line(line)) is not None:
                yield found
            elif line.strip() and line[0] not in " \t" and not line.startswith("-- "):
                self._other_lines += 1

    def _take(self, cycle: CycleDraft) -> None:
        if self._header.tests:
            cycle.firmware = self._header.firmware
        if cycle.told_kind is SleepKind.UNKNOWN and not cycle.ended:
            self._cut += 1
        self._left_out += cycle.left_out
        self.records.append(cycle.record(self._request.source))

    def _tell_problems(self) -> None:
        if self._cut:
            self._tally.tell(
                f"Sleeps of which the log does not tell the end: {self._cut}, so whether they were"
                " woken from is unknown.",
                damage=True,
            )
        if self._left_out:
            self._tally.tell(
                f"Device times beyond {COMPONENT_LIMIT} of one sleep were left out:"
                f" {self._left_out}.",
                damage=True,
            )
        if self._other_lines:
            self._tally.tell(
                f"Lines that are no kernel messages were passed over: {self._other_lines}.",
                damage=False,
            )
