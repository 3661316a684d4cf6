"""Outside and inside become one statement, with findings where they disagree."""

from dataclasses import replace

import pytest

from resume_rig.analysis.correlate import TimedCycle, correlate
from resume_rig.analysis.cycle_building import build_cycle
from resume_rig.analysis.requirement import load_requirement
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import IntervalName, Outcome, OutsideState
from resume_rig.model.match import Confidence, RecordReason
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.verdict import FindingKind, Verdict
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
S = 1_000_000_000
BOUNDS = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)
LIMIT = load_requirement("sysfund-0004")
RESET_TO_TSC = BoundedNs(30 * MS, 20 * MS)
UTC_NS = 1_777_000_000 * S
# Of the story: SLP_S3# rises at 20.048 s, PLTRST# 110 ms later, light 1342 ms after that.
ASLEEP_NS, AWAKE_NS = 1501 * MS, 20_048 * MS
TO_OS_NS = 110 * MS + 30 * MS + 200 * MS


class Campaign:
    """Cycles a minute apart and the records of a healthy OS, to be spoilt one by one."""

    def __init__(self, story, record) -> None:
        self.story, self.record = story, record
        self.cycles: list[TimedCycle] = []
        self.records = []
        self.at_ns = 0

    def cycle(self, story=None, ignored=False, lost=False, **fields) -> "Campaign":
        self.outside(story, ignored, lost)
        return self.inside(**fields)

    def outside(self, story=None, ignored=False, lost=False) -> "Campaign":
        told = self.story if story is None else story
        # An uneven pace, as campaigns have, so that the match has no second way.
        self.at_ns += 60 * S + len(self.cycles) ** 2 % 7 * S
        outside = build_cycle(
            len(self.cycles) + 1,
            told.edges(),
            told.levels,
            Actuator.BUTTON,
            BOUNDS,
            ignored=ignored,
            lost=lost,
        )
        moment = outside.awake_from_ns or outside.trigger_ns
        utc = None if moment is None else BoundedNs(UTC_NS + self.at_ns + moment, 300_000)
        self.cycles.append(TimedCycle(outside, utc))
        return self

    def inside(self, late_ns: int = 0, **fields) -> "Campaign":
        came_back_ns = UTC_NS + self.at_ns + AWAKE_NS + TO_OS_NS + late_ns
        times = {
            "record_id": len(self.records),
            "sleep_time_utc_ns": UTC_NS + self.at_ns + ASLEEP_NS - 1400 * MS + late_ns,
            "wake_time_utc_ns": came_back_ns + 850 * MS,
        }
        self.records.append(self.record(**{**times, **fields}))
        return self

    def healthy(self, n: int) -> "Campaign":
        for _ in range(n):
            self.cycle()
        return self

    def lacking_bios(self, n: int, lacking_ns: int) -> "Campaign":
        """Add cycles of a BIOS that takes longer than it tells; the OS's clock runs true."""
        for _ in range(n):
            self.outside()
            self.inside(sleep_time_utc_ns=UTC_NS + self.at_ns + ASLEEP_NS - 1400 * MS)
            last = self.records[-1]
            told_ns = last.wake_time_utc_ns + lacking_ns
            self.records[-1] = replace(last, wake_time_utc_ns=told_ns)
        return self

    def correlation(self, requirement=LIMIT, log=True):
        whole = Integrity(ok=True)
        sources = (LogSource("x.evtx", "evtx", 22000, 9, whole),) if log else ()
        reading = LogReading(sources, tuple(self.records) if log else ())
        return correlate(self.cycles, reading, requirement, RESET_TO_TSC)


@pytest.fixture
def campaign(story, record) -> Campaign:
    return Campaign(story, record)


