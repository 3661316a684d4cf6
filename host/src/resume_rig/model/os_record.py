"""An OS record: what an operating system reports of one sleep and wake, and of its parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final


@unique
class ComponentKind(StrEnum):
    """What a component is."""

    PHASE = "phase"
    DEVICE = "device"
    DRIVER = "driver"
    SERVICE = "service"
    APPLICATION = "application"


@dataclass(frozen=True, slots=True)
class Component:
    """One part of one transition, as the OS timed it.

    Components may overlap and nest: their durations do not add up to that of the transition.

    Attributes:
        name: as recorded; hostile: escape it where it is shown.
        phase: the phase of the transition that it belongs to, e.g. "resume devices"; of a phase,
            its parent's name, or empty.
        duration_ms: how long it took; None where it had not ended.
        start_ms: when it began, from the start of the transition.
        own_ms: what is left of the duration without its children, where the account has it.
        detail: what distinguishes it from others of its name (process id, driver, bus address).
        held_ms: how long of it others had to wait for it, where the account has it (the prePendTime
            of a Plug and Play object: until its driver returned STATUS_PENDING).
        group: the load order group of a service; empty where it has none.
    """

    kind: ComponentKind
    name: str
    phase: str
    duration_ms: float | None
    start_ms: float | None = None
    own_ms: float | None = None
    detail: str = ""
    held_ms: float | None = None
    group: str = ""


MAIN_PATH = "main path"
"""The phase of a boot that ends where the desktop is there, as Diagnostics-Performance times it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that an account gives and no field of OsRecord holds.

    Attributes:
        name: glossary word with its unit at the end, e.g. "exit_latency_us", "drips_percent".
        value: as recorded.
    """

    name: str
    value: float


@unique
class SleepKind(StrEnum):
    """What kind of sleep an OS record is of (log --json `kind`).

    MODERN_STANDBY is Windows' S0 low power idle, S2IDLE Linux's "freeze"; DIED is a sleep that the
    OS did not come back from. BOOT and SHUTDOWN are no sleeps: accounts of on/off transitions that
    the same tools write; none of them is ever judged as a resume. STANDBY_PERFORMANCE has what
    delayed a sleep and its resume, besides the record of the sleep itself.
    """

    S1 = "S1"
    S3 = "S3"
    HYBRID = "hybrid"
    S4 = "S4"
    FAST_STARTUP = "fast-startup"
    DOZE = "doze"
    ABORTED = "aborted"
    MODERN_STANDBY = "modern-standby"
    S2IDLE = "s2idle"
    DIED = "died-in-sleep"
    BOOT = "boot"
    SHUTDOWN = "shutdown"
    STANDBY_PERFORMANCE = "standby-performance"
    UNKNOWN = "unknown"


@unique
class Ending(StrEnum):
    """How an attempt to sleep ended (JSON `ending`).

    BECAME_BOOT: the OS started anew instead of resuming. REFUSED: the attempt was given up, nobody
    slept. OPEN: the log ends before the sleep does. NOT_SHOWN: the log does not show wakes, so that
    each of these is possible (JSON null).
    """

    RESUMED = "resumed"
    BECAME_BOOT = "became-boot"
    DIED = "died"
    REFUSED = "refused"
    OPEN = "open"
    NOT_SHOWN = "not-shown"


def state_word(kind: SleepKind) -> str:
    """Return a state that can be asked for as a plan names it; a boot is asked for as S5."""
    return "S5" if kind is SleepKind.BOOT else kind.value


_KIND_WORDS = {
    SleepKind.HYBRID: "hybrid sleep",
    SleepKind.FAST_STARTUP: "fast startup",
    SleepKind.UNKNOWN: "unknown kind",
    SleepKind.MODERN_STANDBY: "Modern Standby",
    SleepKind.DOZE: "doze to hibernate",
    SleepKind.ABORTED: "aborted sleep attempt",
    SleepKind.DIED: "died in sleep",
    SleepKind.STANDBY_PERFORMANCE: "standby performance",
}


def kind_words(kind: SleepKind) -> str:
    """Return a kind as a sentence names it; documents have its value."""
    return _KIND_WORDS.get(kind, kind.value)


_KINDS_WORDS = {
    SleepKind.HYBRID: "hybrid sleeps",
    SleepKind.FAST_STARTUP: "fast startups",
    SleepKind.DOZE: "dozes to hibernate",
    SleepKind.ABORTED: "aborted sleep attempts",
    SleepKind.DIED: "sleeps that it died in",
    SleepKind.BOOT: "boots",
    SleepKind.SHUTDOWN: "shutdowns",
}


def kind_count(count: int, kind: SleepKind) -> str:
    """Return how many there are of a kind, e.g. "16 S4", "4 aborted sleep attempts"."""
    words = kind_words(kind)
    return f"{count} {words if count == 1 else _KINDS_WORDS.get(kind, words)}"


def state_words(state: str) -> str:
    """Return the state of a fleet's group in words; its value joins kinds by "and"."""
    words = {kind.value: kind_words(kind) for kind in SleepKind}
    return " and ".join(words.get(each, each) for each in state.split(" and "))


