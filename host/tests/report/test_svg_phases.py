from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from resume_rig.model.cycle import IntervalName
from resume_rig.report.svg_phases import PANEL_ROWS, PhaseRow, phase_panels


def only_row(cycle: Any, limit_ms: int = 2_000) -> PhaseRow:
    (panel,) = phase_panels([cycle], limit_ms)
    (row,) = panel.rows
    return row


def without(cycle: Any, *names: IntervalName) -> Any:
    kept = {name: q for name, q in cycle.outside.intervals.items() if name not in names}
    return replace(cycle, outside=replace(cycle.outside, intervals=kept))


def test_outside_runs_without_gaps_from_the_press_to_the_light(samples: Any) -> None:
    row = only_row(samples.cycle())
    styles = [segment.style for segment in row.outside]
    assert styles == ["to-slp-s3", "to-pwr-ok", "to-pltrst", "to-light"]
    (panel,) = phase_panels([samples.cycle()], 2_000)
    assert row.outside[0].x == panel.frame.left
    for before, after in pairwise(row.outside):
        assert after.x == pytest.approx(before.x + before.width, abs=0.02)
    assert row.light == pytest.approx(row.outside[-1].x + row.outside[-1].width, abs=0.02)


def test_inside_begins_at_pltrst_with_what_neither_side_sees(samples: Any) -> None:
    row = only_row(samples.cycle())
    unknown, bios, drivers = row.inside
    assert [s.style for s in row.inside] == ["unknown", "bios", "drivers"]
    assert unknown.x == row.outside[-1].x
    assert bios.x == pytest.approx(unknown.x + unknown.width, abs=0.02)
    assert drivers.text == "drivers: 1043 ms"
    assert row.complete is not None
    assert row.complete.low < row.complete.at < row.complete.high
    assert row.complete.at == pytest.approx(drivers.x + drivers.width, abs=0.02)


def test_the_limit_stands_where_all_of_it_would_have_been_used(samples: Any) -> None:
    (panel,) = phase_panels([samples.cycle(bios_ms=205, drivers_ms=1_795)], 2_000)
    (row,) = panel.rows
    assert row.complete is not None
    assert row.limit == row.complete.at


def test_a_line_that_is_not_wired_lengthens_the_next_phase(samples: Any) -> None:
    cycle = without(samples.cycle(), IntervalName.PRESS_TO_SLP_S3, IntervalName.SLP_S3_TO_PWR_OK)
    row = only_row(cycle)
    assert [segment.style for segment in row.outside] == ["to-pwr-ok", "to-pltrst", "to-light"]
    assert row.outside[0].text == "trigger to PWR_OK: 232 ms"


def test_a_milestone_is_summed_where_it_was_not_formed_directly(samples: Any) -> None:
    cycle = without(samples.cycle(), IntervalName.PRESS_TO_PLTRST, IntervalName.PRESS_TO_LIGHT)
    assert len(only_row(cycle).outside) == 4


def test_inside_is_not_placed_without_pltrst(samples: Any) -> None:
    cycle = without(
        samples.cycle(),
        IntervalName.PRESS_TO_PLTRST,
        IntervalName.PWR_OK_TO_PLTRST,
        IntervalName.PLTRST_TO_LIGHT,
    )
    row = only_row(replace(cycle, press_to_resume_complete=None))
    assert row.inside == ()
    assert row.limit is None
    assert row.inside_note is not None
    assert row.inside_note.label == "OS reports 1248 ms; not placed, PLTRST# was not seen"


def test_a_cycle_that_never_woke_says_so_in_place_of_a_bar(samples: Any) -> None:
    row = only_row(samples.never_woke(3))
    assert (row.outside, row.inside, row.light, row.complete) == ((), (), None, None)
    assert row.outside_note is not None
    assert row.outside_note.label == "never woke"
    assert row.inside_note is not None
    assert row.inside_note.label == "no OS record"
    assert row.verdict == "FAIL"


def test_an_outlier_is_torn_and_keeps_its_figures(samples: Any) -> None:
    cycles = [samples.cycle(n) for n in range(1, 6)]
    cycles.append(samples.cycle(6, drivers_ms=12_511, light_ms=13_871.0))
    (panel,) = phase_panels(cycles, 2_000)
    assert panel.axis.scale.high < 3_000
    torn = panel.rows[-1]
    assert len(torn.torn) == 2
    assert (torn.light, torn.complete) == (None, None)
    assert "13871" in torn.light_text
    assert all(row.torn == () for row in panel.rows[:-1])


def test_slow_cycles_alone_are_not_torn(samples: Any) -> None:
    (panel,) = phase_panels(samples.slow_cycles().cycles, 2_000)
    assert all(row.torn == () and row.light is not None for row in panel.rows)


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(0, []), (1, [1]), (20, [20]), (21, [11, 10]), (200, [20] * 10)],
    ids=["none", "one", "full", "even", "most"],
)
def test_panels_are_evenly_filled(samples: Any, count: int, sizes: list[int]) -> None:
    panels = phase_panels([samples.cycle(n) for n in range(1, count + 1)], 2_000)
    assert [len(panel.rows) for panel in panels] == sizes
    assert max(sizes, default=0) <= PANEL_ROWS
    assert len({panel.axis for panel in panels}) <= 1


def test_labels_stand_only_where_they_fit(samples: Any) -> None:
    row = only_row(samples.cycle())
    by_style = {segment.style: segment for segment in (*row.outside, *row.inside)}
    assert by_style["drivers"].label == "drivers 1043"
    assert by_style["to-pwr-ok"].label == "179"
    assert by_style["unknown"].label == ""
