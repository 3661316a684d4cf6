"""Campaigns with everything that goes wrong between wires and logs, and the truth beside them.

Shared by the tests of the match and benchmarks/matching.py. All is seeded. Times are in seconds
here and become nanoseconds at the end.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from resume_rig.analysis.match.match import Match, OutsideMoments
from resume_rig.model.os_record import Figure, OsRecord, SleepKind, WakeSource
from resume_rig.model.result.match import HIGH_CONFIDENCE

S = 1_000_000_000
UTC_S = 1_777_000_000
YEAR_S = 365 * 86_400.0
S3_ONLY = frozenset({SleepKind.S4, SleepKind.FAST_STARTUP, SleepKind.S1})
S4_ONLY = frozenset({SleepKind.S3, SleepKind.S1})


@dataclass(frozen=True)
class Troubles:
    """Rates of what goes wrong, a cycle each unless said otherwise.

    Attributes:
        lost, extra, doubled, zero, doze: of records; `zero` has no duration, `doze` comes beside.
        steps: how often the OS clock is set. step_s: typical size, log-uniform around it.
        died: how often the OS does not survive.
        wrapped: probability that the log begins within the campaign, or ends there.
        before: largest number of records of earlier sleeps, and of later ones.
    """

    lost: float = 0.02
    extra: float = 0.03
    doubled: float = 0.02
    zero: float = 0.03
    doze: float = 0.02
    steps: float = 1 / 300
    step_s: float = 30.0
    died: float = 0.005
    wrapped: float = 0.15
    before: int = 150


REALISTIC = Troubles()
BRUTAL = Troubles(
    lost=0.3, extra=0.2, doubled=0.05, zero=0.1, doze=0.05, steps=1 / 60, step_s=180.0, died=0.02
)
PACES = ("even", "jittered", "random", "mixed", "S4")
OFFSETS = ("near", "zone", "hours", "years")


def all_certain(found: Match) -> bool:
    """Return whether there are pairs, and all of them are certain."""
    return bool(found.pairs) and min(found.probability) >= HIGH_CONFIDENCE


@dataclass
class Campaign:
    """What the match is given, and what it should find.

    Attributes:
        cycles, records: what `match` takes.
        truth: cycle to its record, where the log has one.
        also: record to the record that it repeats; either is right.
        steps: (cycle before which, seconds) of each setting of the OS clock.
        told_by: of each of them, the number of the first record that was written after it.
    """

    cycles: list[OutsideMoments] = field(default_factory=list)
    records: list[OsRecord] = field(default_factory=list)
    truth: dict[int, int] = field(default_factory=dict)
    also: dict[int, int] = field(default_factory=dict)
    steps: list[tuple[int, float]] = field(default_factory=list)
    told_by: list[int] = field(default_factory=list)


@dataclass
class Score:
    """How a match did: pairs, wrong ones, wrong ones called high, and what could be matched."""

    matchable: int = 0
    pairs: int = 0
    wrong: int = 0
    high: int = 0
    high_wrong: int = 0

    def add(self, campaign: Campaign, found: Match) -> None:
        """Count one answer."""
        self.matchable += len(campaign.truth)
        for (cycle, record), probability in zip(found.pairs, found.probability, strict=True):
            wrong = campaign.truth.get(cycle) != campaign.also.get(record, record)
            self.pairs += 1
            self.wrong += wrong
            self.high += probability >= HIGH_CONFIDENCE
            self.high_wrong += wrong and probability >= HIGH_CONFIDENCE


def os_record(**fields) -> OsRecord:
    """Return a record of a healthy S3 cycle with some fields changed."""
    usual = OsRecord(
        source=0,
        record_id=None,
        kind=SleepKind.S3,
        sleep_time_utc_ns=None,
        wake_time_utc_ns=None,
        written_utc_ns=None,
        sleep_ms=1400,
        wake_ms=850,
        driver_init_ms=800,
        bios_init_ms=200,
        firmware_resume_ms=None,
        firmware_resume_count=None,
        hiber_read_ms=None,
        hiber_write_ms=None,
        hiber_pages=None,
        wake_source=WakeSource(1, "power button", ""),
    )
    return replace(usual, **fields)


class Windows:
    """An OS clock that reads a coarse RTC at every wake, and the records that it dates."""

    def __init__(self, random: np.random.Generator, offset_s: float) -> None:
        self._random = random
        self.offset_s = offset_s
        self._ppm = random.uniform(-40, 40)
        self._late_s = random.uniform(-0.5, 0.5)

    def rtc_s(self, at_s: float) -> float:
        return at_s + self.offset_s + (at_s - UTC_S) * self._ppm * 1e-6

    def slept(self, at_s: float) -> float:
        return self.rtc_s(at_s) + self._late_s

    def woke(self, at_s: float) -> float:
        rtc_s = self.rtc_s(at_s)
        read_s = np.floor(rtc_s) + 0.5
        self._late_s = read_s - rtc_s
        return float(read_s)


def sleep_and_wake(windows: Windows, random, asleep_s: float, awake_s: float, image: bool):
    """Return the record of a sleep whose SLP_S3# fell and rose at these times."""
    bios_s = random.normal(3.24, 0.01) if image else random.normal(0.4, 0.02)
    read_s = random.uniform(2.9, 5.0) if image else 0.0
    driver_s = random.lognormal(-0.2, 0.15) if random.random() > 0.005 else 12.5
    if image:
        driver_s += 5
    sleep_s = random.uniform(1.2, 2.8)
    began_s = windows.slept(asleep_s - sleep_s - random.uniform(0, 0.05))
    read_at_s = windows.woke(awake_s + 0.11 + random.uniform(0, 0.03) + bios_s + read_s)
    user_s = random.uniform(0.01, 0.1)
    return os_record(
        kind=SleepKind.S4 if image else SleepKind.S3,
        sleep_time_utc_ns=round(began_s * S),
        wake_time_utc_ns=round((read_at_s + driver_s + user_s + random.normal(0, 0.005)) * S),
        sleep_ms=round(sleep_s * 1000),
        wake_ms=round((driver_s + user_s) * 1000),
        driver_init_ms=round(driver_s * 1000),
        bios_init_ms=round(bios_s * 1000),
        hiber_read_ms=round(read_s * 1000) if image else None,
    )


