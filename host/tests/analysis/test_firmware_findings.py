"""Findings about the firmware at their thresholds, each by itself.

What clock and wires leave room for is given here, not derived: whole campaigns, in which it is,
meet a threshold by chance only (test_findings.py).
"""

from dataclasses import replace
from math import hypot

import pytest

from resume_rig.analysis.findings.context import Context, RecordedCycle
from resume_rig.analysis.findings.firmware import (
    BiosClaim,
    bios_findings,
    claim_of,
    detectable_bios,
    firmware_findings,
    unit_factor,
)
from resume_rig.analysis.reconcile.hidden_time import Hidden, HiddenMean
from resume_rig.analysis.reconcile.norms import History, Norm, Norms, Platform, history_of
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import Figure, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import FindingKind

MS = 1_000_000
REQUIREMENT = load_requirement("sysfund-0004")  # advises 250 ms of BIOS
AROUND = Context(REQUIREMENT, BoundedNs(0, 0), Norms(), History(), {})
OUTSIDE = OutsideCycle(
    1, Outcome.SLEPT_AND_WOKE, OutsideState.S3, Actuator.BUTTON, None, None, None, {}
)


@pytest.fixture
def cycle(record):
    """Return a function that makes a cycle; `room_ms` is the longest BIOS time possible."""

    def make(room_ms=1_000.0, around=AROUND, one_cause=None, before=None, **fields):
        own = record(**{"bios_init_ms": 200, "firmware_resume_ms": 190} | fields)
        if before is not None:
            history = history_of([before, own], [])
            around = replace(around, history=history)
        pair = RecordedCycle(OUTSIDE, own, around)
        vars(pair).update(longest_bios_ms=room_ms, one_cause=one_cause)
        return pair

    return make


def kinds(found) -> list[str]:
    return [finding.kind.value for finding in found]


@pytest.mark.parametrize(
    ("bios_ms", "room_ms", "told", "claim"),
    [
        (None, 1_000.0, (None, None), BiosClaim.POSSIBLE),
        (1_000, 1_000.0, (None, None), BiosClaim.POSSIBLE),
        (900_000, None, (True, 1000), BiosClaim.POSSIBLE),
        (1_001, 1_000.0, (None, None), BiosClaim.TOO_LONG),
        (1_001, 1_000.0, (True, 1000), BiosClaim.UPTIME),
        (190_000, 1_000.0, (None, 1000), BiosClaim.OTHER_UNIT),
        (190_000, 1_000.0, (False, 1000), BiosClaim.OTHER_UNIT),
        (190_000, 1_000.0, (True, 1000), BiosClaim.UPTIME),
        # No factor was found for the campaign, or it does not fit this cycle.
        (190_000, 1_000.0, (None, None), BiosClaim.UPTIME),
        (190_000, 1_000.0, (False, None), BiosClaim.TOO_LONG),
        (190_000, 1_000.0, (None, 1_000_000), BiosClaim.UPTIME),
        (60_000, 1_000.0, (None, None), BiosClaim.UPTIME),
        (59_999, 1_000.0, (None, None), BiosClaim.TOO_LONG),
    ],
)
def test_what_can_be_believed_of_a_bios_time(
    cycle, bios_ms, room_ms, told, claim: BiosClaim
) -> None:
    counts, factor = told
    around = replace(AROUND, history=History(keeps_counting=counts), unit_factor=factor)

    assert claim_of(cycle(room_ms, around, bios_init_ms=bios_ms)) is claim


@pytest.mark.parametrize(
    ("bios_ms", "full_ms", "room_ms", "factor"),
    [
        (200, 190, None, 1),
        (1_000, 190, 1_000.0, 1),
        (None, 190, 1_000.0, 1),
        (20_000, None, 1_000.0, 1_000),
        (19_999, None, 1_000.0, None),  # less than 20 ms is no BIOS
        (1_000_000, None, 1_000.0, 1_000),
        (1_000_001, None, 1_000.0, None),
        (20_000_000, None, 1_000.0, 1_000_000),
        # The firmware's own account agrees to 30 %, in ms or in the same unit.
        (200_000, 140, 1_000.0, 1_000),
        (200_000, 139, 1_000.0, None),
        (200_000, 285, 1_000.0, 1_000),
        (200_000, 286, 1_000.0, None),
        (200_000, 140_000, 1_000.0, 1_000),
        (200_000, 139_999, 1_000.0, None),
    ],
)
def test_the_unit_that_makes_a_bios_time_plausible(
    cycle, bios_ms, full_ms, room_ms, factor
) -> None:
    pair = cycle(room_ms, bios_init_ms=bios_ms, firmware_resume_ms=full_ms)

    assert unit_factor(pair) == factor


