"""Compares CYCLES (100,000) with as many: the whole of `compare` but for the reading of files.

A cycle has a record (BIOS, drivers, wake) and six intervals of the wires, so that twelve times are
tested. The candidate is 3 ms slower, which is shown and does not matter.

    python benchmarks/compare.py [CYCLES]
"""

import resource
import sys
import time

import numpy as np


def main(count: int) -> None:
    """Make both, compare, print the table."""
    from resume_rig.analysis.compare.comparison import Question, compare
    from resume_rig.analysis.compare.samples import Evidence, evidence_of_cycles
    from resume_rig.model.channel import Actuator
    from resume_rig.model.os_record import OsRecord, SleepKind, WakeSource
    from resume_rig.model.quantity import BoundedNs
    from resume_rig.model.result.cycle import (
        IntervalName,
        Outcome,
        OutsideCycle,
        OutsideState,
        ReconciledCycle,
    )
    from resume_rig.model.result.verdict import Verdict
    from resume_rig.report.compare.terminal import comparison_table
    from resume_rig.report.text.terminal_style import TerminalStyle

    generator = np.random.default_rng(7)
    medians_ms = {
        IntervalName.TRIGGER_TO_SLP_S3: 850.0,
        IntervalName.PRESS_TO_SLP_S3: 64.0,
        IntervalName.SLP_S3_TO_PWR_OK: 38.0,
        IntervalName.PWR_OK_TO_PLTRST: 48.0,
        IntervalName.PLTRST_TO_LIGHT: 605.0,
        IntervalName.PRESS_TO_LIGHT: 755.0,
    }
    source = WakeSource(1, "power button", "")

    def evidence(path: str, slower_ms: float) -> Evidence:
        spread = np.exp(0.05 * generator.normal(size=(count, 8)))
        cycles = []
        for number, row in enumerate(spread.tolist(), start=1):
            wires = {
                name: BoundedNs(round(median_ms * share * 1e6), 20_000)
                for (name, median_ms), share in zip(medians_ms.items(), row, strict=False)
            }
            bios, drivers = round(195 * row[6]), round(715 * row[7] + slower_ms)
            record = OsRecord(
                0, number, SleepKind.S3, None, None, None, 800, drivers + 30, drivers, bios,
                None, None, None, None, None, source,
            )  # fmt: skip
            outside = OutsideCycle(
                number, Outcome.SLEPT_AND_WOKE, OutsideState.S3, Actuator.BUTTON,
                None, None, None, wires,
            )  # fmt: skip
            complete = BoundedNs(1_090_000_000, 32_000_000)
            cycles.append(
                ReconciledCycle(outside, record, complete, None, None, Verdict.PASS, True, None)
            )
        return evidence_of_cycles(path, cycles, {"dut": "bench"}, {})

    base, candidate = evidence("base", 0.0), evidence("candidate", 3.0)
    before = time.process_time()
    found = compare([base], [candidate], Question())
    took_s = time.process_time() - before
    print("".join(comparison_table(found, TerminalStyle())))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count} cycles against {count}: {took_s:.1f} s of one core, peak {peak_mb:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
