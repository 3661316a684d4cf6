"""Intervals of a campaign hold the truth wherever an error is that all cycles share.

`python benchmarks/interval_uncertainty.py --coverage` is the same at large.
"""

from dataclasses import replace

import numpy as np
import pytest
from erring_rig import campaign, drawn, intervals

from resume_rig.model.result.verdict import Verdict

CYCLES = 80
WHERE = (-1.0, -0.97, -0.6, -0.2, 0.0, 0.3, 0.7, 0.93, 0.99, 1.0)


@pytest.fixture(scope="module")
def stated() -> list[tuple[float, str, str, float, float, float, float]]:
    """Every interval of ten campaigns, each with its systematic errors somewhere else."""
    return [
        (where, *each)
        for seed, where in enumerate(WHERE)
        for each in intervals(campaign(np.random.default_rng(100 + seed), CYCLES, where))
    ]


@pytest.mark.slow
def test_intervals_with_the_unobserved_time_hold_the_truth(stated) -> None:
    found = [each for each in stated if each[1] == "press_to_resume_complete_ns"]
    misses = [each for each in found if not each[3] <= each[5] <= each[4]]

    assert len(found) >= 2 * len(WHERE)
    assert len(misses) <= 0.05 * len(found), misses
    # Within the ends of the range nothing but the scatter of 80 cycles can take the truth out.
    assert [each for each in misses if abs(each[0]) < 0.95] == []


@pytest.mark.slow
def test_ninety_five_of_a_hundred_intervals_hold_the_truth(stated) -> None:
    held = [low <= true <= high for _, _, _, low, high, true, _ in stated]
    run = [low <= true <= high for _, _, figure, low, high, true, _ in stated if "run" in figure]

    assert len(held) >= 200
    assert np.mean(held) >= 0.95
    assert all(run), "the mean of the cycles that were run is known to what they share"


@pytest.mark.slow
def test_order_statistics_alone_would_not(stated) -> None:
    """At the ends of its range the error is all of what the interval was widened by."""
    ends = [
        each
        for each in stated
        if abs(each[0]) == 1 and each[1:3] == ("press_to_resume_complete_ns", "mean run")
    ]

    assert ends
    assert all(not low + common < true < high - common for *_, low, high, true, common in ends)


@pytest.mark.slow
def test_quantiles_of_whole_milliseconds_hold_the_truth_where_all_values_are_one() -> None:
    """A BIOS that repeats to 0.1 ms is reported as one number, and the truth is beside it."""
    for seed, where in enumerate((-1.0, 0.0, 1.0)):
        random = np.random.default_rng(seed)
        true = drawn(random, CYCLES)
        exact = replace(true, bios=0.2004 + 0 * true.bios)
        answer = campaign(random, CYCLES, where, exact).answer
        (bios,) = (one for one in answer.series if one.name == "bios_init_ms")

        assert bios.figures.min_ms == bios.figures.max_ms
        for each in (bios.median, bios.p95, bios.mean):
            assert each.low_ms <= 200.4 <= each.high_ms
            assert each.high_ms - each.low_ms == pytest.approx(2.0)


@pytest.mark.parametrize("late_s", [0.0, 2.0])
@pytest.mark.parametrize("slow", [2, 3, 8, 15])
def test_a_dut_that_loses_the_records_of_its_slow_cycles_does_not_pass(slow, late_s) -> None:
    """Losing those of cycles like the others costs evidence, and a PASS beyond a tenth of it."""
    random = np.random.default_rng(slow)
    true = drawn(random, 30)
    places = set(random.choice(30, slow, replace=False).tolist())
    late = np.asarray([late_s if place in places else 0.0 for place in range(30)])
    answer = campaign(random, 30, 0.0, replace(true, devices=true.devices + late), places).answer

    assert answer.undecided == answer.failures.undecided == slow
    assert answer.failures.failures == 0
    # The wires are measured, whatever became of the record: slow cycles are in their figures.
    counts = {one.name: one.figures.n for one in answer.series}
    assert (counts["resume_ms"], counts["press_to_light_ns"]) == (30 - slow, 30)
    assert answer.failures.low == 0 < slow / 30 <= answer.failures.upper
    assert "without evidence counted as failed" in answer.why or answer.failures.upper == 1
    few = f"{30 - slow} of 30 cycles that woke have a record; sysfund-0004 needs 90 %"
    slower = f"{slow} would be over the limit if they are as late by it"
    assert answer.verdict is (Verdict.NO_EVIDENCE if late_s or slow > 3 else Verdict.PASS)
    assert answer.why.startswith(few) == (slow > 3)
    assert (slower in answer.why) == (late_s > 0)


def test_a_failure_stays_one_however_many_records_are_lost() -> None:
    random = np.random.default_rng(5)
    true = drawn(random, 30)
    late = np.asarray([2.0 if place == 3 else 0.0 for place in range(30)])
    answer = campaign(
        random, 30, 0.0, replace(true, devices=true.devices + late), set(range(16, 30))
    ).answer

    assert answer.verdict is Verdict.FAIL
    assert answer.failures.undecided >= 14
    assert answer.failures.low < 1 / 30 < 15 / 30 < answer.failures.high
