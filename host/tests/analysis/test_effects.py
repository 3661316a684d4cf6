"""What became of times and counts, against figures worked out by hand, and the answer's words.

It asks the functions behind `compare` one by one, where exact figures are known: Student's t of 4
and 2 degrees of freedom has a closed form, and Fisher's test is counted out in fractions.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from resume_rig.analysis.compare.comparison import Found, Question, answer_of, share_of
from resume_rig.analysis.compare.effects import (
    Count,
    failures_of,
    family_of,
    newly_failed,
    over_limits_of,
    slow_cycles_of,
    times_of,
)
from resume_rig.analysis.compare.samples import Evidence
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.comparison import (
    Answer,
    Change,
    Effect,
    FailureEffect,
    OverLimit,
    SlowCycles,
    Unit,
)
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.verdict import Comparison, Limit, Verdict

T_4 = 2.7764451051977934  # the 97.5 % quantile of Student's t with 4 degrees of freedom, of tables
MS = 1_000_000


def p_of_4(t: float) -> float:
    """Return the two-sided tail of Student's t with 4 degrees of freedom, in closed form."""
    return 1 - t * (t * t + 6) / (t * t + 4) ** 1.5


def fisher(a: int, n: int, b: int, m: int) -> float:
    """Return Fisher's two-sided p, every table counted out in whole numbers."""
    k = a + b
    weights = {
        i: math.comb(n, i) * math.comb(m, k - i) for i in range(max(0, k - m), min(k, n) + 1)
    }
    return float(
        Fraction(sum(w for w in weights.values() if w <= weights[a]), sum(weights.values()))
    )


def sided(base, candidate, shared_ms=None, name="resume_ms"):
    """Return a time whose sessions hold each of these figures four times."""
    return times_of(
        [{name: [value] * 4} for value in base],
        [{name: [value] * 4} for value in candidate],
        shared_ms,
    )


def by_session(times, counts=(), matters=0.05):
    return family_of(times, counts, Unit.SESSION, alpha=0.05, matters=matters)


def test_sessions_are_compared_by_students_t_of_their_medians() -> None:
    ((effect,), ()) = by_session(sided([900, 910, 920], [960, 950, 955]))

    sd = math.sqrt((200 + 50) / 4)
    reach = T_4 * sd * math.sqrt(2 / 3)
    assert (effect.base_median_ms, effect.candidate_median_ms, effect.shift_ms) == (910, 955, 45)
    assert (effect.base_n, effect.candidate_n) == (12, 12)
    assert (effect.base_sessions, effect.candidate_sessions) == (3, 3)
    assert effect.session_sd_ms == pytest.approx(sd)
    # Half a step of the 1 ms in which an OS reports is added at either end.
    assert effect.low_ms == pytest.approx(45 - reach - 0.5)
    assert effect.high_ms == pytest.approx(45 + reach + 0.5)
    assert effect.p == effect.p_adjusted == pytest.approx(p_of_4(45 / (sd * math.sqrt(2 / 3))))
    assert effect.mean_ratio == pytest.approx(955 / 910)
    assert (effect.matters_ms, effect.change, effect.headline) == (45.5, Change.SLOWER, True)


def test_errors_that_all_cycles_share_widen_the_interval_and_weaken_the_proof() -> None:
    ((alone,), ()) = by_session(sided([900, 910, 920], [960, 950, 955]))
    ((effect,), ()) = by_session(sided([900, 910, 920], [960, 950, 955], {"resume_ms": 20.0}))
    ((less,), ()) = by_session(sided([900, 910, 920], [905, 915, 910], {"resume_ms": 20.0}))
    ((faster,), ()) = by_session(sided([960, 950, 955], [900, 910, 920], {"resume_ms": 20.0}))

    error = alone.session_sd_ms * math.sqrt(2 / 3)
    assert (effect.shift_ms, effect.shared_ms) == (45, 20)
    assert effect.low_ms == pytest.approx(alone.low_ms - 20)
    assert effect.high_ms == pytest.approx(alone.high_ms + 20)
    assert effect.detectable_ms == pytest.approx(alone.detectable_ms + 20)
    assert effect.p == pytest.approx(p_of_4(25 / error))
    assert less.p == 1.0  # a shift within what is shared is none
    assert faster.p == pytest.approx(effect.p)
    assert faster.change is Change.FASTER


