"""What a record near a cycle is worth, held against the same sums done one pair at a time."""

import math
import statistics
from dataclasses import replace
from itertools import pairwise

import numpy as np
import plain_match
import pytest
from plain_match import cycles_at, entries_at

from resume_rig.analysis.match.likelihood import (
    IMPOSSIBLE,
    NEVER,
    STEPS_PER_CYCLE,
    Gains,
    Length,
    Noise,
    by_chance,
    expected,
    gains,
    gains_of_late,
    gains_without_lag,
    learnt,
    log_sum,
    lost_cost,
    near,
    parts_of,
    reach_of,
)
from resume_rig.analysis.match.times import UNKNOWN, bits_of
from resume_rig.model.os_record import SleepKind

KINDS = np.array([bits_of([kind]) for kind in (SleepKind.S3, SleepKind.S4, SleepKind.FAST_STARTUP)])
AWAKE = Length(to_sleep=False, bias_s=-0.4, scale_s=0.02, range_s=12.0)
TO_SLEEP = Length(to_sleep=True, bias_s=0.1, scale_s=0.01, range_s=3.0)
WIDE = Noise(half_s=0.8, lost=0.2, others_hz=1 / 600, asleep_bias_s=0.3)
NARROW = Noise(
    half_s=0.2, lost=0.05, asleep_bias_s=-0.5, image_bias_s=6.0, image_half_s=2.5, usual_lag=1,
    late=0.07, length=AWAKE,
)  # fmt: skip
NOISES = {
    "as assumed": Noise(),
    "wide": WIDE,
    "narrow": NARROW,
    "steady images": replace(NARROW, image_half_s=0.4, length=TO_SLEEP, usual_lag=0),
}


def some(n: int, seed: int, *, readings: int = 0, stated_pair=None):
    """Return cycles 20 s from each other, records about each, and where the clock stood."""
    random = np.random.default_rng(seed)
    at_s = 20.0 * np.arange(n)

    def gaps(values):
        return np.where(random.random(n) < 0.2, np.nan, values)

    awake_s, to_sleep_s, asleep_s = (random.uniform(5, 9, n) for _ in range(3))
    kind = random.choice(KINDS, n)
    reading = np.sort(random.integers(0, readings + 1, n)).astype(np.int32)
    cycles = cycles_at(
        at_s, asleep_s=gaps(asleep_s), unlike=random.choice([0, *KINDS.tolist()], n),
        reading=reading, readings=readings, information=random.uniform(0.01, 1, n),
        stated_pair=stated_pair, silent=random.choice([0.0, 0.5, 0.95], n),
        awake_s=gaps(awake_s), to_sleep_s=gaps(to_sleep_s), index=np.arange(n) + 3,
    )  # fmt: skip
    came = reading + random.integers(-1, 4, n)
    error_s = random.uniform(-1.4, 1.4, n)
    entries = entries_at(
        at_s + error_s, half_s=random.choice([0.0, 0.0, 1.0, 1.8], n), kind=kind,
        asleep_s=gaps(asleep_s + random.uniform(-3, 3, n) + np.where(kind > 2, 5.0, 0.0)),
        reading=np.where((random.random(n) < 0.2) | (readings == 0), UNKNOWN, came),
        log_weight=random.choice([0.0, math.log(0.15), math.log(0.05)], n),
        awake_s=gaps(awake_s + random.normal(-0.4, 0.03, n)),
        took_s=gaps(to_sleep_s + random.normal(0.1, 0.02, n)), record=np.arange(n) + 5,
    )  # fmt: skip
    return cycles, entries, random.uniform(-0.2, 0.2, n)


