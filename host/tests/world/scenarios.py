"""The scenarios: what may come to the command line, each with its truth."""

import zlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from world.capture import SIGNALS, Analyser
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


def _with_unit(random: Random, cycles: int, **given: object) -> Trial:
    lived = life(random, draw(random, **given), plan_of(random, cycles))
    return trial(random, lived)


def hidden_before(random: Random, cycles: int) -> Trial:
    """Time before the OS's own start of the sleep: EC, driver, policy."""
    return _with_unit(random, cycles, hidden_before=0.15 * 100 ** random.random())


def hidden_sleep(random: Random, cycles: int) -> Trial:
    """Time in the firmware before SLP_S3#, which FPDT does not report."""
    return _with_unit(random, cycles, hidden_sleep=0.1 * 50 ** random.random())


def hidden_clock(random: Random, cycles: int) -> Trial:
    """The OS's clock runs on after SleepDuration, as on a real laptop (0.3 to 0.45 s), and more."""
    return _with_unit(random, cycles, clock_tail=float(random.uniform(0.3, 1.2)))


def hidden_reset(random: Random, cycles: int) -> Trial:
    """Time between PLTRST# and TSC = 0 beyond the 300 ms that are assumed."""
    return _with_unit(random, cycles, reset_to_tsc=float(random.uniform(0.3, 1.5)))


def hidden_after(random: Random, cycles: int) -> Trial:
    """Time between the waking vector and the OS's reading of the RTC."""
    return _with_unit(random, cycles, hidden_after=0.03 * 30 ** random.random())


def bios_short(random: Random, cycles: int) -> Trial:
    """BIOS times below the truth, by 2 % to nearly all; FPDT lies along, or does not."""
    share = float(random.uniform(0.02, 0.98))
    return _with_unit(
        random,
        cycles,
        bios_factor=share,
        bios=float(random.uniform(0.4, 1.6)),
        firmware_tells_truth=bool(random.random() < 0.3),
    )


def bios_long(random: Random, cycles: int) -> Trial:
    """BIOS times above the truth, by 20 ms to 3 s."""
    return _with_unit(
        random,
        cycles,
        bios_offset=0.02 * 150 ** random.random(),
        firmware_tells_truth=bool(random.random() < 0.3),
    )


def bios_sometimes(random: Random, cycles: int) -> Trial:
    """BIOS times that are wrong in some cycles, either way."""
    offset = float(random.choice([-1, 1])) * 0.1 * 20 ** random.random()
    return _with_unit(
        random,
        cycles,
        bios_offset=offset,
        bios=float(random.uniform(0.6, 1.6)),
        bios_sometimes=float(random.uniform(0.05, 0.5)),
    )


def bios_garbage(random: Random, cycles: int) -> Trial:
    """BIOS times that are none: a TSC that ran on, microseconds, nanoseconds."""
    return _with_unit(random, cycles, garble=str(random.choice(["uptime", "us", "ns"])))


def double_reset(random: Random, cycles: int) -> Trial:
    """PLTRST# rises twice in some wakes, and the BIOS counts the second pass."""
    return _with_unit(random, cycles, double_reset=float(random.uniform(0.1, 1.0)))


def real_laptop(random: Random, cycles: int) -> Trial:
    """The figures of a real Windows 11 laptop: hybrid sleep, BIOS 798 ms, FPDT 695 ms."""
    unit = draw(
        random,
        hybrid=True,
        bios=0.798,
        firmware_less=0.1035,
        firmware_scatter=0.0012,
        suspend=2.4,
        clock_tail=0.43,
        firmware_suspend=0.0015,
        driver=0.87,
        user=0.03,
        scatter=0.13,
        tail=0.01,
        wake_path=0.05,
        power_good=0.03,
        reset_hold=0.09,
    )
    windows = windows_of(random)
    windows.build = 22000
    windows.rtc_rate = 15e-6
    lived = life(random, unit, plan_of(random, cycles), windows=windows)
    return trial(random, lived, ask=("--kind", "hybrid"))


def lid(random: Random, cycles: int) -> Trial:
    """The lid sleeps and wakes the unit."""
    lived = life(random, draw(random), replace(plan_of(random, cycles), lid=True))
    return trial(random, lived)


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


def coarse(random: Random, cycles: int) -> Trial:
    """Sample rates of 1 kHz to 100 kHz, in each form of file."""
    analyser = Analyser(
        rate=float(random.choice([1e3, 2e3, 5e3, 1e4, 2e4, 2.5e4, 5e4, 1e5])),
        ppm=float(random.uniform(-50, 50)),
        form=str(random.choice(["vcd", "vcd-old", "csv"])),
    )
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser)


def fine(random: Random, cycles: int) -> Trial:
    """Sample rates of 4 MHz to 100 MHz, and short pulses on the power lines."""
    analyser = Analyser(
        rate=float(random.choice([4e6, 12e6, 24e6, 1e8])),
        ppm=float(random.uniform(-50, 50)),
        form=str(random.choice(["vcd", "vcd-old", "csv"])),
    )
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser, glitches=0.2)


