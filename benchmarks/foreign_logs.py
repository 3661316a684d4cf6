"""What becomes of the log of another unit, and of a unit's own log: two units of one lab.

python benchmarks/foreign_logs.py [CAMPAIGNS [SEED]]

The wires of one unit against the log of another, CAMPAIGNS (1000) times from SEED (0): 3 to 100
cycles against 3 to 1,000 records, paces alike, hours that overlap or not, clocks that agree or not.
All is analysed as `correlate` does. Then half as many campaigns with their own logs from the same
generator. Prints how many have a certain pair, a finding that the log is part of, or a verdict,
with the upper 95 % confidence limit (Clopper-Pearson).
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "analysis"))

from foreign_units import Answer, Made, answer_of, foreign, own

from resume_rig.analysis.stats.figures import beta_quantile
from resume_rig.model.result.verdict import Verdict


def upper(count: int, of: int) -> float:
    """Return the upper 95 % confidence limit of a share, one-sided."""
    return 1.0 if count == of else beta_quantile(0.95, count + 1, of - count)


def answers(make: Callable[[int], Made], seeds: range) -> list[tuple[Made, Answer]]:
    """Return what is said of some campaigns; those with a wrong pair that is certain are named."""
    found = []
    for seed in seeds:
        made = make(seed)
        answer = answer_of(made)
        found.append((made, answer))
        if answer.wrong:
            print(f"  seed {seed}: {made.name}: {answer.wrong} wrong pairs, {answer.verdict}")
    return found


def main() -> None:
    """Run what was asked for and print both tables."""
    given = [int(text) for text in sys.argv[1:3]]
    count, seed = (*given, *(1000, 0)[len(given) :])
    began = time.perf_counter()
    others = [answer for _, answer in answers(foreign, range(seed, seed + count))]
    print(f"{count} campaigns with the log of another unit, {time.perf_counter() - began:.0f} s")
    counted = {
        "a certain pair": sum(answer.wrong > 0 for answer in others),
        "a finding with the log in it": sum(bool(answer.findings) for answer in others),
        "another verdict than NO-EVIDENCE": sum(
            answer.verdict is not Verdict.NO_EVIDENCE for answer in others
        ),
    }
    for what, bad in counted.items():
        print(f"{what:>34}: {bad}, at most {100 * upper(bad, count):.2f} %")
    print(f"{'reasons of the cycles':>34}: {dict(sum((a.reasons for a in others), Counter()))}")
    mine = answers(own, range(seed, seed + count // 2))
    print(f"{len(mine)} campaigns with their own log")
    print(f"{'pace':>12} {'matchable':>10} {'certain':>8} {'recall':>7} {'wrong':>6}")
    for pace in ("random", "narrow", "even", ""):
        some = [each for each in mine if each[0].name.startswith(pace)]
        matchable = sum(len(made.own) for made, _ in some)
        right = sum(answer.right for _, answer in some)
        wrong = sum(answer.wrong for _, answer in some)
        print(f"{pace or 'all':>12} {matchable:10} {right:8} {right / max(matchable, 1):7.3f}"
              f" {wrong:6}")  # fmt: skip


if __name__ == "__main__":
    main()
