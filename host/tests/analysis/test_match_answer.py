"""What the match answers of what its views found, figure by figure.

`likeliest` is a stand-in here that found what a test says; else a record without a sharp figure
would take whole campaigns.
"""

from dataclasses import replace

import numpy as np
import pytest
from match_campaigns import os_record
from plain_match import choice_of, cycles_at, entries_at

from resume_rig.analysis.match import match as match_module
from resume_rig.analysis.match.chain import Chain
from resume_rig.analysis.match.foreign import Origin
from resume_rig.analysis.match.likelihood import Noise
from resume_rig.analysis.match.match import Match, OutsideMoments, match_arrays
from resume_rig.analysis.match.pairs import columns_of, moments_of, record_times
from resume_rig.analysis.match.times import arrivals_of
from resume_rig.analysis.match.views import Found, View
from resume_rig.model.os_record import NO_SLEEPS
from resume_rig.model.result.match import CycleReason, RecordReason

S = 1_000_000_000
AT_S = [100.0, 160.0, 230.0, 310.0, 400.0]
NOISE = Noise(half_s=0.5, others_hz=1 / 36_000)
OWN = Origin(12.0, 4, 5, read_live=True)
FOREIGN = Origin(-12.0, 4, 5)
ONE_SCRIPT = Origin(12.0, 4, 5, script_odds=1.0)
NOBODY = choice_of([], [], [])


def chain_of(*shares) -> Chain:
    """Return candidates of these shares at the middle cycle of three, and two at either other."""
    rows = np.array([2, 0, *[1] * len(shares), 0, 2] if shares else [], int)
    probability = np.array([0.5, 0.5, *shares, 0.5, 0.5] if shares else [])
    return Chain(rows, np.arange(len(rows)), probability, 0.0)


def answer(
    monkeypatch, chosen, *, possible=None, chain=None, related=0.9, origin=OWN,
    settings_s=(0.0,) * 5, by_wake=True, sleeps=None, late=(), arrived_at=(),
) -> Match:  # fmt: skip
    """Return the answer of five cycles, a minute and more apart, and of a record of each."""
    log_s = np.array(AT_S) + 7.0 + np.array([0.1, -0.1, 0.0, 0.2, 0.0])
    for record, late_s in late:
        log_s[record] += late_s
    cycles = cycles_at(AT_S, base_ns=3 * S, asleep_s=[20.0] * 5)
    entries = entries_at(log_s, base_ns=9 * S, settings_s=np.array(settings_s))
    sleeps = entries_at([]) if sleeps is None else sleeps
    view = View(cycles, entries if by_wake else sleeps, sleeps)
    possible = chosen if possible is None else possible
    found = Found(
        view, chosen, possible, NOISE, chain_of() if chain is None else chain, related,
        origin, np.ones(len(chosen.rows)),
    )  # fmt: skip
    monkeypatch.setattr(match_module, "likeliest", lambda *_, **__: found)
    moments = moments_of([OutsideMoments(round((at - 20) * S), round(at * S)) for at in AT_S])
    records = [os_record(wake_time_utc_ns=round(at * S) + 9 * S) for at in log_s]
    times = record_times(columns_of(records), NO_SLEEPS)
    return match_arrays(moments, times, True, arrivals_of(arrived_at, 5, 5))


def of_all(*likely, offset_s=None):
    """Return each cycle's own record, as likely as that."""
    n = len(likely)
    return choice_of(
        range(n), range(n), likely, offset_s=[7.0] * n if offset_s is None else offset_s
    )


def test_only_what_is_likely_enough_is_a_pair(monkeypatch) -> None:
    found = answer(monkeypatch, of_all(0.98, 0.979, 1.0, 0.9, 0.04))

    assert found.pairs == ((0, 0), (2, 2))
    assert found.probability == (0.98, 1.0)
    # What is hardly possible is no second possibility.
    assert found.cycle_reasons == {
        1: CycleReason.AMBIGUOUS, 3: CycleReason.AMBIGUOUS, 4: CycleReason.LOST,
    }  # fmt: skip
    assert found.record_reasons == {
        1: RecordReason.AMBIGUOUS, 3: RecordReason.AMBIGUOUS, 4: RecordReason.AFTER_CAMPAIGN,
    }  # fmt: skip
    assert (found.fit, found.covered, found.one_script) == (4, 5, False)


@pytest.mark.parametrize(("likely", "is_possible"), [(0.05, False), (0.051, True)])
def test_a_second_possibility_is_reported_from_5_percent_on(
    monkeypatch, likely, is_possible
) -> None:
    possible = of_all(1.0, likely, 1.0, 1.0, 1.0)

    certain = choice_of([0, 2, 3, 4], [0, 2, 3, 4], [1.0] * 4)
    found = answer(monkeypatch, certain, possible=possible, late=((1, 30.0),))

    assert found.cycle_reasons == {1: CycleReason.AMBIGUOUS if is_possible else CycleReason.LOST}


def test_a_setting_that_was_reported_is_a_step(monkeypatch) -> None:
    found = answer(monkeypatch, of_all(1.0, 1.0, 1.0), settings_s=(0.0, 0.0, 40.0, 0, 0))

    assert found.steps == ((1, 2, 40 * S),)
    assert answer(monkeypatch, of_all(0.9, 0.9)).steps == ()


def test_a_clock_that_moved_by_more_than_1_5_s_was_set(monkeypatch) -> None:
    offset_s = [7.0, 8.5, 10.25, 10.25, 0.25]

    found = answer(monkeypatch, of_all(1.0, 1.0, 1.0, 0.5, 1.0, offset_s=offset_s))

    assert found.steps == ((1, 2, 1_750_000_000), (2, 4, -10 * S))


