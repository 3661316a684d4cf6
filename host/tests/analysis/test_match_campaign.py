"""What of a campaign the match is given, and what becomes of its answer.

`match` itself is a stand-in here that keeps what it was given.
"""

from dataclasses import replace

import numpy as np
import pytest
from match_campaigns import os_record

from resume_rig.analysis.match import campaign
from resume_rig.analysis.match.campaign import (
    lost_beside_others,
    match_boots,
    match_cycles,
    match_with,
)
from resume_rig.analysis.match.match import Match, OutsideMoments
from resume_rig.analysis.match.pairs import Pairs
from resume_rig.analysis.reconcile.reconcile import ExtraSleep, TimedCycle
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import NO_SLEEPS, NO_SUSPENDS, Figure, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.match import CycleReason, RecordReason, StatedPair
from resume_rig.model.result.verdict import Finding, FindingKind

S = 1_000_000_000
UTC_NS = 1_777_000_000 * S
BOARD_NS = 5 * S


def found(*pairs, likely=0.999, **fields) -> Match:
    """Return a match of these pairs, each as likely."""
    cycle, record = (np.array([each[at] for each in pairs], int) for at in (0, 1))
    usual = {
        "steps": (), "equal_offsets": 1, "cycle_reasons": {},
        "record_reasons": {}, "fit": 0, "covered": 0, "one_script": False,
    }  # fmt: skip
    probability = np.full(len(pairs), likely) if isinstance(likely, float) else np.array(likely)
    return Match(matched=Pairs(cycle, record, probability), **usual | fields)


def cycle(number=1, *, utc_ns=UTC_NS, records=(), **fields) -> TimedCycle:
    """Return a cycle that slept from 20 s to 30 s by the board's clock, in S3."""
    usual = {
        "outcome": Outcome.SLEPT_AND_WOKE, "state": OutsideState.S3, "wake_by": None,
        "trigger_ns": None, "asleep_from_ns": 20 * S + BOARD_NS,
        "awake_from_ns": 30 * S + BOARD_NS, "intervals": {},
        "channels": (Channel.SLP_S3, Channel.SLP_S4),
    }  # fmt: skip
    outside = OutsideCycle(number=number, **usual | fields)
    return TimedCycle(outside, None if utc_ns is None else BoundedNs(utc_ns, 300), tuple(records))


@pytest.fixture
def given(monkeypatch):
    """Return what the match is given, and by `answer` what it says."""

    class Given(dict):
        answer = found()

    kept = Given()

    def stand_in(cycles, records, **named):
        kept.update(cycles=cycles, records=records, **named)
        return kept.answer

    monkeypatch.setattr(campaign, "match", stand_in)
    return kept


def moments_of(given, **fields) -> OutsideMoments:
    """Return as what a cycle with other fields is given, against logs of S3 and S4."""
    logs = [os_record(), os_record(kind=SleepKind.S4)]
    match_cycles([cycle(**fields)], logs, None, (), related=fields.get("utc_ns", 0) is not None)
    (moments,) = given["cycles"]
    return moments


UNLIKE_S4 = frozenset({SleepKind.S4})
WAY = {IntervalName.TRIGGER_TO_SLP_S3: BoundedNs(7, 2)}
DARK = tuple(Finding(kind, "", {}) for kind in (FindingKind.CLOCK_STEP, FindingKind.DARK))
USUAL = OutsideMoments(UTC_NS - 10 * S, UTC_NS, UNLIKE_S4)


