"""Matching recovers planted pairs, whatever the offset, and leaves alone what has no partner."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from match_campaigns import (
    BRUTAL,
    OFFSETS,
    PACES,
    REALISTIC,
    Score,
    all_certain,
    campaign,
    os_record,
)

from resume_rig.analysis.match.match import OutsideMoments, match
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.match import HIGH_CONFIDENCE, CycleReason, RecordReason

S = 1_000_000_000
UTC_NS = 1_777_000_000 * S


def outside(awake_ns, asleep_s: float = 20.0) -> list[OutsideMoments]:
    return [OutsideMoments(int(t) - int(asleep_s * S), int(t)) for t in awake_ns]


def starts(generator, n: int, jitter_s: float, period_s: float = 45.0):
    periods = period_s + generator.uniform(-jitter_s, jitter_s, n)
    return UTC_NS + (np.cumsum(periods) * S).astype(np.int64)


def os_wakes(awake_ns, offset_ns: int, generator):
    """Return what the OS would take for the time of its wake: RTC seconds plus a half."""
    real = np.asarray(awake_ns) + int(0.6 * S) + generator.integers(0, S // 20, len(awake_ns))
    return (real + offset_ns) // S * S + S // 2


def records(record, wakes_ns, measured=None):
    flags = [True] * len(wakes_ns) if measured is None else measured
    return [
        record(
            record_id=i,
            wake_time_utc_ns=int(wake) + 850_000_000,
            bios_init_ms=200 if known else None,
        )
        for i, (wake, known) in enumerate(zip(wakes_ns, flags, strict=True))
    ]


OFFSETS_S = [0.0, 0.49, -7.3, 3600.0, -8 * 3600 + 12.7, 9.4e8]


@pytest.mark.parametrize("offset_s", OFFSETS_S)
@pytest.mark.parametrize("n", [4, 10, pytest.param(300, marks=pytest.mark.slow)])
def test_a_clean_campaign_matches_one_to_one(record, offset_s, n) -> None:
    generator = np.random.default_rng(n)
    awake = starts(generator, n, jitter_s=5)

    found = match(outside(awake), records(record, os_wakes(awake, int(offset_s * S), generator)))

    assert found.pairs == tuple((i, i) for i in range(n))
    assert tuple(found.cycle_reasons) == tuple(found.record_reasons) == ()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(8, 60),
    offset_s=st.floats(-50_000, 50_000),
    lost=st.floats(0, 0.15),
    extra=st.integers(0, 10),
    unmeasured=st.floats(0, 0.3),
)
def test_planted_pairs_are_found_despite_lost_and_extra_records(
    record, *, seed, n, offset_s, lost, extra, unmeasured
) -> None:
    generator = np.random.default_rng(seed)
    awake = starts(generator, n, jitter_s=8)
    wakes = os_wakes(awake, int(offset_s * S), generator)
    kept = np.flatnonzero(generator.random(n) >= lost)
    # Sleeps of other times: before and after the campaign, and well between its cycles.
    others = np.concatenate(
        [
            wakes[0] - 3600 * S - generator.integers(0, 10**15, extra),
            wakes[generator.integers(0, n, extra)] + generator.integers(5 * S, 30 * S, extra),
        ]
    )
    times = np.concatenate([wakes[kept], others])
    truth = dict(zip(range(len(kept)), kept.tolist(), strict=True))
    order = np.argsort(times, kind="stable")
    measured = (generator.random(len(times)) >= unmeasured).tolist()

    found = match(outside(awake), records(record, times[order], measured))

    planted = {
        (truth[int(old)], new) for new, old in enumerate(order.tolist()) if int(old) in truth
    }
    sure = {p for p, q in zip(found.pairs, found.probability, strict=True) if q >= HIGH_CONFIDENCE}
    assert sure <= planted
    assert set(found.cycle_reasons) == set(range(n)) - {cycle for cycle, _ in found.pairs}


@given(seed=st.integers(0, 10_000), n=st.integers(0, 30), m=st.integers(0, 30))
def test_any_two_sequences_match_one_to_one_and_in_order(record, seed, n, m) -> None:
    generator = np.random.default_rng(seed)
    awake = np.sort(UTC_NS + generator.integers(0, 600 * S, n))
    wakes = np.sort(UTC_NS + generator.integers(0, 600 * S, m))

    found = match(outside(awake), records(record, wakes))

    cycles, told = [c for c, _ in found.pairs], [r for _, r in found.pairs]
    assert len(set(cycles)) == len(cycles)
    assert len(set(told)) == len(told)
    assert sorted(cycles + list(found.cycle_reasons)) == list(range(n))
    assert sorted(told + list(found.record_reasons)) == list(range(m))
    assert told == sorted(told)


def test_even_cycles_with_small_jitter_are_not_shifted_by_one(record) -> None:
    generator = np.random.default_rng(5)
    awake = starts(generator, 200, jitter_s=0.3)
    wakes = os_wakes(awake, int(-3.2 * S), generator)

    found = match(outside(awake), records(record, wakes))

    assert found.pairs == tuple((i, i) for i in range(200))
    assert all_certain(found)


def test_an_even_pace_with_older_records_before_it_is_called_ambiguous(record) -> None:
    awake = UTC_NS + np.arange(20) * 45 * S
    wakes = UTC_NS + np.arange(-10, 20) * 45 * S + S // 2

    found = match(outside(awake), records(record, wakes), both_utc=False)

    assert found.pairs == ()
    assert set(found.cycle_reasons.values()) == {CycleReason.AMBIGUOUS}


# A log that ends within the campaign, and a clock that was set seven times: offsets that are alike
# are more than can be followed, and cycles that the log does not reach have no record.
@pytest.mark.parametrize(
    ("seed", "n", "offset"),
    [(20_005, 469, "zone"), pytest.param(20_000, 957, "near", marks=pytest.mark.slow)],
)
def test_an_even_campaign_is_matched_whole_by_what_tells_its_cycles_apart(seed, n, offset) -> None:
    made = campaign(seed, n, "even", offset, REALISTIC)
    score = Score()

    score.add(made, match(made.cycles, made.records))

    assert (score.high, score.wrong) == (score.matchable, 0)


def test_crystals_that_drift_apart_over_days_are_followed(record) -> None:
    generator = np.random.default_rng(6)
    awake = starts(generator, 4000, jitter_s=6, period_s=60)
    slow = UTC_NS + ((awake - UTC_NS) * (1 + 40e-6)).astype(np.int64)

    found = match(outside(awake), records(record, os_wakes(slow, 7200 * S, generator)))

    assert found.pairs == tuple((i, i) for i in range(4000))
    assert all_certain(found)


@pytest.mark.slow
def test_ten_thousand_cycles_match_ten_thousand_records(record) -> None:
    generator = np.random.default_rng(7)
    awake = starts(generator, 10_000, jitter_s=4)
    told = records(record, os_wakes(awake, 5 * S, generator))

    found = match(outside(awake), told)

    assert len(found.pairs) == 10_000
    assert all_certain(found)


@pytest.mark.parametrize(
    ("offset_s", "both_utc", "matched"),
    [(2.0, True, True), (-50_000.0, True, False), (9e6, True, False), (9e6, False, False)],
    ids=["near", "time zone", "months", "capture"],
)
def test_a_single_cycle_and_record_match_where_plausible(
    record, offset_s, both_utc, matched
) -> None:
    found = match(
        outside([UTC_NS]), records(record, [UTC_NS + int(offset_s * S)]), both_utc=both_utc
    )

    assert (len(found.pairs) == 1) is matched
    assert all_certain(found) is matched


def test_a_single_cycle_takes_the_record_at_its_own_time(record) -> None:
    days = [-3 * 86_400, -7200, 1, 7200]

    found = match(outside([UTC_NS]), records(record, [UTC_NS + day * S for day in days]))

    assert found.pairs == ((0, 2),)


def test_a_lone_cycle_of_a_capture_is_not_given_any_of_many_records(record) -> None:
    found = match(outside([5 * S]), records(record, [UTC_NS, UTC_NS + 99 * S]), both_utc=False)

    assert found.pairs == ()


def test_a_log_of_another_year_matches_nothing(record) -> None:
    generator = np.random.default_rng(8)
    awake = starts(generator, 4, jitter_s=5)
    log = np.sort(UTC_NS - 400 * 86_400 * S + generator.integers(0, 30 * 86_400 * S, 90))

    found = match(outside(awake), records(record, log))

    assert found.pairs == ()
    assert tuple(found.cycle_reasons) == (0, 1, 2, 3)


def test_a_measured_record_goes_before_an_empty_one_of_the_same_moment(record) -> None:
    wakes = [UTC_NS, UTC_NS, UTC_NS + 60 * S]

    found = match(outside([UTC_NS, UTC_NS + 60 * S]), records(record, wakes, [False, True, True]))

    assert found.pairs == ((0, 1), (1, 2))
    assert tuple(found.record_reasons) == (0,)


def test_records_without_a_wake_time_match_by_their_sleep(record) -> None:
    awake = [UTC_NS, UTC_NS + 61 * S, UTC_NS + 130 * S]
    told = records(record, [t + S for t in awake])
    asleep_ns = awake[1] - 20 * S
    told[1] = record(wake_time_utc_ns=None, sleep_time_utc_ns=asleep_ns - 1_400_000_000)

    assert match(outside(awake), told).pairs == ((0, 0), (1, 1), (2, 2))


def test_a_log_of_sleep_times_only_still_matches(record) -> None:
    awake = [UTC_NS, UTC_NS + 61 * S, UTC_NS + 130 * S]
    told = [
        record(wake_time_utc_ns=None, sleep_time_utc_ns=t - 20 * S - 1_400_000_000 + 3600 * S)
        for t in awake
    ]

    found = match(outside(awake), told)

    assert found.pairs == ((0, 0), (1, 1), (2, 2))


def test_cycles_that_never_woke_stay_out(record) -> None:
    cycles = [*outside([UTC_NS]), OutsideMoments(None, None), *outside([UTC_NS + 100 * S])]

    found = match(cycles, records(record, [UTC_NS, UTC_NS + 100 * S]))

    assert found.pairs == ((0, 0), (2, 1))
    assert tuple(found.cycle_reasons) == (1,)


def test_nothing_matches_nothing(record) -> None:
    assert match([], []).pairs == ()
    assert tuple(match(outside([UTC_NS]), []).cycle_reasons) == (0,)
    assert tuple(match([], records(record, [UTC_NS])).record_reasons) == (0,)


def test_a_cycle_without_a_time_leaves_an_even_pace_unverified(record) -> None:
    # The record of the first cycle is lost; the last cycle has no time, but wrote a record.
    awake = UTC_NS + np.arange(40) * 45 * S
    cycles = [*outside(awake[:-1]), OutsideMoments(None, None)]

    found = match(cycles, records(record, awake[1:]))

    assert not any(probability >= HIGH_CONFIDENCE for probability in found.probability)


@pytest.mark.parametrize("late", [0, 1], ids=["in its own cycle", "in the next one"])
def test_a_record_belongs_to_no_cycle_after_the_one_that_saw_it(record, late) -> None:
    # The OS clock is one cycle ahead, and the last record never came: a shift by one would bring
    # the clocks together and pair as much.
    awake = UTC_NS + np.arange(40) * 45 * S
    wakes = awake[:-1] + 45 * S
    arrived_at = [min(i + late, 39) for i in range(39)]

    found = match(outside(awake), records(record, wakes), arrived_at=arrived_at)

    if late == 0:
        assert found.pairs == tuple((i, i) for i in range(39))
    assert all(cycle <= arrived_at[told] for cycle, told in found.pairs)


@pytest.mark.parametrize(
    "troubles",
    [
        pytest.param(REALISTIC, id="realistic"),
        pytest.param(BRUTAL, id="brutal", marks=pytest.mark.slow),
    ],
)
def test_generated_campaigns_match_no_wrong_record_for_certain(troubles) -> None:
    score = Score()
    for seed in range(20):
        pace, offset = PACES[seed % len(PACES)], OFFSETS[seed // len(PACES)]
        made = campaign(1000 + seed, 60, pace, offset, troubles)

        score.add(made, match(made.cycles, made.records, both_utc=seed % 2 == 0))

    if troubles is REALISTIC:
        assert score.high_wrong == 0
    assert score.high_wrong <= score.high / 500
    assert score.wrong <= score.pairs / 100
    assert score.pairs >= score.matchable * (0.8 if troubles is REALISTIC else 0.4)


def test_every_step_of_the_clock_is_followed_and_told(record) -> None:
    generator = np.random.default_rng(11)
    awake = starts(generator, 90, jitter_s=12)
    stepped = awake + np.where(np.arange(90) >= 30, 95 * S, 0)
    stepped = stepped - np.where(np.arange(90) >= 60, 240 * S, 0)

    found = match(outside(awake), records(record, os_wakes(stepped, 0, generator)))

    assert all(cycle == told for cycle, told in found.pairs)
    assert len(found.pairs) >= 80
    assert found.steps[0][:2] == (29, 30)
    assert found.steps[1][0] <= 59 < found.steps[1][1]
    assert [step_ns / S for _, _, step_ns in found.steps] == pytest.approx([95, -240], abs=0.5)


def test_what_has_no_partner_has_its_reason(record) -> None:
    generator = np.random.default_rng(12)
    awake = starts(generator, 30, jitter_s=12)
    cycles = outside(awake)
    cycles[12] = OutsideMoments(cycles[12].asleep_ns, None)
    cycles[13] = OutsideMoments(None, None)
    told = records(record, os_wakes(awake, 0, generator))
    between_ns = told[20].wake_time_utc_ns + 9 * S
    nothing = {"sleep_time_utc_ns": None, "wake_time_utc_ns": None}
    asleep_ns = told[8].wake_time_utc_ns - 30 * S
    kept = [
        *told[4:9],
        record(kind=SleepKind.BOOT),
        record(**nothing),
        told[8],
        os_record(kind=SleepKind.DOZE, sleep_time_utc_ns=asleep_ns, wake_time_utc_ns=asleep_ns,
                  sleep_ms=None, wake_ms=None, driver_init_ms=None, bios_init_ms=None),
        *told[9:12],
        *told[14:17],
        *told[18:21],
        record(wake_time_utc_ns=between_ns, sleep_time_utc_ns=between_ns - 4 * S),
        *told[21:26],
    ]  # fmt: skip

    found = match(cycles, kept)

    reasons = dict.fromkeys(range(4), CycleReason.BEFORE_LOG)
    reasons |= {12: CycleReason.NOT_SURVIVED, 13: CycleReason.NO_TIME, 17: CycleReason.LOST}
    assert found.cycle_reasons == reasons | dict.fromkeys(range(26, 30), CycleReason.AFTER_LOG)
    assert found.record_reasons == {
        5: RecordReason.NO_SLEEP,
        6: RecordReason.NO_TIME,
        7: RecordReason.DOUBLED,
        8: RecordReason.DOZE,
        18: RecordReason.BETWEEN_CYCLES,
    }
    assert all_certain(found)


def test_a_boot_between_two_sleeps_resets_nothing(record) -> None:
    generator = np.random.default_rng(13)
    awake = starts(generator, 60, jitter_s=12)
    told = records(record, os_wakes(awake, 3600 * S, generator))
    boots = [20, 42]
    for at in boots:
        told.insert(at, record(kind=SleepKind.BOOT))

    found = match(outside(awake), told)

    assert found.pairs == tuple((i, i + (i >= 20) + (i >= 41)) for i in range(60))
    assert all_certain(found)
    assert found.steps == ()
    assert set(found.record_reasons) == set(boots)
    assert set(found.record_reasons.values()) == {RecordReason.NO_SLEEP}


@pytest.mark.parametrize("step_s", [0, 95, -240])
def test_records_of_two_files_are_put_in_order(record, step_s) -> None:
    # The log was archived and cleared while the campaign ran; the newer file was read first.
    generator = np.random.default_rng(14)
    awake = starts(generator, 60, jitter_s=12)
    stepped = awake + np.where(np.arange(60) >= 30, step_s * S, 0)
    told = records(record, os_wakes(stepped, 0, generator))
    older = [replace(each, source=1) for each in told[:30]]

    found = match(outside(awake), told[30:] + older)

    truth = {cycle: (cycle + 30) % 60 for cycle in range(60)}
    assert all(truth[cycle] == place for cycle, place in found.pairs)
    assert len(found.pairs) >= (60 if step_s >= 0 else 28)


def test_a_file_that_repeats_another_one_doubles_its_records(record) -> None:
    generator = np.random.default_rng(15)
    awake = starts(generator, 40, jitter_s=12)
    told = records(record, os_wakes(awake, 0, generator))
    again = [replace(each, source=1) for each in told[10:30]]

    found = match(outside(awake), told + again)

    assert found.pairs == tuple((i, i) for i in range(40))
    assert all_certain(found)
    assert set(found.record_reasons.values()) == {RecordReason.DOUBLED}
