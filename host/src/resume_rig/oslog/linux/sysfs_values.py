"""Values of /sys and debugfs as text: suspend_stats, and the firmware's times in acpi/fpdt.

Read are the one file of debugfs, and a directory tree written as `PATH:VALUE` lines, as
`grep -r . DIRECTORY` prints it (`PATH=VALUE` and `PATH VALUE` too).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.linux.firmware import FirmwareAccount
from resume_rig.oslog.source.lines import KERNEL, LogLines, head_lines
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest
from resume_rig.oslog.source.timestamps import parse_whole

KIND: Final = "linux-sysfs"

_LINE: Final = re.compile(r"\s{0,16}(?:[\w.\-/]{1,200}/)?([a-z_]{3,40}) ?[:= ]\s{0,16}(.{0,200})$")
_COUNTS: Final = (
    "success",
    "fail",
    *(
        f"failed_{step}"
        for step in (
            *("freeze", "prepare", "suspend", "suspend_late", "suspend_noirq"),
            *("resume", "resume_early", "resume_noirq"),
        )
    ),
)
_LAST: Final = ("last_failed_dev", "last_failed_errno", "last_failed_step")
_HARDWARE: Final = ("last_hw_sleep", "total_hw_sleep", "max_hw_sleep")
_STATS: Final = frozenset({*_COUNTS, *_LAST, *_HARDWARE})
# drivers/acpi/acpi_fpdt.c names the files.
_FIRMWARE: Final[Mapping[str, str]] = {
    "firmware_start_ns": "firmware_start",
    "bootloader_load_ns": "load",
    "bootloader_launch_ns": "launch",
    "exitbootservice_start_ns": "exit_start",
    "exitbootservice_end_ns": "exit_end",
    "resume_count": "resume_count",
    "resume_prev_ns": "resume",
    "resume_avg_ns": "resume_average",
    "suspend_start_ns": "suspend_start",
    "suspend_end_ns": "suspend_end",
}
_UINT64_MAX: Final = (1 << 64) - 1


def is_sysfs_values(head: bytes) -> bool:
    """Whether a file that begins so holds these values."""
    lines = head_lines(head)
    known = [found for line in lines if (found := _named(line)) is not None]
    firmware = sum(name in _FIRMWARE for name, _ in known)
    stats = {name for name, _ in known if name in _STATS}
    return (firmware > 0 or {"success", "fail"} <= stats) and len(known) * 2 >= len(lines)


def read_sysfs_values(request: SourceRequest) -> SourceReading:
    """Return the firmware's account of a boot and of the last S3 resume, where it is told.

    suspend_stats counts sleeps and times none: its values are the source's identity.

    Raises:
        RecordError: it is a gzip archive that expands beyond measure.
    """
    tally = ProblemTally()
    account = FirmwareAccount(tally)
    stats: dict[str, str] = {}
    count = unreadable = 0
    for name, value in _values(iter(LogLines(request.path, tally, KERNEL))):
        count += 1
        if name in _LAST:
            stats.setdefault(f"suspend_{name}", value)
            continue
        number = _whole(value)
        if number is None:
            unreadable += 1
        elif name in _FIRMWARE:
            account.take({_FIRMWARE[name]: number})
        else:
            unit = "_us" if name in _HARDWARE else ""
            stats.setdefault(f"suspend_{name}{unit}", str(number))
    if unreadable:
        tally.report(
            f"Values that are no whole numbers: {unreadable}; they count as not reported.",
            damage=True,
        )
    if stats:
        _report_counts(stats, tally)
    records = account.records(request.source)
    return request.answer(
        records, KIND, tally.integrity(), count=count, identity=tuple(stats.items())
    )


def _report_counts(stats: Mapping[str, str], tally: ProblemTally) -> None:
    failed, succeeded = stats.get("suspend_fail", "?"), stats.get("suspend_success", "?")
    device = stats.get("suspend_last_failed_dev", "")
    last = f", the last one because of {device}" if device and failed != "0" else ""
    tally.report(
        f"suspend_stats counts sleeps and times none: {succeeded} succeeded, {failed}"
        f" failed{last}.",
        damage=False,
    )


def _values(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        named = _named(line)
        if named is not None and (named[0] in _STATS or named[0] in _FIRMWARE):
            yield named


def _named(line: str) -> tuple[str, str] | None:
    match = _LINE.match(line)
    if match is None:
        return None
    return match[1], match[2].strip()


def _whole(value: str) -> int | None:
    try:
        return parse_whole(value, _UINT64_MAX)
    except RecordError:
        return None
