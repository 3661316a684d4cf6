"""How many cycles a second become intervals: from edges, and whole records with their light.

python benchmarks/cycle_building.py [CYCLES]

Prints CPU seconds, so that a busy machine does not count. The edges are those of a laptop that
sleeps and wakes by its button, with bounces, a glitch and times of their own in each cycle.
"""

import random
import sys
import time

from resume_rig.analysis.cycles.building import build_cycle, split_cycles
from resume_rig.analysis.cycles.light import LightReading
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.result.cycle import Outcome
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
WANTED_A_SECOND = 5_000
BATCH = 1_000
MOST_IN_ONE = 20_000
WAVEFORM: tuple[tuple[float, Channel, int], ...] = (
    (0, Channel.BUTTON, 0),
    (2, Channel.BUTTON, 1),
    (3, Channel.BUTTON, 0),
    (150, Channel.BUTTON, 1),
    (700, Channel.BACKLIGHT, 0),
    (1500, Channel.PLTRST, 0),
    (1501, Channel.SLP_S3, 0),
    (1511, Channel.PWR_OK, 0),
    (1520, Channel.LED, 0),
    (9000, Channel.SLP_S4, 0),
    (9000.02, Channel.SLP_S4, 1),
    (20_000, Channel.BUTTON, 0),
    (20_048, Channel.SLP_S3, 1),
    (20_050, Channel.LED, 1),
    (20_108, Channel.PWR_OK, 1),
    (20_150, Channel.BUTTON, 1),
    (20_158, Channel.PLTRST, 1),
    (21_500, Channel.BACKLIGHT, 1),
)
LEVELS = dict.fromkeys(
    (
        Channel.PWR_OK,
        Channel.SLP_S3,
        Channel.SLP_S4,
        Channel.PLTRST,
        Channel.BACKLIGHT,
        Channel.LED,
        Channel.BUTTON,
        Channel.LID,
    ),
    1,
)
BOUNDS = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)


def edges_of(start_ns: int, chance: random.Random) -> list[Edge]:
    """Return the edges of one cycle, each up to 0.4 ms late, but for those of the glitch."""
    late_ms = [
        0.0 if channel is Channel.SLP_S4 else chance.random() * 0.4 for _, channel, _ in WAVEFORM
    ]
    return [
        Edge(number, start_ns + round((ms + late_ms[number]) * MS), channel, level)
        for number, (ms, channel, level) in enumerate(WAVEFORM)
    ]


def light_of(edges: list[Edge]) -> LightReading:
    """Return an onset that belongs to the last edge."""
    lit_ns = edges[-1].t_ns
    return LightReading(
        LightOnset(
            OnsetState.OK, lit_ns + MS, lit_ns + 4 * MS, lit_ns + 7 * MS, 20_000, 40.0, 2.0, 2600,
            2600.0, 0.0, 1.0, 0,
        )
    )  # fmt: skip


def main(count: int) -> int:
    """Build cycles; return 1 where that is too slow or wrong."""
    chance = random.Random(1)
    outcomes: set[Outcome] = set()
    built_s = 0.0
    for first in range(0, count, BATCH):
        batch = range(first, min(first + BATCH, count))
        cycles = [edges_of(60_000 * MS * number, chance) for number in batch]
        readings = [light_of(edges) for edges in cycles]
        begun = time.process_time()
        for number, edges, light in zip(batch, cycles, readings, strict=True):
            built = build_cycle(number, edges, LEVELS, Actuator.BUTTON, BOUNDS, light=light)
            outcomes.add(built.outcome)
        built_s += time.process_time() - begun
    in_one = min(count, MOST_IN_ONE)
    whole = [edge for n in range(in_one) for edge in edges_of(60_000 * MS * n, chance)]
    begun = time.process_time()
    groups = split_cycles(whole, LEVELS)
    split_s = time.process_time() - begun
    print(f"cycles of {len(WAVEFORM)} edges with light, CPU time of one core")
    print(f"build_cycle: {count} in {built_s:.1f} s, {count / built_s:,.0f} a second")
    print(f"split_cycles of one capture: {in_one} in {split_s:.1f} s, {in_one / split_s:,.0f}")
    right = outcomes == {Outcome.SLEPT_AND_WOKE} and len(groups) == in_one
    return 0 if right and count / built_s >= WANTED_A_SECOND else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
