"""One line of an ftrace text: the events of a suspend, and what they say."""

import re
from dataclasses import dataclass
from typing import Final

_FRONT_LIMIT_CHARS: Final = 256
_LINE_LIMIT_CHARS: Final = 4096

# TASK-PID, a thread group in some formats, CPU, up to six flags, seconds, the event's name. The
# task's name may hold blanks and hyphens, so the search begins at the hyphen before the PID.
_EVENT: Final = re.compile(
    r"-([0-9]{1,10}) {1,32}(?:\([ 0-9-]{1,16}\) {1,8})?\[[0-9]{1,6}\] {1,8}(?:[^ ]{1,8} {1,8})?"
    r"([0-9]{1,10})\.([0-9]{6})[0-9]{0,3}: ([A-Za-z_][A-Za-z0-9_]{0,63}): "
)
_SUSPEND_RESUME: Final = re.compile(r"([A-Za-z_][\w ]{0,60})\[([0-9]{1,10})\] (begin|end)")
_CALLBACK_START: Final = re.compile(
    r"(\S{0,60}) (.{1,120}?), parent: (.{0,120}?), (.{0,80}?)\[([a-z ]{1,20})\]"
)
_CALLBACK_END: Final = re.compile(r"(\S{0,60}) (.{1,120}?), err=(-?[0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class TraceLine:
    """Any event.

    Attributes:
        thread: its number.
        stamp_us: the trace's clock in microseconds; it stands still in a sleep.
        event: its name. payload: what it says.
    """

    thread: int
    stamp_us: int
    event: str
    payload: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the suspend or the resume begins or ends."""

    name: str
    value: int
    begins: bool


@dataclass(frozen=True, slots=True)
class CallbackStart:
    """A device's callback begins."""

    driver: str
    device: str
    parent: str
    callback: str


@dataclass(frozen=True, slots=True)
class CallbackEnd:
    """A device's callback ended."""

    driver: str
    device: str
    error: int


def parse_trace_line(line: str) -> TraceLine | None:
    """Return the event of a line; None where it has none."""
    match = _EVENT.search(line[:_FRONT_LIMIT_CHARS])
    if match is None:
        return None
    stamp_us = int(match[2]) * 1_000_000 + int(match[3])
    payload = line[match.end() : _LINE_LIMIT_CHARS]
    return TraceLine(int(match[1]), stamp_us, match[4], payload)


def step_of(payload: str) -> Step | None:
    """Return what a suspend_resume event says."""
    match = _SUSPEND_RESUME.match(payload)
    return None if match is None else Step(match[1], int(match[2]), match[3] == "begin")


def callback_start_of(payload: str) -> CallbackStart | None:
    """Return what a device_pm_callback_start event says; a device may have no driver."""
    match = _CALLBACK_START.match(payload)
    if match is None:
        return None
    return CallbackStart(match[1], match[2], match[3], f"{match[4]}[{match[5]}]")


def callback_end_of(payload: str) -> CallbackEnd | None:
    """Return what a device_pm_callback_end event says."""
    match = _CALLBACK_END.match(payload)
    return None if match is None else CallbackEnd(match[1], match[2], int(match[3]))
