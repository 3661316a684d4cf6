"""No input without evidence gives a PASS or a FAIL: empty, single, aborted, contradictory."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from correlated import Campaign, S

from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import Verdict

Spoil = Callable[[Campaign], object]


def nothing(_: Campaign) -> None:
    pass


def records_alone(campaign: Campaign) -> None:
    campaign.healthy(6).cycles.clear()


def cycles_alone(campaign: Campaign) -> None:
    campaign.healthy(6).records.clear()


def one_of_another_day(campaign: Campaign) -> None:
    campaign.healthy(1)
    moved(campaign, 86_400 * S)


def one_on_a_clock_of_its_own(campaign: Campaign) -> None:
    campaign.healthy(1)
    campaign.cycles = [TimedCycle(cycle.outside) for cycle in campaign.cycles]


def one_ignored(campaign: Campaign) -> None:
    campaign.cycle(ignored=True)


def one_with_lost_edges(campaign: Campaign) -> None:
    campaign.cycle(lost=True)


def all_aborted(campaign: Campaign) -> None:
    zero = dict.fromkeys(("sleep_ms", "wake_ms", "driver_init_ms", "bios_init_ms"))
    for _ in range(12):
        campaign.cycle(kind=SleepKind.ABORTED, **zero)


def the_log_of_another_dut(campaign: Campaign) -> None:
    campaign.healthy(12)
    for place, record in enumerate(campaign.records):
        shift_ns = place**3 % 11 * 5 * S + 40 * 86_400 * S
        campaign.records[place] = at(record, shift_ns)


def another_state_in_each(campaign: Campaign) -> None:
    for _ in range(12):
        campaign.cycle(kind=SleepKind.MODERN_STANDBY)


def a_bios_time_that_cannot_be(campaign: Campaign) -> None:
    for _ in range(12):
        campaign.cycle(bios_init_ms=1_500_000)


def wakes_before_sleeps(campaign: Campaign) -> None:
    campaign.healthy(12)
    for place, record in enumerate(campaign.records):
        later_ns = (record.wake_time_utc_ns or 0) + 3600 * S
        campaign.records[place] = replace(record, sleep_time_utc_ns=later_ns, bios_init_ms=None)


def at(record, shift_ns: int):
    return replace(
        record,
        sleep_time_utc_ns=record.sleep_time_utc_ns + shift_ns,
        wake_time_utc_ns=record.wake_time_utc_ns + shift_ns,
    )


def moved(campaign: Campaign, shift_ns: int) -> None:
    campaign.records = [at(record, shift_ns) for record in campaign.records]


WITHOUT: tuple[Spoil, ...] = (
    nothing,
    records_alone,
    cycles_alone,
    one_of_another_day,
    one_on_a_clock_of_its_own,
    one_ignored,
    one_with_lost_edges,
    all_aborted,
    the_log_of_another_dut,
    another_state_in_each,
    a_bios_time_that_cannot_be,
    wakes_before_sleeps,
)


@pytest.mark.parametrize("spoil", WITHOUT, ids=lambda spoil: spoil.__name__)
def test_there_is_no_verdict_and_it_is_said_why(waveform, record, spoil: Spoil) -> None:
    campaign = Campaign(waveform, record)
    spoil(campaign)

    answer = campaign.correlation()

    assert answer.verdict is Verdict.NO_EVIDENCE
    assert answer.why.endswith((".", "evidence)"))
    assert not any(cycle.judged for cycle in answer.cycles)
    assert all(cycle.why_not for cycle in answer.cycles)


def test_one_sound_cycle_is_evidence(waveform, record) -> None:
    assert Campaign(waveform, record).healthy(1).correlation().verdict is Verdict.PASS