NO_SLEEPS = frozenset({SleepKind.BOOT, SleepKind.SHUTDOWN, SleepKind.STANDBY_PERFORMANCE})
"""Kinds of records that are no account of a sleep."""

LONGEST_FIRMWARE_MS: Final = 10 * 60 * 1000
"""FPDT stamps of broken firmware give hours; above this it is no measurement."""

UNFINISHED = frozenset({SleepKind.DOZE, SleepKind.ABORTED, SleepKind.DIED, SleepKind.UNKNOWN})
"""Kinds of records of a sleep that did not go as it was meant to, and without a measurement."""

SLEEPS = tuple(kind for kind in SleepKind if kind not in NO_SLEEPS)
"""Kinds of records that are accounts of a sleep."""

TRANSITIONS = (*SLEEPS, SleepKind.BOOT, SleepKind.SHUTDOWN)
"""Kinds of records that a requirement can be about, and that can be compared."""


def transition_of_word(word: str) -> SleepKind | None:
    """Return a kind of transition by its name, a boot by S5 too, as a plan names it."""
    names = {kind.value: kind for kind in TRANSITIONS}
    return names.get(word, SleepKind.BOOT if word == state_word(SleepKind.BOOT) else None)


NO_SUSPENDS = NO_SLEEPS | {SleepKind.MODERN_STANDBY, SleepKind.S2IDLE}
"""Kinds of records that cannot be of a cycle in which SLP_S3# fell."""


# By (TargetState, EffectiveState), each a SYSTEM_POWER_STATE: 2 S1, 4 S3, 5 hibernate, 6 shutdown.
KINDS: Final[Mapping[tuple[int | None, int | None], SleepKind]] = {
    (2, 2): SleepKind.S1,
    (4, 4): SleepKind.S3,
    (4, 5): SleepKind.HYBRID,
    (5, 5): SleepKind.S4,
    (6, 5): SleepKind.FAST_STARTUP,
}


_ENDINGS: Final[Mapping[SleepKind, Ending]] = {
    SleepKind.ABORTED: Ending.REFUSED,
    SleepKind.DIED: Ending.DIED,
}
_FROM_IMAGE: Final = frozenset({SleepKind.S4, SleepKind.HYBRID, SleepKind.FAST_STARTUP})


def host_of(computer: str) -> str:
    """Return a computer's name without case and domain: one that joins a domain is the same."""
    return computer.lower().partition(".")[0]


@dataclass(frozen=True, slots=True)
class WakeSource:
    """What woke the DUT, OS-reported.

    Attributes:
        type: WakeSourceType as recorded; None where the record has none.
        name: decoded by OS build, e.g. "power button"; "unknown" where the build is unknown and
            the number means different things on different builds.
        text: WakeSourceText, any language, hostile: escape it where it is shown.
        timer_owner: WakeTimerOwner and, behind a colon, WakeTimerContext: which program or task set
            the timer; as hostile. Empty where the record has none.
    """

    type: int | None
    name: str
    text: str
    timer_owner: str = ""


NO_WAKE_SOURCE = WakeSource(type=None, name="unknown", text="")
"""Of a record that names none."""


