"""A rig and an OS whose errors stay the same all campaign long, and the truth behind them.

Nothing of the simulated bench is used: true times are drawn here, errors are put on them here, and
the product sees edges and records alone. `where` says where in its range each systematic error is:
-1 and +1 are the ends, at which all of them make times too short, or too long, together.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.model.os_record import (
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

S = 1e9
BEGAN_UTC_NS = 1_777_000_000_000_000_000
MEASURES = (
    "resume_ms",
    "bios_init_ms",
    "press_to_pltrst_ns",
    "pltrst_to_light_ns",
    "press_to_light_ns",
    "press_to_resume_complete_ns",
)
_WITH_ZERO = MEASURES[3:]
# What the rig states of itself; `RESET_TO_TSC` is what the tool takes without a DUT profile.
RATE_PPB, STAMP_NS, PRESS_NS, LIGHT_NS = 30_000, 4_000, 20_000, 1_000_000
RESET_TO_TSC = BoundedNs(150_000_000, 150_000_000)
BOUNDS = IntervalBounds(
    RATE_PPB, default_edge_ns=STAMP_NS, press_definition_ns=PRESS_NS, light_definition_ns=LIGHT_NS
)
AWAKE = {
    Channel.PWR_OK: 1,
    Channel.SLP_S3: 1,
    Channel.SLP_S4: 1,
    Channel.PLTRST: 1,
    Channel.BACKLIGHT: 1,
    Channel.BUTTON: 1,
}
SOURCES = (LogSource("x.evtx", "evtx", 22_000, 9, Integrity(ok=True)),)


@dataclass(frozen=True)
class Phases:
    """True times in seconds, an array each: press to PLTRST#, BIOS, devices, light after them."""

    power: np.ndarray
    bios: np.ndarray
    devices: np.ndarray
    late: np.ndarray

    def truth_ms(self, zero_s: float) -> dict[str, np.ndarray]:
        """Return the true times of every measure, `zero_s` after PLTRST# being the TSC's zero."""
        complete = zero_s + self.bios + self.devices
        light = complete + self.late
        found = (
            self.bios + self.devices,
            self.bios,
            self.power,
            light,
            self.power + light,
            self.power + complete,
        )
        return {name: 1e3 * each for name, each in zip(MEASURES, found, strict=True)}


def drawn(random: np.random.Generator, n: int) -> Phases:
    """Return a DUT of skewed device times, one cycle in 40 of them 0.4 s late."""
    devices = 0.55 + random.lognormal(math.log(0.04), 0.7, n)
    devices += np.where(random.random(n) < 1 / 40, 0.4, 0.0)
    return Phases(
        power=0.158 + random.normal(0, 0.001, n),
        bios=0.2 + random.normal(0, 0.0006, n),
        devices=devices,
        late=0.05 + random.gamma(2, 0.004, n),
    )


@dataclass(frozen=True)
class Made:
    """A campaign: what the product says, true phases, true PLTRST# to TSC start in seconds."""

    answer: Correlation
    true: Phases
    zero_s: float


def campaign(
    random: np.random.Generator, n: int, where: float, true: Phases | None = None, lost: Any = ()
) -> Made:
    """Return a campaign of `n` cycles.

    Args:
        random: draws what differs from cycle to cycle.
        n: cycles.
        where: in its range each systematic error is, -1 to 1.
        true: the cycles' times; None: `drawn`.
        lost: places of cycles whose records nobody finds.
    """
    true = drawn(random, n) if true is None else true
    zero_s = 0.150 - where * 0.1499
    rounding = (math.floor, round, math.ceil)[1 + (where > 0.5) - (where < -0.5)]
    at_s, cycles, records = 0.0, [], []
    for place in range(n):
        at_s += 60 + random.uniform(0, 7)
        press, reset = 20.0, 20.0 + true.power[place]
        complete = reset + zero_s + true.bios[place] + true.devices[place]
        moments = (
            (0.0, Channel.BUTTON, 0),
            (0.15, Channel.BUTTON, 1),
            (0.7, Channel.BACKLIGHT, 0),
            (1.5, Channel.PLTRST, 0),
            (1.501, Channel.SLP_S3, 0),
            (1.511, Channel.PWR_OK, 0),
            (press, Channel.BUTTON, 0),
            (press + 0.048, Channel.SLP_S3, 1),
            (press + 0.108, Channel.PWR_OK, 1),
            (press + 0.15, Channel.BUTTON, 1),
            (reset, Channel.PLTRST, 1),
            (complete + true.late[place], Channel.BACKLIGHT, 1),
        )
        stamped = [
            (_stamp_ns(s, channel, random, where), channel, level) for s, channel, level in moments
        ]
        edges = tuple(Edge(i, *each) for i, each in enumerate(sorted(stamped, key=_first)))
        outside = build_cycle(place + 1, edges, AWAKE, Actuator.BUTTON, BOUNDS)
        wake_utc_ns = BEGAN_UTC_NS + round(at_s * S) + (outside.awake_from_ns or 0)
        cycles.append(TimedCycle(outside, BoundedNs(wake_utc_ns, 300_000)))
        bios_ms, devices_ms = (
            rounding(1e3 * seconds[place]) for seconds in (true.bios, true.devices)
        )
        asleep_ns = BEGAN_UTC_NS + round((at_s + 0.1) * S)
        awake_ns = BEGAN_UTC_NS + round((at_s + complete + 0.05) * S)
        if place not in lost:
            records.append(_record(place, asleep_ns, awake_ns, bios_ms, devices_ms))
    answer = correlate(
        cycles, LogReading(SOURCES, tuple(records)), load_requirement("sysfund-0004"), RESET_TO_TSC
    )
    return Made(answer, true, zero_s)


