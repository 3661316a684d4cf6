"""Outside and inside become one statement, with findings where they disagree."""

from dataclasses import replace

import pytest
from correlated import MS, Campaign, S, kinds

from resume_rig.analysis.correlate import with_traces
from resume_rig.analysis.stats.figures import failure_rate_upper
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation, IntervalName, Outcome, OutsideState
from resume_rig.model.result.verdict import FindingKind, Verdict
from resume_rig.report.text.wording import outcome_words


def test_a_trace_of_a_cycle_that_was_not_is_refused(record) -> None:
    answer = Correlation((), (), None, Verdict.NO_EVIDENCE, "")

    assert with_traces(answer, {}) == answer
    with pytest.raises(RecordError, match=r"with cycle 4: the campaign has no such cycle$"):
        with_traces(answer, {9: record(), 4: record()})


@pytest.fixture
def campaign(waveform, record) -> Campaign:
    return Campaign(waveform, record)


def test_a_healthy_campaign_passes_without_a_finding(campaign) -> None:
    answer = campaign.healthy(5).correlation()

    assert answer.verdict is Verdict.PASS
    assert [cycle.verdict for cycle in answer.cycles] == [Verdict.PASS] * 5
    assert [kinds(cycle) for cycle in answer.cycles] == [[]] * 5
    assert answer.unmatched_records == ()
    assert "5 of 5 judged resumes are within 2000 ms" in answer.why


def test_the_closure_adds_outside_and_inside_with_their_bounds(campaign) -> None:
    cycle = campaign.healthy(3).correlation().cycles[0]

    complete = cycle.press_to_resume_complete
    power = cycle.outside.intervals[IntervalName.PRESS_TO_PLTRST]
    assert complete.value_ns == (158 + 30 + 200 + 800) * MS
    # What the OS's clock leaves open of the BIOS time: half seconds at either end.
    assert cycle.bios_checked
    assert power.bound_ns + 22 * MS < complete.bound_ns < power.bound_ns + 1_250 * MS
    parts = power + BoundedNs(0, 20 * MS) + BoundedNs(0, MS) + BoundedNs(0, MS)
    assert (complete.standard_ns, complete.expanded_ns) == (parts.standard_ns, parts.expanded_ns)
    light = cycle.light_after_complete
    assert light.value_ns == (1500 - 1188) * MS
    # The press cancels: its definition is in neither bound of the difference.
    assert light.bound_ns < complete.bound_ns + 2 * MS
    assert light.expanded_ns < complete.expanded_ns + 2 * MS
    assert cycle.unexplained.value_ns == 0


def test_the_os_clock_is_found_within_the_half_second(campaign) -> None:
    for late_ms in (-400, 300, 450, -100):
        campaign.cycle(late_ns=(3600_000 + late_ms) * MS)

    clock = campaign.correlation().clock

    # Readings of +450 and -400 ms, each good to +/-515 ms, leave little room between them.
    assert clock.os_minus_host_s == pytest.approx(3600.0, abs=clock.bound_s + 0.001)
    assert clock.bound_s < 0.2
    assert clock.drift_ppm is None


def test_a_bios_time_that_lacks_something_does_not_move_the_os_clock(campaign) -> None:
    answer = campaign.lacking_bios(40, 1_600 * MS).correlation()

    assert all(FindingKind.BIOS_UNDER_REPORTED in kinds(cycle) for cycle in answer.cycles)
    assert abs(answer.clock.os_minus_host_s) <= answer.clock.bound_s
    assert [cycle.press_to_resume_complete for cycle in answer.cycles] == [None] * 40
    assert [cycle.light_after_complete for cycle in answer.cycles] == [None] * 40
    assert "clock and wires contradict the BIOS time of 40 of them" in answer.why


def test_an_impossible_bios_time_is_shown_and_nothing_is_made_of_it(campaign) -> None:
    campaign.healthy(5).cycle(bios_init_ms=900_000).healthy(5)

    answer = campaign.correlation()

    odd = answer.cycles[5]
    assert FindingKind.TSC_NOT_RESET in kinds(odd)
    assert odd.record.bios_init_ms == 900_000
    assert odd.press_to_resume_complete is odd.light_after_complete is odd.unexplained is None
    assert (odd.verdict, odd.judged) == (Verdict.NO_EVIDENCE, False)
    assert odd.why_not.startswith("impossible BIOS time")
    assert answer.verdict is Verdict.PASS
    assert "1 cycle without evidence (1 impossible BIOS time)" in answer.why
    assert answer.clock.bound_s < 0.55
    assert all(series.figures.max_ms < 900_000 for series in answer.series)


