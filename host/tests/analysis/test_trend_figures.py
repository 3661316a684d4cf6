"""Trends against figures worked out by hand: Student's t of 2 degrees of freedom is in closed form.

Welch's freedom is computed anew from its formula (1947).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean, stdev
from zlib import crc32

import pytest

from resume_rig.analysis.compare.trend import trend_of
from resume_rig.analysis.stats.figures import failure_rate, student_t_beyond, student_t_tails
from resume_rig.model.result.fleet import (
    Carrier,
    Repeats,
    SessionTimes,
    Trait,
    Trend,
    TrendBy,
    TrendChange,
    TrendSession,
)
from resume_rig.model.result.series import CommonTerm
from resume_rig.model.result.verdict import Verdict

T_2 = 4.302652729749464  # the 97.5 % quantile of Student's t with 2 degrees of freedom, of tables
STEP = 1 / math.sqrt(12)


def p_of_2(t: float) -> float:
    """Return the two-sided tail of Student's t with 2 degrees of freedom."""
    return 1 - t / math.sqrt(t * t + 2)


def session(point: str, unit: str, median_ms: float, number: int = 0, **more) -> TrendSession:
    n = more.pop("n", 100)
    common = more.pop("common", CommonTerm(0.0, 0.0))
    times = SessionTimes(
        n, median_ms, median_ms + 30, median_ms + 90, median_ms - 2, median_ms + 3, common
    )
    one = TrendSession(
        load_id=crc32(f"{point} {unit} {number}".encode()),
        path=f"{unit}-{point}-{number}",
        report=None,
        unit=unit,
        point=point,
        begun_utc_ns=ord(point[-1]) * 1000 + number,
        verdict=Verdict.PASS,
        cycles=n,
        judged=n,
        failed=0,
        undecided=0,
        times={"resume_ms": times},
    )
    return replace(one, **more)


def side(point: str, medians: Mapping[str, float] | Sequence[float], **more) -> list[TrendSession]:
    named = (
        medians if isinstance(medians, Mapping) else dict(zip("abcdefgh", medians, strict=False))
    )
    return [session(point, unit, value, **more) for unit, value in named.items()]


def asked(sessions: Sequence[TrendSession], components=lambda _: {}, **more) -> Trend:
    measures = more.pop("measures", ("resume_ms",))
    return trend_of({("Book", "S3"): sessions}, TrendBy.BIOS, measures, "x", components, **more)


def change_of(sessions: Sequence[TrendSession], *args, **more) -> TrendChange:
    (change,) = asked(sessions, *args, **more).groups[0].changes
    return change


def test_units_at_both_points_are_their_own_reference() -> None:
    after = {"a": 960.0, "b": 975.0, "c": 985.0, "new": 5000.0}
    change = change_of([*side("1", (900, 910, 920)), *side("2", after)])

    away = [60.0, 65.0, 65.0]
    error = stdev(away) / math.sqrt(3)
    assert (change.before, change.after) == pytest.approx((910, 910 + mean(away)))
    assert (change.paired, change.moved, change.of) == (True, 3, 3)
    assert change.low == pytest.approx(mean(away) - T_2 * error)
    assert change.high == pytest.approx(mean(away) + T_2 * error)
    # Two comparisons were made: of the failures, and of the time.
    assert change.p == pytest.approx(2 * p_of_2(mean(away) / error))
    assert [each.name for each in change.units] == ["b", "c", "a"]


def test_what_the_steps_of_a_time_hide_is_part_of_its_error() -> None:
    change = change_of([*side("1", (900, 910, 920)), *side("2", (960, 970, 980))])

    assert change.high == pytest.approx(60 + T_2 * STEP / math.sqrt(3))


def test_what_cycles_of_a_campaign_share_widens_the_interval_and_must_be_exceeded() -> None:
    before = (900, 910, 920)

    def between(before_ms: float, after_ms: float, shift_ms: float):
        after = [value + shift_ms for value in before]
        return (
            asked(
                [
                    *side("1", before, common=CommonTerm(500.0, before_ms)),
                    *side("2", after, common=CommonTerm(500.0, after_ms)),
                ]
            )
            .groups[0]
            .changes
        )

    (change,) = between(10.0, 20.0, 60.0)
    assert change.low == pytest.approx(60 - T_2 * STEP / math.sqrt(3) - 30)
    assert between(30.0, 30.0, 60.0) == ()
    assert len(between(30.0, 29.9, 60.0)) == 1


