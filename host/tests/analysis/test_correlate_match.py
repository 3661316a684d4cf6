"""The whole of `correlate`: which record is held against which cycle."""

from dataclasses import replace

import pytest
from correlated import AWAKE_NS, BOUNDS, MS, UTC_NS, Campaign, S, kinds
from played_campaign import play

from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.reconcile.reconcile import ExtraSleep, TimedCycle
from resume_rig.model.channel import Channel
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.cycle import Outcome, OutsideState
from resume_rig.model.result.match import CYCLE_REASONS, Confidence, CycleReason, RecordReason
from resume_rig.model.result.verdict import FindingKind, Verdict
from resume_rig.rig.dut_profile import load_dut_profile


@pytest.fixture
def campaign(waveform, record) -> Campaign:
    return Campaign(waveform, record)


def test_a_capture_without_the_hosts_time_is_matched_and_has_no_os_clock(
    campaign, waveform
) -> None:
    campaign.healthy(4)
    on_own_clock = []
    for cycle in campaign.cycles:
        shift_ms = (cycle.wake_utc.value_ns - UTC_NS - AWAKE_NS) / MS
        moved = waveform.later(shift_ms)
        outside = build_cycle(cycle.outside.number, moved.edges(), moved.levels, None, BOUNDS)
        on_own_clock.append(TimedCycle(outside))
    campaign.cycles = on_own_clock

    answer = campaign.correlation()

    assert [cycle.record.record_id for cycle in answer.cycles] == [0, 1, 2, 3]
    assert answer.clock is None
    assert answer.verdict is Verdict.PASS


def test_a_single_cycle_is_matched_where_both_clocks_agree(campaign) -> None:
    answer = campaign.healthy(1).correlation()

    assert answer.verdict is Verdict.PASS
    assert answer.cycles[0].certainty.level is Confidence.HIGH


def test_the_log_of_a_unit_that_dozes_is_its_own(tmp_path) -> None:
    # Its SleepTime is that of the S4: for the OS it was awake for four seconds longer.
    answer = play(load_dut_profile("doze-to-s4"), 4, 3, tmp_path, dwell_s=(8, 8))

    assert [cycle.certainty.level for cycle in answer.cycles] == [Confidence.HIGH] * 4


def test_a_match_that_is_not_certain_feeds_no_verdict(campaign) -> None:
    for _ in range(12):
        campaign.at_ns -= len(campaign.cycles) ** 2 % 7 * S  # an even pace
        campaign.cycle()
    # The clocks differ by one pace and the first record is lost: nothing tells a shift by one.
    campaign.records = [
        replace(record, wake_time_utc_ns=record.wake_time_utc_ns + 3600 * S)
        for record in campaign.records[1:]
    ]

    answer = campaign.correlation()

    assert answer.verdict is Verdict.NO_EVIDENCE
    assert any((cycle.why_not or "").startswith("match not certain") for cycle in answer.cycles)
    assert not any(cycle.judged for cycle in answer.cycles)
    assert all(cycle.press_to_resume_complete is None for cycle in answer.cycles)


def test_a_record_that_was_there_before_a_cycle_is_not_of_that_cycle(campaign) -> None:
    for _ in range(12):
        campaign.at_ns -= len(campaign.cycles) ** 2 % 7 * S  # an even pace
        campaign.cycle()
    shifted = [
        replace(
            record,
            sleep_time_utc_ns=record.sleep_time_utc_ns + 60 * S,
            wake_time_utc_ns=record.wake_time_utc_ns + 60 * S,
        )
        for record in campaign.records
    ]
    campaign.records = shifted[:-1]
    campaign.cycles = [
        replace(cycle, records=tuple(shifted[index : index + 1]))
        for index, cycle in enumerate(campaign.cycles)
    ]

    told = campaign.correlation()

    # At one pace, and with one length, it may also be the log of another DUT that is read.
    assert all(c.record is None or c.record.record_id == at for at, c in enumerate(told.cycles))
    assert not any(cycle.judged for cycle in told.cycles)


def test_an_interrupted_cycle_that_woke_keeps_its_own_record(campaign) -> None:
    campaign.healthy(5)
    last = campaign.cycles[-1]
    campaign.cycles[-1] = replace(last, outside=replace(last.outside, outcome=Outcome.INTERRUPTED))

    told = campaign.correlation()

    assert [c.record and c.record.record_id for c in told.cycles] == [0, 1, 2, 3, 4]
    assert told.unmatched_records == ()
    assert (told.cycles[-1].judged, told.verdict) == (False, Verdict.PASS)


