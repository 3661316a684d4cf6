"""Kernel logs (dmesg, journalctl, syslog, pm-graph's) to cycles, one message after another."""

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Final, assert_never

from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.linux.cycle import ACPI_KINDS, COMPONENT_LIMIT, CycleDraft, Half
from resume_rig.oslog.linux.kernel_events import (
    FROM_KERNEL,
    FRONT_LIMIT_CHARS,
    Aborted,
    Boot,
    Calling,
    DeviceFailed,
    DeviceTook,
    Entry,
    Exit,
    Hanging,
    Image,
    KernelEvent,
    KernelLine,
    Machine,
    NotDeepest,
    NotRestored,
    Phase,
    Reached,
    Restoring,
    Returned,
    Thawing,
    Woke,
    export_lines,
    is_journal_export,
    is_journal_json,
    is_strange,
    json_lines,
    kernel_event,
    parse_kernel_line,
)
from resume_rig.oslog.linux.suspend_trace import PmGraphHeader, is_pm_graph
from resume_rig.oslog.source.lines import KERNEL, LogLines, head_lines
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import SourceReading, SourceRequest

_OPEN_CALLS_LIMIT: Final = 4096
_TEXT_LINES_LIMIT: Final = 20_000

Note = (
    Reached | Aborted | DeviceFailed | DeviceTook | Hanging | NotDeepest | Image | Entry | Machine
)
"""Events that add to the cycle and do not move it on."""


