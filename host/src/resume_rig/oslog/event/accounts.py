"""OS records of events: the account of a sleep, a Modern Standby, a death or a boot, with figures.

An account is one event (Power-Troubleshooter 1, Kernel-Power 507 or 41, Kernel-Boot 30). Figures
are numbers of its companions that no field of a record holds, and of what the power manager
reported since the record before. A number of firmware above ten minutes is garbage (real firmware
writes ResetEnd as 6568027066368): it is counted as a problem and gives no figure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.os_record import (
    KINDS,
    LONGEST_FIRMWARE_MS,
    Ending,
    Figure,
    OsRecord,
    SleepKind,
)
from resume_rig.model.units import NS_PER_US
from resume_rig.oslog.event.endings import LEFT, UNCLEAN
from resume_rig.oslog.event.event import Event, EventRole, EventValues
from resume_rig.oslog.source.problems import Problem
from resume_rig.oslog.source.records import (
    BARE_RECORD,
    DOZE_TYPE,
    UINT32_MAX,
    UINT64_MAX,
    decode_wake_source,
    drips_delta,
)

ABSURD_RESUME: Final = "firmware_resume_absurd_ms"
START_OS_IMAGE: Final = "start_os_image_ms"
_BOOT_TIMES: Final[Mapping[str, str]] = {
    "ResetEndStart": "reset_end_ms",
    "LoadOSImageStart": "load_os_image_ms",
    "StartOSImageStart": START_OS_IMAGE,
    "ExitBootServicesEntry": "exit_boot_services_entry_ms",
    "ExitBootServicesExit": "exit_boot_services_exit_ms",
}
# Values that are figures as they stand, by what the event is.
_PLAIN: Final[Mapping[EventRole, Mapping[str, str]]] = {
    EventRole.SLEEP_REQUESTED: {
        "SystemAction": "requested_action",
        "LightestSystemState": "requested_state",
    },
    EventRole.SESSION_TO_SLEEP: {
        "Reason": "sleep_session_reason",
        "PowerStateAc": "on_ac_at_sleep",
    },
    EventRole.ENTERING_SLEEP: {"Reason": "sleep_reason"},
    EventRole.RESUMED: {
        "WakeFromState": "wake_from_state",
        "WakeRequesterTypeAc": "wake_requester_ac",
        "WakeRequesterTypeDc": "wake_requester_dc",
    },
    EventRole.SESSION_FROM_SLEEP: {
        "PreviousSessionDurationInUs": "sleep_session_us",
        "Reason": "wake_session_reason",
        "PowerStateAc": "on_ac_at_wake",
    },
    EventRole.SCREEN_ON: {
        "PreviousSessionDurationInUs": "screen_on_us",
        "Reason": "screen_on_reason",
    },
    EventRole.BOOT_TYPE: {"BootType": "boot_type"},
    EventRole.BOOT_STATUS: {
        "LastShutdownGood": "last_shutdown_good",
        "LastBootGood": "last_boot_good",
    },
}


def companion_figures(
    companions: Iterable[Event], values: EventValues, bios_init_ms: int | None = None
) -> tuple[Figure, ...]:
    """Return the figures of an account's companions, in their order.

    Args:
        companions: events of its cycle.
        values: reads them.
        bios_init_ms: of the account, to be compared with the firmware's own boot time.
    """
    figures: list[Figure] = []
    for event in companions:
        if event.role is not None and event.role in _PLAIN:
            figures += named(event, values, _PLAIN[event.role])
        match event.role:
            case EventRole.SESSION_FROM_SLEEP:
                figures += _drain(event, values)
            case EventRole.FIRMWARE_SUSPEND:
                figures += _suspend(event, values)
            case EventRole.FIRMWARE_RESUME:
                figures += _firmware(event, values, {"AverageResume": "firmware_average_resume_ms"})
                figures += _absurd_resume(event, values)
            case EventRole.CLOCK_SET:
                figures += _clock_jump(event, values)
            case EventRole.BOOT_TIMES:
                times = _firmware(event, values, _BOOT_TIMES)
                figures += [*times, *_excess(times, bios_init_ms)]
    return tuple(figures)


def named(
    event: Event, values: EventValues, names: Mapping[str, str], maximum: int = UINT64_MAX
) -> list[Figure]:
    """Return the values that the event has, under the names of their figures."""
    found = [(name, values.whole(event, field, maximum)) for field, name in names.items()]
    return [Figure(name, value) for name, value in found if value is not None]


def step_us(event: Event, values: EventValues) -> int | None:
    """Return NewTime - OldTime of a Kernel-General 1 in whole us; None where one is missing.

    Each time is cut to 1 us first, as the evtx library does: both forms of a log agree.
    """
    if event.data.get("NewTime", "") == event.data.get("OldTime"):
        return 0 if event.data["OldTime"] else None  # many settings change nothing
    new_ns, old_ns = values.time_ns(event, "NewTime"), values.time_ns(event, "OldTime")
    if new_ns is None or old_ns is None:
        return None
    return new_ns // NS_PER_US - old_ns // NS_PER_US


def clock_stop(
    companions: Iterable[Event], values: EventValues, sleep_ns: int | None
) -> tuple[Figure, ...]:
    """Return how long the OS's clock ran on after SleepTime: to OldTime of Kernel-General 1.

    On real machines that is 0.38 s and more beyond SleepDuration.
    """
    times = (values.time_ns(e, "OldTime") for e in companions if e.role is EventRole.CLOCK_SET)
    old_ns = next(times, None)
    if old_ns is None or sleep_ns is None or old_ns < sleep_ns:
        return ()
    ran_us = old_ns // NS_PER_US - sleep_ns // NS_PER_US
    return (Figure("sleep_to_clock_stop_us", ran_us),)


def _clock_jump(event: Event, values: EventValues) -> list[Figure]:
    jump_us = step_us(event, values)
    return [] if jump_us is None else [Figure("clock_jump_us", jump_us)]


def _drain(event: Event, values: EventValues) -> list[Figure]:
    """Return what the battery lost in the session that ended; a capacity of 0 is no battery."""
    names = "PreviousEnergyCapacityAtStart", "PreviousEnergyCapacityAtEnd"
    start_mwh, end_mwh = (values.whole(event, name) for name in names)
    if not start_mwh or not end_mwh:
        return []
    drained = Figure("sleep_energy_drain_mwh", start_mwh - end_mwh)
    full = named(event, values, {"PreviousFullEnergyCapacityAtStart": "full_charge_mwh"})
    return [drained, *full]


def _suspend(event: Event, values: EventValues) -> list[Figure]:
    start_ms = values.whole(event, "SuspendStart", UINT64_MAX)
    end_ms = values.whole(event, "SuspendEnd", UINT64_MAX)
    if start_ms is None or end_ms is None or not (start_ms or end_ms):
        return []
    if not 0 <= end_ms - start_ms <= LONGEST_FIRMWARE_MS:
        values.tally.count(Problem.ABSURD_FIRMWARE_TIME)
        return []
    return [
        Figure("firmware_suspend_ms", end_ms - start_ms),
        Figure("firmware_suspend_start_ms", start_ms),
    ]


def _firmware(event: Event, values: EventValues, names: Mapping[str, str]) -> list[Figure]:
    figures = []
    for figure in named(event, values, names):
        if figure.value > LONGEST_FIRMWARE_MS:
            values.tally.count(Problem.ABSURD_FIRMWARE_TIME)
        else:
            figures.append(figure)
    return figures


def _absurd_resume(event: Event, values: EventValues) -> list[Figure]:
    """Return a FullResume that is no time of a firmware, as it was reported; else none.

    Compared with BiosInit it may show that the firmware counts in another unit. Its problem is
    counted where the record is made.
    """
    figures = named(event, values, {"FullResume": ABSURD_RESUME})
    return [figure for figure in figures if figure.value > LONGEST_FIRMWARE_MS]


def _excess(times: Iterable[Figure], bios_init_ms: int | None) -> list[Figure]:
    """Return by how much BiosInit is above the firmware's own time to the start of the OS."""
    if bios_init_ms is None:
        return []
    return [
        Figure("bios_init_minus_start_os_image_ms", bios_init_ms - figure.value)
        for figure in times
        if figure.name == START_OS_IMAGE and figure.value
    ]


