"""What intervals and bounds hold where cycles depend on one another: seeded series of known truth.

Drawn here, by nothing of the product: first-order autoregressions, failures in runs, units whose
cycles have heavy tails.

    python benchmarks/dependence.py [REPETITIONS]
"""

import argparse
import math

import numpy as np


def autoregression(random: np.random.Generator, phi: float, n: int) -> np.ndarray:
    """Return a stationary series about 0 with standard deviation 1, float64 [n]."""
    steps = random.normal(size=n)
    found = np.empty(n)
    found[0] = steps[0]
    keep = math.sqrt(1.0 - phi * phi)
    for i in range(1, n):
        found[i] = phi * found[i - 1] + keep * steps[i]
    return found


def failures_in_runs(random: np.random.Generator, n: int, rate: float, run: int) -> list[bool]:
    """Return which cycles fail: runs of one length, begun so often that they make the rate."""
    begun = np.flatnonzero(random.random(n + run) < rate / run)
    flags = np.zeros(n + 2 * run, dtype=bool)
    for start in begun:
        flags[start : start + run] = True
    return [bool(flag) for flag in flags[run : run + n]]


def heavy(random: np.random.Generator, kind: str, n: int) -> np.ndarray:
    """Return cycles of one unit in ms, float64 [n]."""
    if kind == "t, 2 degrees of freedom":
        return 900 + 50 * random.standard_t(2, n)
    if kind == "lognormal 100 %":
        return 330 * np.exp(random.normal(size=n))
    if kind == "one in ten slow":
        return (
            900
            + 30 * random.normal(size=n)
            + (random.random(n) < 0.1) * random.exponential(1500, n)
        )
    return random.normal(900, 50, n)


def intervals(random: np.random.Generator, repetitions: int) -> None:
    """Print how often the intervals of median and mean hold the truth, and how wide they are."""
    from resume_rig.analysis.stats.figures import mean_interval, quantile_interval
    from resume_rig.analysis.verdict.series import series_statistics
    from resume_rig.model.result.series import NOTHING_COMMON

    for phi in (0.0, 0.2, 0.6, 0.9):
        for n in (30, 60, 200):
            held = [0, 0]
            widths: tuple[list[float], list[float]] = ([], [])
            for _ in range(repetitions):
                values = 1000.0 + 50.0 * autoregression(random, phi, n)
                found = series_statistics("x", values.tolist(), range(n), 0.01)
                plain = quantile_interval(sorted(values), 0.5)
                plain_mean = mean_interval(values.tolist(), NOTHING_COMMON)
                assert plain_mean is not None
                assert plain.low_ms is not None
                assert plain.high_ms is not None
                plainly = plain.high_ms - plain.low_ms, plain_mean.high_ms - plain_mean.low_ms
                for place, one in enumerate((found.median, found.mean)):
                    low = -math.inf if one is None or one.low_ms is None else one.low_ms
                    high = math.inf if one is None or one.high_ms is None else one.high_ms
                    held[place] += low <= 1000.0 <= high
                    widths[place].append((high - low) / plainly[place])
            shares = [100 * each / repetitions for each in held]
            ratios = [float(np.median(each)) for each in widths]
            print(
                f"phi {phi:g}, {n} cycles: median {shares[0]:.1f} % held, {ratios[0]:.2f} as wide;"
                f" mean {shares[1]:.1f} %, {ratios[1]:.2f}",
                flush=True,
            )


def bounds(random: np.random.Generator, repetitions: int) -> None:
    """Print how often the upper limit of the failure rate holds it, and what the plain one is."""
    from resume_rig.analysis.stats.dependence import tau_of_failures
    from resume_rig.analysis.stats.figures import failure_rate

    for run in (1, 3, 10):
        for n in (120, 300, 600, 1000, 3000):
            held = plainly = none = in_runs = 0
            ratios = []
            for _ in range(repetitions):
                flags = failures_in_runs(random, n, 0.04, run)
                found = failure_rate(sum(flags), n, tau=tau_of_failures(flags))
                plain = failure_rate(sum(flags), n)
                assert found is not None
                assert plain is not None
                truth = 1.0 - (1.0 - 0.04 / run) ** run  # runs may overlap
                held += found.upper >= truth
                plainly += plain.upper >= truth
                in_runs += found.upper_in_runs >= truth
                none += not any(flags)
                ratios.append(found.upper / plain.upper)
            print(
                f"runs of {run}, {n} cycles: {100 * held / repetitions:.1f} % held,"
                f" {100 * plainly / repetitions:.1f} % by the plain limit,"
                f" {100 * in_runs / repetitions:.1f} % by upper_95_in_runs;"
                f" {np.median(ratios):.2f} of the plain one; no failure in"
                f" {100 * none / repetitions:.1f} %",
                flush=True,
            )


def fleets(random: np.random.Generator, repetitions: int) -> None:
    """Print in how many fleets of 40 equal units one is called odd, and a slow one found."""
    from resume_rig.analysis.compare.fleet import OwnReach, outlying_medians
    from resume_rig.analysis.stats.figures import quantile_interval

    def odd(units: list[np.ndarray]) -> set[str]:
        medians, reaches = {}, {}
        for number, values in enumerate(units):
            own = quantile_interval(sorted(values), 0.5)
            medians[f"u{number}"] = middle = float(np.median(values))
            reaches[f"u{number}"] = OwnReach(own.low_ms, own.high_ms, float(values.max()) - middle)
        return {each.unit for each in outlying_medians({"x": medians}, 0.05, {"x": reaches})}

    for kind in ("normal", "t, 2 degrees of freedom", "lognormal 100 %", "one in ten slow"):
        for n in (4, 8, 20):
            false = found = 0
            for _ in range(repetitions):
                units = [heavy(random, kind, n) for _ in range(40)]
                false += bool(odd(units))
                units[5] = units[5] + 1500.0
                found += "u5" in odd(units)
            print(
                f"40 units of {n} cycles, {kind}: an odd one in {100 * false / repetitions:.1f} %,"
                f" one 1.5 s slower found in {100 * found / repetitions:.1f} %",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=400)
    count = parser.parse_args().repetitions
    generator = np.random.default_rng(20_261_127)
    bounds(generator, count)
    fleets(generator, count)
    intervals(generator, count)