def test_an_impossible_bios_time_does_not_keep_the_wires_from_being_judged(campaign) -> None:
    campaign.healthy(5).cycle(bios_init_ms=900_000)

    odd = campaign.correlation(load_requirement("press-to-light-2s")).cycles[5]

    assert (odd.verdict, odd.judged) == (Verdict.PASS, True)


def test_drift_is_told_once_the_campaign_is_long_enough(campaign) -> None:
    for i in range(400):
        campaign.cycle(late_ns=i * 60 * 50_000)

    clock = campaign.correlation().clock

    assert clock.drift_ppm == pytest.approx(50 * 60 / 63, rel=0.05)


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"driver_init_ms": 1790}, Verdict.PASS),
        ({"driver_init_ms": 1800}, Verdict.PASS),
        ({"driver_init_ms": 1801}, Verdict.FAIL),
        ({"driver_init_ms": 1810}, Verdict.FAIL),
    ],
)
def test_the_inside_time_is_judged_and_the_worst_counts(campaign, fields, verdict) -> None:
    answer = campaign.healthy(3).cycle(**fields).correlation()

    assert answer.cycles[3].verdict is verdict
    assert answer.verdict is verdict


@pytest.mark.parametrize(
    ("since_ms", "outcome", "finding"),
    [
        (20_001, Outcome.NEVER_WOKE, FindingKind.NEVER_WOKE),
        (21_000, Outcome.DARK, FindingKind.DARK),
    ],
)
def test_a_dut_that_does_not_come_back_fails(
    campaign, waveform, since_ms, outcome, finding
) -> None:
    answer = campaign.healthy(3).outside(waveform.dropping(since_ms)).correlation()

    assert answer.cycles[3].outside.outcome is outcome
    assert answer.cycles[3].verdict is Verdict.FAIL
    assert answer.cycles[3].judged
    assert finding in kinds(answer.cycles[3])
    assert answer.verdict is Verdict.FAIL
    assert f"1 of 4 cycles was not (1 {outcome_words(outcome)})" in answer.why


@pytest.mark.parametrize(
    ("spoil", "reason", "is_undecided"),
    [
        (lambda c, _: c.outside(), "no record", True),
        (lambda c, _: c.cycle(bios_init_ms=None), "not measured", True),
        (lambda c, _: c.cycle(kind=SleepKind.UNKNOWN), "not covered by this requirement", False),
        (lambda c, _: c.cycle(kind=SleepKind.HYBRID, hiber_read_ms=4000), "not S3", False),
        (lambda c, _: c.cycle(kind=SleepKind.S4), "state mismatch", True),
        (lambda c, s: c.cycle(s.dropping(20_000, Channel.BUTTON)), "not ours", False),
        (lambda c, _: c.outside(lost=True), "invalid", False),
        (lambda c, _: c.cycle(ignored=True, driver_init_ms=9000), "ignored", False),
    ],
    ids=[
        *("unmatched", "unmeasured", "kind", "image", "mismatch"),
        *("alone", "lost", "ignored"),
    ],
)
@pytest.mark.parametrize("healthy", [9, 8])
def test_what_is_no_evidence_does_not_count_and_is_told(
    campaign, waveform, *, spoil, reason, is_undecided, healthy
) -> None:
    answer = spoil(campaign.healthy(healthy), waveform).correlation()

    assert not answer.cycles[healthy].judged
    assert (answer.cycles[healthy].why_not or "").startswith(reason)
    assert reason in answer.why
    assert [cycle.judged for cycle in answer.cycles[:healthy]] == [True] * healthy
    # Nine of ten are enough; eight of nine that woke from S3 are not.
    too_few = is_undecided and healthy == 8
    assert answer.verdict is (Verdict.NO_EVIDENCE if too_few else Verdict.PASS)
    assert ("8 of 9 cycles that woke" in answer.why) is too_few
    assert answer.undecided == answer.failures.undecided == int(is_undecided)
    assert answer.failures.upper == failure_rate_upper(is_undecided, healthy + is_undecided)


