"""Two units of one lab: the wires of one, and the log of it or of the other.

Shared by the tests and benchmarks/foreign_logs.py. All is seeded; times are seconds of UTC here,
and become nanoseconds at the end. Both units follow plans of one kind, so their paces are alike.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

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
from resume_rig.model.result.match import Confidence
from resume_rig.model.result.verdict import FindingKind, Verdict
from resume_rig.timing.edge_uncertainty import IntervalBounds

S = 1_000_000_000
START_S = 1_790_000_000.0
LIMIT = load_requirement("sysfund-0004")
BOUNDS = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)
PACES = ("random", "random", "narrow", "even")
OFFSETS = ("synchronised", "seconds", "zone", "free")
# The trigger is accepted before the OS begins its way to sleep, which ends before SLP_S3# falls.
ACCEPTED_S = 0.05
PLACES = ("together", "within", "partly", "elsewhere")
LEVELS = {
    Channel.PWR_OK: 1,
    Channel.SLP_S3: 1,
    Channel.SLP_S4: 1,
    Channel.PLTRST: 1,
    Channel.BACKLIGHT: 1,
    Channel.BUTTON: 1,
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sleeps:
    """When SLP_S3# of a unit fell and rose, s of UTC, ascending; and its press to wake."""

    fell_s: Floats
    rose_s: Floats

    def later(self, by_s: float) -> "Sleeps":
        return Sleeps(self.fell_s + by_s, self.rose_s + by_s)


@dataclass(frozen=True)
class Plan:
    """Dwell and settle times: their least, and how far they go, s; each cycle draws its own."""

    dwell_s: float
    dwell_range_s: float
    settle_s: float
    jitter_s: float

    @classmethod
    def of(cls, random: Generator, pace: str) -> "Plan":
        if pace == "random":
            return cls(5.0, 25.0, random.uniform(2, 10), 0.1)
        dwell_s, settle_s = random.uniform(5, 30), random.uniform(2, 20)
        if pace == "narrow":
            return cls(dwell_s, random.uniform(1, 6), settle_s, 0.1)
        return cls(dwell_s, 0.0, settle_s, float(random.choice([0.02, 0.1, 0.5])))


