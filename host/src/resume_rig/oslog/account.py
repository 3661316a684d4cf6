"""One Power-Troubleshooter event and its companions to one OS record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from resume_rig.model.component import Figure
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.event import Event, EventRole
from resume_rig.oslog.event_values import UINT64_MAX, EventValues
from resume_rig.oslog.figures import LONGEST_FIRMWARE_MS, clock_stop, companion_figures
from resume_rig.oslog.problems import Problem
from resume_rig.oslog.wake_source import DOZE_TYPE, decode_wake_source

_DURATIONS: Final = (
    "SleepDuration",
    "WakeDuration",
    "DriverInitDuration",
    "BiosInitDuration",
    "HiberWriteDuration",
    "HiberReadDuration",
)
# (TargetState, EffectiveState), each a SYSTEM_POWER_STATE: 2 S1, 4 S3, 5 hibernate, 6 shutdown.
_KINDS: Final[Mapping[tuple[int | None, int | None], SleepKind]] = {
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
                source_type, account.data.get("WakeSourceText", ""), os_build
            ),
            target_state=target,
            effective_state=effective,
            os_build=os_build,
            figures=(
                *companion_figures(companions, self._values, bios_init_ms),
                *clock_stop(companions, self._values, sleep_ns),
                *told,
            ),
            text="\n".join(event.text for event in (*companions, account) if event.text),
        )

    def build_of(self, boot: Event) -> int | None:
        """Return BuildVersion of a Kernel-General 12 event, None where it tells none."""
        return self._values.whole(boot, "BuildVersion") or None

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


def _kind_of(
    target: int | None, effective: int | None, source_type: int | None, ms: _Durations
) -> SleepKind:
    """Without a single duration it is no sleep of the kind that the states name, 4/4 included."""
    if ms.all_zero:
        return SleepKind.DOZE if source_type == DOZE_TYPE else SleepKind.ABORTED
    return _KINDS.get((target, effective), SleepKind.UNKNOWN)