class KernelCycles:
    """Keeps the cycle that is being read; hands over each that has come to its end."""

    def __init__(self, hand_over: Callable[[CycleDraft], None], *, keep_text: bool) -> None:
        self._hand_over = hand_over
        self._keep_text = keep_text
        self._cycle: CycleDraft | None = None
        self._half = Half.SUSPEND
        self._thawing = False
        self._restarting = False
        self._booted = False
        self._last_us: int | None = None
        self._phase_us: int | None = None
        self._all_suspended = False
        self._calls: dict[str, tuple[int | None, str]] = {}
        self._devices: list[tuple[str, Returned, int | None, str]] = []
        self._last_message = ""
        self._now_us: int | None = None
        self.kernel = ""
        self.machine = ""

    def follow(self, line: KernelLine, event: KernelEvent | None) -> None:
        """Take the next line, and what it reports of a sleep."""
        if isinstance(event, Entry):
            self._begin(event, line)
        elif isinstance(event, Restoring):
            self._restore(line)
        cycle = self._cycle
        if cycle is None:
            self._outside(event)
            return
        if self._keep_text and event is not None and len(cycle.texts) < _TEXT_LINES_LIMIT:
            cycle.texts.append(line.message)
        self._now_us = line.stamp_us
        if line.stamp_us is not None and self._half is Half.RESUME and cycle.awake:
            self._listen(cycle, line.message, line.stamp_us)
        if event is not None:
            self._inside(cycle, event, line)
        if line.stamp_us is not None:
            self._last_us = line.stamp_us
        self._last_message = line.message

    def _listen(self, cycle: CycleDraft, message: str, stamp_us: int) -> None:
        """Keep the longest silence between two messages of the resume."""
        silent_us = 0 if self._last_us is None else stamp_us - self._last_us
        if silent_us > cycle.gap[0]:
            cycle.gap = silent_us, self._last_message, message

    def boot(self) -> None:
        """Note that another boot's messages follow."""
        if self._cycle is None:
            return
        if self._cycle.kind is SleepKind.S4 and not self._booted:
            self._booted = True  # the kernel that reads the image; the old one may yet go on
            return
        self._cycle.died = not self._thawing
        self.finish()

    def finish(self) -> None:
        """Hand over the cycle that is still open; the log ends here."""
        cycle = self._cycle
        if cycle is None:
            return
        if self._booted and self._half is Half.SUSPEND:
            cycle.died = True
        self._place_devices("", self._half)
        self._cycle = None
        self._hand_over(cycle)

    def _begin(self, entry: Entry, line: KernelLine) -> None:
        cycle = self._cycle
        if cycle is not None and not entry.certain and not self._thawing:
            if entry.kind is not SleepKind.UNKNOWN:
                cycle.kind = entry.kind
            return
        self.finish()
        self._open(CycleDraft(entry.kind, sleep_utc_ns=line.utc_ns, computer=line.host), line)

    def _restore(self, line: KernelLine) -> None:
        """Go on with the hibernation whose image is found, or begin one that the log lacks."""
        cycle = self._cycle
        if cycle is None or not (cycle.restoring or (self._booted and cycle.kind is SleepKind.S4)):
            self.finish()
            self._open(CycleDraft(SleepKind.S4, computer=line.host), line)
        if self._cycle is not None:
            self._cycle.restoring = True

    def _open(self, cycle: CycleDraft, line: KernelLine) -> None:
        self._cycle = cycle
        self._half, self._thawing, self._restarting, self._booted = (
            Half.SUSPEND,
            False,
            False,
            False,
        )
        self._calls, self._devices, self._all_suspended = {}, [], False
        self._last_us = self._phase_us = line.stamp_us
        if line.stamp_us is not None and not cycle.restoring:
            cycle.starts_us[Half.SUSPEND] = line.stamp_us

    def _outside(self, event: KernelEvent | None) -> None:
        if isinstance(event, Boot):
            self.kernel = event.version
        elif isinstance(event, Machine):
            self.machine = event.text

    def _inside(self, cycle: CycleDraft, event: KernelEvent, line: KernelLine) -> None:
        match event:
            case Phase():
                self._phase(cycle, event, line)
            case Calling():
                if self._all_suspended:  # s2idle: nothing else shows that the devices wake
                    self._woke(cycle, Woke(slept=True), line.stamp_us)
                if len(self._calls) < _OPEN_CALLS_LIMIT:
                    self._calls[event.device] = (line.stamp_us, event.detail)
            case Returned():
                self._returned(cycle, event, line)
            case Woke():
                self._woke(cycle, event, line.stamp_us)
            case Thawing():
                self._thaw(cycle, event, line)
            case Exit():
                self._end(cycle, line)
                self.finish()
            case Boot():
                self.kernel = event.version
                self.boot()
            case Restoring():
                pass
            case NotRestored():
                self._not_restored(cycle, event)
            case _:
                self._note(cycle, event)

    def _not_restored(self, cycle: CycleDraft, event: NotRestored) -> None:
        """Take why an image was given up; the first reason is the cause, a culprit before all."""
        if not cycle.restoring:
            return
        cycle.not_restored = True
        cycle.give_reason(event.reason, culprit=event.cause)
        if event.cause:
            cycle.note(f"{event.reason}.")
        if event.final:
            self.finish()

    def _note(self, cycle: CycleDraft, event: Note) -> None:
        match event:
            case Reached():
                cycle.kind = ACPI_KINDS.get(event.state, cycle.kind)
            case Aborted():
                # s2idle ends in these words too, once all devices are suspended.
                woke = event.wakeup and cycle.kind is SleepKind.S2IDLE and self._all_suspended
                cycle.aborted = cycle.aborted or not woke
                cycle.give_reason(event.reason, culprit=event.culprit)
            case DeviceFailed():
                self._device_failed(cycle, event)
            case DeviceTook():
                # Its classes (scsi_device, scsi_disk) report the device again, which is in them.
                if cycle.is_reported(event.device, event.phase):
                    return
                cycle.add_device(
                    *(event.device, event.phase, event.half),
                    duration_us=event.duration_us,
                    start_us=None if self._now_us is None else self._now_us - event.duration_us,
                    detail=event.driver,
                )
            case Hanging():
                if cycle.aborted:
                    cycle.give_reason(f"{event.task} did not freeze", culprit=True)
            case NotDeepest():
                cycle.not_deepest = True
                cycle.note(f"The deepest idle state was not reached: {event.reason}.")
            case Image():
                _note_image(cycle, event)
            case Entry() | Machine():
                pass
            case _:
                assert_never(event)

    def _device_failed(self, cycle: CycleDraft, event: DeviceFailed) -> None:
        if cycle.restoring or self._half is Half.SUSPEND:
            cycle.give_reason(event.reason, culprit=True)
            return
        cycle.note(f"{event.reason}.")
        if event.device not in cycle.failed_names:  # initcall_debug counted it already
            cycle.failed_devices += 1

    def _phase(self, cycle: CycleDraft, phase: Phase, line: KernelLine) -> None:
        start_us = None if line.stamp_us is None else line.stamp_us - phase.duration_us
        if phase.half is Half.RESUME:
            if not cycle.aborted and phase.name.startswith(("noirq", "resume", "restore")):
                self._woke(cycle, Woke(slept=True), start_us)
            self._enter_resume(cycle, start_us)
            _begin_no_later(cycle, start_us)
        else:
            self._phase_us = line.stamp_us
            self._all_suspended = phase.name == "noirq suspend devices" and not phase.aborted
        if phase.aborted:
            cycle.aborted = True
            cycle.give_reason(f"{phase.name} aborted")
        if not (phase.total and cycle.has_phase(phase.name)):
            detail = "aborted" if phase.aborted else ""
            cycle.add_phase(phase.name, phase.half, phase.duration_us, start_us, detail)
        if phase.devices:
            self._place_devices(phase.name, phase.half)

    def _returned(self, cycle: CycleDraft, event: Returned, line: KernelLine) -> None:
        started_us, detail = self._calls.pop(event.device, (None, ""))
        if started_us is None and line.stamp_us is not None:
            started_us = line.stamp_us - event.duration_us
        if event.error:
            cycle.failed_devices += 1
            cycle.failed_names.add(event.device)
            detail = f"{detail}, error {event.error}".removeprefix(", ")
        if len(self._devices) < _TEXT_LINES_LIMIT:
            self._devices.append((event.device, event, started_us, detail))
        else:
            cycle.left_out += 1

    def _place_devices(self, phase: str, half: Half) -> None:
        """The line that ends a phase comes after those of its devices."""
        if self._cycle is not None:
            for device, event, started_us, detail in self._devices:
                self._cycle.add_device(
                    *(device, phase, half),
                    duration_us=event.duration_us,
                    start_us=started_us,
                    detail=detail,
                )
        self._devices = []

    def _woke(self, cycle: CycleDraft, event: Woke, stamp_us: int | None) -> None:
        cycle.slept = cycle.slept or event.proof or (event.slept and not cycle.aborted)
        if event.asleep_us:
            cycle.asleep_us = (cycle.asleep_us or 0) + event.asleep_us
        if event.reason:
            cycle.give_reason(event.reason)
        self._enter_resume(cycle, stamp_us)

    def _enter_resume(self, cycle: CycleDraft, stamp_us: int | None) -> None:
        if self._half is Half.RESUME:
            return
        self._place_devices("", Half.SUSPEND)
        self._half = Half.RESUME
        cycle.awake = True
        self._all_suspended = False
        last_us = self._last_us
        if last_us is not None and stamp_us is not None and last_us > stamp_us:
            last_us = self._phase_us  # what came after it was woken already
        if last_us is not None:
            cycle.ends_us[Half.SUSPEND] = last_us
        if stamp_us is not None:
            cycle.starts_us[Half.RESUME] = stamp_us

    def _thaw(self, cycle: CycleDraft, event: Thawing, line: KernelLine) -> None:
        if event.done and not self._restarting and line.message.startswith("done."):
            return  # the end of some other line that another message had cut in two
        self._thawing = True
        self._restarting = True
        if event.done:
            self._end(cycle, line)

    def _end(self, cycle: CycleDraft, line: KernelLine) -> None:
        cycle.ended = True
        cycle.wake_utc_ns = line.utc_ns
        if line.stamp_us is not None and self._half is Half.RESUME:
            cycle.ends_us[Half.RESUME] = line.stamp_us