@dataclass
class Unit:
    """A PC: how long its parts take, and its clock."""

    random: Generator
    offset_s: float
    ppm: float = 0.0
    bios_s: float = 0.4
    driver_s: float = 0.8
    to_sleep_s: float = 1.5
    late_s: float = 0.0
    clock_from_s: float = START_S
    set_at: list[tuple[float, float]] = field(default_factory=list)
    took_s: dict[float, float] = field(default_factory=dict)

    @classmethod
    def of(cls, random: Generator, offset: str) -> "Unit":
        offset_s = {
            "synchronised": random.normal(0, 0.3),
            "seconds": random.uniform(-20, 20),
            "zone": 3600 * random.integers(-11, 13) + random.normal(0, 2),
            "free": random.uniform(-3e7, 3e7),
        }[offset]
        return cls(
            random,
            float(offset_s),
            random.uniform(-30, 30),
            random.uniform(0.15, 0.6),
            random.uniform(0.4, 1.6),
            random.uniform(1.0, 2.5),
        )

    def used(self, plan: Plan, count: int, from_s: float) -> Sleeps:
        """Return the sleeps of a campaign."""
        random = self.random
        dwell_s = plan.dwell_s + random.uniform(0, 1, count) * plan.dwell_range_s
        jitter_s = random.normal(0, plan.jitter_s / np.sqrt(2), (2, count))
        resume_s = self.bios_s + self.driver_s + random.uniform(0.2, 0.3, count)
        settle_s = plan.settle_s + resume_s + self.to_sleep_s
        each_s = np.stack([settle_s + np.abs(jitter_s[0]), dwell_s + np.abs(jitter_s[1])], axis=1)
        moments = from_s + np.cumsum(each_s.ravel())
        return Sleeps(moments[::2], moments[1::2])

    def os_s(self, at_s: float) -> float:
        """Return its RTC."""
        moved = sum(step_s for when_s, step_s in self.set_at if at_s >= when_s)
        return at_s + self.offset_s + (at_s - self.clock_from_s) * self.ppm * 1e-6 + moved

    def record(self, number: int, fell_s: float, rose_s: float, source: int) -> OsRecord:
        """Return what its OS writes of a sleep. It reads whole seconds of its RTC at a wake."""
        random = self.random
        took_s = self.to_sleep_s + random.uniform(-0.05, 0.2)
        self.took_s[fell_s] = took_s
        slept_os_s = self.os_s(fell_s) + self.late_s - took_s
        bios_s = self.bios_s + random.normal(0, 0.005)
        driver_s = self.driver_s * random.lognormal(0, 0.08)
        true_s = self.os_s(rose_s + 0.12 + bios_s)
        read_s = np.floor(true_s) + 0.5
        self.late_s = float(read_s - true_s)
        wake_s = driver_s + random.uniform(0.02, 0.1)
        return OsRecord(
            source=source,
            record_id=number,
            kind=SleepKind.S3,
            sleep_time_utc_ns=round(slept_os_s * S),
            wake_time_utc_ns=round((read_s + wake_s) * S),
            written_utc_ns=None,
            sleep_ms=round(took_s * 1e3),
            wake_ms=round(wake_s * 1e3),
            driver_init_ms=round(driver_s * 1e3),
            bios_init_ms=round(bios_s * 1e3),
            firmware_resume_ms=None,
            firmware_resume_count=None,
            hiber_read_ms=None,
            hiber_write_ms=None,
            hiber_pages=None,
            wake_source=WakeSource(1, "power button", ""),
        )

    def _way_s(self, fell_s: float) -> float:
        """Return how long it took to a sleep: what its record tells, where it wrote one."""
        drawn_s = np.random.default_rng(round(fell_s * 1e6)).uniform(-0.05, 0.2)
        return self.took_s.get(fell_s, self.to_sleep_s + float(drawn_s))

    def log(self, sleeps: Sleeps, kept: NDArray[np.bool_], source: int = 0) -> list[OsRecord]:
        """Return the records of those sleeps that are kept."""
        each = zip(sleeps.fell_s.tolist(), sleeps.rose_s.tolist(), strict=True)
        written = [self.record(at, fell, rose, source) for at, (fell, rose) in enumerate(each)]
        return [record for record, is_kept in zip(written, kept.tolist(), strict=True) if is_kept]

    def wires(self, number: int, fell_s: float, rose_s: float) -> tuple[list[Edge], float]:
        """Return the edges of a cycle on a board's clock, and when that began."""
        random = self.random
        began_s = fell_s - ACCEPTED_S - self._way_s(fell_s)
        press_s = rose_s - random.uniform(0.03, 0.06)
        reset_s = rose_s + 0.11
        # The OS is up when firmware and drivers are; the panel follows.
        light_s = reset_s + self.bios_s + self.driver_s + random.uniform(0.1, 0.15)
        told = [
            (began_s, Channel.BUTTON, 0),
            (began_s + 0.15, Channel.BUTTON, 1),
            (began_s + 0.6, Channel.BACKLIGHT, 0),
            (fell_s - 0.001, Channel.PLTRST, 0),
            (fell_s, Channel.SLP_S3, 0),
            (fell_s + 0.01, Channel.PWR_OK, 0),
            (press_s, Channel.BUTTON, 0),
            (rose_s, Channel.SLP_S3, 1),
            (rose_s + 0.06, Channel.PWR_OK, 1),
            (press_s + 0.15, Channel.BUTTON, 1),
            (reset_s, Channel.PLTRST, 1),
            (light_s, Channel.BACKLIGHT, 1),
        ]
        zero_s = began_s - 1.0
        told.sort(key=lambda each: each[0])
        edges = [
            Edge(at, round((when_s - zero_s) * S), channel, level)
            for at, (when_s, channel, level) in enumerate(told)
        ]
        return edges, zero_s


@dataclass
class Made:
    """What `correlate` is given; `own` has the index of each cycle's own record, if there."""

    name: str
    cycles: list[TimedCycle]
    reading: LogReading
    own: dict[int, int]


def history(unit: Unit, random: Generator, plan: Plan, count: int, campaign: int) -> Sleeps:
    """Return `count` sleeps of a unit: campaigns after each other, and a day's work between."""
    fell, rose, at_s, left = [], [], 0.0, count
    while left:
        if random.random() < 0.3:
            few = min(int(random.integers(1, 8)), left)
            gaps_s = np.cumsum(random.exponential(1500.0, 2 * few) + 20.0)
            sleeps = Sleeps(at_s + gaps_s[::2], at_s + gaps_s[1::2])
        else:
            few = min(max(3, round(campaign * random.uniform(0.5, 2))), left)
            sleeps = unit.used(plan, few, at_s)
        fell.append(sleeps.fell_s)
        rose.append(sleeps.rose_s)
        at_s = float(sleeps.rose_s[-1]) + 10.0 + random.exponential(600.0)
        left -= few
    return Sleeps(np.concatenate(fell), np.concatenate(rose))