def test_a_time_is_known_no_better_than_the_steps_it_is_reported_in() -> None:
    (os, wires), _ = by_session(
        [*sided([900] * 3, [901] * 3), *sided([900] * 3, [901] * 3, name="press_to_light_ns")]
    )

    assert os.session_sd_ms == pytest.approx(1 / math.sqrt(12))
    assert wires.session_sd_ms == pytest.approx(0.001 / math.sqrt(12))
    assert wires.high_ms - wires.low_ms < 0.01
    assert os.high_ms - os.low_ms > 1.0
    assert os.matters_ms == 45
    ((tiny,), ()) = by_session(sided([4] * 3, [5] * 3))
    assert tiny.matters_ms == 1.0  # what is less than a step cannot matter


def test_a_slow_down_whose_interval_stays_below_what_matters_is_slight() -> None:
    ((slight,), ()) = by_session(sided([900, 901, 902], [911, 910, 912]))
    ((matters,), ()) = by_session(sided([900, 901, 902], [911, 910, 912]), matters=0.01)

    assert (slight.change, matters.change) == (Change.SLIGHTLY_SLOWER, Change.SLOWER)


def test_one_session_of_a_side_is_too_few_to_say_more_than_a_shift() -> None:
    times = times_of([{"resume_ms": [900.0] * 4}], [{"resume_ms": [950.0] * 4}])

    ((effect,), ()) = by_session(times)

    assert (effect.change, effect.shift_ms, effect.low_ms, effect.p) == (
        Change.TOO_FEW,
        50,
        None,
        1,
    )
    assert (effect.detectable_ms, effect.powerful) == (None, False)


def test_by_cycles_less_than_three_values_are_too_few() -> None:
    def effect(n: int, m: int) -> Effect:
        times = times_of([{"resume_ms": [900.0] * n}], [{"resume_ms": [901.0] * m}])
        return family_of(times, [], Unit.CYCLE, alpha=0.05, matters=0.05)[0][0]

    assert [effect(*each).change for each in ((2, 9), (9, 2), (3, 3), (40, 40))] == [
        Change.TOO_FEW,
        Change.TOO_FEW,
        Change.NOT_SHOWN,
        Change.SLIGHTLY_SLOWER,
    ]
    few = effect(2, 9)
    # The same cycles of both are compared.
    assert (few.base_n, few.candidate_n, few.shift_ms, few.p_adjusted) == (2, 2, 1.0, 1.0)
    assert (few.low_ms, few.detectable_ms) == (None, None)
    # Of three there is an answer, and it is worth less than that of four.
    three, four = effect(3, 3), effect(4, 4)
    assert three.detectable_ms > four.detectable_ms > 0
    assert three.high_ms - three.low_ms > four.high_ms - four.low_ms


def test_counts_of_one_session_a_side_are_fishers_and_adjusted_together_with_the_times() -> None:
    flags = [
        np.array([i % 10 == 5 for i in range(60)], float),
        np.array([i % 3 == 1 for i in range(60)], float),
    ]
    times = times_of([{"resume_ms": [900.0] * 9}], [{"resume_ms": [900.0] * 9}])

    _, (alone,) = family_of(
        [], [Count((flags[0],), (flags[1],))], Unit.CYCLE, alpha=0.05, matters=0.05
    )
    _, (more,) = family_of(
        times, [Count((flags[0],), (flags[1],))], Unit.CYCLE, alpha=0.05, matters=0.05
    )
    _, (fewer,) = family_of(
        [], [Count((flags[1],), (flags[0],))], Unit.CYCLE, alpha=0.05, matters=0.05
    )
    _, (none,) = family_of(
        [], [Count((flags[0],), (flags[0],))], Unit.CYCLE, alpha=0.05, matters=0.05
    )

    assert (alone.base_failed, alone.base_n, alone.candidate_failed, alone.candidate_n) == (
        6,
        60,
        20,
        60,
    )
    assert alone.p == alone.p_adjusted == pytest.approx(fisher(6, 60, 20, 60))
    assert (more.p, more.p_adjusted) == pytest.approx((alone.p, 2 * alone.p))
    assert (alone.more, fewer.more, none.more) == (True, False, False)


