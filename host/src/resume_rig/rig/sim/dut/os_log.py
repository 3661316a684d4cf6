"""The event log of a simulated DUT, its OS's clock, and its firmware's table.

Order of one S3 cycle: 566, 42, [asleep] 107, Kernel-General 1, 131, 130, 566, 566 and, some time
after the end of the wake, Power-Troubleshooter 1. 107 carries a stale time, as the clock is set
after it. When the next sleep begins before the record was written, the record holds nothing but
zeros; when Kernel-Power 42 of the next sleep comes first, the record follows that 42. A DUT that
reports Modern Standby writes 506 and 507 instead, and one that is shut down Kernel-General 13.
"""

import os
import tempfile
import weakref
from dataclasses import dataclass, replace
from typing import Final, assert_never

from numpy.random import Generator

from resume_rig.model.dut import DutBehaviour, DutProfile
from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import NS_PER_MS, NS_PER_S, PPB
from resume_rig.rig.sim.dut import os_events
from resume_rig.rig.sim.dut.event import (
    DisplayOff,
    DriversReady,
    OsBooted,
    OsFrozen,
    OsMoment,
    OsResumed,
    PowerLost,
    RecordDue,
    SimFault,
    SleepBegan,
    SleepEntered,
    WakeCause,
    WakeEnded,
)
from resume_rig.rig.sim.dut.os_events import (
    ACTIVE,
    ASLEEP,
    SCREEN_OFF,
    STATES,
    CycleRecord,
    Event,
    event_xml,
)
from resume_rig.rig.sim.dut.states import by_chance

_MAX_OFFSET_NS = 4 * NS_PER_S
_MAX_RATE_PPB = 20_000


class OsClock:
    """OS time [ns since 1970 UTC] as a function of world time [ns].

    The RTC is some seconds off and counts whole seconds. The OS adds half a second to what it
    reads there, so that after a wake it is right to +/-0.5 s against the RTC: real logs show .500
    in every such reading.
    """

    def __init__(self, utc_at_zero_ns: int, random: Generator) -> None:
        self._rtc_at_zero_ns = utc_at_zero_ns + round(random.uniform(-1, 1) * _MAX_OFFSET_NS)
        self._rtc_ppb = round(random.uniform(-1, 1) * _MAX_RATE_PPB)
        self._rate_ppb = round(random.uniform(-1, 1) * _MAX_RATE_PPB)
        self._set_world_ns = 0
        self._set_ns = self._rtc_at_zero_ns
        self._stopped_ns: int | None = None

    def at(self, world_ns: int) -> int:
        """Return OS time at a world time; the one at which it was stopped while it stands."""
        if self._stopped_ns is not None:
            return self._stopped_ns
        return self._set_ns + _scaled(world_ns - self._set_world_ns, self._rate_ppb)

    def stop(self, world_ns: int) -> None:
        """Stand still from here: the OS is frozen."""
        self._stopped_ns = self.at(world_ns)

    def set_from_rtc(self, world_ns: int) -> int:
        """Run again from the reading of the RTC; return that, a whole second and a half."""
        rtc_ns = self._rtc_at_zero_ns + _scaled(world_ns, self._rtc_ppb)
        self._set_ns = rtc_ns // NS_PER_S * NS_PER_S + NS_PER_S // 2
        self._set_world_ns = world_ns
        self._stopped_ns = None
        return self._set_ns

    @property
    def stands(self) -> bool:
        """Return whether the OS is frozen."""
        return self._stopped_ns is not None

    def set_rtc(self, by_ns: int) -> None:
        """Somebody sets the RTC by so much; the OS learns of it when it runs again."""
        self._rtc_at_zero_ns += by_ns

    def step(self, world_ns: int, by_ns: int) -> int:
        """Somebody sets the running clock by so much; return what it shows then."""
        self._set_ns = self.at(world_ns) + by_ns
        self._set_world_ns = world_ns
        return self._set_ns


def _scaled(elapsed_ns: int, rate_ppb: int) -> int:
    return elapsed_ns + elapsed_ns * rate_ppb // PPB


_MOST_MS = 2**63 - 1


