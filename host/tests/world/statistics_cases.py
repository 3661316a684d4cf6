"""Scenarios of how campaigns scatter: runs of failures, drifts, sessions, fleets.

Each is a process whose rate, median and mean are known; what is stated of the campaign at 95 %
has to hold them in 95 % of campaigns.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from world.labs import Life, Trial, life, trial, windows_of
from world.oslog import xml_of
from world.unit import Cycle, Phases, Plan, Random, Unit, draw

QUICK = Plan(0, (6.0, 9.0), (6.0, 9.0))


def _steady(random: Random, **given: object) -> Unit:
    """Return a PC whose device initialisation is the scenario's alone."""
    quiet = {"scatter": 0.01, "tail": 0.0, "drift": 0.0, "warm_up": 0.0, "session": 0.0}
    return draw(random, **quiet, bios=0.25, driver=0.7, firmware_scatter=0.002, **given)


def _of(times: Callable[[], float]) -> Callable[[Unit, Phases, Cycle], None]:
    """Return what gives each cycle the next of the device initialisations."""

    def happening(unit: Unit, phases: Phases, cycle: Cycle) -> None:
        late = times() - cycle.driver
        cycle.complete += late
        cycle.awake += late
        cycle.light += late

    return happening


def _lived(random: Random, unit: Unit, cycles: int, times: Callable[[], float]) -> Life:
    return life(random, unit, replace(QUICK, cycles=cycles), happening=_of(times))


def _log(random: Random, lived: Life) -> Trial:
    made = trial(random, lived)
    made.question = "log"
    return made


def runs(random: Random, cycles: int) -> Trial:
    """Failures come in runs of ten; 4 % of cycles fail."""
    state = {"bad": random.random() < 0.04}

    def times() -> float:
        leave, enter = 0.1, 0.1 * 0.04 / 0.96
        if random.random() < (leave if state["bad"] else enter):
            state["bad"] = not state["bad"]
        return 3.0 if state["bad"] else float(0.7 * np.exp(random.normal(0.0, 0.05)))

    made = _log(random, _lived(random, _steady(random), 250, times))
    made.failing = 0.04
    return made


def _ar1(random: Random, phi: float, sigma: float) -> Callable[[], float]:
    state = {"x": float(random.normal(0.0, sigma))}

    def times() -> float:
        innovation = sigma * math.sqrt(1.0 - phi * phi)
        state["x"] = phi * state["x"] + float(random.normal(0.0, innovation))
        return 0.7 * math.exp(state["x"])

    return times


def ar1(random: Random, cycles: int) -> Trial:
    """Device initialisations hang together: AR(1) of 0.6."""
    unit = _steady(random)
    made = _log(random, _lived(random, unit, 100, _ar1(random, 0.6, 0.08)))
    made.process = {
        "median_ms": 1e3 * (unit.bios + 0.7),
        "mean_ms": 1e3 * (unit.bios + 0.7 * math.exp(0.08**2 / 2)),
    }
    return made


def _versus(random: Random, sides: list[list[Life]]) -> Trial:
    base, candidate = sides
    made = trial(random, base[0])
    made.question = "compare"
    made.shift_ms = 0.0
    made.logs = [xml_of([(one.windows, one.windows.events)]) for one in base]
    made.candidates = [xml_of([(one.windows, one.windows.events)]) for one in candidate]
    return made


def compare_ar1(random: Random, cycles: int) -> Trial:
    """Nothing was changed, and device initialisations hang together."""
    unit = _steady(random)
    return _versus(random, [[_lived(random, unit, 60, _ar1(random, 0.6, 0.08))] for _ in range(2)])


def _drifting(random: Random, slope: float, shift: float) -> Callable[[], float]:
    state = {"i": -1}

    def times() -> float:
        state["i"] += 1
        return 0.7 + shift + slope * state["i"] + float(random.normal(0.0, 0.02))

    return times


def compare_drift(random: Random, cycles: int) -> Trial:
    """Both sides drift by 5 or 10 ms a cycle, and the candidate is slower by a second."""
    slope = float(random.choice([0.005, 0.010]))
    unit = _steady(random)
    made = _versus(
        random,
        [[_lived(random, unit, 60, _drifting(random, slope, shift))] for shift in (0.0, 1.0)],
    )
    made.slower = 1.0
    made.shift_ms = 1000.0
    made.arguments = ["--limit-ms", "20000"]
    made.must = "REGRESSION"
    return made


def compare_drift_same(random: Random, cycles: int) -> Trial:
    """Both sides drift by 5 or 10 ms a cycle, and nothing was changed."""
    slope = float(random.choice([0.005, 0.010]))
    unit = _steady(random)
    return _versus(
        random, [[_lived(random, unit, 60, _drifting(random, slope, 0.0))] for _ in range(2)]
    )


def compare_six(random: Random, cycles: int) -> Trial:
    """Four sessions of 30 a side, which differ by 1 % a session; a candidate slower by 6 %."""
    unit = _steady(random)

    def session(factor: float) -> Life:
        day = factor * float(np.exp(random.normal(0.0, 0.01)))
        return _lived(
            random, unit, 30, lambda: float(day * 0.95 * np.exp(random.normal(0, 0.03)) - 0.25)
        )

    made = _versus(random, [[session(factor) for _ in range(4)] for factor in (1.0, 1.06)])
    made.slower = 0.06
    made.shift_ms = 57.0
    made.must = "REGRESSION"
    return made


def compare_three(random: Random, cycles: int) -> Trial:
    """Three cycles a side, 34 ms of scatter, and a candidate that is slower by 9.5 s."""
    unit = _steady(random)

    def side(shift: float) -> list[Life]:
        return [_lived(random, unit, 3, lambda: 0.7 + shift + float(random.normal(0.0, 0.034)))]

    made = _versus(random, [side(0.0), side(9.5)])
    made.slower = 10.0
    made.shift_ms = 9500.0
    made.arguments = ["--limit-ms", "20000"]
    made.must = "REGRESSION"
    return made


def _fleet(random: Random, odd: bool) -> Trial:
    logs, cycles = [], []
    unit = _steady(random)
    for number in range(40):
        times = lambda: float(0.7 * (1.0 + 0.05 * random.standard_t(2.5) ** 2))  # noqa: E731
        windows = windows_of(random, f"UNIT-{number:02}")
        factor = 1.8 if odd and number == 7 else 1.0
        lived = life(
            random,
            unit,
            replace(QUICK, cycles=12 if odd else 4),
            windows=windows,
            happening=_of(lambda times=times, factor=factor: factor * times()),
        )
        logs.append(xml_of([(windows, windows.events)]))
        cycles += lived.cycles
    made = Trial(unit, cycles, set(), logs=logs, question="fleet", computers=40)
    made.odd = frozenset({"UNIT-07"}) if odd else frozenset()
    return made


def fleet_equal(random: Random, cycles: int) -> Trial:
    """Forty equal units of four cycles with a heavy tail."""
    return _fleet(random, odd=False)


def fleet_odd(random: Random, cycles: int) -> Trial:
    """Forty units of twelve cycles, one of them slower by 80 %."""
    return _fleet(random, odd=True)
