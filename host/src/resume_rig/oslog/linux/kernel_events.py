"""What one message of the kernel says of a sleep, in the wordings of Linux 3.x to 6.x.

Kernel messages are English constants. A prefix ("PM:", "ACPI: PM:", "PM: hibernation:") came and
went between versions, so it is taken off first.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from resume_rig.model.os_record import SleepKind
from resume_rig.oslog.linux.cycle import Half


@dataclass(frozen=True, slots=True)
class Entry:
    """A sleep begins; `certain` where no other line can come before this one."""

    kind: SleepKind
    certain: bool


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase ended."""

    name: str
    half: Half
    duration_us: int
    aborted: bool = False
    devices: bool = True


@dataclass(frozen=True, slots=True)
class Woke:
    """The first things that the kernel does awake.

    Attributes:
        slept: it slept, unless it said that it gave up.
        proof: it slept, whatever it said.
        asleep_us: how long, by the RTC.
        reason: what woke it.
    """

    slept: bool
    proof: bool = False
    asleep_us: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reached:
    """The firmware is asked for a sleep state of ACPI."""

    state: int


@dataclass(frozen=True, slots=True)
class Aborted:
    """The sleep is given up; `wakeup`: because something woke it."""

    reason: str
    wakeup: bool = False


@dataclass(frozen=True, slots=True)
class DeviceFailed:
    """A callback returned an error; `suspending` where that stops the sleep."""

    reason: str


@dataclass(frozen=True, slots=True)
class Calling:
    """A device's callback begins (initcall_debug)."""

    device: str
    detail: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A device's callback ended (initcall_debug)."""

    device: str
    error: int
    duration_us: int


@dataclass(frozen=True, slots=True)
class Thawing:
    """The devices are awake and the tasks are let go; `done` where they are."""

    done: bool


@dataclass(frozen=True, slots=True)
class Exit:
    """The resume is complete."""


@dataclass(frozen=True, slots=True)
class Boot:
    """A kernel starts."""

    version: str


@dataclass(frozen=True, slots=True)
class Machine:
    """The line that names the DUT and its BIOS."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A hibernation image: how long it took to write or read, or how many pages it has."""

    name: str
    value: int


KernelEvent = (
    Entry
    | Phase
    | Woke
    | Reached
    | Aborted
    | DeviceFailed
    | Calling
    | Returned
    | Thawing
    | Exit
    | Boot
    | Machine
    | Image
)

_PREFIXES: Final = ("PM: ", "ACPI: ", "PM: ", "hibernation: ")
_ENTRY_KINDS: Final[Mapping[str, SleepKind]] = {
    "deep": SleepKind.S3,
    "mem": SleepKind.S3,
    "s2idle": SleepKind.S2IDLE,
    "freeze": SleepKind.S2IDLE,
    "shallow": SleepKind.S1,
    "standby": SleepKind.S1,
}
# pm_verb() of drivers/base/power/main.c: what a phase does to the devices.
_HALVES: Final[Mapping[str, Half]] = {
    "suspend": Half.SUSPEND,
    "freeze": Half.SUSPEND,
    "thaw": Half.SUSPEND,  # to write the image; the sleep is still to come
    "hibernate": Half.SUSPEND,
    "resume": Half.RESUME,
    "restore": Half.RESUME,
    "recover": Half.RESUME,
}
_NAME_OF_PHASE: Final = (
    r"(?:(?:start|late|early|noirq) )?(suspend|freeze|thaw|hibernate|resume|restore|recover)"
)
_DECIMAL: Final = r"([0-9]{1,9})\.([0-9]{2,3})"


def _us(whole: str, fraction: str, unit_us: int) -> int:
    return (int(whole) * 1_000 + int(fraction.ljust(3, "0"))) * unit_us // 1_000


def _phase(match: re.Match[str]) -> Phase:
    name = match[0].partition(" of devices")[0]
    duration_us = _us(match[3], match[4], 1_000)
    return Phase(f"{name} devices", _HALVES[match[1]], duration_us, match[2] == "aborted")


def _old_phase(match: re.Match[str]) -> Phase:
    return Phase(f"{match[1]} devices", _HALVES[match[1]], _us(match[2], match[3], 1_000_000))