def test_counts_of_several_sessions_are_compared_by_their_shares() -> None:
    def shares(*failed: int):
        return tuple(np.array([1.0] * k + [0.0] * (20 - k)) for k in failed)

    _, (found,) = by_session([], [Count(shares(0, 1, 2), (*shares(12, 10, 11), np.zeros(0)))])

    sd = 0.05
    chance = math.sqrt(0.3 * 0.7 * 6 / 120)  # scatter of a share by chance alone, the greater one
    assert chance > sd
    assert found.p == pytest.approx(p_of_4(0.5 / (chance * math.sqrt(2 / 3))))
    assert (
        found.base_failed,
        found.base_n,
        found.candidate_failed,
        found.candidate_n,
        found.more,
    ) == (3, 60, 33, 60, True)


def test_times_are_those_that_both_sides_have() -> None:
    found = times_of(
        [{"a": [1.0] * 9, "b": [2.0] * 9, "c": []}, {}],
        [{"b": [3.0] * 9, "c": [1.0], "d": [4.0]}],
        {"b": 7.0},
    )

    (only,) = found
    assert (only.name, only.shared_ms) == ("b", 7.0)
    assert [len(each) for each in (*only.base, *only.candidate)] == [9, 0, 9]


def evidence(**fields) -> Evidence:
    return Evidence("x", {}, {}, (), **fields)


def test_failures_are_counted_where_both_sides_know_of_them() -> None:
    knows, log = evidence(failed=(True, False)), evidence()

    assert failures_of([knows], [log]) is None
    assert failures_of([log], [knows]) is None
    assert failures_of([evidence(failed=())], [knows]) is None
    found = failures_of([log, knows], [knows])
    assert [each.tolist() for each in found.base] == [[], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("spread", "matters", "above"),
    [
        (0.0, 0.05, 1000 + 50.0),  # what matters
        (0.0, 0.0, 1000 + 1.0),  # a step of the OS
        (20.0, 0.01, 1000 + 3.5 * 1.4826 * 20.0),  # an outlier
    ],
)
def test_slow_is_beyond_an_outlier_a_step_and_what_matters(
    spread: float, matters: float, above: float
) -> None:
    body = [1000 - spread, 1000 + spread] * 10
    at = times_of([{"resume_ms": [*body, above]}], [{"resume_ms": [*body, 1000.0, 1000.0]}])
    beyond = times_of(
        [{"resume_ms": [*body, above + 1e-6]}], [{"resume_ms": [*body, 1000.0, 1000.0]}]
    )

    assert slow_cycles_of(at, matters) == []
    ((name, limit, count),) = slow_cycles_of(beyond, matters)
    assert (name, limit) == ("resume_ms", pytest.approx(above))
    assert (count.base[0].sum(), count.candidate[0].sum(), len(count.base[0])) == (1, 0, 21)


def test_slow_cycles_are_looked_for_in_headline_times_of_twenty_values_a_side() -> None:
    def slow(name: str, n: int) -> bool:
        values = [*[900.0] * (n - 1), 3000.0]
        return slow_cycles_of(times_of([{name: values}], [{name: [900.0] * 40}]), 0.05) != []

    assert [slow("resume_ms", n) for n in (19, 20)] == [False, True]
    assert not slow("bios_init_ms", 40)


def limit(ms: int = 2000, **more) -> Limit:
    return Limit("resume_ms", Comparison.AT_MOST, ms * MS, "ms", **more)


def judged(limit: Limit, failed: int, n: int) -> LimitJudgement:
    return LimitJudgement(limit, Verdict.PASS, n, failed, 0, 0, None, None, None, None, "")


