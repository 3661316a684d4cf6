"""Campaigns with time that nobody reports, drawn by numpy alone: what is true of each is known.

One S3 cycle is a list of true moments. What the OS writes of them is worked out here, as its
documents say; the product's simulator, whose beliefs the analysis may share, has no part in it.
"""

from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.reconcile.norms import UNKNOWN_PLATFORM, Platform
from resume_rig.analysis.reconcile.reconcile import UNKNOWN_RESET_TO_TSC, TimedCycle
from resume_rig.analysis.reconcile.thresholds import NO_SLEW
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.model.os_record import (
    Figure,
    Integrity,
    LogReading,
    LogSource,
    OsRecord,
    SleepKind,
    WakeSource,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
UTC_NS = 1_777_000_000_000_000_000
LEVELS = {
    Channel.SLP_S3: 1,
    Channel.PWR_OK: 1,
    Channel.PLTRST: 1,
    Channel.BUTTON: 1,
    Channel.BACKLIGHT: 1,
}


@dataclass(frozen=True)
class World:
    """A DUT; times in ms, (from, to) drawn evenly in each cycle.

    Attributes:
        early: before SleepTime, beyond the trigger being accepted (20 to 90 ms).
        tail: SleepDuration's end to the clock's stop.
        late: the clock's stop to SLP_S3#, beyond the firmware's own part of 2 ms.
        tsc: PLTRST# to the TSC's zero, one draw for a DUT.
        short: by how much BiosInit is short, in `share` of the cycles.
        tells: whether the log has Kernel-General 1.
        step: by so much the OS's clock is set after wake number `at`; no event tells, and the RTC
            is not set along.
        stall: the BIOS of wake `at` takes longer by so much, and reports what it does otherwise.
        known: (from, to) of `tsc`, as the DUT profile says; None: no profile.
        stopped: whether the DUT profile says that no time service runs; none does in any case.
    """

    cycles: int = 50
    early: tuple[float, float] = (0, 0)
    tail: tuple[float, float] = (0, 0)
    late: tuple[float, float] = (0, 0)
    tsc: tuple[float, float] = (0, 300)
    bios: float = 600
    short: float = 0
    share: float = 1
    tells: bool = True
    known: tuple[float, float] | None = None
    stopped: bool = False
    awake: tuple[float, float] = (3_000, 12_000)
    step: float = 0
    stall: float = 0
    at: int = 0


@dataclass(frozen=True)
class Played:
    """The answer, and of each cycle the true press to complete and whether BiosInit is short."""

    answer: Correlation
    complete_ns: list[int]
    is_short: list[bool]


def play_world(world: World, seed: int) -> Played:
    """Return a campaign's answer beside its truth."""
    random = np.random.default_rng(seed)

    def ms(pair: tuple[float, float]) -> float:
        return float(random.uniform(*pair))

    tsc = ms(world.tsc)
    rtc_off, rtc_rate = ms((-4_000, 4_000)), ms((-100, 100)) * 1e-6
    os_rate, board_rate = ms((-50, 50)) * 1e-6, ms((-30, 30)) * 1e-6
    now, set_at, set_to = 1_000.0, 0.0, rtc_off

    def clock(at: float) -> float:
        return set_to + (at - set_at) * (1 + os_rate)

    timed, records, truth, shorts = [], [], [], []
    for number in range(1, world.cycles + 1):
        press = now
        sleep = press + ms((20, 90)) + ms(world.early)
        reported = sleep + ms((700, 900))
        stop = reported + ms(world.tail)
        fall = stop + 2 + ms(world.late)
        wake = fall + ms((4_000, 12_000))
        rise = wake + ms((16, 40))
        power = rise + ms((100, 130))
        reset = power + ms((100, 120))
        bios = world.bios * ms((0.98, 1.02))
        vector = reset + tsc + bios + (world.stall if number == world.at else 0)
        read = vector + ms((0.5, 4))
        drivers = ms((500, 700))
        complete = read + drivers
        light = read + 0.5 * drivers + ms((290, 310))
        sleep_utc, stop_utc = clock(sleep), clock(stop)
        set_at, set_to = read, np.floor((rtc_off + read * (1 + rtc_rate)) / 1_000) * 1_000 + 500
        is_short = random.random() < world.share and world.short > 0
        told = bios - world.short if is_short else bios
        figures = (Figure("firmware_suspend_ms", 2),)
        if world.tells:
            figures += (
                Figure("clock_jump_us", round((set_to - stop_utc) * 1_000)),
                Figure("sleep_to_clock_stop_us", round((stop_utc - sleep_utc) * 1_000)),
            )
        records.append(
            OsRecord(
                source=0,
                record_id=number,
                kind=SleepKind.S3,
                sleep_time_utc_ns=UTC_NS + round(sleep_utc * MS),
                wake_time_utc_ns=UTC_NS + round((clock(complete + 30) + ms((-6, 6))) * MS),
                written_utc_ns=None,
                sleep_ms=int(reported - sleep),
                wake_ms=int(complete - read + 30),
                driver_init_ms=int(drivers),
                bios_init_ms=int(told),
                firmware_resume_ms=None,
                firmware_resume_count=None,
                hiber_read_ms=None,
                hiber_write_ms=None,
                hiber_pages=None,
                wake_source=WakeSource(1, "power button", ""),
                figures=figures,
            )
        )
        if number == world.at:
            set_to += world.step
        moments = [
            (press, Channel.BUTTON, 0),
            (press + 150, Channel.BUTTON, 1),
            (fall - 300, Channel.BACKLIGHT, 0),
            (fall, Channel.SLP_S3, 0),
            (fall - 0.05, Channel.PLTRST, 0),
            (fall + 5, Channel.PWR_OK, 0),
            (wake, Channel.BUTTON, 0),
            (wake + 150, Channel.BUTTON, 1),
            (rise, Channel.SLP_S3, 1),
            (power, Channel.PWR_OK, 1),
            (reset, Channel.PLTRST, 1),
            (light, Channel.BACKLIGHT, 1),
        ]
        edges = [
            Edge(i, round((at * (1 + board_rate) + ms((0.001, 0.004))) * MS), channel, level)
            for i, (at, channel, level) in enumerate(sorted(moments, key=lambda each: each[0]))
        ]
        bounds = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)
        outside = build_cycle(number, edges, LEVELS, Actuator.BUTTON, bounds)
        host = BoundedNs(UTC_NS + round((rise + ms((-0.2, 0.2))) * MS), 300_000)
        timed.append(TimedCycle(outside, host))
        truth.append(round((complete - wake) * MS))
        shorts.append(is_short)
        now = max(complete, light) + ms(world.awake)
    source = LogSource("x.evtx", "evtx", 22_000, world.cycles, Integrity(ok=True))
    reset_to_tsc = UNKNOWN_RESET_TO_TSC
    if world.known is not None:
        low, high = world.known
        reset_to_tsc = BoundedNs(round((low + high) / 2 * MS), round((high - low) / 2 * MS))
    reading = LogReading((source,), tuple(records))
    platform = Platform(slew=NO_SLEW) if world.stopped else UNKNOWN_PLATFORM
    answer = correlate(timed, reading, load_requirement("sysfund-0004"), reset_to_tsc, platform)
    return Played(answer, truth, shorts)
