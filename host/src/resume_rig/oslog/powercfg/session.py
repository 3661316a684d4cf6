"""One session of a power report to an OS record: its kind by numbers, its durations by names.

What a report holds of the machine is the source's identity, without the computer's name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import KINDS, Component, ComponentKind, Figure, OsRecord, SleepKind
from resume_rig.oslog.source.records import (
    BARE_RECORD,
    DOZE_TYPE,
    UINT32_MAX,
    decode_wake_source,
    drips_delta,
    parse_whole,
)

SYSTEM_NAMES: Final[Mapping[str, str]] = {
    "SystemManufacturer": "system_manufacturer",
    "SystemProductName": "system_product",
    "BIOSVersion": "bios_version",
    "BIOSDate": "bios_date",
    "OSBuild": "os_build",
    "OSVer": "os_version",
    "PlatformRole": "platform_role",
    "ConnectedStandby": "modern_standby",
}
"""Fields of SystemInformation and the names of their pairs in LogSource.identity."""

BUILD: Final = re.compile(
    r"([0-9]{4,6})\.[0-9]{1,6}\.[a-z0-9]{1,12}\.[a-z0-9_\-]{1,64}\.[0-9\-]{1,24}"
)
_VALUE_LIMIT_CHARS: Final = 200


def build_of(os_build: str) -> int | None:
    """Return the build number of a build's full name, e.g. 26100 of "26100.1.amd64fre..."."""
    match = BUILD.match(os_build.strip())
    return None if match is None else int(match[1])