@pytest.mark.parametrize(
    ("shares", "alone", "related", "count"),
    [
        # As many as the spread of their shares makes.
        ((0.25,) * 4, 1.0, 0.9, 4),
        ((0.5, 0.25, 0.25), 1.0, 0.9, 3),  # exp(1.04)
        ((0.9, 0.1), 1.0, 0.9, 1),  # exp(0.33)
        ((0.8, 0.2), 1.0, 0.9, 2),  # exp(0.50) = 1.65
        ((0.2, 0.2), 1.0, 0.9, 2),
        ((1.0, 0.0), 1.0, 0.9, 1),
        ((), 1.0, 0.9, 1),
        ((0.0,), 1.0, 0.9, 1),
        # Or as many as share the probability with rivals, up to five.
        ((1.0,), 0.34, 0.9, 3),
        ((1.0,), 0.7, 0.9, 1),
        ((1.0,), 0.2, 0.9, 5),
        ((1.0,), 0.01, 0.9, 5),
        ((1.0,), 0.0, 0.9, 5),
        ((0.5, 0.5), 0.25, 0.9, 4),
        # Of a log that is hardly of these cycles nothing is said.
        ((0.25,) * 4, 1.0, 0.5, 1),
        ((0.25,) * 4, 1.0, 0.51, 4),
    ],
)
def test_offsets_that_are_as_good_as_each_other_are_counted(
    monkeypatch, shares, alone, related, count
) -> None:
    possible = of_all(0.9, 0.6, 0.5)
    lessened = possible.times(np.array([alone, alone, 1.0]))

    found = answer(
        monkeypatch, lessened, possible=possible, chain=chain_of(*shares), related=related
    )

    assert found.equal_offsets == (count if shares else 1)


def test_what_is_no_likelier_than_not_has_no_rivals(monkeypatch) -> None:
    possible = of_all(0.5, 0.5)

    found = answer(
        monkeypatch, possible.times(np.full(2, 0.1)), possible=possible, chain=chain_of(1.0)
    )

    assert found.equal_offsets == 1


def test_one_offset_is_the_best_where_there_are_pairs(monkeypatch) -> None:
    assert answer(monkeypatch, of_all(1.0), chain=chain_of(0.5, 0.5)).equal_offsets == 1


def test_of_equal_offsets_each_record_is_a_possibility(monkeypatch) -> None:
    possible = of_all(0.01, 0.02, 0.03, 0.04)

    found = answer(monkeypatch, possible, chain=chain_of(0.5, 0.5))
    alone = answer(monkeypatch, possible, chain=chain_of(1.0))

    assert found.equal_offsets == 2
    assert set(found.record_reasons.values()) == {RecordReason.AMBIGUOUS, RecordReason.UNRELATED}
    assert [found.record_reasons[at] for at in range(4)] == [RecordReason.AMBIGUOUS] * 4
    assert set(alone.record_reasons.values()) == {RecordReason.UNRELATED}


def test_of_a_log_of_another_unit_no_reading_says_anything(monkeypatch) -> None:
    live = list(range(5))

    own = answer(monkeypatch, NOBODY, arrived_at=live)
    other = answer(monkeypatch, NOBODY, arrived_at=live, origin=FOREIGN)

    assert set(own.cycle_reasons.values()) == {CycleReason.AMBIGUOUS}
    assert set(other.cycle_reasons.values()) == {CycleReason.UNRELATED}
    assert answer(monkeypatch, NOBODY, origin=ONE_SCRIPT).one_script


def test_a_record_that_came_late_has_its_cycle(monkeypatch) -> None:
    sure = choice_of([0, 2, 4], [0, 2, 4], [1.0] * 3, offset_s=[7.0] * 3)

    found = answer(monkeypatch, sure, late=((1, 3.0), (3, 3.0)))

    assert found.pairs == tuple((at, at) for at in range(5))
    assert 0.98 < found.probability[1] < 1
    assert (found.cycle_reasons, found.record_reasons) == ({}, {})
    doubted = choice_of([0, 2, 4], [0, 2, 4], [0.985] * 3, offset_s=[7.0] * 3)
    assert answer(monkeypatch, doubted, late=((1, 3.0), (3, 3.0))).pairs == ((0, 0), (2, 2), (4, 4))
    # Where sleeps are held against sleeps there is no wake that could be late.
    sleeps = entries_at(np.array(AT_S) + 7)
    by_sleep = answer(monkeypatch, sure, late=((1, 3.0), (3, 3.0)), by_wake=False, sleeps=sleeps)
    assert by_sleep.pairs == ((0, 0), (2, 2), (4, 4))


def test_a_record_of_a_sleep_alone_has_its_cycle_unless_a_late_one_has_it(monkeypatch) -> None:
    # The record of cycle 1 says no more than when it slept.
    sleeps = entries_at([-900.0, 147.0, 900.0], record=[4, 1, 3], rank=[0, 1, 4], half_s=[1.8] * 3)
    sure = choice_of([0, 2], [0, 2], [1.0] * 2, offset_s=[7.0] * 2)

    by_sleep = answer(monkeypatch, sure, sleeps=sleeps, late=((1, 20.0),))
    of_another = replace(sleeps, record=np.array([4, 3, 0]))
    both = answer(monkeypatch, sure, sleeps=of_another, late=((1, 3.0),))

    assert by_sleep.pairs == ((0, 0), (1, 1), (2, 2))
    assert by_sleep.probability[1] > 0.99
    assert both.pairs == ((0, 0), (1, 1), (2, 2))
    doubted = choice_of([0, 2], [0, 2], [0.985] * 2, offset_s=[7.0] * 2)
    assert answer(monkeypatch, doubted, sleeps=sleeps, late=((1, 20.0),)).pairs == ((0, 0), (2, 2))