@pytest.mark.parametrize(
    ("after", "named"), [(1050.0, True), (1049.0, False), (950.0, True), (951.0, False)]
)
def test_a_change_of_just_what_matters_is_named(after: float, named: bool) -> None:
    sessions = [*side("1", (1000, 1000, 1000)), *side("2", (after, after, after))]

    assert bool(asked(sessions).groups[0].changes) is named


def test_other_units_are_compared_by_welchs_test() -> None:
    before, after = [900.0, 910.0, 930.0], [1100.0, 1104.0]
    change = change_of([*side("1", before), *side("2", {"x": after[0], "b": after[1]})])

    parts = [stdev(each) ** 2 / len(each) for each in (before, after)]
    freedom = sum(parts) ** 2 / sum(p * p / (n - 1) for p, n in zip(parts, (3, 2), strict=True))
    error = math.sqrt(sum(parts))
    shift = mean(after) - mean(before)
    assert (change.before, change.after, change.paired) == (mean(before), mean(after), False)
    assert change.low == pytest.approx(shift - student_t_beyond(0.05, freedom) * error)
    assert change.high == pytest.approx(shift + student_t_beyond(0.05, freedom) * error)
    assert change.p == pytest.approx(2 * student_t_tails(shift / error, freedom))
    # A unit that was not there before is held against the level.
    assert sorted(each.name for each in change.units) == ["b", "x"]
    assert {each.name: each.before for each in change.units} == {"b": 910.0, "x": mean(before)}


def test_equal_values_are_known_to_a_step_in_welchs_test_too() -> None:
    change = change_of([*side("1", (900, 900)), *side("2", {"x": 1000.0, "y": 1000.0})])

    error = math.sqrt(2 * STEP**2 / 2)
    assert change.high == pytest.approx(100 + T_2 * error)


def test_a_single_unit_is_compared_by_two_campaigns_or_more() -> None:
    several = [
        session(point, "a", ms, number)
        for point, base in (("1", 900), ("2", 1000))
        for number, ms in enumerate((base, base + 1))
    ]
    (group,) = asked(several).groups

    assert [each.label for each in group.changes] == ["2"]
    (group,) = asked([*several[:2], several[2]]).groups
    assert (group.changes, len(group.untested), group.tested) == ((), 1, 1)


def test_a_level_is_all_points_since_the_last_change() -> None:
    flat = [s for p in "123" for s in side(p, (900, 910, 920))]
    shifted = [s for p in "45" for s in side(p, (990, 1000, 1010))]
    back = side("6", (900, 910, 920))

    first, second = asked([*flat, *shifted, *back]).groups[0].changes

    assert (first.since, first.label, first.before, first.after) == ("1", "4", 910, 1000)
    assert (second.since, second.label, second.before, second.after) == ("4", "6", 1000, 910)
    assert (first.worse, second.worse) == (True, False)


def test_a_median_of_a_unit_is_of_its_campaigns_by_their_cycles() -> None:
    sessions = [
        session("1", "a", 900.0, 0, n=300),
        session("1", "a", 1000.0, 1, n=100),
        session("1", "b", 1000.0, 0, n=50),
    ]
    (figure,) = asked(sessions).groups[0].points[0].figures

    medians = [925.0, 1000.0]
    half = 12.706204736174698 * stdev(medians) / math.sqrt(2)
    assert (figure.value_ms, figure.repeats, figure.n) == (mean(medians), Repeats.UNITS, 2)
    assert (figure.low_ms, figure.high_ms) == pytest.approx(
        (mean(medians) - half, mean(medians) + half)
    )
    assert (figure.p95_ms, figure.max_ms, figure.cycles) == (mean(medians) + 30, 1090.0, 450)


