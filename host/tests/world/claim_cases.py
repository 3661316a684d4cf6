"""Scenarios of what a log claims: BIOS times of every sort, and clocks that nobody can rely on."""

from dataclasses import replace

from world.bios_reports import FORMS, reports, some
from world.labs import Trial, life, plan_of, trial, windows_of
from world.oslog import Slew, Step, Windows
from world.unit import Cycle, Phases, Plan, Random, Unit, draw

RIGHT = (0.15, 0.30, 0.50, 0.70, 0.85, 0.95)  # shares of cycles whose BIOS time is true


def _unit(random: Random) -> Unit:
    return draw(
        random,
        bios=float(random.uniform(0.4, 2.4)),
        firmware_tells_truth=bool(random.random() < 0.3),
        tail=float(random.uniform(0.0, 0.01)),
    )


def _mixed(random: Random, cycles: int, form: str) -> Trial:
    right = float(random.choice(RIGHT))
    constant = float(random.uniform(0.1, 2.5))
    happening = reports(form, some(1.0 - right), constant)
    return _limited(
        trial(random, life(random, _unit(random), plan_of(random, cycles), happening=happening))
    )


def _limited(made: Trial, limit_ms: float = 5000.0) -> Trial:
    """Judge by a limit that the unit is far from, so that a wrong FAIL is the claim's."""
    made.arguments += ["--limit-ms", f"{limit_ms:g}"]
    made.limit_ms = limit_ms
    return made


def mixed_short(random: Random, cycles: int) -> Trial:
    """BIOS times right in 15 to 95 % of cycles, the others short by 0.3 to 2 s."""
    return _mixed(random, cycles, "short")


def mixed_long(random: Random, cycles: int) -> Trial:
    """The same, the others long by 0.3 to 2 s."""
    return _mixed(random, cycles, "long")


def mixed_constant(random: Random, cycles: int) -> Trial:
    """The same, the others one constant."""
    return _mixed(random, cycles, "constant")


def mixed_zero(random: Random, cycles: int) -> Trial:
    """The same, the others 0: not reported."""
    return _mixed(random, cycles, "zero")


def mixed_unit(random: Random, cycles: int) -> Trial:
    """The same, the others in us, 100 ns or ticks, or with the uptime in it."""
    return _mixed(random, cycles, str(random.choice([*FORMS[4:]])))


def updated(random: Random, cycles: int) -> Trial:
    """A BIOS update in the middle: honest before and not after, or not before and then honest."""
    at = round(cycles * random.uniform(0.3, 0.7))
    before = bool(random.random() < 0.5)
    form = str(random.choice(["short", "long", "constant"], p=[0.6, 0.25, 0.15]))
    off = float(random.uniform(0.3, 1.5))
    unit = _unit(random)
    steady = float(random.uniform(0.1, 2.5))

    def happening(unit: Unit, phases: Phases, cycle: Cycle) -> None:
        if (cycle.number <= at) != before:
            return
        true = cycle.bios
        values = {"short": max(true - off, 0.001), "long": true + off, "constant": steady}
        cycle.bios_reported = values[form]
        if not unit.firmware_tells_truth:
            cycle.firmware_resume = max(cycle.bios_reported - unit.firmware_less, 0.001)

    lived = life(random, unit, plan_of(random, cycles), happening=happening)
    return _limited(trial(random, lived))


def constant(random: Random, cycles: int) -> Trial:
    """One constant in every cycle, while the true time varies about it, or far from it."""
    unit = replace(_unit(random), firmware_scatter=float(random.uniform(0.02, 0.3)))
    near = random.random() < 0.6
    value = unit.bios * float(random.uniform(0.9, 1.1) if near else random.uniform(0.1, 1.6))
    happening = reports("constant", some(1.1), value)
    lived = life(random, unit, plan_of(random, cycles), happening=happening)
    return _limited(trial(random, lived))


def garbage_log(random: Random, cycles: int) -> Trial:
    """The log alone, its BIOS times in another unit or with the uptime in them."""
    happening = reports(str(random.choice([*FORMS[4:]])), some(float(random.choice([1.1, 0.5]))))
    lived = life(random, _unit(random), plan_of(random, cycles), happening=happening)
    made = _limited(trial(random, lived))
    made.question = "log"
    return made


def _slewed(random: Random, plan: Plan) -> Windows:
    windows = windows_of(random)
    now = plan.start
    fast = bool(random.random() < 0.5)
    while now < plan.start + plan.cycles * 45.0:
        now += float(random.uniform(10.0, 400.0))
        length = float(random.uniform(60.0, 600.0))
        # W32Time's own ceiling is 31,000 ppm at a poll of 64 s; a domain member's is 1,960.
        most = 0.031 if fast else 0.00196
        rate = float(random.choice([-1, 1])) * most * float(random.uniform(0.1, 1.0))
        windows.slews.append(Slew(now, now + length, rate, bool(random.random() < 0.5)))
        now += length
    return windows


def slewed(random: Random, cycles: int) -> Trial:
    """A time service slews the clock for minutes, by 200 to 31,000 ppm; the BIOS is honest."""
    plan = plan_of(random, cycles)
    lived = life(random, _unit(random), plan, windows=_slewed(random, plan))
    return _limited(trial(random, lived, stepped=True))


def zones(random: Random, cycles: int) -> Trial:
    """The time zone changes, again and again, by 15 minutes to 14 hours; UTC goes on."""
    steps = tuple(
        Step(int(at), "bias", 60.0 * float(random.choice([15, 30, 60, 330, 840, -60, -345])))
        for at in sorted({int(i) for i in random.integers(0, cycles, size=4)})
    )
    lived = life(random, draw(random), plan_of(random, cycles), steps=steps)
    return trial(random, lived)
