"""Which components take longest, and what Microsoft's papers advise against what was found.

Components overlap and nest, so their times are never added up here: each is ranked by the longest
that it ever took. Components of one name in one phase are one, whatever record they are of.

Advice is one sentence a kind of finding. Each rule says when it applies, in numbers; the numbers
are this project's where the papers give none. Advice never changes a verdict.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from statistics import median
from typing import Final

from resume_rig.model.os_record import Component, ComponentKind, LogReading, OsRecord, SleepKind

TRANSITION_FIGURE: Final = "transition_ms"
"""The figure by which an account reports how long its whole transition took."""

_HALVES: Final = frozenset({"suspend", "resume"})
_MOMENTS: Final = {SleepKind.BOOT: "boot", SleepKind.SHUTDOWN: "shutdown"}


@dataclass(frozen=True, slots=True)
class Ranked:
    """One component over all records.

    Attributes:
        moment: "boot", "shutdown" or "sleep" (which a resume belongs to).
        kind, name, phase: as in Component; name is hostile.
        count: how often it was timed.
        not_ended: how often it had not ended when the account did.
        median_ms, worst_ms: of its durations; None where it never ended.
        own_ms: of the worst one, without its children; None where unknown.
        held_ms: of the worst one, how long others had to wait for it; None where unknown.
        share: median share of the transition, 0..1 or more where the account reaches beyond it;
            None where the transition's length is unknown.
        detail, group: of the worst one.
    """

    moment: str
    kind: ComponentKind
    name: str
    phase: str
    count: int
    not_ended: int
    median_ms: float | None
    worst_ms: float | None
    own_ms: float | None
    held_ms: float | None
    share: float | None
    detail: str
    group: str


@dataclass(slots=True)
class _Group:
    """What came together under one name."""

    worst: Component
    durations_ms: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    not_ended: int = 0

    def take(self, component: Component, transition_ms: float | None) -> None:
        if component.duration_ms is None:
            self.not_ended += 1
            return
        self.durations_ms.append(component.duration_ms)
        if transition_ms:
            self.shares.append(component.duration_ms / transition_ms)
        if self.worst.duration_ms is None or component.duration_ms > self.worst.duration_ms:
            self.worst = component


def rank(records: Iterable[OsRecord]) -> tuple[Ranked, ...]:
    """Return all components, the one with the longest duration first.

    What never ended comes first of all: how long it would have taken is not known.
    """
    groups: dict[tuple[str, ComponentKind, str, str], _Group] = {}
    for record in records:
        moment = moment_of(record)
        transition_ms = transition_length_ms(record)
        for component in record.components:
            key = (moment, component.kind, component.name, component.phase)
            group = groups.get(key)
            if group is None:
                group = groups[key] = _Group(component)
            group.take(component, transition_ms)
    found = [_ranked(moment, group) for (moment, *_), group in groups.items()]
    found.sort(key=lambda one: (one.worst_ms is not None, -(one.worst_ms or 0.0)))
    return tuple(found)


def moment_of(record: OsRecord) -> str:
    """Return which transition a record is of: "boot", "shutdown" or "sleep"."""
    return _MOMENTS.get(record.kind, "sleep")


def transition_length_ms(record: OsRecord) -> float | None:
    """Return how long a transition took as its account reports it; None where it does not.

    Without the figure its phases "suspend" and "resume" count, which it may time from a start of
    their own. Components alone do not: six services of a boot are no boot.
    """
    for figure in record.figures:
        if figure.name == TRANSITION_FIGURE:
            return figure.value or None
    halves = [
        component.duration_ms
        for component in record.components
        if component.name in _HALVES
        and component.kind is ComponentKind.PHASE
        and component.phase == ""
        and component.duration_ms is not None
    ]
    return sum(halves) or None


def _ranked(moment: str, group: _Group) -> Ranked:
    worst = group.worst
    return Ranked(
        moment=moment,
        kind=worst.kind,
        name=worst.name,
        phase=worst.phase,
        count=len(group.durations_ms) + group.not_ended,
        not_ended=group.not_ended,
        median_ms=median(group.durations_ms) if group.durations_ms else None,
        worst_ms=worst.duration_ms,
        own_ms=worst.own_ms,
        held_ms=worst.held_ms,
        share=median(group.shares) if group.shares else None,
        detail=worst.detail,
        group=worst.group,
    )


ON_OFF: Final = "Windows On/Off Transition Performance Analysis, Microsoft, 2011"
RESUME: Final = "Microsoft's white paper on resume from standby, Windows Vista"
EMBEDDED: Final = "Microsoft's paper on the performance of Windows Embedded Standard 7"

SLOW_S0_IRP_MS: Final = 200
"""A tenth of the 2 s that BIOS and all devices may take together. Assumed."""

SLOW_MS: Final = 1_000
"""From here on a single component is slow where the papers name no limit. Assumed."""

HELD_MS: Final = 100
"""Assumed: decides from where on a device that keeps the boot waiting is named."""

SLOW_LOADER_MS: Final = 3_000  # the paper: OSLoader is generally shorter than 3 s
# Assumed, all three: they decide from where on the advice is given.
SLOW_POST_BOOT_MS: Final = 10_000
SLOW_VIDEO_MS: Final = 1_000
SLOW_HIBER_READ_MS: Final = 10_000
_NAMES_LIMIT: Final = 5  # assumed: that a sentence holds; the count has how many there are
_LINUX_KINDS: Final = "linux-"


@unique
class Owner(StrEnum):
    """Who can do what a piece of advice says."""

    DRIVER_VENDOR = "driver vendor"
    SOFTWARE_VENDOR = "software vendor"
    IMAGE_TEAM = "image team"
    FIRMWARE_TEAM = "firmware team"


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence of advice.

    Attributes:
        topic: a short name that stays the same, e.g. "slow-resume-device".
        text: the advice. source: the paper it is from. owner: who can follow it.
        section: of the paper. command: what shows more of it, on a Windows DUT.
        names: the worst components that it is for, at most five; hostile. Empty where it is for
            the whole of a transition.
        count: how many components or records it is for.
    """

    topic: str
    text: str
    source: str
    owner: Owner
    names: tuple[str, ...]
    count: int
    section: str
    command: str


