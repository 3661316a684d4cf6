"""The explorer, driven as a person does it: a failure found and explained, filters, damage."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.store.store import Store
from resume_rig.cli.main import main
from resume_rig.gui.app.window import Window
from resume_rig.gui.desk import Remembered
from resume_rig.gui.explorer.measured import difference_bound_ms, edges_of
from resume_rig.gui.explorer.strip import dots_of
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.request import Target, ThemeName
from resume_rig.gui.state.lanes import read_evidence
from resume_rig.gui.state.store_writing import conclude, first_screen_of
from resume_rig.gui.state.table import Column, Table, number_column, word_column
from resume_rig.gui.theme import Look

TAIL = ["--cycles", "12", "--progress", "quiet", "--out"]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    """A campaign of a DUT whose BIOS tells less than it takes."""
    path = tmp_path_factory.mktemp("stores") / "under.rrs"
    main(
        [
            "run",
            "--rig",
            "sim:clock=virtual,seed=2",
            "--dut",
            "bios-under-reports",
            *TAIL,
            str(path),
        ]
    )
    return path


@pytest.fixture
def window(qtbot, tmp_path):
    window = Window(Look(ThemeName.LIGHT), Remembered(tmp_path / "settings.ini"))
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close_at_once()


def opened(qtbot, window: Window, path: Path, cycle: int | None = None) -> ExplorerView:
    window.go("explorer", Target((path,), cycle))
    view = window.view
    assert isinstance(view, ExplorerView)
    qtbot.waitUntil(view.settled, timeout=60_000)
    return view


def test_it_opens_on_the_worst_judged_cycle_and_names_the_simulation(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)

    assert view.cycles.view.currentIndex().row() == 6  # not the ignored one
    assert view.verdict.why.text().startswith("SIMULATED: no PC was measured. ")


def test_a_cycle_is_shown_with_wires_phases_and_findings(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 7)

    assert view.cycles.view.currentIndex().row() == 6
    text = view.text.toPlainText()
    assert text.startswith("Cycle 7 slept and woke: PASS.")
    # What is wrong stands above all times.
    assert text.splitlines()[1] == "Findings: 2"
    assert text.index("• bios-under-reported: After PLTRST#") < text.index("  asleep: ")
    assert "What to do: Ask the firmware team" in text
    assert "OS records: 1" in text


def test_time_that_the_last_cycle_may_hide_leaves_the_campaign_undecided(
    qtbot, window, store
) -> None:
    view = opened(qtbot, window, store, 12)

    # No sleep follows it, so what went by after PLTRST# is known to a second only (claims.md).
    text = view.text.toPlainText()
    assert text.startswith("Cycle 12 slept and woke: MARGINAL.")
    most_ms = re.search(r"After PLTRST# \d+ to (\d+) ms more went by", text)
    assert most_ms
    table = view.cycles.model.table
    total = [column.title for column in table.columns].index("resume, ms")
    assert float(table.cell(11, total)) < 2_000 < float(table.cell(11, total)) + int(most_ms[1])
    assert view.verdict.badge.text() == "MARGINAL"
    assert view.verdict.why.text().startswith(
        "SIMULATED: no PC was measured. Hidden BIOS time may take 1 of 11 resumes over"
    )


def test_times_after_a_lid_opening_are_after_no_press(qtbot, window, tmp_path) -> None:
    path, lid = tmp_path / "lid.rrs", ["--sleep-by", "lid", "--wake-by", "lid", "--cycles", "3"]
    quiet = ["--progress", "quiet", "--out", str(path)]
    main(["run", "--rig", "sim:clock=virtual,seed=7", "--dut", "lid-bounce", *lid, *quiet])

    text = opened(qtbot, window, path, 2).text.toPlainText()
    judged = conclude(print, path, load_requirement("sysfund-0004"), tmp_path / "lid.html")

    assert "  lid opening to display on: " in text
    assert "  lid opening to resume complete: " in text
    assert "press to" not in text
    assert any(line.startswith("Lid opening to display on, 2 values") for line in judged.sentences)
    assert not any("ress to" in line for line in judged.sentences)


def test_a_filter_is_typed_and_told_where_it_is_wrong(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)

    qtbot.keyClicks(view.filter, "display on above p50 and verdict is pass")
    qtbot.keyClick(view.filter, Qt.Key.Key_Return)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert 0 < len(view.cycles.model.rows) < 12

    view.filter.setText("verdikt is pass and display on above fast")
    qtbot.keyClick(view.filter, Qt.Key.Key_Return)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert "'fast' is no value of display on" in view.wrong.text()
    view.filter.clear()
    assert len(view.cycles.model.rows) == 12
    assert view.wrong.isHidden()


def test_a_filter_on_a_store_that_is_not_judged_yet_says_so_and_applies_again(
    qtbot, window, store
) -> None:
    window.go("explorer", Target((store,)))
    view = window.view
    qtbot.waitUntil(lambda: view._quick is not None, timeout=60_000)
    view.filter.setText("verdict is pass and resume above 0")
    view.filter.returnPressed.emit()
    words = "12 cycles are not judged yet; the filter applies again then."
    assert view.narrowing.pending.isVisible()
    assert view.narrowing.pending.text() == words
    qtbot.waitUntil(lambda: view._explored is not None and view.settled(), timeout=60_000)
    assert not view.narrowing.pending.isVisible()
    # Of 12, the first is ignored, and the last one may hide too much to pass.
    assert list(view.cycles.model.rows) == list(range(1, 11))


def test_keys_go_to_what_is_worth_a_look(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)
    assert view._explored is not None
    view._explored = dataclasses.replace(view._explored, outliers=np.array([3, 8]))

    following, before = view.view_actions()[:2]
    following.trigger()
    following.trigger()
    assert view.cycles.view.currentIndex().row() == 8
    before.trigger()
    assert view.cycles.view.currentIndex().row() == 3
    before.trigger()
    assert view.cycles.view.currentIndex().row() == 3


def test_cursors_tell_their_distance(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)

    view.wave.measure.setChecked(True)
    view.wave.cursors.place(250, 1_000)

    assert "B − A +750.000 ms" in view.wave.between.text()
    view.wave.measure.setChecked(False)
    assert view.wave.between.text() == ""


def test_a_cycle_that_is_not_there_is_said(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 99)

    assert view.notice.text == "There is no cycle 99; the store has cycles 1 to 12."


@pytest.mark.parametrize("size", [0, 40, 5_000])
def test_a_damaged_store_is_named(qtbot, window, store, tmp_path, size) -> None:
    bad = tmp_path / "bad.rrs"
    bad.write_bytes(store.read_bytes()[:size])

    view = opened(qtbot, window, bad)

    assert str(bad) in view.notice.text
    assert len(view.cycles.model.rows) == 0


def test_a_store_that_is_still_written_is_read_again(qtbot, window, store, tmp_path) -> None:
    part = tmp_path / "part.rrs"
    with Store.open(store) as whole:
        whole.copy_to(part)
    view = opened(qtbot, window, part)
    assert len(view.cycles.model.rows) == 12

    main(["run", "--resume", str(part), "--cycles", "14", "--progress", "quiet"])
    view.view_actions()[-1].trigger()
    qtbot.waitUntil(view.settled, timeout=60_000)

    assert len(view.cycles.model.rows) >= 12


def test_rows_of_different_lengths_keep_their_order(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)
    table = view.cycles.model.table
    column = [one.title for one in table.columns].index("display on, ms")

    view.cycles.view.sortByColumn(column, Qt.SortOrder.DescendingOrder)

    shown = [float(table.cell(int(row), column)) for row in view.cycles.model.rows]
    assert shown == sorted(shown, reverse=True)


def test_nothing_of_another_store_stays_under_the_name_of_a_damaged_one(
    qtbot, window, store, tmp_path
) -> None:
    view = opened(qtbot, window, store)
    bad = tmp_path / "bad.rrs"
    bad.write_bytes(store.read_bytes()[:5_000])

    opened(qtbot, window, bad)

    assert view.file.text() == "bad.rrs"
    assert view.verdict.isHidden()
    assert len(view.cycles.model.rows) == 0
    assert view.text.toPlainText() == ""
    window.go("limits", Target((store,)))
    limits = window.view
    qtbot.waitUntil(limits.settled, timeout=60_000)
    assert not limits.verdict.isHidden()
    window.go("limits", Target((bad,)))
    qtbot.waitUntil(limits.settled, timeout=60_000)
    assert limits.verdict.isHidden()
    assert len(limits.limits.model.table) == 0


def test_a_small_window_is_not_made_larger_by_a_cycle(qtbot, window, store) -> None:
    window.resize(1024, 640)
    view = opened(qtbot, window, store, 7)
    view.wave.measure.setChecked(True)
    view.wave.cursors.place(250, 1_000)
    qtbot.wait(50)
    assert (window.width(), window.height()) == (1024, 640)


def test_usual_columns_are_seen_without_scrolling_and_all_are_shown_when_asked_for(
    qtbot, window, store
) -> None:
    view = opened(qtbot, window, store)
    table = view.cycles.view
    titles = [column.title for column in view.cycles.model.table.columns]
    shown = [t for at, t in enumerate(titles) if not table.isColumnHidden(at)]
    usual = ["resume, ms", "display on, ms", "complete, ms", "BIOS, ms", "device init, ms"]
    # Every cycle of this store has the same finding, so its column is hidden, too.
    assert shown == ["cycle", "verdict", *usual]
    qtbot.waitUntil(lambda: not table.horizontalScrollBar().isVisible(), timeout=5_000)
    marks = [table.model().index(row, 1).data() for row in range(12)]
    assert marks == ["ignored", *["✓ PASS"] * 10, "≈ MARGINAL"]
    action(view, "All columns").trigger()
    assert view.cycles.all_columns.isChecked()
    assert not any(map(table.isColumnHidden, range(len(titles))))


def drag(qtbot, panel, begin: QPointF, end: QPointF, keys=Qt.KeyboardModifier.NoModifier) -> None:
    """Drag the mouse over a plot, between two places of its axes."""
    viewport = panel.graphics.viewport()
    at = [
        panel.graphics.mapFromScene(panel.box.mapViewToScene(each))
        for each in (begin, (begin + end) / 2, end)
    ]
    left = Qt.MouseButton.LeftButton
    events = (
        (QEvent.Type.MouseMove, at[0], Qt.MouseButton.NoButton),
        (QEvent.Type.MouseButtonPress, at[0], left),
        (QEvent.Type.MouseMove, at[1], left),
        (QEvent.Type.MouseMove, at[2], left),
        (QEvent.Type.MouseButtonRelease, at[2], Qt.MouseButton.NoButton),
    )
    for kind, place, held in events:
        button = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else left
        point = QPointF(place)
        event = QMouseEvent(kind, point, viewport.mapToGlobal(point), button, held, keys)
        QApplication.sendEvent(viewport, event)
        qtbot.wait(30)  # pyqtgraph drops moves that come faster than a screen shows them


def test_a_range_that_is_dragged_in_the_strip_and_a_filter_keep_rows_together(
    qtbot, window, store
) -> None:
    view = opened(qtbot, window, store)
    qtbot.wait(50)
    drag(qtbot, view.strip, QPointF(2.6, 600), QPointF(6.4, 900))
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert view.cycles.model.rows.tolist() == [2, 3, 4, 5]
    view.filter.setText("cycle above 4")
    view.filter.returnPressed.emit()
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert view.cycles.model.rows.tolist() == [4, 5]
    action(view, "All cycles again").trigger()
    qtbot.waitUntil(lambda: len(view.cycles.model.rows) == 8, timeout=60_000)


def test_a_drag_zooms_into_the_time_axis_and_no_lane_is_cut(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 3)
    qtbot.wait(50)
    panel = view.wave.lanes.lanes
    _, heights = panel.plot.viewRange()
    drag(qtbot, panel, QPointF(-20, 1), QPointF(200, 4))
    times, after = panel.plot.viewRange()
    assert times == [pytest.approx(-20, abs=4), pytest.approx(200, abs=4)]
    assert after == heights
    assert view.wave.phases.plot.viewRange()[0] == pytest.approx(times, rel=0.05)


def action(view: ExplorerView, words: str) -> QAction:
    return next(each for each in view.view_actions() if each.text().startswith(words))


def test_a_region_says_what_lies_in_it(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 3)
    qtbot.wait(50)
    edges = edges_of(view.wave._detail.evidence)
    reset = next(e for e in edges if e.pick.name == "PLTRST# rising")
    begin, end = QPointF(reset.at_ms - 40, 1), QPointF(reset.at_ms + 60, 2)
    drag(qtbot, view.wave.lanes.lanes, begin, end, Qt.KeyboardModifier.AltModifier)
    text = view.wave.between.text()
    assert re.match(r"\d+\.\d{3} ms, region ", text)
    assert f"PLTRST# rising {reset.at_ms:.3f}" in text
    assert "light " in text
    low, high = view.wave.region.getRegion()
    assert high - low == pytest.approx(100, abs=6)
    action(view, "Zoom to the region").trigger()
    shown = view.wave.lanes.lanes.plot.viewRange()[0]
    assert shown == [pytest.approx(low - 10, abs=1), pytest.approx(high + 10, abs=1)]
    action(view, "Markers and region away").trigger()
    assert not view.wave.region.isVisible()
    assert view.wave.between.text() == ""


def test_keys_measure_between_edges_and_then_in_all_cycles(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 3)
    qtbot.waitUntil(lambda: view._explored is not None and view.settled(), timeout=60_000)
    action(view, "Marker A to the next edge").trigger()
    assert view.wave._snapped[0].pick.name == "BUTTON falling"
    for _ in range(20):
        action(view, "Marker B to the next edge").trigger()
        if view.wave._snapped[1].pick.name == "PLTRST# rising":
            break
    action(view, "Measure this in all cycles").trigger()
    qtbot.waitUntil(view.settled, timeout=60_000)

    title = "BUTTON falling → PLTRST# rising, ms"
    columns = {column.title: column for column in view.cycles.model.table.columns}
    np.testing.assert_allclose(
        columns[title].values,
        columns["to PLTRST#, ms"].values,
        rtol=0,
        atol=view._measured.bound_ms,
    )
    assert "12 of 12 cycles have it" in window.status
    assert title in view.strip._note.text()
    view.filter.setText("button falling → pltrst# rising above p50")
    view.filter.returnPressed.emit()
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert len(view.cycles.model.rows) == 6
    action(view, "All cycles again").trigger()
    assert title not in [column.title for column in view.cycles.model.table.columns]


def test_markers_stand_on_the_same_edges_of_the_next_cycle_and_the_zoom_stays(
    qtbot, window, store
) -> None:
    view = opened(qtbot, window, store, 3)
    action(view, "Marker A to the next edge").trigger()
    action(view, "Marker B to the next edge").trigger()
    action(view, "Marker B to the next edge").trigger()
    names = [each.pick.name for each in view.wave._snapped]
    before = view.wave._snapped[1].at_ms
    view.wave.lanes.show_range(-10, 333)
    view.cycles.choose(7)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert [each.pick.name for each in view.wave._snapped] == names
    assert view.wave._snapped[1].at_ms != before
    assert "±" in view.wave.between.text()
    low, high = view.wave.lanes.lanes.plot.viewRange()[0]
    assert (low, high) == (pytest.approx(-10), pytest.approx(333))


def test_light_keeps_the_scale_of_the_campaign_and_shows_where_the_display_is_on(
    qtbot, window, store
) -> None:
    view = opened(qtbot, window, store, 3)
    qtbot.waitUntil(lambda: view._explored is not None and view.settled(), timeout=60_000)
    scales = []
    for row in (2, 5, 9):
        view.cycles.choose(row)
        qtbot.waitUntil(view.settled, timeout=60_000)
        scales.append(view.wave.lanes.light.plot.viewRange()[1][1])
    assert len(set(scales)) == 1
    assert scales[0] >= view._explored.most_light
    evidence = view.wave._detail.evidence
    on_ms = view.wave._detail.cycle.outside.intervals["press_to_light_ns"].value_ns / 1e6
    t_ms = (evidence.wires.light_t_ns - evidence.zero_ns) / 1e6
    beside = np.interp([on_ms - 3, on_ms + 3], t_ms, evidence.wires.light_counts)
    assert beside[0] < evidence.light_threshold < beside[1]
    assert view.wave.lanes._threshold.isVisible()


def test_a_right_click_on_a_plot_shows_what_can_be_done_there(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 3)
    panel = view.wave.lanes.lanes
    viewport = panel.graphics.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.RightButton, pos=viewport.rect().center())
    assert panel.menu.isVisible()
    words = [each.text() for each in panel.menu.actions()]
    assert words[:2] == ["Measure this in all cycles", "Copy what is measured"]
    assert "Copy the picture" in words
    panel.menu.close()
    middle = viewport.rect().center()
    key = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, viewport.mapToGlobal(middle))
    QApplication.sendEvent(viewport, key)
    assert panel.menu.isVisible()
    panel.menu.close()
    next(each for each in panel.menu.actions() if each.text() == "Copy the picture").trigger()
    assert not QApplication.clipboard().pixmap().isNull()


def test_the_name_of_the_limit_stands_where_it_hides_no_cycle(
    qtbot, window, store, monkeypatch
) -> None:
    view = opened(qtbot, window, store)
    view.lift("overview")
    marks, said = view.overview.marks, []
    monkeypatch.setattr(marks, "words", lambda _, place, text, *__: said.append((text, place.y())))

    def label_y() -> float:
        said.clear()
        marks.grab()
        return next(y for text, y in said if text == "limit 2000 ms")

    picture = marks._picture
    line_y = marks.at(0, picture.limit_at).y()
    assert label_y() < line_y  # every cycle is below it
    marks._places = np.array([[picture.frame.right - 1.0, picture.limit_at - 2.0]])
    assert label_y() > line_y


def test_the_median_cycle_is_drawn_behind(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 3)
    qtbot.waitUntil(lambda: view._explored is not None and view.settled(), timeout=60_000)
    action(view, "Median cycle").trigger()
    qtbot.waitUntil(lambda: bool(view.wave.lanes._behind), timeout=60_000)
    behind = read_evidence(store, view._median_number())
    ends_ms = {round(curve.getData()[0][-1], 6) for curve in view.wave.lanes._behind}
    assert ends_ms == {round((behind.until_ns - behind.zero_ns) / 1e6, 6)}
    times = sorted(
        zip(
            view.cycles.model.table.columns[2].values,
            view.cycles.model.table.columns[0].values,
            strict=True,
        )
    )
    assert f"cycle {times[5][1]:.0f}" in window.status
    action(view, "Median cycle").trigger()
    assert not view.wave.lanes._behind


def test_the_overview_is_the_first_screen_of_the_report(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 3)
    qtbot.waitUntil(lambda: view._explored is not None and view.settled(), timeout=60_000)
    shown = view.overview
    expected = first_screen_of(lambda *_: None, store, None)
    assert shown.first == expected
    assert shown.choice.count() == len(expected.phases.panels)
    assert [value.text() for _, value in shown.tiles] == [t.value for t in expected.figures]
    view.docks.docks["overview"].raise_()
    qtbot.wait(50)
    hidden = next(
        segment
        for bar in expected.phases.panels[0].bars
        for segment in bar.segments
        if segment.style == "hidden"
    )
    g = expected.phases.frame
    place = shown.phases.at(hidden.x + hidden.width / 2, g.reconciled + g.bar / 2)
    assert shown.phases.text_at(place) == hidden.text
    line = shown.phases.at(hidden.x, g.reconciled + g.bar / 2).toPoint()
    colour = shown.phases.grab().toImage().pixelColor(line)
    assert colour.name() != window.desk.look.colours.paper
    # A click on a dot shows its cycle.
    seventh = shown.marks._places[6].tolist()
    qtbot.mouseClick(shown.marks, Qt.MouseButton.LeftButton, pos=shown.marks.at(*seventh).toPoint())
    qtbot.waitUntil(lambda: view._number == 7, timeout=60_000)


def test_parts_are_hidden_moved_and_kept_until_they_are_put_back(
    qtbot, window, store, tmp_path
) -> None:
    view = opened(qtbot, window, store, 3)
    action(view, "Show: All cycles").trigger()
    view.docks.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, view.docks.docks["cycles"])
    assert not view.strip.isVisible()
    window.close_at_once()

    again = Window(Look(ThemeName.LIGHT), Remembered(tmp_path / "settings.ini"))
    qtbot.addWidget(again)
    again.show()
    later = opened(qtbot, again, store, 3)
    right = Qt.DockWidgetArea.RightDockWidgetArea
    assert not later.strip.isVisible()
    assert later.docks.dockWidgetArea(later.docks.docks["cycles"]) == right
    action(later, "Put the parts back").trigger()
    assert later.strip.isVisible()
    assert later.docks.dockWidgetArea(later.docks.docks["cycles"]) != right
    again.close_at_once()


def test_a_dot_chooses_its_cycle(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)
    view.strip.chosen.emit(4)
    assert view.cycles.view.currentIndex().row() == 4


def test_the_strip_keeps_the_extremes_of_very_many_cycles() -> None:
    n = 100_000
    times = np.full(n, 900.0)
    times[[10, 50_000]] = 100.0, 5_000.0
    times[7] = np.nan
    table = Table(
        (
            number_column("cycle", range(1, n + 1)),
            word_column("verdict", ["FAIL" if i == 50_000 else "PASS" for i in range(n)]),
            Column("resume, ms", times),
            word_column(
                "outcome", ["never woke" if i == 9 else "slept and woke" for i in range(n)]
            ),
        )
    )
    dots = dots_of(table)
    assert len(dots.judged) <= 2_000
    assert 10 in dots.judged
    assert dots.failed.tolist() == [50_000]
    assert dots.without.tolist() == [7]
    assert dots.lost.tolist() == [9]


def test_a_marker_stands_on_the_nearest_edge_of_the_lane_and_the_difference_has_its_bound(
    qtbot, window, store
) -> None:
    view = opened(qtbot, window, store, 3)
    qtbot.wait(50)
    wave, panel = view.wave, view.wave.lanes.lanes
    by_name = {edge.pick.name: edge for edge in edges_of(wave._detail.evidence)}
    pressed, reset = by_name["BUTTON falling"], by_name["PLTRST# rising"]
    # On the lane of PLTRST#, where BUTTON's release is nearer, by less than can be seen.
    beside_ms = by_name["BUTTON rising"].at_ms
    assert abs(beside_ms - reset.at_ms) < 10
    for at, keys in (
        (QPointF(pressed.at_ms + 0.4, 1.3), Qt.KeyboardModifier.NoModifier),
        (QPointF(beside_ms, 4.3), Qt.KeyboardModifier.ShiftModifier),
    ):
        place = panel.graphics.mapFromScene(panel.box.mapViewToScene(at))
        qtbot.mouseClick(panel.graphics.viewport(), Qt.MouseButton.LeftButton, keys, place)
    qtbot.waitUntil(lambda: "→ PLTRST#" in wave.between.text(), timeout=5_000)
    bound = difference_bound_ms(pressed, reset, wave._detail.evidence.clock_tolerance_ppb)
    text = wave.between.text()
    assert text.endswith(" ms (bound), BUTTON falling → PLTRST# rising")
    assert f"{reset.at_ms - pressed.at_ms:+.3f} ±{bound:.3f} ms" in text
    assert 0 < bound < 0.1


def test_time_that_a_bios_does_not_report_is_drawn_hatched(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 5)
    qtbot.waitUntil(lambda: view._explored is not None and view.settled(), timeout=60_000)
    inside = view.wave._detail.inside
    assert inside is not None
    assert inside.hidden.value_ns > 100_000_000
    assert "hatched: time that nobody reports" in view.wave.phases._note.text()
