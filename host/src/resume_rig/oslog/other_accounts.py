"""OS records of sleeps that no Power-Troubleshooter event tells of.

Modern Standby has no state to enter: Kernel-Power 506 and 507 begin and end a session. A DUT that
died in its sleep writes no account; the next boot writes Kernel-Power 41 with SleepInProgress.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from resume_rig.model.component import Figure
from resume_rig.model.os_record import OsRecord, SleepKind, WakeSource
from resume_rig.oslog.event import Event
from resume_rig.oslog.event_values import UINT64_MAX, EventValues
from resume_rig.oslog.figures import named
from resume_rig.oslog.problems import Problem
from resume_rig.oslog.wake_source import UNKNOWN_NAME

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
        return figures

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
