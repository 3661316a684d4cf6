"""One sleep as Linux reports it, while its lines are read.

The kernel's clock stands still in S3 and S4, and may do so in s2idle. So a cycle has two halves,
each with a start of its own, and nothing is timed across the gap between them.
"""

from dataclasses import dataclass, field, replace
from enum import Enum, unique
from typing import Final

from resume_rig.model.os_record import (
    KINDS,
    NO_WAKE_SOURCE,
    Component,
    ComponentKind,
    Ending,
    Figure,
    OsRecord,
    SleepKind,
)
from resume_rig.oslog.linux.firmware import FirmwareTimes
from resume_rig.oslog.source.records import BARE_RECORD, TEXT_LIMIT_CHARS

COMPONENT_LIMIT: Final = 20_000
"""Components of one cycle; a PC has some hundreds of device callbacks."""

ACPI_KINDS: Final = {1: SleepKind.S1, 2: SleepKind.S1, 3: SleepKind.S3, 4: SleepKind.S4}
"""Sleep states of ACPI by their number."""

GAP_US: Final = 1_000_000
"""A longer silence in a resume is named. Assumed: requirements allow 1 to 2 s for all of it."""

NOTES_MOST: Final = 8
NOTE_CHARS: Final = 300
_NAME_LIMIT_CHARS: Final = 200
_QUOTED_CHARS: Final = 100
_US_PER_MS: Final = 1_000


@unique
class Half(Enum):
    """Before or after the sleep; the value is the parent of the phases in it."""

    SUSPEND = "suspend"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class _Part:
    """A component with the kernel's own time of its beginning."""

    kind: ComponentKind
    name: str
    phase: str
    half: Half
    duration_us: int
    start_us: int | None
    detail: str


