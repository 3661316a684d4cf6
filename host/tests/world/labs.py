"""What a lab brings to the command line: a capture and logs, cut out of the lives of its PCs."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from world import doze, endings, oslog
from world.capture import Analyser, edges_of, text_of
from world.oslog import BUILDS, Step, Windows
from world.unit import Cycle, Phases, Plan, Random, Unit, live

PT = "Microsoft-Windows-Power-Troubleshooter"


@dataclass
class Trial:
    """Files of one campaign and what is true of it."""

    unit: Unit
    cycles: list[Cycle]  # those on the wires, in their order
    present: set[int]  # EventRecordIDs of this unit's records that the logs hold
    shown: set[int] = field(default_factory=set)  # those of all its events
    capture: str = ""
    form: str = "vcd"
    logs: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    stepped: bool = False  # a clock was set by more than 1 s somewhere
    glitches: bool = False
    doubled: bool = False  # another unit's records stand in the same file
    candidates: list[str] = field(default_factory=list)  # of a comparison: the other logs
    slower: float = 0.0  # true change of the candidate's median, as a share
    question: str = "correlate"  # or log, fleet, compare
    attempts: int | None = None  # to sleep, that the logs show; None: as many as cycles
    failed: int = 0  # attempts without a resume, besides those of `cycles`
    computers: int = 1
    odd: frozenset[str] = frozenset()  # units of a fleet that are unlike the others
    wires_lie: frozenset[str] = frozenset()  # signals that are not what the map says
    limit_ms: float = 2000.0
    failing: float | None = None  # true share of failures of the process behind the campaign
    process: dict[str, float] = field(default_factory=dict)  # its true median_ms and mean_ms
    shift_ms: float | None = None  # of a comparison: the true shift of the process
    must: str = ""  # the answer of a comparison that the data carries


@dataclass
class Life:
    """One PC, its cycles and its log, before anything is cut out of either."""

    unit: Unit
    cycles: list[Cycle]
    windows: Windows


def windows_of(random: Random, name: str = "DUT", first: int = 1000) -> Windows:
    """Return an installation with clocks of its own."""
    return Windows(
        build=int(random.choice(BUILDS)),
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
    happening: Callable[[Unit, Phases, Cycle], None] | None = None,
) -> Life:
    """Let a PC live through a plan, and Windows write it down."""
    dozing = doze.dozing if unit.dozes else None
    cycles = live(unit, plan, random, sessions, dozing=dozing, happening=happening)
    windows = windows or windows_of(random)
    oslog.record(
        windows,
        unit,
        cycles,
        random,
        steps=steps,
        boots=boots,
        doze_and_wake=doze.doze_and_wake,
        otherwise=endings.write,
    )
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
    stepped: bool = False,
    ask: tuple[str, ...] = (),
    dimmed: tuple[float, float] | None = None,
    cut: tuple[float, float] = (0.0, 0.0),
    touch: Callable[[dict[str, list[tuple[float, int]]], list[Cycle]], None] | None = None,
) -> Trial:
    """Cut a capture of `count` cycles out of a life, and export the logs.

    `lost` are record ids that the log does not hold; `others` are units whose records are in the
    same log (in files of their own with `files`); `foreign` leaves out the unit's own log;
    `cut` seconds of the capture are lacking at its beginning and its end; `touch` changes what
    is on the lines before they are sampled.
    """
    analyser = analyser or Analyser(ppm=float(random.uniform(-50, 50)))
    cycles = lived.cycles[first : None if count is None else first + count]
    start = cycles[0].press_sleep - float(random.uniform(3.0, 4.5))
    start += cut[0]
    end = cycles[-1].light + 15.0 - cut[1]
    lines = edges_of(cycles, random, glitches=glitches, dimmed=dimmed)
    if touch:
        touch(lines, cycles)
        for line in lines.values():
            line.sort()
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
        shown=set() if foreign else {event.record for event in events},
        capture=text_of(lines, end - start, analyser),
        form="csv" if analyser.form == "csv" else "vcd",
        logs=texts,
        arguments=(analyser.arguments() if mapped else []) + list(ask),
        stepped=stepped,
        glitches=glitches > 0,
        doubled=bool(others) and not files and not foreign,
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


def empty(lived: Life, cycle: Cycle) -> None:
    """Make a cycle's record one of zeros alone, as of a machine that slept again too soon."""
    events = lived.windows.events
    i = next(i for i, event in enumerate(events) if event.record == cycle.record)
    kept = {"SleepTime", "WakeTime", "Attributes", "WakeSourceText"}
    data = tuple((name, value if name in kept else "0") for name, value in events[i].data)
    sleep = dict(data)["WakeTime"]
    data = tuple((name, sleep if name == "SleepTime" else value) for name, value in data)
    events[i] = replace(events[i], data=data)
    cycle.empty = True
