"""Findings about the firmware at their thresholds, each by itself.

What clock and wires leave room for is given here, not derived: whole campaigns, in which it is,
meet a threshold by chance only (test_findings.py).
"""

from dataclasses import replace

import pytest

from resume_rig.analysis.findings.context import Context, RecordedCycle, WakeClaims
from resume_rig.analysis.findings.firmware import (
    BiosClaim,
    bios_findings,
    claim_of,
    detectable_bios,
    firmware_findings,
    unit_factor,
)
from resume_rig.analysis.reconcile.constraints import OPEN_NS, Span, WakeBounds
from resume_rig.analysis.reconcile.norms import History, Norms, Platform, history_of
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import Figure, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import FindingKind

MS = 1_000_000
REQUIREMENT = load_requirement("sysfund-0004")  # advises 250 ms of BIOS
AROUND = Context(REQUIREMENT, BoundedNs(0, 0), Norms(), History())
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


def span(value_ms: float, bound_ms: float) -> Span:
    return Span(round((value_ms - bound_ms) * MS), round((value_ms + bound_ms) * MS))


def left(proven=None, likely=None, seen=None, **more) -> Context:
    """Return a campaign whose first cycle hides so much, as value and half-width in ms."""

    def bounds(each) -> WakeBounds | None:
        return None if each is None else WakeBounds(span(300 + each[0], each[1]), span(*each), True)

    hidden = None if seen is None else span(*seen)
    claims = WakeClaims(None, bounds(proven), bounds(likely), hidden)
    return replace(AROUND, wakes={1: claims}, **more)


@pytest.mark.parametrize(
    ("value_ms", "bound_ms", "way"),
    [(30.0, 29.0, "more"), (30.0, 30.0, None), (-30.0, 30.0, None), (-30.0, 29.0, "less")],
)
@pytest.mark.parametrize("by", ["proven", "likely"])
def test_the_clock_shows_hidden_time_where_its_interval_holds_no_zero(
    cycle, value_ms, bound_ms, way, by
) -> None:
    around = left(**{"proven": (0, 900)} | {by: (value_ms, bound_ms)})

    found = list(bios_findings(cycle(around=around)))

    kind = "bios-under-reported" if value_ms > 0 else "bios-over-reported"
    assert kinds(found) == ([] if way is None else ["suspicion" if by == "likely" else kind])
    if way is not None:
        (finding,) = found
        begins = f"After PLTRST# 1 to 59 ms {way} went by than the BIOS time that the OS reports, "
        assert finding.text.startswith(begins)
        assert ("place" in finding.evidence) == (value_ms > 0 and by == "proven")
        assert finding.evidence["hidden_ns"] == value_ms * MS
        assert ("unless a time service moved it" in finding.text) == (by == "likely")


def test_what_the_cycle_proves_goes_before_what_is_likely_and_what_most_cycles_show(cycle) -> None:
    cause = BoundedNs(50 * MS, MS), "the light came as in most"

    def found(proven=None, likely=None, room_ms=1_000.0, **more):
        (finding,) = bios_findings(cycle(room_ms, left(proven, likely, **more), one_cause=cause))
        return finding

    assert "89 to 91 ms more" in found((90, 1), (70, 1)).text
    assert "69 to 71 ms more" in found((0, 900), (70, 1)).text
    alone = found((0, 900), (0, 80))
    assert alone.kind is FindingKind.SUSPICION
    assert "49 to 51 ms more went by" in alone.text
    assert alone.text.endswith("so that this BIOS time is wrong, or theirs is.")
    # Nothing else is told of an impossible one.
    impossible = found((90, 1), (70, 1), 100.0)
    assert impossible.kind is FindingKind.BIOS_OVER_REPORTED
    assert "place" not in impossible.evidence


