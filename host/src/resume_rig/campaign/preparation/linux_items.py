"""What a Linux DUT should be like before its resumes are measured.

Sources: the kernel's Documentation/admin-guide/pm/sleep-states.rst and
Documentation/power/basic-pm-debugging.rst; logind's bus interface.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from resume_rig.campaign.preparation.item import Item, Reply
from resume_rig.model.preparation import Found, Standing

_LOGIND: Final = (
    "busctl get-property org.freedesktop.login1 /org/freedesktop/login1 "
    "org.freedesktop.login1.Manager"
)
_SLOWING: Final = ("initcall_debug", "no_console_suspend", "ignore_loglevel", "debug")


def linux_items() -> tuple[Item, ...]:
    """Return the checklist."""
    return _ITEMS


def _words(reply: Reply) -> list[str]:
    return reply.text.split()


def _states(replies: Sequence[Reply]) -> Found:
    states = _words(replies[0])
    return Found(
        Standing.GOOD if "mem" in states else Standing.CHANGE,
        f"offers {', '.join(states)[:100] or 'nothing'}",
    )


def _mem_sleep(replies: Sequence[Reply]) -> Found:
    chosen = re.search(r"\[(\w{1,20})\]", replies[0].text)
    if chosen is None:
        return Found(Standing.UNKNOWN, "the kernel does not tell")
    good = chosen[1] == "deep"
    return Found(Standing.GOOD if good else Standing.CHANGE, f"{chosen[1]} is chosen")


def _pm_test(replies: Sequence[Reply]) -> Found:
    chosen = re.search(r"\[(\w{1,20})\]", replies[0].text)
    if replies[0].status or chosen is None:
        return Found(Standing.GOOD, "this kernel has no such test")
    good = chosen[1] == "none"
    return Found(Standing.GOOD if good else Standing.CHANGE, f"{chosen[1]} is chosen")


def _device_times(replies: Sequence[Reply]) -> Found:
    on = replies[0].text.strip() == "1"
    return Found(Standing.NOTE, "on: each device's time is logged" if on else "off")


def _command_line(replies: Sequence[Reply]) -> Found:
    found = [word for word in _words(replies[0]) if word.partition("=")[0] in _SLOWING]
    if not found:
        return Found(Standing.GOOD, "none of them")
    return Found(Standing.CHANGE, ", ".join(found)[:100])


def _property(replies: Sequence[Reply], wanted: str) -> Found:
    told = re.search(r'"([a-z-]{1,30})"', replies[0].text)
    if replies[0].status or told is None:
        return Found(Standing.UNKNOWN, "logind does not tell")
    return Found(Standing.GOOD if told[1] == wanted else Standing.CHANGE, told[1])


def _alarm(replies: Sequence[Reply]) -> Found:
    text = replies[0].text.strip()
    if text.isdigit():
        return Found(Standing.CHANGE, f"set for {text[:20]} s after 1970")
    return Found(Standing.GOOD, "not set")


def _journal(replies: Sequence[Reply]) -> Found:
    kept = replies[0].status == 0
    return Found(
        Standing.GOOD if kept else Standing.CHANGE,
        "is kept over a restart" if kept else "is lost when the DUT dies",
    )


_ITEMS: Final = (
    Item("sleep states", "mem among them", ("cat /sys/power/state",), _states),
    Item(
        "suspend to RAM",
        "deep (S3): s2idle leaves the power on",
        ("cat /sys/power/mem_sleep",),
        _mem_sleep,
        "echo deep > /sys/power/mem_sleep, or mem_sleep_default=deep on the kernel's command line",
    ),
    Item(
        "suspend test",
        "none: a test turns round before the power goes",
        ("cat /sys/power/pm_test",),
        _pm_test,
        "echo none > /sys/power/pm_test",
    ),
    Item(
        "device times",
        "the same in campaigns that are compared: logging them costs time",
        ("cat /sys/power/pm_print_times",),
        _device_times,
    ),
    Item(
        "kernel's command line",
        "without " + ", ".join(_SLOWING) + ": writing to a console slows every transition",
        ("cat /proc/cmdline",),
        _command_line,
        "the boot loader's configuration",
    ),
    Item(
        "power button",
        "suspend",
        (f"{_LOGIND} HandlePowerKey",),
        partial(_property, wanted="suspend"),
        "HandlePowerKey=suspend in /etc/systemd/logind.conf, then restart",
    ),
    Item(
        "lid",
        "suspend, where the lid is moved",
        (f"{_LOGIND} HandleLidSwitch",),
        partial(_property, wanted="suspend"),
        "HandleLidSwitch=suspend in /etc/systemd/logind.conf, then restart",
    ),
    Item(
        "idle action",
        "ignore: only the rig puts the DUT to sleep",
        (f"{_LOGIND} IdleAction",),
        partial(_property, wanted="ignore"),
        "IdleAction=ignore in /etc/systemd/logind.conf, then restart",
    ),
    Item(
        "wake alarm",
        "not set: only the rig wakes the DUT",
        ("cat /sys/class/rtc/rtc0/wakealarm",),
        _alarm,
        "echo 0 > /sys/class/rtc/rtc0/wakealarm",
    ),
    Item(
        "journal",
        "kept on the disk, so that a DUT that died tells how far it came",
        ("ls -d /var/log/journal",),
        _journal,
        "mkdir -p /var/log/journal, then restart systemd-journald",
    ),
)
