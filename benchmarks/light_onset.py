"""The light onset of the compiled core on synthetic panels: beside a simulation, and its bounds.

python benchmarks/light_onset.py [TRIALS]           core and numpy oracle on ten panels
python benchmarks/light_onset.py panels [N [SEED]]  N scenes: each moment within its bound?
python benchmarks/light_onset.py average            how far a moving average moves a crossing

Every trial is seeded. In the first, errors are against the truth: t_first against the enable of
the backlight, t_50 against the middle of its soft start. `panels` ends with status 1 when a moment
lies beyond its bound.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "core"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "analysis"))

from lit_bounds import Timed, play
from lit_scenes import FADES
from onset_core import Analyser
from onset_oracle import measure
from onset_panels import BEATING, PANELS, RATE_HZ, Panel, take

OK = 3
# Mean, standard deviation and greatest error in us, of 120 trials each, for t_first and t_50.
EXPECTED = {
    "DC, 1 ms soft start": ("113 / 6 / 126", "13 / 6 / 23"),
    "DC, 10 ms soft start": ("1019 / 16 / 1051", "14 / 6 / 28"),
    "PWM 25 kHz 50 %": ("120 / 10 / 146", "8 / 6 / 21"),
    "PWM 1 kHz 50 %": ("270 / 180 / 643", "-4 / 150 / 261"),
    "PWM 1 kHz 10 %": ("568 / 303 / 1040", "33 / 249 / 459"),
    "PWM 220 Hz 50 %": ("725 / 776 / 2396", "64 / 913 / 1167"),
    "PWM 220 Hz 10 %, free-running": ("2124 / 1210 / 4188", "-39 / 1186 / 2045"),
    "PWM 220 Hz 10 %, restarts": ("23 / 6 / 33", "-2030 (biased)"),
    "OLED 240 Hz 90 %": ("47 / 74 / 346", "1 / 198 / 235"),
    "DC + 2 % ambient 100 Hz": ("114 / 8 / 133", "14 / 7 / 27"),
}


def figures(errors_us: NDArray[np.float64]) -> str:
    """Return mean / standard deviation / greatest."""
    return f"{errors_us.mean():.0f} / {errors_us.std():.0f} / {abs(errors_us).max():.0f}"


def compare(panel: Panel, number: int, trials: int) -> tuple[str, float]:
    """Return a panel's line of the table, and how long the core took in seconds."""
    errors_us, apart_us, took_s, failed, last = [], [], 0.0, 0, None
    for trial in range(trials):
        shot = take(panel, np.random.default_rng((number, trial)))
        analyser = Analyser()
        begun = time.perf_counter()
        found = analyser.measure(shot.counts)
        took_s += time.perf_counter() - begun
        if found.state != OK:
            failed += 1
            continue
        times_us = np.array([found.first_ns, found.half_ns, found.ninety_ns]) / 1e3
        wanted = measure(shot.counts, RATE_HZ)
        wanted_us = np.array([wanted.first_s, wanted.half_s, wanted.ninety_s]) * 1e6
        errors_us.append(times_us[:2] - np.array([shot.enable_s, shot.half_s]) * 1e6)
        apart_us.append(abs(times_us - wanted_us).max())
        last = found
    if last is None:
        return f"{panel.name:30} not measured in {failed} trials", took_s
    first_us, half_us = np.transpose(errors_us)
    expected = EXPECTED.get(panel.name, ("-", "-"))
    return (
        f"{panel.name:30} {expected[0]:>20} {figures(first_us):>20} {expected[1]:>18} "
        f"{figures(half_us):>18} {last.pwm_mhz / 1e3:8.1f} {last.duty_ppm / 1e4:5.1f} "
        f"{last.pwm_uncertainty_ns / 1e3:6.0f} {max(apart_us):6.2f} {failed:4}",
        took_s,
    )


