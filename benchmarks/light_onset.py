"""The light onset of the compiled core on synthetic panels, beside what a simulation expects.

python benchmarks/light_onset.py [TRIALS]

Every trial is seeded and runs the numpy oracle too. Errors are against the truth: t_first against
the enable of the backlight, t_50 against the middle of its soft start.
"""

import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "core"))

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


def play(panel: Panel, number: int, trials: int) -> tuple[str, float]:
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


def main() -> None:
    """Print the table."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    print(f"{trials} trials each, errors in us: mean / standard deviation / greatest")
    print(
        f"{'panel':30} {'t_first expected':>20} {'t_first':>20} {'t_50 expected':>18} {'t_50':>18} "
        f"{'PWM Hz':>8} {'D %':>5} {'u us':>6} {'oracle':>6} {'lost':>4}"
    )
    took_s = 0.0
    for number, panel in enumerate((*PANELS, BEATING)):
        line, panel_took_s = play(panel, number, trials)
        took_s += panel_took_s
        print(line, flush=True)
    samples = trials * (len(PANELS) + 1) * 1.7 * RATE_HZ
    print("oracle: greatest distance between core and oracle, of all three times [us]")
    print(f"the core took {1e9 * took_s / samples:.1f} ns a sample on this machine")


if __name__ == "__main__":
    main()