@dataclass(frozen=True, slots=True)
class OsRecord:
    """One inside account of one cycle.

    A value is None where the record does not report it; a 0 that means "not reported" is None.

    Attributes:
        source: index into the reading's sources.
        record_id: number of the event that gives the account: Power-Troubleshooter 1, or
            Kernel-Power 507 or 41 for the kinds that it does not know.
        sleep_time_utc_ns, wake_time_utc_ns: SleepTime and WakeTime, OS clock, ns since 1970 UTC;
            after a wake good to about +/-0.5 s absolutely. Of a boot its start and its end, of a
            shutdown its start, where the account has them.
        written_utc_ns: TimeCreated of the record itself.
        sleep_ms: length of the transition to sleep. wake_ms: device and user initialisation.
        driver_init_ms, bios_init_ms: the two parts that SYSFUND-0004 sums.
        firmware_resume_ms: FullResume of Kernel-Power 131, the firmware's own S3 time.
        firmware_resume_count: ResumeCount of the same record.
        os_build: the build that wrote it, where the log has it.
        components: phases, devices, services and applications that the account times.
        figures: further numbers of the account, by name.
        text: the original text of the record and its companions, as read, newline-separated.
        ignored: the tool that wrote the listing leaves this transition out of its own figures.
        computer: whose sleep it is, as the log has the name; hostile. Empty where it has none.
        ended: how it ended, where the kind alone does not say so; `ending` is what to read.
        notes: what is odd about it, or why it failed, each one sentence; may quote the log.
    """

    source: int
    record_id: int | None
    kind: SleepKind
    sleep_time_utc_ns: int | None
    wake_time_utc_ns: int | None
    written_utc_ns: int | None
    sleep_ms: int | None
    wake_ms: int | None
    driver_init_ms: int | None
    bios_init_ms: int | None
    firmware_resume_ms: int | None
    firmware_resume_count: int | None
    hiber_read_ms: int | None
    hiber_write_ms: int | None
    hiber_pages: int | None
    wake_source: WakeSource
    target_state: int | None = None
    effective_state: int | None = None
    os_build: int | None = None
    components: tuple[Component, ...] = ()
    figures: tuple[Figure, ...] = ()
    text: str = ""
    ignored: bool = False
    computer: str = ""
    ended: Ending | None = None
    notes: tuple[str, ...] = ()

    @property
    def ending(self) -> Ending | None:
        """How the sleep ended; None of what is no sleep, and where the log does not show it."""
        if self.kind in NO_SLEEPS or self.ended is Ending.NOT_SHOWN:
            return None
        return self.ended or _ENDINGS.get(self.kind, Ending.RESUMED)

    @property
    def is_untimed(self) -> bool:
        """Whether the OS slept, and wrote nothing of how long it took to come back."""
        return self.ended is Ending.RESUMED or self.ended is Ending.NOT_SHOWN

    @property
    def failed(self) -> bool:
        """Whether it was to resume from an image and did not: no cut of the power explains that."""
        return self.kind in _FROM_IMAGE and self.ending is Ending.BECAME_BOOT

    @property
    def resume_ms(self) -> int | None:
        """BiosInit + DriverInit, the time that SYSFUND-0004 limits; None if either is missing."""
        if self.bios_init_ms is None or self.driver_init_ms is None:
            return None
        return self.bios_init_ms + self.driver_init_ms

    @property
    def user_init_ms(self) -> int | None:
        """The USER phase: what WakeDuration has beyond DriverInitDuration; None if either lacks."""
        if self.wake_ms is None or self.driver_init_ms is None:
            return None
        rest_ms = self.wake_ms - self.driver_init_ms
        return rest_ms if rest_ms >= 0 else None

    @property
    def entered_kind(self) -> SleepKind:
        """Its kind; of a sleep that the OS did not come back from that which was entered, if known.

        Only DIED has states of what was entered and another kind.
        """
        if self.kind is not SleepKind.DIED:
            return self.kind
        return KINDS.get((self.target_state, self.effective_state), self.kind)

    @property
    def read_its_image(self) -> bool:
        """Whether a hybrid sleep lost its power and resumed from its hibernation file, not S3."""
        return self.kind is SleepKind.HYBRID and self.hiber_read_ms is not None


@dataclass(frozen=True, slots=True)
class Integrity:
    """What was found to be missing or damaged in a source; each problem is one sentence.

    Attributes:
        ok: nothing is missing.
        notes: those of the problems that are no damage.
        not_understood: those of the problems by which a reader could not tell what something of
            its own kind is; they quote the source and are hostile.
    """

    ok: bool
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()

    @property
    def damage(self) -> tuple[str, ...]:
        """The problems by which something is missing."""
        return tuple(problem for problem in self.problems if problem not in self.notes)


BOOT_START_DRIVERS = "boot_start_drivers"
"""Name in a source's identity: the files of the drivers that the OS loader loads, ", " between."""


@dataclass(frozen=True, slots=True)
class LogSource:
    """One file (or other origin) that OS records were read from.

    Attributes:
        path: as the user named it.
        kind: "evtx", "eventlog-xml", ...
        os_build: the last build that the log has, None where it has none.
        records: how many records the source holds, relevant or not.
        identity: what the source reports of the DUT, (name, value) pairs, e.g. ("system_product",
            "X1"); hostile.
        from_description: the format is read by its description; no public sample of it exists.
    """

    path: str
    kind: str
    os_build: int | None
    records: int
    integrity: Integrity
    identity: tuple[tuple[str, str], ...] = ()
    from_description: bool = False

    @property
    def boot_start_drivers(self) -> tuple[str, ...]:
        """The drivers that the OS loader loads, where the source names them; hostile."""
        text = dict(self.identity).get(BOOT_START_DRIVERS, "")
        return tuple(filter(None, text.split(", ")))


@dataclass(frozen=True, slots=True)
class LogReading:
    """All that was read from one or more sources; `records` are in record order per source.

    Attributes:
        computers: names of the computers that the sleeps of event logs are of; more than one where
            a PC was renamed, or a log collects those of several; hostile. Of a store its records
            have them.
        overlaps: sources that are one log, because each shares a record with another of them; those
            of one group by their indexes. No store keeps them.
    """

    sources: tuple[LogSource, ...] = ()
    records: tuple[OsRecord, ...] = field(default=())
    computers: tuple[str, ...] = ()
    overlaps: tuple[frozenset[int], ...] = ()
