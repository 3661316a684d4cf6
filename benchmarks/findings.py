"""How often each finding is made where it is true, and where it is not.

python benchmarks/findings.py [CYCLES [HEALTHY [SEED [KIND]]]]
python benchmarks/findings.py rests [CYCLES [SEED]]

CYCLES (1000) that have a finding, of every class and magnitude, in campaigns of 50; HEALTHY
(100000) cycles over all sound characters, in campaigns of 4 to 1000. Cycles are played straight
through the simulated DUT's model; the log is read and all is analysed as in a campaign. KIND: of
this class alone. The second form draws CYCLES (200000) rests of each sound timing from its profile
alone, the whole of what `unexplained` looks at, and counts those that would have it.
"""

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from numpy.random import Generator, default_rng

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "analysis"))

from findings_truth import CASES, FindingCase, healthy
from played_campaign import play

from resume_rig.analysis.reconcile.norms import norm_of
from resume_rig.analysis.reconcile.thresholds import SPREAD_OF, UNEXPLAINED_NS
from resume_rig.model.dut import SOUND, DutTiming
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.sim.dut.machine import draw_resume

MS = 1_000_000
CAMPAIGN = 50
LENGTHS = (4, 8, 10, 20, 50, 100, 200, 1_000)
ADVICE = FindingKind.BIOS_OVER_ADVISED


def detection(
    case: FindingCase, cycles: int, seed: int, folder: Path
) -> tuple[int, int, int, Counter[str]]:
    """Return how many cycles had it, how many showed it, or suspected it, and what else."""
    random = default_rng(seed)
    had = shown = noted = number = 0
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
            noted += has and case.shown_by(kinds)
            false = kinds - case.along - {case.kind} if has else kinds - case.after - {ADVICE}
            others.update(f"{kind}{'' if has else ' elsewhere'}" for kind in false)
    return had, shown, noted, others


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


def rests(cycles: int, seed: int) -> None:
    """Print how many healthy rests are unusual in their campaign, and how near one came."""
    random, timings = default_rng(seed), {profile.timing: name for name, profile, _ in healthy()}
    for timing, name in timings.items():
        drawn = unusual = 0
        nearest = 0.0
        while drawn < cycles:
            length = int(random.choice(LENGTHS))
            drawn += length
            values_ns = [rest_ns(timing, random) for _ in range(length)]
            # As in a campaign, the first may be one of warming up where enough others are there.
            norm = norm_of(values_ns[length > SPREAD_OF :])
            if norm is None or norm.unusual_ns is None:
                continue
            limit_ns = max(norm.unusual_ns, UNEXPLAINED_NS)
            shares = [abs(value_ns - norm.median_ns) / limit_ns for value_ns in values_ns]
            unusual += sum(share > 1 for share in shares)
            nearest = max(nearest, *shares)
        print(f"{name:<28} {drawn:>7}  {unusual} unusual, nearest {nearest:.2f} of its limit")


def rest_ns(timing: DutTiming, random: Generator) -> int:
    """Return PLTRST# -> light less BiosInit and DriverInit, as the OS reports them."""
    drawn = draw_resume(timing, SOUND, random, SleepKind.S3)
    return drawn.light_ns - (drawn.bios_ns // MS + drawn.driver_ns // MS) * MS


def main() -> None:
    """Print what was asked for."""
    if sys.argv[1:2] == ["rests"]:
        told = [int(text) for text in sys.argv[2:4]]
        rests(*(*told, *(200_000, 1)[len(told) :])[:2])
        return
    given = [int(text) for text in sys.argv[1:4]]
    cycles, sound, seed = (*given, *(1_000, 100_000, 1)[len(given) :])
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    started = time.monotonic()
    head = f"{'finding':<22} {'magnitude':<44} {'cycles':>6} {'found':>7} suspected"
    print(f"{head}  also found, falsely")
    with tempfile.TemporaryDirectory() as folder:
        for place, case in enumerate(CASES):
            if only not in {"", case.kind.value}:
                continue
            had, shown, noted, others = detection(case, cycles, seed * 100 + place, Path(folder))
            share, suspected = (f"{100 * each / had:.1f} %" for each in (shown, noted - shown))
            also = dict(others) or "none"
            row = f"{case.kind:<22} {case.magnitude:<44} {had:>6} {share:>7} {suspected:>9}"
            print(f"{row}  {also}", flush=True)
        if sound:
            false_alarms(sound, seed, Path(folder))
    print(f"\n{time.monotonic() - started:.0f} s, seed {seed}")


if __name__ == "__main__":
    main()
