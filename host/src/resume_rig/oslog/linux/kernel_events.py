"""One line of a kernel log to its message, and what that reports of a sleep (Linux 3.x to 6.x).

Of a line's front, as dmesg, journalctl and syslog print or export it, only the structure counts:
names of days and months are localised, and the times that dmesg -T and --time-format make of the
kernel's clock are wrong after a sleep, because that clock stands still meanwhile. Messages are
English constants; a prefix ("PM:", "ACPI: PM:", "PM: hibernation:") came and went between versions.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import SleepKind
from resume_rig.oslog.linux.cycle import Half
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import parse_utc_ns

FRONT_LIMIT_CHARS: Final = 256
_MESSAGE_LIMIT_CHARS: Final = 4096

_DELTA: Final = r"<[ +0-9]{1,16}\.[0-9]{6}>"  # -d
_CALLER: Final = r"(?: ?\[ {0,8}[TC][0-9]{1,8}\])?"  # CONFIG_PRINTK_CALLER; dmesg sets a blank
_STAMP: Final = re.compile(rf"\[ {{0,12}}([0-9]{{1,10}})\.([0-9]{{6}})(?: {_DELTA})?\]{_CALLER} ?")
_OTHER_TIME: Final = re.compile(  # --reltime; --time-format delta; -T and -e, also with -d
    rf"\[(?: {{0,12}}\+[0-9]{{1,10}}\.[0-9]{{6}}|{_DELTA}"
    r"|[^\[\]<]{1,24}[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?[^\[\]<]{0,12}"
    rf"(?: {_DELTA})?)\]{_CALLER} "
)
_LEVEL: Final = re.compile(r"<[0-9]{1,3}>|[a-z0-9]{1,8} {0,8}:[a-z]{1,8} {0,8}: ")
_ISO_OF_DMESG: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8},[0-9]{6}[+-][0-9]{2}:[0-9]{2} "
)
_ISO_OF_JOURNAL: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})) "
)
_UNIX_TIME: Final = re.compile(r"([0-9]{9,11})\.([0-9]{6}) ")
FROM_KERNEL: Final = re.compile(r"(?:^|\s)kernel(?:\[[0-9]{1,8}\])?: ")


@dataclass(frozen=True, slots=True)
class KernelLine:
    """One message of the kernel.

    Attributes:
        message: without time, level and host.
        stamp_us: the kernel's own clock in microseconds; it stands still in a sleep. None where
            the form does not show it.
        utc_ns: when the journal took the message, ns since 1970 UTC; None without that time.
        host: whose message it is, where the form has that; hostile.
    """

    message: str
    stamp_us: int | None = None
    utc_ns: int | None = None
    host: str = ""


def parse_kernel_line(line: str) -> KernelLine | None:
    """Return the message of a line; None where it has none of the forms."""
    line = line[:_MESSAGE_LIMIT_CHARS]
    level = _LEVEL.match(line)
    start = level.end() if level else 0
    stamp = _STAMP.match(line, start)
    if stamp is not None:
        rest = line[stamp.end() :]
        return KernelLine(_without_host(rest), _microseconds(stamp))
    match = _OTHER_TIME.match(line, start) or _ISO_OF_DMESG.match(line, start)
    if match is not None:
        return KernelLine(line[match.end() :])
    return _syslog_line(line)


def _without_host(rest: str) -> str:
    """`-o short-monotonic` has the host and "kernel:" behind the stamp."""
    found = FROM_KERNEL.search(rest[:FRONT_LIMIT_CHARS])
    if found is None or rest[: found.start()].count(" ") > 0:
        return rest
    return rest[found.end() :]


def _syslog_line(line: str) -> KernelLine | None:
    found = FROM_KERNEL.search(line[:FRONT_LIMIT_CHARS])
    if found is None:
        return None
    rest = line[found.end() :]
    stamp = _STAMP.match(rest)
    host = line[: found.start()].rpartition(" ")[2]
    if stamp is None:
        return KernelLine(rest, None, _utc_ns(line), host)
    return KernelLine(rest[stamp.end() :], _microseconds(stamp), _utc_ns(line), host)


def _utc_ns(line: str) -> int | None:
    iso = _ISO_OF_JOURNAL.match(line)
    if iso is not None:
        try:
            return parse_utc_ns(iso[1])
        except RecordError:
            return None
    unix = _UNIX_TIME.match(line)
    return None if unix is None else (int(unix[1]) * 1_000_000 + int(unix[2])) * 1_000


def _microseconds(stamp: re.Match[str]) -> int:
    return int(stamp[1]) * 1_000_000 + int(stamp[2])


_REALTIME: Final = "__REALTIME_TIMESTAMP"
_STAMPS: Final = ("_SOURCE_MONOTONIC_TIMESTAMP", "__MONOTONIC_TIMESTAMP")
_FIELDS: Final = frozenset(
    {_REALTIME, *_STAMPS, "MESSAGE", "_TRANSPORT", "SYSLOG_IDENTIFIER", "_HOSTNAME"}
)
_LONGEST_DIGITS: Final = 18
_FIELD_LIMIT_CHARS: Final = 4096


def is_journal_export(lines: list[str]) -> bool:
    """Whether a file that begins with these lines is `journalctl -o export`."""
    return bool(lines) and lines[0].startswith(("__CURSOR=", f"{_REALTIME}="))


def is_journal_json(lines: list[str]) -> bool:
    """Whether a file that begins with these lines is `journalctl -o json`."""
    return bool(lines) and lines[0].startswith("{") and f'"{_REALTIME}"' in lines[0]


def export_lines(lines: Iterator[str], tally: ProblemTally) -> Iterator[KernelLine]:
    """Yield the kernel's messages of an export; entries are parted by blank lines."""
    entry: dict[str, str] = {}
    binary = 0
    for line in lines:
        if not line:
            if (found := _kernel_line(entry)) is not None:
                yield found
            entry = {}
            continue
        name, separator, value = line.partition("=")
        if separator and name in _FIELDS:
            entry.setdefault(name, value[:_FIELD_LIMIT_CHARS])
        elif line == "MESSAGE":  # 8 bytes of length and the raw text follow
            binary += 1
    if (found := _kernel_line(entry)) is not None:
        yield found
    tally.report_count(
        "Messages that the export holds in binary form were not read: {}.", binary, damage=True
    )


