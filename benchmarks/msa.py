"""Bias and coverage of `msa` where the truth is known: the studies are drawn here.

Each line is one design: the mean of the estimated variances over the true ones, and how often the
95 % interval holds the truth, for every source and for reproducibility (all but the unit).

    python benchmarks/msa.py [REPETITIONS]
"""

import sys
import time

import numpy as np

SDS_MS = {"unit": 20.0, "rig": 5.0, "unit x rig": 3.0, "session": 8.0, "repeatability": 12.0}
DESIGNS = (
    # units, rigs, sessions a pair, cycles a session, share of pairs that are absent
    (5, 2, 3, (20, 20), 0.0),
    (10, 3, 2, (10, 10), 0.0),
    (5, 3, 2, (4, 10), 0.0),
    (5, 3, 3, (20, 60), 0.0),
    (8, 3, 2, (20, 40), 0.25),
    (3, 2, 2, (20, 20), 0.0),
)


def main(repetitions: int) -> None:
    """Draw, estimate, print the table."""
    from resume_rig.analysis.compare.precision import SessionSums, variance_components
    from resume_rig.model.result.comparison import Source

    generator = np.random.default_rng(20_261_122)
    sds = list(SDS_MS.values())

    def study(
        units: int, rigs: int, sessions: int, cycles: tuple[int, int], absent: float
    ) -> list[SessionSums]:
        unit, rig = generator.normal(0, sds[0], units), generator.normal(0, sds[1], rigs)
        found = []
        for i in range(units):
            for j in range(rigs):
                cell = 900 + unit[i] + rig[j] + generator.normal(0, sds[2])
                # A unit's first rig stays, so that none is lost.
                if j != i % rigs and generator.random() < absent:
                    continue
                for _ in range(sessions):
                    n = int(generator.integers(*cycles, endpoint=True))
                    values = cell + generator.normal(0, sds[3]) + generator.normal(0, sds[4], n)
                    squares = float(((values - values.mean()) ** 2).sum())
                    found.append(SessionSums(i, j, n, float(values.mean()), squares))
        return found

    before = time.process_time()
    for design in DESIGNS:
        ratios, held = [], []
        for _ in range(repetitions):
            found = variance_components(study(*design))
            if found is None or len(found.sources) < len(Source):
                continue
            truth = np.square(sds)
            ratios.append(found.weights @ found.mean_squares / truth)
            groups: list[tuple[tuple[Source, ...], float]] = [
                ((source,), sd * sd) for source, sd in zip(Source, sds, strict=True)
            ]
            groups.append((tuple(Source)[1:], float(truth[1:].sum())))
            ends = [(found.interval(*sources), value) for sources, value in groups]
            held.append([low <= value <= high for (low, high), value in ends])
        units, rigs, sessions, cycles, absent = design
        print(
            f"{units} units, {rigs} rigs, {sessions} sessions a pair, {cycles[0]} to {cycles[1]} "
            f"cycles, {absent * 100:g} % of pairs absent ({len(held)} studies)"
        )
        names = [*SDS_MS, "reproducibility"]
        means = [*np.mean(ratios, axis=0), np.nan]
        for name, mean, share in zip(names, means, np.mean(held, axis=0), strict=True):
            bias = "" if np.isnan(mean) else f"estimate / truth {mean:.2f}, "
            print(f"  {name}: {bias}interval holds {share * 100:.1f} %", flush=True)
    print(f"{time.process_time() - before:.0f} s of one core")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