@pytest.mark.parametrize(
    ("fields", "changed"),
    [
        ({}, {}),
        ({"utc_ns": None}, {"asleep_ns": 25 * S, "awake_ns": 35 * S}),
        ({"asleep_from_ns": None}, {"asleep_ns": None}),
        # Without a wake `wake_utc` is the trigger's.
        ({"awake_from_ns": None}, {"asleep_ns": None}),
        ({"awake_from_ns": None, "outcome": Outcome.INTERRUPTED},
         {"asleep_ns": None, "awake_ns": None}),
        ({"outcome": Outcome.INTERRUPTED}, {}),
        *(({"outcome": each}, {"asleep_ns": None, "awake_ns": None})
          for each in (Outcome.NEVER_SLEPT, Outcome.NEVER_WOKE, Outcome.REBOOTED)),
        # Of a doze only the wake counts, and the OS reports its way to S4.
        ({"hibernated_from_ns": 27 * S, "intervals": WAY}, {"asleep_ns": None}),
        ({"utc_ns": None, "hibernated_from_ns": 27 * S}, {"asleep_ns": None, "awake_ns": 35 * S}),
        ({"intervals": WAY}, {"to_sleep_ns": 7}),
        ({"intervals": {IntervalName.ASLEEP: BoundedNs(7, 2)}}, {}),
        ({"outcome": Outcome.HUNG_IN_RESUME}, {"silent": 0.95}),
        ({"findings": DARK[1:]}, {"silent": 0.5}),
        ({"findings": DARK}, {"silent": 0.5}),
        ({"findings": DARK[:1]}, {}),
        ({"findings": (Finding(FindingKind.NEVER_WOKE, "", {}),)}, {"silent": 0.5}),
        ({"state": OutsideState.S4}, {"unlike": frozenset({SleepKind.S3})}),
        ({"channels": (Channel.SLP_S3,)}, {"unlike": frozenset()}),
        # What speaks against every sleep of the log speaks against none.
        ({"state": OutsideState.S0IX}, {"unlike": frozenset()}),
    ],
)  # fmt: skip
def test_what_the_wires_show_of_a_cycle_is_what_the_match_is_given(given, fields, changed) -> None:
    assert moments_of(given, **fields) == replace(USUAL, **changed)


def test_a_campaign_whose_cycle_has_no_time_of_the_host_gives_none(given) -> None:
    match_cycles([cycle(), cycle(utc_ns=None)], [os_record()], None, (), related=True)

    assert given["cycles"][1] == OutsideMoments(None, None)
    assert given["both_utc"] is True


def test_kinds_are_excluded_by_what_each_cycle_showed(given) -> None:
    cycles = [cycle(), cycle(state=OutsideState.S4), cycle(channels=(Channel.SLP_S3,)), cycle()]
    logs = [os_record(), os_record(kind=SleepKind.S4), os_record(kind=SleepKind.BOOT)]

    match_cycles(cycles, logs, None, (), related=False)

    unlike = [moments.unlike for moments in given["cycles"]]
    assert unlike == [UNLIKE_S4, frozenset({SleepKind.S3}), frozenset(), UNLIKE_S4]
    assert given["both_utc"] is False


def test_a_record_is_of_the_first_reading_that_had_it(given) -> None:
    records = [os_record(record_id=at) for at in range(4)]
    cycles = [
        cycle(records=records[1:2]),
        cycle(),
        cycle(records=records[:2]),
        cycle(records=records[3:]),
    ]

    match_cycles(cycles, records, None, (), related=False)

    assert given["arrived_at"] == [2, 0, None, 3]


STANDBY = SleepKind.MODERN_STANDBY


@pytest.mark.parametrize(
    ("states", "kinds", "left_out"),
    [
        ((OutsideState.S3, OutsideState.S5), (SleepKind.S3, STANDBY), NO_SUSPENDS),
        ((OutsideState.S3, OutsideState.S4), (SleepKind.S4,), NO_SUSPENDS),
        ((OutsideState.S3, OutsideState.S4, OutsideState.S5), (SleepKind.S4,), NO_SUSPENDS),
        ((OutsideState.S3,), (STANDBY, SleepKind.BOOT), NO_SLEEPS),
        ((OutsideState.S3,), (SleepKind.BOOT, SleepKind.S2IDLE), NO_SLEEPS),
        ((OutsideState.S3, OutsideState.S0IX), (SleepKind.S3,), NO_SLEEPS),
        ((OutsideState.S3, OutsideState.NONE), (SleepKind.S3,), NO_SLEEPS),
    ],
)
def test_a_standby_is_no_sleep_of_cycles_in_which_slp_s3_fell(
    given, states, kinds, left_out
) -> None:
    cycles = [cycle(state=state) for state in states]
    # What cannot be matched says nothing of how the DUT sleeps.
    cycles.append(cycle(state=OutsideState.NONE, outcome=Outcome.NEVER_SLEPT))

    match_cycles(cycles, [os_record(kind=kind) for kind in kinds], None, (), related=False)

    assert given["left_out"] == left_out