def test_findings_that_point_both_ways_speak_for_the_clock(cycle) -> None:
    def found(**more):
        return list(bios_findings(cycle(around=left((90, 1), (90, 1), **more))))

    (accused,), (suspected,) = found(), found(contradictory=True)
    assert accused.kind is FindingKind.BIOS_UNDER_REPORTED
    assert suspected.kind is FindingKind.SUSPICION
    assert "the clock, rather than the BIOS" in suspected.text
    assert list(bios_findings(cycle(around=left((0, 900), (90, 1), clock_moves=True)))) == []


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
    # 50 ms more in the firmware's account are hidden time where the clock is nearer to that.
    near, far = (left(seen=(ms, 99), history=around.history) for ms in (26, 25))
    assert wrong(near, firmware_resume_ms=250) == ["firmware-disagrees"]
    assert wrong(far, firmware_resume_ms=250) == ["wrong-unit"]
    # A BIOS time that is itself wrong needs no other unit.
    proven = left((26, 1), history=around.history)
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
        (200, 201, None, None),
        (200, 202, None, "firmware-disagrees"),  # less than the firmware's own, beyond rounding
        (200, 180, 0.0, None),
        (200, 179, 0.0, "suspicion"),  # 20 ms from what is usual
        (200, 150, 71.0, "suspicion"),
        (200, 150, 70.0, None),
        (200, 150, None, None),
        (200, None, 0.0, None),
    ],
)
def test_bios_and_firmware_disagree_beyond_rounding_and_seem_to_beyond_what_is_usual(
    cycle, bios_ms, full_ms, usual, found
) -> None:
    norms = Norms(firmware_extra_ms={} if usual is None else {0: usual})
    pair = cycle(
        around=replace(AROUND, norms=norms), bios_init_ms=bios_ms, firmware_resume_ms=full_ms
    )

    assert kinds(firmware_findings(pair)) == ([] if found is None else [found])


def test_what_a_platform_is_known_by_accuses_and_what_a_campaign_shows_does_not(cycle) -> None:
    around = replace(AROUND, norms=Norms(firmware_extra_ms={0: 50.5}))
    known = replace(around, platform=Platform(firmware_extra_ms=50.5))

    own, given = (next(firmware_findings(cycle(around=each))) for each in (around, known))

    begins = "BiosInit and the firmware's FullResume are 10 ms apart; 50.5 ms is usual in this"
    assert given.kind is FindingKind.FIRMWARE_DISAGREES
    assert given.text == f"{begins} platform."
    assert own.kind is FindingKind.SUSPICION
    assert own.text == f"{begins} campaign: one of the two is wrong here, or in most cycles."


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
    def found(*widths: float, likely: float = 5.0, **more):
        wakes = {
            n: WakeClaims(
                None,
                WakeBounds(span(0, bound), span(0, bound), True),
                WakeBounds(span(0, likely), span(0, likely), True),
            )
            for n, bound in enumerate(widths)
        }
        pairs = [(replace(OUTSIDE, number=n), record()) for n in range(len(widths))]
        return detectable_bios(pairs, replace(AROUND, wakes=wakes, **more))

    few = found(10, 25, 500)
    # The last has no sleep after it; nearly all of the two others are both.
    assert (few.n, few.checked, few.constant_ns, few.single_ns) == (3, 3, 50 * MS, 50 * MS)
    assert few.suspected_ns == 10 * MS
    # Of 39 that another one follows, 95 % are 38.
    assert found(*[10.0] * 38, 70, 90).constant_ns == 20 * MS
    assert found(*[10.0] * 37, *[70.0] * 3).constant_ns == 140 * MS
    assert found(10, 10, 10, clock_moves=True).suspected_ns is None


def test_what_nothing_bounds_is_not_checked(record) -> None:
    bounds = WakeBounds(Span(0, OPEN_NS), Span(-OPEN_NS, 0), False)
    around = replace(AROUND, wakes={1: WakeClaims(proven=bounds, likely=bounds)})

    found = detectable_bios([(OUTSIDE, record())], around)

    assert (found.n, found.checked, found.constant_ns, found.suspected_ns) == (1, 0, None, None)
