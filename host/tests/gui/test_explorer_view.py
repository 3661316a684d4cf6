"""The explorer, driven as a person does it: a failure found and explained, filters, damage."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from resume_rig.campaign.store import Store
from resume_rig.cli.main import main
from resume_rig.gui.remembered import Remembered
from resume_rig.gui.request import Target, ThemeName
from resume_rig.gui.theme import Look
from resume_rig.gui.views.explorer_view import ExplorerView
from resume_rig.gui.window import Window

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


def test_a_cycle_is_shown_with_wires_phases_and_findings(qtbot, window, store) -> None:
    view = opened(qtbot, window, store, 7)

    assert view.cycles.view.currentIndex().row() == 6
    text = view.text.toPlainText()
    assert text.startswith("Cycle 7 slept and woke: PASS.")
    assert "• bios-under-reported: After PLTRST#" in text
    assert "What to do: Ask the firmware team" in text
    assert "OS records: 1" in text
    assert view.verdict.badge.text() == "PASS"


def test_a_filter_is_typed_and_told_where_it_is_wrong(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)

    qtbot.keyClicks(view.filter, "to light above p50 and verdict is pass")
    qtbot.keyClick(view.filter, Qt.Key.Key_Return)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert 0 < len(view.cycles.model.rows) < 12

    view.filter.setText("verdikt is pass and to light above fast")
    qtbot.keyClick(view.filter, Qt.Key.Key_Return)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert "'fast' is no value of to light" in view.wrong.text()
    view.filter.clear()
    assert len(view.cycles.model.rows) == 12
    assert view.wrong.isHidden()


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

    view.wave.place_cursors(0.25, 1.0)

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
    column = [one.title for one in table.columns].index("to light, ms")

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
    view.wave.place_cursors(0.25, 1.0)
    qtbot.wait(50)
    assert (window.width(), window.height()) == (1024, 640)