def test_an_interval_of_units_holds_what_their_values_share() -> None:
    sessions = [
        session("1", "a", 900.0, common=CommonTerm(3.0, 40.0)),
        session("1", "b", 900.0, common=CommonTerm(5.0, 20.0)),
    ]
    (figure,) = asked(sessions).groups[0].points[0].figures

    assert (figure.low_ms, figure.high_ms) == pytest.approx((900 - 45, 900 + 45))


def test_one_campaign_has_the_interval_of_its_cycles() -> None:
    (figure,) = asked([session("1", "a", 900.0)]).groups[0].points[0].figures

    assert (figure.repeats, figure.n) == (Repeats.CYCLES, 100)
    assert (figure.low_ms, figure.high_ms) == (898.0, 903.0)


def test_a_point_counts_campaigns_units_cycles_and_failures() -> None:
    sessions = [
        session("1", "a", 900.0, 0, failed=2, undecided=3, judged=90),
        session("1", "a", 900.0, 1, load_id=7),
        session("1", "b", 900.0, 0, load_id=7, verdict=Verdict.FAIL),
    ]
    (point,) = asked(sessions).groups[0].points

    assert (point.label, point.verdict, point.campaigns, point.units, point.cycles) == (
        "1",
        Verdict.FAIL,
        2,
        2,
        300,
    )
    assert point.failures == failure_rate(2, 290, 3)
    assert point.first_utc_ns == sessions[0].begun_utc_ns


def test_points_stand_in_order_of_their_first_campaign() -> None:
    sessions = [
        session("b", "u", 900.0, begun_utc_ns=5),
        session("a", "u", 900.0, begun_utc_ns=9),
        session("b", "u", 900.0, 1, begun_utc_ns=12),
        session("c", "u", 900.0, begun_utc_ns=1),
    ]

    assert [each.label for each in asked(sessions).groups[0].points] == ["c", "b", "a"]


def test_a_unit_carries_a_change_of_which_it_shows_half() -> None:
    sessions = [*side("1", (900,) * 8), *side("2", [1000, 1001, 1002, 1003, 1004, 1005, 1006, 930])]
    change = change_of(sessions)

    assert [each.name for each in change.units] == list("gfedc")
    assert (change.moved, change.of) == (7, 8)
    assert change.units[0] == Carrier("g", 900.0, 1006.0)


def test_failures_are_compared_by_fishers_test_of_judged_cycles() -> None:
    bad = side("2", (900, 900, 900))
    bad[2] = replace(bad[2], failed=9)
    change = change_of([*side("1", (900, 900, 900)), *bad])

    # All nine are among the later 300 of 600: two tables are so unlikely.
    p = 2 * math.comb(300, 9) / math.comb(600, 9)
    assert change.p == pytest.approx(2 * p)
    assert (change.measure, change.before, change.after) == (None, 0.0, 0.03)
    assert change.units == (Carrier("c", 0.0, 0.09),)
    assert (change.moved, change.of, change.low, change.high, change.paired) == (
        1,
        3,
        None,
        None,
        False,
    )


def test_failures_of_points_without_a_judged_cycle_are_not_compared() -> None:
    def tested(before: int, after: int) -> int:
        return (
            asked([*side("1", (900,), judged=before), *side("2", (900,), judged=after)])
            .groups[0]
            .tested
        )

    assert [tested(100, 100), tested(0, 100), tested(100, 0)] == [1, 0, 0]


def test_components_that_explain_a_tenth_of_a_change_are_named() -> None:
    before = {"much": 10.0, "tenth": 10.0, "less": 10.0, "gone": 5.0, "other way": 90.0}
    after = {"much": 60.0, "tenth": 16.0, "less": 15.9, "new": 500.0, "other way": 10.0}
    sessions = [*side("1", (900, 910, 920)), *side("2", (960, 970, 980))]
    first = {each.load_id for each in sessions[:3]}

    def components(loads: Sequence[int]) -> Mapping[int, Mapping[str, float]]:
        assert set(loads) == {each.load_id for each in sessions}
        return {load: before if load in first else after for load in loads}

    assert change_of(sessions, components).drivers == (
        Carrier("much", 10.0, 60.0),
        Carrier("tenth", 10.0, 16.0),
    )
    backwards = [*sessions[3:], *sessions[:3]]
    swapped = [
        replace(
            each,
            point="1" if each.point == "2" else "2",
            begun_utc_ns=ord("1" if each.point == "2" else "2"),
        )
        for each in backwards
    ]
    faster = change_of(swapped, components)
    assert faster.after < faster.before
    assert [each.name for each in faster.drivers] == ["much", "tenth"]


