"""One message of a kernel log, in any form that dmesg, journalctl and syslog print or export.

Only the structure of a line's front is looked at: names of days and months are localised, and the
times that dmesg -T and --time-format make of the kernel's clock are wrong after a sleep, because
that clock stands still meanwhile.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.timestamps import parse_utc_ns

FRONT_LIMIT_CHARS: Final = 256
_MESSAGE_LIMIT_CHARS: Final = 4096

_STAMP: Final = re.compile(r"\[ {0,12}([0-9]{1,10})\.([0-9]{6})\](?:\[ {0,8}[TC][0-9]{1,8}\])? ?")
_OTHER_TIME: Final = re.compile(  # --reltime; -T and -e
    r"\[(?: {0,12}\+[0-9]{1,10}\.[0-9]{6}"
    r"|[^\[\]]{1,24}[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?[^\[\]]{0,12})\] "
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
        utc_ns: when the journal took the message, ns since 1970 UTC; None where not told.
    """

    message: str
    stamp_us: int | None = None
    utc_ns: int | None = None


def parse_kernel_line(line: str) -> KernelLine | None:
    """Return what a line says; None where it is of no known form."""
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
    if stamp is None:
        return KernelLine(rest, None, _utc_ns(line))
    return KernelLine(rest[stamp.end() :], _microseconds(stamp), _utc_ns(line))


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
_FIELDS: Final = frozenset({_REALTIME, *_STAMPS, "MESSAGE", "_TRANSPORT", "SYSLOG_IDENTIFIER"})
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
    if binary:
        tally.report(
            f"Messages that the export holds in binary form were not read: {binary}.", damage=True
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
    if malformed:
        tally.report(
            f"Lines that are no JSON object: {malformed}, so their content is unknown.",
            damage=True,
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
    )


def _whole(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit():
        return None
    number = int(text) if len(text) <= _LONGEST_DIGITS else 1 << 63
    return number if number * 1_000 < 1 << 63 else None