def against_oracle(trials: int) -> None:
    """Print the table of panels."""
    print(f"{trials} trials each, errors in us: mean / standard deviation / greatest")
    print(
        f"{'panel':30} {'t_first expected':>20} {'t_first':>20} {'t_50 expected':>18} {'t_50':>18} "
        f"{'PWM Hz':>8} {'D %':>5} {'u us':>6} {'oracle':>6} {'lost':>4}"
    )
    took_s = 0.0
    for number, panel in enumerate((*PANELS, BEATING)):
        line, panel_took_s = compare(panel, number, trials)
        took_s += panel_took_s
        print(line, flush=True)
    samples = trials * (len(PANELS) + 1) * 1.7 * RATE_HZ
    print("oracle: greatest distance between core and oracle, of all three times [us]")
    print(f"the core took {1e9 * took_s / samples:.1f} ns a sample on this machine")


def panels(count: int, seed: int) -> int:
    """Print how many moments of each kind lie within their bound; return how many do not."""
    found: dict[tuple[str, str], list[Timed]] = defaultdict(list)
    refused = beyond = 0
    for number in range(count):
        scene, _, moments = play(number, seed)
        refused += any(each.why is not None for each in moments)
        beyond += any(each.ratio > 1 for each in moments)
        for each in moments:
            found[scene.kind, each.definition.value].append(each)
            if each.ratio > 1:
                print(f"scene {number}: {each} {scene}")
    print(f"{'panel':15} {'moment':8} within beyond refused  worst ratio  median bound us")
    for (kind, name), each in found.items():
        timed = [moment for moment in each if moment.why is None]
        worst = max((moment.ratio for moment in timed), default=0.0)
        bound_us = float(np.median([m.bound_ns for m in timed])) / 1e3 if timed else 0.0
        within = sum(moment.ratio <= 1 for moment in timed)
        print(
            f"{kind:15} {name:8} {within:6} {len(timed) - within:6} {len(each) - len(timed):7} "
            f"{worst:12.2f} {bound_us:16.0f}"
        )
    print(f"{count} scenes, seed {seed}: {beyond} with a moment beyond its bound")
    print(f"{refused} with a moment refused, {count - refused} with all three timed")
    why: dict[str, int] = defaultdict(int)
    for moment in (moment for each in found.values() for moment in each):
        if moment.why is not None:
            why[moment.why] += 1
    for text, times in sorted(why.items(), key=lambda pair: -pair[1]):
        print(f"{times:5} moments refused: {text}")
    return beyond


def average() -> None:
    """Print by how much of its length a centred moving average moves 50 % and 90 % of a fade."""
    print("in lengths of the average; d: t_90 - t_50 of what is averaged")
    for name, shape in FADES.items():
        rows = [_moved(shape, exp(x)) for x in np.linspace(log(0.02), log(30), 60)]
        parts = np.array(rows).T
        print(
            f"{name:12}"
            + "".join(
                f"  {label} {part.min():6.3f} to {part.max():6.3f}"
                for label, part in zip(("t_50", "t_50 d", "t_90", "t_90 d"), parts, strict=True)
            )
        )


def _moved(shape: Callable[..., Any], length: float) -> tuple[float, float, float, float]:
    t = np.linspace(-2, 1.6 * length + 4, 200_001)
    step = t[1] - t[0]
    endless = 0.9 < shape(2.0) < 1
    light = np.where(t > 0, shape(np.clip(t / length, 0, None if endless else 1)), 0.0)
    width = round(1 / step)
    sums = np.concatenate(([0.0], np.cumsum(light)))
    means = (sums[width:] - sums[:-width]) / width
    middle = t[: means.size] + (width - 1) / 2 * step
    half, ninety = (float(np.interp(x, means, middle)) for x in (0.5, 0.9))
    moved = half - float(np.interp(0.5, light, t)), ninety - float(np.interp(0.9, light, t))
    apart = ninety - half
    return moved[0], moved[0] * max(apart, 0.4), moved[1], moved[1] * apart


def main() -> int:
    """Run what was asked for."""
    words = sys.argv[1:]
    if words[:1] == ["panels"]:
        count, seed = (*map(int, words[1:3]), *(2_000, 7)[len(words) - 1 :])
        return min(1, panels(count, seed))
    if words[:1] == ["average"]:
        average()
    else:
        against_oracle(int(words[0]) if words else 120)
    return 0


if __name__ == "__main__":
    sys.exit(main())