@dataclass(frozen=True, slots=True)
class _Rule:
    topic: str
    text: str
    source: str
    section: str
    command: str
    owner: Owner
    applies: Callable[[Ranked], bool]


_DEVICES: Final = frozenset({ComponentKind.DEVICE, ComponentKind.DRIVER})


def _slow(one: Ranked, limit_ms: float = SLOW_MS) -> bool:
    return one.worst_ms is not None and one.worst_ms >= limit_ms


def _device_in(one: Ranked, moment: str, *words: str) -> bool:
    phase = one.phase.lower()
    return one.kind in _DEVICES and one.moment == moment and any(w in phase for w in words)


def _phase(one: Ranked, *names: str) -> bool:
    return one.kind is ComponentKind.PHASE and one.name in names


def _service(one: Ranked, moment: str) -> bool:
    return one.kind is ComponentKind.SERVICE and one.moment == moment


def _application(one: Ranked, moment: str) -> bool:
    # The processor time of a process is no wait for it.
    timed = "processor time" not in one.phase and "trace" not in one.phase
    return one.kind is ComponentKind.APPLICATION and one.moment == moment and timed


_SUSPEND: Final = "xperf -i trace.etl -o summary.xml -a suspend"
_SHUTDOWN: Final = "xperf -i trace.etl -o summary.xml -a shutdown"
_RUN_KEYS: Final = r"reg query HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run"