def unmeasured(record: OsRecord, **fields) -> OsRecord:
    """Return a record without a single duration."""
    return replace(
        record, sleep_ms=None, wake_ms=None, driver_init_ms=None, bios_init_ms=None,
        hiber_read_ms=None, **fields,
    )  # fmt: skip


def pauses(random, pace: str, n: int):
    """Return how long each cycle sleeps and then stays awake, and whether from an image."""
    asleep, awake = random.uniform(8, 40), random.uniform(12, 40)
    image = np.full(n, pace == "S4")
    if pace == "mixed":
        image = random.random(n) < 0.3
    jitter = {"even": 0.02, "jittered": 0.4}.get(pace, 15.0)
    asleep_s = np.maximum(asleep + random.uniform(-jitter, jitter, n), 5.0)
    awake_s = np.maximum(awake + random.uniform(-jitter, jitter, n), 10.0)
    if pace == "even":
        awake_s += random.normal(0, 0.05, n)
    return asleep_s + 12.0 * image, awake_s + 12.0 * image, image


def offset_of(random, kind: str) -> float:
    small = random.normal(0, 2.0)
    if kind == "zone":
        return float(small + 3600 * random.integers(-12, 15))
    if kind == "hours":
        return float(random.uniform(-50_000, 50_000))
    return float(small + random.uniform(-30, 10) * YEAR_S) if kind == "years" else float(small)


