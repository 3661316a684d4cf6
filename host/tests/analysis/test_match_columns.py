"""What the match reads of cycles and records as columns, held against one record at a time."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from match_campaigns import os_record
from plain_match import cycles_at, entries_at, lag_gain, wake_moments

from resume_rig.analysis.match import times as times_module
from resume_rig.analysis.match.match import OutsideMoments
from resume_rig.analysis.match.pairs import Pairs, columns_of, moments_of, record_times
from resume_rig.analysis.match.times import (
    FROM_IMAGE_BITS,
    LOG_LAG_LIKELY,
    UNKNOWN,
    USUAL_LAGS,
    arrivals_of,
    bits_of,
    clock_settings_of,
    codes_of,
    cycle_times,
    sleep_entries,
    wake_entries,
)
from resume_rig.model.os_record import NO_SLEEPS, Figure, SleepKind

S = 1_000_000_000
MS = 1_000_000
UTC_NS = 1_777_000_000 * S
KINDS = (SleepKind.S3, SleepKind.S3, SleepKind.S4, SleepKind.FAST_STARTUP, SleepKind.ABORTED)


def some_records(seed: int, n: int = 40, *, sources: int = 1):
    """Return records half a minute from each other, of which each lacks something now and then."""
    random = np.random.default_rng(seed)

    def now_and_then(value, share):
        return None if random.random() < share else int(value)

    records = []
    for at in range(n):
        woke_ns = UTC_NS + at * 30 * S + int(random.integers(0, 3 * S))
        records.append(
            os_record(
                kind=KINDS[int(random.integers(len(KINDS)))],
                source=int(random.integers(sources)),
                wake_time_utc_ns=now_and_then(woke_ns, 0.1),
                sleep_time_utc_ns=now_and_then(woke_ns - random.integers(12, 15) * S, 0.1),
                sleep_ms=now_and_then(random.integers(0, 1400), 0.3),
                wake_ms=now_and_then(random.integers(300, 2000), 0.3),
                bios_init_ms=now_and_then(random.choice([100, 200, 900, 60_000, 60_001]), 0.3),
                hiber_read_ms=now_and_then(random.integers(2000, 3000), 0.5),
            )
        )
    return records


def base_ns(records) -> int:
    times_ns = (r.wake_time_utc_ns or r.sleep_time_utc_ns for r in records)
    return next(at_ns for at_ns in times_ns if at_ns)


@pytest.mark.parametrize("seed", range(12))
def test_a_wake_of_the_wires_is_told_by_what_the_record_and_its_like_say(seed) -> None:
    n = (1, 4, 12, 40)[seed % 4]
    records = some_records(seed, n, sources=1 + seed // 4)
    arrived_at = [None if at % 5 == 0 else at // 2 for at in range(n)]
    read = arrivals_of(arrived_at, n, n)
    times = record_times(columns_of(records), [SleepKind.ABORTED])

    found = wake_entries(times, read)

    chosen = [
        at
        for at, r in enumerate(records)
        if r.wake_time_utc_ns is not None and r.kind is not SleepKind.ABORTED
    ]
    moments = sorted(wake_moments(records, chosen), key=lambda each: each["at_s"])
    zero_s = base_ns(records) / 1e9
    assert found.base_ns == base_ns(records)
    assert found.record.tolist() == [each["record"] for each in moments]
    assert found.at_s + zero_s == pytest.approx([each["at_s"] for each in moments], abs=2e-6)
    for name in ("log_weight", "half_s", "asleep_s", "took_s", "resume_s"):
        expected = [each[name] for each in moments]
        assert getattr(found, name) == pytest.approx(expected, abs=2e-6, nan_ok=True), name
    assert found.widest_s == max((each["half_s"] for each in moments), default=0.0)
    assert found.kind.tolist() == [bits_of([records[at].kind]) for at in found.record]
    assert found.source.tolist() == [records[at].source for at in found.record]
    assert found.rank.tolist() == times.rank[found.record].tolist()
    assert found.reading.tolist() == read.of_record[found.record].tolist()
    assert found.settings_s.tolist() == [0.0] * len(moments)
    main_s = {each["record"]: each["at_s"] for each in moments}
    for each in wake_moments(records, chosen):
        main_s[each["record"]] = each["at_s"]  # the one with its firmware comes last
    fell_s = {each["record"]: each["sleep_s"] for each in moments}
    in_order = sorted(chosen, key=lambda at: times.rank[at])
    for at, before, awake_s in zip(
        found.record.tolist(), found.before.tolist(), found.awake_s.tolist(), strict=True
    ):
        earlier = [
            o
            for o in in_order
            if records[o].source == records[at].source and times.rank[o] < times.rank[at]
        ]
        assert before == (earlier[-1] if earlier else -1)
        since_s = (
            math.nan if not earlier or fell_s[at] is None else fell_s[at] - main_s[earlier[-1]]
        )
        assert awake_s == pytest.approx(since_s, abs=2e-6, nan_ok=True)


def test_a_firmware_time_is_doubted_from_0_3_s_on() -> None:
    # In binary floats 0.5 - 0.2 is below 0.3, and 0.8 - 0.5 is above.
    for usual_ms, own_ms, count in ((500, 200, 4), (500, 800, 5), (500, 801, 5), (500, 199, 5)):
        records = [
            os_record(wake_time_utc_ns=at * 60 * S, bios_init_ms=usual_ms) for at in (1, 2, 3)
        ]
        records.append(os_record(wake_time_utc_ns=240 * S, bios_init_ms=own_ms))
        found = wake_entries(record_times(columns_of(records), NO_SLEEPS), arrivals_of((), 4, 0))
        assert len(found.at_s) == count


@pytest.mark.parametrize(
    ("fields", "is_doze"),
    [
        ({}, True),
        ({"sleep_time_utc_ns": UTC_NS - 2 * S + 1000}, True),
        ({"sleep_time_utc_ns": UTC_NS - 2 * S}, False),
        ({"sleep_time_utc_ns": UTC_NS + 2 * S}, False),
        ({"sleep_time_utc_ns": None}, False),
        ({"sleep_ms": 1}, False),
        ({"wake_ms": 1}, False),
        ({"bios_init_ms": 1}, False),
        ({"bios_init_ms": 60_001}, False),
        ({"hiber_read_ms": 1}, True),
    ],
)
def test_a_wake_that_is_its_sleep_with_nothing_measured_is_a_doze(fields, is_doze) -> None:
    nothing = dict.fromkeys(("sleep_ms", "wake_ms", "bios_init_ms", "hiber_read_ms"))
    record = os_record(
        **{"wake_time_utc_ns": UTC_NS, "sleep_time_utc_ns": UTC_NS, **nothing, **fields}
    )

    times = record_times(columns_of([record]), NO_SLEEPS)

    assert times.is_doze.tolist() == [is_doze]
    assert len(wake_entries(times, arrivals_of((), 1, 0)).at_s) == (not is_doze)


def test_of_sleeps_alone_the_record_tells_no_more_than_when() -> None:
    records = some_records(3, 30)
    records[3:6] = [replace(records[3], wake_time_utc_ns=None, sleep_time_utc_ns=UTC_NS)] * 3
    records += [replace(each, wake_time_utc_ns=None) for each in records[10:20]]
    times = record_times(columns_of(records), [SleepKind.ABORTED])

    found = sleep_entries(times, arrivals_of([7] * 40, 40, 9))

    own = [
        (r.sleep_time_utc_ns / 1e9 + (r.sleep_ms or 0) / 1e3, at)
        for at, r in enumerate(records)
        if r.wake_time_utc_ns is None
        and r.sleep_time_utc_ns is not None
        and r.kind is not SleepKind.ABORTED
    ]
    assert found.record.tolist() == [at for _, at in sorted(own)]
    assert found.at_s + base_ns(records) / 1e9 == pytest.approx(
        [s for s, _ in sorted(own)], abs=2e-6
    )
    wide = [
        8.0 if records[at].kind in (SleepKind.S4, SleepKind.FAST_STARTUP) else 1.8
        for at in found.record
    ]
    assert found.half_s.tolist() == wide
    assert found.widest_s == max(wide)
    assert found.before.tolist() == [-1] * len(own)
    assert found.reading.tolist() == [0] * len(own)
    assert found.log_weight.tolist() == [0.0] * len(own)
    for unknown in (found.asleep_s, found.awake_s, found.took_s, found.resume_s):
        assert np.isnan(unknown).all()


def test_a_record_with_the_times_of_another_is_doubled_and_the_fullest_is_kept() -> None:
    full = os_record(wake_time_utc_ns=UTC_NS, sleep_time_utc_ns=UTC_NS - 9 * S)
    later = replace(full, wake_time_utc_ns=UTC_NS + S)
    records = [
        replace(full, bios_init_ms=None, sleep_ms=None),
        replace(full, sleep_ms=None),
        replace(later, kind=SleepKind.BOOT),
        full,
        replace(full, bios_init_ms=None),
        replace(full, sleep_time_utc_ns=None),
        later,
        replace(full, sleep_time_utc_ns=None),
        replace(full, wake_time_utc_ns=None),
        replace(full, wake_time_utc_ns=None),
        replace(full),
    ]

    times = record_times(columns_of(records), NO_SLEEPS)

    assert times.doubled_of.tolist() == [3, 3, -1, -1, 3, -1, -1, 5, -1, -1, 3]


@pytest.mark.parametrize(
    ("missing", "kept"),
    [
        (({"bios_init_ms": None}, {}), 1),
        (({"sleep_ms": None}, {}), 1),
        (({"sleep_ms": None}, {"bios_init_ms": None}), 0),
        (({"bios_init_ms": None, "sleep_ms": None}, {"bios_init_ms": None}), 1),
        (({"bios_init_ms": 60_001}, {"bios_init_ms": 60_000}), 1),
        # The length of the wake is no reason.
        (({"wake_ms": None}, {}), 0),
    ],
)
def test_of_two_with_the_same_times_the_one_that_lacks_less_is_kept(missing, kept) -> None:
    same = {"wake_time_utc_ns": UTC_NS, "sleep_time_utc_ns": UTC_NS - 9 * S}
    records = [os_record(**same, **each) for each in missing]

    doubled_of = record_times(columns_of(records), NO_SLEEPS).doubled_of

    assert doubled_of.tolist() == ([-1, 0] if kept == 0 else [1, -1])


@pytest.mark.parametrize(
    ("wakes_s", "sleeps_s", "sources", "rank"),
    [
        # Of one document as it is, wherever its clock stood.
        ((30, 10, None, 20), (None,) * 4, (4, 4, 4, 4), (0, 1, 2, 3)),
        ((None, 10, 20, 30), (None,) * 4, (4, 4, 4, 4), (0, 1, 2, 3)),
        ((20, 40, 10, 30), (None,) * 4, (0, 0, 1, 1), (1, 3, 0, 2)),
        # What has no wake stands by its sleep; what went back, behind the one before it.
        ((20, None, 10, 15), (None, 30, None, 50), (0, 0, 1, 1), (1, 2, 0, 3)),
        ((40, 10, 30, 50), (None,) * 4, (0, 0, 1, 1), (1, 2, 0, 3)),
        # Equal times stand as they were given.
        ((20, 20, 20, 10), (None,) * 4, (1, 0, 1, 2), (1, 2, 3, 0)),
    ],
)
def test_records_of_several_documents_are_ranked_by_time(wakes_s, sleeps_s, sources, rank) -> None:
    records = [
        os_record(
            wake_time_utc_ns=wake_s and wake_s * S, sleep_time_utc_ns=sleep_s and sleep_s * S,
            source=source,
        )
        for wake_s, sleep_s, source in zip(wakes_s, sleeps_s, sources, strict=True)
    ]  # fmt: skip

    assert record_times(columns_of(records), NO_SLEEPS).rank.tolist() == list(rank)


def test_no_record_and_no_cycle_are_columns_of_nothing() -> None:
    times = record_times(columns_of([]), NO_SLEEPS)

    assert (times.base_ns, len(times.rank), times.settings) == (0, 0, None)
    assert moments_of([]).base_ns == 0
    assert len(wake_entries(times, arrivals_of((), 0, 0)).at_s) == 0


def test_what_records_say_becomes_columns() -> None:
    first = os_record(wake_time_utc_ns=0, sleep_time_utc_ns=5 * S, hiber_read_ms=2500, source=7)
    second = os_record(
        kind=SleepKind.S4, wake_time_utc_ns=UTC_NS + 1, sleep_time_utc_ns=None, sleep_ms=None,
        wake_ms=851, bios_init_ms=None,
    )  # fmt: skip
    far = os_record(wake_time_utc_ns=10**30, sleep_time_utc_ns=-(10**30))

    found = columns_of([first, second, far])

    assert found.base_ns == 5 * S
    assert found.wake_s.tolist() == [
        -5.0,
        float(UTC_NS + 1 - 5 * S) * 1e-9,
        float(10**30 - 5 * S) * 1e-9,
    ]
    assert found.began_s.tolist() == pytest.approx([0, np.nan, -1e21], nan_ok=True)
    assert found.took_s.tolist() == pytest.approx([1.4, np.nan, 1.4], nan_ok=True)
    assert found.wake_took_s.tolist() == pytest.approx([0.85, 0.851, 0.85])
    assert found.firmware_s.tolist() == pytest.approx([0.2, np.nan, 0.2], nan_ok=True)
    assert found.read_s.tolist() == pytest.approx([2.5, np.nan, np.nan], nan_ok=True)
    assert found.kind.tolist() == codes_of([SleepKind.S3, SleepKind.S4, SleepKind.S3])
    assert found.source.tolist() == [7, 0, 0]
    assert found.settings is None
    assert columns_of([second]).base_ns == UTC_NS + 1
    times = record_times(found, NO_SLEEPS)
    assert times.sleep_s.tolist() == pytest.approx([1.4, np.nan, -1e21], nan_ok=True)


def test_kinds_have_bits() -> None:
    kinds = [*SleepKind]
    assert codes_of(kinds) == list(range(len(kinds)))
    assert bits_of(kinds) == 2 ** len(kinds) - 1
    assert bits_of([]) == 0
    assert FROM_IMAGE_BITS == 2**3 + 2**4


def test_when_cycles_slept_and_woke_becomes_columns() -> None:
    cycles = [
        OutsideMoments(None, None),
        OutsideMoments(3 * S, None, frozenset({SleepKind.S1}), 0.5),
        OutsideMoments(4 * S, 9 * S, to_sleep_ns=1_500_000_000),
    ]

    found = moments_of(cycles)

    assert found.base_ns == 3 * S
    assert found.asleep_s.tolist() == pytest.approx([np.nan, 0, 1], nan_ok=True)
    assert found.awake_s.tolist() == pytest.approx([np.nan, np.nan, 6], nan_ok=True)
    assert (found.unlike.tolist(), found.silent.tolist()) == ([0, 1, 0], [0, 0.5, 0])
    assert found.to_sleep_s.tolist() == pytest.approx([np.nan, np.nan, 1.5], nan_ok=True)
    assert moments_of(cycles[::-1]).base_ns == 9 * S


@pytest.mark.parametrize("by_wake", [True, False])
def test_cycles_stand_in_the_order_of_their_times(by_wake) -> None:
    moments = moments_of([
        OutsideMoments(0, 10 * S, frozenset({SleepKind.S3}), 0.25, S),
        OutsideMoments(40 * S, None),
        OutsideMoments(None, None),
        OutsideMoments(70 * S, 90 * S),
        OutsideMoments(100 * S, 115 * S),
        OutsideMoments(30 * S, 35 * S),
        OutsideMoments(None, 120 * S),
        OutsideMoments(130 * S, 140 * S, silent=0.5),
    ])  # fmt: skip
    read = arrivals_of([1, 4], 2, 8)

    found = cycle_times(moments, read, (3, 1), by_wake=by_wake)

    order = [0, 5, 3, 4, 6, 7] if by_wake else [0, 5, 1, 3, 4, 7]
    at_s = [
        -10 + each
        for each in ([10, 35, 90, 115, 120, 140] if by_wake else [0, 30, 40, 70, 100, 130])
    ]
    nan = math.nan
    asleep_s = [10, 5, 20, 15, nan, 10] if by_wake else [10, 5, nan, 20, 15, 10]
    awake_s = [nan, nan, nan, 10, nan, 10] if by_wake else [nan] * 6
    assert found.base_ns == 10 * S
    assert (found.index.tolist(), found.at_s.tolist()) == (order, pytest.approx(at_s))
    assert found.asleep_s.tolist() == pytest.approx(asleep_s, nan_ok=True)
    assert found.awake_s.tolist() == pytest.approx(awake_s, nan_ok=True)
    assert found.to_sleep_s.tolist() == pytest.approx([1.0] + [nan] * 5, nan_ok=True)
    assert found.unlike.tolist() == [bits_of([SleepKind.S3])] + [0] * 5
    assert found.silent.tolist() == [0.25, 0, 0, 0, 0, 0.5]
    assert found.reading.tolist() == [[0, 0, 1, 1, 1, 2, 2, 2][at] for at in order]
    assert (found.readings, found.stated_pair) == (2, (3, 1))
    assert found.information.tolist() == [1.0] * 6


@pytest.mark.parametrize("given", ["list", "array"])
def test_readings_are_counted_that_brought_something(given) -> None:
    arrived_at = [None, 2, 2, 7, 5, None, 7]
    if given == "array":
        arrived_at = np.array([-1 if at is None else at for at in arrived_at])

    found = arrivals_of(arrived_at, 7, 9)

    assert found.count == 3
    assert found.of_record.tolist() == [UNKNOWN, 0, 0, 2, 1, UNKNOWN, 2]
    assert found.of_cycle.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 3]
    at_once = arrivals_of([0, 0], 2, 2)
    assert (at_once.of_record.tolist(), at_once.of_cycle.tolist(), at_once.count) == (
        [0, 0],
        [0, 1],
        1,
    )


@pytest.mark.parametrize("arrived_at", [[], [None, None]])
def test_a_log_that_was_not_read_meanwhile_has_no_readings(arrived_at) -> None:
    found = arrivals_of(arrived_at, 2, 3)

    assert (found.of_record.tolist(), found.of_cycle.tolist(), found.count) == (
        [-1, -1],
        [0] * 3,
        0,
    )


def test_a_log_is_seldom_late_each_time() -> None:
    assert UNKNOWN == -1
    assert USUAL_LAGS == (0, 1, 2, 3)
    assert np.exp(LOG_LAG_LIKELY) == pytest.approx([0.9944, 0.005, 0.0005, 0.0001])
    for usual in USUAL_LAGS:
        found = times_module.lag_gain(np.arange(6, dtype=np.int32), usual, 0.07)
        assert found.tolist() == pytest.approx([lag_gain(lag, usual, 0.07) for lag in range(6)])


def set_by(record, whole_s=None, after_s=None):
    """Return a record that reports a setting of its clock, a part of it after its wake."""
    figures = [] if whole_s is None else [Figure("clock_stepped_us", whole_s * 1e6)]
    if after_s is not None:
        figures.append(Figure("clock_stepped_after_wake_us", after_s * 1e6))
    return replace(record, figures=tuple(figures))


CENTURY_S = 100 * 365 * 86_400.0


@pytest.mark.parametrize(
    ("whole_s", "after_s", "asleep_s", "awake_s"),
    [
        (60.0, None, 60.0, 0.0),
        (61.5, 1.5, 60.0, 1.5),
        (1.5, 1.5, 0.0, 1.5),
        (-1.0, None, 0.0, 0.0),
        (1.0, None, 0.0, 0.0),
        (-1.01, None, -1.01, 0.0),
        (None, 7.0, 0.0, 0.0),
        (CENTURY_S, None, CENTURY_S, 0.0),
        (-CENTURY_S * 1.001, None, 0.0, 0.0),
        (5.0, CENTURY_S * 1.001, 5.0, 0.0),
        (float("nan"), None, 0.0, 0.0),
    ],
)
def test_a_setting_lasts_from_a_second_on_and_is_no_century(
    whole_s, after_s, asleep_s, awake_s
) -> None:
    lasting = set_by(os_record(), 30.0)

    found = clock_settings_of([os_record(), set_by(os_record(), whole_s, after_s), lasting])

    assert found.asleep_s.tolist() == pytest.approx([0.0, asleep_s, 30.0])
    assert found.awake_s.tolist() == pytest.approx([0.0, awake_s, 0.0])
    alone = clock_settings_of([set_by(os_record(), whole_s, after_s)])
    assert (alone is None) == (asleep_s == awake_s == 0)


def settings_of(wakes_s, settings, **fields):
    records = [
        set_by(
            os_record(wake_time_utc_ns=at_s * S, sleep_time_utc_ns=(at_s - 20) * S, **fields),
            *set_s,
        )
        for at_s, set_s in zip(wakes_s, settings, strict=True)
    ]
    return record_times(columns_of(records), NO_SLEEPS)


def test_settings_are_taken_off_the_times_after_them_but_where_asked_for_none() -> None:
    times = settings_of([100, 200, 300, 400], [(0.0,), (40.0,), (7.0, 7.0), (-5.0,)])

    # By the records' clock, which counts from the first: the third is the nearest to 150 s.
    unset = times.without_settings(190.0)

    assert times.settings.before_s.tolist() == [0, 40, 40, 42]
    assert times.settings.own_s.tolist() == [0, 0, 7, 0]
    assert unset.settings.before_s.tolist() == [-40, 0, 0, 2]
    for name in ("wake_s", "sleep_s", "began_s"):
        moved_s = getattr(times, name) - getattr(unset, name)
        assert moved_s.tolist() == pytest.approx([-40, 0, 0, 2])
    assert (unset.unset, times.unset) == (True, False)
    assert unset.settings.own_s.tolist() == [0, 0, 7, 0]
    assert times.without_settings(-1e9).settings.before_s[0] == 0
    assert replace(times, settings=None).without_settings(0.0) is None
    assert replace(times, wake_s=np.full(4, np.nan)).without_settings(0.0) is None


def test_a_second_account_of_a_setting_adds_none() -> None:
    times = settings_of([100, 100, 200, 200, 300], [(9.0,), (9.0,), (40.0,), (40.0, 3.0), (0.0,)])

    assert times.doubled_of.tolist() == [-1, 0, -1, 2, -1]
    assert times.settings.before_s.tolist() == [9, 9, 49, 49, 49]
    assert wake_entries(times, arrivals_of((), 5, 0)).record.tolist() == [0, 2, 4]


def test_a_setting_after_the_wake_may_be_in_the_wake_time() -> None:
    times = settings_of([100, 200, 300], [(0.0,), (6.0, 6.0), (0.0,)])
    read = arrivals_of((), 3, 0)
    unset = times.without_settings(0.0)

    plain, found = wake_entries(times, read), wake_entries(unset, read)

    # 1.05 s before the wake the wires woke; without the setting, 6 s more.
    assert plain.record.tolist() == [0, 1, 2]
    assert found.record.tolist() == [0, 1, 1, 2]
    assert found.at_s.tolist() == pytest.approx([-1.05, 92.95, 98.95, 192.95])
    assert found.settings_s.tolist() == pytest.approx([0.0, 6.0, 0.0, 6.0])
    assert np.exp(found.log_weight).tolist() == pytest.approx([1.0, 0.15, 0.85, 1.0])
    assert found.asleep_s.tolist() == pytest.approx([17.55, 11.55, 17.55, 17.55])
    assert found.before.tolist() == [-1, 0, 0, 1]


def test_an_entry_of_a_clock_that_was_set_says_what_was_taken_off() -> None:
    times = settings_of([100, 200], [(0.0,), (40.0,)])
    read = arrivals_of((), 2, 0)

    assert wake_entries(times, read).settings_s.tolist() == [0.0, 0.0]
    assert wake_entries(times.without_settings(0.0), read).settings_s.tolist() == [0.0, 40.0]


def test_a_part_of_cycles_or_of_entries_is_that_part_of_each_column() -> None:
    ten, own = np.arange(10), {"base_ns", "readings", "stated_pair", "widest_s"}
    for whole, kept in (
        (cycles_at(ten, **{f.name: ten + at for at, f in enumerate(fields(cycles_at(ten)))
                           if f.name not in own | {"at_s"}}), slice(2, 5)),
        (entries_at(ten, **{f.name: ten + at for at, f in enumerate(fields(entries_at(ten)))
                            if f.name not in own | {"at_s"}}), np.array([2, 3, 4])),
    ):  # fmt: skip
        found = whole.where(kept)
        for field in fields(whole):
            value, of_part = getattr(whole, field.name), getattr(found, field.name)
            if field.name in own:
                assert of_part == value
            else:
                assert of_part.tolist() == value[2:5].tolist()


def test_pairs_stand_in_the_order_of_their_cycles() -> None:
    some = Pairs(np.array([1, 5, 7]), np.array([2, 3, 9]), np.array([0.5, 0.6, 0.7]))

    found = some.where(np.array([True, False, True])).with_more(some.where(np.array([1])))

    assert found.cycle.tolist() == [1, 5, 7]
    assert (found.record.tolist(), found.probability.tolist()) == ([2, 3, 9], [0.5, 0.6, 0.7])