def sizes(random: Generator) -> tuple[int, int]:
    """Return how many cycles and how many records: 3 to 100, and 3 to 1,000."""
    return round(3 * (100 / 3) ** random.random()), round(3 * (1000 / 3) ** random.random())


def timed_cycles(
    unit: Unit, sleeps: Sleeps, *, on_host: bool, random: Generator
) -> list[TimedCycle]:
    """Return the cycles of a campaign; a capture is on a clock that nothing ties to the host's."""
    made: list[TimedCycle] = []
    first_s = float(sleeps.fell_s[0]) - 5.0
    for at, (fell_s, rose_s) in enumerate(
        zip(sleeps.fell_s.tolist(), sleeps.rose_s.tolist(), strict=True)
    ):
        edges, zero_s = unit.wires(at + 1, fell_s, rose_s)
        if not on_host:
            moved_ns = round((zero_s - first_s) * S)
            edges = [Edge(e.number, e.t_ns + moved_ns, e.channel, e.level) for e in edges]
        outside = build_cycle(at + 1, edges, LEVELS, Actuator.BUTTON, BOUNDS)
        utc_ns = round(rose_s * S + random.normal(0, 0.0003) * S)
        made.append(TimedCycle(outside, BoundedNs(utc_ns, 1_000_000) if on_host else None))
    return made


def read_live(cycles: list[TimedCycle], records: list[OsRecord], written_s: Floats) -> None:
    """Let each record be there at the end of the first cycle that ends after it was written."""
    ends_s = np.array([c.wake_utc.value_ns / S + 4.0 for c in cycles if c.wake_utc is not None])
    at = np.searchsorted(ends_s, written_s)
    for cycle in range(len(cycles)):
        own = tuple(r for r, place in zip(records, at.tolist(), strict=True) if place == cycle)
        each = cycles[cycle]
        cycles[cycle] = TimedCycle(each.outside, each.wake_utc, own)


def log_reading(records: list[OsRecord], sources: int = 1) -> LogReading:
    """Return the logs as they are read, whole."""
    told = tuple(LogSource(f"{at}.evtx", "evtx", 22000, 9, Integrity(ok=True))
                 for at in range(sources))  # fmt: skip
    return LogReading(told, tuple(records))


def kept_of(random: Generator, count: int) -> NDArray[np.bool_]:
    """Return which records are left of so many."""
    kept = random.random(count) >= random.choice([0.0, 0.03, 0.15])
    kept[0] |= not kept.any()
    return np.asarray(kept)


def foreign(seed: int, pace: str | None = None) -> Made:
    """Return the wires of one unit and the log of another."""
    random = np.random.default_rng((seed, 1))
    n, m = sizes(random)
    pace = str(random.choice(PACES)) if pace is None else pace
    offset, place = str(random.choice(OFFSETS)), str(random.choice(PLACES))
    plan = Plan.of(random, pace)
    ours, other = Unit.of(random, "synchronised"), Unit.of(random, offset)
    if pace == "even" and random.random() < 0.5:
        # Two of one model and one firmware: nothing tells their paces apart but the jitter.
        other.bios_s, other.driver_s = ours.bios_s, ours.driver_s
        other.to_sleep_s = ours.to_sleep_s
    at_s = START_S + random.uniform(0, 86_400)
    sleeps = ours.used(plan, n, at_s)
    theirs = history(other, random, plan, m, n)
    span_s, log_s = float(np.ptp(sleeps.rose_s)), float(np.ptp(theirs.rose_s))
    begins_s = {
        "together": random.uniform(-30, 30),
        "within": -random.uniform(0, max(log_s - span_s, 1.0)),
        "partly": random.choice([-1, 1]) * random.uniform(0, 0.9) * max(span_s, log_s),
        "elsewhere": random.choice([-1, 1]) * random.uniform(1, 40) * 86_400,
    }[place]
    theirs = theirs.later(at_s + begins_s)
    kept = kept_of(random, m)
    records = other.log(theirs, kept)
    on_host = bool(random.random() < 0.75)
    cycles = timed_cycles(ours, sleeps, on_host=on_host, random=random)
    live = on_host and place != "elsewhere" and random.random() < 0.1
    if live:
        read_live(cycles, records, theirs.rose_s[kept] + 2.0)
    name = f"{pace}, {offset}, {place}, {'host' if on_host else 'capture'}{', live' * live}"
    return Made(f"{name}, {n} cycles, {len(records)} records", cycles, log_reading(records), {})


