"""OS records of events: of a Power-Troubleshooter event with its companions, and without one.

Modern Standby has no state to enter: Kernel-Power 506 and 507 begin and end a session. A DUT that
died in its sleep writes no account; the next boot writes Kernel-Power 41 with SleepInProgress.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.os_record import Figure, OsRecord, SleepKind, WakeSource
from resume_rig.oslog.event.event import UINT32_MAX, UINT64_MAX, Event, EventRole, EventValues
from resume_rig.oslog.event.figures import (
    LONGEST_FIRMWARE_MS,
    START_OS_IMAGE,
    clock_stop,
    companion_figures,
    named,
)
from resume_rig.oslog.source.problems import Problem
from resume_rig.oslog.source.records import (
    DOZE_TYPE,
    UNKNOWN_NAME,
    decode_wake_source,
    drips_delta,
    trace_record,
)

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
# (TargetState, EffectiveState), each a SYSTEM_POWER_STATE: 2 S1, 4 S3, 5 hibernate, 6 shutdown.
KINDS: Final[Mapping[tuple[int | None, int | None], SleepKind]] = {
    (2, 2): SleepKind.S1,
    (4, 4): SleepKind.S3,
    (4, 5): SleepKind.HYBRID,
    (5, 5): SleepKind.S4,
    (6, 5): SleepKind.FAST_STARTUP,
}


class AccountReader:
    """Makes OS records of one source; notes what it cannot read in the source's tally."""

    def __init__(self, source: int, values: EventValues) -> None:
        self._source = source
        self._values = values

    def read(
        self,
        account: Event,
        companions: Iterable[Event],
        os_build: int | None,
        told: Iterable[Figure] = (),
    ) -> OsRecord:
        """Return the record of one Power-Troubleshooter event.

        Args:
            account: the event.
            companions: the other events of its cycle, in record order.
            os_build: of the last boot before it, None where the log does not tell.
            told: figures of what stands between the record before and this one.
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
        return OsRecord(
            source=self._source,
            record_id=account.record_id,
            kind=_kind_of(target, effective, source_type, ms),
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
                *told,
            ),
            text="\n".join(event.text for event in (*companions, account) if event.text),
        )

    def build_of(self, boot: Event) -> int | None:
        """Return BuildVersion of a Kernel-General 12 event, None where it tells none."""
        return self._values.whole(boot, "BuildVersion") or None

    def _further(self, account: Event, ms: "_Durations") -> list[Figure]:
        """Return what no field of a record holds; nothing that an account without times tells."""
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


_NO_SOURCE: Final = WakeSource(type=None, name=UNKNOWN_NAME, text="")
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
_SHARES: Final = (("drips_us", "drips_percent"), ("hardware_drips_us", "hardware_drips_percent"))
_DEATH: Final[Mapping[str, str]] = {
    "BugcheckCode": "bugcheck_code",
    "SleepInProgress": "sleep_in_progress",
}


class OtherAccountReader:
    """Makes OS records of Modern Standby sessions and of deaths in sleep."""

    def __init__(self, source: int, values: EventValues) -> None:
        self._source = source
        self._values = values

    def read_session(
        self, entered: Event | None, left: Event, os_build: int | None, told: Iterable[Figure]
    ) -> OsRecord:
        """Return the record of one Modern Standby session.

        Args:
            entered: Kernel-Power 506; None where the log begins within the session.
            left: Kernel-Power 507.
            os_build: of the last boot, None where the log does not tell.
            told: figures of what stands between the record before and this one.
        """
        figures = (
            [] if entered is None else named(entered, self._values, {"Reason": "entry_reason"})
        )
        figures += named(left, self._values, _SESSION)
        figures += self._shares({figure.name: figure.value for figure in figures})
        return self._record(left, SleepKind.MODERN_STANDBY, entered, os_build, (*figures, *told))

    def read_death(
        self, death: Event, entered: Event | None, told: Iterable[Figure], os_build: int | None
    ) -> OsRecord | None:
        """Return the record of a sleep that ended in Kernel-Power 41; None where none did.

        Args:
            death: the event.
            entered: the last Kernel-Power 42 before the boot, where no account answers it.
            told: figures of its boot, and of the shutdown before.
            os_build: of the boot.
        """
        if not self._values.whole(death, "SleepInProgress"):
            return None
        figures = named(death, self._values, _DEATH)
        if self._values.whole(death, "PowerButtonTimestamp", UINT64_MAX):
            figures.append(Figure("power_button_pressed", 1))
        return self._record(death, SleepKind.DIED, entered, os_build, (*figures, *told))

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
            trace_record(self._source, SleepKind.BOOT, figures=figures),
            record_id=times.record_id,
            sleep_time_utc_ns=self._values.time_ns(began, "StartTime"),
            written_utc_ns=times.time_utc_ns,
            os_build=os_build,
            text="\n".join(filter(None, (began.text, *(event.text for event in booted)))),
        )

    def _shares(self, told: Mapping[str, float]) -> list[Figure]:
        duration_us = told.get("duration_us")
        figures = []
        for residency, share in _SHARES:
            if not duration_us or residency not in told:
                continue
            if told[residency] > duration_us:
                self._values.tally.count(Problem.ABSURD_RESIDENCY)
            else:
                figures.append(Figure(share, 100 * told[residency] / duration_us))
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
        return OsRecord(
            source=self._source,
            record_id=written.record_id,
            kind=kind,
            sleep_time_utc_ns=None if entered is None else entered.time_utc_ns,
            wake_time_utc_ns=None if kind is SleepKind.DIED else written.time_utc_ns,
            written_utc_ns=written.time_utc_ns,
            sleep_ms=None,
            wake_ms=None,
            driver_init_ms=None,
            bios_init_ms=None,
            firmware_resume_ms=None,
            firmware_resume_count=None,
            hiber_read_ms=None,
            hiber_write_ms=None,
            hiber_pages=None,
            wake_source=_NO_SOURCE,
            target_state=states[0],
            effective_state=states[1],
            os_build=os_build,
            figures=figures,
            text="\n".join(
                event.text for event in (entered, written) if event is not None and event.text
            ),
        )