_RULES: Final[tuple[_Rule, ...]] = (
    _Rule(
        "slow-resume-device",
        "Let the driver request its D0 IRP and complete the S0 set-power IRP at once, and"
        " initialise the device afterwards; I/O that comes meanwhile is queued, never failed. A"
        " driver on WDF does so by itself.",
        RESUME,
        "Optimizing Drivers for Fast Resume from Standby",
        _SUSPEND,
        Owner.DRIVER_VENDOR,
        lambda one: _device_in(one, "sleep", "resume", "s0") and _slow(one, SLOW_S0_IRP_MS),
    ),
    _Rule(
        "slow-suspend-device",
        "Let the driver answer the query and the set-power IRP for sleep without waiting; a timer"
        " or a serial wait in it delays the whole suspend.",
        ON_OFF,
        "QueryDevices and SuspendDevices Subphases",
        _SUSPEND,
        Owner.DRIVER_VENDOR,
        lambda one: _device_in(one, "sleep", "suspend", "query", "power irp") and _slow(one),
    ),
    _Rule(
        "slow-suspend-application",
        "Do no work in WM_POWERBROADCAST: applications get it one after another, and each may use"
        " up 2 s.",
        ON_OFF,
        "SuspendApps Performance Vulnerabilities",
        _SUSPEND,
        Owner.SOFTWARE_VENDOR,
        lambda one: _application(one, "sleep") and "suspend" in one.phase and _slow(one),
    ),
    _Rule(
        "slow-suspend-service",
        "Register the service for suspend notifications only if it must act on them; they are sent"
        " one after another, and an unanswered one costs 30 s.",
        ON_OFF,
        "SuspendServices Performance Vulnerabilities",
        _SUSPEND,
        Owner.SOFTWARE_VENDOR,
        lambda one: _service(one, "sleep") and "suspend" in one.phase and _slow(one),
    ),
    _Rule(
        "irp-not-pended",
        "Return STATUS_PENDING for IRP_MN_START_DEVICE and IRP_MN_QUERY_DEVICE_RELATIONS, so that"
        " other devices start meanwhile.",
        ON_OFF,
        "PreSMSS Performance Vulnerabilities",
        "xperf -i trace.etl -o pnp.csv -a pnp",
        Owner.DRIVER_VENDOR,
        lambda one: (
            one.kind in _DEVICES
            and one.moment == "boot"
            and one.held_ms is not None
            and one.held_ms >= HELD_MS
            and one.held_ms == one.worst_ms
            and "driver" not in one.phase
        ),
    ),
    _Rule(
        "slow-service-in-group",
        "Take the service out of its load order group: groups start one after another, and it"
        " holds up all later ones.",
        ON_OFF,
        "WinLogonInit Performance Vulnerabilities",
        "sc qc SERVICE",
        Owner.IMAGE_TEAM,
        lambda one: _service(one, "boot") and one.group != "" and _slow(one),
    ),
    _Rule(
        "slow-service",
        "Set the service to demand, trigger or delayed-auto start, so that it starts after the"
        " boot.",
        EMBEDDED,
        "Services",
        "xperf -i trace.etl -o services.csv -a services",
        Owner.IMAGE_TEAM,
        lambda one: _service(one, "boot") and one.group == "" and _slow(one),
    ),
    _Rule(
        "slow-startup-application",
        "Take the application out of the Run and RunOnce keys and the Startup folder, or start it"
        " later.",
        ON_OFF,
        "PostBoot Performance Vulnerabilities",
        _RUN_KEYS,
        Owner.IMAGE_TEAM,
        lambda one: _application(one, "boot") and "startup" in one.phase and _slow(one),
    ),
    _Rule(
        "slow-boot-device",
        "Let the driver return STATUS_PENDING for IRP_MN_START_DEVICE and"
        " IRP_MN_QUERY_DEVICE_RELATIONS, and mark it BOOT_START only where it must be.",
        ON_OFF,
        "PreSMSS Performance Vulnerabilities",
        "xperf -i trace.etl -o pnp.csv -a pnp",
        Owner.DRIVER_VENDOR,
        lambda one: _device_in(one, "boot", "initialization") and _slow(one),
    ),
    _Rule(
        "slow-loader",
        "See that every BOOT_START driver has an embedded signature: one that is signed by a"
        " catalogue costs 1 to 3 s while the catalogues are loaded.",
        ON_OFF,
        "OSLoader Performance Analysis",
        "signtool verify /v DRIVER.sys",
        Owner.DRIVER_VENDOR,
        lambda one: _phase(one, "OSLoader") and _slow(one, SLOW_LOADER_MS),
    ),
    _Rule(
        "slow-video",
        "Shorten the initialisation of the video driver: SMSSInit waits for it in the system"
        " session and again in the user session.",
        ON_OFF,
        "SMSSInit Performance Analysis",
        "xperf -i trace.etl -o trace.csv -a dumper",
        Owner.DRIVER_VENDOR,
        lambda one: (
            _phase(one, "system session video", "user session video") and _slow(one, SLOW_VIDEO_MS)
        ),
    ),
    _Rule(
        "slow-post-boot",
        "Start fewer programs from the Run keys and the Startup folder: the PC is busy long after"
        " the desktop is there.",
        ON_OFF,
        "PostBoot Performance Vulnerabilities",
        _RUN_KEYS,
        Owner.IMAGE_TEAM,
        lambda one: _phase(one, "PostBoot") and _slow(one, SLOW_POST_BOOT_MS),
    ),
    _Rule(
        "unresponsive-service",
        "Let the service say STOP_PENDING as soon as it gets the shutdown notification and stop"
        " soon: an unresponsive one delays the shutdown by 12 s (Windows 7) or 20 s (Vista).",
        ON_OFF,
        "SystemSession Performance Vulnerabilities",
        _SHUTDOWN,
        Owner.SOFTWARE_VENDOR,
        lambda one: one.kind is ComponentKind.SERVICE and "unresponsive" in one.phase,
    ),
    _Rule(
        "slow-shutdown-application",
        "Answer WM_QUERYENDSESSION and WM_ENDSESSION at once and save data before: applications"
        " are shut down one after another, each with a time-out of 5 s.",
        ON_OFF,
        "UserSession Performance Vulnerabilities",
        _SHUTDOWN,
        Owner.SOFTWARE_VENDOR,
        lambda one: _application(one, "shutdown") and _slow(one),
    ),
    _Rule(
        "slow-shutdown-service",
        "Register the service for preshutdown and shutdown notifications only if it must act on"
        " them, and stop as soon as possible.",
        ON_OFF,
        "SystemSession Performance Vulnerabilities",
        _SHUTDOWN,
        Owner.SOFTWARE_VENDOR,
        lambda one: _service(one, "shutdown") and "unresponsive" not in one.phase and _slow(one),
    ),
)