def test_an_impossible_bios_time_is_told_with_its_room(cycle) -> None:
    def found(counts, factor, bios_ms):
        around = replace(AROUND, history=History(keeps_counting=counts), unit_factor=factor)
        (finding,) = bios_findings(cycle(999.6, around, bios_init_ms=bios_ms))
        return finding

    uptime, unit = found(True, None, 70_000), found(None, 1000, 190_000)
    long, longer = found(None, None, 1_001), found(False, None, 60_000)

    assert (uptime.kind, unit.kind) == (FindingKind.TSC_NOT_RESET, FindingKind.WRONG_UNIT)
    assert long.kind is longer.kind is FindingKind.BIOS_OVER_REPORTED
    room = "ms for the BIOS, where wires and clock leave 1000 ms at most"
    assert uptime.text.startswith(f"The OS reports 70000 {room}: the counter it is read from")
    assert unit.text.endswith("it is 1000 times too large, as another unit makes it.")
    assert long.text == f"The OS reports 1001 {room}."
    assert longer.text.endswith("as an uptime does, and no unit of time fits it.")
    assert unit.evidence == {
        "bios_init_ms": 190_000,
        "longest_possible_ms": 1000,
        "firmware_resume_ms": 190,
        "factor": 1000,
    }


def hidden(value_ms: float, bound_ms: float, drift_ms: float = 0, stopped=None) -> Hidden:
    each = BoundedNs(round(value_ms * MS), round(bound_ms * MS))
    return Hidden(each, round(drift_ms * MS), 200 * MS, stopped)


@pytest.mark.parametrize(
    ("value_ms", "bound_ms", "kind"),
    [
        (30.0, 29.0, "bios-under-reported"),
        (30.0, 30.0, None),
        (-30.0, 30.0, None),
        (-30.0, 29.0, "bios-over-reported"),
    ],
)
@pytest.mark.parametrize("by", ["mean", "alone"])
def test_the_clock_shows_hidden_time_where_its_interval_holds_no_zero(
    cycle, value_ms, bound_ms, kind, by
) -> None:
    own = hidden(value_ms, bound_ms)
    where = {"means": {1: HiddenMean(own.each, 7)}} if by == "mean" else {"hidden": {1: own}}

    found = list(bios_findings(cycle(around=replace(AROUND, **where))))

    assert kinds(found) == ([] if kind is None else [kind])
    if kind is not None:
        (finding,) = found
        whose = "on average over 7 cycles" if by == "mean" else "in this cycle"
        more = "more" if value_ms > 0 else "less"
        begins = f"After PLTRST# 1 to 59 ms {more} went by than the BIOS time that the OS reports, "
        assert finding.text.startswith(f"{begins}{whose}, by the OS's own clock")
        assert ("place" in finding.evidence) == (value_ms > 0)
        assert finding.evidence["hidden_ns"] == value_ms * MS
        assert finding.evidence["cycles"] == (7 if by == "mean" else 1)


def test_the_mean_goes_before_the_cycle_and_that_before_one_cause(cycle) -> None:
    mean, alone = HiddenMean(BoundedNs(90 * MS, MS), 5), hidden(70, 1)
    cause = BoundedNs(50 * MS, MS), "against the light, which came as ever"

    def text(**more) -> str:
        (finding,) = bios_findings(cycle(around=replace(AROUND, **more), one_cause=cause))
        return finding.text

    assert "89 to 91 ms more" in text(means={1: mean}, hidden={1: alone})
    assert "69 to 71 ms more" in text(hidden={1: alone})
    assert text().endswith("49 to 51 ms more went by than the BIOS time that the OS reports, "
                           "against the light, which came as ever.")  # fmt: skip
    # Nothing else is told of an impossible one.
    (only,) = bios_findings(cycle(100.0, replace(AROUND, means={1: mean}), one_cause=cause))
    assert only.kind is FindingKind.BIOS_OVER_REPORTED
    assert "place" not in only.evidence