def kinds(cycle):
    return [finding.kind for finding in cycle.findings]


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
    assert complete.bound_ns == power.bound_ns + 20 * MS + 2 * MS
    light = cycle.light_after_complete
    assert light.value_ns == (1500 - 1188) * MS
    # The press cancels: its definition is in neither bound of the difference.
    assert light.bound_ns < complete.bound_ns + 2 * MS
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
    answer = campaign.lacking_bios(40, 160 * MS).correlation()

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
        ({"driver_init_ms": 1800}, Verdict.MARGINAL),
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
def test_a_dut_that_does_not_come_back_fails(campaign, story, since_ms, outcome, finding) -> None:
    answer = campaign.healthy(3).outside(story.dropping(since_ms)).correlation()

    assert answer.cycles[3].outside.outcome is outcome
    assert answer.cycles[3].verdict is Verdict.FAIL
    assert answer.cycles[3].judged
    assert finding in kinds(answer.cycles[3])
    assert answer.verdict is Verdict.FAIL
    assert "1 cycle never woke or stayed dark" in answer.why


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda c, _: c.outside(), "no record"),
        (lambda c, _: c.cycle(bios_init_ms=None), "not measured"),
        (lambda c, _: c.cycle(kind=SleepKind.HYBRID), "judged apart"),
        (lambda c, _: c.cycle(kind=SleepKind.S4), "state mismatch"),
        (lambda c, s: c.outside(s.dropping(0)), "no sleep"),
        (lambda c, s: c.cycle(s.dropping(20_000, Channel.BUTTON)), "not ours"),
        (lambda c, _: c.outside(lost=True), "invalid"),
        (lambda c, _: c.cycle(ignored=True, driver_init_ms=9000), "ignored"),
    ],
    ids=["unmatched", "unmeasured", "kind", "mismatch", "no sleep", "alone", "lost", "ignored"],
)
def test_what_is_no_evidence_does_not_count_and_is_told(campaign, story, spoil, reason) -> None:
    answer = spoil(campaign.healthy(3), story).correlation()

    assert not answer.cycles[3].judged
    assert (answer.cycles[3].why_not or "").startswith(reason)
    assert reason in answer.why
    assert answer.verdict is Verdict.PASS
    assert [cycle.judged for cycle in answer.cycles[:3]] == [True] * 3


def test_no_cycle_that_can_be_judged_is_no_evidence(campaign, story) -> None:
    answer = campaign.outside(story.dropping(0)).correlation()

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
        ({"kind": SleepKind.S4}, FindingKind.STATE_MISMATCH, "tells of S4"),
        ({"firmware_resume_ms": 240}, FindingKind.FIRMWARE_DISAGREES, "less than the 240 ms"),
        ({"firmware_resume_ms": 100}, FindingKind.FIRMWARE_DISAGREES, "100 ms apart; 20 ms"),
        ({"late_ns": 5 * S}, FindingKind.BIOS_UNDER_REPORTED, "by the OS's own clock"),
        ({"bios_init_ms": 251}, FindingKind.BIOS_OVER_ADVISED, "advises at most 250 ms"),
        ({"driver_init_ms": 740}, FindingKind.UNEXPLAINED, "60 ms later"),
        ({"driver_init_ms": 860}, FindingKind.UNEXPLAINED, "60 ms earlier"),
    ],
)
def test_each_disagreement_is_found_in_its_own_cycle_only(campaign, fields, finding, words) -> None:
    fields = dict(fields)
    # A late WakeTime also moves the wake away from its cycle; SleepTime earlier hides as much.
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


def test_s4_inside_is_no_mismatch_where_no_wire_could_show_it(campaign, story) -> None:
    blind = story.without(Channel.SLP_S4)
    for _ in range(3):
        campaign.cycle(blind, kind=SleepKind.S4)

    answer = campaign.correlation()

    assert answer.cycles[0].outside.state is OutsideState.S3
    assert FindingKind.STATE_MISMATCH not in kinds(answer.cycles[0])


def test_findings_of_the_wires_stand_first(campaign, story) -> None:
    reset = story.plus((20_400, Channel.PLTRST, 0), (20_500, Channel.PLTRST, 1))

    answer = campaign.healthy(3).cycle(reset, bios_init_ms=400).correlation()

    assert kinds(answer.cycles[3])[0] is FindingKind.DOUBLE_RESET
    assert FindingKind.BIOS_OVER_ADVISED in kinds(answer.cycles[3])


def test_a_capture_without_the_hosts_time_is_matched_and_has_no_os_clock(campaign, story) -> None:
    campaign.healthy(4)
    on_own_clock = []
    for cycle in campaign.cycles:
        shift_ms = (cycle.wake_utc.value_ns - UTC_NS - AWAKE_NS) / MS
        moved = story.later(shift_ms)
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
        replace(record, wake_time_utc_ns=record.wake_time_utc_ns + 60 * S)
        for record in campaign.records
    ]
    campaign.records = shifted[:-1]
    campaign.cycles = [
        replace(cycle, records=tuple(shifted[index : index + 1]))
        for index, cycle in enumerate(campaign.cycles)
    ]

    told = campaign.correlation()

    assert [c.record and c.record.record_id for c in told.cycles] == [*range(11), None]


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