def json_lines(lines: Iterator[str], tally: ProblemTally) -> Iterator[KernelLine]:
    """Yield the kernel's messages of a file with one JSON object a line."""
    malformed = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            malformed += 1
            continue
        if not isinstance(entry, dict):
            malformed += 1
            continue
        texts = {name: value for name, value in entry.items() if isinstance(value, str)}
        if (found := _kernel_line(texts)) is not None:
            yield found
    tally.report_count(
        "Lines that are no JSON object: {}, so their content is unknown.", malformed, damage=True
    )


def _kernel_line(entry: Mapping[str, str]) -> KernelLine | None:
    message = entry.get("MESSAGE")
    sender = entry.get("_TRANSPORT") or entry.get("SYSLOG_IDENTIFIER", "kernel")
    if message is None or sender != "kernel":
        return None
    utc_us = _whole(entry.get(_REALTIME))
    return KernelLine(
        message[:_FIELD_LIMIT_CHARS],
        next((stamp for name in _STAMPS if (stamp := _whole(entry.get(name))) is not None), None),
        None if utc_us is None else utc_us * 1_000,
        entry.get("_HOSTNAME", ""),
    )


def _whole(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit():
        return None
    number = int(text) if len(text) <= _LONGEST_DIGITS else 1 << 63
    return number if number * 1_000 < 1 << 63 else None


@dataclass(frozen=True, slots=True)
class Entry:
    """A sleep begins; `certain` where no other line can come before this one."""

    kind: SleepKind
    certain: bool


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase ended; `total` where the line sums what others report one by one."""

    name: str
    half: Half
    duration_us: int
    aborted: bool = False
    devices: bool = True
    total: bool = False


@dataclass(frozen=True, slots=True)
class Woke:
    """The first things that the kernel does awake.

    Attributes:
        slept: it slept, unless it reported that it gave up.
        proof: it slept, whatever it reported.
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
    """The sleep is given up; `wakeup`: because something woke it; `culprit`: the line names it."""

    reason: str
    wakeup: bool = False
    culprit: bool = False


@dataclass(frozen=True, slots=True)
class DeviceFailed:
    """A callback returned an error.

    Attributes:
        device: its bus address. driver: empty where the line does not name it.
        action: what it failed to do, e.g. "resume async".
        error: negative errno.
    """

    device: str
    driver: str
    action: str
    error: int

    @property
    def reason(self) -> str:
        """What failed, in a clause."""
        who = f"{self.device} ({self.driver})" if self.driver else self.device
        return f"{who} failed to {self.action}, error {self.error}"


@dataclass(frozen=True, slots=True)
class DeviceTook:
    """How long one device took in a phase, as old kernels report it."""

    device: str
    driver: str
    phase: str
    half: Half
    duration_us: int


@dataclass(frozen=True, slots=True)
class Hanging:
    """A task that did not freeze."""

    task: str


@dataclass(frozen=True, slots=True)
class NotDeepest:
    """The platform's deepest idle state was not reached in the sleep before."""

    reason: str


@dataclass(frozen=True, slots=True)
class Restoring:
    """A kernel that has just started found a hibernation image, and begins to resume from it."""


@dataclass(frozen=True, slots=True)
class NotRestored:
    """The image was not resumed from.

    Attributes:
        cause: the line says why. final: the kernel goes on as a boot.
    """

    reason: str
    cause: bool = False
    final: bool = False


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
    | DeviceTook
    | Hanging
    | NotDeepest
    | Restoring
    | NotRestored
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
    duration_us = _us(match[2], match[3], 1_000_000)
    return Phase(f"{match[1]} devices", _HALVES[match[1]], duration_us, total=True)


def _device_took(match: re.Match[str]) -> DeviceTook:
    phase = f"{match[0].partition(' of drv:')[0]} devices"
    half, duration_us = _HALVES[match[1]], _us(match[4], match[5], 1_000)
    return DeviceTook(match[3], match[2], phase, half, duration_us)


def _freezing(match: re.Match[str]) -> KernelEvent:
    return Phase(
        f"freeze {match[1]}",
        Half.SUSPEND,
        _us(match[2], match[3], 1_000_000),
        devices=False,
    )


def _failed(match: re.Match[str]) -> DeviceFailed:
    driver, device, action, error = match.groups()
    return DeviceFailed(device, driver or "", action, int(error))


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
    (
        _NAME_OF_PHASE + r" of drv:(\S{1,60}) dev:(\S.{0,120}?) complete after " + _DECIMAL,
        _device_took,
    ),
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
    (r"(\b)Device (.{1,120}?) failed to ([a-z ]{1,40}): error (-?[0-9]{1,6})", _failed),
    (r"Image signature found, resuming", lambda _: Restoring()),
    (r"resume from hibernation", lambda _: Restoring()),
    (r"Image mismatch: .{0,120}", lambda m: NotRestored(m[0], cause=True)),
    (r"Failed to load image, recovering", lambda m: NotRestored(m[0])),
    (r"Error -?[0-9]{1,6} resuming", lambda m: NotRestored(m[0])),
    (r"resume failed \(-?[0-9]{1,6}\)", lambda m: NotRestored(m[0], final=True)),
    (r"Some devices failed to (?:suspend|power down|power off|freeze)", lambda m: Aborted(m[0])),
    (r"Some system devices failed to power down", lambda m: Aborted(m[0])),
    (r"Wakeup pending, aborting suspend", lambda m: Aborted(m[0], wakeup=True)),
    (
        r"(?:last )?active wakeup source: (.{1,120})",
        lambda m: Aborted(f"wakeup source {m[1]}", wakeup=True, culprit=True),
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
    (
        r"Timekeeping suspended for " + _DECIMAL + " seconds",
        lambda m: Woke(slept=True, proof=True, asleep_us=_us(m[1], m[2], 1_000_000)),
    ),
    (r"task:(\S{1,64}) {1,32}state:\S", lambda m: Hanging(m[1])),
    (
        r"Hibernate inconsistent memory map detected",
        lambda m: NotRestored(m[0], cause=True),
    ),
    (
        r"(?:\S{0,60} )?\S{0,60}: (?:CPU did not enter SLP_S0"
        r"|Last suspend didn't reach deepest state)",
        lambda m: NotDeepest(m[0]),
    ),
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
        r"(?:(\S{1,60}) )?(\S.{0,120}?): (?:PM: )?failed to ([a-z ]{1,40}): error (-?[0-9]{1,6})",
        _failed,
    ),
)
_FIRST_WORDS: Final = re.compile(
    r"Freezing |Filesystems sync|Enabling non-boot|Restarting tasks|done\.|Linux version|DMI: "
    r"|Timekeeping suspended|task:|Hibernate inconsistent"
    r"|calling  |call |\S{0,60} .{0,124}?(?:calling  ?\S| returned -?[0-9]| failed to [a-z]"
    r"|did not enter SLP_S0|reach deepest state)"
)


