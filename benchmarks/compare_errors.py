"""How often `compare` is wrong, and what it finds: seeded sessions with a known truth.

The sessions are drawn here, by nothing of the product: a time is its median times a session's own
factor, times noise from cycle to cycle, times a warm-up. BIOS and drivers are drawn each by itself
and rounded to a millisecond, as the OS reports them. Rows with shift 0 are null: every answer but
NO-REGRESSION and NO-EVIDENCE is wrong there, and REGRESSION is to come in 5 % at most.

    python benchmarks/compare_errors.py [REPETITIONS] [--power] [--one]
        [--sessions BASE CANDIDATE]
"""

import argparse
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BIOS_MS, DRIVERS_MS = 200.0, 700.0


@dataclass(frozen=True)
class World:
    """How sessions are drawn.

    Attributes:
        lengths: cycles of the sessions, taken in turn: base's first, then candidate's.
        spread: of the logarithm, from cycle to cycle.
        phi: autocorrelation from cycle to cycle.
        scatter: of the logarithm, from session to session.
        together: BIOS and drivers scatter alike from session to session.
        warm: share by which the first cycle is slower; it decays with `warm_cycles`.
    """

    name: str
    lengths: tuple[int, ...] = (60,)
    spread: float = 0.05
    phi: float = 0.0
    scatter: float = 0.0
    together: bool = True
    warm: float = 0.0
    warm_cycles: float = 6.0


NULLS = (
    World("independent, skewed (lognormal 5 %)"),
    World("independent, very skewed (lognormal 40 %)", spread=0.4),
    World("AR(1) 0.6", phi=0.6),
    World("AR(1) 0.9", phi=0.9),
    World("common warm-up 10 %", warm=0.1),
    World("common warm-up 30 %", warm=0.3),
    World("warm-up 30 %, 20 and 60 cycles", lengths=(20, 60), warm=0.3),
    World("warm-up 30 %, AR(1) 0.6, 20 and 60 cycles", lengths=(20, 60), warm=0.3, phi=0.6),
    World("sessions 2 %", scatter=0.02),
    World("sessions 3 %", scatter=0.03),
    World("sessions 3 %, each time by itself", scatter=0.03, together=False),
    World("sessions 5 %", scatter=0.05),
    World("sessions 3 %, 20 and 60 cycles", lengths=(20, 60), scatter=0.03),
    World("sessions 3 %, AR(1) 0.9, warm-up 30 %", scatter=0.03, phi=0.9, warm=0.3),
)


def noise(generator: np.random.Generator, world: World, n: int) -> np.ndarray:
    """Return stationary noise of standard deviation 1, float64 [n]."""
    steps = generator.normal(size=n)
    found = np.empty(n)
    found[0] = steps[0]
    keep = math.sqrt(1 - world.phi**2)
    for i in range(1, n):
        found[i] = world.phi * found[i - 1] + keep * steps[i]
    return found


DESIGNS = ((1, 1), (2, 2), (4, 4), (6, 6), (1, 4))


def main(
    repetitions: int, *, power: bool, one: bool, designs: Sequence[Sequence[int]] = DESIGNS
) -> None:
    """Draw, compare, print the table."""
    from resume_rig.analysis.compare.comparison import Question, compare
    from resume_rig.analysis.compare.samples import Evidence, evidence_of_log
    from resume_rig.model.os_record import (
        Integrity,
        LogReading,
        LogSource,
        OsRecord,
        SleepKind,
        WakeSource,
    )

    generator = np.random.default_rng(20_261_122)
    source = WakeSource(1, "power button", "")

    def session(world: World, n: int, slower: float) -> Evidence:
        warm = 1 + world.warm * np.exp(-np.arange(n) / world.warm_cycles)
        factors = generator.normal(size=1 if world.together else 2) * np.ones(2)
        parts = [
            np.rint(
                median * (1 + slower) * warm * np.exp(world.scatter * factor)
                * np.exp(world.spread * noise(generator, world, n))
            )
            for median, factor in ((BIOS_MS, factors[0]), (DRIVERS_MS, factors[1]))
        ]  # fmt: skip
        records = tuple(
            OsRecord(
                0, number, SleepKind.S3, None, None, None, 800, int(drivers) + 30, int(drivers),
                int(bios), None, None, None, None, None, source,
            )
            for number, (bios, drivers) in enumerate(zip(*parts, strict=True))
        )  # fmt: skip
        reading = LogReading((LogSource("x", "evtx", 22000, n, Integrity(True)),), records)
        return evidence_of_log("x", reading)

    def answers(world: World, sides: Sequence[int], slower: float) -> Counter[str]:
        question = Question(one_session_is_enough=one)
        found: Counter[str] = Counter()
        for _ in range(repetitions):
            base, candidate = (
                [session(world, world.lengths[side % len(world.lengths)], by) for _ in range(k)]
                for side, (k, by) in enumerate(zip(sides, (0.0, slower), strict=True))
            )
            found[compare(base, candidate, question).answer.value] += 1
        return found

    def row(world: World, sides: Sequence[int], slower: float) -> None:
        found = answers(world, sides, slower)
        told = ", ".join(
            f"{name} {n / repetitions * 100:.1f} %" for name, n in sorted(found.items())
        )
        print(
            f"{world.name}; {sides[0]} and {sides[1]} sessions; {slower * 100:g} %: {told}",
            flush=True,
        )

    before = time.process_time()
    if power:
        for scatter in (0.01, 0.03):
            world = World(f"sessions {scatter * 100:g} %", scatter=scatter)
            for count in (2, 3, 4, 5, 6, 8):
                for slower in (0.05, 0.1, 0.2):
                    row(world, (count, count), slower)
        for slower in (0.03, 0.05, 0.1):
            row(World("independent"), (1, 1), slower)
    else:
        for sides in designs:
            for world in NULLS:
                row(world, sides, 0.0)
    print(f"{repetitions} each, {time.process_time() - before:.0f} s of one core")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=1_000)
    parser.add_argument("--power", action="store_true", help="true shifts instead of null ones")
    parser.add_argument("--one", action="store_true", help="with --one-session-is-enough")
    parser.add_argument("--sessions", nargs=2, type=int, help="this design alone")
    args = parser.parse_args()
    designs = DESIGNS if args.sessions is None else (args.sessions,)
    main(args.repetitions, power=args.power, one=args.one, designs=designs)
