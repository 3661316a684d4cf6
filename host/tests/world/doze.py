"""A sleep that begins as S3 and becomes S4: one in five sleeps of a real laptop.

The RTC wakes the machine after a while; it comes up dark, writes its memory to the disk and turns
off. The times and the records, in their order, are those of a Windows 11 laptop's log: an empty
record whose SleepTime is its WakeTime, then the record of the hibernation with the same SleepTime.
"""

import math

from world.oslog import Windows, entering, performance, source_of, troubleshooter
from world.unit import Cycle, Doze, Phases, Random, Unit

POWER = "Microsoft-Windows-Kernel-Power"


def dozing(unit: Unit, phases: Phases, cycle: Cycle) -> None:
    """Make a cycle one that dozes: what comes after the first SLP_S3# is moved and lengthened."""
    random = phases.random
    dwell = cycle.press_wake - cycle.slp_fall
    width = cycle.press_wake_up - cycle.press_wake
    slp_rise = cycle.slp_fall + float(random.uniform(60.0, 180.0))
    power_rise = slp_rise + phases.firmware(unit.power_good)
    reset_rise = power_rise + phases.firmware(unit.reset_hold)
    rtc_read = reset_rise + phases.firmware(unit.reset_to_tsc) + phases.firmware(unit.bios)
    awake = rtc_read + phases.system(unit.driver) + phases.system(unit.user)
    os_asleep = awake + phases.system(3.6)
    clock_halt = os_asleep + phases.system(6.0)
    slp_fall = clock_halt + phases.firmware(0.05)
    cycle.doze = Doze(
        slp_rise=slp_rise,
        power_rise=power_rise,
        reset_rise=reset_rise,
        rtc_read=rtc_read,
        awake=awake,
        os_asleep=os_asleep,
        clock_halt=clock_halt,
        slp_fall=slp_fall,
        power_fall=slp_fall + float(random.uniform(0.0005, 0.02)),
        hiber_read=phases.system(3.8),
    )
    cycle.press_wake = slp_fall + dwell
    cycle.press_wake_up = cycle.press_wake + width
    cycle.slp_rise = cycle.press_wake + phases.firmware(unit.wake_path)
    cycle.power_rise = cycle.slp_rise + phases.firmware(unit.power_good)
    cycle.reset_rise = cycle.power_rise + phases.firmware(unit.reset_hold)
    cycle.tsc_zero = cycle.reset_rise + min(phases.firmware(unit.reset_to_tsc), 0.2955)
    cycle.vector = cycle.tsc_zero + phases.firmware(3.24)
    cycle.bios_reported = cycle.vector - cycle.tsc_zero
    cycle.rtc_read = cycle.vector + cycle.doze.hiber_read + phases.firmware(unit.handoff)
    cycle.complete = cycle.rtc_read + phases.system(5.7)
    cycle.awake = cycle.complete + phases.system(unit.user)
    cycle.light = cycle.tsc_zero + phases.system(2.0)  # the firmware's logo


def doze_and_wake(windows: Windows, unit: Unit, cycle: Cycle, random: Random) -> None:
    """Write the records of a sleep that became a hibernation."""
    doze = cycle.doze
    assert doze is not None
    entering(windows, cycle, random, (4, 4))
    _wake(windows, (4, 4), windows.clock(cycle.clock_halt), doze.rtc_read)
    if unit.has_fpdt and windows.build > 9000:
        performance(windows, cycle, windows.clock(doze.rtc_read))
    again = windows.clock(doze.awake)
    written = windows.clock(doze.awake + float(random.uniform(0.3, 1.1)))
    nothing = (0, 0, 0, 0)
    troubleshooter(windows, written, again, again, nothing, states=(5, 5), source=3)
    data = {"TargetState": 5, "EffectiveState": 5, "Reason": 6, "Flags": 4}
    windows.write(windows.clock(doze.os_asleep - 0.1), POWER, 42, 3, data)
    _wake(windows, (5, 5), windows.clock(doze.clock_halt), cycle.rtc_read)
    wake = windows.clock(cycle.awake) + float(random.normal(0.0, 0.003))
    durations = (
        int((doze.os_asleep - doze.awake) * 1e3),
        int((cycle.awake - cycle.rtc_read) * 1e3),
        int(cycle.driver * 1e3),
        int(cycle.bios_reported * 1e3),
    )
    cycle.record = troubleshooter(
        windows,
        windows.clock(cycle.awake + float(random.uniform(0.3, 1.1))),
        again,
        wake,
        durations,
        states=(5, 5),
        source=source_of(windows, unit, cycle),
        hiber_read=int(doze.hiber_read * 1e3),
    )


def _wake(windows: Windows, states: tuple[int, int], halt: float, rtc_read: float) -> None:
    """Stop the clock, and set it from the RTC."""
    new = math.floor(windows.rtc(rtc_read)) + 0.5
    windows.anchor = (rtc_read, new)
    data = {"TargetState": states[0], "EffectiveState": states[1], "WakeFromState": states[0]}
    windows.write(halt + 0.0001, POWER, 107, 1, dict(data))
    windows.time_changed(new, halt, 2)