class FirmwareTable:
    """Times since a boot; empty when it is made.

    Args:
        extra_ms: by how much BiosInit is above FullResume.
    """

    def __init__(self, extra_ms: int) -> None:
        self._extra_ms = extra_ms
        self._count = 0
        self._full_ms = 0
        self._sum_ms = 0

    def resumed(self, bios_ms: int, errs: DutBehaviour) -> tuple[int, int, int]:
        """Count a resume; return ResumeCount, FullResume and AverageResume as the OS reads them."""
        if errs.resume_count_runs or not self._count:
            full_ms = max(bios_ms - self._extra_ms, 0) * errs.full_resume_factor
            self._full_ms = min(round(full_ms), _MOST_MS)
            self._count += 1
            self._sum_ms += self._full_ms
        average_ms = self._sum_ms * errs.average_factor / self._count
        return self._count, self._full_ms, int(average_ms)


MEMORY_BYTES: Final = 8_000_000
"""Behind so many bytes the text is in a temporary file, which goes with its owner."""

HELD_BYTES: Final = 64_000
"""So many bytes are put behind the others at once."""


class LogText:
    """Bytes that are appended to and read from any offset."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._file = tempfile.SpooledTemporaryFile(memory_bytes)
        weakref.finalize(self, self._file.close)
        self._size_bytes = 0
        self._held: list[bytes] = []
        self._held_bytes = 0

    def __len__(self) -> int:
        return self._size_bytes

    def append(self, data: bytes) -> None:
        """Put bytes behind the others."""
        self._held.append(data)
        self._held_bytes += len(data)
        self._size_bytes += len(data)
        if self._held_bytes > HELD_BYTES:
            self._write()

    def cut(self, keep_bytes: int) -> None:
        """Lose what stands behind the first `keep_bytes`."""
        self._write()
        self._size_bytes = min(self._size_bytes, keep_bytes)
        self._file.truncate(self._size_bytes)

    def part(self, offset: int, count: int | None = None) -> bytes:
        """Return up to `count` bytes from an offset on; None: all."""
        self._write()
        self._file.seek(offset)
        return self._file.read(-1 if count is None else count)

    def _write(self) -> None:
        self._file.seek(0, os.SEEK_END)
        self._file.write(b"".join(self._held))
        self._held, self._held_bytes = [], 0


DUT_LOG_NAME: Final = "/dut/System.xml"
"""What a simulated bench calls this log."""

_UPTIME_NS = 900_000_000_000  # at the start of the bench
_SLP_TYP_TRAP_MS = 2
_STALE_NS = 90_000  # real 107s stand 0.09 ms after the time at which the clock stopped
_CLOCK_SET_NS = 1_000_000  # and Kernel-General 1 some 1 ms after the time that it set
_WAKE_TIME_JITTER_NS = 6_000_000  # WakeTime is RTC reading + WakeDuration to some milliseconds
_PAGES_PER_MS = 400  # of a hibernation image: some 1.6 GB/s
_GAP_SHARE = 0.3  # of records are followed by one or more of no interest here


@dataclass(frozen=True, slots=True)
class _Pending:
    """A record that is not written yet; spoilt_ns: OS time at which the next sleep began."""

    record: CycleRecord
    spoilt_ns: int | None = None


class OsLog:
    """An append-only log of a DUT that has been up for a while; takes moments in time order.

    Attributes:
        faults: misbehaviours; may be exchanged at any time.
        behaviour: how it errs; likewise.
    """

    def __init__(
        self,
        profile: DutProfile,
        clock: OsClock,
        random: Generator,
        faults: frozenset[SimFault],
    ) -> None:
        self.faults = faults
        self.behaviour = profile.behaviour
        self._profile = profile
        self._computer = f"SIM-{profile.name}".upper()
        self._clock = clock
        self._random = random
        self._text = LogText()
        self._record_id = 0
        self._boot_id = 0
        self._pending: _Pending | None = None
        self._booted(-_UPTIME_NS, clean=True)

    @property
    def size_bytes(self) -> int:
        """Length of the fragments."""
        return len(self._text)

    def text_from(self, offset: int, count: int | None = None) -> bytes:
        """Return UTF-8 fragments, one event a line, from a byte offset on, at most `count`."""
        return self._text.part(offset, count)

    def cut(self, keep_bytes: int) -> None:
        """Lose what was written behind the first `keep_bytes`; records go on counting."""
        self._text.cut(keep_bytes)

    def document(self) -> str:
        """Return the whole log as one well-formed document."""
        events = self._text.part(0).decode()
        return f'<?xml version="1.0" encoding="utf-8"?>\n<Events>\n{events}</Events>\n'

    def take(self, moment: OsMoment) -> None:
        """Write what Windows writes at this moment."""
        match moment:
            case SleepBegan():
                self._sleep_began(moment)
            case DisplayOff():
                self._change_session(moment.t_ns, ASLEEP)
            case SleepEntered():
                self._sleep_entered(moment)
            case OsFrozen():
                self._frozen(moment)
            case OsResumed():
                self._resumed(moment)
            case DriversReady():
                self._change_session(moment.t_ns, SCREEN_OFF)
            case WakeEnded():
                self._wake_ended(moment)
            case RecordDue():
                self._write_pending(moment.t_ns)
            case PowerLost():
                self._pending = None
            case OsBooted():
                self._clock.set_from_rtc(moment.t_ns)
                self._booted(moment.t_ns, clean=moment.clean)
            case _:
                assert_never(moment)

    def _booted(self, world_ns: int, clean: bool) -> None:
        self._boot_id += 1
        self._pending = None
        self._firmware = FirmwareTable(self._profile.firmware_extra_ms)
        self._transitions = 0
        self._awake_ns = 0
        self._running_since_ns = world_ns
        self._session = 0
        self._session_type = ACTIVE
        self._session_since_ns = world_ns
        t_ns = self._clock.at(world_ns)
        for event in os_events.boot(t_ns, self._profile.os_build, clean, self._boot_id):
            self._write(event)

    def _sleep_began(self, moment: SleepBegan) -> None:
        self._began_ns = moment.t_ns
        self._began = moment
        self._sleep_ns = self._clock.at(moment.t_ns)
        if self._pending is not None:
            self._pending = replace(self._pending, spoilt_ns=self._sleep_ns)

    def _sleep_entered(self, moment: SleepEntered) -> None:
        t_ns = self._clock.at(moment.t_ns)
        if self._began.kind is SleepKind.BOOT:
            self._write(os_events.shut_down(t_ns))
        elif self._in_standby():
            self._write(os_events.entering_standby(t_ns, self._began.cause))
        else:
            self._transitions += 1
            states, cause = self._states(), self._began.cause
            self._write(os_events.entering_sleep(t_ns, self._transitions, states, cause))
        if self._pending is not None:
            self._pending = replace(self._pending, spoilt_ns=None)
            self._write_pending(moment.t_ns)

    def _in_standby(self) -> bool:
        """Return whether its OS reports Modern Standby: it is in it, or claims to be."""
        kind = self._began.kind
        if self.behaviour.claims is not None and kind is self.behaviour.sleeps:
            kind = self.behaviour.claims
        return kind is SleepKind.MODERN_STANDBY

    def _frozen(self, moment: OsFrozen) -> None:
        if self._in_standby():
            return
        reported_ns = moment.t_ns - self._began_ns - self.behaviour.unreported_suspend_ns
        self._suspend_ms = max(reported_ns, 0) // NS_PER_MS
        self._awake_ns += moment.t_ns - self._running_since_ns
        self._clock.stop(moment.t_ns)

    def _resumed(self, moment: OsResumed) -> None:
        if self._in_standby():
            self._wake = moment
            return
        old_ns = self._clock.at(moment.t_ns)
        new_ns = self._clock.set_from_rtc(moment.t_ns)
        self._running_since_ns = moment.t_ns
        self._wake = moment
        set_ns = new_ns + _CLOCK_SET_NS
        down_ms = self._awake_ns // NS_PER_MS
        self._write(os_events.resumed(old_ns + _STALE_NS, self._states()))
        self._write(os_events.clock_set(set_ns, new_ns, old_ns))
        if self._began.kind in (SleepKind.S4, SleepKind.FAST_STARTUP):
            # A boot to the firmware: its table of S3 resumes starts anew.
            self._firmware = FirmwareTable(self._profile.firmware_extra_ms)
            return
        durations = self._firmware.resumed(self._true_bios_ms(moment), self.behaviour)
        self._write(os_events.firmware_resume(set_ns + 15_000, *durations))
        self._write(
            os_events.firmware_suspend(set_ns + 17_000, down_ms, down_ms + _SLP_TYP_TRAP_MS)
        )

    def _true_bios_ms(self, moment: OsResumed) -> int:
        """Return what the counter shows at the waking vector."""
        counted_ns = moment.bios_ns if self.behaviour.tsc_resets else moment.t_ns + _UPTIME_NS
        return counted_ns // NS_PER_MS

    def _states(self) -> tuple[int, int]:
        """Return the states that the OS claims for the sleep at hand."""
        claimed = self.behaviour.claims
        if claimed is None or self._began.kind is not self.behaviour.sleeps:
            claimed = self._began.kind
        return STATES.get(claimed, STATES[SleepKind.S3])

    def _wake_ended(self, moment: WakeEnded) -> None:
        self._change_session(moment.t_ns, ACTIVE)
        jitter_ns = round(self._random.uniform(-1, 1) * _WAKE_TIME_JITTER_NS)
        missing = by_chance(self.behaviour.record_missing_share, self._random)
        if missing or SimFault.NO_RECORD in self.faults:
            return
        if self._in_standby():
            slept_us = (moment.t_ns - self._began_ns) // 1_000
            latency_us = (moment.t_ns - self._wake.t_ns) // 1_000
            t_ns = self._clock.at(moment.t_ns)
            deep_us = round(slept_us * self.behaviour.standby_deep_share)
            self._write(os_events.left_standby(t_ns, slept_us, deep_us, latency_us))
            return
        wake, image_ms = self._wake, self._began.image_ns // NS_PER_MS
        record = CycleRecord(
            sleep_ns=self._sleep_ns,
            wake_ns=self._clock.at(moment.t_ns) + jitter_ns,
            cause=wake.cause,
            sleep_ms=self._suspend_ms,
            wake_ms=(wake.driver_ns + wake.user_ns) // NS_PER_MS,
            driver_init_ms=wake.driver_ns // NS_PER_MS,
            bios_init_ms=round(self._true_bios_ms(wake) * self.behaviour.bios_factor),
            states=self._states(),
            hiber_write_ms=image_ms,
            hiber_read_ms=wake.image_ns // NS_PER_MS,
            hiber_pages=image_ms * _PAGES_PER_MS,
            source_type=self.behaviour.wake_source_type,
        )
        zero = SimFault.ZERO_RECORD in self.faults
        zero = zero or by_chance(self.behaviour.record_aborted_share, self._random)
        self._pending = _Pending(_zeros(record) if zero else record)
        if by_chance(self.behaviour.clock_step_share, self._random):
            self.step_clock(moment.t_ns, self.behaviour.clock_step_ns)

    def step_clock(self, world_ns: int, by_ns: int) -> None:
        """Set the clock, as time synchronisation does; in its sleep the DUT finds it set."""
        if self._clock.stands:
            self._clock.set_rtc(by_ns)
            return
        old_ns = self._clock.at(world_ns)
        # Windows hands the time that it was given on to the RTC.
        self._clock.set_rtc(by_ns)
        new_ns = self._clock.step(world_ns, by_ns)
        self._write(os_events.clock_set(new_ns, new_ns, old_ns, os_events.REASON_SYNC))

    def _write_pending(self, world_ns: int) -> None:
        if self._pending is None:
            return
        record, spoilt_ns = self._pending.record, self._pending.spoilt_ns
        if spoilt_ns is not None:
            record = replace(_zeros(record), sleep_ns=spoilt_ns)
        if record.cause is WakeCause.DOZE:
            states, slept_ns = STATES[SleepKind.S4], self._sleep_ns
            record = replace(
                _zeros(record), states=states, sleep_ns=slept_ns, wake_ns=slept_ns, source_type=None
            )
        t_ns = self._clock.at(world_ns)
        event = os_events.cycle_record(t_ns, self._profile.os_build, record)
        self._write(event)
        if by_chance(self.behaviour.record_doubled_share, self._random):
            self._write(event)
        self._pending = None

    def _change_session(self, world_ns: int, kind: int) -> None:
        self._write(
            os_events.session(
                self._clock.at(world_ns),
                self._boot_id,
                self._session,
                (self._session_type, kind),
                (world_ns - self._session_since_ns) // 1_000,
            )
        )
        self._session += 1
        self._session_type = kind
        self._session_since_ns = world_ns

    def _write(self, event: Event) -> None:
        self._record_id += 1
        if self._random.random() < _GAP_SHARE:
            self._record_id += int(self._random.integers(1, 6))
        line = event_xml(event, self._record_id, self._computer)
        self._text.append(line.encode() + b"\n")


def _zeros(record: CycleRecord) -> CycleRecord:
    """A record of a cycle that the OS did not measure: every duration and state is 0."""
    return replace(
        record,
        sleep_ms=0,
        wake_ms=0,
        driver_init_ms=0,
        bios_init_ms=0,
        states=(0, 0),
        hiber_write_ms=0,
        hiber_read_ms=0,
        hiber_pages=0,
    )
