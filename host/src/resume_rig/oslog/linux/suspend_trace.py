"""Suspend traces: ftrace's text with the events power:suspend_resume and device_pm_callback_*.

pm-graph's sleepgraph writes header lines before a test's kernel log or trace; `PmGraphHeader` reads
them for both.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.linux.cycle import ACPI_KINDS, COMPONENT_LIMIT, CycleDraft, Half
from resume_rig.oslog.linux.firmware import FirmwareTimes, sane_resume_ns, sane_suspend_ns
from resume_rig.oslog.source.lines import KERNEL, LogLines, head_lines
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import SourceReading, SourceRequest

_VALUE_LIMIT_CHARS: Final = 200
_TEST: Final = re.compile(r"# [a-z]{1,16}-[0-9]{6}-[0-9]{6} (\S{1,64}) (\S{1,32}) (\S{1,80})$")
_FIRMWARE: Final = re.compile(r"# fwsuspend ([0-9]{1,20}) fwresume ([0-9]{1,20})")
_PLATFORM: Final = re.compile(r"# platform-([A-Za-z0-9_,]{1,40}): (.{1,400})")
_HOW: Final = re.compile(r"# (command|kparams) \| (.{1,4000})")
_HOW_NAMES: Final = {"command": "test_command", "kparams": "kernel_parameters"}
_MODE_KINDS: Final[Mapping[str, SleepKind]] = {
    "mem": SleepKind.S3,
    "freeze": SleepKind.S2IDLE,
    "standby": SleepKind.S1,
    "disk": SleepKind.S4,
}
_SYSTEM: Final[Mapping[str, str]] = {
    "man": "system_manufacturer",
    "plat": "system_product",
    "cpu": "processor",
    "bios": "bios_version",
    "biosdate": "bios_date",
    "os": "os",
}


def is_pm_graph(line: str) -> bool:
    """Whether a line is the first of a test."""
    return _TEST.match(line) is not None


class PmGraphHeader:
    """Collects what the header lines of a test hold: DUT, kind of sleep, the firmware's times."""

    def __init__(self, tally: ProblemTally) -> None:
        self._tally = tally
        self._reported: set[str] = set()
        self.identity: dict[str, str] = {}
        self.kind = SleepKind.UNKNOWN
        self.firmware = FirmwareTimes()
        self.tests = 0

    def read(self, line: str) -> bool:
        """Take one line that begins with #; return whether it begins another test."""
        test = _TEST.match(line)
        if test is not None:
            self.tests += 1
            self.kind = _MODE_KINDS.get(test[2].partition("-")[0], SleepKind.UNKNOWN)
            self.firmware = FirmwareTimes()
            self._note("kernel", test[3])
            return True
        firmware = _FIRMWARE.match(line)
        if firmware is not None:
            self._read_firmware(int(firmware[1]), int(firmware[2]))
        elif line.startswith("# sysinfo"):
            for item in line.split("|")[1:]:
                name, _, value = item.strip().partition(":")
                self._note(_SYSTEM.get(name, ""), value)
        elif (how := _HOW.match(line)) is not None:
            self._note(_HOW_NAMES[how[1]], how[2])
        elif (platform := _PLATFORM.match(line)) is not None:
            self._note(f"platform_{platform[1]}", platform[2])
        return False

    def _read_firmware(self, suspend_ns: int, resume_ns: int) -> None:
        suspend, why_suspend = sane_suspend_ns(suspend_ns)
        resume, why_resume = sane_resume_ns(resume_ns)
        self.firmware = FirmwareTimes(suspend, resume)
        for sentence in (why_suspend, why_resume):
            if sentence and sentence not in self._reported:
                self._reported.add(sentence)
                self._tally.report(sentence, damage=False)

    def _note(self, name: str, value: str) -> None:
        if name and value.strip() and len(self.identity) < 100:
            self.identity.setdefault(name, value.strip()[:_VALUE_LIMIT_CHARS])


_FRONT_LIMIT_CHARS: Final = 256
_LINE_LIMIT_CHARS: Final = 4096