def _begin_no_later(cycle: CycleDraft, start_us: int | None) -> None:
    """The first phase of the resume began before its first device did."""
    begun_us, slept_us = cycle.starts_us.get(Half.RESUME), cycle.ends_us.get(Half.SUSPEND)
    if start_us is None or begun_us is None or slept_us is None:
        return
    if slept_us <= start_us < begun_us:
        cycle.starts_us[Half.RESUME] = start_us


def _note_image(cycle: CycleDraft, image: Image) -> None:
    if image.name == "write":
        cycle.hiber_write_ms = image.value
    elif image.name == "read":
        cycle.hiber_read_ms = image.value
    else:
        cycle.hiber_pages = image.value


KIND: Final = "linux-kernel-log"
_STRANGE: Final = "kernel's lines about sleep"

_JOURNAL_BOOT: Final = ("-- Boot ", "-- Reboot")
_HEAD_LINES: Final = 3


def is_kernel_log(head: bytes) -> bool:
    """Whether a file that begins so is a kernel log."""
    lines = head_lines(head)
    if is_journal_export(lines) or is_journal_json(lines):
        return True
    content = [line for line in lines if not line.startswith(("#", "-- "))]
    if not content:
        return bool(lines) and is_pm_graph(lines[0])
    parsed = [(line, found) for line in content if (found := parse_kernel_line(line)) is not None]
    return len(parsed) * 2 > len(content) and any(_is_the_kernels(*each) for each in parsed)


def _is_the_kernels(line: str, found: KernelLine) -> bool:
    """Other programs write a time in brackets too, but not this one, or not of this."""
    return (
        found.stamp_us is not None
        or FROM_KERNEL.search(line[:FRONT_LIMIT_CHARS]) is not None
        or kernel_event(found.message) is not None
    )


def read_kernel_log(request: SourceRequest) -> SourceReading:
    """Return the cycles of a kernel log.

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
            event = kernel_event(line.message)
            if event is None and is_strange(line.message):
                self._tally.not_understood(_STRANGE, line.message)
            self._kernel_cycles.follow(line, event)
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
            elif line.strip() and not line.startswith("-- "):
                self._other_lines += line[0] not in " \t"
                bare = line.lstrip("> \t")  # quoted or indented, as people paste it
                if is_strange(bare.partition("] ")[2] or bare):
                    self._tally.not_understood(_STRANGE, line)

    def _take(self, cycle: CycleDraft) -> None:
        if self._header.tests:
            cycle.firmware = self._header.firmware
        if cycle.reported_kind is SleepKind.UNKNOWN and not cycle.ended:
            self._cut += 1
        self._left_out += cycle.left_out
        self.records.append(cycle.record(self._request.source))

    def _report_problems(self) -> None:
        self._tally.report_count(
            "Sleeps whose end is not in the log: {}, so whether they were woken from is unknown.",
            self._cut,
            damage=True,
        )
        if self._left_out:
            self._tally.report(
                f"Device times beyond {COMPONENT_LIMIT} of one sleep were left out:"
                f" {self._left_out}.",
                damage=True,
            )
        self._tally.report_count(
            "Lines that are no kernel messages were passed over: {}.",
            self._other_lines,
            damage=False,
        )
