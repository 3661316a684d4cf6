"""The second simulator at large: what the command line says of PCs that it knows nothing of.

python benchmarks/world.py [CAMPAIGNS] [SEED] [SCENARIO...]

Plays CAMPAIGNS of each scenario (default 20, seeds from SEED on, default 1; all scenarios of
host/tests/world/scenarios.py) and holds the answers against the truth. Exit status 1 where
something false was stated as certain; each such campaign is named by scenario and seed.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests"))

from world.judge import Coverage, Judgement, judge
from world.scenarios import SCENARIOS, made


def main() -> int:
    """Play, print, and return the exit status."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    names = sys.argv[3:] or list(SCENARIOS)
    lied = False
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            judged = {}
            for seed in range(first, first + campaigns):
                judged[seed] = judge(made(name, seed), Path(folder))
            show(name, judged)
            lied |= any(one.lies for one in judged.values())
    return int(lied)


def show(name: str, judged: dict[int, Judgement]) -> None:
    """Print what was found in a scenario."""
    every = list(judged.values())
    cycles, own = sum(j.cycles for j in every), sum(j.own for j in every)
    certain, wrong = sum(j.certain for j in every), sum(j.wrong for j in every)
    right = sum(j.right for j in every)
    print(
        f"{name}: {len(every)} campaigns, {cycles} cycles, {own} with a record; certain {certain}, "
        f"wrong {wrong}, low and wrong {sum(j.low_wrong for j in every)}, "
        f"recall {right / own if own else 1.0:.1%}; "
        f"verdicts {dict(Counter(j.verdict or 'refused' for j in every))}"
    )
    for title, counters in (
        ("false of the firmware", [j.false_firmware for j in every]),
        ("false otherwise", [j.false_other for j in every]),
        ("missed campaigns", [j.missed for j in every]),
    ):
        total = sum(counters, Counter())
        if total:
            print(f"  {title}: {dict(total)}")
    show_intervals(every)
    for seed, one in judged.items():
        if one.lies:
            print(f"  seed {seed} ({one.cycles} cycles): {'; '.join(one.lies)}")
        if one.refused:
            print(f"  seed {seed}: refused: {one.refused[:160]}")


def show_intervals(every: list[Judgement]) -> None:
    """Print the measures whose intervals do not hold the truth as often as they say."""
    stated: dict[str, Coverage] = {}
    for one in every:
        for measure, coverage in one.intervals.items():
            held = stated.setdefault(measure, Coverage())
            held.stated += coverage.stated
            held.expanded += coverage.expanded
            held.bound += coverage.bound
    for measure, held in stated.items():
        if held.bound < held.stated or held.expanded < 0.94 * held.stated:
            print(
                f"  {measure}: of {held.stated} intervals {held.expanded / held.stated:.1%} within "
                f"the expanded uncertainty, {held.stated - held.bound} beyond the bound"
            )
    medians: dict[str, list[bool]] = {}
    for one in every:
        for measure, holds in one.medians.items():
            medians.setdefault(measure, []).append(holds)
    for measure, holds in medians.items():
        if not all(holds):
            print(f"  median of {measure}: {sum(holds)} of {len(holds)} intervals hold the truth")


if __name__ == "__main__":
    sys.exit(main())
