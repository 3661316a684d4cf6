"""Labs: what somebody brings to the command line, each scenario with its truth."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from world import oslog
from world.capture import Analyser, edges_of, text_of
from world.oslog import BUILDS, Step, Windows
from world.unit import Cycle, Plan, Random, Unit, draw, live

PT = "Microsoft-Windows-Power-Troubleshooter"


@dataclass
class Trial:
    """Files of one campaign and what is true of it."""

    unit: Unit
    cycles: list[Cycle]  # those on the wires, in their order
    present: set[int]  # EventRecordIDs of this unit's records that the logs hold
    capture: str = ""
    form: str = "vcd"
    logs: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    stepped: bool = False  # a clock was set by more than 1 s somewhere
    glitches: bool = False
    candidate: str = ""  # of a comparison: the other log
    slower: float = 0.0  # true change of the candidate's median, as a share


@dataclass
class Life:
    """One PC, its cycles and its log, before anything is cut out of either."""

    unit: Unit
    cycles: list[Cycle]
    windows: Windows


def windows_of(random: Random, name: str = "DUT", first: int = 1000) -> Windows:
    """Return an installation with clocks of its own."""
    return Windows(
        build=int(random.choice(BUILDS[1:])),
        base=1_741_000_000 + int(random.integers(0, 86_400)),
        rtc_phase=float(random.uniform(-0.5, 0.5)),
        os_rate=float(random.normal(0.0, 8e-6)),
        rtc_rate=float(random.normal(0.0, 12e-6)),
        computer=name,
        next_record=first + int(random.integers(0, 4000)),
    )


def plan_of(random: Random, cycles: int) -> Plan:
    """Return a plan with a spread, as a careful lab makes it."""
    dwell, settle = float(random.uniform(5.5, 15.0)), float(random.uniform(5.0, 20.0))
    return Plan(
        cycles,
        (dwell, dwell + float(random.uniform(0.5, 10.0))),
        (settle, settle + float(random.uniform(0.5, 20.0))),
    )


def even_plan(random: Random, cycles: int) -> Plan:
    """Return a plan at a pace that is even to the microsecond."""
    period = float(random.choice([30.0, 40.0, 45.0, 60.0, 31.7, 37.13]))
    dwell = period * float(random.uniform(0.35, 0.5))
    return Plan(cycles, (dwell, dwell), (5.0, 5.0), period=period)


def life(
    random: Random,
    unit: Unit,
    plan: Plan,
    *,
    windows: Windows | None = None,
    steps: tuple[Step, ...] = (),
    boots: tuple[int, ...] = (),
    sessions: int = 1,
) -> Life:
    """Let a PC live through a plan, and Windows write it down."""
    cycles = live(unit, plan, random, sessions)
    windows = windows or windows_of(random)
    oslog.record(windows, unit, cycles, random, steps=steps, boots=boots)
    return Life(unit, cycles, windows)


def trial(
    random: Random,
    lived: Life,
    first: int = 0,
    count: int | None = None,
    *,
    analyser: Analyser | None = None,
    lost: frozenset[int] = frozenset(),
    others: tuple[Life, ...] = (),
    foreign: bool = False,
    glitches: float = 0.0,
    files: bool = False,
    mapped: bool = True,
) -> Trial:
    """Cut a capture of `count` cycles out of a life, and export the logs.

    `lost` are record ids that the log does not hold; `others` are units whose records are in the
    same log (in files of their own with `files`); `foreign` leaves out the unit's own log.
    """
    analyser = analyser or Analyser(ppm=float(random.uniform(-50, 50)))
    cycles = lived.cycles[first : None if count is None else first + count]
    start = cycles[0].press_sleep - float(random.uniform(3.0, 4.5))
    lines = edges_of(cycles, random, glitches=glitches)
    lines = {name: [(time - start, level) for time, level in line] for name, line in lines.items()}
    events = [event for event in lived.windows.events if event.record not in lost]
    present = {event.record for event in events if event.provider == PT}
    logs = [] if foreign else [(lived.windows, events)]
    logs += [(other.windows, other.windows.events) for other in others]
    if files:
        texts = [oslog.xml_of([log]) for log in logs]
    else:
        logs.sort(key=lambda log: log[0].base)
        texts = [_merged(logs)]
    return Trial(
        unit=lived.unit,
        cycles=cycles,
        present=set() if foreign else present,
        capture=text_of(lines, cycles[-1].light + 15.0 - start, analyser),
        form="csv" if analyser.form == "csv" else "vcd",
        logs=texts,
        arguments=analyser.arguments() if mapped else [],
        glitches=glitches > 0,
    )


def _merged(logs: list) -> str:
    """Return one document; several units are merged by time, as a collector does."""
    if len(logs) == 1:
        return oslog.xml_of(logs)
    rows = [
        (windows.base + event.time, i, event.record, windows, event)
        for i, (windows, events) in enumerate(logs)
        for event in events
    ]
    rows.sort(key=lambda row: row[:3])
    return oslog.xml_of([(windows, [event]) for *_, windows, event in rows])


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


SCENARIOS: dict[str, Callable[[Random, int], Trial]] = {
    made.__name__.replace("_", "-"): made
    for made in (
        own,
        own_even,
        own_cut,
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
    )
}


def made(scenario: str, seed: int, cycles: int | None = None) -> Trial:
    """Return the trial of a scenario and a seed; 12 to 120 cycles unless given."""
    random = np.random.default_rng((zlib.crc32(scenario.encode()), seed))
    size = round(12 * 10 ** random.random())
    return SCENARIOS[scenario](random, size if cycles is None else cycles)