def test_what_is_over_each_required_limit_is_counted_over_sessions() -> None:
    advised = limit(1000, required=False)
    base = [
        evidence(limits=(judged(limit(), 1, 30), judged(advised, 9, 9), judged(limit(5), 0, 0)))
    ]
    candidate = [
        evidence(limits=(judged(limit(), 2, 10),)),
        evidence(limits=(judged(limit(), 3, 20),)),
    ]

    (over,) = over_limits_of(base, candidate)
    (only,) = over_limits_of([evidence()], candidate)

    assert (over.limit, over.base_over, over.base_n) == (limit(), 1, 30)
    assert (over.candidate_over, over.candidate_n) == (5, 30)
    # Clopper and Pearson: at the bound, so few or fewer have a chance of 5 %.
    q = over.base_upper
    assert (1 - q) ** 30 + 30 * q * (1 - q) ** 29 == pytest.approx(0.05)
    assert over.candidate_upper > q
    assert (only.base_n, only.base_upper) == (0, None)


def over(a: int, n: int, b: int, m: int) -> OverLimit:
    return OverLimit(limit(), a, n, None, b, m, None)


@pytest.mark.parametrize(
    ("base", "candidate", "counts", "named"),
    [
        (Verdict.PASS, Verdict.FAIL, [over(0, 60, 20, 60)], True),
        (Verdict.MARGINAL, Verdict.FAIL, [over(0, 60, 20, 60)], True),
        (Verdict.FAIL, Verdict.FAIL, [over(0, 60, 20, 60)], False),
        (Verdict.NO_EVIDENCE, Verdict.FAIL, [over(0, 60, 20, 60)], False),
        (Verdict.PASS, Verdict.MARGINAL, [over(0, 60, 20, 60)], False),
        (Verdict.PASS, Verdict.FAIL, [over(20, 60, 0, 60)], False),
        (Verdict.PASS, Verdict.FAIL, [over(0, 0, 20, 60)], False),
        (Verdict.PASS, Verdict.FAIL, [over(1, 60, 0, 0)], False),
        # More failures, and a smaller share.
        (Verdict.PASS, Verdict.FAIL, [over(20, 60, 40, 600)], False),
        # Fewer failures, and a greater share.
        (Verdict.PASS, Verdict.FAIL, [over(12, 600, 10, 60)], True),
        # Beyond chance alone, and not among several limits.
        (Verdict.PASS, Verdict.FAIL, [over(0, 60, 6, 60)], True),
        (Verdict.PASS, Verdict.FAIL, [over(0, 60, 6, 60), over(0, 60, 0, 60)], False),
    ],
)
def test_a_limit_is_newly_failed_where_the_candidate_exceeds_it_beyond_chance(
    base: Verdict, candidate: Verdict, counts: list[OverLimit], named: bool
) -> None:
    if counts[0].base_n and counts[0].candidate_n:
        p = fisher(
            *(
                getattr(counts[0], f)
                for f in ("base_over", "base_n", "candidate_over", "candidate_n")
            )
        )
        assert (p * len(counts) <= 0.05) or not named

    assert newly_failed(base, candidate, counts, 0.05) == (counts[:1] if named else [])


EFFECT = Effect(
    name="resume_ms",
    base_n=30,
    candidate_n=20,
    base_median_ms=1000.0,
    candidate_median_ms=1000.0,
    shift_ms=0.0,
    low_ms=-1.0,
    high_ms=1.0,
    mean_ratio=1.0,
    p=1.0,
    p_adjusted=1.0,
    detectable_ms=50.0,
    matters_ms=50.0,
    change=Change.NOT_SHOWN,
    headline=True,
    session_sd_ms=40.0,
)
FOUND = Found(
    question=Question(),
    unit=Unit.SESSION,
    kind=SleepKind.S3,
    effects=[EFFECT],
    failures=None,
    slow=[],
    gone=[],
    newly_failed=[],
    tests=1,
)
BY_CYCLE = replace(FOUND, unit=Unit.CYCLE)
SLOWER = replace(EFFECT, change=Change.SLOWER, shift_ms=120.0)
WORSE = FailureEffect(1, 60, 9, 50, 0.05, 0.05, more=True)