@functools.cache
def _true_figures() -> dict[str, dict[str, float]]:
    """Return the figures of 400,000 cycles whose TSC starts with PLTRST#."""
    times_ms = drawn(np.random.default_rng(77), 400_000).truth_ms(0.0)
    return {
        name: {
            "median": float(np.median(each)),
            "p95": float(np.quantile(each, 0.95)),
            "mean ever": float(each.mean()),
        }
        for name, each in times_ms.items()
    }


def intervals(made: Made) -> Iterator[tuple[str, str, float, float, float, float]]:
    """Yield of each 95 % interval its measure, figure, low, high, the truth, and what is common.

    All in ms. The truth of a mean is once that of the cycles that were run ("mean run"), once that
    of all that the DUT would ever make ("mean ever").
    """
    run_ms = made.true.truth_ms(made.zero_s)
    judged = [c.outside.number - 1 for c in made.answer.cycles if c.judged]
    for one in made.answer.series:
        ever_ms = _true_figures().get(one.name)
        if ever_ms is None:
            continue
        # The time to TSC start moves what it is a part of, and all of it alike.
        moved_ms = 1e3 * made.zero_s if one.name in _WITH_ZERO else 0.0
        true_ms = {figure: each + moved_ms for figure, each in ever_ms.items()}
        true_ms["mean run"] = float(run_ms[one.name][judged].mean())
        stated = {"median": one.median, "p95": one.p95, "mean run": one.mean, "mean ever": one.mean}
        for figure, interval in stated.items():
            low, high = (getattr(interval, side, None) for side in ("low_ms", "high_ms"))
            if low is not None and high is not None:
                yield one.name, figure, low, high, true_ms[figure], one.common.common_ms


def _first(each: tuple[int, Any, Any]) -> int:
    return each[0]


def _stamp_ns(s: float, channel: Channel, random: np.random.Generator, where: float) -> int:
    """A press is stamped early where times are to be too long, what follows it late."""
    late = -where if channel is Channel.BUTTON else where
    error_ns = late * (STAMP_NS - 500) + random.uniform(-500, 500)
    if channel is Channel.BUTTON:
        error_ns += late * PRESS_NS
    if channel is Channel.BACKLIGHT:
        error_ns += late * LIGHT_NS
    if channel is Channel.PLTRST:
        error_ns = 0.0  # it ends one interval and begins another
    return round((1 + where * RATE_PPB * 1e-9) * s * S + error_ns)


def _record(number: int, asleep_ns: int, awake_ns: int, bios_ms: int, devices_ms: int) -> OsRecord:
    return OsRecord(
        source=0,
        record_id=number,
        kind=SleepKind.S3,
        sleep_time_utc_ns=asleep_ns,
        wake_time_utc_ns=awake_ns,
        written_utc_ns=None,
        sleep_ms=1_400,
        wake_ms=devices_ms + 50,
        driver_init_ms=devices_ms,
        bios_init_ms=bios_ms,
        firmware_resume_ms=None,
        firmware_resume_count=None,
        hiber_read_ms=None,
        hiber_write_ms=None,
        hiber_pages=None,
        wake_source=WakeSource(1, "power button", ""),
    )
