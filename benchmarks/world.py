"""The second simulator at large: what the command line says of PCs that it knows nothing of.

python benchmarks/world.py [CAMPAIGNS] [SEED] [SCENARIO...]

Plays CAMPAIGNS of each scenario (default 20, seeds from SEED on, default 1; all scenarios of
host/tests/world/scenarios.py) and holds the answers against the truth. Exit status 1 where
something false was stated as certain; each such campaign is named by scenario and seed.
"""

import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from math import comb
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests"))

from world.judge import Coverage, Judgement, judge
from world.scenarios import SCENARIOS, made

PROCESSES = 2


def main() -> int:
    """Play, print, and return the exit status."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    names = sys.argv[3:] or list(SCENARIOS)
    seeds = range(first, first + campaigns)
    lied = False
    with ProcessPoolExecutor(PROCESSES) as pool:
        for name in names:
            judged = dict(zip(seeds, pool.map(play, [name] * campaigns, seeds), strict=True))
            show(name, judged)
            lied |= any(one.lies for one in judged.values())
    return int(lied)


def play(name: str, seed: int) -> Judgement:
    """Return the judgement of one campaign."""
    with tempfile.TemporaryDirectory() as folder:
        return judge(made(name, seed), Path(folder))


def at_most(hits: int, n: int, tail: float) -> float:
    """Return the share at which `hits` or fewer of n have the probability `tail`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        p = sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(hits + 1))
        low, high = (share, high) if p > tail else (low, share)
    return high


def of(hits: int, n: int) -> str:
    """Return a share with its 95 % interval (Clopper-Pearson)."""
    if n == 0:
        return "none"
    low = 0.0 if hits == 0 else 1.0 - at_most(n - hits, n, 0.025)
    high = 1.0 if hits == n else at_most(hits, n, 0.025)
    return f"{hits} of {n} ({low:.0%} to {high:.0%})"


def show(name: str, judged: dict[int, Judgement]) -> None:
    """Print what was found in a scenario."""
    every = list(judged.values())
    cycles, own = sum(j.cycles for j in every), sum(j.own for j in every)
    certain, wrong = sum(j.certain for j in every), sum(j.wrong for j in every)
    right = sum(j.right for j in every)
    print(
        f"{name}: {len(every)} campaigns, {cycles} cycles, {own} with a record; "
        f"pairs called certain {certain}, wrong {wrong}; found {right / own if own else 1.0:.1%}; "
        f"verdicts {dict(Counter(j.verdict or 'refused' for j in every))}"
    )
    lying = sum(bool(j.lies) for j in every)
    print(f"  campaigns with something false as certain: {of(lying, len(every))}")
    for title, counters in (
        ("false of the firmware", [j.false_firmware for j in every]),
        ("false otherwise", [j.false_other for j in every]),
        ("campaigns with a fault missed", [j.missed for j in every]),
    ):
        total: Counter[str] = sum(counters, Counter())
        if total:
            print(f"  {title}: {dict(total)}")
    show_intervals(every)
    for seed, one in judged.items():
        if one.lies:
            print(f"  seed {seed} ({one.cycles} cycles): {'; '.join(one.lies)}")
        if one.refused:
            print(f"  seed {seed}: refused: {one.refused[:160]}")


def show_intervals(every: list[Judgement]) -> None:
    """Print the measures whose intervals do not hold the truth as often as they say.

    A campaign counts once: what is systematic in it is the same in each of its cycles.
    """
    stated: dict[str, list[Coverage]] = {}
    medians: dict[str, list[bool]] = {}
    for one in every:
        for measure, coverage in one.intervals.items():
            stated.setdefault(measure, []).append(coverage)
        for measure, holds in one.medians.items():
            medians.setdefault(measure, []).append(holds)
    for measure, held in stated.items():
        beyond = sum(each.stated - each.bound for each in held)
        mostly = sum(each.expanded >= 0.5 * each.stated for each in held)
        if beyond or mostly < 0.95 * len(held):
            print(
                f"  {measure}: truth within the expanded uncertainty in half of the cycles or more "
                f"in {of(mostly, len(held))} campaigns; {beyond} of "
                f"{sum(each.stated for each in held)} cycles beyond the bound"
            )
    for measure, holds in medians.items():
        if sum(holds) < 0.95 * len(holds):
            print(
                f"  median of {measure}: interval holds the truth in {of(sum(holds), len(holds))}"
            )


if __name__ == "__main__":
    sys.exit(main())