@pytest.mark.parametrize(
    ("found", "answer", "why"),
    [
        (
            FOUND,
            Answer.NO_REGRESSION,
            (
                "No slow-down is shown, and the smallest that would have been, with a "
                "probability of 80 %, is 50 ms (5 %) of total resume time."
            ),
        ),
        (
            replace(BY_CYCLE),
            Answer.NO_REGRESSION,
            (
                "No slow-down is shown, and the smallest that would have been, with a "
                "probability of 80 %, is 50 ms (5 %) of total resume time. This holds for "
                "these two sessions; how sessions scatter is not known."
            ),
        ),
        (
            replace(BY_CYCLE, question=Question(one_session_is_enough=True)),
            Answer.NO_REGRESSION,
            (
                "No slow-down is shown, and the smallest that would have been, with a "
                "probability of 80 %, is 50 ms (5 %) of total resume time."
            ),
        ),
        (
            replace(FOUND, effects=[SLOWER]),
            Answer.REGRESSION,
            ("Worse, beyond chance: total resume time +120.0 ms (+12.0 %)."),
        ),
        (
            replace(FOUND, failures=WORSE),
            Answer.REGRESSION,
            ("Worse, beyond chance: failed cycles 9 of 50 instead of 1 of 60."),
        ),
        (
            replace(FOUND, slow=[SlowCycles("resume_ms", 1499.6, WORSE)]),
            Answer.REGRESSION,
            (
                "Worse, beyond chance: cycles with total resume time above 1500 ms 9 of"
                " 50 instead of 1 of 60."
            ),
        ),
        (
            replace(BY_CYCLE, effects=[SLOWER]),
            Answer.SESSIONS_DIFFER,
            (
                "These two sessions differ: total resume time +120.0 ms (+12.0 %). One "
                "session a side cannot separate a build from a day: measure each in 5 "
                "sessions or more, in turn, or say --one-session-is-enough."
            ),
        ),
        (
            replace(BY_CYCLE, effects=[SLOWER], question=Question(one_session_is_enough=True)),
            Answer.REGRESSION,
            ("Worse, beyond chance: total resume time +120.0 ms (+12.0 %)."),
        ),
        (
            replace(
                BY_CYCLE,
                effects=[SLOWER],
                newly_failed=[over(0, 60, 20, 61)],
                question=Question(requirement="ours"),
            ),
            Answer.REQUIREMENT_FAILED,
            (
                "The candidate fails ours, the base does not: total resume time at most"
                " 2000 ms is not met in 20 of 61 instead of 0 of 60. Between these "
                "sessions: total resume time +120.0 ms (+12.0 %)."
            ),
        ),
        (
            replace(FOUND, newly_failed=[over(0, 60, 20, 61)]),
            Answer.REQUIREMENT_FAILED,
            (
                "The candidate fails its requirement, the base does not: total resume "
                "time at most 2000 ms is not met in 20 of 61 instead of 0 of 60."
            ),
        ),
        (
            replace(FOUND, kind=None),
            Answer.NO_EVIDENCE,
            ("There is no kind of sleep of which both have a time."),
        ),
        (
            replace(FOUND, effects=[]),
            Answer.NO_EVIDENCE,
            ("There is no kind of sleep of which both have a time."),
        ),
        (
            replace(FOUND, gone=["bios_init_ms"]),
            Answer.NO_EVIDENCE,
            (
                "No slow-down is shown, but the base has BIOS initialization, and the "
                "candidate has none."
            ),
        ),
        (
            replace(
                FOUND,
                effects=[
                    replace(EFFECT, detectable_ms=50.1, base_sessions=4, candidate_sessions=3)
                ],
            ),
            Answer.NO_EVIDENCE,
            (
                "No slow-down that matters is shown, but total resume time has too few "
                "sessions (4 and 3) to show one of 5 %: they scatter by 40 ms (4 %) and"
                " would show 50.1 ms (5 %); it takes about 12 sessions each."
            ),
        ),
        (
            replace(FOUND, effects=[replace(EFFECT, detectable_ms=None)]),
            Answer.NO_EVIDENCE,
            (
                "No slow-down that matters is shown, but total resume time has too few "
                "sessions (1 and 1) to show one of 5 %: it takes 3 of both sides "
                "together to show any."
            ),
        ),
        (
            replace(FOUND, effects=[replace(EFFECT, detectable_ms=9000.0, session_sd_ms=9000.0)]),
            Answer.NO_EVIDENCE,
            (
                "No slow-down that matters is shown, but total resume time has too few "
                "sessions (1 and 1) to show one of 5 %: they scatter by 9e+03 ms (9e+02"
                " %) and would show 9e+03 ms (9e+02 %); it takes more than 1000 "
                "sessions each."
            ),
        ),
        (
            replace(BY_CYCLE, effects=[replace(EFFECT, detectable_ms=100.0)]),
            Answer.NO_EVIDENCE,
            (
                "No slow-down that matters is shown, but total resume time has too few "
                "cycles (30 and 20) to show one of 5 %: they would show 100 ms (10 %); "
                "it takes about 81 cycles each."
            ),
        ),
        (
            replace(
                BY_CYCLE, effects=[replace(EFFECT, detectable_ms=None, base_n=3, candidate_n=9)]
            ),
            Answer.NO_EVIDENCE,
            (
                "No slow-down that matters is shown, but total resume time has too few "
                "cycles (3 and 9) to show one of 5 %: 3 values cannot show any."
            ),
        ),
        # A time that is no headline needs no power, where there is one that is.
        (
            replace(
                FOUND,
                effects=[
                    replace(EFFECT, name="wake_ms", headline=False, detectable_ms=None),
                    EFFECT,
                ],
            ),
            Answer.NO_REGRESSION,
            (
                "No slow-down is shown, and the smallest that would have been, with a "
                "probability of 80 %, is 50 ms (5 %) of total resume time."
            ),
        ),
        (
            replace(FOUND, effects=[replace(EFFECT, headline=False, detectable_ms=60.0)]),
            Answer.NO_EVIDENCE,
            (
                "No slow-down that matters is shown, but total resume time has too few "
                "sessions (1 and 1) to show one of 5 %: they scatter by 40 ms (4 %) and"
                " would show 60 ms (6 %); it takes about 12 sessions each."
            ),
        ),
        (
            replace(
                FOUND,
                effects=[
                    EFFECT,
                    replace(
                        EFFECT,
                        name="bios_init_ms",
                        change=Change.SLIGHTLY_SLOWER,
                        shift_ms=9.0,
                        detectable_ms=20.0,
                    ),
                    replace(EFFECT, change=Change.SLIGHTLY_SLOWER, shift_ms=8.0),
                ],
            ),
            Answer.NO_REGRESSION,
            (
                "No slow-down that matters is shown (the most is BIOS initialization "
                "+9.0 ms), and the smallest that would have been, with a probability of "
                "80 %, is 50 ms (5 %) of total resume time, 20 ms (2 %) of BIOS "
                "initialization, 50 ms (5 %) of total resume time."
            ),
        ),
    ],
)
def test_the_answer_follows_from_what_was_found_and_says_why(
    found: Found, answer: Answer, why: str
) -> None:
    assert answer_of(found) == (answer, why)