_SHUTDOWN: Final[Mapping[str, str]] = {
    "ShutdownActionType": "shutdown_action",
    "ShutdownEventCode": "shutdown_event_code",
    "ShutdownReason": "shutdown_reason",
}
_FIGURES: Final[Mapping[EventRole, Mapping[str, str]]] = {
    EventRole.CONNECTIVITY: {
        "State": "standby_connectivity",
        "Reason": "standby_connectivity_reason",
    },
    EventRole.SESSION_TO_STANDBY: {"Reason": "standby_session_reason"},
    EventRole.SESSION_FROM_STANDBY: {
        "PreviousSessionDurationInUs": "standby_session_us",
        "Reason": "standby_left_reason",
    },
}
_STANDBY: Final = frozenset({EventRole.SESSION_TO_STANDBY, EventRole.SESSION_FROM_STANDBY})
_RECORD: Final = frozenset({EventRole.ACCOUNT, EventRole.LEFT_STANDBY, EventRole.DIED})
"""After these, what was held belongs to a record."""


class PowerNotes:
    """Holds what the power manager reported since the last record, the last event of each kind.

    A shutdown (Kernel-Power 109) belongs to the next record of its own boot or of the boot right
    after it; the connectivity in standby (172) and the changes of the session around Modern
    Standby (566) to a record of their own boot.

    Attributes:
        shutdown: the Kernel-Power 109 of the present boot.
    """

    def __init__(self, shutdown: Event | None = None) -> None:
        """Start with nothing, or with a shutdown that stands before the first event."""
        self.shutdown = shutdown
        self._before: Event | None = None
        self._held: dict[EventRole, Event] = {}
        self._in_standby = False

    def follow(self, event: Event) -> None:
        """Take the next event; where it makes a record, `figures` is asked before."""
        role = event.role
        if role is EventRole.SHUTDOWN_BEGUN:
            self.shutdown = event
        elif role is EventRole.BOOT:
            self._forget(shutdown_before=self.shutdown)
        elif role in _RECORD:
            self._forget(shutdown_before=None)
        elif role is EventRole.ENTERING_STANDBY:
            self._in_standby = True
        elif role is EventRole.SESSION_FROM_STANDBY and not self._in_standby:
            return  # of a session whose beginning is not in the log
        elif role is not None and role in _FIGURES:
            self._held[role] = event

    def figures(self, values: EventValues) -> tuple[Figure, ...]:
        """Return what is held."""
        figures: list[Figure] = []
        shutdown = self.shutdown or self._before
        if shutdown is not None:
            figures += named(shutdown, values, _SHUTDOWN)
        for role, event in self._held.items():
            if self._in_standby or role not in _STANDBY:
                figures += named(event, values, _FIGURES[role])
        return tuple(figures)

    def _forget(self, *, shutdown_before: Event | None) -> None:
        self._before, self.shutdown = shutdown_before, None
        self._in_standby = False
        self._held.clear()


