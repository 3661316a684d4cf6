"""Kernel messages of `journalctl -o export` and `-o json`."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from resume_rig.oslog.linux.kernel_lines import KernelLine
from resume_rig.oslog.problems import ProblemTally

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
        tally.tell(
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
        tally.tell(
            f"Lines that are no JSON object: {malformed}, so what they told is unknown.",
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