def advise(reading: LogReading) -> tuple[Advice, ...]:
    """Return the advice for what a reading's Windows sources show, in a fixed order."""
    linux = {
        index
        for index, source in enumerate(reading.sources)
        if source.kind.startswith(_LINUX_KINDS)
    }
    records = [record for record in reading.records if record.source not in linux]
    ranked = rank(records)
    found = [advice for rule in _RULES if (advice := _applied(rule, ranked)) is not None]
    return (*found, *_boot_start(reading), *_hibernate(records))


def _applied(rule: _Rule, ranked: Sequence[Ranked]) -> Advice | None:
    names = list(dict.fromkeys(one.name for one in ranked if rule.applies(one)))
    if not names:
        return None
    shown = tuple(names[:_NAMES_LIMIT])
    return Advice(
        *(rule.topic, rule.text, rule.source, rule.owner, shown, len(names)),
        section=rule.section,
        command=rule.command,
    )


def _boot_start(reading: LogReading) -> tuple[Advice, ...]:
    """Advise about the signatures of drivers that the OS loader loads, where a dump names them."""
    named = (name for source in reading.sources for name in source.boot_start_drivers)
    names = list(dict.fromkeys(named))
    if not names:
        return ()
    text = (
        "See that each of these BOOT_START drivers has an embedded signature (`signtool verify /v"
        " FILE`): the first one that is signed by a catalogue costs the OS loader 1 to 3 s, while"
        " it loads the catalogues. Mark a driver BOOT_START only where it must be."
    )
    shown = tuple(names[:_NAMES_LIMIT])
    return (
        Advice(
            topic="boot-start-signatures",
            text=text,
            source=ON_OFF,
            owner=Owner.DRIVER_VENDOR,
            names=shown,
            count=len(names),
            section="OSLoader Performance Analysis",
            command="signtool verify /v DRIVER.sys",
        ),
    )


def _hibernate(records: Sequence[OsRecord]) -> tuple[Advice, ...]:
    slow = sum(
        record.kind in {SleepKind.S4, SleepKind.FAST_STARTUP}
        and (record.hiber_read_ms or 0) >= SLOW_HIBER_READ_MS
        for record in records
    )
    if not slow:
        return ()
    text = (
        "Tune the firmware's disk reads (highest DMA mode, large sequential reads of 64 KB):"
        " reading the hibernation file is most of this resume."
    )
    return (
        Advice(
            *("slow-hibernate-read", text, RESUME, Owner.FIRMWARE_TEAM, (), slow),
            section="Optimizing S4 Resume",
            command="wevtutil qe System /c:1 /rd:true /f:xml "
            "/q:*[System[Provider[@Name='Microsoft-Windows-Power-Troubleshooter']]]",
        ),
    )