def own(seed: int, pace: str | None = None, beside: float = 0.1) -> Made:
    """Return the wires of a unit and its own log, a share with the log of another one beside it."""
    random = np.random.default_rng((seed, 2))
    n, m = sizes(random)
    pace = str(random.choice(PACES)) if pace is None else pace
    offset = str(random.choice(OFFSETS))
    plan = Plan.of(random, pace)
    unit = Unit.of(random, offset)
    at_s = START_S + random.uniform(0, 86_400)
    sleeps = unit.used(plan, n, at_s)
    before = history(unit, random, plan, int(random.integers(1, m + 1)), n)
    before = before.later(at_s - 60.0 - random.exponential(3600) - float(before.rose_s[-1]))
    rest = history(unit, random, plan, max(m // 4, 1), n)
    rest = rest.later(float(sleeps.rose_s[-1]) + 60.0 + random.exponential(3600))
    if random.random() < 0.3:
        # A fresh log, of the campaign alone.
        before = rest = Sleeps(before.fell_s[:0], before.rose_s[:0])
    unit.clock_from_s = at_s
    steps = n > 20 and random.random() < 0.15
    if steps:
        for _ in range(1 + n // 60):
            when_s = random.uniform(float(sleeps.rose_s[0]), float(sleeps.rose_s[-1]))
            unit.set_at.append((when_s, float(random.choice([-1, 1]) * random.uniform(5, 300))))
    every = Sleeps(
        np.concatenate([before.fell_s, sleeps.fell_s, rest.fell_s]),
        np.concatenate([before.rose_s, sleeps.rose_s, rest.rose_s]),
    )
    kept = kept_of(random, len(every.fell_s))
    first = len(before.fell_s)
    records = unit.log(every, kept)
    place = np.cumsum(kept) - 1
    own_at = {c: int(place[first + c]) for c in range(n) if kept[first + c]}
    on_host = bool(random.random() < 0.75)
    cycles = timed_cycles(unit, sleeps, on_host=on_host, random=random)
    live = on_host and random.random() < 0.2
    written_s = every.rose_s[kept] + 2.0
    sources, kind = 1, ""
    if random.random() < beside:
        other = Unit.of(random, "synchronised")
        theirs = history(other, random, plan, max(m // 2, 3), n)
        theirs = theirs.later(at_s - random.uniform(0, float(theirs.rose_s[-1])))
        every_kept = np.ones(len(theirs.rose_s), dtype=np.bool_)
        records += other.log(theirs, every_kept, source=1)
        written_s = np.concatenate([written_s, theirs.rose_s + 2.0])
        sources, kind = 2, ", with another's"
    if live:
        read_live(cycles, records, written_s)
    name = f"{pace}, {offset}, {'host' if on_host else 'capture'}{', live' * live}{', set' * steps}"
    size = f"{n} cycles, {len(records)} records"
    return Made(f"{name}{kind}, {size}", cycles, log_reading(records, sources), own_at)


@dataclass(frozen=True)
class Answer:
    """What `correlate` says: certain pairs, right and wrong; what the log is part of; and why."""

    right: int
    wrong: int
    findings: Counter[FindingKind]
    reasons: Counter[str]
    verdict: Verdict
    why: str


def answer_of(made: Made) -> Answer:
    """Return the whole answer to a campaign."""
    found = correlate(made.cycles, made.reading, LIMIT)
    index = {(r.source, r.record_id): at for at, r in enumerate(made.reading.records)}
    sure = {
        at: index[cycle.record.source, cycle.record.record_id]
        for at, cycle in enumerate(found.cycles)
        if cycle.record is not None
        and cycle.certainty is not None
        and cycle.certainty.level is Confidence.HIGH
    }
    right = sum(made.own.get(cycle) == record for cycle, record in sure.items())
    told = [f for cycle in found.cycles for f in cycle.findings if f not in cycle.outside.findings]
    return Answer(
        right,
        len(sure) - right,
        Counter(finding.kind for finding in told),
        Counter(cycle.record_missing or "has one" for cycle in found.cycles),
        found.verdict,
        found.why,
    )
