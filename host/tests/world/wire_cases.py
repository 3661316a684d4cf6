"""Scenarios of wires and light that are not what the map says."""

from collections.abc import Callable
from dataclasses import replace

from world.capture import Analyser
from world.labs import Trial, life, plan_of, trial
from world.unit import Cycle, Random, draw

Lines = dict[str, list[tuple[float, int]]]
WIRES = ("SLP_S3#", "PWR_OK", "PLTRST#", "BACKLIGHT", "BUTTON", "SLP_S4#")


def _upside_down(random: Random, cycles: int, signal: str) -> Trial:
    plain = Analyser(ppm=float(random.uniform(-50, 50)))
    lived = life(random, draw(random), plan_of(random, cycles))
    made = trial(random, lived, analyser=replace(plain, inverted=(signal,)))
    made.arguments = plain.arguments()
    made.wires_lie = frozenset({signal})
    return made


def upside_down(random: Random, cycles: int) -> Trial:
    """SLP_S3# is wired the wrong way up, and nobody says so."""
    return _upside_down(random, cycles, "SLP_S3#")


def upside_down_other(random: Random, cycles: int) -> Trial:
    """The same of each other wire."""
    return _upside_down(random, cycles, str(random.choice(WIRES[1:5])))


def swapped(random: Random, cycles: int) -> Trial:
    """Two wires are swapped."""
    one, two = (str(name) for name in random.choice(WIRES, size=2, replace=False))
    plain = Analyser(ppm=float(random.uniform(-50, 50)))
    lived = life(random, draw(random), plan_of(random, cycles))
    made = trial(random, lived, analyser=replace(plain, names=((one, two), (two, one))))
    made.arguments = plain.arguments()
    made.wires_lie = frozenset({one, two})
    return made


def floating(random: Random, cycles: int) -> Trial:
    """A wire has come off: it picks up the mains, or sticks at a level."""
    signal = str(random.choice(WIRES))
    stuck = random.random() < 0.4
    level = int(random.integers(0, 2))
    mains = float(random.choice([50.0, 60.0]))

    def touch(lines: Lines, cycles: list[Cycle]) -> None:
        since, until = cycles[0].press_sleep - 5.0, cycles[-1].light + 15.0
        if stuck:
            lines[signal] = [(since, level)]
            return
        edges, at = [], since
        while at < until:  # now and then, as the hand or the fan comes near
            for _ in range(int(random.integers(5, 60))):
                edges.append((at, 1))
                edges.append((at + float(random.uniform(0.3, 0.7)) / mains, 0))
                at += 1.0 / mains
            at += float(random.exponential(5.0))
        lines[signal] = edges

    lived = life(random, draw(random), plan_of(random, min(cycles, 40)))
    made = trial(random, lived, touch=touch)
    made.wires_lie = frozenset({signal})
    return made


def _lit(
    random: Random,
    cycles: int,
    touch: Callable[[Lines, list[Cycle]], None],
    analyser: Analyser | None = None,
    **given: object,
) -> Trial:
    lived = life(random, draw(random, **given), plan_of(random, cycles))
    return trial(random, lived, touch=touch, analyser=analyser)


def lamps(random: Random, cycles: int) -> Trial:
    """Lamps are switched on in some resumes: 100 or 120 Hz until the display outshines them."""
    share = float(random.uniform(0.1, 0.6))
    rate = float(random.choice([100.0, 120.0]))
    duty = float(random.uniform(0.2, 0.7))

    def touch(lines: Lines, cycles: list[Cycle]) -> None:
        for cycle in cycles:
            if random.random() >= share:
                continue
            at = cycle.slp_rise + float(random.uniform(-0.5, 1.0)) * (cycle.light - cycle.slp_rise)
            while at + 1.0 / rate < cycle.light:
                lines["BACKLIGHT"] += [(at, 1), (at + duty / rate, 0)]
                at += 1.0 / rate

    return _lit(random, cycles, touch)


def keyboard(random: Random, cycles: int) -> Trial:
    """The keyboard's light comes with the power, while PLTRST# still holds the processor."""
    share = float(random.uniform(0.1, 0.8))

    def touch(lines: Lines, cycles: list[Cycle]) -> None:
        for cycle in cycles:
            at = cycle.power_rise + share * (cycle.reset_rise - cycle.power_rise)
            lines["BACKLIGHT"] += [(at, 1)]

    return _lit(random, cycles, touch)


def pwm_slow(random: Random, cycles: int) -> Trial:
    """A dimmed display's PWM is sampled more slowly than it flickers."""
    pwm = float(random.choice([180.0, 220.0, 300.0, 1000.0, 25_000.0]))
    duty = float(random.uniform(0.05, 0.9))
    rates = [rate for rate in (100.0, 200.0, 500.0, 1000.0) if rate < 2.5 * pwm]
    analyser = Analyser(rate=float(random.choice(rates)), ppm=float(random.uniform(-50, 50)))

    def touch(lines: Lines, cycles: list[Cycle]) -> None:
        # What a slow instrument sees of a fast PWM is drawn per sample, as the phases drift.
        step = 1.0 / analyser.rate
        for i, cycle in enumerate(cycles):
            until = cycles[i + 1].dark if i + 1 < len(cycles) else cycle.light + 10.0
            at, phase = cycle.light, float(random.random())
            while at < until:
                phase = (phase + pwm * step * (1.0 + 1e-5)) % 1.0
                lines["BACKLIGHT"] += [(at, int(phase < duty))]
                at += step

    return _lit(random, min(cycles, 16), touch, analyser)


def logo(random: Random, cycles: int) -> Trial:
    """The firmware shows its logo; the display goes dark again, and then the OS's picture comes."""
    gap = float(random.uniform(0.1, 0.8))

    def touch(lines: Lines, cycles: list[Cycle]) -> None:
        for cycle in cycles:
            first = cycle.tsc_zero + 0.4 * cycle.bios
            cycle.lit = (first, cycle.light)
            lines["BACKLIGHT"] += [(first, 1), (max(cycle.light - gap, first + 0.02), 0)]

    return _lit(random, cycles, touch, bios=float(random.uniform(0.6, 2.0)))


def fades(random: Random, cycles: int) -> Trial:
    """The display fades in by its PWM, from 2 % to all, in 0.2 to 1 s."""
    length = float(random.uniform(0.2, 1.0))
    rate = float(random.choice([180.0, 300.0, 1000.0]))

    def touch(lines: Lines, cycles: list[Cycle]) -> None:
        for cycle in cycles:
            at = cycle.light
            cycle.lit = (at, at + length)
            while at < cycle.light + length:
                duty = 0.02 + 0.98 * (at - cycle.light) / length
                lines["BACKLIGHT"] += [(at, 1), (at + duty / rate, 0)]
                at += 1.0 / rate
            lines["BACKLIGHT"] += [(at, 1)]

    return _lit(random, min(cycles, 24), touch)
