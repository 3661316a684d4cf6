"""Attempts to sleep that do not end in a resume, and what Windows writes of them.

An attempt that is given up leaves nothing, or Kernel-Power 42 and 107 and no record, or a record
of zeros. A hibernation whose image is refused starts the OS anew and says so in Kernel-Boot 29,
or only by Kernel-Boot 27 with BootType 0. A machine that dies asleep starts anew too, with
Kernel-Power 41 and SleepInProgress. Orders and fields are those of public reports.
"""

import math
from collections.abc import Callable

from world.oslog import Windows, entering, troubleshooter
from world.unit import Cycle, Phases, Random, Unit

BOOT = "Microsoft-Windows-Kernel-Boot"
POWER = "Microsoft-Windows-Kernel-Power"


def ending(ended: str, share: float, slower: float = 0.0) -> Callable[[Unit, Phases, Cycle], None]:
    """Return what makes `share` of the cycles end so."""

    def happening(unit: Unit, phases: Phases, cycle: Cycle) -> None:
        random = phases.random
        if cycle.number == 1 or random.random() >= share:
            return
        cycle.ended = ended
        if ended == "aborted":
            cycle.light = cycle.dark + float(random.uniform(1.0, 3.0))
            cycle.awake = cycle.complete = cycle.light
        else:  # the firmware starts the OS: half a minute
            start = float(random.uniform(15.0, 40.0))
            cycle.complete += start
            cycle.awake += start
            cycle.light += start

    return happening


def write(windows: Windows, unit: Unit, cycle: Cycle, random: Random) -> None:
    """Write what the log has of an attempt that ended otherwise."""
    states = (5, 5) if unit.hibernates else (4, 4)
    if cycle.ended == "aborted":
        _aborted(windows, cycle, random)
        return
    entering(windows, cycle, random, states)
    start = math.floor(windows.rtc(cycle.rtc_read)) + 0.5
    windows.anchor = (cycle.rtc_read, start)
    windows.resumes = []
    windows.boot(cycle.rtc_read)
    good = "true" if cycle.ended == "boot" else "false"
    windows.write(
        start + 1.0,
        BOOT,
        20,
        1,
        {"LastShutdownGood": good, "LastBootGood": "true", "LastBootId": 5},
    )
    if cycle.ended == "boot" and random.random() < 0.6:
        windows.write(
            start + 1.0,
            BOOT,
            29,
            0,
            {
                "FailureStatus": "0xc0000411",
                "FailureMsg": "A fatal error occurred processing the restoration data.",
            },
        )
    windows.write(start + 1.1, BOOT, 27, 1, {"BootType": 0, "LoadOptions": ""})
    if cycle.ended == "died":
        asleep = {"BugcheckCode": 0, "SleepInProgress": 4, "PowerButtonTimestamp": 0}
        windows.write(start + 2.0, POWER, 41, 4, asleep)


def _aborted(windows: Windows, cycle: Cycle, random: Random) -> None:
    trace = int(random.integers(0, 3))
    if trace == 0:
        return
    entering(windows, cycle, random, (4, 4))
    now = windows.clock(cycle.light)
    windows.write(now, POWER, 107, 1, {"TargetState": 4, "EffectiveState": 4, "WakeFromState": 4})
    if trace == 2:
        cycle.empty = True
        cycle.record = troubleshooter(
            windows, now + 0.7, now, now, (0, 0, 0, 0), states=(0, 0), source=0
        )