@pytest.mark.parametrize(
    "kind",
    [SleepKind.BOOT, SleepKind.SHUTDOWN, SleepKind.MODERN_STANDBY, SleepKind.S2IDLE],
)
def test_what_cannot_be_a_cycle_of_the_wires_is_not_matched_with_one(campaign, kind) -> None:
    campaign.healthy(4).cycle(lost=False).healthy(3)
    campaign.records[4] = replace(campaign.records[4], kind=kind)

    found = campaign.correlation()

    assert found.cycles[4].record is None
    (lonely,) = found.unmatched_records
    assert (lonely.record, lonely.reason) == (campaign.records[4], RecordReason.NO_SLEEP)
    assert [f.kind for f in found.cycles[4].findings] == [FindingKind.RECORD_MISSING]
    assert all(cycle.record is not None for n, cycle in enumerate(found.cycles) if n != 4)


@pytest.mark.parametrize("at", [2, 4], ids=["the log goes on", "the log ends before it"])
def test_of_what_stayed_dark_no_log_is_blamed(campaign, waveform, at) -> None:
    """It may have hung: then no OS was there to write a record."""
    dark = waveform.dropping(21_000, Channel.BACKLIGHT)
    campaign.healthy(at).outside(dark)
    campaign.healthy(4 - at)

    (cycle,) = (c for c in campaign.correlation().cycles if c.record is None)

    assert cycle.outside.number == at + 1
    assert (cycle.verdict, kinds(cycle)) == (Verdict.FAIL, [FindingKind.DARK])
    goes_on, ends = CycleReason.NOT_SURVIVED, CycleReason.AFTER_LOG
    assert cycle.record_missing is (goes_on if at == 2 else ends)


@pytest.mark.parametrize("at", [0, 2, 4], ids=["before the log", "within", "after it"])
def test_a_planned_boot_has_no_record_that_could_be_overwritten(campaign, waveform, at) -> None:
    campaign.healthy(at).outside()
    boot = replace(campaign.cycles[at].outside, asked=SleepKind.BOOT, state=OutsideState.S5)
    campaign.cycles[at] = replace(campaign.cycles[at], outside=boot)
    campaign.healthy(4 - at)

    (cycle,) = (c for c in campaign.correlation().cycles if c.record is None)

    assert cycle.record_missing is CycleReason.NOT_WRITTEN
    assert "overwritten" not in CYCLE_REASONS[cycle.record_missing]
    assert kinds(cycle) == []


def test_a_dark_display_takes_no_record_from_a_cycle(campaign, waveform) -> None:
    campaign.healthy(2).cycle(waveform.dropping(21_000, Channel.BACKLIGHT)).healthy(2)

    answer = campaign.correlation()

    assert [cycle.record.record_id for cycle in answer.cycles] == [0, 1, 2, 3, 4]
    assert kinds(answer.cycles[2]) == [FindingKind.DARK]


def test_the_record_of_a_sleep_beside_the_cycles_is_none_of_theirs(campaign, waveform) -> None:
    """Each stands as far before a cycle as the other: together they look like a set clock."""
    dark = waveform.dropping(21_000, Channel.BACKLIGHT)
    campaign.healthy(2).outside(dark).cycle(dark, late_ns=-25 * S).cycle(dark, late_ns=-25 * S)
    woke_ns = [campaign.cycles[number].wake_utc.value_ns - 25 * S for number in (3, 4)]
    beside = [ExtraSleep(each_ns - 18 * S, each_ns) for each_ns in woke_ns]

    def told(answer):
        return [cycle.record and cycle.record.record_id for cycle in answer.cycles]

    answer = campaign.correlation(beside=beside)

    assert told(answer) == [0, 1, None, None, None]
    reasons = [(each.record.record_id, each.reason) for each in answer.unmatched_records]
    between = RecordReason.BETWEEN_CYCLES
    assert reasons == [(2, between), (3, between)]
    assert answer.clock_steps == ()
    # Who does not know of them sees a clock that was set.
    assert told(campaign.correlation()) != told(answer)