def test_hybrid_sleeps_of_a_campaign_are_judged_and_named(campaign) -> None:
    answer = campaign.cycle(kind=SleepKind.HYBRID).healthy(2).correlation()

    assert [cycle.judged for cycle in answer.cycles] == [True] * 3
    assert answer.verdict is Verdict.PASS
    assert answer.why.startswith("1 hybrid sleep, which resumes from S3, is judged with 2 S3: ")


def test_no_cycle_that_can_be_judged_is_no_evidence(campaign) -> None:
    answer = campaign.outside(lost=True).correlation()

    assert answer.verdict is Verdict.NO_EVIDENCE
    assert answer.why.startswith("The only cycle cannot be judged")


def test_no_cycle_at_all_is_no_evidence(campaign) -> None:
    answer = campaign.correlation()

    assert answer.verdict is Verdict.NO_EVIDENCE
    assert answer.cycles == ()
    assert answer.clock is None


def test_without_a_log_no_record_is_called_missing(campaign) -> None:
    answer = campaign.healthy(3).correlation(log=False)

    assert answer.verdict is Verdict.NO_EVIDENCE
    assert [kinds(cycle) for cycle in answer.cycles] == [[]] * 3
    assert answer.cycles[0].why_not == "no record: no log was read"


def test_a_missing_record_is_a_finding(campaign) -> None:
    answer = campaign.healthy(2).outside().healthy(2).correlation()

    assert kinds(answer.cycles[2]) == [FindingKind.RECORD_MISSING]
    assert [cycle.record is None for cycle in answer.cycles] == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("fields", "finding", "words"),
    [
        ({"bios_init_ms": None}, FindingKind.BIOS_NOT_REPORTED, "no BIOS time"),
        ({"driver_init_ms": None}, FindingKind.NOT_MEASURED, "without a resume time"),
        ({"kind": SleepKind.S4}, FindingKind.STATE_MISMATCH, "reports S4"),
        ({"firmware_resume_ms": 240}, FindingKind.FIRMWARE_DISAGREES, "less than the 240 ms"),
        ({"firmware_resume_ms": 100}, FindingKind.SUSPICION, "100 ms apart; 20 ms"),
        ({"late_ns": 5 * S}, FindingKind.CLOCK_STEP, "without an event"),
        ({"bios_init_ms": 251}, FindingKind.BIOS_OVER_ADVISED, "advises at most 250 ms"),
        ({"driver_init_ms": 740}, FindingKind.UNEXPLAINED, "60 ms later"),
        ({"driver_init_ms": 860}, FindingKind.UNEXPLAINED, "60 ms earlier"),
    ],
)
def test_each_disagreement_is_found_in_its_own_cycle_only(campaign, fields, finding, words) -> None:
    fields = dict(fields)
    # A late WakeTime also moves the wake away from its cycle; SleepTime earlier does not.
    late_ns = fields.pop("late_ns", 0)
    campaign.healthy(8).cycle(**fields)
    if late_ns:
        last = campaign.records.pop()
        campaign.records.append(
            campaign.record(
                **{
                    "record_id": last.record_id,
                    "wake_time_utc_ns": last.wake_time_utc_ns,
                    "sleep_time_utc_ns": last.sleep_time_utc_ns - late_ns,
                }
            )
        )

    answer = campaign.correlation()

    assert [kinds(cycle) for cycle in answer.cycles[:8]] == [[]] * 8
    assert finding in kinds(answer.cycles[8])
    (text,) = [f.text for f in answer.cycles[8].findings if f.kind is finding]
    assert words in text


@pytest.mark.parametrize(
    "fields",
    [
        {"firmware_resume_ms": 165},
        {"firmware_resume_ms": None},
        {"firmware_resume_ms": 199},
        {"late_ns": 900 * MS},
        {"bios_init_ms": 250, "firmware_resume_ms": 230, "driver_init_ms": 750},
        {"driver_init_ms": 845},
        {"sleep_ms": None},
    ],
)
def test_what_the_bounds_explain_is_no_finding(campaign, fields) -> None:
    answer = campaign.healthy(8).cycle(**fields).correlation()

    assert kinds(answer.cycles[8]) == []


