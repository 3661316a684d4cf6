"""What a log tells of settings of its clock is a second view of it: it must earn its place."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from match_campaigns import TELLS, Score, Troubles, all_certain, campaign, os_record, tell
from test_match import S, os_wakes, outside, records, starts

from resume_rig.analysis.match.match import Match, match
from resume_rig.analysis.match.pairs import columns_of, record_times
from resume_rig.analysis.match.times import clock_settings_of
from resume_rig.model.os_record import NO_SLEEPS, Figure, OsRecord
from resume_rig.model.result.match import HIGH_CONFIDENCE

OFTEN = Troubles(steps=1 / 8, lost=0.05, extra=0.05, step_s=8.0)


def saying(told: list[OsRecord], at: int, step_s: float, after_s: float = 0.0) -> list[OsRecord]:
    """Return records of which one tells of a setting, all of it or a part after its wake."""
    figures = [Figure("clock_steps", 1), Figure("clock_stepped_us", (step_s + after_s) * 1e6)]
    if after_s:
        figures.append(Figure("clock_stepped_after_wake_us", after_s * 1e6))
    return [*told[:at], replace(told[at], figures=tuple(figures)), *told[at + 1 :]]


def set_before(told: list[OsRecord], at: int, step_s: float) -> list[OsRecord]:
    """Return records of a DUT whose clock was set before one of them was."""
    by_ns = round(step_s * S)
    moved = (replace(r, wake_time_utc_ns=(r.wake_time_utc_ns or 0) + by_ns) for r in told[at:])
    return [*told[:at], *moved]


def high(found: Match) -> set[tuple[int, int]]:
    pairs = zip(found.pairs, found.probability, strict=True)
    return {pair for pair, likely in pairs if likely >= HIGH_CONFIDENCE}


def campaign_of(record, n: int, jitter_s: float) -> tuple[np.ndarray, list[OsRecord]]:
    generator = np.random.default_rng(41)
    awake = starts(generator, n, jitter_s=jitter_s)
    return awake, records(record, os_wakes(awake, 3 * S, generator))


# Two by themselves say which of the telling and the lying fails.
QUICK = ("truly", "falsely")


@pytest.mark.parametrize(
    "how", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in TELLS]
)
def test_whatever_is_told_loses_no_match_and_makes_no_wrong_one(how: str) -> None:
    silent, telling = Score(), Score()
    for seed in range(6):
        made = campaign(seed, 50, "random", "near", OFTEN)
        silent.add(made, match(made.cycles, made.records))
        made = tell(made, how, seed)
        telling.add(made, match(made.cycles, made.records))

    assert telling.wrong == 0
    assert telling.pairs >= 0.99 * silent.pairs
    if how == "truly":
        assert telling.pairs >= 0.98 * telling.matchable
        assert silent.pairs < 0.95 * silent.matchable


@pytest.mark.parametrize("after_wake", [False, True])
def test_runs_too_short_to_be_told_from_chance_are_matched_by_what_is_told(
    record, after_wake: bool
) -> None:
    awake, told = campaign_of(record, 20, jitter_s=8)
    told = set_before(set_before(told, 2, 29.0), 18, -40.0)
    silent = match(outside(awake), told)
    if after_wake:
        told = saying(saying(told, 1, 0.0, 29.0), 17, 0.0, -40.0)
    else:
        told = saying(saying(told, 2, 29.0), 18, -40.0)

    found = match(outside(awake), told)

    assert len(silent.pairs) < 18
    assert found.pairs == tuple((n, n) for n in range(20))
    assert all_certain(found)
    assert [(before, after) for before, after, _ in found.steps] == [(1, 2), (17, 18)]
    assert [step_ns / S for *_, step_ns in found.steps] == pytest.approx([29.0, -40.0], abs=0.1)


def test_a_wake_time_may_hold_the_setting_that_came_after_the_wake(record) -> None:
    awake, told = campaign_of(record, 20, jitter_s=8)
    told = saying(set_before(told, 2, 29.0), 2, 0.0, 29.0)

    found = match(outside(awake), told)

    assert found.pairs == tuple((n, n) for n in range(20))


def test_a_told_step_of_an_even_pace_is_no_lost_record(record) -> None:
    awake, told = campaign_of(record, 60, jitter_s=0.02)
    stepped = set_before(told, 30, 45.0)

    silent, found = (match(outside(awake), each) for each in (stepped, saying(stepped, 30, 45.0)))

    assert not all_certain(silent)
    assert all_certain(found)
    assert found.pairs == tuple((n, n) for n in range(60))


def test_a_known_pair_holds_in_either_view(record) -> None:
    awake, told = campaign_of(record, 60, jitter_s=0.02)
    told = saying(set_before(told, 30, 17.0), 30, 17.0)

    found = match(outside(awake[:50]), told[5:], both_utc=False, stated_pair=(7, 2))

    assert found.pairs == tuple((n + 5, n) for n in range(45))
    assert all_certain(found)


@pytest.mark.parametrize("lost", [False, True])
def test_a_setting_by_an_even_pace_that_never_was_makes_no_wrong_match_certain(
    record, lost: bool
) -> None:
    awake, told = campaign_of(record, 60, jitter_s=0.02)
    told = saying(told, 30, -45.0)
    numbers = [n for n in range(60) if not lost or n not in (10, 50)]

    found = match(outside(awake), [told[n] for n in numbers])

    assert all(numbers[at] == cycle for cycle, at in high(found))


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32 - 1),
    lies=st.lists(
        st.tuples(st.integers(0, 29), st.floats() | st.integers(-(10**400), 10**400)),
        max_size=30,
    ),
)
def test_settings_that_never_were_make_no_wrong_match_certain(record, seed, lies) -> None:
    generator = np.random.default_rng(seed)
    awake = starts(generator, 30, jitter_s=8)
    told = records(record, os_wakes(awake, int(generator.integers(-9 * S, 9 * S)), generator))
    for at, value in lies:
        figures = Figure("clock_steps", 1), Figure("clock_stepped_us", value)
        told[at] = replace(told[at], figures=figures)

    found = match(outside(awake), told)

    assert all(cycle == at for cycle, at in high(found))
    assert len(found.pairs) >= 28


def test_a_synchronisation_and_what_no_clock_can_be_set_by_are_no_lasting_settings() -> None:
    told = [os_record() for _ in range(5)]
    for at, step_s in enumerate((0.4, float("nan"), float("-inf"), 1e11, -0.9)):
        told = saying(told, at, step_s)

    assert clock_settings_of(told) is None
    settings_of = clock_settings_of(saying(told, 3, -60.0, after_s=1.5))
    assert settings_of is not None
    assert settings_of.asleep_s.tolist() == [0, 0, 0, -60.0, 0]
    assert settings_of.awake_s.tolist() == [0, 0, 0, 1.5, 0]


def test_settings_add_up_in_the_order_of_writing_and_a_second_account_adds_none() -> None:
    ns = [S * at for at in (100, 200, 300, 300, 250)]
    told = [
        os_record(wake_time_utc_ns=at, sleep_time_utc_ns=at, source=place == 4)
        for place, at in enumerate(ns)
    ]
    for at, steps_s in enumerate(((0.0, 5.0), (10.0,), (20.0, 2.0), (20.0, 2.0), (40.0,))):
        told = saying(told, at, *steps_s)

    times = record_times(columns_of(told), NO_SLEEPS)

    # Of another log, the last one was written third.
    assert times.rank.tolist() == [0, 1, 3, 4, 2]
    assert times.settings is not None
    assert times.settings.before_s.tolist() == [0, 15, 75, 77, 55]
    unset = times.without_settings(100.0)
    assert unset is not None
    assert np.round(times.wake_s - unset.wake_s, 6).tolist() == [-15, 0, 60, 62, 40]
    assert np.round(times.sleep_s - unset.sleep_s, 6).tolist() == [-15, 0, 60, 62, 40]
