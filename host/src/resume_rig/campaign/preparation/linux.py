"""The checklist for a Linux DUT before its resumes are measured.

Sources: the kernel's Documentation/admin-guide/pm/sleep-states.rst and
Documentation/power/basic-pm-debugging.rst; logind's bus interface.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from resume_rig.analysis.findings.advice import EMBEDDED, ON_OFF
from resume_rig.model.preparation import Found, Item, Reply, Standing

_LOGIND: Final = (
    "busctl get-property org.freedesktop.login1 /org/freedesktop/login1 "
    "org.freedesktop.login1.Manager"
)
_NETWORK_FILES: Final = frozenset({"nfs", "nfs4", "cifs", "smb3"})
_NAMED: Final = 6  # of what is found; the count says how many there are
_SLOWING: Final = ("initcall_debug", "no_console_suspend", "ignore_loglevel", "debug")


def linux_items() -> tuple[Item, ...]:
    """Return the checklist."""
    return _ITEMS


def _words(reply: Reply) -> list[str]:
    return reply.text.split()


def _states(replies: Sequence[Reply]) -> Found:
    states = _words(replies[0])
    return Found.good_if("mem" in states, f"offers {', '.join(states)[:100] or 'nothing'}")


def _chosen(replies: Sequence[Reply], wanted: str, absent: Found) -> Found:
    chosen = re.search(r"\[(\w{1,20})\]", replies[0].text)
    if replies[0].status or chosen is None:
        return absent
    return Found.good_if(chosen[1] == wanted, f"{chosen[1]} is chosen")


def _device_times(replies: Sequence[Reply]) -> Found:
    on = replies[0].text.strip() == "1"
    return Found(Standing.NOTE, "on: each device's time is logged" if on else "off")


def _command_line(replies: Sequence[Reply]) -> Found:
    found = [word for word in _words(replies[0]) if word.partition("=")[0] in _SLOWING]
    return Found.good_if(not found, "none of them", ", ".join(found)[:100])


def _property(replies: Sequence[Reply], wanted: str) -> Found:
    value = re.search(r'"([a-z-]{1,30})"', replies[0].text)
    if replies[0].status or value is None:
        return Found(Standing.UNKNOWN, "logind does not report it")
    return Found.good_if(value[1] == wanted, value[1])


def _alarm(replies: Sequence[Reply]) -> Found:
    text = replies[0].text.strip()
    return Found.good_if(not text.isdigit(), "not set", f"set for {text[:20]} s after 1970")


def _journal(replies: Sequence[Reply]) -> Found:
    kept = replies[0].status == 0
    return Found.good_if(kept, "is kept over a restart", "is lost when the DUT dies")


def _wireless(replies: Sequence[Reply]) -> Found:
    """The kernel lists interfaces that have a link, below two lines of titles."""
    connected = [line.partition(":")[0].strip() for line in replies[0].text.splitlines()[2:]]
    names = ", ".join(name[:20] for name in connected if name)
    return Found.good_if(not names, "none", f"{names} connected")


def _network_mounts(replies: Sequence[Reply]) -> Found:
    kinds = (line.split()[2:3] for line in replies[0].text.splitlines())
    found = sum(kind[0] in _NETWORK_FILES for kind in kinds if kind)
    return Found.good_if(not found, "none", f"{found} mounted")


def _usb(replies: Sequence[Reply]) -> Found:
    names = [line.strip()[:60] for line in replies[0].text.splitlines() if line.strip()]
    shown = ", ".join(names[:_NAMED]) + (" ..." if len(names) > _NAMED else "")
    return Found(Standing.NOTE, f"{len(names)}: {shown}" if names else "none")


def _restart(replies: Sequence[Reply]) -> Found:
    waits = replies[0].status == 0
    return Found.good_if(not waits, "none waits", "one waits")


def _note(replies: Sequence[Reply]) -> Found:
    words = " ".join(_words(replies[0]))[:100]
    if replies[0].status or not words:
        return _UNKNOWN
    return Found(Standing.NOTE, words)


_UNKNOWN: Final = Found(Standing.UNKNOWN, "the kernel does not report it")


_ITEMS: Final = (
    Item("sleep states", "mem among them", ("cat /sys/power/state",), _states),
    Item(
        "suspend to RAM",
        "deep (S3): s2idle leaves the power on",
        ("cat /sys/power/mem_sleep",),
        partial(_chosen, wanted="deep", absent=_UNKNOWN),
        "echo deep > /sys/power/mem_sleep, or mem_sleep_default=deep on the kernel's command line",
    ),
    Item(
        "suspend test",
        "none: a test turns round before the power goes",
        ("cat /sys/power/pm_test",),
        partial(
            _chosen,
            wanted="none",
            absent=Found(Standing.GOOD, "this kernel has no such test"),
        ),
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
        "kept on the disk, so that a DUT that died shows how far it came",
        ("ls -d /var/log/journal",),
        _journal,
        "mkdir -p /var/log/journal, then restart systemd-journald",
    ),
    Item(
        "wireless",
        "on and not connected: its driver is measured, its network is not; use a cable for SSH",
        ("cat /proc/net/wireless",),
        _wireless,
        "nmcli device disconnect wlan0, and no connection that is made by itself",
        source=f"{ON_OFF}: Network Connection Effects on Performance Measurements",
    ),
    Item(
        "network files",
        "none mounted: each is waited for",
        ("cat /proc/mounts",),
        _network_mounts,
        "umount -a -t nfs,nfs4,cifs,smb3",
        source=f"{EMBEDDED}: Services",
    ),
    Item(
        "USB devices",
        "only those that are built in: others take their time to come back",
        ("cat /sys/bus/usb/devices/*/product",),
        _usb,
        source=f"{EMBEDDED}: Services",
    ),
    Item(
        "power profile",
        "the same in campaigns that are compared",
        ("cat /sys/firmware/acpi/platform_profile",),
        _note,
    ),
    Item(
        "hibernation",
        "the same in campaigns that are compared: the way of S4 that is chosen",
        ("cat /sys/power/disk",),
        _note,
    ),
    Item(
        "updates",
        "none that wait for a restart",
        ("ls -d /var/run/reboot-required",),
        _restart,
        "reboot",
        source=f"{ON_OFF}: Other Test Notes",
    ),
)
