"""Where the time of a cycle goes: three accounts on one axis, and what stands in their place."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.verdict.series import all_cycles
from resume_rig.model.os_record import SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName
from resume_rig.model.result.match import MatchCertainty
from resume_rig.model.result.verdict import Finding, FindingKind, NotJudged, WhyNot
from resume_rig.report.campaign.page import first_screen
from resume_rig.report.drawing.phases import (
    Bar,
    PhaseLimits,
    PhasePanel,
    base36,
    choices_of,
    cycle_column,
    phase_picture,
)

MS = 1_000_000
RESET_TO_TSC = BoundedNs(25 * MS, 15 * MS)
LIMITS = PhaseLimits(2_000, None, RESET_TO_TSC)


def panel_of(cycle: Any, limits: PhaseLimits = LIMITS) -> PhasePanel:
    picture = phase_picture([("median", "median", cycle)], "press", limits)
    assert picture is not None
    return picture.panels[0]


def bars(cycle: Any, limits: PhaseLimits = LIMITS) -> tuple[Bar, Bar, Bar]:
    wires, os, whole = panel_of(cycle, limits).bars
    return wires, os, whole


def without(cycle: Any, *names: IntervalName) -> Any:
    kept = {name: q for name, q in cycle.outside.intervals.items() if name not in names}
    return replace(cycle, outside=replace(cycle.outside, intervals=kept))


def contradicted(cycle: Any, hidden_ms: int, bound_ms: int = 50) -> Any:
    kind = FindingKind.BIOS_UNDER_REPORTED if hidden_ms > 0 else FindingKind.BIOS_OVER_REPORTED
    evidence = {"hidden_ns": hidden_ms * MS, "bound_ns": bound_ms * MS, "cycles": 60}
    return replace(
        cycle,
        findings=(Finding(kind, "Clock and wires contradict the BIOS time.", evidence),),
        press_to_resume_complete=None,
        light_after_complete=None,
    )


def test_the_wires_run_without_gaps_from_the_press_to_the_light(samples: Any) -> None:
    wires, _, _ = bars(samples.cycle())
    styles = [segment.style for segment in wires.segments]
    assert styles == ["to-slp-s3", "to-pwr-ok", "to-pltrst", "to-light"]
    for before, after in pairwise(wires.segments):
        assert after.x == pytest.approx(before.x + before.width, abs=0.02)
    light = panel_of(samples.cycle()).light
    assert light == pytest.approx(wires.segments[-1].x + wires.segments[-1].width, abs=0.02)
    assert wires.note == "display on 1420.60 ±0.53 ms"


def test_what_the_os_reports_is_counted_from_pltrst(samples: Any) -> None:
    wires, os, whole = bars(samples.cycle())
    assert [s.style for s in os.segments] == ["bios", "drivers"]
    assert os.segments[0].x == wires.segments[-1].x
    assert os.note == "reports 1248 ms"
    unknown, _, drivers = whole.segments
    assert [s.style for s in whole.segments] == ["unknown", "bios", "drivers"]
    assert unknown.x == os.segments[0].x
    assert drivers.text == "device initialization: 1043 ±1 ms"
    complete = panel_of(samples.cycle()).complete
    assert complete is not None
    assert complete.low < complete.at < complete.high
    assert complete.at == pytest.approx(drivers.x + drivers.width, abs=0.02)


def test_a_bios_that_under_reports_is_drawn_with_what_it_hides(samples: Any) -> None:
    cycle = contradicted(samples.cycle(), 231)
    panel = panel_of(cycle)
    _, os, whole = panel.bars
    assert [s.style for s in os.segments] == ["bios", "drivers"]
    assert [s.style for s in whole.segments] == ["unknown", "hidden", "bios", "drivers"]
    # 95 % of a bound of which nothing else is known.
    assert panel.hidden == "hidden 231 ±48 ms"
    assert panel.complete is not None
    assert "1838 ±" in panel.complete.text  # 333.67 + 25 + 231 + 1248
    assert panel.limit is not None
    assert panel.limit > panel.complete.at


def test_a_bios_that_over_reports_is_shortened(samples: Any) -> None:
    panel = panel_of(contradicted(samples.cycle(), -100))
    whole = panel.bars[2]
    assert [s.style for s in whole.segments] == ["unknown", "bios", "drivers"]
    assert whole.segments[1].text == "BIOS: 105 ±48 ms"
    assert panel.hidden == "BIOS time too long by 100 ±48 ms"


def test_without_a_profile_a_contradicted_cycle_is_not_placed(samples: Any) -> None:
    _, os, whole = bars(contradicted(samples.cycle(), 231), PhaseLimits(2_000))
    assert len(os.segments) == 2
    assert (whole.segments, whole.missing) == ((), "not placed")


def test_an_impossible_bios_time_runs_off_the_axis_and_is_not_reconciled(samples: Any) -> None:
    cycle = replace(
        samples.cycle(bios_ms=8_342_112), press_to_resume_complete=None, bios_impossible=True
    )
    _, os, whole = bars(cycle)
    assert os.torn
    assert os.note == "reports 8343155 ms"
    assert whole.missing == "BIOS time impossible: wires and clock leave no room for it"


def test_reading_a_hibernation_file_has_its_own_part(samples: Any) -> None:
    cycle = samples.cycle()
    record = replace(cycle.record, kind=SleepKind.S4, hiber_read_ms=3_000)
    complete = replace(
        cycle.press_to_resume_complete,
        value_ns=cycle.press_to_resume_complete.value_ns + 3_000 * MS,
    )
    _, os, whole = bars(replace(cycle, record=record, press_to_resume_complete=complete))
    assert [s.style for s in os.segments] == ["bios", "image", "drivers"]
    assert [s.text for s in whole.segments][1:3] == ["BIOS: 205 ±1 ms", "image: 3000 ±1 ms"]


def test_the_limit_stands_where_all_of_it_would_have_been_used(samples: Any) -> None:
    panel = panel_of(samples.cycle(bios_ms=205, drivers_ms=1_795))
    assert panel.complete is not None
    assert panel.limit == panel.complete.at


def test_a_limit_on_the_light_stands_at_its_time(samples: Any) -> None:
    picture = phase_picture(
        [("median", "median", samples.cycle())], "press", PhaseLimits(None, 2_000.0)
    )
    assert picture is not None
    assert picture.panels[0].limit == picture.panels[0].axis.scale.at(2_000)
    assert picture.limit_label == "limit 2000 ms"


def test_a_line_that_is_not_wired_lengthens_the_next_phase(samples: Any) -> None:
    cycle = without(samples.cycle(), IntervalName.PRESS_TO_SLP_S3, IntervalName.SLP_S3_TO_PWR_OK)
    wires, _, _ = bars(cycle)
    assert [segment.style for segment in wires.segments] == ["to-pwr-ok", "to-pltrst", "to-light"]
    assert wires.segments[0].text == "press to PWR_OK: 231.77 ±0.02 ms"


def test_nothing_is_placed_without_pltrst(samples: Any) -> None:
    cycle = without(
        samples.cycle(),
        IntervalName.PRESS_TO_PLTRST,
        IntervalName.PWR_OK_TO_PLTRST,
        IntervalName.PLTRST_TO_LIGHT,
    )
    panel = panel_of(replace(cycle, press_to_resume_complete=None))
    _, os, whole = panel.bars
    assert (os.segments, whole.segments, panel.limit) == ((), (), None)
    assert os.missing == "reports 1248 ms; not placed: PLTRST# not seen"


def test_nothing_is_placed_where_no_trigger_was_seen(samples: Any) -> None:
    cycle = replace(samples.cycle(), press_to_resume_complete=None, certainty=MatchCertainty(1.0))
    unseen = replace(cycle.outside, intervals={}, trigger_ns=None)
    _, os, whole = panel_of(replace(cycle, outside=unseen)).bars
    assert os.missing == "reports 1248 ms; not placed: no trigger"
    assert whole.missing == "not placed: no trigger"
    _, _, whole = panel_of(replace(cycle, outside=replace(unseen, trigger_ns=5))).bars
    assert whole.missing == "not placed: PLTRST# not seen, or the match is not certain"


def test_a_cycle_that_never_woke_says_so_in_place_of_a_bar(samples: Any) -> None:
    panel = panel_of(samples.never_woke(3))
    assert [bar.segments for bar in panel.bars] == [(), (), ()]
    assert [bar.missing for bar in panel.bars] == [
        "never woke",
        "no OS record",
        "needs an OS record",
    ]
    assert (panel.light, panel.complete, panel.verdict) == (None, None, "FAIL")


def test_a_much_longer_cycle_has_an_axis_of_its_own(samples: Any) -> None:
    """The slowest is the first failure, too, and still leaves the median its room."""
    slow = samples.cycle(6, drivers_ms=12_511, light_ms=13_871.0)
    chosen = [("median", "median", samples.cycle(drivers_ms=700))]
    chosen += [("slowest", "slowest", slow), ("failure", "first failure", slow)]
    picture = phase_picture(chosen, "press", LIMITS)
    assert picture is not None
    median, *others = picture.panels
    assert median.axis.scale.high < 3_000
    for panel in others:
        assert 13_871 < panel.axis.scale.high < 15_000
        assert panel.light is not None
        assert panel.complete is not None
        assert not any(bar.torn for bar in panel.bars)


def test_cycles_of_about_one_length_share_their_axis(samples: Any) -> None:
    slow = samples.cycle(6, drivers_ms=2_500)
    picture = phase_picture(
        [("median", "median", samples.cycle()), ("slowest", "slowest", slow)], "press", LIMITS
    )
    assert picture is not None
    assert len({panel.axis.scale for panel in picture.panels}) == 1


@pytest.mark.parametrize(
    "why",
    [
        NotJudged.of(WhyNot.OTHER_KIND, requirement="sysfund-0004", covers="S3", asked="S4"),
        NotJudged.of(WhyNot.NOT_COVERED, requirement="sysfund-0004", covers="S3", kind="S4"),
    ],
    ids=["asked for", "recorded"],
)
def test_a_sleep_that_the_requirement_does_not_cover_has_no_limit(
    samples: Any, why: NotJudged
) -> None:
    cycle = replace(samples.cycle(), judged=False, unjudged=why)
    assert panel_of(cycle).limit is None
    assert panel_of(samples.cycle()).limit is not None
    shown = all_cycles([cycle], ("resume_ms",))
    assert cycle_column([cycle], shown, LIMITS).rows.split(",")[18] == ""
    judged = [samples.cycle()]
    assert cycle_column(judged, shown, LIMITS).rows.split(",")[18] == "1"


def test_a_label_keeps_clear_of_the_whisker(samples: Any) -> None:
    wide = contradicted(samples.cycle(bios_ms=200, drivers_ms=600), 231, bound_ms=900)
    panel = panel_of(wide)
    assert panel.complete is not None
    for segment in panel.bars[2].segments:
        half = len(segment.label) * 3.3
        assert not segment.label or segment.label_at + half < panel.complete.low


def test_the_script_says_of_the_wires_and_the_os_what_the_page_says(samples: Any) -> None:
    dark = without(samples.cycle(1), IntervalName.PRESS_TO_LIGHT, IntervalName.PLTRST_TO_LIGHT)
    names = (IntervalName.PRESS_TO_PLTRST, IntervalName.PWR_OK_TO_PLTRST)
    unplaced = without(dark, *names)
    cycles = [dark, replace(unplaced, press_to_resume_complete=None)]
    column = cycle_column(cycles, all_cycles(cycles, ("resume_ms",)), LIMITS)
    words = column.words.split("|")
    rows = [row[1:].split(",") for row in column.rows.split(";")]
    said = [[words[int(row[at], 36)] for at in (14, 15)] for row in rows]
    assert said[0] == ["no light timed", ""]
    assert said[1][1] == bars(cycles[1])[1].missing


def test_labels_stand_only_where_they_fit(samples: Any) -> None:
    panel = panel_of(samples.cycle())
    by_style = {s.style: s for bar in panel.bars for s in bar.segments}
    assert by_style["drivers"].label == "device initialization 1043"
    assert by_style["to-pwr-ok"].label == ""
    assert by_style["unknown"].label == ""


def test_the_median_the_slowest_and_the_first_failure_are_chosen(samples: Any) -> None:
    found = samples.long_campaign(500)
    shown = all_cycles(found.cycles, ("resume_ms",))
    chosen = choices_of(shown, 165)
    times = sorted(t for t in shown.times_ms if not math.isnan(t))
    assert shown.times_ms[chosen["median"]] == times[(len(times) - 1) // 2]
    assert shown.times_ms[chosen["slowest"]] == times[-1]
    assert chosen["failure"] == 165
    screen = first_screen(answered_campaign(found, samples.facts()))
    assert screen.phases is not None
    assert [panel.key for panel in screen.phases.panels] == ["failure", "median", "slowest"]


def test_the_script_gets_the_figures_of_every_cycle(samples: Any) -> None:
    cycles = [samples.cycle(1), samples.never_woke(2), contradicted(samples.cycle(3), 231)]
    column = cycle_column(cycles, all_cycles(cycles, ("resume_ms",)), LIMITS)
    rows = [row[1:].split(",") for row in column.rows.split(";")]
    assert [row[0] for row in column.rows.split(";")] == [".", "x", "."]
    first = [int(text, 36) if text else None for text in rows[0]]
    assert first[:10] == [1, 124_800, 5_231, 23_177, 33_367, 142_060, 53, 205, None, 1_043]
    assert column.words.split("|")[int(rows[1][14], 36)] == "never woke"
    hidden = [int(text, 36) if text else None for text in rows[2]]
    assert hidden[11:13] == [23_100, 4_750]


@pytest.mark.parametrize("value", [0, 1, 35, 36, -1, -1_296, 10**12])
def test_numbers_are_written_as_javascript_reads_them(value: int) -> None:
    assert int(base36(value), 36) == value