@pytest.mark.parametrize(
    ("bios_ms", "full_ms", "factor"),
    [
        (200, 200_000, 1_000),
        (200, 259_999, 1_000),  # less than 30 % off
        (200, 260_001, None),
        (200, 140_001, 1_000),
        (200, 139_999, None),
        (2, 2_000_000, 1_000_000),
    ],
)
def test_fullresume_in_another_unit_is_told_from_its_ratio(cycle, bios_ms, full_ms, factor) -> None:
    found = list(firmware_findings(cycle(bios_init_ms=bios_ms, firmware_resume_ms=full_ms)))

    wrong = [each for each in found if each.kind is FindingKind.WRONG_UNIT]
    assert [each.evidence["factor"] for each in wrong] == ([factor] if factor else [])
    if factor:
        assert wrong[0].evidence["ratio"] == round(full_ms / bios_ms, 4)
        assert f"{factor} times BiosInit ({bios_ms} ms)" in wrong[0].text


def test_ticks_of_a_counter_are_told_from_the_usual_ratio(cycle) -> None:
    around = replace(AROUND, history=History(firmware_ratio=1.25))

    def wrong(around=around, **fields) -> list[str]:
        return kinds(firmware_findings(cycle(around=around, **fields)))

    assert wrong(firmware_resume_ms=250) == ["wrong-unit"]
    assert wrong(firmware_resume_ms=200) == ["wrong-unit"]
    assert wrong(firmware_resume_ms=199) == []
    assert wrong(AROUND, firmware_resume_ms=250) == ["firmware-disagrees"]
    # 50 ms more in the firmware's account are hidden time where the mean is nearer to that.
    near = replace(around, means={1: HiddenMean(BoundedNs(26 * MS, 99 * MS), 3)})
    far = replace(around, means={1: HiddenMean(BoundedNs(25 * MS, 99 * MS), 3)})
    assert wrong(near, firmware_resume_ms=250) == ["firmware-disagrees"]
    assert wrong(far, firmware_resume_ms=250) == ["wrong-unit"]
    # A BIOS time that is itself wrong needs no other unit.
    proven = replace(around, means={1: HiddenMean(BoundedNs(26 * MS, MS), 3)})
    assert wrong(proven, firmware_resume_ms=250) == ["firmware-disagrees"]


def test_an_absurd_fullresume_may_be_one_in_another_unit(cycle) -> None:
    absurd = (Figure("firmware_resume_absurd_ms", 200_000.4),)
    around = replace(AROUND, history=History(firmware_ratio=1.25))

    (finding,) = firmware_findings(cycle(firmware_resume_ms=None, figures=absurd))

    assert finding.kind is FindingKind.WRONG_UNIT
    assert finding.evidence["firmware_resume_ms"] == 200_000
    none = cycle(around=around, firmware_resume_ms=None, figures=(replace(absurd[0], value=1e6),))
    assert list(firmware_findings(none)) == []


@pytest.mark.parametrize(
    ("bios_ms", "full_ms", "usual", "found"),
    [
        (200, 201, None, False),
        (200, 202, None, True),  # less than the firmware's own account, beyond rounding
        (200, 180, 0.0, False),
        (200, 179, 0.0, True),  # 20 ms from what is usual
        (200, 150, 71.0, True),
        (200, 150, 70.0, False),
        (200, 150, None, False),
        (200, None, 0.0, False),
    ],
)
def test_bios_and_firmware_disagree_beyond_rounding_or_beyond_what_is_usual(
    cycle, bios_ms, full_ms, usual, found: bool
) -> None:
    around = replace(AROUND, norms=Norms(firmware_extra_ms=usual))
    pair = cycle(around=around, bios_init_ms=bios_ms, firmware_resume_ms=full_ms)

    assert kinds(firmware_findings(pair)) == (["firmware-disagrees"] if found else [])


def test_what_is_usual_is_said_to_be_of_the_platform_or_of_the_campaign(cycle) -> None:
    around = replace(AROUND, norms=Norms(firmware_extra_ms=50.5))
    known = replace(around, platform=Platform(firmware_extra_ms=50.5))

    texts = [next(firmware_findings(cycle(around=each))).text for each in (around, known)]

    begins = "BiosInit and the firmware's FullResume are 10 ms apart; 50.5 ms is usual in this"
    assert texts == [f"{begins} campaign.", f"{begins} platform."]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"bios_init_ms": 250}, False),
        ({"bios_init_ms": 251}, True),
        ({"bios_init_ms": 251, "kind": SleepKind.S4}, False),
        ({"bios_init_ms": None}, False),
    ],
)
def test_a_bios_over_its_advice_is_told(cycle, fields, found: bool) -> None:
    pair = cycle(firmware_resume_ms=None, **fields)

    assert kinds(firmware_findings(pair)) == (["bios-over-advised"] if found else [])
    unadvised = replace(AROUND, requirement=replace(REQUIREMENT, bios_advised_ms=None))
    assert list(firmware_findings(cycle(around=unadvised, firmware_resume_ms=None, **fields))) == []


