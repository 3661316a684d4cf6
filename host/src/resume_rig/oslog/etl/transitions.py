"""The sleeps in an ETL file: the power manager's own events, and the account of each wake.

Kernel-Power times a transition as a whole, its phases, and each IRP that a device gets; that is
what `xperf -a suspend` counts, and it names the slow device without it. Numbers and layouts are
those of the provider's manifest (docs/reference/etl.md). Power-Troubleshooter's event stands in a
trace that asked for it, and is read as in an event log. Stamps run on the trace's clock, which is
not set when the wall clock is; the two ends of a transition have a wall time in the events.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from resume_rig.model.os_record import Component, ComponentKind, OsRecord, SleepKind
from resume_rig.model.units import NS_PER_MS
from resume_rig.oslog.etl.trace_file import TraceEvent, TraceHeader, TraceWalk, header_of
from resume_rig.oslog.event.assembler import ForwardAssembler
from resume_rig.oslog.event.event import PROVIDER_GUIDS, PROVIDER_NAMES, Event, Provider
from resume_rig.oslog.source.components import ComponentList, name_or_blank
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import (
    BARE_RECORD,
    SourceReading,
    SourceRequest,
    figures_of,
    ns_of_filetime,
    utc_text,
)

KIND: Final = "etl"
EVENTS_MAX: Final = 500_000
"""Events of the two providers that are kept; a night of cycles has some thousands."""
_OPEN_MAX: Final = 10_000
_PROVIDERS_SHOWN: Final = 12

# Fields of Kernel-Power's events, in their order: u8, u32, p(ointer), t(ime), n(ame with its length
# before it). Later versions append, but for what is read here.
_LAYOUTS: Final[Mapping[int, tuple[tuple[str, str], ...]]] = {
    1: (("Reason", "u32"), ("Flags", "u32"), ("Time", "t")),
    2: (("Status", "u32"), ("Time", "t")),
    7: (
        *(("Irp", "p"), ("PowerStateType", "u32"), ("MinorFunction", "u8")),
        *(("TargetDevice", "p"), ("InstanceName", "n")),
    ),
    8: (("Irp", "p"), ("Status", "u32")),
    16: (("Pid", "u32"), ("Name", "n")),
    17: (("Pid", "u32"),),
    18: (("Name", "n"),),
    19: (("Name", "n"),),
    22: (),
    23: (),
    24: (),
    25: (),
    26: (),
    133: (),
    27: (),
    134: (),
    35: (("Query", "u32"), ("TargetState", "u32"), ("EffectiveState", "u32")),
    36: (),
    37: (),
    38: (),
    39: tuple(
        (name, "u32")
        for name in (
            *("SleepTime", "ResumeTime", "DriverWakeTime", "HiberWriteTime", "HiberReadTime"),
            *("HiberPagesWritten", "BiosInitTime"),
        )
    ),
    42: (("TargetState", "u32"), ("EffectiveState", "u32")),
}
# Begin and end of a phase: what it is called, in the words of xperf's summaries.
_PHASES: Final[Mapping[int, tuple[int, str]]] = {
    22: (23, "suspend apps"),
    24: (25, "suspend services"),
    35: (36, "suspend devices"),
    37: (38, "resume devices"),
    26: (133, "resume apps"),
    27: (134, "resume services"),
}
_ENDS: Final = dict(_PHASES.values())
_QUERY: Final = "query devices"
_SUSPEND_DEVICES: Final = 35
_OF_DEVICES: Final = frozenset({_SUSPEND_DEVICES, 37})
_APP, _APP_END, _SERVICE, _SERVICE_END = 16, 17, 18, 19
_IRP, _IRP_END = 7, 8
_BEGIN, _END, _TIMES, _ENTERING = 1, 2, 39, 42
_OF_SYSTEM: Final = 0  # SystemPowerState; 1 is DevicePowerState

_ACCOUNT: Final = (
    *(("SleepTime", "t"), ("WakeTime", "t"), ("SleepDuration", "u32"), ("WakeDuration", "u32")),
    *(("DriverInitDuration", "u32"), ("BiosInitDuration", "u32"), ("HiberWriteDuration", "u32")),
    *(("HiberReadDuration", "u32"), ("HiberPagesWritten", "u32"), ("Attributes", "u32")),
    *(("TargetState", "u32"), ("EffectiveState", "u32"), ("WakeSourceType", "u32")),
    ("WakeSourceText", "n"),
)
_KERNEL_POWER: Final = UUID(Provider.KERNEL_POWER.value).bytes_le
_TROUBLESHOOTER: Final = UUID(Provider.POWER_TROUBLESHOOTER.value).bytes_le

_Values = dict[str, int | str]


def is_etl(head: bytes) -> bool:
    """Whether a file that begins so is an ETL file."""
    return header_of(head) is not None


def read_etl(request: SourceRequest) -> SourceReading:
    """Return the sleeps that a trace holds, with what its own header reports of it.

    What the power manager timed joins the account of its sleep, whether that stands in the trace or
    in an event log read with it (event/delays.py); where none does it is the account (reading.py).

    Raises:
        RecordError: it is no ETL file.
    """
    tally = ProblemTally()
    walk = TraceWalk(request.path, _is_wanted, tally)
    events: list[TraceEvent] = []
    left_out = 0
    for event in walk:
        if len(events) < EVENTS_MAX:
            events.append(event)
        else:
            left_out += 1
    if left_out:
        tally.report(
            f"The trace holds more than {EVENTS_MAX} events of the power manager; {left_out} were"
            " left out.",
            damage=True,
        )
    events.sort(key=lambda event: event.ticks)
    accounts = ForwardAssembler(request.source, tally)
    transitions = _Transitions(request.source, walk.header, tally)
    records: list[OsRecord] = []
    for event in events:
        if event.provider == Provider.KERNEL_POWER.value:
            transitions.take(event)
        elif (account := _account(event, walk.header)) is not None:
            records += accounts.feed(account)
    transitions.report()
    records += transitions.finish()
    records.sort(key=lambda record: record.sleep_time_utc_ns or 0)
    tally.report(_BY_MANIFEST if records else _nothing(walk), damage=False)
    return request.answer(
        records,
        KIND,
        tally.integrity(),
        count=walk.events,
        os_build=walk.header.os_build,
        identity=_identity(walk),
    )


def _is_wanted(provider: bytes, event_id: int) -> bool:
    if provider == _KERNEL_POWER:
        return event_id in _LAYOUTS
    return provider == _TROUBLESHOOTER and event_id == 1


_BY_MANIFEST: Final = (
    "Sleeps were read by the manifest of Kernel-Power; no public trace of one was at hand to"
    " compare."
)


def _nothing(walk: TraceWalk) -> str:
    count = walk.counts[Provider.KERNEL_POWER.value]
    if count:
        return (
            f"The trace holds {count} events of Kernel-Power and no transition to a sleep among"
            " them."
        )
    return (
        "No event of Kernel-Power was found, so the trace shows no sleep; record that provider, or"
        " ask Microsoft's tools (xperf -a boot, -a shutdown, wpa) for what else it holds."
    )


def _identity(walk: TraceWalk) -> tuple[tuple[str, str], ...]:
    """Return which machine, when, by which clock, and who wrote how much."""
    header = walk.header
    found = [("computer", walk.computer)] if walk.computer else []
    found += [
        ("processors", str(header.processors)),
        ("trace_started", utc_text(header.start_utc_ns)),
    ]
    if walk.last_ticks is not None:
        found.append(("trace_last_event", utc_text(header.utc_ns(walk.last_ticks))))
    found.append(("trace_clock", f"{header.clock}, {header.ticks_per_s} Hz"))
    shown = walk.counts.most_common(_PROVIDERS_SHOWN)
    found += [(f"provider_{_provider_name(guid)}", f"{count} events") for guid, count in shown]
    rest = len(walk.counts) - len(shown)
    return (*found, *([("further_providers", str(rest))] if rest else []))


def _provider_name(guid: str) -> str:
    provider = PROVIDER_GUIDS.get(guid)
    return next((name for name, each in PROVIDER_NAMES.items() if each is provider), guid)


class _Damaged(Exception):
    """A payload that ends before its values do."""


def _values(layout: Sequence[tuple[str, str]], event: TraceEvent) -> _Values:
    found: _Values = {}
    at, payload = 0, event.payload
    for name, kind in layout:
        try:
            if kind == "n":
                (chars,) = struct.unpack_from("<H", payload, at)
                end = at + 2 + 2 * chars
                if end > len(payload):
                    raise _Damaged
                found[name] = payload[at + 2 : end].decode("utf-16-le", "replace").rstrip("\0")
                at = end
                continue
            form = {"u8": "<B", "u32": "<I", "t": "<Q"}.get(kind)
            form = form or ("<I" if event.pointer_bytes == 4 else "<Q")
            (found[name],) = struct.unpack_from(form, payload, at)
            at += struct.calcsize(form)
        except struct.error as error:
            raise _Damaged from error
    return found


def _account(event: TraceEvent, header: TraceHeader) -> Event | None:
    """Return Power-Troubleshooter's event as an event log has it; None where it is damaged."""
    try:
        values = _values(_ACCOUNT, event)
    except _Damaged:
        return None
    return Event(
        Provider.POWER_TROUBLESHOOTER,
        1,
        event.version,
        None,
        header.utc_ns(event.ticks),
        {name: str(value) for name, value in values.items()},
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """What a transition waits for; `began` in ticks."""

    kind: ComponentKind
    name: str
    phase: str
    began: int


@dataclass(slots=True)
class _Sleep:
    """One transition, as far as it was read; stamps in ticks."""

    began: int
    start_ns: int | None = None
    end_ns: int | None = None
    states: tuple[int | None, int | None] = (None, None)
    times: _Values = field(default_factory=dict)
    open_phases: dict[str, int] = field(default_factory=dict)
    open_parts: dict[tuple[ComponentKind, int | str], _Part] = field(default_factory=dict)
    components: ComponentList = field(default_factory=ComponentList)
    phase: str = ""


class _Transitions:
    """Takes Kernel-Power's events in order of time."""

    def __init__(self, source: int, header: TraceHeader, tally: ProblemTally) -> None:
        self._source = source
        self._header = header
        self._tally = tally
        self._sleep: _Sleep | None = None
        self._records: list[OsRecord] = []
        self._damaged = 0

    def take(self, event: TraceEvent) -> None:
        """Take the next event."""
        try:
            values = _values(_LAYOUTS[event.event_id], event)
        except _Damaged:
            self._damaged += 1
            return
        sleep = self._sleep_of(event)
        if sleep is None:
            return
        match event.event_id:
            case number if number in _PHASES:
                self._begin_phase(sleep, event, values)
            case number if number in _ENDS:
                self._end_phase(sleep, event)
            case number if number in (_IRP, _APP, _SERVICE):
                self._begin_part(sleep, event, values)
            case number if number in (_IRP_END, _APP_END, _SERVICE_END):
                self._end_part(sleep, event, values)
            case number if number == _BEGIN:
                sleep.start_ns = ns_of_filetime(int(values["Time"]))
            case number if number == _END:
                sleep.end_ns = ns_of_filetime(int(values["Time"]))
            case number if number == _ENTERING:
                sleep.states = int(values["TargetState"]), int(values["EffectiveState"])
            case number if number == _TIMES:
                sleep.times = values

    def finish(self) -> list[OsRecord]:
        """Return all records."""
        self._close()
        return self._records

    def report(self) -> None:
        """Report what could not be read."""
        if self._damaged:
            count = "1 event" if self._damaged == 1 else f"{self._damaged} events"
            self._tally.report(
                f"{count} of Kernel-Power ended before the values did and count as not written.",
                damage=True,
            )

    def _sleep_of(self, event: TraceEvent) -> _Sleep | None:
        """Return the transition that an event is of; None before the first."""
        sleep, number = self._sleep, event.event_id
        begins = number == _BEGIN and (sleep is None or sleep.start_ns is not None)
        enters = number == _ENTERING and (
            sleep is None or sleep.end_ns is not None or sleep.states != (None, None)
        )
        if begins or enters:
            self._close()
            sleep = self._sleep = _Sleep(event.ticks)
        return sleep

    def _ms(self, from_ticks: int, to_ticks: int) -> float:
        return max(0, to_ticks - from_ticks) * 1_000 / self._header.ticks_per_s

    def _begin_phase(self, sleep: _Sleep, event: TraceEvent, values: _Values) -> None:
        phase = _PHASES[event.event_id][1]
        if event.event_id == _SUSPEND_DEVICES:
            phase = _QUERY if values["Query"] else phase
            if sleep.states == (None, None):
                sleep.states = int(values["TargetState"]), int(values["EffectiveState"])
        sleep.open_phases[phase] = event.ticks
        if event.event_id in _OF_DEVICES:
            sleep.phase = phase

    def _end_phase(self, sleep: _Sleep, event: TraceEvent) -> None:
        phase = _ENDS[event.event_id]
        if phase not in sleep.open_phases and _QUERY in sleep.open_phases:
            phase = _QUERY
        sleep.phase = "" if sleep.phase == phase else sleep.phase
        began = sleep.open_phases.pop(phase, None)
        if began is not None:
            part = _Part(ComponentKind.PHASE, phase, "", began)
            sleep.components.add(self._component(sleep, part, event.ticks))

    def _begin_part(self, sleep: _Sleep, event: TraceEvent, values: _Values) -> None:
        if len(sleep.open_parts) >= _OPEN_MAX:
            return
        match event.event_id:
            case number if number == _IRP:
                # A driver may ask for a device IRP whenever it likes; the OS waits for the others.
                if values["PowerStateType"] != _OF_SYSTEM or not sleep.phase:
                    return
                kind, key = ComponentKind.DEVICE, values["Irp"]
                name, phase = str(values["InstanceName"]), sleep.phase
            case number if number == _APP:
                kind, key = ComponentKind.APPLICATION, values["Pid"]
                name, phase = str(values["Name"]), "suspend apps"
            case _:
                kind, key = ComponentKind.SERVICE, values["Name"]
                name, phase = str(values["Name"]), "suspend services"
        sleep.open_parts[kind, key] = _Part(kind, name_or_blank(name), phase, event.ticks)

    def _end_part(self, sleep: _Sleep, event: TraceEvent, values: _Values) -> None:
        kind, key = {
            _IRP_END: (ComponentKind.DEVICE, values.get("Irp", 0)),
            _APP_END: (ComponentKind.APPLICATION, values.get("Pid", 0)),
            _SERVICE_END: (ComponentKind.SERVICE, values.get("Name", "")),
        }[event.event_id]
        part = sleep.open_parts.pop((kind, key), None)
        if part is not None:
            sleep.components.add(self._component(sleep, part, event.ticks))

    def _component(self, sleep: _Sleep, part: _Part, ended: int | None) -> Component:
        return Component(
            part.kind,
            part.name,
            part.phase,
            None if ended is None else self._ms(part.began, ended),
            start_ms=self._ms(sleep.began, part.began),
        )

    def _close(self) -> None:
        sleep, self._sleep = self._sleep, None
        if sleep is None:
            return
        for part in sleep.open_parts.values():
            sleep.components.add(self._component(sleep, part, None))
        components = sleep.components.finish(self._tally)
        times = {name: int(value) for name, value in sleep.times.items()}
        start_ns = sleep.start_ns or self._header.utc_ns(sleep.began)
        whole = None if sleep.end_ns is None else (sleep.end_ns - start_ns) / NS_PER_MS
        self._records.append(
            replace(
                BARE_RECORD,
                source=self._source,
                kind=SleepKind.STANDBY_PERFORMANCE,
                sleep_time_utc_ns=start_ns,
                wake_time_utc_ns=sleep.end_ns,
                sleep_ms=times.get("SleepTime"),
                wake_ms=times.get("ResumeTime"),
                driver_init_ms=times.get("DriverWakeTime") or None,
                bios_init_ms=times.get("BiosInitTime") or None,
                hiber_read_ms=times.get("HiberReadTime") or None,
                hiber_write_ms=times.get("HiberWriteTime") or None,
                hiber_pages=times.get("HiberPagesWritten") or None,
                target_state=sleep.states[0],
                effective_state=sleep.states[1],
                os_build=self._header.os_build,
                components=components,
                figures=figures_of(traced_sleep_and_wake_ms=whole),
            )
        )