@pytest.mark.parametrize("counts", [replace(WORSE, more=False), replace(WORSE, p_adjusted=0.0501)])
def test_counts_that_are_not_higher_beyond_chance_are_no_regression(counts: FailureEffect) -> None:
    assert answer_of(replace(FOUND, failures=counts))[0] is Answer.NO_REGRESSION


def test_five_times_are_named_the_greatest_share_first() -> None:
    effects = [replace(SLOWER, shift_ms=100.0 + n, base_median_ms=1000.0) for n in range(7)]
    small = replace(SLOWER, name="bios_init_ms", base_median_ms=100.0, shift_ms=50.0)

    why = answer_of(replace(FOUND, effects=[*effects, small]))[1]

    assert why.startswith("Worse, beyond chance: BIOS initialization +50.0 ms (+50.0 %), total")
    assert why.count("total resume time") == 4
    assert why.endswith("+103.0 ms (+10.3 %), 3 more times.")
    assert answer_of(replace(FOUND, effects=effects[:6]))[1].endswith(", 1 more time.")
    assert "more time" not in answer_of(replace(FOUND, effects=effects[:5]))[1]
    assert share_of(replace(SLOWER, base_median_ms=0.0, shift_ms=1.0)) > 1e8


T_22 = 2.0738730679040147  # likewise, with 22 degrees of freedom


