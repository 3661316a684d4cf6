"""How well cycles are matched with OS records: generated campaigns with a seeded truth.

python benchmarks/matching.py [CAMPAIGNS]
python benchmarks/matching.py --size CYCLES

The first form matches campaigns of 20 to 2,000 cycles with realistic and with brutal troubles and
prints what was found, what was wrong and what was called certain. The second matches one campaign
of any size and prints how long it took and the greatest memory of the whole process.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "analysis"))

from match_campaigns import (
    BRUTAL,
    OFFSETS,
    PACES,
    REALISTIC,
    UTC_S,
    Campaign,
    S,
    Score,
    Troubles,
    campaign,
    os_record,
)

from resume_rig.analysis.match import Match, OutsideMoments, match

BANDS = (0.95, 0.99, 0.999, 0.9999, 1.0 + 1e-12)


def generated(seed: int, troubles: Troubles) -> tuple[str, str, Campaign]:
    """Return pace, offset and the campaign."""
    random = np.random.default_rng((seed, 77))
    n = round(20 * 100 ** random.random())
    pace, offset = PACES[seed % len(PACES)], OFFSETS[seed // len(PACES) % len(OFFSETS)]
    return pace, offset, campaign(seed, n, pace, offset, troubles)


def bands_of(made: Campaign, found: Match, bands: dict[float, list[int]]) -> None:
    """Count pairs and wrong pairs by what was said of them."""
    for (cycle, record), probability in zip(found.pairs, found.probability, strict=True):
        band = max(b for b in BANDS if b <= max(probability, BANDS[0]))
        bands[band][0] += 1
        bands[band][1] += made.truth.get(cycle) != made.also.get(record, record)


def run(name: str, troubles: Troubles, count: int) -> None:
    """Match `count` campaigns and print the table."""
    by_pace = {pace: Score() for pace in PACES}
    bands = {band: [0, 0] for band in BANDS}
    steps, began = [0, 0, 0], time.perf_counter()
    for seed in range(count):
        pace, offset, made = generated(seed, troubles)
        same_epoch = seed % 3 != 0
        found = match(made.cycles, made.records, same_epoch=same_epoch)
        before = by_pace[pace].high_wrong, by_pace[pace].wrong
        by_pace[pace].add(made, found)
        bands_of(made, found, bands)
        steps[0] += len(made.steps)
        steps[1] += len(found.steps)
        if (by_pace[pace].high_wrong, by_pace[pace].wrong) != before:
            print(f"  wrong in seed {seed}: {pace}, {offset}, {len(made.cycles)} cycles,"
                  f" {by_pace[pace].wrong - before[1]} wrong,"
                  f" {by_pace[pace].high_wrong - before[0]} of them high")  # fmt: skip
    print(f"{name}: {count} campaigns in {time.perf_counter() - began:.0f} s")
    print(f"{'pace':>10} {'matchable':>10} {'matched':>8} {'recall':>7} {'wrong':>6} {'high':>8}"
          f" {'high wrong':>10}")  # fmt: skip
    for pace, score in by_pace.items():
        recall = (score.pairs - score.wrong) / max(score.matchable, 1)
        print(f"{pace:>10} {score.matchable:10} {score.pairs:8} {recall:7.3f} {score.wrong:6}"
              f" {score.high:8} {score.high_wrong:10}")  # fmt: skip
    for low, (pairs, wrong) in bands.items():
        print(f"  said {low:.4f} and up: {pairs} pairs, {wrong} wrong")
    print(f"  clock set {steps[0]} times, {steps[1]} steps found")


def size(count: int, pace: str) -> None:
    """Match one campaign of `count` cycles and as many records, 3 % lost and 3 % extra."""
    random = np.random.default_rng(1)
    jitter = 0.02 if pace == "even" else 8.0
    at_ns = UTC_S * S + (np.cumsum(45 + random.uniform(-jitter, jitter, count)) * S).astype(int)
    drifted = at_ns + ((at_ns - at_ns[0]) * 20e-6).astype(int) + 3600 * S
    wake_ns = (drifted + 300_000_000 + 200_000_000) // S * S + S // 2 + 850_000_000
    wake_ns = np.where(random.random(count) < 0.03, wake_ns + 20 * S, wake_ns)
    cycles = [OutsideMoments(t - 20 * S, t) for t in at_ns.tolist()]
    records = [
        os_record(record_id=i, wake_time_utc_ns=t, sleep_time_utc_ns=t - 22 * S)
        for i, t in enumerate(wake_ns.tolist())
    ]
    began = time.perf_counter()
    found = match(cycles, records)
    took_s = time.perf_counter() - began
    wrong = sum(cycle != record for cycle, record in found.pairs)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count} cycles, {pace}: {len(found.pairs)} pairs, {wrong} wrong, {took_s:.1f} s,"
          f" {peak_mb:.0f} MB")  # fmt: skip


def main() -> None:
    """Run what was asked for."""
    if sys.argv[1:2] == ["--size"]:
        size(int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "random")
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    run("realistic", REALISTIC, count)
    run("brutal", BRUTAL, count)


if __name__ == "__main__":
    main()