def wires(random: Random, cycles: int) -> Trial:
    """Some lines are not wired, and some are inverted."""
    kept = ["BUTTON", str(random.choice(["SLP_S3#", "PWR_OK"]))]
    kept += [name for name in SIGNALS if name not in kept and random.random() < 0.6]
    turned = tuple(name for name in kept if random.random() < 0.25)
    analyser = Analyser(
        wired=tuple(kept),
        inverted=turned,
        form=str(random.choice(["vcd", "csv"])),
        ppm=float(random.uniform(-50, 50)),
    )
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser)


SPELLINGS = {
    "BUTTON": ("PWRBTN#", "PWR_BTN", "PWRBTN_N", "BUTTON"),
    "SLP_S3#": ("SLP_S3#", "SLP_S3_N", "SLP_S3"),
    "SLP_S4#": ("SLP_S4#", "SLP_S4_N", "SLP_S4"),
    "PWR_OK": ("PWR_OK", "PWROK", "pwr_ok"),
    "PLTRST#": ("PLTRST#", "PLTRST_N", "PLTRST"),
    "BACKLIGHT": ("BACKLIGHT", "backlight"),
}


def names(random: Random, cycles: int) -> Trial:
    """Signals are named as on a schematic, and no map is given."""
    chosen = tuple((name, str(random.choice(spelled))) for name, spelled in SPELLINGS.items())
    analyser = Analyser(names=chosen, wired=tuple(SPELLINGS), ppm=float(random.uniform(-50, 50)))
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser, mapped=False)


def strangers(random: Random, cycles: int) -> Trial:
    """Somebody else sends the unit to sleep and wakes it by its keyboard, now and then."""
    return _with_unit(random, cycles, strangers=float(random.uniform(0.05, 0.4)))


def lit_by_firmware(random: Random, cycles: int) -> Trial:
    """The firmware lights the panel before the OS runs."""
    return _with_unit(random, cycles, lit_by_firmware=True, bios=float(random.uniform(0.5, 2.0)))


def dozes(random: Random, cycles: int) -> Trial:
    """Some sleeps become S4, as on a laptop that hibernates after a while."""
    return _with_unit(random, cycles, dozes=float(random.uniform(0.05, 0.6)))


def dimmed(random: Random, cycles: int) -> Trial:
    """A panel at less than full brightness: BACKLIGHT is a PWM."""
    lived = life(random, draw(random), plan_of(random, min(cycles, 7)))
    pwm = (float(random.choice([220.0, 300.0])), float(random.uniform(0.1, 0.9)))
    return trial(random, lived, dimmed=pwm)


def cut_capture(random: Random, cycles: int) -> Trial:
    """The capture begins in the first sleep, and ends in the last one."""
    lived = life(random, draw(random), plan_of(random, cycles))
    last = lived.cycles[-1]
    return trial(
        random,
        lived,
        cut=(8.5, last.light + 15.0 - last.slp_fall - float(random.uniform(0.5, 3.0))),
    )


def overnight(random: Random, cycles: int) -> Trial:
    """Sleeps of half an hour to eight hours: clocks drift apart in each."""
    plan = Plan(min(cycles, 30), (1800.0, float(random.uniform(3600.0, 8 * 3600.0))), (10.0, 60.0))
    lived = life(random, draw(random), plan)
    return trial(random, lived, analyser=Analyser(rate=1e6, ppm=float(random.uniform(-50, 50))))


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


def _compared(random: Random, cycles: int, slower: float) -> Trial:
    unit = draw(random, session=float(random.uniform(0.0, 0.04)))
    plan = plan_of(random, cycles)
    base = life(random, unit, plan)
    changed = replace(unit, driver=unit.driver * (1 + slower), bios=unit.bios * (1 + slower))
    candidate = life(random, changed, plan)
    made = trial(random, base)
    made.candidate = xml_of([(candidate.windows, candidate.windows.events)])
    made.slower = slower
    return made


def compare_same(random: Random, cycles: int) -> Trial:
    """Two sessions of one unit, that differ by the day alone: 0 to 4 %."""
    return _compared(random, cycles, 0.0)


def compare_slower(random: Random, cycles: int) -> Trial:
    """A candidate that is slower by 15 to 60 %."""
    return _compared(random, cycles, float(random.uniform(0.15, 0.6)))


SCENARIOS: dict[str, Callable[[Random, int], Trial]] = {
    made.__name__.replace("_", "-"): made
    for made in (
        own,
        own_even,
        own_cut,
        short,
        real_laptop,
        lid,
        foreign_random,
        foreign_even,
        foreign_script,
        foreign_model,
        merged,
        merged_files,
        hidden_before,
        hidden_sleep,
        hidden_clock,
        hidden_reset,
        hidden_after,
        bios_short,
        bios_long,
        bios_sometimes,
        bios_garbage,
        double_reset,
        lost_random,
        lost_slow,
        few_records,
        near_limit,
        resleep,
        zeros,
        steps_logged,
        steps_silent,
        steps_within,
        synchronised,
        daylight,
        boots,
        sessions,
        strangers,
        overnight,
        dozes,
        lit_by_firmware,
        dimmed,
        cut_capture,
        coarse,
        fine,
        wires,
        names,
        compare_same,
        compare_slower,
    )
}


def made(scenario: str, seed: int, cycles: int | None = None) -> Trial:
    """Return the trial of a scenario and a seed; 12 to 120 cycles unless given."""
    random = np.random.default_rng((zlib.crc32(scenario.encode()), seed))
    size = round(12 * 10 ** random.random())
    return SCENARIOS[scenario](random, size if cycles is None else cycles)