def us_of(hours_minutes_seconds: re.Match[str]) -> int:
    """Return a duration of three groups, hours, minutes and seconds, in microseconds."""
    hours, minutes, seconds = map(int, hours_minutes_seconds.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000


def identity_of(names: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs, without empty ones and without blanks around."""
    found = ((name, " ".join(value.split())) for name, value in names.items())
    return tuple((name, value[:_VALUE_LIMIT_CHARS]) for name, value in found if value)


TICKS_PER_US: Final = 10

MODERN_STANDBY_TYPE: Final = 2

# The names that the report's own script shows for ScenarioInstances[].Type.
_KINDS_BY_TYPE: Final[Mapping[int, SleepKind]] = {
    MODERN_STANDBY_TYPE: SleepKind.MODERN_STANDBY,
    3: SleepKind.S3,
    4: SleepKind.HYBRID,
    5: SleepKind.S4,
    6: SleepKind.FAST_STARTUP,
    7: SleepKind.SHUTDOWN,
    8: SleepKind.UNKNOWN,
    9: SleepKind.SHUTDOWN,
    10: SleepKind.SHUTDOWN,
}
NO_TRANSITIONS: Final = frozenset({0, 1, 11})
"""Active, screen off, report generated: nobody slept."""

STANDBY_PHASE: Final = "standby"
_NOTE_CHARS: Final = 120
_NOT_REPORTED: Final = " -"  # the report shows "-" or "----" where it has no reason
_ABNORMAL: Final = {9: "abnormal_shutdowns", 10: "bugchecks"}
_SLEEPS_BY_TYPE: Final = frozenset({None, 3, 4, 5, 6})
_DURATIONS: Final = (
    *("SleepDuration", "WakeDuration", "DriverInitDuration"),
    *("BiosInitDuration", "HiberWriteDuration", "HiberReadDuration"),
)


@dataclass(slots=True)
class Session:
    """What a report holds of one session.

    Attributes:
        number: the report's own.
        type: ScenarioInstances[].Type, None where the form has none.
        entry_utc_ns, exit_utc_ns: whole seconds in the report.
        duration_us: from entry to exit.
        software_drips_us, hardware_drips_us: time in the deepest idle state.
        wake_text: the report's words for why it ended; hostile, any language.
        values: fields of the events that the report copied, by name, as text.
        exit_phases_ms: parts of a Modern Standby exit.
        exit_latency_ms: the whole of it.
        screen_on: whether the screen went on with the exit; None where the report does not say.
        drained_mwh: what the battery lost, negative where it gained.
        busy: what kept it from the deepest idle state: name, type, microseconds active.
        entry_text: the report's words for why it began; as hostile as `wake_text`.
        computer: whose report it is; hostile.
    """

    number: int | None = None
    type: int | None = None
    entry_utc_ns: int | None = None
    exit_utc_ns: int | None = None
    duration_us: int | None = None
    software_drips_us: float | None = None
    hardware_drips_us: float | None = None
    wake_text: str = ""
    values: dict[str, str] = field(default_factory=dict)
    exit_phases_ms: dict[str, int] = field(default_factory=dict)
    exit_latency_ms: int | None = None
    screen_on: bool | None = None
    drained_mwh: int | None = None
    busy: list[tuple[str, str, float]] = field(default_factory=list)
    entry_text: str = ""
    computer: str = ""


class SessionReader:
    """Makes records of one report; counts the numbers that it cannot read."""

    def __init__(self, source: int, os_build: int | None) -> None:
        self._source = source
        self._os_build = os_build
        self.unreadable = 0

    def kind(self, session: Session) -> SleepKind | None:
        """Return the kind; None where there is neither a type nor states."""
        states = self._number(session, "TargetState"), self._number(session, "EffectiveState")
        if session.type in _SLEEPS_BY_TYPE and states in KINDS:
            return KINDS[states]
        if session.type is None:
            return None
        kind = _KINDS_BY_TYPE.get(session.type, SleepKind.UNKNOWN)
        # Nobody came back to the screen: it went on to hibernate, and its exit is no resume.
        if kind is SleepKind.MODERN_STANDBY and session.screen_on is False:
            return SleepKind.DOZE
        return kind

    def record(self, session: Session, kind: SleepKind) -> OsRecord:
        """Return the record of a session; durations that are all 0 are not reported."""
        ms = {name: self._number(session, name) for name in _DURATIONS}
        given = [value for value in ms.values() if value is not None]
        source_type = self._number(session, "WakeSourceType")
        if given and not any(given):
            kind = SleepKind.DOZE if source_type == DOZE_TYPE else SleepKind.ABORTED
            ms = dict.fromkeys(_DURATIONS)
        wake_text = session.values.get("WakeSourceText") or session.wake_text
        if not wake_text.strip(_NOT_REPORTED):
            wake_text = ""
        return replace(
            BARE_RECORD,
            source=self._source,
            record_id=session.number,
            kind=kind,
            sleep_time_utc_ns=session.entry_utc_ns,
            wake_time_utc_ns=session.exit_utc_ns,
            sleep_ms=ms["SleepDuration"],
            wake_ms=ms["WakeDuration"],
            driver_init_ms=ms["DriverInitDuration"] or None,
            bios_init_ms=ms["BiosInitDuration"] or None,
            hiber_read_ms=ms["HiberReadDuration"] or None,
            hiber_write_ms=ms["HiberWriteDuration"] or None,
            hiber_pages=self._number(session, "HiberPagesWritten") or None,
            wake_source=decode_wake_source(source_type, wake_text, self._os_build),
            target_state=self._number(session, "TargetState"),
            effective_state=self._number(session, "EffectiveState"),
            os_build=self._os_build,
            components=(*_exit_phases(session), *_busy(session)),
            figures=_figures(session, kind),
            computer=session.computer,
            notes=_notes(session),
        )

    def _number(self, session: Session, name: str) -> int | None:
        try:
            return parse_whole(session.values.get(name, ""), UINT32_MAX)
        except RecordError:
            self.unreadable += 1
            session.values.pop(name, None)  # counted once
            return None


def _exit_phases(session: Session) -> tuple[Component, ...]:
    return tuple(
        Component(ComponentKind.PHASE, name, "exit", float(value))
        for name, value in session.exit_phases_ms.items()
        if value
    )


def _busy(session: Session) -> tuple[Component, ...]:
    return tuple(
        Component(ComponentKind.DEVICE, name, STANDBY_PHASE, active_us / 1_000, detail=kind)
        for name, kind, active_us in session.busy
    )


def _notes(session: Session) -> tuple[str, ...]:
    reasons = (("Entered", session.entry_text), ("left", session.wake_text))
    found = [f"{word}: {text[:_NOTE_CHARS]}" for word, text in reasons if text.strip(" -")]
    if session.type != MODERN_STANDBY_TYPE:
        return ()
    notes = [f"{'; '.join(found)}."] if session.entry_text else []
    if session.screen_on is False:
        notes.append("The screen did not go on with its exit, so that is no resume.")
    shares = (("software", session.software_drips_us), ("hardware", session.hardware_drips_us))
    low = [
        f"{word} {share:.0f} %"
        for word, low_us in shares
        if (share := _percent(low_us, session.duration_us)) is not None
    ]
    if low:
        notes.append(f"In the low power state: {', '.join(low)}.")
    if session.drained_mwh is not None:
        notes.append(f"The battery lost {session.drained_mwh} mWh.")
    if session.busy:
        name, _, active_us = max(session.busy, key=lambda each: each[2])
        share = _percent(active_us, session.duration_us)
        of = "" if share is None else f", in {share:.0f} % of it"
        notes.append(f"Most active: {name[:_NOTE_CHARS]}{of}.")
    return tuple(notes)


def _figures(session: Session, kind: SleepKind) -> tuple[Figure, ...]:
    latency_us = None if not session.exit_latency_ms else session.exit_latency_ms * 1_000
    if kind is SleepKind.DOZE:
        latency_us = None
    software = _percent(session.software_drips_us, session.duration_us)
    hardware = _percent(session.hardware_drips_us, session.duration_us)
    found = [
        ("session_us", session.duration_us),
        ("exit_latency_us", latency_us),
        ("drips_percent", software),
        ("hardware_drips_percent", hardware),
        ("drips_delta_percent", drips_delta(software, hardware)),
        ("energy_drain_mwh", session.drained_mwh),
        (_ABNORMAL.get(session.type or 0, ""), 1),
    ]
    return tuple(Figure(name, float(value)) for name, value in found if name and value is not None)


def _percent(part_us: float | None, whole_us: int | None) -> float | None:
    return None if part_us is None or not whole_us else 100 * part_us / whole_us