def test_five_components_are_named_and_none_of_less_than_a_millisecond() -> None:
    sessions = [*side("1", (4, 4, 4)), *side("2", (8, 8, 8))]
    first = {each.load_id for each in sessions[:3]}

    def components(loads: Sequence[int]) -> Mapping[int, Mapping[str, float]]:
        moved = {f"d{n}": 5.0 + n for n in range(6)} | {"small": 0.9, "one": 1.0}
        still = dict.fromkeys(moved, 0.0)
        return {load: still if load in first else moved for load in loads}

    assert [each.name for each in change_of(sessions, components).drivers] == [
        "d5",
        "d4",
        "d3",
        "d2",
        "d1",
    ]

    def small(loads: Sequence[int]) -> Mapping[int, Mapping[str, float]]:
        return {
            load: dict.fromkeys(("small", "one"), 0.0)
            if load in first
            else {"small": 0.9, "one": 1.0}
            for load in loads
        }

    assert [each.name for each in change_of(sessions, small).drivers] == ["one"]


def test_a_cell_holds_what_a_unit_did_at_a_point_the_newest_report_first() -> None:
    sessions = [
        session("1", "a", 900.0, 0, failed=1, report="old.html", n=300),
        session("1", "a", 1000.0, 1, report="new.html", verdict=Verdict.MARGINAL),
        session("1", "a", 1000.0, 2, report="new.html", load_id=5),
        session("2", "a", 900.0, 0, verdict=Verdict.FAIL),
        session("1", "b", 900.0, 0, times={}),
    ]
    first, second = asked(sessions).groups[0].units

    assert (first.name, first.verdict, second.name) == ("a", Verdict.FAIL, "b")
    cell = first.cells["1"]
    assert (cell.verdict, cell.campaigns, cell.judged, cell.failed) == (Verdict.MARGINAL, 3, 500, 1)
    assert cell.median_ms == pytest.approx((300 * 900 + 200 * 1000) / 500)
    assert cell.reports == ("new.html", "old.html")
    assert second.cells["1"].median_ms is None


def test_the_answer_names_three_products_the_worse_first() -> None:
    def product(name: str, shift: float) -> tuple[tuple[str, str], list[TrendSession]]:
        return (name, "S3"), [
            *side("1", (900, 910, 920)),
            *side("2", [v + shift for v in (900, 910, 920)]),
        ]

    def answer(*shifts: float) -> Trend:
        return trend_of(
            dict(product(f"p{i}", shift) for i, shift in enumerate(shifts)),
            TrendBy.BIOS,
            ("resume_ms",),
            "x",
            lambda _: {},
        )

    assert answer(60, 0).why == "first worse build: 2 of p0"
    assert [group.traits[Trait.PRODUCT] for group in answer(0, 60).groups] == ["p1", "p0"]
    assert answer(60, 60, 60).why == "first worse build: 2 of p0, 2 of p1, 2 of p2"
    assert answer(60, 60, 60, 60, 60).why.endswith("2 of p2 and 2 more")
    assert (answer(0, 0).verdict, answer(0, 0).why) == (
        Verdict.PASS,
        "no build is worse than those before it, in 4 comparisons",
    )
    nameless = trend_of(
        {
            ("", "S3"): [
                *side("1", (900, 910, 920)),
                *(replace(s, point="") for s in side("2", (990, 1000, 1010))),
            ]
        },
        TrendBy.WEEK,
        ("resume_ms",),
        "x",
        lambda _: {},
    )
    assert nameless.why == "first worse week: no name of no product"