@pytest.mark.parametrize("stated_pair", [None, (11, 13), (11, 14)])
@pytest.mark.parametrize("readings", [0, 60])
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_a_pair_is_worth_what_its_times_say(noise, readings, stated_pair) -> None:
    n = 120
    cycles, entries, offset_s = some(n, 1, readings=readings, stated_pair=stated_pair)
    rows = np.arange(n)[::-1]

    found = gains(cycles, entries, rows, offset_s, noise)
    plain = gains_without_lag(cycles, entries, rows, offset_s, noise)

    expected_pairs = []
    for at, row in enumerate(rows.tolist()):
        predicted_s = cycles.at_s[row] + offset_s[at]
        own_half_s = noise.half_s + 0.3 * (1 - cycles.information[row])
        for entry in range(n):
            error_s = entries.at_s[entry] - predicted_s
            half_s = max(entries.half_s[entry], own_half_s)
            if abs(error_s) > 1.6 * max(half_s, 0.55):
                continue
            likely = plain_match.density(error_s, half_s, cycles.information[row])
            worth = plain_match.worth(cycles, entries, row, entry, noise, likely=likely)
            lag = plain_match.lag_of(cycles, entries, row, entry)
            late = plain_match.lag_gain(lag, noise.usual_lag, noise.late) if lag >= 0 else 0.0
            expected_pairs.append((at, entry, error_s, lag, worth, worth + late))
    of, entry, error_s, lag, worth, with_lag = zip(*expected_pairs, strict=True)
    assert (found.of.tolist(), found.entry.tolist()) == (list(of), list(entry))
    assert found.residual_s == pytest.approx(error_s, abs=1e-9)
    assert plain.gain == pytest.approx(worth, abs=1e-9)
    assert found.gain == pytest.approx(with_lag, abs=1e-9)
    assert np.maximum(found.lag, UNKNOWN).tolist() == np.maximum(lag, UNKNOWN).tolist()