def campaign(
    seed: int, n: int, pace: str, offset: str, troubles: Troubles, *, pressed: bool = False
) -> Campaign:
    """Return a campaign of `n` cycles; where the wires have the button, it is `pressed`."""
    random, presses = np.random.default_rng(seed), np.random.default_rng((seed, 79))
    windows = Windows(random, offset_of(random, offset))
    made = Campaign()
    log: list[tuple[OsRecord, int | None]] = []
    asleep_s, awake_s, image = pauses(random, pace, n)
    at_s = float(UTC_S)
    before = int(random.integers(0, troubles.before + 1))
    log += [(r, None) for r in _peoples(windows, random, at_s - 40 * 3600, 39 * 3600, before)]
    for cycle in range(n):
        at_s += awake_s[cycle]
        if random.random() < troubles.extra:
            at_s = _a_sleep_between(windows, random, at_s, log)
        if random.random() < troubles.steps and cycle:
            step_s = troubles.step_s * 4.0 ** random.uniform(-1, 1) * random.choice([-1, 1])
            windows.offset_s += step_s
            made.steps.append((cycle, step_s))
            made.told_by.append(len(log))
        slept_s, woke_s = at_s, at_s + asleep_s[cycle]
        at_s = woke_s
        if random.random() < troubles.died:
            made.cycles.append(OutsideMoments(round(slept_s * S), None))
            at_s += 40.0
            continue
        noise = random.normal(0, 0.001)
        unlike = S4_ONLY if image[cycle] else S3_ONLY
        told = sleep_and_wake(windows, random, slept_s, woke_s, bool(image[cycle]))
        # From the press to the OS's own start, and from its end to SLP_S3#: 50 ms, and 0 to 50 ms.
        late_s = 0.05 + presses.uniform(0.0, 0.05)
        to_sleep_ns = (told.sleep_ms or 0) * 1_000_000 + round(late_s * S) if pressed else None
        fell_ns, rose_ns = round(slept_s * S), round((woke_s + noise) * S)
        made.cycles.append(OutsideMoments(fell_ns, rose_ns, unlike, to_sleep_ns=to_sleep_ns))
        if random.random() >= troubles.lost:
            _written(random, troubles, told, cycle, log)
    later = int(random.integers(0, troubles.before // 4 + 1))
    log += [(r, None) for r in _peoples(windows, random, at_s + 600, 20 * 3600, later)]
    _cut(random, troubles, made, log)
    return made


def _written(random, troubles: Troubles, told: OsRecord, cycle: int, log) -> None:
    wake_ns, sleep_ns = told.wake_time_utc_ns or 0, told.sleep_time_utc_ns or 0
    if random.random() < troubles.doze:
        log.append((unmeasured(told, kind=SleepKind.DOZE, wake_time_utc_ns=sleep_ns), None))
    if random.random() < troubles.zero:
        next_ns = wake_ns + 11 * S
        told = unmeasured(told, kind=SleepKind.ABORTED, sleep_time_utc_ns=next_ns)
    log.append((told, cycle))
    if random.random() < troubles.doubled:
        log.append((told, cycle))


def _a_sleep_between(windows, random, at_s: float, log) -> float:
    """Let somebody use the DUT between two cycles; return when that is over."""
    slept_s = at_s + random.uniform(5, 60)
    woke_s = slept_s + random.uniform(5, 300)
    log.append((sleep_and_wake(windows, random, slept_s, woke_s, False), None))
    return float(woke_s + random.uniform(8, 60))


def _peoples(windows, random, from_s: float, span_s: float, count: int):
    times = np.sort(random.uniform(from_s, from_s + span_s, 2 * count))
    for slept_s, woke_s in zip(times[::2], times[1::2], strict=True):
        yield sleep_and_wake(windows, random, slept_s, max(woke_s, slept_s + 5), False)


def _cut(random, troubles: Troubles, made: Campaign, log) -> None:
    """Number the records; leave out those before the log began, or after it ended."""
    if random.random() < troubles.wrapped:
        at = int(random.integers(0, len(log) // 2 + 1))
        begins = random.random() < 0.7
        log = log[at:] if begins else log[: len(log) - at]
        made.told_by = [number - at * begins for number in made.told_by]
    for place, (told, cycle) in enumerate(log):
        made.records.append(replace(told, record_id=place))
        if cycle is not None:
            if cycle in made.truth:
                made.also[place] = made.truth[cycle]
            made.truth.setdefault(cycle, place)


TELLS = ("truly", "half of them", "twice", "falsely", "each wake", "wildly")
"""How a log may tell of settings of its clock; `tell`."""


def tell(made: Campaign, how: str, seed: int) -> Campaign:
    """Return a campaign whose log tells of settings of its clock.

    Truly all of them or some, some of them twice, some that never were beside those that were,
    each wake as well (a Windows that gives no reason), or values beyond all sense.
    """
    random = np.random.default_rng((seed, 78))
    told: dict[int, float] = {}
    for (_, step_s), record in zip(made.steps, made.told_by, strict=True):
        if how == "half of them" and random.random() < 0.5:
            continue
        factor = 2.0 if how == "twice" and random.random() < 0.5 else 1.0
        told[record] = told.get(record, 0.0) + factor * step_s
    numbers = [record.record_id or 0 for record in made.records]
    if how in {"falsely", "wildly"}:
        for number in random.choice(numbers, min(1 + len(made.steps), len(numbers))).tolist():
            scale_s = 60.0 if how == "falsely" else 10.0 ** random.uniform(3, 30)
            told[number] = told.get(number, 0.0) + float(random.normal(0, scale_s))
    records = []
    for record in made.records:
        step_s = told.get(record.record_id or 0, 0.0)
        after_s = 0.0
        if how == "each wake" and record.wake_time_utc_ns and record.sleep_time_utc_ns:
            after_s = (record.wake_time_utc_ns - record.sleep_time_utc_ns) / S
        figures = [Figure("clock_steps", 1), Figure("clock_stepped_us", (step_s + after_s) * 1e6)]
        if after_s:
            figures.append(Figure("clock_stepped_after_wake_us", (step_s + after_s) * 1e6))
        records.append(replace(record, figures=tuple(figures) if step_s or after_s else ()))
    return replace(made, records=records)