def _freezing(match: re.Match[str]) -> KernelEvent:
    return Phase(
        f"freeze {match[1]}",
        Half.SUSPEND,
        _us(match[2], match[3], 1_000_000),
        devices=False,
    )


def _failed(match: re.Match[str]) -> DeviceFailed:
    return DeviceFailed(f"{match[1]}: failed to {match[2]}, error {match[3]}")


_Make = Callable[[re.Match[str]], KernelEvent | None]

# Looked for in messages that have one of the prefixes.
_PREFIXED: Final[tuple[tuple[str, _Make], ...]] = (
    (
        r"suspend entry \(([a-z0-9]{1,16})\)",
        lambda m: Entry(_ENTRY_KINDS.get(m[1], SleepKind.UNKNOWN), certain=True),
    ),
    (r"hibernation entry", lambda _: Entry(SleepKind.S4, certain=True)),
    (
        r"(?:Preparing system for|Entering|Suspending system) \(?([a-z0-9]{1,16})\)?(?: sleep)?$",
        lambda m: Entry(_ENTRY_KINDS.get(m[1], SleepKind.UNKNOWN), certain=False),
    ),
    (
        r"Preparing system for sleep \(([a-z0-9]{1,16})\)",
        lambda m: Entry(_ENTRY_KINDS.get(m[1], SleepKind.UNKNOWN), certain=False),
    ),
    (r"Syncing filesystems", lambda _: Entry(SleepKind.UNKNOWN, certain=False)),
    (r"Preallocating image memory", lambda _: Entry(SleepKind.S4, certain=False)),
    (_NAME_OF_PHASE + r" of devices (complete|aborted) after " + _DECIMAL + " msecs", _phase),
    (r"(suspend|resume) devices took " + _DECIMAL + " seconds", _old_phase),
    (r"Preparing to enter system sleep state S([1-5])", lambda m: Reached(int(m[1]))),
    (r"Low-level resume complete", lambda _: Woke(slept=True, proof=True)),
    (r"Restoring platform NVS memory", lambda _: Woke(slept=True)),
    (r"Waking up from system sleep state S[1-4]", lambda _: Woke(slept=True)),
    (r"resume from suspend-to-idle", lambda _: Woke(slept=True)),
    (
        r"Triggering wakeup from (IRQ [0-9]{1,6})",
        lambda m: Woke(slept=True, reason=m[1]),
    ),
    (
        r"Timekeeping suspended for " + _DECIMAL + " seconds",
        lambda m: Woke(slept=True, proof=True, asleep_us=_us(m[1], m[2], 1_000_000)),
    ),
    (r"EC: (?:interrupt|event) unblocked", lambda _: Woke(slept=False)),
    (r"suspend debug: Waiting", lambda _: Aborted("pm_test: the sleep was only rehearsed")),
    (r"Image restored successfully", lambda _: Woke(slept=True, proof=True)),
    (
        r"(?:Wrote|Read) [0-9]{1,12} kbytes in " + _DECIMAL + " seconds",
        lambda m: Image(
            "write" if m[0].startswith("Wrote") else "read", _us(m[1], m[2], 1_000_000) // 1_000
        ),
    ),
    (r"Need to copy ([0-9]{1,12}) pages", lambda m: Image("pages", int(m[1]))),
    (r"Image created \(([0-9]{1,12}) pages copied", lambda m: Image("pages", int(m[1]))),
    (r"Device (.{1,120}?) failed to ([a-z ]{1,40}): error (-?[0-9]{1,6})", _failed),
    (r"Some devices failed to (?:suspend|power down|power off|freeze)", lambda m: Aborted(m[0])),
    (r"Some system devices failed to power down", lambda m: Aborted(m[0])),
    (r"Wakeup pending, aborting suspend", lambda m: Aborted(m[0], wakeup=True)),
    (
        r"(?:last )?active wakeup source: (.{1,120})",
        lambda m: Aborted(f"wakeup source {m[1]}", wakeup=True),
    ),
    (r"(?:Image creation failed|Error -?[0-9]{1,6} creating image)", lambda m: Aborted(m[0])),
    (r"(?:Not enough free memory|Cannot get swap writer)", lambda m: Aborted(m[0])),
    (r"Finishing wakeup", lambda _: Thawing(done=False)),
    (r"(?:suspend|hibernation) exit", lambda _: Exit()),
)
# Looked for in every message.
_PLAIN: Final[tuple[tuple[str, _Make], ...]] = (
    (
        r"Freezing (user space processes|remaining freezable tasks)[^(]{0,40}"
        r"\(elapsed " + _DECIMAL + r" seconds\)",
        _freezing,
    ),
    (
        r"Freezing (?:of (?:user space )?(?:tasks|processes)|user space processes"
        r"|remaining freezable tasks) (?:failed|aborted) after",
        lambda m: Aborted(m[0].removesuffix(" after")),
    ),
    (
        r"Filesystems sync: " + _DECIMAL + " seconds",
        lambda m: Phase(
            "sync filesystems", Half.SUSPEND, _us(m[1], m[2], 1_000_000), devices=False
        ),
    ),
    (r"Enabling non-boot CPUs", lambda _: Woke(slept=False)),
    (r"Restarting tasks ?\.\.\. ?done\.", lambda _: Thawing(done=True)),
    (r"Restarting tasks: Done", lambda _: Thawing(done=True)),
    (r"Restarting tasks", lambda _: Thawing(done=False)),
    (r"done\.$", lambda _: Thawing(done=True)),
    (r"Linux version (\S{1,100})", lambda m: Boot(m[1])),
    (r"DMI: (.{1,300})", lambda m: Machine(m[1])),
    (
        r"calling  (.{1,120}?)\+ @ [0-9]{1,8}, parent: (.{0,120})",
        lambda m: Calling(m[1], f"parent {m[2]}"),
    ),
    (
        r"call (.{1,120}?)\+ returned (-?[0-9]{1,6}) after ([0-9]{1,12}) usecs",
        lambda m: Returned(m[1], int(m[2]), int(m[3])),
    ),
    (
        r"(\S{0,60}) (\S.{0,120}?): (?:PM: )?calling {1,2}(\S{1,80}) @ [0-9]{1,8}"
        r", parent: (.{0,120})",
        lambda m: Calling(m[2], f"{m[1]}, parent {m[4]}, {_function(m[3])}".removeprefix(", ")),
    ),
    (
        r"\S{0,60} (\S.{0,120}?): (?:PM: )?\S{1,80} returned (-?[0-9]{1,6})"
        r" after ([0-9]{1,12}) usecs",
        lambda m: Returned(m[1], int(m[2]), int(m[3])),
    ),
    (
        r"(?:\S{0,60} )?(\S.{0,120}?): (?:PM: )?failed to ([a-z ]{1,40}): error (-?[0-9]{1,6})",
        _failed,
    ),
)
_FIRST_WORDS: Final = re.compile(
    r"Freezing |Filesystems sync|Enabling non-boot|Restarting tasks|done\.|Linux version|DMI: "
    r"|calling  |call |\S{0,60} .{0,124}?(?:calling  ?\S| returned -?[0-9]| failed to [a-z])"
)


def _function(symbol: str) -> str:
    return symbol.partition("+")[0]


def _compiled(table: tuple[tuple[str, _Make], ...]) -> tuple[tuple[re.Pattern[str], _Make], ...]:
    return tuple((re.compile(pattern), make) for pattern, make in table)


_PREFIXED_PATTERNS: Final = _compiled(_PREFIXED)
_PLAIN_PATTERNS: Final = _compiled(_PLAIN)


def kernel_event(message: str) -> KernelEvent | None:
    """Return what a message says of a sleep; None where it speaks of something else."""
    bare = message
    for prefix in _PREFIXES:
        bare = bare.removeprefix(prefix)
    if len(bare) < len(message):
        found = _first(_PREFIXED_PATTERNS, bare)
        if found is not None:
            return found
    if _FIRST_WORDS.match(bare) is None:
        return None
    return _first(_PLAIN_PATTERNS, bare)


def _first(patterns: tuple[tuple[re.Pattern[str], _Make], ...], message: str) -> KernelEvent | None:
    for pattern, make in patterns:
        match = pattern.match(message)
        if match is not None:
            return make(match)
    return None
