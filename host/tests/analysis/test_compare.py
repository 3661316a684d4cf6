"""Base against candidate: error rates as stated, power as stated, and what spoils a comparison."""

from dataclasses import replace

import numpy as np
import pytest

from resume_rig.analysis.compare.comparison import Question, compare
from resume_rig.analysis.compare.samples import Evidence, evidence_of_cycles, evidence_of_log
from resume_rig.analysis.verdict.limits import judge_limits, verdict_of_limits
from resume_rig.analysis.verdict.measures import Sighting
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import (
    Component,
    ComponentKind,
    Figure,
    Integrity,
    LogReading,
    LogSource,
    SleepKind,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.comparison import Answer, Change, Unit
from resume_rig.model.result.cycle import (
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.verdict import Comparison as LimitSide
from resume_rig.model.result.verdict import Finding, FindingKind, Limit, Verdict

SEED = 20_260_105
MS = 1_000_000
LIGHT = IntervalName.PRESS_TO_LIGHT.value


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


def one_a_side(base: Evidence, candidate: Evidence, question: Question):
    """Compare one session a side as if no session scattered: what cycles alone show."""
    return compare([base], [candidate], replace(question, one_session_is_enough=True))


def of(comparison, name):
    return next(effect for effect in comparison.effects if effect.name == name)


@pytest.mark.slow
def test_a_difference_that_is_none_is_named_in_5_percent_of_null_pairs_at_most(log) -> None:
    generator = np.random.default_rng(SEED)
    pool = log(generator, 2_000)
    named = regressions = 0
    for _ in range(500):
        drawn = [pool.sightings[i] for i in generator.choice(2_000, 24, replace=False)]
        base, candidate = (
            replace(pool, sightings=tuple(half)) for half in (drawn[:12], drawn[12:])
        )
        found = one_a_side(base, candidate, Question())
        changes = {effect.change for effect in found.effects}
        named += bool(changes - {Change.NOT_SHOWN})
        regressions += found.answer is Answer.REGRESSION

    # Two deviations of a count of 25 in 500 are 10. The limit of the autocorrelation makes it less.
    assert 1 <= named <= 35
    assert regressions <= 22


def test_a_slow_down_is_named_with_its_size(log) -> None:
    generator = np.random.default_rng(SEED)

    found = one_a_side(log(generator, 60), log(generator, 60, slower_ms=60.0), Question())

    assert found.answer is Answer.REGRESSION
    assert found.effects[0].name == "driver_init_ms"
    drivers = of(found, "driver_init_ms")
    assert drivers.change is Change.SLOWER
    assert drivers.low_ms < 60.0 < drivers.high_ms
    assert drivers.mean_ratio == pytest.approx(760 / 700, abs=0.02)
    assert of(found, "bios_init_ms").change is Change.NOT_SHOWN
    assert "Worse, beyond chance: device initialization +" in found.why


def test_no_slow_down_is_said_only_where_one_would_have_been_seen(log) -> None:
    generator = np.random.default_rng(SEED)

    many = one_a_side(log(generator, 80), log(generator, 80), Question())
    few = one_a_side(log(generator, 6), log(generator, 6), Question())
    none = one_a_side(log(generator, 2), log(generator, 2), Question())

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

    found = one_a_side(log(generator, 800), log(generator, 800, slower_ms=15.0), Question())
    asked = one_a_side(
        log(generator, 800), log(generator, 800, slower_ms=15.0), Question(matters=0.01)
    )

    assert found.answer is Answer.NO_REGRESSION
    assert of(found, "driver_init_ms").change is Change.SLIGHTLY_SLOWER
    assert asked.answer is Answer.REGRESSION


def test_faster_is_no_regression(log) -> None:
    generator = np.random.default_rng(SEED)

    found = one_a_side(log(generator, 80), log(generator, 80, slower_ms=-80.0), Question())

    assert found.answer is Answer.NO_REGRESSION
    assert of(found, "resume_ms").change is Change.FASTER


def test_the_answer_is_the_same_again(log) -> None:
    one, two = log(np.random.default_rng(1), 30), log(np.random.default_rng(2), 25)

    assert one_a_side(one, two, Question()) == one_a_side(one, two, Question())


def test_nothing_in_common_is_no_evidence(log) -> None:
    generator = np.random.default_rng(SEED)
    hybrid = log(generator, 20, kind=SleepKind.HYBRID)
    empty = evidence_of_log("empty.xml", LogReading())

    assert one_a_side(log(generator, 20), hybrid, Question()).answer is Answer.NO_EVIDENCE
    assert one_a_side(empty, empty, Question()).answer is Answer.NO_EVIDENCE
    asked = one_a_side(hybrid, log(generator, 20), Question(kind=SleepKind.HYBRID))
    assert asked.answer is Answer.NO_EVIDENCE
    assert asked.candidate.cycles == 0


def test_the_commonest_kind_is_compared_and_the_rest_is_told(log) -> None:
    generator = np.random.default_rng(SEED)
    mixed = log(generator, 60, kind=SleepKind.HYBRID)
    mixed = replace(mixed, sightings=(*mixed.sightings, *log(generator, 5).sightings))

    found = one_a_side(mixed, mixed, Question())

    assert (found.kind, found.base.cycles) == (SleepKind.HYBRID, 60)
    assert any("other kinds, which are left out: 5 S3" in each for each in found.warnings)


def test_another_dut_and_a_restless_base_are_warned_of(log) -> None:
    generator = np.random.default_rng(SEED)
    base = log(generator, 60)
    late = log(generator, 60, slower_ms=300.0)
    stepping = replace(base, sightings=(*base.sightings, *late.sightings))
    other = replace(log(generator, 60), identity={"system_product": "X2", "os_build": "26100"})

    found = one_a_side(stepping, other, Question())

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
    found = one_a_side(with_devices(base, 20.0), with_devices(candidate, 35.0), Question())

    assert found.answer is Answer.NO_REGRESSION
    assert found.components_compared == 2
    (disk,) = found.components
    assert disk.name == "device disk in resume devices (sleep)"
    assert disk.shift_ms == pytest.approx(15.0, abs=1.0)


def outside_evidence(path: str, lights_ms, failed: int = 0, wake_by=Actuator.BUTTON) -> Evidence:
    """Return a campaign by its wires; `failed` further cycles, evenly spread, never woke."""
    seen = list(lights_ms)
    for place in range(failed):
        seen.insert(5 + place * (len(lights_ms) // max(1, failed)), None)
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
        for number, light in enumerate(seen, start=1)
    ]
    return evidence_of_cycles(path, cycles, {"dut": "x"}, {"dwell": "5 s"})


def test_a_headline_time_that_the_candidate_lost_leaves_no_evidence(log) -> None:
    generator = np.random.default_rng(SEED)
    base, candidate = log(generator, 60), log(generator, 60, path="y.evtx")
    silent = tuple(
        replace(seen, record=replace(seen.record, bios_init_ms=None))
        for seen in candidate.sightings
    )

    found = one_a_side(base, replace(candidate, sightings=silent), Question())

    assert found.answer is Answer.NO_EVIDENCE
    assert "the base has total resume time, and the candidate has none" in found.why
    assert one_a_side(replace(base, sightings=silent), candidate, Question()).answer is not (
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

    warnings = one_a_side(whole, evidence, Question()).warnings
    assert "b.rrs: 1 impossible BIOS time left out." in warnings
    assert any(each.startswith("b.rrs: 1 BIOS time contradicted by clock") for each in warnings)


def test_wires_alone_can_be_compared_and_the_ignored_cycle_is_left_out() -> None:
    generator = np.random.default_rng(SEED)
    base = outside_evidence("a.rrs", generator.normal(750, 20, 61))
    candidate = outside_evidence("b.rrs", generator.normal(850, 20, 61), wake_by=Actuator.LID)

    found = one_a_side(base, candidate, Question())

    assert (found.kind, found.base.cycles) == (SleepKind.S3, 60)
    assert [effect.name for effect in found.effects] == ["press_to_light_ns"]
    assert found.answer is Answer.REGRESSION
    assert any("other conditions: woken by is LID, not BUTTON" in each for each in found.warnings)


def test_more_failed_cycles_are_a_regression() -> None:
    generator = np.random.default_rng(SEED)
    base = outside_evidence("a.rrs", generator.normal(750, 20, 101))
    candidate = outside_evidence("b.rrs", generator.normal(750, 20, 91), failed=10)

    found = one_a_side(base, candidate, Question())

    assert found.answer is Answer.REGRESSION
    assert "failed cycles 10 of 100 instead of 0 of 100" in found.why
    backwards = one_a_side(candidate, base, Question())
    assert backwards.answer is Answer.NO_REGRESSION


def test_a_few_slow_cycles_are_a_regression_that_no_median_shows() -> None:
    generator = np.random.default_rng(SEED)
    lights = generator.normal(750, 20, 401)
    now = generator.normal(750, 20, 401)
    now[20::30] = 4_000.0

    found = one_a_side(outside_evidence("a", lights), outside_evidence("b", now), Question())

    assert of(found, "press_to_light_ns").change is Change.NOT_SHOWN
    assert found.answer is Answer.REGRESSION
    (slow,) = found.slow
    assert (slow.counts.base_failed, slow.counts.candidate_failed) == (0, 13)
    assert 780 < slow.above_ms < 900
    assert "cycles with power button to display on above" in found.why
    backwards = one_a_side(outside_evidence("b", now), outside_evidence("a", lights), Question())
    assert backwards.answer is Answer.NO_REGRESSION


def test_many_cycles_are_compared_without_making_every_pair() -> None:
    generator = np.random.default_rng(SEED)
    base = outside_evidence("a.rrs", generator.normal(750, 20, 10_001))
    candidate = outside_evidence("b.rrs", generator.normal(751, 20, 10_001))

    found = one_a_side(base, candidate, Question())

    light = of(found, "press_to_light_ns")
    assert light.change is Change.SLIGHTLY_SLOWER
    assert light.low_ms < 1.0 < light.high_ms
    assert light.high_ms - light.low_ms < 1.5


def sessions(log, generator, count: int, *, slower: float = 0.0, cycles: int = 30, begun: int = 0):
    """Return sessions of one build that scatter by 3 %; `slower` is a share."""
    found = []
    for number in range(count):
        factor = np.exp(0.03 * generator.normal()) * (1 + slower)
        drawn = log(generator, cycles, slower_ms=900 * (factor - 1), path=f"{begun}-{number}.evtx")
        found.append(replace(drawn, begun_utc_ns=begun + number))
    return found


@pytest.mark.slow
def test_sessions_that_scatter_are_no_regression_and_a_build_is(log) -> None:
    generator = np.random.default_rng(SEED)
    wrong = right = 0
    for _ in range(40):
        base, other = sessions(log, generator, 5), sessions(log, generator, 5)
        slower = sessions(log, generator, 5, slower=0.15)
        wrong += compare(base, other, Question()).answer is Answer.REGRESSION
        right += compare(base, slower, Question()).answer is Answer.REGRESSION

    assert wrong <= 4  # 5 % of 40 are 2, two deviations more 4.8
    assert right >= 38


def test_several_sessions_say_how_they_scatter_and_how_many_it_takes(log) -> None:
    generator = np.random.default_rng(SEED)

    found = compare(sessions(log, generator, 3), sessions(log, generator, 3), Question())

    assert (found.unit, found.answer) == (Unit.SESSION, Answer.NO_EVIDENCE)
    assert "has too few sessions (3 and 3) to show one of 5 %: they scatter by" in found.why
    assert "sessions each" in found.why
    resume = of(found, "resume_ms")
    assert 5 < resume.session_sd_ms < 80
    assert (resume.base_sessions, resume.effective_n) == (3, None)
    assert found.base.path == "3 sessions (0-0.evtx and 2 more)"


def test_one_session_a_side_differs_and_is_no_regression(log) -> None:
    generator = np.random.default_rng(SEED)
    base, candidate = log(generator, 60), log(generator, 60, slower_ms=60.0)

    found = compare([base], [candidate], Question())
    alike = compare([base], [log(generator, 60)], Question())

    assert found.answer is Answer.SESSIONS_DIFFER
    assert "One session a side cannot separate a build from a day" in found.why
    assert alike.answer is Answer.NO_REGRESSION
    assert "how sessions scatter is not known" in alike.why


def test_a_limit_that_the_candidate_exceeds_is_named_with_its_counts(log) -> None:
    generator = np.random.default_rng(SEED)
    limit = Limit("resume_ms", LimitSide.AT_MOST, 930 * MS, "ms", kinds=(SleepKind.S3,))
    requirement = replace(load_requirement("sysfund-0004"), resume_limit_ms=None, further=(limit,))

    def judged(evidence: Evidence) -> Evidence:
        limits = judge_limits(requirement, evidence.sightings, tried=evidence.sightings)
        return replace(evidence, limits=limits, verdict=verdict_of_limits(limits))

    base = judged(log(generator, 59, spread=0.002))
    candidate = judged(log(generator, 59, spread=0.002, slower_ms=50))

    found = compare([base], [candidate], Question(requirement="ours"))

    assert found.answer is Answer.REQUIREMENT_FAILED
    (over,) = found.over
    assert (over.base_over, over.candidate_over, over.candidate_n) == (0, 59, 59)
    assert over.base_upper == pytest.approx(1 - 0.05 ** (1 / 59))
    assert "is not met in 59 of 59 instead of 0 of 59" in found.why
    assert compare([candidate], [candidate], Question()).answer is Answer.NO_REGRESSION


def test_cycles_that_fail_in_a_row_count_for_fewer() -> None:
    generator = np.random.default_rng(SEED)
    base = outside_evidence("a.rrs", generator.normal(750, 20, 101))
    spread = outside_evidence("b.rrs", generator.normal(750, 20, 91), failed=10)
    in_a_row = replace(spread, failed=tuple(sorted(spread.failed)))

    ps = [one_a_side(base, each, Question()).failures.p for each in (spread, in_a_row)]

    assert ps[0] < 0.01
    assert ps[1] > 0.1


def test_sessions_that_are_no_repeats_are_warned_of(log, record) -> None:
    generator = np.random.default_rng(SEED)
    before, after = sessions(log, generator, 3), sessions(log, generator, 3, begun=100)
    in_turn = [replace(each, begun_utc_ns=n * 50) for n, each in enumerate(after)]
    short = replace(before[0], path="short.evtx", sightings=before[0].sightings[:6])
    again = replace(
        before[0],
        path="again.evtx",
        sightings=(Sighting(record(wake_time_utc_ns=7)), *before[0].sightings[1:]),
    )
    other = replace(again, path="other.evtx", identity={"system_product": "X2"})

    def warned(base, candidate) -> str:
        return " ".join(compare(base, candidate, Question()).warnings)

    assert "measure them in turn" in warned(before, after)
    assert "measure them in turn" in warned(before[:2], after[:2])
    assert "measure them in turn" not in warned(before[:1], after)
    assert warned(before, in_turn) == ""
    assert "short.evtx has 6 values only" in warned([short, *before[1:]], in_turn)
    assert "again.evtx and other.evtx share 1 record" in warned([again, other], in_turn)
    assert "Sessions of the base are not alike: system product is X1, X2." in warned(
        [again, other], in_turn
    )


def test_errors_that_all_cycles_share_count_only_where_the_rig_differs() -> None:
    generator = np.random.default_rng(SEED)

    def on(rig: str, light_ms: float) -> Evidence:
        drawn = outside_evidence(f"{rig}.rrs", generator.normal(light_ms, 2, 41))
        sightings = tuple(
            replace(seen, cycle=replace(seen.cycle, outside=replace(
                seen.cycle.outside,
                intervals={
                    name: replace(value, bound_ns=30 * MS, rig_ns=30 * MS, campaign_ns=0)
                    for name, value in seen.cycle.outside.intervals.items()
                },
            )))
            for seen in drawn.sightings
        )  # fmt: skip
        return replace(drawn, rig=rig, sightings=sightings)

    def light(base, candidate):
        return of(compare(base, candidate, Question(one_session_is_enough=True)), LIGHT)

    one, other = on("a", 750.0), on("b", 800.0)
    same, both = light([one], [replace(other, rig="a")]), light([one], [other])
    several = light([one] * 3, [other] * 3)

    assert (same.shared_ms, both.shared_ms, several.shared_ms) == (0.0, 60.0, 60.0)
    assert same.change is Change.SLOWER
    assert (both.change, several.change) == (Change.NOT_SHOWN, Change.NOT_SHOWN)
    assert both.shift_ms == same.shift_ms == pytest.approx(50.0, abs=2.0)
    assert several.shift_ms == pytest.approx(50.0, abs=2.0)
    for each in (both, several):
        assert each.low_ms < -9.0
        assert each.high_ms > 109.0
    far = light([one], [on("b", 900.0)])
    assert far.change is Change.SLOWER


def test_what_nobody_saw_wake_the_dut_is_no_other_condition() -> None:
    woken = outside_evidence("b.rrs", [750.0] * 3)
    unseen = replace(woken, setting=evidence_of_cycles("a.rrs", [], {}, {"dwell": "5 s"}).setting)

    found = compare([unseen], [woken], Question())

    assert ("woken by", "not reported", "BUTTON") in found.differences
    assert not any("woken by" in warning for warning in found.warnings)


def test_each_side_keeps_its_side_through_the_whole_comparison(log) -> None:
    generator = np.random.default_rng(SEED)
    limit = Limit("resume_ms", LimitSide.AT_MOST, 930 * MS, "ms", kinds=(SleepKind.S3,))
    requirement = replace(load_requirement("sysfund-0004"), resume_limit_ms=None, further=(limit,))

    def made(path: str, n: int, device_ms: float, slower_ms: float) -> Evidence:
        drawn = log(generator, n, spread=0.002, slower_ms=slower_ms, path=path)
        part = Component(ComponentKind.DEVICE, "disk", "resume devices", device_ms)
        sightings = tuple(
            replace(each, record=replace(each.record, components=(part,)))
            for each in drawn.sightings
        )
        limits = judge_limits(requirement, sightings, tried=sightings)
        return replace(drawn, sightings=sightings, limits=limits, verdict=verdict_of_limits(limits))

    base = [made("b0", 20, 10.0, 0.0), made("b1", 20, 10.0, 0.0)]
    candidate = [made("c0", 20, 40.0, 50.0), made("c1", 20, 40.0, 50.0), made("c2", 20, 40.0, 50.0)]

    found = compare(base, candidate, Question())

    assert (found.base.path, found.candidate.path) == (
        "2 sessions (b0 and 1 more)",
        "3 sessions (c0 and 2 more)",
    )
    assert (found.base.cycles, found.candidate.cycles) == (40, 60)
    assert (found.base.verdict, found.candidate.verdict) == (Verdict.PASS, Verdict.FAIL)
    (over,) = found.over
    assert (over.base_over, over.candidate_over, over.candidate_n) == (0, 60, 60)
    (disk,) = found.components
    assert (disk.shift_ms, disk.change, found.components_compared) == (30.0, Change.SLOWER, 1)
    assert [len(each.times_ms["resume_ms"]) for each in found.base.sessions] == [20, 20]
    # The greatest share of its median stands first.
    shares = [abs(each.shift_ms / each.base_median_ms) for each in found.effects[:2]]
    assert shares == sorted(shares, reverse=True)


def test_the_kind_that_both_have_most_of_is_compared_and_sleeps_before_boots(log) -> None:
    generator = np.random.default_rng(SEED)

    def of_kinds(**counts: int) -> Evidence:
        drawn = [
            seen
            for kind, n in counts.items()
            for seen in log(generator, n, kind=SleepKind[kind]).sightings
        ]
        return replace(log(generator, 1), sightings=tuple(drawn))

    def chosen(base: Evidence, candidate: Evidence):
        return one_a_side(base, candidate, Question()).kind

    many = of_kinds(S3=5, HYBRID=30)
    assert chosen(many, of_kinds(S3=30, HYBRID=20)) is SleepKind.HYBRID
    assert chosen(many, of_kinds(S3=30, HYBRID=4)) is SleepKind.S3
    assert chosen(many, of_kinds(S3=30)) is SleepKind.S3


def test_components_of_less_than_three_values_are_not_compared(log) -> None:
    generator = np.random.default_rng(SEED)

    def with_parts(n: int, disk_ms: float) -> Evidence:
        drawn = log(generator, 40)
        part = Component(ComponentKind.DEVICE, "disk", "resume devices", disk_ms)
        return replace(
            drawn,
            sightings=tuple(
                replace(each, record=replace(each.record, components=(part,) if i < n else ()))
                for i, each in enumerate(drawn.sightings)
            ),
        )

    def compared(n: int, m: int) -> int:
        return one_a_side(with_parts(n, 5.0), with_parts(m, 5.0), Question()).components_compared

    assert [compared(2, 9), compared(9, 2), compared(3, 3)] == [0, 0, 1]


def test_of_very_many_components_the_longest_are_compared(log) -> None:
    generator = np.random.default_rng(SEED)

    def with_parts(lengths_ms) -> Evidence:
        parts = tuple(
            Component(ComponentKind.DEVICE, f"d{n}", "resume devices", float(ms))
            for n, ms in enumerate(lengths_ms)
        )
        sightings = tuple(
            replace(each, record=replace(each.record, components=parts))
            for each in log(generator, 12).sightings
        )
        return replace(log(generator, 1), sightings=sightings)

    # d0 is the shortest in the base, and the longest in the candidate; d1 is short in both.
    base, candidate = [2, 3, *[100] * 399], [500, 3, *[100] * 399]
    found = one_a_side(with_parts(base), with_parts(candidate), Question())
    backwards = one_a_side(with_parts(candidate), with_parts(base), Question())

    assert found.components_compared == backwards.components_compared == 400
    assert [each.name for each in found.components] == ["device d0 in resume devices (sleep)"]
    assert [each.shift_ms for each in backwards.components] == [-498.0]


def test_a_question_takes_the_usual_level_and_a_twentieth_for_what_matters() -> None:
    assert Question() == Question(kind=None, alpha=0.05, matters=0.05, one_session_is_enough=False)


def boot(record, whole_ms: float, held_ms: float) -> Evidence:
    parts = tuple(
        Component(
            ComponentKind.DEVICE, "USB\\HUB\\1", "Plug and Play", 2500.0, None, None, what, held_ms
        )
        for what in ("Start", "Enum")
    )
    records = tuple(
        record(
            kind=SleepKind.BOOT,
            bios_init_ms=None,
            driver_init_ms=None,
            wake_ms=None,
            components=parts,
            figures=(Figure("transition_ms", whole_ms + 7 * place),),
        )
        for place in range(3)
    )
    source = LogSource("b.xml", "xperf", None, 3, Integrity(True))
    return evidence_of_log("b.xml", LogReading((source,), records))


def test_three_boots_a_side_show_what_is_far_beyond_their_scatter_and_its_cause(record) -> None:
    found = compare([boot(record, 41000, 0.0)], [boot(record, 46000, 2400.0)], Question())

    assert found.answer is Answer.SESSIONS_DIFFER
    whole = of(found, "figure:transition_ms")
    assert whole.change is Change.SLOWER
    assert whole.shift_ms == pytest.approx(5000)
    assert [(each.holds_up, each.base_ms, each.candidate_ms) for each in found.causes] == [
        (True, 0.0, 2400.0),
        (True, 0.0, 2400.0),
    ]
    assert {each.name.partition(" in ")[2] for each in found.causes} == {
        "Plug and Play Start (boot)",
        "Plug and Play Enum (boot)",
    }
    assert any("3 values a side" in warning for warning in found.warnings)


def test_a_part_that_a_side_lacks_is_a_cause_and_small_ones_are_none(record) -> None:
    base, candidate = boot(record, 41000, 0.0), boot(record, 46000, 300.0)
    new = Component(ComponentKind.DRIVER, "new", "", 4600.0)
    candidate = replace(
        candidate,
        sightings=tuple(
            replace(s, record=replace(s.record, components=(*s.record.components, new)))
            for s in candidate.sightings
        ),
    )

    found = compare([base], [candidate], Question())

    assert [(each.base_ms, each.difference_ms) for each in found.causes] == [(None, 4600.0)]
    assert compare([base], [base], Question()).causes == ()