@pytest.mark.parametrize(
    ("before", "now", "stuck"),
    [
        (5, 5, True),
        (5, 6, False),
        (None, None, False),
        (5, None, False),
        (1, 1, False),
        (2, 2, True),
    ],
)
def test_a_resume_count_that_stands_still_is_told(cycle, record, before, now, stuck: bool) -> None:
    earlier = record(firmware_resume_count=before, firmware_resume_ms=77)

    found = list(firmware_findings(cycle(before=earlier, firmware_resume_count=now)))

    assert kinds(found) == (["resume-count-stuck"] if stuck else [])
    if stuck:
        assert found[0].evidence == {
            "resume_count": now,
            "firmware_resume_ms": 190,
            "before_ms": 77,
        }


def test_a_count_of_one_stands_still_only_within_a_boot(cycle, record) -> None:
    """The OS's count of awake time goes on: awake 10 s, 1 s to wake, 2 s to sleep."""

    def found(ended_ms: float) -> list[str]:
        def started(ms: float):
            return (Figure("firmware_suspend_start_ms", ms),)

        earlier = record(
            firmware_resume_count=1,
            wake_time_utc_ns=0,
            wake_ms=1_000,
            figures=started(100_000.0),
        )
        pair = cycle(
            before=earlier,
            firmware_resume_count=1,
            sleep_time_utc_ns=10_000 * MS,
            sleep_ms=2_000,
            figures=started(ended_ms),
        )
        return kinds(firmware_findings(pair))

    assert [found(113_000.0 + off) for off in (-1_501, -1_500, 0, 1_500, 1_501)] == [
        [],
        *[["resume-count-stuck"]] * 3,
        [],
    ]


def averaged(record, count, full_ms, average_ms, **more):
    figures = () if average_ms is None else (Figure("firmware_average_resume_ms", average_ms),)
    return record(firmware_resume_count=count, firmware_resume_ms=full_ms, figures=figures, **more)


@pytest.mark.parametrize(
    ("average_ms", "wrong"),
    [(155.0, False), (153.0, False), (157.0, False), (157.1, True), (152.9, True)],
)
def test_an_average_follows_from_the_last_one(record, average_ms: float, wrong: bool) -> None:
    # (150 * 7 + 190) / 8 = 155
    earlier, own = averaged(record, 7, 180, 150.0), averaged(record, 8, 190, average_ms)
    around = replace(AROUND, history=history_of([earlier, own], []))
    pair = RecordedCycle(OUTSIDE, replace(own), around)
    vars(pair).update(longest_bios_ms=None, one_cause=None)
    pair = RecordedCycle(OUTSIDE, own, around)

    found = list(firmware_findings(pair))

    assert kinds(found) == (["average-resume-wrong"] if wrong else [])
    if wrong:
        assert found[0].evidence["due_ms"] == 155.0
        assert "of 190 ms as number 8 it has to be 155 ms" in found[0].text


@pytest.mark.parametrize(
    ("earlier", "own"),
    [
        ((6, 180, 150.0), (8, 190, 999.0)),  # a resume is lacking between
        ((7, 180, None), (8, 190, 999.0)),
        ((7, 180, 150.0), (8, None, 999.0)),
        ((7, 180, 150.0), (8, 190, None)),
        ((7, 180, 150.0), (0, 190, 999.0)),
    ],
)
def test_an_average_is_not_checked_where_a_term_of_it_lacks(record, earlier, own) -> None:
    records = [averaged(record, *earlier), averaged(record, *own)]
    around = replace(AROUND, history=history_of(records, []))

    assert "average-resume-wrong" not in kinds(
        firmware_findings(RecordedCycle(OUTSIDE, records[1], around))
    )


