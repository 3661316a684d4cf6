"""Many campaigns side by side: groups, units apart, and how often that is said of alike ones."""

import functools
import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.analysis.compare.fleet import (
    ALPHA,
    UNITS_LEAST,
    outlying_failures,
    outlying_medians,
    survey,
    worst,
)
from resume_rig.analysis.stats.figures import failure_rate, failure_rate_upper
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.result.fleet import Fleet, FleetCampaign, TimesOf, Trait, UnreadStore
from resume_rig.model.result.series import CommonTerm
from resume_rig.model.result.verdict import Verdict

REQUIREMENT = load_requirement("sysfund-0004")
BY = (Trait.PRODUCT, Trait.BIOS)


rate_of = functools.cache(failure_rate)


def campaign(
    number: int = 1,
    *,
    unit: str | None = None,
    median_ms: float = 900.0,
    n: int = 100,
    failed: int = 0,
    verdict: Verdict = Verdict.PASS,
    bios: str = "1.07",
    product: str = "Book",
    spread_ms: float = 30.0,
) -> FleetCampaign:
    times = TimesOf("resume_ms", n, median_ms, median_ms + 50, median_ms + 90, spread_ms)
    return FleetCampaign(
        path=f"c{number}.rrs",
        unit=f"u{number}" if unit is None else unit,
        traits=dict.fromkeys(Trait, "") | {Trait.PRODUCT: product, Trait.BIOS: bios},
        begun_utc_ns=number,
        running=False,
        marks=(),
        cycles=n,
        verdict=verdict,
        why="",
        failures=rate_of(failed, n),
        outcomes={"slept-and-woke": n},
        findings={},
        times={"resume_ms": times} if n else {},
    )


def of(*campaigns: FleetCampaign, by: tuple[Trait, ...] = BY) -> Fleet:
    return survey(campaigns, REQUIREMENT, by)


