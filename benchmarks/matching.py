"""How well cycles are matched with OS records: generated campaigns with a seeded truth.

python benchmarks/matching.py [CAMPAIGNS [FIRST]]
python benchmarks/matching.py --told [FIRST LAST]
python benchmarks/matching.py --size CYCLES [random|even|mixed [live]]

The first form matches campaigns of 20 to 2,000 cycles, by seed from FIRST (0) on, with realistic
and with brutal troubles and prints what was found, what was wrong and what was called certain. The
second does so with those of at most 400 cycles, by seed, whose log tells of settings of its clock,
truly and not; it prints the processor time, too. The third matches one campaign of any size and
prints how long it took and the greatest memory of the whole process; `live` lets the log be read
after each cycle.
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
    TELLS,
    UTC_S,
    Campaign,
    S,
    Score,
    Troubles,
    campaign,
    tell,
)

from resume_rig.analysis.match.match import Match, match, match_arrays
from resume_rig.analysis.match.pairs import RecordColumns, record_times
from resume_rig.analysis.match.times import Moments, arrivals_of, codes_of
from resume_rig.model.os_record import NO_SLEEPS, SleepKind
from resume_rig.model.result.match import HIGH_CONFIDENCE

TOLD_MOST = 400
BANDS = (0.95, 0.99, 0.999, 0.9999, 1.0 + 1e-12)


def generated(seed: int, troubles: Troubles, *, pressed: bool) -> tuple[str, str, Campaign]:
    """Return pace, offset and the campaign."""
    random = np.random.default_rng((seed, 77))
    n = round(20 * 100 ** random.random())
    pace, offset = PACES[seed % len(PACES)], OFFSETS[seed // len(PACES) % len(OFFSETS)]
    return pace, offset, campaign(seed, n, pace, offset, troubles, pressed=pressed)


def bands_of(made: Campaign, found: Match, bands: dict[float, list[int]]) -> None:
    """Count pairs and wrong pairs by what was said of them."""
    for (cycle, record), probability in zip(found.pairs, found.probability, strict=True):
        band = max(b for b in BANDS if b <= max(probability, BANDS[0]))
        bands[band][0] += 1
        bands[band][1] += made.truth.get(cycle) != made.also.get(record, record)


def run(name: str, troubles: Troubles, seeds: range, *, pressed: bool) -> None:
    """Match some campaigns and print the table."""
    by_pace = {pace: Score() for pace in PACES}
    bands = {band: [0, 0] for band in BANDS}
    steps, began = [0, 0, 0], time.perf_counter()
    for seed in seeds:
        pace, offset, made = generated(seed, troubles, pressed=pressed)
        both_utc = seed % 3 != 0
        found = match(made.cycles, made.records, both_utc=both_utc)
        before = by_pace[pace].high_wrong, by_pace[pace].wrong
        by_pace[pace].add(made, found)
        bands_of(made, found, bands)
        steps[0] += len(made.steps)
        steps[1] += len(found.steps)
        if (by_pace[pace].high_wrong, by_pace[pace].wrong) != before:
            print(f"  wrong in seed {seed}: {pace}, {offset}, {len(made.cycles)} cycles,"
                  f" {by_pace[pace].wrong - before[1]} wrong,"
                  f" {by_pace[pace].high_wrong - before[0]} of them high")  # fmt: skip
    print(f"{name}: {len(seeds)} campaigns in {time.perf_counter() - began:.0f} s")
    print(f"{'pace':>10} {'matchable':>10} {'matched':>8} {'recall':>7} {'wrong':>6} {'high':>8}"
          f" {'high wrong':>10}")  # fmt: skip
    for pace, score in by_pace.items():
        recall = (score.pairs - score.wrong) / max(score.matchable, 1)
        print(f"{pace:>10} {score.matchable:10} {score.pairs:8} {recall:7.3f} {score.wrong:6}"
              f" {score.high:8} {score.high_wrong:10}")  # fmt: skip
    for low, (pairs, wrong) in bands.items():
        print(f"  said {low:.4f} and up: {pairs} pairs, {wrong} wrong")
    print(f"  clock set {steps[0]} times, {steps[1]} steps found")


def told(name: str, troubles: Troubles, seeds: range) -> None:
    """Match campaigns whose log tells of settings of its clock, in every way."""
    scores = {how: Score() for how in ("not at all", *TELLS)}
    took_s, count = dict.fromkeys(scores, 0.0), 0
    for seed in seeds:
        pace, offset, made = generated(seed, troubles, pressed=False)
        if len(made.cycles) > TOLD_MOST:
            continue
        count += 1
        for how, score in scores.items():
            telling = tell(made, how, seed) if how in TELLS else made
            began, wrong = time.process_time(), score.wrong
            found = match(telling.cycles, telling.records, both_utc=seed % 3 != 0)
            took_s[how] += time.process_time() - began
            score.add(telling, found)
            if score.wrong != wrong:
                print(f"  wrong in seed {seed}: {pace}, {offset}, told {how}")
    print(f"{name}: {count} campaigns\n{'told':>13} {'matchable':>10} {'matched':>8} {'wrong':>6}"
          f" {'high':>8} {'high wrong':>10} {'CPU s':>6}")  # fmt: skip
    for how, score in scores.items():
        print(f"{how:>13} {score.matchable:10} {score.pairs:8} {score.wrong:6} {score.high:8}"
              f" {score.high_wrong:10} {took_s[how]:6.0f}")  # fmt: skip


def size(count: int, pace: str, *, live: bool) -> None:
    """Match one campaign of `count` cycles and as many records, 3 % of them moved by 20 s."""
    random = np.random.default_rng(1)
    wide_s = 8.0 if pace == "random" else 0.02
    pause_s = 45 + random.uniform(-wide_s, wide_s, count)
    if pace == "mixed":
        # Every fifth run of 200 cycles is at a random pace.
        uneven = np.arange(count) // 200 % 5 == 0
        pause_s = np.where(uneven, 45 + random.uniform(-8.0, 8.0, count), pause_s)
    at_s = np.cumsum(pause_s)
    drifted_s = at_s * (1 + 20e-6) + 3600
    read_s = np.floor(drifted_s + 0.5) + 0.5
    # Until the next sleep the OS clock is off by what its reading of the RTC was.
    sleep_s = drifted_s - 20.0 - 1.4 + np.append(0.0, (read_s - drifted_s)[:-1])
    wake_s = read_s + 0.85
    wake_s = np.where(random.random(count) < 0.03, wake_s + 20.0, wake_s)
    nothing = np.full(count, np.nan)
    s3 = np.full(count, codes_of([SleepKind.S3])[0])
    columns = RecordColumns(
        UTC_S * S,
        wake_s,
        sleep_s,
        np.full(count, 1.4),
        np.full(count, 0.85),
        np.full(count, 0.2),
        nothing,
        s3,
        np.zeros(count, dtype=np.int64),
    )
    nothing_said = np.zeros(count)
    unlike = nothing_said.astype(np.int64)
    moments = Moments(UTC_S * S, at_s - 20.0, at_s, unlike, nothing_said, nothing)
    seen = arrivals_of(np.arange(count) if live else (), count, count)
    began, cpu = time.perf_counter(), time.process_time()
    found = match_arrays(moments, record_times(columns, NO_SLEEPS), True, seen)
    took_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    is_wrong = found.matched.cycle != found.matched.record
    is_high = found.matched.probability >= HIGH_CONFIDENCE
    wrong, high, both = (int(each.sum()) for each in (is_wrong, is_high, is_wrong & is_high))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    of = f"{count} cycles, {pace}{', live' * live}: {len(found.matched.cycle)} pairs"
    print(f"{of}, {high} high, {wrong} wrong ({both} high),")
    print(f"  {took_s:.1f} s, {cpu_s:.1f} s of CPU time, {peak_mb:.0f} MB")


def main() -> None:
    """Run what was asked for."""
    if sys.argv[1:2] == ["--size"]:
        of = sys.argv[3:]
        size(int(sys.argv[2]), of[0] if of else "random", live="live" in of[1:])
        return
    if sys.argv[1:2] == ["--told"]:
        seeds = range(*map(int, sys.argv[2:4])) if len(sys.argv) > 3 else range(3000, 3030)
        told("realistic", REALISTIC, seeds)
        told("brutal", BRUTAL, seeds)
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    seeds = range(first, first + count)
    for pressed in (False, True):
        wires = "the button on the wires" if pressed else "no button on the wires"
        run(f"realistic, {wires}", REALISTIC, seeds, pressed=pressed)
        run(f"brutal, {wires}", BRUTAL, seeds, pressed=pressed)


if __name__ == "__main__":
    main()