@pytest.mark.parametrize(("later_ms", "found"), [(300, False), (1_300, False), (2_000, True)])
def test_light_is_late_where_it_is_by_more_than_the_bound(
    campaign, waveform, later_ms, found
) -> None:
    # As a rule it comes 312 ms after the OS's "complete", known to a second by the OS's clock.
    (*steps, (lit_ms, line, level)) = waveform.steps
    for _ in range(3):
        campaign.cycle(replace(waveform, steps=(*steps, (lit_ms + later_ms, line, level))))

    for cycle in campaign.correlation().cycles:
        assert cycle.light_after_complete.value_ns == (312 + later_ms) * MS
        assert kinds(cycle) == [FindingKind.COMPLETE_BEFORE_LIGHT] * found
        for finding in cycle.findings:
            told = finding.evidence
            assert told["bound_ns"] <= cycle.light_after_complete.bound_ns
            assert told["late_ns"] - told["bound_ns"] > 1_000 * MS
            assert told["bound_ns"] < told["late_ns"] - told["threshold_ns"]


def test_the_unexplained_needs_three_cycles(campaign) -> None:
    answer = campaign.healthy(2).correlation()

    assert [cycle.unexplained for cycle in answer.cycles] == [None, None]


@pytest.mark.parametrize("n", [7, 8])
def test_what_is_unusual_is_told_once_the_usual_is_known(campaign, n) -> None:
    answer = campaign.healthy(n - 1).cycle(driver_init_ms=700).correlation()

    assert answer.cycles[-1].unexplained.value_ns == 100 * MS
    assert (FindingKind.UNEXPLAINED in kinds(answer.cycles[-1])) is (n >= 8)


def test_a_campaign_that_always_varies_has_nothing_unusual(campaign) -> None:
    for i in range(21):
        campaign.cycle(driver_init_ms=700 + 10 * i)

    answer = campaign.correlation()

    # The first one may be warming up: it is not in the median of the other 20.
    assert max(abs(cycle.unexplained.value_ns) for cycle in answer.cycles) == 105 * MS
    assert [kinds(cycle) for cycle in answer.cycles] == [[]] * 21


def test_ignored_cycles_do_not_move_the_campaigns_own_median(campaign) -> None:
    for _ in range(3):
        campaign.cycle(ignored=True, driver_init_ms=200)
    answer = campaign.healthy(3).correlation()

    assert [cycle.unexplained.value_ns for cycle in answer.cycles[3:]] == [0, 0, 0]


def test_s4_inside_is_no_mismatch_where_no_wire_could_show_it(campaign, waveform) -> None:
    blind = waveform.without(Channel.SLP_S4)
    for _ in range(3):
        campaign.cycle(blind, kind=SleepKind.S4)

    answer = campaign.correlation()

    assert answer.cycles[0].outside.state is OutsideState.S3
    assert FindingKind.STATE_MISMATCH not in kinds(answer.cycles[0])


def test_findings_of_the_wires_stand_first(campaign, waveform) -> None:
    reset = waveform.plus((20_400, Channel.PLTRST, 0), (20_500, Channel.PLTRST, 1))

    answer = campaign.healthy(3).cycle(reset, bios_init_ms=400).correlation()

    assert kinds(answer.cycles[3])[0] is FindingKind.DOUBLE_RESET
    assert FindingKind.BIOS_OVER_ADVISED in kinds(answer.cycles[3])


def test_records_of_two_computers_are_two_and_no_step_of_a_clock(campaign) -> None:
    for _ in range(12):
        campaign.cycle(computer="LAB-7")
    for _ in range(12):
        campaign.cycle(computer="LAB-9", late_ns=400 * S)

    answer = campaign.correlation()

    assert "LAB-7 (cycles 1 to 12), LAB-9 (cycles 13 to 24)" in answer.why
    assert answer.clock_steps == ()
    assert [(each.first_cycle, each.computer) for each in answer.levels] == [(13, "LAB-9")]
    # The first sleep of the other one begins by the old clock, as records are made here.
    assert [kinds(c) for c in answer.cycles if c.outside.number != 13] == [[]] * 23


def test_one_computer_has_one_name_and_no_parts(campaign) -> None:
    answer = campaign.healthy(12).correlation()

    assert "computers" not in answer.why
    assert answer.levels == ()