def in_a_row(n: int):
    return [cycle(at + 1, utc_ns=UTC_NS + 100 * at * S) for at in range(n)]


def sleeps(*woke_s):
    return [ExtraSleep(UTC_NS + (at_s - 9) * S, UTC_NS + round(at_s * S)) for at_s in woke_s]


def test_sleeps_beside_the_cycles_stand_where_their_time_is(given) -> None:
    never_woke = replace(cycle(9), outside=replace(cycle(9).outside, outcome=Outcome.NEVER_WOKE))
    cycles = [*in_a_row(2), never_woke, *in_a_row(3)[2:]]

    match_cycles(cycles, [os_record()], None, sleeps(150, -50, 500, 120, 100), related=True)

    woke_s = [each.awake_ns and (each.awake_ns - UTC_NS) // S for each in given["cycles"]]
    # One that woke as a cycle did stands behind it.
    assert woke_s == [-50, 0, 100, None, 100, 120, 150, 200, 500]
    extra = given["cycles"][0]
    assert extra == OutsideMoments(UTC_NS - 59 * S, UTC_NS - 50 * S, silent=0.5)


def test_without_a_relation_to_the_host_sleeps_beside_stand_nowhere(given) -> None:
    match_cycles(in_a_row(2), [os_record()], None, sleeps(50), related=False)

    assert len(given["cycles"]) == 2


def test_an_answer_about_cycles_and_sleeps_becomes_one_about_cycles(given) -> None:
    # Rows: extra, cycle 0, extra, extra, cycle 1, cycle 2, extra.
    records = [os_record(record_id=at) for at in range(9)]
    cycles = in_a_row(3)
    cycles[1] = replace(cycles[1], records=tuple(records[4:5]))
    reasons = dict.fromkeys((2, 5, 6), CycleReason.LOST)
    given.answer = found(
        (0, 1), (1, 3), (3, 2), (4, 4), likely=[0.99, 0.98, 0.97, 0.96],
        cycle_reasons=reasons, record_reasons={0: RecordReason.DOUBLED, 8: RecordReason.DOZE},
        steps=((0, 1, 5), (1, 2, 7), (2, 4, 8), (3, 4, -20), (4, 5, 30), (5, 6, 40)),
    )  # fmt: skip

    answer = match_cycles(cycles, records, None, sleeps(-50, 50, 70, 500), related=True)

    assert given["arrived_at"] == [None] * 4 + [4] + [None] * 4
    assert answer.pairs == ((0, 3), (1, 4))
    assert answer.probability == (0.98, 0.96)
    assert answer.cycle_reasons == {2: CycleReason.LOST}
    assert [*answer.record_reasons.items()] == [
        (0, RecordReason.DOUBLED),
        (1, RecordReason.BETWEEN_CYCLES),
        (2, RecordReason.BETWEEN_CYCLES),
        (8, RecordReason.DOZE),
    ]
    # Steps on the way from a cycle to the next are one; before the first and behind the last, none.
    assert answer.steps == ((0, 1, -5), (1, 2, 30))


def test_an_answer_about_cycles_alone_stays_as_it_is(given) -> None:
    given.answer = found((0, 0))

    assert match_cycles(in_a_row(2), [os_record()], None, (), related=True) is given.answer


def test_a_stated_pair_is_given_by_its_row(given) -> None:
    records = [os_record(record_id=at + 70) for at in range(5)]
    answers = iter([found(), found((1, 0), (2, 1), (3, 3))])

    def stand_in(cycles, records, **named):
        given.update(named)
        return next(answers)

    campaign.match = stand_in  # put back by the fixture
    answer = match_cycles(in_a_row(3), records, StatedPair(3, 73), sleeps(-50), related=True)

    assert given["stated_pair"] == (3, 3)
    assert answer.pairs == ((0, 0), (1, 1), (2, 3))


NUMBERS = [11, 12, 13, 14, 15, 16]
MOMENTS = [OutsideMoments(0, S)] * 6
RECORDS = [os_record(record_id=at + 40) for at in range(6)]


def with_pair(free: Match, stated: Match | None = None, *, cycle=12, record=41, records=None):
    """Return the match with a stated pair, where the match says these without it and with it."""
    asked = []

    def matched(pair):
        asked.append(pair)
        answer = free if pair is None else stated
        assert answer is not None
        return answer

    records = RECORDS if records is None else records
    answer = match_with(StatedPair(cycle, record), NUMBERS, MOMENTS, records, matched)
    assert asked in ([None], [None, (1, 1)])
    return answer


SURE = [(1, 1), (2, 2), (3, 3)]


def test_a_pair_that_is_certain_anyway_changes_nothing() -> None:
    free = found(*SURE, likely=0.99)

    assert with_pair(free) is free


def test_a_pair_that_others_bear_out_is_taken() -> None:
    stated = found(*SURE, likely=0.99)

    assert with_pair(found(*SURE, likely=0.98), stated) is stated
    # What is not certain ties nothing elsewhere.
    assert with_pair(found((1, 2), (0, 1), likely=0.98), stated) is stated
    assert with_pair(found((0, 0), (4, 4)), stated) is stated


@pytest.mark.parametrize(
    ("pairs", "likely", "count"),
    [
        (SURE[:2], 0.999, "2 cycles of 6"),
        (SURE, [0.999, 0.999, 0.98], "2 cycles of 6"),
        (SURE[1:], 0.999, "2 cycles of 6"),
        (SURE, [0.98, 0.999, 0.999], "2 cycles of 6"),
        ([(2, 2), (3, 3), (4, 4)], 0.999, "3 cycles of 6"),
        ([(1, 1)], 0.999, "1 cycle of 6"),
        ([], 0.999, "0 cycles of 6"),
        # Three of seven cycles in a row are less than half of them.
        ([(0, 0), (1, 1), (6, 6)], 0.999, "3 cycles of 6"),
    ],
)
def test_a_pair_that_too_few_others_bear_out_is_refused(pairs, likely, count) -> None:
    with pytest.raises(UsageError) as refused:
        with_pair(found(), found(*pairs, likely=likely))

    assert str(refused.value) == (
        "could not take record 41 for that of cycle 12: the other cycles do not bear that out,"
        f" with it {count} certainly have a record; name a pair whose neighbours have records"
        " too, or none"
    )


def test_half_of_the_cycles_in_a_row_are_enough() -> None:
    stated = found((0, 0), (1, 1), (5, 5))

    assert with_pair(found(), stated) is stated


@pytest.mark.parametrize(
    ("pair", "cycle", "record"),
    [((1, 3), 12, 43), ((4, 1), 15, 41)],
    ids=["the cycle", "the record"],
)
def test_what_the_times_tie_elsewhere_is_refused(pair, cycle, record) -> None:
    with pytest.raises(UsageError) as refused:
        with_pair(found((0, 0), pair, likely=0.99))

    assert str(refused.value) == (
        "could not take record 41 for that of cycle 12: the times alone tie cycle"
        f" {cycle} to record {record} (99.00 %); name a pair that agrees, or none"
    )


@pytest.mark.parametrize(
    "reason", [RecordReason.NO_SLEEP, RecordReason.NO_TIME, RecordReason.DOZE, RecordReason.DOUBLED]
)
def test_a_record_that_is_no_sleep_cannot_be_stated(reason) -> None:
    free = found(record_reasons={1: reason, 0: RecordReason.DOZE})
    if reason is RecordReason.DOUBLED:
        assert with_pair(free, found(*SURE)).pairs == tuple(SURE)
        return
    with pytest.raises(UsageError, match="cycle 12: this record cannot be paired: "):
        with_pair(free)


@pytest.mark.parametrize(
    ("asked", "records", "says"),
    [
        ({"cycle": 17}, None, "there is no such cycle; there are cycles 11 to 16"),
        ({"record": 39}, None, "no record has that number; they have 40 to 45"),
        ({}, [], "the records of this log have no numbers"),
        ({}, [os_record()], "the records of this log have no numbers"),
        ({}, [RECORDS[1]] * 3, "3 records have that number; give one log only"),
        ({"record": 9}, [os_record(), RECORDS[2]], "no record has that number; they have 42 to 42"),
    ],
)
def test_a_pair_of_what_is_not_there_is_refused(asked, records, says) -> None:
    with pytest.raises(UsageError, match=f"^could not take record .* {says}$"):
        with_pair(found(), records=records, **asked)


def test_a_pair_of_no_cycles_is_refused() -> None:
    with pytest.raises(UsageError, match=r"there is no such cycle; there are none$"):
        match_with(StatedPair(1, 40), [], [], RECORDS, lambda _: found())


def test_a_cycle_that_did_not_wake_cannot_be_stated() -> None:
    moments = [*MOMENTS[:1], OutsideMoments(0, None), *MOMENTS[2:]]
    with pytest.raises(UsageError, match="cycle 12: this cycle has no sleep and wake"):
        match_with(StatedPair(12, 41), NUMBERS, moments, RECORDS, lambda _: found())


def boot(start_ns, *figures):
    """Return the account of a boot, as the traces have it."""
    return os_record(
        kind=SleepKind.BOOT, sleep_time_utc_ns=start_ns, wake_time_utc_ns=None, bios_init_ms=None,
        figures=tuple(Figure(name, value) for name, value in figures),
    )  # fmt: skip


def shutdown(start_ns):
    return replace(boot(start_ns), kind=SleepKind.SHUTDOWN)


KERNEL, LOADER = "exit_boot_services_exit_ms", "start_os_image_ms"


def test_a_boot_is_given_as_a_wake_after_its_firmware(given) -> None:
    records = [
        os_record(), boot(7 * S, (LOADER, 3000.6), (KERNEL, 4000.4)), boot(None),
        boot(8 * S, (LOADER, 3000.6)), shutdown(6 * S), boot(9 * S),
        boot(10 * S, (LOADER, 3000.6), (KERNEL, 0)),
    ]  # fmt: skip
    asked = {"asked": SleepKind.BOOT, "state": OutsideState.S5}
    cycles = [cycle(), cycle(2, records=records[5:6], **asked), cycle(3), cycle(4, **asked)]
    given.answer = found((1, 2))

    answer = match_boots(cycles, records, related=True)

    assert [m.awake_ns for m in given["cycles"]] == [UTC_NS, UTC_NS]
    told = [
        (r.wake_time_utc_ns, r.sleep_time_utc_ns, r.wake_ms, r.bios_init_ms)
        for r in given["records"]
    ]
    assert told == [(7 * S, None, 0, 4000), (8 * S, None, 0, 3001), (9 * S, None, 0, None),
                    (10 * S, None, 0, 3001)]  # fmt: skip
    assert given["arrived_at"] == [None, None, 0, None]
    assert (given["both_utc"], given["left_out"]) == (True, ())
    assert (answer.boots, answer.shutdowns) == ({3: (5, 0.999)}, {})


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ([shutdown(50), boot(100), shutdown(150), boot(200)], {0: 0, 1: 2}),
        # The last of several before the boot, whatever the order of the log.
        ([shutdown(90), shutdown(50), boot(200), boot(100), shutdown(101)], {0: 4, 1: 0}),
        ([boot(100), shutdown(150), boot(200)], {1: 1}),
        ([shutdown(50), boot(100), boot(200)], {0: 0}),
        # What began with a boot began neither before it nor after it.
        ([shutdown(100), boot(100), boot(200)], {}),
        ([shutdown(None), shutdown(-5), boot(100), shutdown(200), boot(200)], {0: 1}),
        # A boot of nobody is one, too.
        ([boot(100), boot(200), shutdown(150), boot(160)], {}),
    ],
)
def test_a_shutdown_is_the_last_between_two_boots(given, log, expected) -> None:
    cycles = [cycle(at, asked=SleepKind.BOOT) for at in (1, 2)]
    given.answer = found((0, 0), (1, 1))

    assert dict(match_boots(cycles, log, related=True).shutdowns) == expected


