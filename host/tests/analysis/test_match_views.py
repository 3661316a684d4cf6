"""One record of each cycle from what all ways say, and one answer of two views of a log.

How both views are weighed is asked of `_Followed`, in whose place numbers stand: to make two logs
whose evidence is as wanted takes whole campaigns (test_match_clock_settings.py).
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from match_campaigns import os_record
from plain_match import choice_of, cycles_at, entries_at

from resume_rig.analysis.match import views
from resume_rig.analysis.match.chain import Chain
from resume_rig.analysis.match.foreign import NO_PAIRS, Origin
from resume_rig.analysis.match.likelihood import Length, Noise, gains, lost_cost
from resume_rig.analysis.match.match import OutsideMoments
from resume_rig.analysis.match.offsets import Tracks
from resume_rig.analysis.match.order import doubted_by_order, in_order
from resume_rig.analysis.match.pairs import columns_of, moments_of, record_times
from resume_rig.analysis.match.times import arrivals_of
from resume_rig.analysis.match.trace import Traced
from resume_rig.analysis.match.views import Found, View, choose, likeliest, related, with_beat
from resume_rig.model.os_record import NO_SLEEPS, Figure

S = 1_000_000_000
NOISE = Noise(half_s=0.7, lost=0.2, others_hz=1 / 600)


def one_track(n: int, offset_s: float = 0.0) -> Tracks:
    return Tracks(np.array([0, n]), np.array([[offset_s]]), np.zeros((1, 1)), np.zeros(1))


@pytest.mark.parametrize("n", [1, 64, 65, 150])
def test_what_a_reading_adds_is_what_its_neighbours_have_not_said(n) -> None:
    random = np.random.default_rng(n)
    at_s = 40.0 * np.arange(n) + random.uniform(0, 9, n)
    error_s = np.cumsum(random.uniform(-0.5, 0.5, n)) % 2.4 - 1.2
    error_s[::7] += random.choice([-5.0, 5.0])
    drift = 1e-5
    first = np.array([0, n // 2, n]) if n > 1 else np.array([0, 1])
    offset_s = np.array([[3.0, 9.0], [7.0, 9.0]])[: len(first) - 1]
    rate = np.full_like(offset_s, drift)
    tracks = Tracks(first, offset_s, rate, at_s[first[:-1]])
    stretch = (np.arange(n) >= n // 2).astype(int) * (n > 1)
    log_s = at_s + offset_s[stretch, 0] + drift * (at_s - at_s[first[stretch]]) + error_s

    found = with_beat(cycles_at(at_s), entries_at(np.sort(log_s)), tracks)

    known = np.where(np.abs(error_s) <= 1.3, error_s, 0.0).tolist()
    for low in range(0, n, 64):
        rows = range(low, min(low + 64, n))
        own = sum(known[row] ** 2 for row in rows)
        # An error is shared with the one before it, of the stretch before it too.
        shared = sum(known[row] * known[row - 1] for row in rows if row)
        together = min(max(shared / own, 0.0), 1.0) if own else 0.0
        adds = max((1 - together) / (1 + together), 0.01)
        assert found.information[low : rows[-1] + 1] == pytest.approx(np.full(len(rows), adds))


@pytest.mark.parametrize(
    ("error_s", "adds"),
    [
        ([0.5, 0.5, 0.5, 0.5], (1 - 0.75) / (1 + 0.75)),
        ([1.29, 1.29], (1 - 0.5) / (1 + 0.5)),
        ([1.31, 1.31], 1.0),
        ([0.5, -0.5], 1.0),
        ([0.9] * 48, 1 / 95),
        ([0.9] * 64, 0.01),
        ([0.0] * 5, 1.0),
    ],
)
def test_errors_that_are_alike_are_said_once(error_s, adds) -> None:
    cycles = cycles_at(32.0 * np.arange(len(error_s)))
    log_s = cycles.at_s + np.array(error_s)

    found = with_beat(cycles, entries_at(log_s), one_track(len(error_s)))

    assert found.information.tolist() == pytest.approx([adds] * len(error_s))
    assert found.at_s.tolist() == cycles.at_s.tolist()


@pytest.mark.parametrize(("away_s", "adds"), [(1.3, 1 / 3), (np.nextafter(1.3, 2), 1.0)])
def test_an_entry_that_is_farther_than_1_3_s_says_nothing(away_s, adds) -> None:
    found = with_beat(cycles_at([away_s, away_s]), entries_at([0.0]), one_track(2))

    assert found.information.tolist() == pytest.approx([adds, adds])


def test_how_likely_a_log_is_of_these_cycles() -> None:
    cycles, entries = cycles_at([50.0, 80.0]), entries_at([7.0, 107.0])

    def likely(evidence, both_utc):
        return related(evidence, NOISE, entries, cycles, both_utc=both_utc)

    # One log in ten is of none, and its offset is anywhere within the spans and an hour.
    elsewhere = 0.1 / (100 + 30 + 3600) * 600
    assert likely(0.0, False) == pytest.approx(1 / (1 + elsewhere))
    assert likely(-3.0, False) == pytest.approx(1 / (1 + elsewhere * math.exp(3)))
    a_week = 0.1 / (7 * 86_400) * 600
    assert likely(-9.0, True) == pytest.approx(1 / (1 + a_week * math.exp(9)))
    long = entries_at([7.0, 7.0 + 8 * 86_400])
    longer = 0.1 / (8 * 86_400 + 30 + 3600) * 600
    found = related(-9.0, NOISE, long, cycles, both_utc=True)
    assert found == pytest.approx(1 / (1 + longer * math.exp(9)))
    assert likely(-1e6, True) == pytest.approx(0.0, abs=1e-300)
    assert likely(1e6, True) == 1.0


def shares(cycles, entries, tracks, chain):
    """Return how likely each record is that of each cycle, all candidates together."""
    found, best = {}, {}
    for row, slot, likely in zip(chain.rows, chain.slots, chain.probability, strict=True):
        stretch = int((row >= tracks.first[1:-1]).sum())
        away_s = cycles.at_s[row] - tracks.middle_s[stretch]
        offset_s = tracks.offset_s[stretch, slot] + tracks.rate[stretch, slot] * away_s
        where = np.array([row]), np.array([offset_s])
        near = gains(cycles, entries, *where, NOISE)
        lost = lost_cost(cycles, entries, *where, NOISE)
        for entry, gain, error_s in zip(near.entry, near.gain, near.residual_s, strict=True):
            share = math.exp(gain - near.either(lost)[0]) * likely
            pair = int(row), int(entries.record[entry])
            if share > 1e-4:
                found[pair] = found.get(pair, 0.0) + share
                best[pair] = max(best.get(pair, (0.0,)), (share, int(entry), offset_s, error_s))
    return found, best


@pytest.mark.parametrize("seed", range(8))
def test_the_likeliest_record_of_each_cycle_is_chosen(seed) -> None:
    random = np.random.default_rng(seed)
    n = 24
    at_s = np.cumsum(random.uniform(1.5, 30, n))
    record = np.repeat(np.arange(n), 2)
    log_s = np.repeat(at_s, 2) + random.uniform(-1, 1, 2 * n)
    order = np.argsort(log_s)
    log_s, record = log_s[order], record[order]
    cycles, entries = cycles_at(at_s), entries_at(log_s, record=record)
    tracks = Tracks(
        np.array([0, 10, n]), np.array([[0.1, -0.4, 3.0], [0.3, -0.6, 1.0]]),
        random.uniform(-1e-3, 1e-3, (2, 3)), np.array([50.0, 200.0]),
    )  # fmt: skip
    rows, slots = np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)
    if seed % 2:  # one candidate of each
        rows, slots = np.arange(n), random.integers(0, 3, n)
    likely = random.choice([1e-4, 0.3, 0.6, 0.9], len(rows))
    chain = Chain(rows, slots, likely, 50.0)

    found = choose(cycles, entries, tracks, chain, NOISE, both_utc=True)

    tied = related(50.0, NOISE, entries, cycles, both_utc=True)
    sums, best = shares(cycles, entries, tracks, chain)
    pairs = sorted(sums)
    options = choice_of(
        *zip(*pairs, strict=True), [min(sums[each] * tied, 1.0) for each in pairs],
        entry=[best[each][1] for each in pairs], offset_s=[best[each][2] for each in pairs],
        residual_s=[best[each][3] for each in pairs],
    )  # fmt: skip
    first = {}
    for at, (row, _) in enumerate(pairs):
        if row not in first or options.probability[at] > options.probability[first[row]]:
            first[row] = at
    plain = options.where(np.array(sorted(first.values())))
    plain = doubted_by_order(in_order(plain, entries), options, entries)
    assert (found.rows.tolist(), found.record.tolist()) == (
        plain.rows.tolist(),
        plain.record.tolist(),
    )
    assert found.entry.tolist() == plain.entry.tolist()
    for name in ("probability", "offset_s", "residual_s"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), abs=1e-9)


@pytest.mark.parametrize(("likely", "count"), [(1.2e-4, 1), (0.9e-4, 0)])
def test_what_is_less_likely_than_1_of_10_000_is_no_record(likely, count) -> None:
    chain = Chain(np.array([0]), np.array([0]), np.array([likely]), 50.0)

    found = choose(cycles_at([0.0]), entries_at([0.0]), one_track(1), chain, NOISE, both_utc=False)

    assert len(found.rows) == count


def test_where_the_log_is_hardly_of_these_cycles_none_has_a_likely_record() -> None:
    cycles, entries = cycles_at([0.0]), entries_at([0.0])
    chain = Chain(np.array([0]), np.array([0]), np.ones(1), -8.0)

    found = choose(cycles, entries, one_track(1), chain, NOISE, both_utc=False)

    tied = related(-8.0, NOISE, entries, cycles, both_utc=False)
    assert found.probability == pytest.approx(tied, rel=0.02)
    assert tied < 0.03


def log_of(*wakes_s, settings_s=()):
    """Return records that woke then; some report by how much their clock was set before."""
    records = [os_record(wake_time_utc_ns=at_s * S) for at_s in wakes_s]
    for at, set_s in enumerate(settings_s):
        records[at] = replace(records[at], figures=(Figure("clock_stepped_us", set_s * 1e6),))
    return record_times(columns_of(records), NO_SLEEPS)


CYCLES = moments_of([OutsideMoments((at - 20) * S, at * S) for at in (100, 160, 230, 310)])
READ = arrivals_of((), 4, 4)


class Followed:
    """What `_Followed` would say of a view: 50 at its own rate, `said` by (unset, rate)."""

    def __init__(self, view, said, founds):
        self.view, self.noise = view, Noise(others_hz=0.5 if self._unset(view) else 0.25)
        self._said, self._founds = said, founds

    @staticmethod
    def _unset(view):
        return bool(view.entries.settings_s.any())

    def evidence(self, others_hz):
        return self._said[self._unset(self.view), others_hz]

    def found(self, *, both_utc):
        assert both_utc
        return replace(self._founds[self._unset(self.view)], view=self.view)


def found_of(chosen, origin=NO_PAIRS, own=1.0) -> Found:
    nothing = np.zeros(0)
    chain = Chain(np.zeros(0, int), np.zeros(0, int), nothing, 0.0)
    return Found(None, chosen, chosen, Noise(), chain, 0.9, origin, np.full(len(chosen.rows), own))


AS_IS = found_of(choice_of([0, 1, 3], [0, 1, 3], [0.9, 0.8, 1.0]))
UNSET = found_of(choice_of([1, 2, 3], [1, 0, 3], [0.7, 0.9, 0.6]))


def answer(monkeypatch, said, *, as_is=AS_IS, unset=UNSET, settings_s=(0, 40)):
    class Stand:
        @staticmethod
        def of(view, *, both_utc):
            assert both_utc
            return Followed(view, said, {False: as_is, True: unset})

    monkeypatch.setattr(views, "_Followed", Stand)
    times = log_of(100, 200, 270, 350, settings_s=settings_s)
    return likeliest(CYCLES, times, READ, None, both_utc=True)


def evidence(by_as_is, by_unset, *, as_is=100.0):
    """Return what each view says at either rate: so much more by the one without settings."""
    return {
        (False, 0.25): as_is, (False, 0.5): as_is + 7,
        (True, 0.25): as_is + by_as_is, (True, 0.5): as_is + 7 + by_unset,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("by_as_is", "by_unset", "odds"),
    [
        (-2.0, -3.0, -2.0),
        (-3.0, -2.0, -2.0),
        (2.0, 3.0, 2.0),
        (3.0, 2.0, 2.0),
        # Where the two contradict each other, nothing is said.
        (-2.0, 3.0, 0.0),
        (2.0, -3.0, 0.0),
        (0.0, 3.0, 0.0),
    ],
)
def test_two_views_are_weighed_by_what_each_explains(monkeypatch, by_as_is, by_unset, odds) -> None:
    found = answer(monkeypatch, evidence(by_as_is, by_unset))

    unset = 1 / (1 + math.exp(-odds))
    if odds > 0:
        assert found.view.entries.settings_s.any()
        expected = {
            (1, 1): unset * 0.7 + (1 - unset) * 0.8, (2, 0): unset * 0.9,
            (3, 3): unset * 0.6 + 1 - unset,
        }  # fmt: skip
    else:
        assert not found.view.entries.settings_s.any()
        expected = {
            (0, 0): (1 - unset) * 0.9, (1, 1): (1 - unset) * 0.8 + unset * 0.7,
            (3, 3): 1 - unset + unset * 0.6,
        }  # fmt: skip
    chosen = found.chosen
    pairs = zip(chosen.rows.tolist(), chosen.record.tolist(), strict=True)
    likely = dict(zip(pairs, chosen.probability.tolist(), strict=True))
    assert likely == pytest.approx(expected)


@pytest.mark.parametrize(("odds", "is_weighed"), [(-13.7, True), (-13.9, False), (-1e9, False)])
def test_a_view_of_one_in_a_million_changes_nothing(monkeypatch, odds, is_weighed) -> None:
    found = answer(monkeypatch, evidence(odds, odds))

    changed = found.chosen.probability != np.array([0.9, 0.8, 1.0])
    assert changed.all() if is_weighed else not changed.any()


def test_another_view_without_a_pair_takes_its_share_of_all(monkeypatch) -> None:
    found = answer(monkeypatch, evidence(-1.0, -1.0), unset=found_of(choice_of([], [], [])))

    share = 1 / (1 + math.exp(1.0))
    assert found.chosen.probability == pytest.approx((1 - share) * np.array([0.9, 0.8, 1.0]))


@pytest.mark.parametrize("settings_s", [(), (0.5,)])
def test_a_log_that_reports_no_lasting_setting_has_one_view(monkeypatch, settings_s) -> None:
    found = answer(monkeypatch, {}, settings_s=settings_s)

    assert found.chosen.probability.tolist() == [0.9, 0.8, 1.0]


def test_times_stay_as_they_are_where_the_campaign_begins(monkeypatch) -> None:
    # The settings are counted from the record next to the first cycle, which is the second.
    seen = []

    class Stand(Followed):
        @classmethod
        def of(cls, view, *, both_utc):
            seen.append(view.entries.at_s + (view.entries.base_ns - CYCLES.base_ns) * 1e-9)
            return cls(view, evidence(-99.0, -99.0), {False: AS_IS, True: UNSET})

    monkeypatch.setattr(views, "_Followed", Stand)

    likeliest(CYCLES, log_of(20, 101, 270, 350, settings_s=(0, 40, 7)), READ, None, both_utc=True)

    as_is, unset = seen
    assert (as_is - unset).tolist() == pytest.approx([-40.0, 0.0, 7.0, 7.0])


@pytest.mark.parametrize(
    ("origin", "certain", "factor"),
    [
        (NO_PAIRS, 0, 1.0),
        (Origin(9.0, 3, 4), 2, 0.5),
        (Origin(9.0, 3, 4), 3, 1.0),
        (Origin(12.5, 3, 4), 2, 1.0),
        (Origin(9.0, 3, 4, read_live=True), 0, 1.0),
    ],
)
def test_pairs_that_are_less_than_half_of_the_cycles_are_no_likelier_than_not(
    monkeypatch, origin, certain, factor
) -> None:
    likely = [0.98 / 0.995 + 1e-9] * certain + [0.9] * (3 - certain)
    chosen = choice_of([0, 1, 2], [0, 1, 2], likely)

    found = answer(monkeypatch, {}, as_is=found_of(chosen, origin, own=0.995), settings_s=())

    assert found.chosen.probability == pytest.approx(factor * 0.995 * chosen.probability)
    assert (len(found.possible.rows), found.related) == (3, 0.9)


@pytest.mark.parametrize(("log_odds", "is_foreign"), [(-4.6, True), (-4.59, False)])
def test_of_a_log_of_another_unit_nothing_is_left(monkeypatch, log_odds, is_foreign) -> None:
    as_is = found_of(AS_IS.chosen, Origin(log_odds, 3, 4, read_live=True))

    found = answer(monkeypatch, {}, as_is=as_is, settings_s=())

    left = 0 if is_foreign else 3
    assert (len(found.chosen.rows), len(found.possible.rows)) == (left, left)
    assert found.related == (0.0 if is_foreign else 0.9)


def test_wakes_are_held_against_wakes_else_sleeps_against_sleeps() -> None:
    def view_of(records, cycles=CYCLES):
        times = record_times(columns_of(records), NO_SLEEPS)
        return likeliest(cycles, times, arrivals_of((), len(records), 4), None, both_utc=True).view

    wakes = [os_record(wake_time_utc_ns=at * S) for at in (101, 161)]
    sleeps = [os_record(sleep_time_utc_ns=at * S) for at in (80, 140)]
    dark = moments_of([OutsideMoments(at * S, None) for at in (80, 140)])
    by_wake = view_of([*wakes, *sleeps])
    assert (by_wake.by_wake, by_wake.is_empty) == (True, False)
    assert (len(by_wake.entries.at_s), len(by_wake.sleeps.at_s), len(by_wake.cycles.at_s)) == (
        2,
        2,
        4,
    )
    assert by_wake.cycles.at_s.tolist() == pytest.approx([0, 60, 130, 210])
    by_sleep = view_of(sleeps)
    assert (by_sleep.by_wake, by_sleep.is_empty) == (False, False)
    assert by_sleep.cycles.at_s.tolist() == pytest.approx([-20, 40, 110, 190])
    none_woke = view_of([*wakes, *sleeps], dark)
    assert (none_woke.by_wake, len(none_woke.entries.at_s)) == (False, 2)


def test_of_no_record_or_no_cycle_nothing_is_found() -> None:
    none_slept = moments_of([OutsideMoments(None, None)])
    for cycles, times, records in ((CYCLES, log_of(), 0), (none_slept, log_of(100), 1)):
        found = likeliest(cycles, times, arrivals_of((), records, 4), None, both_utc=True)

        assert found.view.is_empty
        assert (len(found.chosen.rows), len(found.possible.rows), len(found.own)) == (0, 0, 0)
        assert (len(found.chain.rows), found.chain.evidence, found.related) == (0, 0.0, 0.0)
        assert (found.noise, found.origin) == (Noise(), NO_PAIRS)


def test_of_two_entries_as_far_away_the_one_before_counts() -> None:
    found = with_beat(cycles_at([0.0, 10.0]), entries_at([-1.0, 1.0, 10.5]), one_track(2))

    assert found.information.tolist() == [1.0, 1.0]


def test_one_cycle_and_one_record_are_something() -> None:
    one, none = entries_at([0.0]), entries_at([])

    assert not View(cycles_at([0.0]), one, one).is_empty
    assert View(cycles_at([0.0]), none, none).is_empty
    assert View(cycles_at([]), one, one).is_empty


@pytest.fixture
def stages(monkeypatch):
    """Return what each stage of a view was given; chains and choices are numbers in a row."""
    given = {
        name: [] for name in ("traced", "find_tracks", "with_beat", "follow", "choose", "learnt")
    }
    chosen = choice_of([0, 1, 2], [3, 4, 5], [0.4, 0.51, 0.9], residual_s=[0.1, 0.2, 0.3])
    nothing = Chain(np.zeros(0, int), np.zeros(0, int), np.zeros(0), 0.0)
    answers = {
        "traced": lambda *_: given.get("trace"),
        "find_tracks": lambda cycles, *_: one_track(len(cycles.at_s), 7.0),
        "with_beat": lambda cycles, *_: replace(cycles, information=cycles.information / 4),
        "follow": lambda *_: replace(nothing, evidence=10.0 * len(given["follow"])),
        "choose": lambda *_, **__: chosen,
        "learnt": lambda noise, *_, **__: replace(noise, lost=noise.lost / 2),
    }  # fmt: skip

    def stand_in(name):
        def called(*args, **named):
            given[name].append((*args, named))
            return answers[name](*args, **named)

        return called

    for name in answers:
        monkeypatch.setattr(views, name, stand_in(name))
    return given


def followed(n=3, *, stated_pair=None, by_wake=True, both_utc=True):
    entries = entries_at(np.arange(6.0))
    cycles = cycles_at(np.arange(float(n)), stated_pair=stated_pair)
    view = View(cycles, entries, entries_at([]) if by_wake else entries)
    return views._Followed.of(view, both_utc=both_utc)


def test_what_a_campaign_is_like_is_learnt_in_two_rounds_from_what_is_likely(stages) -> None:
    found = followed()

    lost = [args[3].lost for args in stages["follow"]]
    assert lost == pytest.approx([0.1, 0.05, 0.025])
    assert [args[4].lost for args in stages["choose"]] == pytest.approx([0.1, 0.05])
    for *_, named in stages["learnt"]:
        assert (named["rows"].tolist(), named["entry"].tolist()) == ([1, 2], [4, 5])
        assert named["residual_s"].tolist() == [0.2, 0.3]
    assert (found.noise.lost, found.chain.evidence) == (pytest.approx(0.025), 30.0)
    assert stages["with_beat"] == []
    ((*_, expected_s, traced_s, _),) = stages["find_tracks"]
    assert (expected_s, traced_s.tolist()) == (0.0, [])
    # At another rate of other records, all ways are weighed once more.
    assert found.evidence(found.noise.others_hz) == 30.0
    assert found.evidence(0.5) == 40.0
    assert stages["follow"][-1][3] == replace(found.noise, others_hz=0.5)


@pytest.mark.parametrize(("n", "is_heard"), [(4095, False), (4096, True)])
def test_the_beat_of_a_long_campaign_is_heard(stages, n, is_heard) -> None:
    found = followed(n)

    assert len(stages["with_beat"]) == is_heard
    assert found.cycles.information[0] == (0.25 if is_heard else 1.0)
    assert all(args[0].information[0] == found.cycles.information[0] for args in stages["follow"])


@pytest.mark.parametrize(
    ("fields", "is_asked"),
    [({}, True), ({"by_wake": False}, False), ({"stated_pair": (0, 0)}, False)],
)
def test_the_trace_of_a_unit_ties_wakes_that_nobody_tied(stages, fields, is_asked) -> None:
    length = Length(to_sleep=False, bias_s=0.0, scale_s=0.1, range_s=9.0)
    stages["trace"] = Traced(np.array([4.0, 5.0]), length)

    followed(**fields, both_utc=False)

    assert len(stages["traced"]) == is_asked
    ((*_, expected_s, traced_s, _),) = stages["find_tracks"]
    assert (expected_s, traced_s.tolist()) == (None, [4.0, 5.0] if is_asked else [])
    assert [args[3].length for args in stages["follow"]] == [length if is_asked else None] * 3


def test_clocks_that_agree_differ_by_their_bases() -> None:
    view = View(
        cycles_at([0.0], base_ns=7 * S), entries_at([0.0], base_ns=9 * S), entries_at([0.0])
    )

    assert (view.expected_s(True), view.expected_s(False)) == (-2.0, None)