def units(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Mapping[str, float]:
    return {f"u{number}": float(value) for number, value in enumerate(values)}


def test_the_answer_is_the_worst_and_no_evidence_is_worse_than_a_pass() -> None:
    order = [Verdict.PASS, Verdict.NO_EVIDENCE, Verdict.MARGINAL, Verdict.FAIL]
    for number in range(1, len(order) + 1):
        assert worst(order[:number]) is order[number - 1]
        assert (
            of(*(campaign(i, verdict=v) for i, v in enumerate(order[:number]))).verdict
            is (order[number - 1])
        )
    assert of().verdict is Verdict.NO_EVIDENCE
    assert of().why == "there is no campaign to judge"


def test_groups_have_their_traits_in_common_and_the_worst_stands_first() -> None:
    fleet = of(
        campaign(1, bios="1.06"),
        campaign(2, bios="1.07"),
        campaign(3, bios="1.07", verdict=Verdict.FAIL),
        campaign(4, bios="1.08", verdict=Verdict.MARGINAL),
    )

    assert [group.traits[Trait.BIOS] for group in fleet.groups] == ["1.07", "1.08", "1.06"]
    assert [each.path for each in fleet.groups[0].campaigns] == ["c3.rrs", "c2.rrs"]
    assert fleet.why == "1 of 4 campaigns of 4 units fails: c3.rrs"
    assert len(of(campaign(1, bios="a"), campaign(2, bios="b"), by=()).groups) == 1


@pytest.mark.parametrize(
    ("verdicts", "headline"),
    [
        ((Verdict.PASS,) * 3, "3 of 3 campaigns pass."),
        ((Verdict.PASS, Verdict.NO_EVIDENCE), "1 of 2 campaigns gives no evidence, 1 passes."),
        (
            (Verdict.NO_EVIDENCE, Verdict.FAIL, Verdict.NO_EVIDENCE),
            "1 of 3 campaigns fails, 2 give no evidence.",
        ),
        (
            (Verdict.NO_EVIDENCE, Verdict.FAIL, Verdict.MARGINAL, Verdict.PASS),
            "1 of 4 fails, 1 is marginal, 1 gives no evidence, 1 passes.",
        ),
    ],
)
def test_the_headline_has_every_verdict(verdicts: tuple[Verdict, ...], headline: str) -> None:
    fleet = of(*(campaign(i, verdict=each) for i, each in enumerate(verdicts)))
    assert fleet.headline == headline


def test_a_pass_says_what_it_shows_and_of_whom() -> None:
    assert of(campaign(1), campaign(2, unit="u1")).why == (
        "2 campaigns of 1 unit pass; 0 of 200 judged resumes failed; upper 95 % confidence limit "
        "of the failure rate of these units 1.5 %"
    )


def test_a_store_that_was_not_read_is_part_of_the_answer() -> None:
    fleet = survey([campaign()], REQUIREMENT, BY, unread=[UnreadStore("x.rrs", "it is damaged")])

    assert fleet.verdict is Verdict.PASS
    assert fleet.why.endswith("; 1 store could not be read")


def test_campaigns_of_one_unit_are_one_unit() -> None:
    fleet = of(
        campaign(1, unit="a", median_ms=900, n=300),
        campaign(2, unit="a", median_ms=940, n=100, failed=1),
        campaign(3, unit="b", median_ms=1000),
        campaign(4, unit="c", n=0),
    )
    (group,) = fleet.groups
    (times,) = group.times

    assert group.units == 3
    assert (group.units_failed, group.units_share.n if group.units_share else None) == (1, 2)
    assert (times.units, times.low_ms, times.high_ms) == (2, 910.0, 1000.0)
    assert times.next_within == pytest.approx(1 / 3)
    assert times.between_ms is None  # two units show no spread


def test_the_spread_between_units_is_found_beside_that_within_them() -> None:
    random = np.random.default_rng(5)
    medians = []
    for _ in range(200):
        units_ms = random.normal(900, 40, size=20)
        errors = math.sqrt(math.pi / 2) * 60 / math.sqrt(25)
        seen = units_ms + random.normal(0, errors, size=20)
        fleet = of(*(campaign(i, median_ms=v, n=25, spread_ms=60) for i, v in enumerate(seen)))
        between = fleet.groups[0].times[0].between_ms
        assert between is not None
        medians.append(between**2)

    assert math.sqrt(np.mean(medians)) == pytest.approx(40, rel=0.08)


@pytest.mark.parametrize("count", [5, 8, 20, 60])
def test_alike_units_are_named_in_one_group_of_a_hundred_at_most(count: int) -> None:
    random = np.random.default_rng(count)
    fleets = 700
    named = sum(
        bool(outlying_medians({"resume_ms": units(random.normal(900, 30, size=count))}, 0.0))
        for _ in range(fleets)
    )

    # 1 % and three standard deviations of a count.
    assert named <= fleets * ALPHA + 3 * math.sqrt(fleets * ALPHA)


def test_several_measures_do_not_make_a_false_name_likelier() -> None:
    random = np.random.default_rng(9)
    fleets = 700
    named = 0
    for _ in range(fleets):
        medians = {name: units(random.normal(900, 30, size=12)) for name in ("a", "b", "c")}
        named += bool(outlying_medians(medians, 0.0))

    assert named <= fleets * ALPHA + 3 * math.sqrt(fleets * ALPHA)


def test_a_unit_apart_is_named_and_two_do_not_hide_each_other() -> None:
    random = np.random.default_rng(2)
    one = two = 0
    for _ in range(200):
        values = random.normal(900, 10, size=20)
        values[3] += 90
        found = outlying_medians({"resume_ms": units(values)}, 0.05)
        one += [odd.unit for odd in found] == ["u3"]
        values[7] += 95
        found = outlying_medians({"resume_ms": units(values)}, 0.05)
        two += {odd.unit for odd in found} == {"u3", "u7"}

    assert (one, two) == (200, 200)


def test_a_difference_that_does_not_matter_is_not_named() -> None:
    values = np.array([900.0, 900.1, 900.2, 899.9, 900.0, 899.8, 912.0])

    assert outlying_medians({"resume_ms": units(values)}, 0.01) != ()
    assert outlying_medians({"resume_ms": units(values)}, 0.05) == ()


def test_few_units_or_equal_ones_name_nobody() -> None:
    few = dict.fromkeys(("a", "b", "c"), 900.0) | {"d": 2000.0}
    assert len(few) < UNITS_LEAST

    assert outlying_medians({"resume_ms": few}, 0.05) == ()
    assert outlying_medians({"resume_ms": dict.fromkeys("abcdef", 900.0)}, 0.05) == ()


def test_a_unit_that_fails_more_often_is_named() -> None:
    counts = {f"u{i}": (1, 500) for i in range(6)} | {"bad": (14, 500), "idle": (0, 0)}

    (odd,) = outlying_failures(counts)

    assert (odd.unit, odd.measure) == ("bad", None)
    assert odd.value == pytest.approx(0.028)
    assert odd.others == pytest.approx(0.002)
    assert outlying_failures({"only": (9, 10)}) == ()
    assert outlying_failures({f"u{i}": (i % 2, 500) for i in range(8)}) == ()


@settings(max_examples=30)
@given(
    st.permutations(range(7)),
    st.lists(st.floats(100, 5000), min_size=7, max_size=7),
)
def test_the_order_of_the_stores_changes_nothing(order: list[int], medians: list[float]) -> None:
    campaigns = [campaign(i, median_ms=ms, failed=i // 5) for i, ms in enumerate(medians)]

    assert of(*(campaigns[i] for i in order)) == of(*campaigns)


def test_times_that_nobody_measured_are_absent() -> None:
    empty = replace(campaign(), times={}, failures=None, verdict=Verdict.NO_EVIDENCE)
    (group,) = of(empty).groups

    assert group.times == ()
    assert group.failures is None
    assert group.units_share is None


def test_cycles_without_evidence_count_against_the_bound_of_a_group() -> None:
    lacks = replace(campaign(2, n=10), undecided=20, evidence_lacks=True)
    (group,) = of(campaign(1), lacks, campaign(3)).groups

    assert (group.failures.n, group.failures.failures, group.failures.undecided) == (210, 0, 20)
    assert group.failures.upper == failure_rate_upper(20, 230)
    # Of the unit nobody knows whether it has a failing cycle.
    assert (group.units_share.n, group.units_share.undecided) == (2, 1)
    assert group.units_share.upper == failure_rate_upper(1, 3)


def test_the_ends_of_a_group_hold_what_all_cycles_of_a_unit_share() -> None:
    def at(number: int, median_ms: float, common: CommonTerm) -> FleetCampaign:
        one = campaign(number, median_ms=median_ms)
        return replace(one, times={"resume_ms": replace(one.times["resume_ms"], common=common)})

    (group,) = of(at(1, 900, CommonTerm(1, 150)), at(2, 950, CommonTerm(2, 10))).groups
    (times,) = group.times

    assert (times.low_ms, times.high_ms) == (749, 1051)
    assert (times.common.rig_ms, times.common.campaign_ms) == (2, 150)


def test_failures_of_a_unit_are_held_against_all_others_by_fishers_test() -> None:
    (odd,) = outlying_failures({"a": (0, 300), "b": (9, 300)})

    # All nine are among b's 300 of 600: two tables are so unlikely, and two units are tried.
    assert odd.p == pytest.approx(min(1.0, 2 * 2 * math.comb(300, 9) / math.comb(600, 9)))
    assert (odd.unit, odd.value, odd.others) == ("b", 0.03, 0.0)


def test_a_small_unit_is_odd_by_its_share_and_not_by_its_number() -> None:
    (odd,) = outlying_failures({"large": (30, 3000), "small": (8, 60)})

    assert odd.unit == "small"


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        ([Verdict.FAIL], "1 of 1 campaign of 1 unit fails: c0.rrs"),
        ([Verdict.FAIL] * 2, "2 of 2 campaigns of 2 units fail: c0.rrs, c1.rrs"),
        ([Verdict.MARGINAL], "1 of 1 campaign of 1 unit is marginal: c0.rrs"),
        ([Verdict.MARGINAL] * 2, "2 of 2 campaigns of 2 units are marginal: c0.rrs, c1.rrs"),
        ([Verdict.NO_EVIDENCE], "1 of 1 campaign of 1 unit gives no evidence: c0.rrs"),
        (
            [Verdict.FAIL] * 3,
            "3 of 3 campaigns of 3 units fail: c0.rrs, c1.rrs, c2.rrs",
        ),
        (
            [Verdict.FAIL] * 5,
            "5 of 5 campaigns of 5 units fail: c0.rrs, c1.rrs, c2.rrs and 2 more",
        ),
    ],
)
def test_the_worst_campaigns_are_counted_and_three_are_named(
    verdicts: list[Verdict], why: str
) -> None:
    assert of(*(campaign(i, verdict=v) for i, v in enumerate(verdicts))).why == why


def test_campaigns_of_a_group_stand_by_verdict_time_and_path() -> None:
    def at(path: str, begun: int | None, verdict: Verdict = Verdict.PASS) -> FleetCampaign:
        return replace(campaign(), path=path, begun_utc_ns=begun, verdict=verdict)

    (group,) = of(
        at("late", 9), at("b", 5), at("a", 5), at("unknown", None), at("bad", 99, Verdict.FAIL)
    ).groups

    assert [each.path for each in group.campaigns] == ["bad", "unknown", "a", "b", "late"]


@pytest.mark.parametrize("n", [5, 9, 10])
def test_one_unit_in_five_can_be_odd_at_most(n: int) -> None:
    """Of n equal units, as many as are far off are named, and n // 5 at most."""
    values = [900.0 + i % 2 for i in range(n)]
    values[:2] = [9_000.0, 9_500.0]

    found = outlying_medians({"resume_ms": {f"u{i}": v for i, v in enumerate(values)}}, 0.05)

    # Nine units may have one odd one, and two so far off hide each other from Grubbs' test.
    assert {odd.unit for odd in found} == ({"u0", "u1"} if n == 10 else set())


def test_the_chance_of_an_odd_unit_is_grubbs() -> None:
    """The critical value of Grubbs' test for n = 10 at 1 %, two-sided, is 2.482 (Grubbs, 1972)."""
    base = np.array([-1.2, -0.9, -0.5, -0.2, 0.0, 0.1, 0.4, 0.8, 1.1])

    def p_at(g: float) -> float:
        low, high = 0.0, 1e6
        for _ in range(200):
            away = (low + high) / 2
            values = np.append(base, away)
            found = (values[-1] - values.mean()) / values.std(ddof=1)
            low, high = (away, high) if found < g else (low, away)
        values = 900 + np.append(base, low)
        found = outlying_medians({"resume_ms": units(values)}, 0.0)
        return found[0].p if found else 1.0

    assert p_at(2.49) == pytest.approx(0.01, abs=0.001)
    assert p_at(2.46) == 1.0


def test_several_measures_share_the_chance_to_name_a_unit() -> None:
    values = {f"u{i}": 900.0 + i % 3 for i in range(9)} | {"bad": 990.0}
    few = {"a": 1.0}

    (one,) = outlying_medians({"x": values, "few": few}, 0.01)
    found = outlying_medians({"x": values, "y": values, "few": few}, 0.01)

    assert [each.p for each in found] == pytest.approx([2 * one.p] * 2)
    others = [value for unit, value in values.items() if unit != "bad"]
    assert (one.value, one.others) == (990.0, float(np.median(others)))


@pytest.mark.parametrize(("matters", "named"), [(0.10, True), (0.1001, False)])
def test_a_median_that_differs_by_just_what_matters_is_named(matters: float, named: bool) -> None:
    values = {f"u{i}": 1000.0 for i in range(9)} | {"bad": 1100.0}

    assert bool(outlying_medians({"x": values}, matters)) is named


def test_the_middle_of_a_unit_weighs_its_campaigns_by_their_cycles() -> None:
    (group,) = of(
        campaign(1, unit="a", median_ms=900, n=300, spread_ms=10.0),
        campaign(2, unit="a", median_ms=1000, n=100, spread_ms=50.0),
        campaign(3, unit="b", median_ms=1000, n=100, spread_ms=40.0),
        campaign(4, unit="c", median_ms=1100, n=100, spread_ms=60.0),
    ).groups
    (times,) = group.times

    medians = np.array([925.0, 1000.0, 1100.0])
    errors = math.sqrt(math.pi / 2) * np.array([20 / 20, 40 / 10, 60 / 10])
    assert (times.units, times.median_ms, times.within_ms) == (3, 1000.0, 40.0)
    assert times.between_ms == pytest.approx(math.sqrt(medians.var(ddof=1) - (errors**2).mean()))
    assert (times.low_ms, times.high_ms) == (925.0, 1100.0)
    assert times.next_within == pytest.approx(2 / 4)


def test_units_whose_scatter_explains_their_spread_show_none_between_them() -> None:
    (group,) = of(*(campaign(i, median_ms=900.0 + i, spread_ms=500.0) for i in range(3))).groups

    assert group.times[0].between_ms == 0.0


def test_of_one_unit_nothing_is_said_of_the_next() -> None:
    (group,) = of(campaign()).groups

    assert group.times[0].next_within is None
    assert (group.times[0].low_ms, group.times[0].high_ms) == (900.0, 900.0)


def test_a_unit_with_a_failure_is_one_that_fails_however_little_is_known_of_the_rest() -> None:
    lacks = replace(campaign(2, failed=1), undecided=5, evidence_lacks=True)
    (group,) = of(campaign(1), lacks).groups

    assert (group.units_failed, group.units_share.n, group.units_share.undecided) == (1, 2, 0)
