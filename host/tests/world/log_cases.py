"""Scenarios of logs: whose they are, what they lack, how their clock went; each with its truth."""

from dataclasses import replace

from world.labs import Life, Trial, empty, even_plan, life, plan_of, trial, windows_of
from world.oslog import Step, xml_of
from world.unit import Plan, Random, draw


def _around(random: Random, cycles: int) -> tuple[int, int]:
    """Return how many sleeps of other days stand before and after the campaign."""
    return int(random.integers(0, cycles)), int(random.integers(0, cycles))


def own(random: Random, cycles: int) -> Trial:
    """The unit's own log, with sleeps before and after the capture."""
    before, after = _around(random, cycles)
    lived = life(random, draw(random), plan_of(random, before + cycles + after))
    return trial(random, lived, before, cycles)


def own_even(random: Random, cycles: int) -> Trial:
    """The unit's own log at an exactly even pace."""
    before, after = _around(random, cycles) if random.random() < 0.5 else (0, 0)
    lived = life(random, draw(random), even_plan(random, before + cycles + after))
    return trial(random, lived, before, cycles)


def own_cut(random: Random, cycles: int) -> Trial:
    """An even pace, and a log that begins or ends within the campaign."""
    lived = life(random, draw(random), even_plan(random, cycles))
    cut = int(random.integers(1, max(2, cycles // 3)))
    gone = lived.cycles[:cut] if random.random() < 0.5 else lived.cycles[-cut:]
    return trial(random, lived, lost=frozenset(c.record or 0 for c in gone))


def _foreign(random: Random, cycles: int, plan: Plan, other: Plan) -> Trial:
    mine = life(random, draw(random), plan)
    theirs = life(random, draw(random), other, windows=windows_of(random, "OTHER", 900_000))
    return trial(random, mine, 0, cycles, others=(theirs,), foreign=True)


def foreign_random(random: Random, cycles: int) -> Trial:
    """The log of another unit that slept by the same plan, with a spread of its own."""
    plan = plan_of(random, cycles)
    return _foreign(
        random, cycles, plan, replace(plan, cycles=round(cycles * random.uniform(0.7, 3)))
    )


def foreign_even(random: Random, cycles: int) -> Trial:
    """The log of another unit in the same lab, at the same even pace."""
    plan = even_plan(random, cycles)
    more = round(cycles * random.uniform(0.7, 3))
    start = plan.start + float(random.uniform(0.0, 60.0))
    return _foreign(random, cycles, plan, replace(plan, cycles=more, start=start))


def foreign_script(random: Random, cycles: int) -> Trial:
    """The log of another unit that one script puts to sleep for the same drawn times."""
    plan = replace(plan_of(random, cycles), script=int(random.integers(0, 1 << 30)))
    start = plan.start + float(random.choice([0.0, 0.3, 30.0, 600.0]))
    return _foreign(random, cycles, plan, replace(plan, start=start))


def foreign_model(random: Random, cycles: int) -> Trial:
    """Another unit of the same model (same typical times), by the same script."""
    plan = replace(plan_of(random, cycles), script=int(random.integers(0, 1 << 30)))
    unit = draw(random)
    mine = life(random, unit, plan)
    start = plan.start + float(random.choice([0.0, 0.3, 30.0, 600.0]))
    windows = windows_of(random, "OTHER", 900_000)
    theirs = life(random, unit, replace(plan, start=start), windows=windows)
    return trial(random, mine, others=(theirs,), foreign=True)


def _merged_lab(random: Random, cycles: int, *, files: bool) -> Trial:
    even = random.random() < 0.3
    plan = even_plan(random, cycles) if even else plan_of(random, cycles)
    mine = life(random, draw(random), plan)
    start = plan.start + float(random.uniform(0.0, 300.0))
    windows = windows_of(random, "OTHER", 900_000)
    windows.base = mine.windows.base
    theirs = life(random, draw(random), replace(plan, start=start), windows=windows)
    return trial(random, mine, others=(theirs,), files=files)


def merged(random: Random, cycles: int) -> Trial:
    """One document with the records of two units, by time."""
    return _merged_lab(random, cycles, files=False)


def merged_files(random: Random, cycles: int) -> Trial:
    """The logs of two units, both given."""
    return _merged_lab(random, cycles, files=True)


def lost_random(random: Random, cycles: int) -> Trial:
    """Records are missing at random: 5 to 60 %."""
    lived = life(random, draw(random), plan_of(random, cycles))
    share = float(random.uniform(0.05, 0.6))
    lost = {c.record or 0 for c in lived.cycles if random.random() < share}
    return trial(random, lived, lost=frozenset(lost))


def _near_limit(random: Random, cycles: int) -> Life:
    bios = float(random.uniform(0.2, 1.0))
    unit = draw(
        random,
        bios=bios,
        driver=float(random.uniform(1.6, 2.05)) - bios,
        scatter=float(random.uniform(0.01, 0.12)),
        tail=float(random.uniform(0.0, 0.15)),
    )
    return life(random, unit, plan_of(random, cycles))


def near_limit(random: Random, cycles: int) -> Trial:
    """BIOS and devices take about 2 s together."""
    return trial(random, _near_limit(random, cycles))


def lost_slow(random: Random, cycles: int) -> Trial:
    """The next sleep follows the press by a fixed time: slow resumes lose their records."""
    lived = _near_limit(random, cycles)
    took = sorted(c.awake - c.press_wake for c in lived.cycles)
    patience = took[round(random.uniform(0.4, 0.97) * (cycles - 1))]
    late = [c for c in lived.cycles if c.awake - c.press_wake > patience]
    if random.random() < 0.5:
        return trial(random, lived, lost=frozenset(c.record or 0 for c in late))
    for cycle in late:
        empty(lived, cycle)
    return trial(random, lived)


def few_records(random: Random, cycles: int) -> Trial:
    """The log was overwritten: it holds the last few records of the campaign."""
    lived = _near_limit(random, cycles)
    kept = int(random.integers(2, max(3, cycles // 4)))
    return trial(random, lived, lost=frozenset(c.record or 0 for c in lived.cycles[:-kept]))


def resleep(random: Random, cycles: int) -> Trial:
    """The unit sleeps again 0.5 to 3 s after it woke, before some records are written."""
    settle = float(random.uniform(0.1, 1.0))
    plan = replace(plan_of(random, cycles), settle=(settle, settle + 2.0))
    return trial(random, life(random, draw(random), plan))


def zeros(random: Random, cycles: int) -> Trial:
    """Records of zeros alone, in some cycles or in all."""
    lived = life(random, draw(random), plan_of(random, cycles))
    share = 1.0 if random.random() < 0.3 else float(random.uniform(0.1, 0.9))
    for cycle in lived.cycles:
        if random.random() < share:
            empty(lived, cycle)
    return trial(random, lived)


def _steps(random: Random, cycles: int, when: tuple[str, ...], *, logged: bool) -> tuple[Step, ...]:
    count = int(random.integers(1, max(2, cycles // 12)))
    return tuple(
        Step(
            cycle=int(random.integers(0, cycles)),
            when=str(random.choice(when)),
            error=float(random.choice([-1, 1])) * 1.1 * 6000 ** random.random(),
            logged=logged,
            rtc=bool(random.random() < 0.8),
        )
        for _ in range(count)
    )


def _stepped(random: Random, cycles: int, when: tuple[str, ...], *, logged: bool) -> Trial:
    even = random.random() < 0.3
    plan = even_plan(random, cycles) if even else plan_of(random, cycles)
    lived = life(random, draw(random), plan, steps=_steps(random, cycles, when, logged=logged))
    return trial(random, lived, stepped=True)


def steps_logged(random: Random, cycles: int) -> Trial:
    """The clock is set between cycles, by 1.1 s to hours, and the log tells of it."""
    return _stepped(random, cycles, ("after",), logged=True)


def steps_silent(random: Random, cycles: int) -> Trial:
    """The same, and the log is silent."""
    return _stepped(random, cycles, ("after",), logged=False)


def steps_within(random: Random, cycles: int) -> Trial:
    """The clock is set on the way to sleep, or within 0.2 s of the wake's end."""
    return _stepped(random, cycles, ("suspend", "wake"), logged=bool(random.random() < 0.5))


def synchronised(random: Random, cycles: int) -> Trial:
    """A time service brings the clock to true time after every few wakes, and tells of it."""
    every = int(random.integers(1, 6))
    when = str(random.choice(["after", "wake"]))
    steps = tuple(Step(i, when, None) for i in range(0, cycles, every))
    lived = life(random, draw(random), plan_of(random, cycles), steps=steps)
    return trial(random, lived)


def daylight(random: Random, cycles: int) -> Trial:
    """Summer time begins: the bias changes, or a firmware moves the RTC and a service mends it."""
    at = int(random.integers(1, cycles - 1))
    plan = even_plan(random, cycles) if random.random() < 0.3 else plan_of(random, cycles)
    hour = float(random.choice([-3600.0, 3600.0]))
    if random.random() < 0.5:
        steps: tuple[Step, ...] = (Step(at, "bias", hour),)
    else:
        mended = min(cycles - 1, at + int(random.integers(0, 4)))
        steps = (Step(at, "asleep", hour), Step(mended, "after", -hour))
    lived = life(random, draw(random), plan, steps=steps)
    return trial(random, lived, stepped=True)


def boots(random: Random, cycles: int) -> Trial:
    """The OS restarted between cycles."""
    at = tuple(sorted({int(i) for i in random.integers(1, cycles, size=3)}))
    plan = plan_of(random, cycles)
    lived = life(random, draw(random), replace(plan, settle=(9.0, 30.0)), boots=at)
    return trial(random, lived)


def sessions(random: Random, cycles: int) -> Trial:
    """Three sessions of a day in one capture and one log."""
    unit = draw(random, session=float(random.uniform(0.0, 0.06)))
    lived = life(random, unit, plan_of(random, cycles), sessions=3)
    return trial(random, lived)


def short(random: Random, cycles: int) -> Trial:
    """Three to eight cycles, and a log with many sleeps of other days."""
    few = int(random.integers(3, 9))
    before = int(random.integers(0, 150))
    lived = life(random, draw(random), plan_of(random, before + few + 5))
    return trial(random, lived, before, few)


def _compared(random: Random, cycles: int, slower: float, sessions: int = 1) -> Trial:
    unit = draw(random, session=float(random.uniform(0.0, 0.04)))
    plan = plan_of(random, cycles)
    base = life(random, unit, plan)
    more = [life(random, unit, plan) for _ in range(sessions - 1)]
    changed = replace(unit, driver=unit.driver * (1 + slower), bios=unit.bios * (1 + slower))
    candidates = [life(random, changed, plan) for _ in range(sessions)]
    made = trial(random, base)
    made.logs += [xml_of([(one.windows, one.windows.events)]) for one in more]
    made.candidates = [xml_of([(one.windows, one.windows.events)]) for one in candidates]
    made.slower = slower
    made.question = "compare"
    return made


def compare_same(random: Random, cycles: int) -> Trial:
    """Two sessions of one unit, that differ by the day alone: 0 to 4 %."""
    return _compared(random, cycles, 0.0)


def compare_slower(random: Random, cycles: int) -> Trial:
    """A candidate that is slower by 15 to 60 %."""
    return _compared(random, cycles, float(random.uniform(0.15, 0.6)))


def compare_sessions(random: Random, cycles: int) -> Trial:
    """Six sessions a side, that differ by the day alone."""
    return _compared(random, min(cycles, 40), 0.0, 6)


def compare_sessions_slower(random: Random, cycles: int) -> Trial:
    """Six sessions a side, and a candidate that is slower by 15 to 60 %."""
    return _compared(random, min(cycles, 40), float(random.uniform(0.15, 0.6)), 6)
