"""How often each finding is made where it is true, and where it is not.

python benchmarks/findings.py [CYCLES [HEALTHY [SEED [KIND]]]]

CYCLES (1000) that have a finding, of every class and magnitude, in campaigns of 50; HEALTHY
(100000) cycles over all sound characters, in campaigns of 4 to 1000. Cycles are played straight
through the simulated DUT's model; the log is read and all is analysed as in a campaign. KIND: of
this class alone.
"""

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from numpy.random import default_rng

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "analysis"))

from findings_truth import CASES, FindingCase, healthy
from played_campaign import play

from resume_rig.model.verdict import FindingKind

CAMPAIGN = 50
LENGTHS = (4, 8, 10, 20, 50, 100, 200, 1_000)
ADVICE = FindingKind.BIOS_OVER_ADVISED


def detection(case: FindingCase, cycles: int, seed: int, folder: Path) -> tuple[int, int, Counter]:
    """Return how many cycles had it, how many of them showed it, and what else was shown."""
    random = default_rng(seed)
    had = shown = number = 0
    others: Counter[str] = Counter()
    while had < cycles:
        number += 1
        spoilt = case.make(random)
        answer = play(
            spoilt.profile,
            CAMPAIGN,
            seed * 1_000 + number,
            folder,
            by=spoilt.by,
            spoil=spoilt.spoil,
        )
        for cycle in answer.cycles:
            kinds = {finding.kind for finding in cycle.findings}
            has = spoilt.has(cycle.outside.number)
            had += has
            shown += has and case.kind in kinds
            false = kinds - case.along - {case.kind} if has else kinds - case.after - {ADVICE}
            others.update(f"{kind}{'' if has else ' elsewhere'}" for kind in false)
    return had, shown, others


def false_alarms(cycles: int, seed: int, folder: Path) -> None:
    """Print what sound characters show."""
    print(f"\n{'sound character':<28} {'cycles':>7}  false alarms")
    characters = list(healthy())
    each = -(-cycles // len(characters))
    whole: Counter[str] = Counter()
    for place, (name, profile, by) in enumerate(characters):
        random = default_rng([seed, place])
        played, found = 0, Counter[str]()
        while played < each:
            length = min(int(random.choice(LENGTHS)), each - played)
            answer = play(profile, length, int(random.integers(2**31)), folder, by=by)
            played += length
            kinds = (finding.kind for cycle in answer.cycles for finding in cycle.findings)
            found.update(str(kind) for kind in kinds if kind is not ADVICE)
        whole.update(found)
        whole["cycles"] += played
        print(f"{name:<28} {played:>7}  {dict(found) or 'none'}", flush=True)
    print(f"{'all':<28} {whole.pop('cycles'):>7}  {dict(whole) or 'none'}")


def main() -> None:
    """Print both tables."""
    given = [int(text) for text in sys.argv[1:4]]
    cycles, sound, seed = (*given, *(1_000, 100_000, 1)[len(given) :])
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    started = time.monotonic()
    print(f"{'finding':<22} {'magnitude':<44} {'cycles':>6} {'found':>7}  also found, falsely")
    with tempfile.TemporaryDirectory() as folder:
        for place, case in enumerate(CASES):
            if only not in {"", case.kind.value}:
                continue
            had, shown, others = detection(case, cycles, seed * 100 + place, Path(folder))
            share = f"{100 * shown / had:.1f} %"
            also = dict(others) or "none"
            print(f"{case.kind:<22} {case.magnitude:<44} {had:>6} {share:>7}  {also}", flush=True)
        if sound:
            false_alarms(sound, seed, Path(folder))
    print(f"\n{time.monotonic() - started:.0f} s, seed {seed}")


if __name__ == "__main__":
    main()
