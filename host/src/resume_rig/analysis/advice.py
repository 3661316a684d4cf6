"""What Microsoft's papers advise against what was found, one sentence a kind of finding.

Each rule says when it applies, in numbers; the numbers are this project's where the papers give
none. Advice never changes a verdict.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.ranking import Ranked, rank
from resume_rig.model.component import ComponentKind
from resume_rig.model.os_record import LogReading, OsRecord, SleepKind

ON_OFF: Final = "Windows On/Off Transition Performance Analysis, Microsoft, 2011"
RESUME: Final = "Microsoft's white paper on resume from standby, Windows Vista"
EMBEDDED: Final = "Microsoft's paper on the performance of Windows Embedded Standard 7"

SLOW_S0_IRP_MS: Final = 200
"""A tenth of the 2 s that BIOS and all devices may take together."""

SLOW_MS: Final = 1_000
"""From here on a single component is slow where the papers name no limit."""

HELD_MS: Final = 100
SLOW_LOADER_MS: Final = 3_000  # the paper: OSLoader is generally shorter than 3 s
SLOW_POST_BOOT_MS: Final = 10_000
SLOW_VIDEO_MS: Final = 1_000
SLOW_HIBER_READ_MS: Final = 10_000
_NAMES_LIMIT: Final = 5
_LINUX_KINDS: Final = "linux-"


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence of advice.

    Attributes:
        topic: a short name that stays the same, e.g. "slow-resume-device".
        text: the advice. source: the paper it is from.
        names: the worst components that it is for, at most five; hostile. Empty where it is for
            the whole of a transition.
        count: how many components or records it is for.
    """

    topic: str
    text: str
    source: str
    names: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class _Rule:
    topic: str
    text: str
    source: str
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
    # What a processor-time column says of a process is no wait for it.
    timed = "processor time" not in one.phase and "trace" not in one.phase
    return one.kind is ComponentKind.APPLICATION and one.moment == moment and timed


_RULES: Final[tuple[_Rule, ...]] = (
    _Rule(
        "slow-resume-device",
        "Let the driver request its D0 IRP and complete the S0 set-power IRP at once, and"
        " initialise the device afterwards.",
        RESUME,
        lambda one: _device_in(one, "sleep", "resume", "s0") and _slow(one, SLOW_S0_IRP_MS),
    ),
    _Rule(
        "slow-suspend-device",
        "Let the driver answer the query and the set-power IRP for sleep without waiting; a timer"
        " or a serial wait in it delays the whole suspend.",
        ON_OFF,
        lambda one: _device_in(one, "sleep", "suspend", "query", "power irp") and _slow(one),
    ),
    _Rule(
        "slow-suspend-application",
        "Do no work in WM_POWERBROADCAST: applications get it one after another, and each may use"
        " up 2 s.",
        ON_OFF,
        lambda one: _application(one, "sleep") and "suspend" in one.phase and _slow(one),
    ),
    _Rule(
        "slow-suspend-service",
        "Register the service for suspend notifications only if it must act on them; they are sent"
        " one after another, and an unanswered one costs 30 s.",
        ON_OFF,
        lambda one: _service(one, "sleep") and "suspend" in one.phase and _slow(one),
    ),
    _Rule(
        "irp-not-pended",
        "Return STATUS_PENDING for IRP_MN_START_DEVICE and IRP_MN_QUERY_DEVICE_RELATIONS, so that"
        " other devices start meanwhile.",
        ON_OFF,
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
        lambda one: _service(one, "boot") and one.group != "" and _slow(one),
    ),
    _Rule(
        "slow-service",
        "Set the service to demand, trigger or delayed-auto start, so that it starts after the"
        " boot.",
        EMBEDDED,
        lambda one: _service(one, "boot") and one.group == "" and _slow(one),
    ),
    _Rule(
        "slow-loader",
        "See that every BOOT_START driver has an embedded signature: one that is signed by a"
        " catalogue costs 1 to 3 s while the catalogues are loaded.",
        ON_OFF,
        lambda one: _phase(one, "OSLoader") and _slow(one, SLOW_LOADER_MS),
    ),
    _Rule(
        "slow-video",
        "Shorten the initialisation of the video driver: SMSSInit waits for it in the system"
        " session and again in the user session.",
        ON_OFF,
        lambda one: (
            _phase(one, "system session video", "user session video") and _slow(one, SLOW_VIDEO_MS)
        ),
    ),
    _Rule(
        "slow-post-boot",
        "Start fewer programs from the Run keys and the Startup folder: the PC is busy long after"
        " the desktop is there.",
        ON_OFF,
        lambda one: _phase(one, "PostBoot") and _slow(one, SLOW_POST_BOOT_MS),
    ),
    _Rule(
        "unresponsive-service",
        "Let the service say STOP_PENDING as soon as it gets the shutdown notification and stop"
        " soon: an unresponsive one delays the shutdown by 12 s (Windows 7) or 20 s (Vista).",
        ON_OFF,
        lambda one: one.kind is ComponentKind.SERVICE and "unresponsive" in one.phase,
    ),
    _Rule(
        "slow-shutdown-application",
        "Answer WM_QUERYENDSESSION and WM_ENDSESSION at once and save data before: applications"
        " are shut down one after another, each with a time-out of 5 s.",
        ON_OFF,
        lambda one: _application(one, "shutdown") and _slow(one),
    ),
    _Rule(
        "slow-shutdown-service",
        "Register the service for preshutdown and shutdown notifications only if it must act on"
        " them, and stop as soon as possible.",
        ON_OFF,
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
    return (*found, *_hibernate(records))


def _applied(rule: _Rule, ranked: Sequence[Ranked]) -> Advice | None:
    names = list(dict.fromkeys(one.name for one in ranked if rule.applies(one)))
    if not names:
        return None
    return Advice(rule.topic, rule.text, rule.source, tuple(names[:_NAMES_LIMIT]), len(names))


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
    return (Advice("slow-hibernate-read", text, RESUME, (), slow),)