def shutdown_at_end(events: Iterable[Event]) -> Event | None:
    """Return the Kernel-Power 109 that the next boot follows, of the events of one boot."""
    notes = PowerNotes()
    for event in events:
        notes.follow(event)
    return notes.shutdown


_DURATIONS: Final = (
    "SleepDuration",
    "WakeDuration",
    "DriverInitDuration",
    "BiosInitDuration",
    "HiberWriteDuration",
    "HiberReadDuration",
)
_FURTHER: Final[Mapping[str, str]] = {
    "CheckpointDuration": "checkpoint_ms",
    "Attributes": "attributes",
    "NoMultiStageResumeReason": "no_multi_stage_resume_reason",
}
_ZERO_IS_NONE: Final = frozenset({"checkpoint_ms"})


_SESSION: Final[Mapping[str, str]] = {
    "DurationInUs": "duration_us",
    "ExitLatencyInUs": "exit_latency_us",
    "DripsResidencyInUs": "drips_us",
    "HwDripsResidencyInUs": "hardware_drips_us",
    "ActiveResidencyInUs": "active_us",
    "FirstDripsEntryInUs": "first_drips_entry_us",
    "DripsTransitions": "drips_transitions",
    "EnergyDrain": "energy_drain_mwh",
    "Reason": "exit_reason",
}
_ENTERED: Final[Mapping[str, str]] = {
    "Reason": "entry_reason",
    "BatteryFullChargeCapacityOnEnter": "full_charge_mwh",
}
_SHARES: Final = (("drips_us", "drips_percent"), ("hardware_drips_us", "hardware_drips_percent"))
_DEATH: Final[Mapping[str, str]] = {
    "BugcheckCode": "bugcheck_code",
    "SleepInProgress": "sleep_in_progress",
}