def test_an_average_is_of_all_resumes_since_the_first_where_all_are_there(record) -> None:
    # Each follows from the one before it, and not from the resumes themselves.
    records = [averaged(record, n, full, 400.0) for n, full in ((1, 400), (2, 400), (3, 100))]
    around = replace(AROUND, history=history_of(records, []))

    (finding,) = firmware_findings(RecordedCycle(OUTSIDE, records[2], around))

    assert finding.evidence["due_ms"] == 300.0


def test_a_record_without_a_count_ends_the_row_that_an_average_is_worked_out_from(record) -> None:
    rows = [(1, 400, 400.0), (None, 400, None), (2, 400, None), (3, 100, 400.0)]
    records = [averaged(record, *row) for row in rows]
    around = replace(AROUND, history=history_of(records, []))

    assert not list(firmware_findings(RecordedCycle(OUTSIDE, records[3], around)))

    whole = [records[0], *records[2:]]
    around = replace(AROUND, history=history_of(whole, []))
    assert kinds(firmware_findings(RecordedCycle(OUTSIDE, records[3], around))) == [
        "average-resume-wrong"
    ]


def test_what_would_have_been_found_needs_a_cycle_that_reports(record) -> None:
    ignored = replace(OUTSIDE, ignored=True)

    assert (
        detectable_bios([(ignored, record()), (OUTSIDE, record(bios_init_ms=None))], AROUND) is None
    )
    assert detectable_bios([], AROUND) is None
    blind = detectable_bios([(OUTSIDE, record())], AROUND)
    assert (blind.n, blind.constant_ns, blind.single_ns) == (1, None, None)


def test_by_the_clock_an_error_of_its_whole_width_is_found(record) -> None:
    stopped = BoundedNs(0, MS)

    def around(*widths: tuple[float, float]) -> Context:
        return replace(
            AROUND,
            hidden={n: hidden(0, bound, drift, stopped) for n, (bound, drift) in enumerate(widths)},
        )

    def found(*widths: tuple[float, float], **more):
        pairs = [(replace(OUTSIDE, number=n), record()) for n in range(len(widths))]
        return detectable_bios(pairs, replace(around(*widths), **more))

    few = found((10, 0), (20, 5), (500, 0))
    # Nearly all of three are three; the last has no sleep after it, so of two there are two.
    assert (few.n, few.constant_ns, few.single_ns) == (3, 1_000 * MS, 50 * MS)
    many = found(*[(10.0, 0.0)] * 38, (70, 0), (90, 0))
    assert many.constant_ns == 20 * MS  # 95 % of 40 are 38
    assert found(*[(10.0, 0.0)] * 37, *[(70.0, 0.0)] * 3).constant_ns == 140 * MS
    narrow = found((10, 0), (20, 5), means={n: HiddenMean(BoundedNs(0, 3 * MS), 2) for n in (0, 1)})
    assert (narrow.constant_ns, narrow.single_ns) == (6 * MS, 20 * MS)
    untold = replace(around((10, 0)).hidden[0], stopped=None)
    assert (
        detectable_bios([(OUTSIDE, record())], replace(AROUND, hidden={1: untold})).constant_ns
        is None
    )


@pytest.mark.parametrize(
    ("bios", "rest", "expected"),
    [
        # Unusual, and two spreads more; the greater of BIOS and light counts.
        ((100, 10), (60, 5), 120),
        ((60, 5), (100, 10), 120),
        # Never below 50 ms.
        ((10, 1), (20, 2), 54),
        ((10, 2), (20, 1), 54),
        # The two have to agree to a third.
        ((60, 30), (60, 40), 3 * 2 * hypot(30, 40)),
    ],
)
def test_by_the_light_an_error_is_found_beyond_what_is_usual(record, bios, rest, expected) -> None:
    group = SleepKind.S3, Actuator.BUTTON
    norms = Norms(
        residuals={group: Norm(9, 300 * MS, rest[1] * MS, rest[0] * MS)},
        bios={group: Norm(9, 200 * MS, bios[1] * MS, bios[0] * MS)},
    )
    lit = replace(OUTSIDE, intervals={IntervalName.PLTRST_TO_LIGHT: BoundedNs(1_300 * MS, 0)})

    found = detectable_bios([(lit, record()), (lit, record())], replace(AROUND, norms=norms))

    assert found.single_ns == pytest.approx(expected * MS, abs=2)
    unknown = replace(norms, bios={group: Norm(3, 200 * MS, None, None)})
    pairs = [(lit, record()), (lit, record())]
    assert detectable_bios(pairs, replace(AROUND, norms=unknown)).single_ns is None
