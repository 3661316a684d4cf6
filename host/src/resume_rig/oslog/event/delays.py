"""What delayed a boot, a shutdown or a sleep: Microsoft-Windows-Diagnostics-Performance.

The provider writes into a log of its own, Diagnostics-Performance/Operational. Events 100, 200 and
300 time a boot, a shutdown, and a sleep with its resume; the others name one application, driver,
service, device or step each. Which belong together follows from their StartTime: in 51 of 51
events of four real logs it is that of their 100 or 200, to the microsecond. Numbers of records and
times of writing are no help: a shutdown is written after the next boot.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from resume_rig.model.os_record import (
    MAIN_PATH,
    NO_SLEEPS,
    Component,
    ComponentKind,
    Figure,
    OsRecord,
    SleepKind,
)
from resume_rig.model.units import NS_PER_US
from resume_rig.oslog.event.accounts import START_OS_IMAGE
from resume_rig.oslog.event.event import Event, EventRole, EventValues
from resume_rig.oslog.source.problems import Problem
from resume_rig.oslog.source.records import BARE_RECORD

COMPONENT_LIMIT: Final = 500
"""Delays of one transition; a real boot has some tens."""

NAME_LIMIT_CHARS: Final = 260
DETAIL_LIMIT_CHARS: Final = 200
LONGEST_MS: Final = 24 * 60 * 60 * 1000
"""Assumed: what is longer is no delay of a transition."""

JOIN_NS: Final = 10_000_000_000
"""Assumed, no public log has both: the longest time between a sleep's two accounts."""

_NO_NAME: Final = "(no name)"
_APPLICATION, _DRIVER = ComponentKind.APPLICATION, ComponentKind.DRIVER
_SERVICE, _DEVICE = ComponentKind.SERVICE, ComponentKind.DEVICE


@dataclass(frozen=True, slots=True)
class _FieldNames:
    """How an event that times a whole transition spells it.

    Attributes:
        start, end: fields of its two times.
        parts: fields of its durations, by the name of the phase.
        degraded: field by which Windows calls the transition slower than usual.
        total: field of the whole duration; none where the parts are the whole.
    """

    start: str
    end: str
    parts: Mapping[str, str]
    degraded: str
    total: str = ""


_WHOLE: Final[Mapping[EventRole, tuple[SleepKind, _FieldNames]]] = {
    EventRole.BOOT_TOOK: (
        SleepKind.BOOT,
        _FieldNames(
            "BootStartTime",
            "BootEndTime",
            {MAIN_PATH: "MainPathBootTime", "post boot": "BootPostBootTime"},
            "BootIsDegradation",
            "BootTime",
        ),
    ),
    EventRole.SHUTDOWN_TOOK: (
        SleepKind.SHUTDOWN,
        _FieldNames("ShutdownStartTime", "", {}, "ShutdownIsDegradation", "ShutdownTime"),
    ),
    EventRole.STANDBY_TOOK: (
        SleepKind.STANDBY_PERFORMANCE,
        _FieldNames(
            "StandbyStartTime",
            "ResumeEndTime",
            {"suspend": "StandbySuspendTotal", "resume": "StandbyResumeTotal"},
            "StandbyIsDegradation",
        ),
    ),
}
# Phases are those of xperf's summaries, where these have them: one advice is for both.
_NAMED: Final[Mapping[int, tuple[ComponentKind, str]]] = {
    101: (_APPLICATION, "startup applications"),
    102: (_DRIVER, "driver initialization"),
    103: (_SERVICE, "start services"),
    109: (_DEVICE, "device initialization"),
    201: (_APPLICATION, "shutdown applications"),
    202: (_DEVICE, "shutdown devices"),
    203: (_SERVICE, "shutdown services"),
    301: (_APPLICATION, "suspend apps"),
    302: (_DRIVER, "suspend devices"),
    303: (_SERVICE, "suspend services"),
    351: (_DRIVER, "resume devices"),
}
_FIRST_OF_RESUME: Final = 350
_KINDS: Final = {1: SleepKind.BOOT, 2: SleepKind.SHUTDOWN, 3: SleepKind.STANDBY_PERFORMANCE}

_Key = tuple[SleepKind, int | None]


@dataclass(slots=True)
class _Account:
    """What was read of one transition."""

    kind: SleepKind
    start_ns: int | None
    whole: OsRecord | None = None
    written_ns: int | None = None
    components: dict[Component, None] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


