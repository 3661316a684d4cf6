"""One line of a kernel log, in any of the forms that dmesg, journalctl and syslog print.

Only the structure of the front is looked at: names of days and months are localised, and the
times that dmesg -T and --time-format make of the kernel's clock are wrong after a sleep, because
that clock stands still meanwhile.
"""

import re
from dataclasses import dataclass
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.timestamps import parse_utc_ns

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