def test_without_boots_or_cycles_that_asked_for_one_nothing_is_matched() -> None:
    asked = cycle(asked=SleepKind.BOOT)
    for cycles, records in (
        ([cycle()], [boot(S)]),
        ([asked], [os_record(), shutdown(S)]),
        ([], []),
    ):
        answer = match_boots(cycles, records, related=True)
        assert (answer.boots, answer.shutdowns) == ({}, {})


AROUND = [(2, 4), (6, 8)]
BETWEEN, BEFORE = RecordReason.BETWEEN_CYCLES, RecordReason.BEFORE_CAMPAIGN


@pytest.mark.parametrize(
    ("lost", "pairs", "free", "count", "expected"),
    [
        # Between 4 and 8 a record is left over.
        *(([3], AROUND, [at], 12, [3] * (5 <= at <= 7)) for at in (1, 2, 3, 5, 6, 7, 9, 10)),
        # Before the first matched cycle by as many records as cycles.
        *(([0], AROUND, [at], 12, [0] * (2 <= at <= 3)) for at in (0, 1, 2, 3, 5)),
        *(([1], AROUND, [at], 12, [1] * (at == 3)) for at in (0, 1, 2, 3, 5)),
        ([0], [(5, 2)], [0], 4, [0]),
        ([0], [(1, 1)], [0], 4, [0]),
        ([0], [(1, 1)], [3], 4, []),
        # Behind the last one, too, as far as the log goes.
        *(([8], AROUND, [at], 20, [8] * (9 <= at <= 11)) for at in (7, 9, 10, 11, 12)),
        ([8], AROUND, [9], 10, [8]),
        # Each record there is of another cycle.
        ([1], [(0, 0), (2, 1)], [], 3, []),
        ([1], [(0, 0), (3, 2), (2, 1)], [], 3, []),
        ([1, 3], [(0, 0), (2, 2), (4, 3)], [1, 5], 9, [1]),
        ([], AROUND, [5], 12, []),
        ([0, 1], [], [1], 3, []),
    ],
)
def test_a_record_of_no_cycle_may_be_that_of_a_lost_one_beside_it(
    lost, pairs, free, count, expected
) -> None:
    others = dict.fromkeys(free, BETWEEN)
    assert lost_beside_others(lost, pairs, others, count) == frozenset(expected)


@pytest.mark.parametrize("why", RecordReason)
def test_a_record_that_is_of_no_sleep_of_the_wires_is_of_no_lost_cycle(why: RecordReason) -> None:
    may = why in {BETWEEN, BEFORE, RecordReason.AFTER_CAMPAIGN, RecordReason.AMBIGUOUS}
    assert bool(lost_beside_others([3], AROUND, {6: why}, 12)) is may


def test_what_is_asked_is_why_the_record_cannot_be_paired_not_the_cycle() -> None:
    with pytest.raises(UsageError, match="record 41 for that of cycle 13: this record cannot be"):
        with_pair(found(record_reasons={1: RecordReason.DOZE}), cycle=13)
