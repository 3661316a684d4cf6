"""Times the uncertainty of intervals, and counts how many intervals of campaigns hold the truth.

python benchmarks/interval_uncertainty.py [INTERVALS]
python benchmarks/interval_uncertainty.py --coverage [CAMPAIGNS [CYCLES]]

The first forms intervals as a campaign does and as a table each, in turn. The second makes
campaigns (host/tests/analysis/erring_rig.py) whose systematic errors are the same in every cycle:
a third of them with each error at one end of its range, a third at the other, a third anywhere.
"""

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "analysis"))

from erring_rig import campaign, intervals

from resume_rig.model.budget import Budget
from resume_rig.model.channel import Channel
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.rig.front_end_file import shipped_front_end
from resume_rig.timing.budget import StampFacts, budget_of
from resume_rig.timing.edge_uncertainty import IntervalBounds, Moment, Ramp
from resume_rig.timing.light_budget import LightDefinition, light_end_of

MS = 1_000_000
Ends = tuple[Moment, Moment]


def wires() -> Ends:
    """Return a press and PLTRST#, 0.1 to 1 s later."""
    at_ns = random.randrange(100 * MS, 1_000 * MS)
    return Moment(Channel.BUTTON, 0, False), Moment(Channel.PLTRST, at_ns)


def onset() -> Ends:
    """Return a press and the t_50 of a panel at about 220 Hz and 10 %."""
    at_ns = random.randrange(700 * MS, 2_000 * MS)
    found = LightOnset(
        OnsetState.OK,
        first_ns=at_ns - 2 * MS,
        half_ns=at_ns,
        ninety_ns=at_ns + random.randrange(MS, 4 * MS),
        resolution_ns=20_000,
        duty=random.uniform(0.08, 0.12),
        pwm_uncertainty_ns=random.randrange(1_150_000, 1_200_000),
    )
    light = light_end_of(found, LightDefinition.HALF)
    return Moment(Channel.BUTTON, 0, False), Moment(Channel.BACKLIGHT, at_ns, light=light)


def table(bounds: IntervalBounds, start: Moment, end: Moment) -> Budget:
    """Return the budget that the interval has."""
    return budget_of("any", end.t_ns - start.t_ns, bounds.rows(start, end))


def each_us(work: Callable[[Moment, Moment], object], ends: list[Ends]) -> float:
    """Return the processor time that one takes."""
    begun = time.process_time()
    for start, end in ends:
        work(start, end)
    return (time.process_time() - begun) / len(ends) * 1e6


def coverage(campaigns: int, cycles: int) -> None:
    """Print of each figure how many 95 % intervals hold the truth, and would without the rest.

    The last column takes off again what all cycles share: what order statistics alone would state.
    """
    held: dict[tuple[str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for seed in range(campaigns):
        random = np.random.default_rng(seed)
        where = (-1.0, 1.0, float(random.uniform(-1, 1)))[seed % 3]
        for name, figure, low, high, true, common in intervals(campaign(random, cycles, where)):
            inside = low <= true <= high, low + common <= true <= high - common
            held[name, figure].append(inside)
    print(f"{campaigns} campaigns of {cycles} cycles: 95 % intervals that hold the truth")
    for (name, figure), found in sorted(held.items()):
        share, alone = (100 * float(np.mean(each)) for each in zip(*found, strict=True))
        print(f"{figure:9} of {name:28} {len(found):5} {share:6.1f} %   alone {alone:5.1f} %")
    both = [inside for found in held.values() for inside in found]
    share, alone = (100 * float(np.mean(each)) for each in zip(*both, strict=True))
    print(f"all{len(both):44} {share:6.1f} %   alone {alone:5.1f} %")


def main() -> None:
    """Print both, and how many times a table costs more."""
    if sys.argv[1:2] == ["--coverage"]:
        given = [int(each) for each in sys.argv[2:]]
        coverage(*(given + [300, 100][len(given) :]))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    random.seed(1)
    for name, make in (("edges", wires), ("onsets of light", onset)):
        bounds = IntervalBounds(
            30_000,
            stamps=dict.fromkeys(Channel, StampFacts(1_000, 4_000)),
            front_end=shipped_front_end(),
            pwr_ok_ramp=Ramp(0, 10 * MS, "ATX T4"),
        )
        ends = [make() for _ in range(count)]
        quick_us = each_us(bounds.between, ends)
        table_us = each_us(partial(table, bounds), ends[: count // 200])
        print(
            f"{name}: {quick_us:.1f} us an interval ({count} of them), {table_us:.0f} us a table, "
            f"{table_us / quick_us:.0f} times as long"
        )


if __name__ == "__main__":
    main()