@dataclass(slots=True)
class CycleDraft:
    """What was read of a cycle; stamps are the kernel's own clock.

    Attributes:
        kind: what kind of sleep was asked for.
        slept: a line reports that it was reached.
        awake: a line comes from after the sleep.
        aborted: a line reports that it was given up.
        ended: the end of the resume was reported. died: a boot followed instead.
        restoring: a new kernel reads its image. not_restored: it gave that up, and is a boot.
        notes: what is odd about it, each one sentence.
        gap: the longest silence of the kernel in its resume: microseconds, the messages around it.
        starts_us, ends_us: of the halves.
        reason: what woke it or stopped it, in the kernel's words.
        failed_devices: callbacks that returned an error. failed_names: of their devices.
        asleep_us: how long the clock stood still, by the RTC.
    """

    kind: SleepKind = SleepKind.UNKNOWN
    slept: bool = False
    awake: bool = False
    aborted: bool = False
    ended: bool = False
    died: bool = False
    restoring: bool = False
    not_restored: bool = False
    computer: str = ""
    notes: list[str] = field(default_factory=list)
    gap: tuple[int, str, str] = (0, "", "")
    not_deepest: bool = False
    sleep_utc_ns: int | None = None
    wake_utc_ns: int | None = None
    starts_us: dict[Half, int] = field(default_factory=dict)
    ends_us: dict[Half, int] = field(default_factory=dict)
    reason: str = ""
    failed_devices: int = 0
    failed_names: set[str] = field(default_factory=set)
    asleep_us: int | None = None
    hiber_read_ms: int | None = None
    hiber_write_ms: int | None = None
    hiber_pages: int | None = None
    firmware: FirmwareTimes = field(default_factory=FirmwareTimes)
    texts: list[str] = field(default_factory=list)
    left_out: int = 0
    _parts: list[_Part] = field(default_factory=list)
    _culprit: bool = False
    _reported: set[tuple[str, str]] = field(default_factory=set)

    def add_phase(
        self, name: str, half: Half, duration_us: int, start_us: int | None, detail: str = ""
    ) -> None:
        """Note a phase of the suspend or of the resume."""
        self._add(_Part(ComponentKind.PHASE, name, half.value, half, duration_us, start_us, detail))

    def add_device(
        self,
        name: str,
        phase: str,
        half: Half,
        *,
        duration_us: int,
        start_us: int | None,
        detail: str,
    ) -> None:
        """Note one callback of a device's driver."""
        self._add(_Part(ComponentKind.DEVICE, name, phase, half, duration_us, start_us, detail))

    def is_reported(self, device: str, phase: str) -> bool:
        """Return whether a device was asked about in a phase before; from now on it is."""
        known = (device, phase) in self._reported
        self._reported.add((device, phase))
        return known

    def has_phase(self, name: str) -> bool:
        """Return whether a phase was noted."""
        return any(p.kind is ComponentKind.PHASE and p.name == name for p in self._parts)

    def give_reason(self, reason: str, *, culprit: bool = False) -> None:
        """Keep the first reason that is reported, and before it the first that names a culprit."""
        if culprit and not self._culprit:
            self.reason, self._culprit = reason, True
        self.reason = self.reason or reason

    def note(self, sentence: str) -> None:
        """Keep what is odd about it, each thing once."""
        if len(self.notes) < NOTES_MOST and sentence not in self.notes:
            self.notes.append(sentence[:NOTE_CHARS])

    def _add(self, part: _Part) -> None:
        if len(self._parts) < COMPONENT_LIMIT:
            self._parts.append(part)
        else:
            self.left_out += 1

    @property
    def reported_kind(self) -> SleepKind:
        """The kind as it came out; UNKNOWN where the log does not hold the end."""
        if self.not_restored:
            return SleepKind.S4
        if self.died:
            return SleepKind.DIED
        if self.aborted and not self.slept:
            return SleepKind.ABORTED
        if (self.slept and self.awake) or (
            self.ended and (self.awake or self.kind is SleepKind.S2IDLE)
        ):
            return self.kind  # without debug messages, s2idle writes nothing but entry and exit
        return SleepKind.UNKNOWN

    def record(self, source: int) -> OsRecord:
        """Return the OS record; what only Windows reports is None."""
        totals = [total for half in Half if (total := self._total(half)) is not None]
        return replace(
            BARE_RECORD,
            source=source,
            record_id=None,
            kind=self.reported_kind,
            sleep_time_utc_ns=self.sleep_utc_ns,
            wake_time_utc_ns=self.wake_utc_ns,
            firmware_resume_ms=self.firmware.resume_ms,
            hiber_read_ms=self.hiber_read_ms,
            hiber_write_ms=self.hiber_write_ms,
            hiber_pages=self.hiber_pages,
            target_state=self._entered_state,
            effective_state=self._entered_state,
            wake_source=replace(NO_WAKE_SOURCE, text=self.reason[:TEXT_LIMIT_CHARS]),
            components=(*totals, *(self._component(part) for part in self._parts)),
            figures=self._figures(),
            text="\n".join(self.texts),
            computer=self.computer,
            ended=self._ending,
            notes=self._all_notes(),
        )

    @property
    def _ending(self) -> Ending | None:
        if self.not_restored:
            return Ending.BECAME_BOOT
        is_cut = self.reported_kind is SleepKind.UNKNOWN and not self.ended
        return Ending.OPEN if is_cut else None

    def _all_notes(self) -> tuple[str, ...]:
        found = list(self.notes)
        if self.not_restored:
            found = [f"Linux did not resume from its image: {self.reason}.", *found]
        gap_us, before, after = self.gap
        if gap_us >= GAP_US:
            gap = f"{gap_us / 1_000_000:.1f} s pass in its resume between"
            found.append(f"{gap} {before[:_QUOTED_CHARS]!r} and {after[:_QUOTED_CHARS]!r}.")
        return tuple(found)

    @property
    def _entered_state(self) -> int | None:
        """What was entered, as Windows numbers it, where the kind that came out does not say it."""
        if self.reported_kind is not SleepKind.DIED:
            return None
        states = (
            target for (target, end), kind in KINDS.items() if (kind, target) == (self.kind, end)
        )
        return next(states, None)

    def _length_us(self, half: Half) -> int | None:
        start_us, end_us = self.starts_us.get(half), self.ends_us.get(half)
        if start_us is None or end_us is None or end_us < start_us:
            return None
        return end_us - start_us

    def _total(self, half: Half) -> Component | None:
        length_us = self._length_us(half)
        if length_us is None:
            return None
        return Component(ComponentKind.PHASE, half.value, "", length_us / _US_PER_MS, 0.0)

    def _component(self, part: _Part) -> Component:
        base_us, start_ms = self.starts_us.get(part.half), None
        if base_us is not None and part.start_us is not None and part.start_us >= base_us:
            start_ms = (part.start_us - base_us) / _US_PER_MS
        return Component(
            kind=part.kind,
            name=part.name[:_NAME_LIMIT_CHARS],
            phase=part.phase,
            duration_ms=part.duration_us / _US_PER_MS,
            start_ms=start_ms,
            detail=part.detail[:_NAME_LIMIT_CHARS],
        )

    def _figures(self) -> tuple[Figure, ...]:
        suspend_us, resume_us = self._length_us(Half.SUSPEND), self._length_us(Half.RESUME)
        found = [
            ("kernel_suspend_ms", None if suspend_us is None else suspend_us / _US_PER_MS),
            ("kernel_resume_ms", None if resume_us is None else resume_us / _US_PER_MS),
            ("asleep_ms", None if self.asleep_us is None else self.asleep_us / _US_PER_MS),
            ("failed_devices", self.failed_devices or None),
            ("longest_gap_ms", self.gap[0] / _US_PER_MS if self.gap[0] >= GAP_US else None),
            ("deepest_state_missed", 1 if self.not_deepest else None),
            *self.firmware.figures(),
        ]
        return tuple(Figure(name, float(value)) for name, value in found if value is not None)