def by_cycle(base, candidate, shared_ms=0.0, **more) -> Effect:
    times = times_of([{"resume_ms": base}], [{"resume_ms": candidate}], {"resume_ms": shared_ms})
    options = {"alpha": 0.05, "matters": 0.05} | more
    return family_of(times, [], Unit.CYCLE, **options)[0][0]


@pytest.mark.parametrize("shared_ms", [0.0, 0.75])
def test_cycles_are_compared_by_yuens_test_of_their_middle(shared_ms: float) -> None:
    effect = by_cycle([900.0] * 20, [902.0] * 20, shared_ms)

    # 12 of 20 values are left, and equal ones are known to a step / sqrt(12).
    error = math.sqrt(2 * (1 / 12) / (0.6**2 * 20))
    assert (effect.base_n, effect.candidate_n, effect.warm_up) == (20, 20, 0)
    assert effect.effective_n == (20.0, 20.0)
    assert (effect.shift_ms, effect.shared_ms) == (2.0, shared_ms)
    assert effect.low_ms == pytest.approx(2 - T_22 * error - 0.5 - shared_ms)
    assert effect.high_ms == pytest.approx(2 + T_22 * error + 0.5 + shared_ms)
    assert effect.mean_ratio == pytest.approx(902 / 900)
    assert effect.change is Change.SLIGHTLY_SLOWER
    narrower = by_cycle([900.0] * 20, [902.0 - shared_ms] * 20)
    assert effect.p == pytest.approx(narrower.p)
    assert effect.detectable_ms == pytest.approx(narrower.detectable_ms + shared_ms)


def test_what_is_detectable_takes_the_whole_family_into_account() -> None:
    flags = (np.array([0.0, 1.0] * 10),)
    times = times_of([{"resume_ms": [900.0] * 20}], [{"resume_ms": [900.0] * 20}])

    (alone,), _ = family_of(times, [], Unit.CYCLE, alpha=0.05, matters=0.05)
    (two,), _ = family_of(times, [Count(flags, flags)], Unit.CYCLE, alpha=0.05, matters=0.05)
    (half,), _ = family_of(times, [], Unit.CYCLE, alpha=0.025, matters=0.05)

    assert alone.detectable_ms < two.detectable_ms == half.detectable_ms


def test_a_base_of_no_length_has_no_ratio() -> None:
    assert by_cycle([0.0] * 9, [1.0] * 9).mean_ratio is None
    assert by_cycle([1.0] * 9, [0.0] * 9).mean_ratio == 0.0


@pytest.mark.parametrize(("alpha", "change"), [(0.05, Change.FASTER), (1e-13, Change.NOT_SHOWN)])
def test_what_chance_may_have_made_is_not_shown(alpha: float, change: Change) -> None:
    assert by_cycle([902.0] * 20, [900.0] * 20, alpha=alpha).change is change


def test_a_slow_down_that_reaches_what_matters_is_no_slight_one() -> None:
    high = by_cycle([900.0] * 20, [902.0] * 20).high_ms

    assert by_cycle([900.0] * 20, [902.0] * 20, matters=high / 900).change is Change.SLOWER
    assert (
        by_cycle([900.0] * 20, [902.0] * 20, matters=(high + 1e-6) / 900).change
        is Change.SLIGHTLY_SLOWER
    )


def test_failures_that_come_in_rows_are_worth_fewer_cycles() -> None:
    spread = np.array([i % 6 == 3 for i in range(60)], float)
    rows = np.sort(spread)

    def p(flags) -> float:
        return family_of(
            [], [Count((np.zeros(60),), (flags,))], Unit.CYCLE, alpha=0.05, matters=0.05
        )[1][0].p

    assert p(spread) == pytest.approx(fisher(0, 60, 10, 60))
    assert p(rows) > 0.2
    assert p(np.zeros(60)) == 1.0


def test_the_sessions_that_it_takes_are_for_the_whole_family() -> None:
    weak = replace(EFFECT, detectable_ms=60.0)

    few, many = (
        int(answer_of(replace(FOUND, effects=[weak], tests=n))[1].split()[-3]) for n in (1, 20)
    )

    assert few < many
