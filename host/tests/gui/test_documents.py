"""The tree of open documents: what is opened stands there, opens again, and two are compared."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from resume_rig.cli.main import main
from resume_rig.gui.app.documents import Documents
from resume_rig.gui.app.window import Window
from resume_rig.gui.compare.view import CompareView
from resume_rig.gui.desk import Remembered
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.limits.view import LimitsView
from resume_rig.gui.log.view import LogView
from resume_rig.gui.request import CaptureOptions

FIXTURES = Path(__file__).parents[3] / "fixtures"
LOG = FIXTURES / "logs" / "two-s3-cycles.xml"
VCD = FIXTURES / "traces" / "two-s3-cycles.vcd"
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("stores")
    paths = folder / "base.rrs", folder / "later.rrs"
    for seed, path in enumerate(paths, start=2):
        words = f"run --rig sim:clock=virtual,seed={seed} --cycles 3 --progress quiet --out"
        assert main([*words.split(), str(path)]) == 0
    return paths


def settle(qtbot: QtBot, window: Window) -> None:
    view = window.view
    assert view is not None
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)


def names(documents: Documents) -> list[str]:
    return [item.text(0) for item in items(documents)]


def items(documents: Documents) -> list[QTreeWidgetItem]:
    found = (documents.tree.topLevelItem(n) for n in range(documents.tree.topLevelItemCount()))
    return [item for item in found if item is not None]


def parts(item: QTreeWidgetItem) -> list[str]:
    return [item.child(n).text(0) for n in range(item.childCount())]


def click(
    qtbot: QtBot,
    documents: Documents,
    item: QTreeWidgetItem,
    held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    tree = documents.tree
    tree.scrollToItem(item)
    place = tree.visualItemRect(item).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, held, place)


def test_what_is_opened_stands_in_the_tree_once(
    qtbot: QtBot, window: Window, stores: tuple[Path, Path]
) -> None:
    assert not window.documents.isVisible()
    for paths in ([stores[0]], [LOG], [VCD, LOG], [stores[0]]):
        window.open_files(map(str, paths))
        settle(qtbot, window)
    assert names(window.documents) == ["base.rrs", LOG.name, f"{VCD.name} + {LOG.name}"]
    store, log, capture = items(window.documents)
    assert parts(store) == parts(capture) == ["Overview", "Cycles", "Limits", "Evidence"]
    assert parts(log) == ["Transitions", "Slowest parts", "Sources"]
    assert window.documents.tree.currentItem() is store


def test_a_click_opens_the_part_of_a_document(
    qtbot: QtBot, window: Window, stores: tuple[Path, Path]
) -> None:
    for path in stores:
        window.open_files([str(path)])
        settle(qtbot, window)
        explorer = window.view
        assert isinstance(explorer, ExplorerView)
        # The filter of the document before is not that of this one.
        assert len(explorer.cycles.model.rows) == 3
        explorer.filter.setText("cycle is 2")
        explorer.filter.returnPressed.emit()
        settle(qtbot, window)
        assert len(explorer.cycles.model.rows) == 1
    base = items(window.documents)[0]
    click(qtbot, window.documents, base.child(2))
    settle(qtbot, window)
    assert window.view_name == "limits"
    click(qtbot, window.documents, base.child(0))
    settle(qtbot, window)
    view = window.view
    assert isinstance(view, ExplorerView)
    assert view.file.text().startswith("base.rrs: 3 cycles")
    assert not view.docks.docks["overview"].visibleRegion().isEmpty()
    assert window.documents.tree.currentItem() is base.child(0)


def test_a_click_on_a_part_of_a_log_shows_its_tab_without_reading_again(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    path = tmp_path / "log.xml"
    path.write_bytes(LOG.read_bytes())
    window.open_files([str(path)])
    settle(qtbot, window)
    path.unlink()
    view = window.view
    assert isinstance(view, LogView)
    log = items(window.documents)[0]
    for place in (2, 0, 1):
        click(qtbot, window.documents, log.child(place))
        settle(qtbot, window)
        assert view.tabs.currentIndex() == place
    assert view.notice.text == ""
    assert len(view.transitions.model.table) == 2


def test_the_limits_of_a_capture_are_judged_as_the_explorer_judged_it(
    qtbot: QtBot, window: Window
) -> None:
    window.open_files([str(VCD), str(LOG)])
    settle(qtbot, window)
    explorer = window.view
    assert isinstance(explorer, ExplorerView)
    explorer._take_options(CaptureOptions(sample_rate="500 kHz"))
    settle(qtbot, window)
    click(qtbot, window.documents, items(window.documents)[0].child(2))
    settle(qtbot, window)
    limits = window.view
    assert isinstance(limits, LimitsView)
    assert limits.file.text() == f"{VCD.name} + {LOG.name}; sample rate 500 kHz"
    assert limits.verdict.why.text() == explorer.verdict.why.text()
    table = limits.limits.model.table
    named = [column.title for column in table.columns].index("limit")
    assert [table.cell(row, named) for row in range(len(table))] == [
        "total resume time at most 2000 ms",
        "BIOS initialization at most 250 ms",
        "back whole in every cycle",
    ]
    # Half a sample of 2 us, and not of the rate that the times alone suggest.
    sampled = [row for row in limits._budgets[0].rows if row.name.startswith("sampling of")]
    assert {row.half_width_ns for row in sampled} == {1_000}
    assert "sampling of the capture, SLP_S3# falling" in [row.name for row in sampled]
    assert limits.shown_store() is None


def test_two_that_are_selected_are_compared_the_first_is_the_base(
    qtbot: QtBot, window: Window, stores: tuple[Path, Path]
) -> None:
    for path in stores:
        window.open_files([str(path)])
        settle(qtbot, window)
    base, later = items(window.documents)
    documents = window.documents
    click(qtbot, documents, later)
    assert not documents.compare.isEnabled()
    click(qtbot, documents, base, Qt.KeyboardModifier.ControlModifier)
    qtbot.mouseClick(documents.compare, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    view = window.view
    assert isinstance(view, CompareView)
    assert [path.name for build in view.setting.builds for path in build] == [
        "later.rrs",
        "base.rrs",
    ]
    assert names(documents)[-1] == "later.rrs ↔ base.rrs"


def test_by_keys_a_document_is_reached_opened_and_taken_off(
    qtbot: QtBot, window: Window, stores: tuple[Path, Path]
) -> None:
    for path in stores:
        window.open_files([str(path)])
        settle(qtbot, window)
    tree = window.documents.tree
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    reach = next(each for each in window.menus.all_actions() if each.shortcut().toString() == "F6")
    reach.trigger()
    assert QApplication.focusWidget() is tree
    qtbot.keyClick(tree, Qt.Key.Key_Home)
    qtbot.keyClick(tree, Qt.Key.Key_Return)
    settle(qtbot, window)
    view = window.view
    assert isinstance(view, ExplorerView)
    assert view.file.text().startswith("base.rrs")
    qtbot.keyClick(tree, Qt.Key.Key_Delete)
    assert names(window.documents) == ["later.rrs"]


def test_the_tree_is_there_again_without_what_is_gone(
    qtbot: QtBot, window: Window, stores: tuple[Path, Path], settings: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.xml"
    gone.write_bytes(LOG.read_bytes())
    for paths in ([stores[0]], [gone], [VCD, LOG]):
        window.open_files(map(str, paths))
        settle(qtbot, window)
    window.close_at_once()
    gone.unlink()
    again = Window(window.desk.look, Remembered(settings))
    qtbot.addWidget(again)
    assert names(again.documents) == ["base.rrs", f"{VCD.name} + {LOG.name}"]
    again.close_at_once()
