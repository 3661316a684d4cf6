"""Time that nobody reports: is a sound BIOS accused, is a false one found as far as stated?

python benchmarks/hidden_time.py [CAMPAIGNS [SEED]]

CAMPAIGNS (20) of 4 to 100 cycles of each kind, drawn by host/tests/analysis/hidden_worlds.py, which
shares nothing with the simulated DUT. Delays of 0.3 to 5 s lie before SleepTime, after the OS's
clock has stopped, or both; BIOS times are short by 20 ms to 1 s, drawn evenly over octaves.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.random import Generator, default_rng

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "analysis"))

from hidden_worlds import Played, World, play_world

from resume_rig.model.result.verdict import FindingKind

SECONDS = (300.0, 5_000.0)
SHORT, LONG = FindingKind.BIOS_UNDER_REPORTED, FindingKind.BIOS_OVER_REPORTED
SOUND = {
    "nothing hidden": World(),
    "before SleepTime": World(early=SECONDS),
    "before SleepTime, no Kernel-General 1": World(early=SECONDS, tells=False),
    "after the clock's stop": World(late=SECONDS),
    "after the clock's stop, no Kernel-General 1": World(late=SECONDS, tells=False),
    "both": World(early=SECONDS, late=SECONDS),
    "SleepDuration ends 0.38 to 1.2 s early": World(tail=(380, 1_200)),
    "the same, no Kernel-General 1": World(tail=(380, 1_200), tells=False),
}
FALSE = {
    "short in all cycles": World(),
    "short in all cycles, no time service": World(stopped=True),
    "the same, PLTRST# to TSC known to 60 ms": World(tsc=(1, 60), known=(1, 60), stopped=True),
    "short in all cycles, 0.3 to 5 s before SleepTime": World(early=SECONDS, stopped=True),
    "short in a cycle of ten": World(share=0.1),
    "short in a cycle of ten, no time service": World(share=0.1, stopped=True),
    "the same, PLTRST# to TSC known to 60 ms ": World(
        tsc=(1, 60), known=(1, 60), share=0.1, stopped=True
    ),
    "short in 15 to 95 % of the cycles": World(share=-1),
    "short in 15 to 95 % of the cycles, no time service": World(share=-1, stopped=True),
}


def drawn(world: World, random: Generator) -> World:
    """Return a world of some cycles whose delays differ from cycle to cycle, or hardly."""
    changed: dict[str, Any] = {"cycles": int(random.choice((4, 10, 20, 50, 100)))}
    for name in ("early", "late"):
        low, high = getattr(world, name)
        if high and random.random() < 0.5:
            fixed = float(low * (high / low) ** random.random())
            changed[name] = (fixed, fixed * 1.02)
    return replace(world, **changed)


def beyond(played: Played) -> tuple[int, int]:
    """Return how many times to "complete" are absent, and how many are beyond their bound."""
    absent = outside = 0
    for cycle, true_ns in zip(played.answer.cycles, played.complete_ns, strict=True):
        stated = cycle.press_to_resume_complete
        absent += stated is None
        outside += stated is not None and abs(stated.value_ns - true_ns) > stated.bound_ns
    return absent, outside


def sound(campaigns: int, seed: int) -> None:
    """Print what is said of BIOS times that are true."""
    print(f"{'BIOS times that are true':<56} {'cycles':>6}  accused  absent  beyond the bound")
    for place, (name, world) in enumerate(SOUND.items()):
        random = default_rng([seed, place])
        cycles = accused = absent = outside = 0
        for _ in range(campaigns):
            played = play_world(drawn(world, random), int(random.integers(2**31)))
            cycles += len(played.complete_ns)
            for cycle in played.answer.cycles:
                accused += not {SHORT, LONG}.isdisjoint(f.kind for f in cycle.findings)
            none, wrong = beyond(played)
            absent, outside = absent + none, outside + wrong
        print(f"{name:<56} {cycles:>6}  {accused:>7}  {absent:>6}  {outside:>16}", flush=True)


def false(campaigns: int, seed: int) -> None:
    """Print what is said of BIOS times that are short, by less and by more than is stated."""
    print(
        f"\n{'BIOS times that are':<56} {'stated, ms':>14}  found of those short by more, by less; "
        "suspected besides; true ones accused, suspected; beyond the bound"
    )
    for place, (name, world) in enumerate(FALSE.items()):
        random = default_rng([seed, 100 + place])
        had, shown = {True: 0, False: 0}, {True: 0, False: 0}
        noted = accused = suspected = outside = 0
        stated: list[int] = []
        for _ in range(campaigns):
            short = 20 * 50 ** float(random.random())
            share = world.share if world.share > 0 else float(random.uniform(0.15, 0.95))
            made = replace(drawn(world, random), short=short, share=share)
            made = replace(made, bios=max(600.0, 1.2 * short))
            played = play_world(made, int(random.integers(2**31)))
            told = played.answer.detectable
            least = None if told is None else told.single_ns
            stated += [] if least is None else [least // 1_000_000]
            above = least is not None and short * 1e6 > least
            cycles = list(zip(played.answer.cycles, played.is_short, strict=True))
            for cycle, is_short in cycles[:-1]:  # no sleep follows the last one
                kinds = {f.kind for f in cycle.findings}
                found, suspect = SHORT in kinds, FindingKind.SUSPICION in kinds
                had[above] += is_short
                shown[above] += is_short and found
                noted += is_short and suspect
                accused += not is_short and not kinds.isdisjoint({SHORT, LONG})
                suspected += not is_short and suspect
            outside += beyond(played)[1]
        span = f"{min(stated)} to {max(stated)}" if stated else "none"
        shares = ", ".join(f"{shown[more]} of {had[more]}" for more in (True, False))
        row = f"{name:<56} {span:>14}  {shares}; {noted}; {accused}, {suspected}; {outside}"
        print(row, flush=True)


def main() -> None:
    """Print both tables."""
    given = [int(text) for text in sys.argv[1:3]]
    campaigns, seed = (*given, *(20, 1)[len(given) :])
    sound(campaigns, seed)
    false(campaigns, seed)


if __name__ == "__main__":
    main()