class AccountReader:
    """Makes OS records of one source; notes what it cannot read in the source's tally.

    Modern Standby has no state to enter: Kernel-Power 506 and 507 begin and end a session. A DUT
    that died in its sleep writes no account; the next boot writes 41 with SleepInProgress.
    """

    def __init__(self, source: int, values: EventValues) -> None:
        self._source = source
        self._values = values

    def read(
        self,
        account: Event,
        companions: Iterable[Event],
        os_build: int | None,
        figures: Iterable[Figure] = (),
    ) -> OsRecord:
        """Return the record of one Power-Troubleshooter event.

        Args:
            account: the event.
            companions: the other events of its cycle, in record order.
            os_build: of the last boot before it, None where the log names none.
            figures: figures of what stands between the record before and this one.
        """
        companions = tuple(companions)
        target, effective, source_type = (
            self._values.whole(account, name)
            for name in ("TargetState", "EffectiveState", "WakeSourceType")
        )
        ms = self._durations_ms(account)
        firmware_ms, firmware_count = self._firmware_resume(companions)
        bios_init_ms = ms.reported("BiosInitDuration") or None
        sleep_ns, wake_ns = (
            self._values.time_ns(account, name) for name in ("SleepTime", "WakeTime")
        )
        if sleep_ns is not None and wake_ns is not None and wake_ns < sleep_ns:
            self._values.tally.count(Problem.WAKE_BEFORE_SLEEP)
        kind = _kind_of(target, effective, source_type, ms)
        if kind is SleepKind.UNKNOWN:
            states = f"TargetState {target} and EffectiveState {effective}"
            self._values.tally.not_understood("log's sleeps", f"one with {states}")
        return replace(
            BARE_RECORD,
            source=self._source,
            record_id=account.record_id,
            kind=kind,
            sleep_time_utc_ns=sleep_ns,
            wake_time_utc_ns=wake_ns,
            written_utc_ns=account.time_utc_ns,
            sleep_ms=ms.reported("SleepDuration"),
            wake_ms=ms.reported("WakeDuration"),
            driver_init_ms=ms.reported("DriverInitDuration") or None,
            bios_init_ms=bios_init_ms,
            firmware_resume_ms=firmware_ms,
            firmware_resume_count=firmware_count,
            hiber_read_ms=ms.reported("HiberReadDuration") or None,
            hiber_write_ms=ms.reported("HiberWriteDuration") or None,
            hiber_pages=self._values.whole(account, "HiberPagesWritten") or None,
            wake_source=decode_wake_source(
                source_type,
                account.data.get("WakeSourceText", ""),
                os_build,
                _timer_owner(account),
            ),
            target_state=target,
            effective_state=effective,
            os_build=os_build,
            figures=(
                *self._further(account, ms),
                *companion_figures(companions, self._values, bios_init_ms),
                *clock_stop(companions, self._values, sleep_ns),
                *figures,
            ),
            text="\n".join(event.text for event in (*companions, account) if event.text),
            computer=account.computer,
        )

    def build_of(self, boot: Event) -> int | None:
        """Return BuildVersion of a Kernel-General 12 event, None where it has none."""
        return self._values.whole(boot, "BuildVersion") or None

    def read_session(
        self, entered: Event | None, left: Event, os_build: int | None, more: Iterable[Figure]
    ) -> OsRecord:
        """Return the record of one Modern Standby session.

        Args:
            entered: Kernel-Power 506; None where the log begins within the session.
            left: Kernel-Power 507.
            os_build: of the last boot, None where the log names none.
            more: figures of what stands between the record before and this one.
        """
        figures = [] if entered is None else named(entered, self._values, _ENTERED)
        figures += named(left, self._values, _SESSION)
        figures += self._shares({figure.name: figure.value for figure in figures})
        return self._record(left, SleepKind.MODERN_STANDBY, entered, os_build, (*figures, *more))

    def read_open_session(self, entered: Event, ending: Ending, os_build: int | None) -> OsRecord:
        """Return the record of a Modern Standby session that has no end in the log."""
        record = self._record(entered, SleepKind.MODERN_STANDBY, entered, os_build, ())
        return replace(
            record, wake_time_utc_ns=None, text=entered.text, ended=ending, notes=(_NO_END,)
        )

    def read_left(
        self,
        companions: Sequence[Event],
        ending: Ending,
        os_build: int | None,
        booted: Iterable[Event] = (),
    ) -> OsRecord:
        """Return the record of a sleep that Windows wrote no account of: it has no times.

        Args:
            companions: its events, in record order.
            ending: how it ended.
            os_build: of the last boot, None where the log names none.
            booted: the events of the boot that came instead of a resume.
        """
        by_role = {event.role: event for event in companions}
        entered = by_role.get(EventRole.ENTERING_SLEEP)
        woken = by_role.get(EventRole.RESUMED)
        last = companions[-1]
        named_by = entered or woken or last
        states = tuple(
            self._values.whole(named_by, name) for name in ("TargetState", "EffectiveState")
        )
        kind = KINDS.get((states[0], states[1]), SleepKind.UNKNOWN)
        clock = by_role.get(EventRole.CLOCK_SET)
        wake_ns = None
        if ending is Ending.RESUMED:
            firmware = by_role.get(EventRole.FIRMWARE_RESUME)
            wake_ns = None if clock is None else self._values.time_ns(clock, "NewTime")
            wake_ns = wake_ns or (None if firmware is None else firmware.time_utc_ns)
        firmware_ms, firmware_count = self._firmware_resume(tuple(companions))
        return replace(
            BARE_RECORD,
            source=self._source,
            record_id=(woken or named_by).record_id,
            kind=SleepKind.ABORTED if ending is Ending.REFUSED else kind,
            sleep_time_utc_ns=None if entered is None else entered.time_utc_ns,
            wake_time_utc_ns=wake_ns,
            written_utc_ns=last.time_utc_ns,
            firmware_resume_ms=firmware_ms,
            firmware_resume_count=firmware_count,
            target_state=states[0],
            effective_state=states[1],
            os_build=os_build,
            figures=companion_figures((*companions, *booted), self._values),
            text="\n".join(event.text for event in (*companions, *booted) if event.text),
            computer=named_by.computer,
            ended=ending,
            notes=self._why_left(ending, booted),
        )

    def _why_left(self, ending: Ending, booted: Iterable[Event]) -> tuple[str, ...]:
        if ending is not Ending.BECAME_BOOT:
            return (LEFT[ending],)
        notes = []
        for event in booted:
            if event.role is EventRole.IMAGE_REFUSED:
                status = event.data.get("FailureStatus", "").strip()[:_QUOTED_CHARS]
                message = event.data.get("FailureMsg", "").strip()[:_QUOTED_CHARS]
                words = ", ".join(filter(None, (status, message))) or "no reason given"
                notes.append(f"Kernel-Boot 29: Windows did not resume from its image ({words}).")
            elif event.role is EventRole.DIED:
                notes.append(UNCLEAN)
        return (*notes, LEFT[ending])

    def read_death(
        self, death: Event, entered: Event | None, more: Iterable[Figure], os_build: int | None
    ) -> OsRecord | None:
        """Return the record of a sleep that ended in Kernel-Power 41; None where none did.

        Args:
            death: the event.
            entered: the last Kernel-Power 42 before the boot, where no account answers it.
            more: figures of its boot, and of the shutdown before.
            os_build: of the boot.
        """
        if not self._values.whole(death, "SleepInProgress"):
            return None
        figures = named(death, self._values, _DEATH)
        if self._values.whole(death, "PowerButtonTimestamp", UINT64_MAX):
            figures.append(Figure("power_button_pressed", 1))
        return self._record(death, SleepKind.DIED, entered, os_build, (*figures, *more))

    def read_boot(
        self, began: Event, times: Event, booted: Iterable[Event], os_build: int | None
    ) -> OsRecord | None:
        """Return the record of a cold boot; None where the firmware's times of it are no times.

        Args:
            began: Kernel-General 12; its StartTime is when the OS began.
            times: Kernel-Boot 30.
            booted: Kernel-Boot events of the same boot, `times` among them.
            os_build: of the boot.
        """
        figures = companion_figures(booted, self._values)
        if not any(figure.name == START_OS_IMAGE and figure.value for figure in figures):
            return None
        return replace(
            BARE_RECORD,
            source=self._source,
            record_id=times.record_id,
            kind=SleepKind.BOOT,
            figures=figures,
            sleep_time_utc_ns=self._values.time_ns(began, "StartTime"),
            written_utc_ns=times.time_utc_ns,
            os_build=os_build,
            text="\n".join(filter(None, (began.text, *(event.text for event in booted)))),
            computer=times.computer,
        )

    def _further(self, account: Event, ms: "_Durations") -> list[Figure]:
        """Return what no field of a record holds; nothing of an account without times."""
        figures = [] if ms.all_zero else named(account, self._values, _FURTHER, UINT32_MAX)
        return [each for each in figures if each.value or each.name not in _ZERO_IS_NONE]

    def _durations_ms(self, account: Event) -> "_Durations":
        by_name = {name: self._values.whole(account, name) for name in _DURATIONS}
        given = [value for value in by_name.values() if value is not None]
        return _Durations(by_name, all_zero=bool(given) and not any(given))

    def _firmware_resume(self, companions: tuple[Event, ...]) -> tuple[int | None, int | None]:
        for event in companions:
            if event.role is EventRole.FIRMWARE_RESUME:
                full_ms = self._values.whole(event, "FullResume", UINT64_MAX) or None
                if full_ms is not None and full_ms > LONGEST_FIRMWARE_MS:
                    self._values.tally.count(Problem.ABSURD_RESUME)
                    full_ms = None
                return full_ms, self._values.whole(event, "ResumeCount")
        return None, None

    def _shares(self, values: Mapping[str, float]) -> list[Figure]:
        duration_us = values.get("duration_us")
        figures = []
        for residency, share in _SHARES:
            if not duration_us or residency not in values:
                continue
            if values[residency] > duration_us:
                self._values.tally.count(Problem.ABSURD_RESIDENCY)
            else:
                figures.append(Figure(share, 100 * values[residency] / duration_us))
        shares = {figure.name: figure.value for figure in figures}
        delta = drips_delta(shares.get("drips_percent"), shares.get("hardware_drips_percent"))
        return figures if delta is None else [*figures, Figure("drips_delta_percent", delta)]

    def _record(
        self,
        written: Event,
        kind: SleepKind,
        entered: Event | None,
        os_build: int | None,
        figures: tuple[Figure, ...],
    ) -> OsRecord:
        states: list[int | None] = [None, None]
        if kind is SleepKind.DIED and entered is not None:
            states = [
                self._values.whole(entered, name) for name in ("TargetState", "EffectiveState")
            ]
        return replace(
            BARE_RECORD,
            source=self._source,
            record_id=written.record_id,
            kind=kind,
            sleep_time_utc_ns=None if entered is None else entered.time_utc_ns,
            wake_time_utc_ns=None if kind is SleepKind.DIED else written.time_utc_ns,
            written_utc_ns=written.time_utc_ns,
            target_state=states[0],
            effective_state=states[1],
            os_build=os_build,
            figures=figures,
            text="\n".join(
                event.text for event in (entered, written) if event is not None and event.text
            ),
            computer=written.computer,
        )


_QUOTED_CHARS: Final = 200
_NO_END: Final = "The log has no end of this session."


@dataclass(frozen=True, slots=True)
class _Durations:
    """The durations of one account.

    Attributes:
        by_name: in ms, by field name; None where a field is absent.
        all_zero: durations are given and every one is 0: a cycle without a measurement.
    """

    by_name: Mapping[str, int | None]
    all_zero: bool

    def reported(self, name: str) -> int | None:
        """Return one duration; None where the whole record reports none."""
        return None if self.all_zero else self.by_name[name]


def _timer_owner(account: Event) -> str:
    owner, context = (account.data.get(f"WakeTimer{n}", "").strip() for n in ("Owner", "Context"))
    return f"{owner}: {context}" if owner and context else owner or context


def _kind_of(
    target: int | None, effective: int | None, source_type: int | None, ms: _Durations
) -> SleepKind:
    """Without a single duration it is no sleep of the kind that the states name, 4/4 included."""
    if ms.all_zero:
        return SleepKind.DOZE if source_type == DOZE_TYPE else SleepKind.ABORTED
    return KINDS.get((target, effective), SleepKind.UNKNOWN)
