"""Base against candidate: error rates as stated, power as stated, and what spoils a comparison."""

from dataclasses import replace

import numpy as np
import pytest

from resume_rig.analysis.compare import Question, compare
from resume_rig.analysis.compare_samples import Evidence, evidence_of_cycles, evidence_of_log
from resume_rig.model.channel import Actuator
from resume_rig.model.comparison import Answer, Change
from resume_rig.model.component import Component, ComponentKind
from resume_rig.model.cycle import (
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.verdict import Finding, FindingKind, Verdict

SEED = 20_260_105
MS = 1_000_000


@pytest.fixture
def log(record):
    """Return a function that draws a log: BIOS about 200 ms, drivers about 700 ms."""

    def draw(generator, n, *, slower_ms=0.0, spread=0.05, path="x.evtx", **fields) -> Evidence:
        bios = np.rint(200 * np.exp(spread * generator.normal(size=n)))
        drivers = np.rint(700 * np.exp(spread * generator.normal(size=n)) + slower_ms)
        records = tuple(
            record(bios_init_ms=int(b), driver_init_ms=int(d), **fields)
            for b, d in zip(bios, drivers, strict=True)
        )
        source = LogSource(path, "evtx", 22000, n, Integrity(True), (("system_product", "X1"),))
        return evidence_of_log(path, LogReading((source,), records))

    return draw


def of(comparison, name):
    return next(effect for effect in comparison.effects if effect.name == name)


@pytest.mark.slow
def test_a_difference_that_is_none_is_named_in_5_percent_of_null_pairs_at_most(log) -> None:
    generator = np.random.default_rng(SEED)
    pool = log(generator, 2_000)
    named = regressions = 0
    for _ in range(1_000):
        drawn = [pool.sightings[i] for i in generator.choice(2_000, 24, replace=False)]
        base, candidate = (
            replace(pool, sightings=tuple(half)) for half in (drawn[:12], drawn[12:])
        )
        found = compare(base, candidate, Question())
        changes = {effect.change for effect in found.effects}
        named += bool(changes - {Change.NOT_SHOWN})
        regressions += found.answer is Answer.REGRESSION

    # 1.4 % are two deviations of a count of 50 in 1,000.
    assert 5 <= named <= 64
    assert regressions <= 39


def test_a_slow_down_is_named_with_its_size(log) -> None:
    generator = np.random.default_rng(SEED)

    found = compare(log(generator, 60), log(generator, 60, slower_ms=60.0), Question())

    assert found.answer is Answer.REGRESSION
    assert found.effects[0].name == "driver_init_ms"
    drivers = of(found, "driver_init_ms")
    assert drivers.change is Change.SLOWER
    assert drivers.low_ms < 60.0 < drivers.high_ms
    assert drivers.mean_ratio == pytest.approx(760 / 700, abs=0.02)
    assert of(found, "bios_init_ms").change is Change.NOT_SHOWN
    assert "Worse, beyond chance: drivers +" in found.why


def test_no_slow_down_is_said_only_where_one_would_have_been_seen(log) -> None:
    generator = np.random.default_rng(SEED)

    many = compare(log(generator, 80), log(generator, 80), Question())
    few = compare(log(generator, 6), log(generator, 6), Question())
    none = compare(log(generator, 2), log(generator, 2), Question())

    assert (many.answer, few.answer, none.answer) == (
        Answer.NO_REGRESSION,
        Answer.NO_EVIDENCE,
        Answer.NO_EVIDENCE,
    )
    assert of(many, "resume_ms").powerful
    assert "it takes about" in few.why
    assert {effect.change for effect in none.effects} == {Change.TOO_FEW}
    assert "cannot show any" in none.why


def test_many_cycles_show_what_does_not_matter_and_say_so(log) -> None:
    generator = np.random.default_rng(SEED)

    found = compare(log(generator, 800), log(generator, 800, slower_ms=15.0), Question())
    asked = compare(
        log(generator, 800), log(generator, 800, slower_ms=15.0), Question(matters=0.01)
    )

    assert found.answer is Answer.NO_REGRESSION
    assert of(found, "driver_init_ms").change is Change.SLIGHTLY_SLOWER
    assert asked.answer is Answer.REGRESSION


def test_faster_is_no_regression(log) -> None:
    generator = np.random.default_rng(SEED)

    found = compare(log(generator, 80), log(generator, 80, slower_ms=-80.0), Question())

    assert found.answer is Answer.NO_REGRESSION
    assert of(found, "resume_ms").change is Change.FASTER


def test_the_answer_is_the_same_again(log) -> None:
    one, two = log(np.random.default_rng(1), 30), log(np.random.default_rng(2), 25)

    assert compare(one, two, Question()) == compare(one, two, Question())


def test_nothing_in_common_is_no_evidence(log) -> None:
    generator = np.random.default_rng(SEED)
    hybrid = log(generator, 20, kind=SleepKind.HYBRID)
    empty = evidence_of_log("empty.xml", LogReading())

    assert compare(log(generator, 20), hybrid, Question()).answer is Answer.NO_EVIDENCE
    assert compare(empty, empty, Question()).answer is Answer.NO_EVIDENCE
    asked = compare(hybrid, log(generator, 20), Question(kind=SleepKind.HYBRID))
    assert asked.answer is Answer.NO_EVIDENCE
    assert asked.candidate.cycles == 0


def test_the_commonest_kind_is_compared_and_the_rest_is_told(log) -> None:
    generator = np.random.default_rng(SEED)
    mixed = log(generator, 60, kind=SleepKind.HYBRID)
    mixed = replace(mixed, sightings=(*mixed.sightings, *log(generator, 5).sightings))

    found = compare(mixed, mixed, Question())

    assert (found.kind, found.base.cycles) == (SleepKind.HYBRID, 60)
    assert any("other kinds, which are left out: 5 S3" in each for each in found.warnings)


def test_another_dut_and_a_restless_base_are_warned_of(log) -> None:
    generator = np.random.default_rng(SEED)
    base = log(generator, 60)
    late = log(generator, 60, slower_ms=300.0)
    stepping = replace(base, sightings=(*base.sightings, *late.sightings))
    other = replace(log(generator, 60), identity={"system_product": "X2", "os_build": "26100"})

    found = compare(stepping, other, Question())

    assert any("another DUT: system product is X2, not X1" in each for each in found.warnings)
    assert any("steps while it is measured" in each for each in found.warnings)
    assert ("os_build", "22000", "26100") in found.differences


def test_a_component_that_became_slow_is_ranked_and_decides_nothing(log) -> None:
    generator = np.random.default_rng(SEED)

    def with_devices(evidence: Evidence, disk_ms: float) -> Evidence:
        sightings = []
        for seen in evidence.sightings:
            times = (("disk", disk_ms), ("net", 50.0))
            parts = tuple(
                Component(ComponentKind.DEVICE, name, "resume devices", ms + generator.normal())
                for name, ms in times
            )
            sightings.append(replace(seen, record=replace(seen.record, components=parts)))
        return replace(evidence, sightings=tuple(sightings))

    base, candidate = log(generator, 80), log(generator, 80)
    found = compare(with_devices(base, 20.0), with_devices(candidate, 35.0), Question())

    assert found.answer is Answer.NO_REGRESSION
    assert found.components_compared == 2
    (disk,) = found.components
    assert disk.name == "device disk in resume devices (sleep)"
    assert disk.shift_ms == pytest.approx(15.0, abs=1.0)


def outside_evidence(path: str, lights_ms, failed: int = 0, wake_by=Actuator.BUTTON) -> Evidence:
    cycles = [
        ReconciledCycle(
            OutsideCycle(
                number,
                Outcome.NEVER_WOKE if light is None else Outcome.SLEPT_AND_WOKE,
                OutsideState.S3,
                wake_by,
                None,
                None,
                None,
                {}
                if light is None
                else {IntervalName.PRESS_TO_LIGHT: BoundedNs(round(light * MS), MS)},
                ignored=number == 1,
            ),
            None,
            None,
            None,
            None,
            Verdict.NO_EVIDENCE,
            False,
            None,
        )
        for number, light in enumerate([*lights_ms, *[None] * failed], start=1)
    ]
    return evidence_of_cycles(path, cycles, {"dut": "x"}, {"dwell": "5 s"})


def test_a_headline_time_that_the_candidate_lost_leaves_no_evidence(log) -> None:
    generator = np.random.default_rng(SEED)
    base, candidate = log(generator, 60), log(generator, 60, path="y.evtx")
    silent = tuple(
        replace(seen, record=replace(seen.record, bios_init_ms=None))
        for seen in candidate.sightings
    )

    found = compare(base, replace(candidate, sightings=silent), Question())

    assert found.answer is Answer.NO_EVIDENCE
    assert "the base has BIOS + drivers, and the candidate has none" in found.why
    assert compare(replace(base, sightings=silent), candidate, Question()).answer is not (
        Answer.REGRESSION
    )


def test_impossible_and_contradicted_bios_times_are_warned_of(record) -> None:
    finding = Finding(FindingKind.BIOS_UNDER_REPORTED, "It is short.")
    whole = outside_evidence("a.rrs", [750.0] * 9)
    told = [seen.cycle for seen in whole.sightings]
    spoilt = [
        replace(told[0], record=record(bios_init_ms=900_000), bios_impossible=True),
        replace(told[1], record=record(), findings=(finding,)),
        *(replace(cycle, record=record()) for cycle in told[2:]),
    ]

    evidence = evidence_of_cycles("b.rrs", spoilt, {"dut": "x"}, {})

    warnings = compare(whole, evidence, Question()).warnings
    assert "b.rrs: 1 impossible BIOS time left out." in warnings
    assert any(each.startswith("b.rrs: 1 BIOS time contradicted by clock") for each in warnings)


def test_wires_alone_can_be_compared_and_the_ignored_cycle_is_left_out() -> None:
    generator = np.random.default_rng(SEED)
    base = outside_evidence("a.rrs", generator.normal(750, 20, 61))
    candidate = outside_evidence("b.rrs", generator.normal(850, 20, 61), wake_by=Actuator.LID)

    found = compare(base, candidate, Question())

    assert (found.kind, found.base.cycles) == (SleepKind.S3, 60)
    assert [effect.name for effect in found.effects] == ["press_to_light_ns"]
    assert found.answer is Answer.REGRESSION
    assert any("other conditions: woken by is LID, not BUTTON" in each for each in found.warnings)


def test_more_failed_cycles_are_a_regression() -> None:
    generator = np.random.default_rng(SEED)
    base = outside_evidence("a.rrs", generator.normal(750, 20, 101))
    candidate = outside_evidence("b.rrs", generator.normal(750, 20, 91), failed=10)

    found = compare(base, candidate, Question())

    assert found.answer is Answer.REGRESSION
    assert "failed cycles 10 of 100 instead of 0 of 100" in found.why
    backwards = compare(candidate, base, Question())
    assert backwards.answer is Answer.NO_REGRESSION


def test_a_few_slow_cycles_are_a_regression_that_no_median_shows() -> None:
    generator = np.random.default_rng(SEED)
    lights = generator.normal(750, 20, 401)
    now = generator.normal(750, 20, 401)
    now[20::30] = 4_000.0

    found = compare(outside_evidence("a", lights), outside_evidence("b", now), Question())

    assert of(found, "press_to_light_ns").change is Change.NOT_SHOWN
    assert found.answer is Answer.REGRESSION
    (slow,) = found.slow
    assert (slow.counts.base_failed, slow.counts.candidate_failed) == (0, 13)
    assert 780 < slow.above_ms < 900
    assert "cycles with press to light above" in found.why
    backwards = compare(outside_evidence("b", now), outside_evidence("a", lights), Question())
    assert backwards.answer is Answer.NO_REGRESSION


def test_many_cycles_are_compared_without_making_every_pair() -> None:
    generator = np.random.default_rng(SEED)
    base = outside_evidence("a.rrs", generator.normal(750, 20, 10_001))
    candidate = outside_evidence("b.rrs", generator.normal(751, 20, 10_001))

    found = compare(base, candidate, Question())

    light = of(found, "press_to_light_ns")
    assert light.change is Change.SLIGHTLY_SLOWER
    assert light.low_ms < 1.0 < light.high_ms
    assert light.high_ms - light.low_ms < 1.5