def _function(symbol: str) -> str:
    return symbol.partition("+")[0]


def _compiled(table: tuple[tuple[str, _Make], ...]) -> tuple[tuple[re.Pattern[str], _Make], ...]:
    return tuple((re.compile(pattern), make) for pattern, make in table)


_PREFIXED_PATTERNS: Final = _compiled(_PREFIXED)
_PLAIN_PATTERNS: Final = _compiled(_PLAIN)


def kernel_event(message: str) -> KernelEvent | None:
    """Return what a message reports of a sleep; None where it is about something else."""
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


# What the kernel's power management writes around a sleep and beside it, and that reports nothing
# here: kernel/power, drivers/base/power and drivers/acpi/sleep.c of Linux 3.15 to 6.18.
_SILENT: Final = re.compile(
    r"Calling |Saving platform NVS|suspend-to-idle|Rearming ACPI SCI|\(supports |Power Resource"
    r"|(?:Adding|Removing) (?:info|aliases)|RTC time|Registering ACPI NVS|Registered nosave"
    r"|Marking nosave|Basic memory bitmaps|Creating image|Normal pages|Allocated |Using [0-9]"
    r"|(?:Compressing|Loading|Saving|Writing) |Image (?:loading|saving|successfully|storage|device)"
    r"|Hibernation (?:image|mode)|Checking |Image not found|Starting manual|S\||Hash |Wakeup IRQ"
    r"|Thawing|Restoring |Unsupported|Not supported|Adding |Trying to free|[Gg]enpd|Sanity"
    r"|early_|pm_|dpm_|Disabling|Enabling|Device |parent |Image will|The hibernation|debug:|Free"
    r"|(?:Success|Cannot find swap|Swap header|No swap|Snapshot|Not enough)"
)
_OF_SLEEP: Final = re.compile(
    r"(?:suspend|hibernation) (?:entry|exit)|system sleep state|of devices (?:complete|aborted)"
    r"|Timekeeping suspended|Low-level resume|devices took|Freezing user space"
)


def is_strange(message: str) -> bool:
    """Return whether a message that reports nothing is one of power management all the same.

    One that `kernel_event` does not know, of the prefixes of power management and none of the
    messages that are known to report nothing, or with words that nothing else has.
    """
    bare = message
    for prefix in _PREFIXES:
        bare = bare.removeprefix(prefix)
    if message.startswith(("PM: ", "ACPI: PM: ", "hibernation: ")):
        return _SILENT.match(bare) is None
    if _OF_SLEEP.search(message) is None:
        return False
    return _FREEZING_BEGINS.match(bare) is None


_FREEZING_BEGINS: Final = re.compile(r"Freezing user space processes(?: \.\.\.)? ?$")


def _first(patterns: tuple[tuple[re.Pattern[str], _Make], ...], message: str) -> KernelEvent | None:
    for pattern, make in patterns:
        match = pattern.match(message)
        if match is not None:
            return make(match)
    return None