@pytest.mark.parametrize("readings", [0, 60])
@pytest.mark.parametrize("noise", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_wake_may_come_late_to_its_os_by_as_much_as_it_slept_longer(noise, readings) -> None:
    n = 80
    cycles, entries, offset_s = some(n, 2, readings=readings)
    entries = replace(entries, at_s=entries.at_s + np.tile([0.0, 4.0, 8.0, 11.0], n // 4))
    rows = np.arange(n)

    found = gains_of_late(cycles, entries, rows, offset_s, noise)

    expected_pairs = []
    for row in range(n):
        for entry in range(n):
            error_s = entries.at_s[entry] - cycles.at_s[row] - offset_s[row]
            if abs(error_s) > 10:
                continue
            half_s = max(entries.half_s[entry], noise.half_s)
            likely = plain_match.density(error_s, half_s, cycles.information[row])
            if error_s > 0:
                likely += 0.01 / 3 * math.exp(-error_s / 3)
            late_s = max(error_s, 0.0)
            worth = plain_match.worth(
                cycles, entries, row, entry, noise, likely=likely, late_s=late_s
            )
            lag = plain_match.lag_of(cycles, entries, row, entry)
            if lag >= 0:
                worth += plain_match.lag_gain(lag, noise.usual_lag, noise.late)
            expected_pairs.append((row, entry, error_s, lag, worth))
    of, entry, error_s, lag, worth = zip(*expected_pairs, strict=True)
    assert (found.of.tolist(), found.entry.tolist()) == (list(of), list(entry))
    assert found.residual_s == pytest.approx(error_s, abs=1e-9)
    some_gain, of_plain = np.maximum(found.gain, -600.0), np.maximum(worth, -600.0)
    assert some_gain == pytest.approx(of_plain, abs=1e-9)


def test_a_wake_that_comes_to_the_second_is_not_late() -> None:
    found = gains_of_late(
        cycles_at([0.0]), entries_at([0.0]), np.array([0]), np.zeros(1), replace(WIDE, half_s=0.8)
    )

    assert found.gain.tolist() == pytest.approx([math.log(0.5516 / 0.8 * 600 * 0.8)])


LIMIT_S = 1.6 * 0.8


@pytest.mark.parametrize(
    ("at_s", "half_s", "is_near"),
    [
        (1.0, 0.8, True),
        (LIMIT_S, 0.8, True),
        (np.nextafter(LIMIT_S, 2), 0.8, False),
        (-LIMIT_S, 0.8, True),
        # However little the others vary, the RTC of a measured wake is read to half a second.
        (1.6 * 0.55, 0.2, True),
        (np.nextafter(1.6 * 0.55, 2), 0.2, False),
    ],
)
@pytest.mark.parametrize("guessed_half_s", [0.0, 8.0])
def test_a_record_is_near_within_1_6_half_widths(at_s, half_s, is_near, guessed_half_s) -> None:
    noise = Noise(half_s=half_s)
    # A record dated by guess is looked for farther away; that says nothing of the other.
    entries = entries_at([at_s, 400.0], half_s=[0.0, guessed_half_s])

    found = gains_without_lag(cycles_at([0.0]), entries, np.array([0]), np.zeros(1), noise)

    assert found.entry.tolist() == [0] * is_near


def test_two_entries_on_either_side_are_listed_within_reach() -> None:
    at_s = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])

    found = near(at_s, np.array([2.5, -1.0, 7.0, 0.5, 5.0]), 2.0)

    assert [each.tolist() for each in found] == [
        [0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 4],
        [1, 2, 3, 4, 0, 1, 5, 0, 1, 2, 3, 4, 5],
        [-1.5, -0.5, 0.5, 1.5, 1.0, 2.0, -2.0, -0.5, 0.5, 1.5, -2.0, -1.0, 0.0],
    ]
    assert near(at_s, np.array([2.5]), 9.0)[1].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_of_few_entries_none_is_listed_twice(count) -> None:
    of, entry, away_s = near(np.arange(count) / 1.0, np.array([0.5]), 9.0)

    assert (of.tolist(), entry.tolist()) == ([0] * count, list(range(count)))
    assert away_s.tolist() == [at - 0.5 for at in range(count)]


def listed(of, gain, lag=None) -> Gains:
    nothing, size = np.zeros(len(of)), len(of)
    late = np.full(size, UNKNOWN) if lag is None else np.array(lag)
    return Gains(np.array(of, int), np.arange(size), np.array(gain, float), nothing, late)


def test_entries_of_a_prediction_take_turns_and_the_first_of_the_best_wins() -> None:
    found = listed([0, 0, 0, 2, 2, 3, 5], [1.0, 3.0, 3.0, 2.0, 1.0, NEVER, -4.0])

    assert [turn.tolist() for turn in found.turns()] == [[0, 3, 5, 6], [1, 4], [2]]
    assert found.best(7).tolist() == [1, -1, 3, 5, -1, 6, -1]
    assert listed([0, 0, 0], [3.0, 2.0, 1.0]).best(2).tolist() == [0, -1]
    assert [turn.tolist() for turn in listed([0, 4], [1, 1]).turns()] == [[0, 1]]
    assert [turn.tolist() for turn in listed([], []).turns()] == [[]]


def test_either_record_or_none_is_the_sum_of_all() -> None:
    lost = np.array([-2.0, -0.5, -1.0])

    found = listed([0, 0, 2], [1.0, 3.0, -700.0]).either(lost)

    both = math.log(math.exp(-2.0) + math.exp(1.0) + math.exp(3.0))
    assert found.tolist() == pytest.approx([both, -0.5, -1.0])
    # What no float holds is weighed by the best of it.
    assert listed([0, 0], [900.0, 900.0]).either(np.zeros(1)) == pytest.approx(900 + math.log(2))
    assert lost.tolist() == [-2.0, -0.5, -1.0]


def test_a_lag_that_is_known_is_weighed() -> None:
    found = listed([0, 1, 2, 3], [1.0] * 4, [UNKNOWN, 0, 1, 3]).with_lag(1, 0.2)

    on_time, once, twice = math.log(0.8), math.log(0.2 / 2), math.log(0.2 / 4)
    assert found.gain.tolist() == pytest.approx([1.0, 1 + once, 1 + on_time, 1 + twice])


def test_what_is_assumed_before_a_campaign_shows_it() -> None:
    assert Noise() == Noise(
        half_s=0.8, lost=0.1, others_hz=1 / 3600, asleep_bias_s=None, image_bias_s=None,
        image_half_s=0.0, usual_lag=0, late=0.1, steps_per_cycle=1 / 300, length=None,
    )  # fmt: skip
    assert (NEVER, IMPOSSIBLE) == (-1e9, -1e8)


def test_a_length_says_more_the_less_it_varies() -> None:
    assert AWAKE.information == pytest.approx(math.log(600))
    cycles, entries = (
        cycles_at([0.0], awake_s=[1.0], to_sleep_s=[2.0]),
        entries_at([0.0, 1.0], awake_s=[3.0, 4.0], took_s=[5.0, 6.0]),
    )
    assert [each.tolist() for each in AWAKE.both(cycles, entries)] == [[3.0, 4.0], [1.0]]
    assert [each.tolist() for each in TO_SLEEP.both(cycles, entries)] == [[5.0, 6.0], [2.0]]


def test_a_reach_is_that_of_the_worst_dated_record() -> None:
    plain, guessed = entries_at([0.0]), entries_at([0.0], half_s=[8.0])

    assert reach_of(plain, Noise(half_s=0.8)) == pytest.approx(1.6 * 1.1)
    assert reach_of(plain, Noise(half_s=0.15)) == pytest.approx(1.6 * 0.55)
    assert reach_of(guessed, Noise(half_s=0.8)) == pytest.approx(1.6 * 8)


@pytest.mark.parametrize("half_s", [0.8, 0.3])
def test_no_record_costs_only_where_the_log_is_not_silent(half_s) -> None:
    reach_s = 1.6 * max(half_s, 0.55)
    log = entries_at([0.0, 50.0, 100.0])
    inside, outside = [-reach_s, 40.0, 100 + reach_s], [-9.0, 109.0]
    edges = [np.nextafter(-reach_s, -9), np.nextafter(100 + reach_s, 109)]
    at_s = np.array([*inside, *outside, *edges])
    cycles = cycles_at(at_s - 7.0, silent=[0.0, 0.5, 0.95, 0, 0, 0, 0])
    rows, noise = np.arange(7), Noise(half_s=half_s, lost=0.1)

    found = lost_cost(replace(cycles, at_s=at_s), log, rows, np.zeros(7), noise)
    moved = lost_cost(cycles, log, rows[1:2], np.array([7.0]), noise)
    by_much = lost_cost(cycles_at([-200.0]), log, rows[:1], np.array([250.0]), noise)

    of_inside = [math.log(0.1), math.log(0.1 + 0.9 * 0.5), math.log(0.1 + 0.9 * 0.95)]
    assert found.tolist() == pytest.approx([*of_inside, 0, 0, 0, 0])
    assert moved.tolist() == pytest.approx([of_inside[1]])
    assert by_much.tolist() == pytest.approx([of_inside[0]])


def test_a_log_that_was_read_meanwhile_is_silent_about_no_cycle_before() -> None:
    cycles = cycles_at([500.0, 600.0, 700.0], readings=2, reading=[1, 2, 3])

    found = lost_cost(cycles, entries_at([0.0]), np.arange(3), np.zeros(3), Noise(lost=0.25))

    assert found.tolist() == pytest.approx([math.log(0.25), 0.0, 0.0])


def test_the_cycle_of_a_stated_pair_has_its_record() -> None:
    cycles = cycles_at([0.0, 1.0, 2.0], stated_pair=(4, 0), index=[3, 4, 5])

    found = lost_cost(cycles, entries_at([0.0, 2.0]), np.arange(3), np.zeros(3), Noise())

    assert found.tolist() == pytest.approx([math.log(0.1), IMPOSSIBLE, math.log(0.1)])


def learnt_of(n: int, *, cycles=None, entries=None, rows=None, entry=None, error_s=None, **noise):
    """Return what n pairs teach, by default each cycle's own record, a minute from each other."""
    at_s = 60.0 * np.arange(n)
    return learnt(
        Noise(**noise),
        cycles_at(at_s) if cycles is None else cycles,
        entries_at(at_s) if entries is None else entries,
        residual_s=np.zeros(n) if error_s is None else np.array(error_s),
        rows=np.arange(n) if rows is None else np.array(rows, int),
        entry=np.arange(n) if entry is None else np.array(entry, int),
    )


def test_of_no_pair_nothing_is_learnt_but_the_usual_excess() -> None:
    noise = Noise(half_s=0.4, lost=0.3)

    found = learnt(
        noise, cycles_at([0.0]), entries_at([0.0]), residual_s=np.zeros(0),
        rows=np.zeros(0, int), entry=np.zeros(0, int),
    )  # fmt: skip

    assert found == replace(noise, asleep_bias_s=0.3)


@pytest.mark.parametrize(
    ("count", "width_s", "half_s"),
    [(19, 0.4, 0.33), (20, 0.4, None), (101, 0.4, None), (20, 0.05, 0.15), (20, 4.0, 1.5)],
    ids=["too few", "enough", "many", "at least", "at most"],
)
def test_the_width_is_that_of_95_of_100_measured_wakes(count, width_s, half_s) -> None:
    random = np.random.default_rng(5)
    error_s = random.uniform(-width_s, width_s, count + 4)
    guessed = entries_at(60.0 * np.arange(count + 4), half_s=[0.0] * count + [1.8] * 4)

    found = learnt_of(count + 4, entries=guessed, error_s=error_s, half_s=0.33)

    if half_s is None:
        sizes = np.abs(error_s[:count]).tolist()
        half_s = 1.15 * statistics.quantiles(sizes, n=20, method="inclusive")[18]
    assert found.half_s == pytest.approx(half_s)


@pytest.mark.parametrize(
    ("rows", "silent", "lost"),
    [
        ([10, 11, 12, 13], [], (0 + 1) / (4 + 4)),
        ([10, 12, 14, 16], [], (3 + 1) / (7 + 4)),
        # A record that no OS was there to write is not lost; a pair's own was written.
        ([10, 12, 14, 16], [11, 13], (3 - 1.9 + 1) / (7 - 1.9 + 4)),
        ([10, 12, 14, 16], [10, 12, 14], (3 + 1) / (7 + 4)),
        ([0, 60], [], 0.6),
        (range(90), [], 0.02),
    ],
)
def test_cycles_between_pairs_have_lost_their_records(rows, silent, lost) -> None:
    shares = np.zeros(99)
    shares[silent] = 0.95
    at_s = 60.0 * np.arange(99)

    found = learnt_of(
        len(rows), cycles=cycles_at(at_s, silent=shares), entries=entries_at(at_s), rows=rows,
        entry=rows,
    )  # fmt: skip

    assert found.lost == pytest.approx(lost)
    assert expected(cycles_at(at_s, silent=shares)).tolist() == (1 - shares).tolist()


@pytest.mark.parametrize(
    ("span_s", "others", "hz"),
    [
        (7200.0, 4, 5 / 7200),
        (1800.0, 4, 5 / 3600),
        (36_000.0, 1, 1 / 7200),
        (36_000.0, 9, 10 / 36_000),
    ],
)
def test_records_between_pairs_are_of_other_sleeps(span_s, others, hz) -> None:
    """Neither one that has two entries, nor one before or after the pairs, is one more."""
    between = np.linspace(0, span_s, others + 2)[1:-1]
    at_s = 9000 + np.array([-50.0, 0.0, *between, span_s, span_s + 1, span_s + 50])
    record = np.array([0, 1, *range(2, 2 + others), 2 + others, 2 + others, 3 + others])

    found = learnt_of(
        2, entries=entries_at(at_s, record=record), cycles=cycles_at([0.0, span_s]),
        entry=[1, 2 + others],
    )  # fmt: skip

    assert found.others_hz == pytest.approx(hz)


def test_a_setting_that_never_was_makes_no_other_sleep_rarer() -> None:
    at_s, taken_off_s = np.array([0.0, 4000.0, 100_000.0]), np.array([0.0, 0.0, -92_800.0])

    found = learnt_of(
        2, entries=entries_at(at_s, settings_s=taken_off_s), cycles=cycles_at([0.0, 9.0]),
        entry=[0, 2],
    )  # fmt: skip

    assert found.others_hz == pytest.approx(2 / 7200)


@pytest.mark.parametrize(("known", "bias_s"), [(5, 0.7), (4, 0.3)])
def test_the_excess_asleep_is_the_median_of_five_and_more(known, bias_s) -> None:
    longer_s = np.array([0.5, 0.6, 0.7, 2.0, 9.0, 9.0])
    longer_s[known:] = np.nan
    at_s = 60.0 * np.arange(6)
    cycles, entries = cycles_at(at_s, asleep_s=[20.0] * 6), entries_at(at_s, asleep_s=20 + longer_s)

    found = learnt_of(6, cycles=cycles, entries=entries)

    assert found.asleep_bias_s == pytest.approx(bias_s)
    assert (found.image_bias_s, found.image_half_s) == (None, 0.0)


@pytest.mark.parametrize(
    ("count", "spread_s", "is_told"), [(10, 1.0, True), (9, 1.0, False), (10, 9.9, True),
                                       (10, 10.2, False), (30, 1.0, True)]
)  # fmt: skip
def test_the_excess_after_images_is_learnt_where_it_varies_less_than_sleeps(
    count, spread_s, is_told
) -> None:
    longer_s = 6.0 + spread_s * np.linspace(-1, 1, count) ** 3
    at_s = 60.0 * np.arange(count + 2)
    # One does not say how long it slept, and one was not from an image.
    kind = np.append(np.full(count + 1, KINDS[1]), KINDS[0])
    entries = entries_at(at_s, asleep_s=np.append(longer_s, [np.nan, 7.0]), kind=kind)

    found = learnt_of(
        count + 2, cycles=cycles_at(at_s, asleep_s=np.zeros(count + 2)), entries=entries
    )

    middle = statistics.median(longer_s.tolist())
    away_s = np.abs(longer_s - middle).tolist()
    wide_s = 1.5 * statistics.quantiles(away_s, n=10, method="inclusive")[8]
    assert is_told == (count > 9 and wide_s < 15)
    assert found.image_bias_s == (pytest.approx(middle) if is_told else None)
    assert found.image_half_s == pytest.approx(wide_s if count > 9 else 0.0)
    assert found.asleep_bias_s == 0.3


def test_an_excess_that_varies_as_sleeps_do_is_left_out() -> None:
    at_s, longer_s = 60.0 * np.arange(10), np.repeat([-10.0, 10.0], 5)
    images = entries_at(at_s, asleep_s=longer_s, kind=np.full(10, KINDS[2]))

    found = learnt_of(10, cycles=cycles_at(at_s, asleep_s=np.zeros(10)), entries=images)

    assert (found.image_bias_s, found.image_half_s) == (None, 15.0)


@pytest.mark.parametrize(
    ("lags", "usual_lag", "late"),
    [
        ([], 3, 0.4),
        ([0, 0, 0, 1], 0, (1 + 1) / (4 + 4)),
        ([1, 1, 2, 1, 1, 0], 1, (2 + 1) / (6 + 4)),
        ([2] * 80, 2, 0.02),
        ([0, 0, 0, *range(1, 30)], 13, 0.5),
    ],
)
def test_how_late_the_log_is_each_time_is_learnt(lags, usual_lag, late) -> None:
    n = len(lags) + 1
    at_s, own = 60.0 * np.arange(n), np.arange(n, dtype=np.int32)
    cycles = cycles_at(at_s, reading=own, readings=n)
    entries = entries_at(at_s, reading=np.append(own[: n - 1] + np.array(lags, int), UNKNOWN))

    found = learnt_of(n, cycles=cycles, entries=entries, usual_lag=3, late=0.4)

    assert (found.usual_lag, found.late) == (usual_lag, pytest.approx(late))


@pytest.mark.parametrize(
    ("steps_s", "rate"),
    [
        ([], STEPS_PER_CYCLE),
        ([2.5], STEPS_PER_CYCLE),
        ([2.6, -30.0], 3 / (40 + 300)),
        ([2.6, -30.0, 9.0, -9.0], 5 / (40 + 300)),
    ],
)
def test_how_often_the_clock_is_set_is_learnt_and_never_taken_for_seldom(steps_s, rate) -> None:
    at_s = 60.0 * np.arange(60)
    moved = np.zeros(60)
    for at, step_s in enumerate(steps_s):
        moved[15 + 4 * at :] += step_s

    log, own = entries_at(at_s + moved), range(10, 50)

    found = learnt_of(40, cycles=cycles_at(at_s), entries=log, rows=own, entry=own)

    assert found.steps_per_cycle == pytest.approx(rate)


def test_lost_records_alone_explain_three_standard_deviations() -> None:
    assert by_chance(2.0, 50, Noise(lost=0.16)) == pytest.approx(2 * (3 + 3 * 4))


def test_rows_are_weighed_in_parts_that_fit() -> None:
    assert parts_of(0) == [slice(0, 0)]
    assert parts_of(1) == [slice(0, 1)]
    for count in (16_384, 16_385, 40_000):
        parts = parts_of(count)
        assert [part.stop for part in parts] == [*range(16_384, count, 16_384), count]
        assert all(one.stop == other.start for one, other in pairwise(parts))
        assert parts[0].start == 0


def test_a_sum_of_likelihoods_holds_what_no_float_does() -> None:
    values = np.array([[900.0, -900.0], [900.0, -901.0]])

    rows, columns = log_sum(values, axis=1), log_sum(values, axis=0)

    assert rows.tolist() == [900.0, 900.0]
    assert columns.tolist() == pytest.approx([900 + math.log(2), -900 + math.log(1 + math.exp(-1))])