# TASK-PID, a thread group in some formats, CPU, up to six flags, seconds, the event's name. The
# task's name may hold blanks and hyphens, so the search begins at the hyphen before the PID.
_EVENT: Final = re.compile(
    r"-([0-9]{1,10}) {1,32}(?:\([ 0-9-]{1,16}\) {1,8})?\[[0-9]{1,6}\] {1,8}(?:[^ ]{1,8} {1,8})?"
    r"([0-9]{1,10})\.([0-9]{6})[0-9]{0,3}: ([A-Za-z_][A-Za-z0-9_]{0,63}): "
)
_SUSPEND_RESUME: Final = re.compile(r"([A-Za-z_][\w ]{0,60})\[([0-9]{1,10})\] (begin|end)")
_CALLBACK_START: Final = re.compile(
    r"(\S{0,60}) (.{1,120}?), parent: (.{0,120}?), (.{0,80}?)\[([a-z ]{1,20})\]"
)
_CALLBACK_END: Final = re.compile(r"(\S{0,60}) (.{1,120}?), err=(-?[0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class TraceLine:
    """Any event.

    Attributes:
        thread: its number.
        stamp_us: the trace's clock in microseconds; it stands still in a sleep.
        event: its name. payload: what follows it.
    """

    thread: int
    stamp_us: int
    event: str
    payload: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the suspend or the resume begins or ends."""

    name: str
    value: int
    begins: bool


@dataclass(frozen=True, slots=True)
class CallbackStart:
    """A device's callback begins."""

    driver: str
    device: str
    parent: str
    callback: str


@dataclass(frozen=True, slots=True)
class CallbackEnd:
    """A device's callback ended."""

    driver: str
    device: str
    error: int


def parse_trace_line(line: str) -> TraceLine | None:
    """Return the event of a line; None where it has none."""
    match = _EVENT.search(line[:_FRONT_LIMIT_CHARS])
    if match is None:
        return None
    stamp_us = int(match[2]) * 1_000_000 + int(match[3])
    payload = line[match.end() : _LINE_LIMIT_CHARS]
    return TraceLine(int(match[1]), stamp_us, match[4], payload)


def step_of(payload: str) -> Step | None:
    """Return the step of a suspend_resume event."""
    match = _SUSPEND_RESUME.match(payload)
    return None if match is None else Step(match[1], int(match[2]), match[3] == "begin")


def callback_start_of(payload: str) -> CallbackStart | None:
    """Return the callback of a device_pm_callback_start event; a device may have no driver."""
    match = _CALLBACK_START.match(payload)
    if match is None:
        return None
    return CallbackStart(match[1], match[2], match[3], f"{match[4]}[{match[5]}]")


def callback_end_of(payload: str) -> CallbackEnd | None:
    """Return the callback of a device_pm_callback_end event."""
    match = _CALLBACK_END.match(payload)
    return None if match is None else CallbackEnd(match[1], match[2], int(match[3]))


KIND: Final = "linux-suspend-trace"

_OPEN_LIMIT: Final = 4096
_TEXT_LINES_LIMIT: Final = 20_000
_GAP: Final = "machine_suspend"
_FIRST: Final = "suspend_enter"
_LAST: Final = "thaw_processes"
_BEFORE_FIRST: Final = frozenset({_FIRST, "sync_filesystems", "freeze_processes", "dpm_prepare"})
_AWAKE: Final = ("dpm_resume", "dpm_complete", _LAST)
_NEVER_TIMED: Final = frozenset({_GAP, "acpi_suspend", _FIRST})
# suspend_state_t of linux/suspend.h; 4 is PM_EVENT_HIBERNATE.
_KINDS: Final[Mapping[int, SleepKind]] = {
    1: SleepKind.S2IDLE,
    2: SleepKind.S1,
    3: SleepKind.S3,
    4: SleepKind.S4,
}
_PHASES: Final[Mapping[str, str]] = {
    "dpm_prepare": "prepare devices",
    "dpm_suspend": "suspend devices",
    "dpm_suspend_late": "late suspend devices",
    "dpm_suspend_noirq": "noirq suspend devices",
    "dpm_resume_noirq": "noirq resume devices",
    "dpm_resume_early": "early resume devices",
    "dpm_resume": "resume devices",
    "dpm_complete": "complete devices",
    "sync_filesystems": "sync filesystems",
    "freeze_processes": "freeze processes",
    "thaw_processes": "thaw processes",
}


def is_suspend_trace(head: bytes) -> bool:
    """Whether a file that begins so is a trace of ftrace."""
    lines = head_lines(head)
    if any(line.startswith("# tracer: ") for line in lines):
        return True
    content = [line for line in lines if not line.startswith("#")]
    return bool(content) and sum(parse_trace_line(line) is not None for line in content) * 2 > len(
        content
    )


def read_suspend_trace(request: SourceRequest) -> SourceReading:
    """Return the cycles of a trace.

    Raises:
        RecordError: it is a gzip archive that expands beyond measure.
    """
    tally = ProblemTally()
    trace_cycles = _TraceCycles(request, PmGraphHeader(tally))
    events = 0
    for line in LogLines(request.path, tally, KERNEL):
        if line.startswith("#"):
            trace_cycles.header_line(line)
        elif (event := parse_trace_line(line)) is not None:
            events += 1
            trace_cycles.follow(event, line)
        elif line.startswith("CPU:") and "LOST" in line:
            trace_cycles.lost += 1
    trace_cycles.finish()
    trace_cycles.report_problems(tally)
    return request.answer(
        trace_cycles.records,
        KIND,
        tally.integrity(),
        count=events,
        identity=tuple(trace_cycles.header.identity.items()),
    )


class _TraceCycles:
    """Keeps the cycle that is being read, its open steps and its open callbacks."""

    def __init__(self, request: SourceRequest, header: PmGraphHeader) -> None:
        self.header = header
        self.records: list[OsRecord] = []
        self.lost = 0
        self._request = request
        self._cycle: CycleDraft | None = None
        self._half = Half.SUSPEND
        self._thawed = False
        self._last_us = 0
        self._steps: dict[tuple[str, int], int] = {}
        self._phase = ""
        self._callbacks: dict[tuple[int, str, str], tuple[int, CallbackStart, str]] = {}
        self._unclosed = 0
        self._cut = 0
        self._left_out = 0

    def header_line(self, line: str) -> None:
        """Take a comment; another test's header ends the one before."""
        if self.header.read(line):
            self.finish()

    def follow(self, line: TraceLine, text: str) -> None:
        """Take the next event."""
        step = step_of(line.payload) if line.event == "suspend_resume" else None
        marked = line.event in ("tracing_mark_write", "print")
        if (marked and line.payload.startswith("SUSPEND START")) or (
            step is not None and step.begins and self._opens(step)
        ):
            self._begin()
        cycle = self._cycle
        if cycle is None:
            return
        if self._request.keep_text and len(cycle.texts) < _TEXT_LINES_LIMIT:
            cycle.texts.append(text)
        if step is not None:
            self._step(cycle, step, line.stamp_us)
        elif line.event == "device_pm_callback_start":
            self._callback_start(line)
        elif line.event == "device_pm_callback_end":
            self._callback_end(cycle, line)
        elif marked and line.payload.startswith("RESUME COMPLETE"):
            cycle.ended = True
            self.finish()
        self._last_us = line.stamp_us

    def finish(self) -> None:
        """Hand over the cycle that is being read."""
        cycle, self._cycle = self._cycle, None
        if cycle is None:
            return
        self._unclosed += len(self._callbacks)
        if self.header.tests:
            cycle.firmware = self.header.firmware
            if cycle.kind is SleepKind.UNKNOWN:
                cycle.kind = self.header.kind
        self._cut += cycle.reported_kind is SleepKind.UNKNOWN and not cycle.ended
        self._left_out += cycle.left_out
        self.records.append(cycle.record(self._request.source))

    def report_problems(self, tally: ProblemTally) -> None:
        """Note what was missing."""
        for count, sentence in (
            (self._cut, "Sleeps whose end is not in the trace: {}."),
            (self._unclosed, "Device callbacks whose end is not in the trace: {}."),
            (self.lost, "Places where the trace reports lost events: {}."),
            (
                self._left_out,
                f"Parts beyond {COMPONENT_LIMIT} of one sleep were left out: {{}}.",
            ),
        ):
            if count:
                tally.report(sentence.format(count), damage=True)

    def _opens(self, step: Step) -> bool:
        if self._cycle is None:
            return step.name in _BEFORE_FIRST
        return self._thawed and step.name in _BEFORE_FIRST

    def _begin(self) -> None:
        self.finish()
        self._cycle = CycleDraft()
        self._half, self._thawed, self._phase = Half.SUSPEND, False, ""
        self._steps, self._callbacks = {}, {}

    def _step(self, cycle: CycleDraft, step: Step, stamp_us: int) -> None:
        if step.begins:
            self._step_begins(cycle, step, stamp_us)
            return
        begun_us = self._steps.pop((step.name, step.value), None)
        if step.name == _GAP:
            self._half = Half.RESUME
            cycle.starts_us[Half.RESUME] = stamp_us
            cycle.slept, cycle.awake, cycle.aborted = True, True, False
        phase = _PHASES.get(step.name, f"{step.name}[{step.value}]")
        if begun_us is not None and step.name not in _NEVER_TIMED and stamp_us >= begun_us:
            cycle.add_phase(phase, self._half, stamp_us - begun_us, begun_us)
        if phase == self._phase:
            self._phase = ""
        if step.name == _LAST:
            self._thawed = True
            cycle.ended = True
            cycle.ends_us[Half.RESUME] = stamp_us

    def _step_begins(self, cycle: CycleDraft, step: Step, stamp_us: int) -> None:
        cycle.starts_us.setdefault(Half.SUSPEND, stamp_us)
        if len(self._steps) < _OPEN_LIMIT:
            self._steps[step.name, step.value] = stamp_us
        if step.name.startswith("dpm_"):
            self._phase = _PHASES.get(step.name, step.name)
        if self._half is Half.SUSPEND and step.name.startswith(_AWAKE):
            self._half = Half.RESUME  # without a gap: the sleep was given up
            cycle.aborted = True
            cycle.starts_us[Half.RESUME] = stamp_us
        if step.name == _GAP:
            cycle.ends_us.setdefault(Half.SUSPEND, stamp_us)  # s2idle may go there many times
            cycle.kind = _KINDS.get(step.value, cycle.kind)
        elif step.name == "acpi_suspend":
            cycle.kind = ACPI_KINDS.get(step.value, cycle.kind)

    def _callback_start(self, line: TraceLine) -> None:
        start = callback_start_of(line.payload)
        if start is not None and len(self._callbacks) < _OPEN_LIMIT:
            key = (line.thread, start.driver, start.device)
            self._callbacks[key] = (line.stamp_us, start, self._phase)

    def _callback_end(self, cycle: CycleDraft, line: TraceLine) -> None:
        end = callback_end_of(line.payload)
        if end is None:
            return
        begun = self._callbacks.pop((line.thread, end.driver, end.device), None)
        if begun is None or line.stamp_us < begun[0]:
            self._unclosed += 1
            return
        begun_us, start, phase = begun
        detail = f"{start.driver}, parent {start.parent}, {start.callback}".removeprefix(", ")
        if end.error:
            cycle.failed_devices += 1
            detail = f"{detail}, error {end.error}"
            if self._half is Half.SUSPEND:
                cycle.give_reason(f"{start.device}: {start.callback}, error {end.error}")
        cycle.add_device(
            *(start.device, phase, self._half),
            duration_us=line.stamp_us - begun_us,
            start_us=begun_us,
            detail=detail,
        )