class DelayReader:
    """Takes events of Diagnostics-Performance in any order; `take` gives their accounts."""

    def __init__(self, source: int, values: EventValues) -> None:
        self._source = source
        self._values = values
        self._accounts: dict[_Key, _Account] = {}

    def feed(self, event: Event) -> None:
        """Take one event."""
        if event.role is not None and event.role in _WHOLE:
            self._whole(event, *_WHOLE[event.role])
        elif event.role is EventRole.DELAY:
            start_ns = self._values.time_ns(event, "StartTime")
            account = self._account(_KINDS[event.event_id // 100], start_ns, event)
            self._add(account, self._delays(event))

    def take(self) -> list[OsRecord]:
        """Return an account for each transition that was reported since the last call."""
        accounts, self._accounts = self._accounts, {}
        return [self._record(account) for account in accounts.values()]

    def _account(self, kind: SleepKind, start_ns: int | None, event: Event) -> _Account:
        key = _key(kind, start_ns)
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = _Account(kind, start_ns, written_ns=event.time_utc_ns)
        if event.text:
            account.texts.append(event.text)
        return account

    def _whole(self, event: Event, kind: SleepKind, names: _FieldNames) -> None:
        account = self._account(kind, self._values.time_ns(event, names.start), event)
        if account.whole is not None:
            return  # the same event in exports that overlap
        figures = []
        if (total_ms := self._ms(event, names.total)) is not None:
            figures.append(Figure("transition_ms", total_ms))
        if (degraded := self._values.whole(event, names.degraded, 1)) is not None:
            figures.append(Figure("degraded", degraded))
        account.whole = replace(
            BARE_RECORD,
            source=self._source,
            record_id=event.record_id,
            kind=kind,
            figures=tuple(figures),
            wake_time_utc_ns=self._values.time_ns(event, names.end) if names.end else None,
            written_utc_ns=event.time_utc_ns,
        )
        durations = [(name, self._ms(event, field)) for name, field in names.parts.items()]
        self._add(
            account,
            [Component(ComponentKind.PHASE, name, "", ms) for name, ms in durations if ms],
        )

    def _delays(self, event: Event) -> list[Component]:
        """Return what an event names: a driver stands beside the device that it served."""
        kind, phase = _NAMED.get(event.event_id, (ComponentKind.PHASE, _step_of(event.event_id)))
        name = _name(event, "Name")
        found = []
        if (total_ms := self._ms(event, "TotalTime")) is not None:
            more = (event.data.get(key, "") for key in ("CompanyName", "FriendlyName", "Version"))
            detail = self._detail(event, "DegradationTime", *more)
            found.append(Component(kind, name, phase, total_ms, detail=detail))
        if (device_ms := self._ms(event, "DeviceTotalTime")) is not None:
            device = _name(event, "DeviceFriendlyName", "DeviceName")
            detail = self._detail(event, "DeviceDegradationTime", f"driver {name}")
            found.append(Component(_DEVICE, device, phase, device_ms, detail=detail))
        return found

    def _detail(self, event: Event, degradation: str, *texts: str) -> str:
        beyond_ms = self._ms(event, degradation)
        written = [text.strip()[:NAME_LIMIT_CHARS] for text in texts if text.strip()]
        beyond = [] if beyond_ms is None else [f"degradation {beyond_ms} ms"]
        return ", ".join((*beyond, *written))[:DETAIL_LIMIT_CHARS]

    def _ms(self, event: Event, name: str) -> int | None:
        value_ms = self._values.whole(event, name)
        if value_ms is not None and value_ms > LONGEST_MS:
            self._values.tally.count(Problem.ABSURD_DELAY)
            return None
        return value_ms

    def _add(self, account: _Account, components: Iterable[Component]) -> None:
        for component in components:
            if component in account.components:
                continue
            if len(account.components) < COMPONENT_LIMIT:
                account.components[component] = None
            else:
                self._values.tally.count(Problem.TOO_MANY_DELAYS)

    def _record(self, account: _Account) -> OsRecord:
        return replace(
            account.whole
            or replace(
                BARE_RECORD,
                source=self._source,
                kind=account.kind,
                written_utc_ns=account.written_ns,
            ),
            sleep_time_utc_ns=account.start_ns,
            components=tuple(account.components),
            text="\n".join(account.texts),
        )


def _key(kind: SleepKind, start_ns: int | None) -> _Key:
    # The evtx library keeps no more than microseconds of a time within an event.
    return kind, None if start_ns is None else start_ns // NS_PER_US


def _step_of(event_id: int) -> str:
    """Return the phase of a step that the event itself names, and nobody else."""
    match event_id // 100:
        case 1:
            return "boot"
        case 2:
            return "shutdown"
        case _:
            return "resume" if event_id >= _FIRST_OF_RESUME else "suspend"


def _name(event: Event, *fields: str) -> str:
    names = (event.data.get(name, "").strip() for name in fields)
    return next(filter(None, names), _NO_NAME)[:NAME_LIMIT_CHARS]


def with_delays(records: Sequence[OsRecord]) -> list[OsRecord | None]:
    """Return the records, each account of delays joined to what it is of.

    A growing log may be cut between a 300 and what it names, so each piece of it gives accounts of
    its own. Accounts of one transition, by their start, become the first of them. One of a sleep
    goes to the record of the sleep that is nearest in begin and end, within JOIN_NS in each; where
    a second is less than twice as far, and without any, it stays as it is.

    Returns:
        as many as there were; None in the place of one that is part of another now.
    """
    found: list[OsRecord | None] = list(records)
    first: dict[tuple[SleepKind, int | None], int] = {}
    for index, record in enumerate(records):
        if record.kind not in NO_SLEEPS or record.sleep_time_utc_ns is None:
            continue
        place = first.setdefault(_key(record.kind, record.sleep_time_utc_ns), index)
        earlier = found[place]
        if place != index and earlier is not None and (earlier.components or record.components):
            found[place], found[index] = _merged(earlier, record), None
    accounts = [
        index for index in first.values() if records[index].kind is SleepKind.STANDBY_PERFORMANCE
    ]
    if accounts:
        _join(found, accounts, lambda record: record.kind not in NO_SLEEPS)
    boots = [index for index in first.values() if records[index].kind is SleepKind.BOOT]
    timed = [index for index in boots if not _is_of_system_log(records[index])]
    if len(timed) < len(boots):
        _join(found, timed, _is_of_system_log)
    return found


def _is_of_system_log(record: OsRecord) -> bool:
    """Whether a boot is Kernel-Boot's account, with the firmware's part and without its length."""
    names = {figure.name for figure in record.figures}
    return record.kind is SleepKind.BOOT and START_OS_IMAGE in names


def _merged(one: OsRecord, other: OsRecord) -> OsRecord:
    """Return two accounts of one transition as one; that of the whole transition leads."""
    late = one.record_id is None and other.record_id is not None
    whole, more = (other, one) if late else (one, other)
    components = tuple(dict.fromkeys((*whole.components, *more.components)))
    return replace(
        whole,
        wake_time_utc_ns=whole.wake_time_utc_ns or more.wake_time_utc_ns,
        components=components[:COMPONENT_LIMIT],
        figures=tuple(dict.fromkeys((*whole.figures, *more.figures))),
        text="\n".join(filter(None, (whole.text, more.text))),
    )


def _join(
    found: list[OsRecord | None], accounts: Iterable[int], is_whole: Callable[[OsRecord], bool]
) -> None:
    """Join each account to the record of its transition, one of those for which `is_whole`."""
    sleeps = sorted(
        (record.sleep_time_utc_ns, index)
        for index, record in enumerate(found)
        if record is not None and is_whole(record) and record.sleep_time_utc_ns is not None
    )
    taken: set[int] = set()
    for index in accounts:
        account = found[index]
        if account is None or account.sleep_time_utc_ns is None:
            continue
        start_ns = account.sleep_time_utc_ns
        place = bisect_left(sleeps, (start_ns - JOIN_NS, -1))
        near: list[tuple[int, int]] = []
        while place < len(sleeps) and sleeps[place][0] <= start_ns + JOIN_NS:
            at = sleeps[place][1]
            distance_ns = None if at in taken else _distance_ns(found[at], account)
            if distance_ns is not None:
                near.append((distance_ns, at))
            place += 1
        chosen = _nearest(near)
        if chosen is None or (sleep := found[chosen]) is None:
            continue
        taken.add(chosen)
        found[chosen] = replace(
            sleep,
            wake_time_utc_ns=sleep.wake_time_utc_ns or account.wake_time_utc_ns,
            components=(*sleep.components, *account.components),
            figures=(*sleep.figures, *account.figures),
            text="\n".join(filter(None, (sleep.text, account.text))),
        )
        found[index] = None


def _nearest(near: Sequence[tuple[int, int]]) -> int | None:
    """Return what is nearest, as (how far, which); None where another is not twice as far."""
    first, *others = sorted(near) or [(0, -1)]
    if first[1] < 0 or (others and others[0][0] <= 2 * first[0]):
        return None
    return first[1]


def _distance_ns(sleep: OsRecord | None, account: OsRecord) -> int | None:
    """Return how far a sleep lies from an account, in begin and end; None where too far.

    An end that one of them lacks does not count. A doze has the begin of its S4, and ends before.
    """
    if sleep is None or sleep.sleep_time_utc_ns is None or account.sleep_time_utc_ns is None:
        return None
    begins_ns = abs(sleep.sleep_time_utc_ns - account.sleep_time_utc_ns)
    if sleep.wake_time_utc_ns is None or account.wake_time_utc_ns is None:
        return begins_ns
    ends_ns = abs(sleep.wake_time_utc_ns - account.wake_time_utc_ns)
    return None if ends_ns > JOIN_NS else begins_ns + ends_ns
