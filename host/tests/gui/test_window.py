"""The window itself: views, themes, what is remembered, exports, errors, the command."""

import argparse
import struct
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from resume_rig.campaign.plan.words import COMMAND_LINE, WORDS
from resume_rig.cli.bench import verb_run
from resume_rig.cli.main import main
from resume_rig.gui.app.menus import ShortcutsWindow
from resume_rig.gui.app.window import Window
from resume_rig.gui.campaign.view import CampaignView
from resume_rig.gui.desk import Remembered
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.log.view import LogView
from resume_rig.gui.request import VIEW_NAMES, ThemeName, parse_scale, parse_size
from resume_rig.gui.state.requirement_choice import FIELDS
from resume_rig.gui.theme import DARK, LIGHT
from resume_rig.gui.worker.jobs import Task
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.report.drawing.palette import css_variables

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "desktop-application.md"
CTRL = Qt.KeyboardModifier.ControlModifier


def actions(window: Window) -> dict[str, QAction]:
    return {action.text().replace("&", ""): action for action in window.menus.all_actions()}


def test_every_view_has_a_key_and_a_name_for_the_command_line(qtbot: QtBot, window: Window) -> None:
    for place, name in enumerate(VIEW_NAMES, start=1):
        qtbot.keyClick(window, cast(Qt.Key, Qt.Key.Key_0.value + place), CTRL)
        assert window.view_name == name
        assert type(window.view).__module__ == f"resume_rig.gui.{name}.view"


def test_no_two_actions_of_a_view_have_the_same_key(window: Window) -> None:
    for name in VIEW_NAMES:
        window.go(name)
        keys = [action.shortcut().toString() for action in window.menus.all_actions()]
        assert len(keys) == len(set(keys))


def test_view_theme_and_place_are_remembered(qtbot: QtBot, window: Window, settings: Path) -> None:
    window.go("campaign")
    window.desk.look.choose(ThemeName.DARK)
    assert window.desk.look.colours is DARK
    window.resize(1111, 777)
    window.close()
    kept = Remembered(settings)
    assert kept.text("window/view") == "campaign"
    assert kept.text("window/theme") == "dark"
    assert not kept.bytes("window/geometry").isEmpty()


def test_the_colours_are_those_of_the_report() -> None:
    style = css_variables()
    for colours, dark in ((LIGHT, False), (DARK, True)):
        part = style.split("@media")[1] if dark else style
        for name in ("paper", "card", "ink", "soft", "line", "blue", "hatch"):
            assert f"--{name}: {getattr(colours, name)}" in part
        for name in ("sky", "orange", "green", "yellow", "vermillion", "purple"):
            assert f"--{name}: {getattr(colours, name)}" in style


def test_each_plot_is_written_as_a_picture_and_a_drawing(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    window.go("campaign")
    assert window.view is not None
    plot = window.view.exportables()[0]
    for kind in plot.export_formats():
        kind.make()(tmp_path / f"plot.{kind.name.lower()}", lambda _done, _of: None)
    head = (tmp_path / "plot.png").read_bytes()
    assert head.startswith(b"\x89PNG")
    width, _ = struct.unpack(">II", head[16:24])
    assert width >= 300
    drawing = (tmp_path / "plot.svg").read_text("utf-8")
    assert "<svg" in drawing
    assert "<path" in drawing or "<polyline" in drawing
    for kind in plot.export_formats():
        with pytest.raises(UsageError, match="no-folder"):
            kind.make()(tmp_path / "no-folder" / "plot.png", lambda _done, _of: None)


def said(window: Window, end: str) -> bool:
    return window.status.endswith(end)


def test_the_overviews_pictures_are_copied_and_saved_by_their_menus(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    store = tmp_path / "under.rrs"
    words = "run --rig sim:clock=virtual,seed=2 --dut bios-under-reports --cycles 8 --out"
    assert main([*words.split(), str(store)]) == 0
    window.open_files([str(store)], 2)
    view = window.view
    assert isinstance(view, ExplorerView)
    qtbot.waitUntil(view.settled, timeout=60_000)
    view.lift("overview")
    pictures = view.overview.phases, view.overview.marks
    heads = "cycle,account,time", 'cycle,"Total resume time, ms",shown as'
    for picture, head in zip(pictures, heads, strict=True):
        QApplication.clipboard().clear()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
        QApplication.sendEvent(picture, event)
        assert picture.menu.isVisible()
        picture.menu.close()
        by_name = {each.text(): each for each in picture.menu.actions()}
        by_name["Copy the picture"].trigger()
        assert QApplication.clipboard().pixmap().width() >= picture.width()
        for kind in ("png", "svg", "csv"):
            by_name[f"Save as {kind.upper()} …"].trigger()
            file = tmp_path / f"export.{kind}"
            wanted = f" is in {file}."
            qtbot.waitUntil(partial(said, window, wanted), timeout=60_000)
        assert "<text" in (tmp_path / "export.svg").read_text("utf-8")
        assert (tmp_path / "export.csv").read_text("utf-8").startswith(head)
        assert (tmp_path / "export.png").read_bytes().startswith(b"\x89PNG")
    table = view.overview.phases.table()
    assert any("hidden" in table.cell(row, 2) for row in range(len(table)))
    assert len(view.overview.marks.table()) == 8


def test_a_menu_writes_what_the_view_shows_and_says_where(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    window.go("campaign")
    first = window.menus.export.actions()[0]
    first.trigger()
    qtbot.waitUntil(lambda: window.status.endswith("export.png."), timeout=60_000)
    assert (tmp_path / "export.png").stat().st_size > 100


def test_a_job_tells_how_far_it_is_and_fails_in_a_sentence(qtbot: QtBot, window: Window) -> None:
    results: list[object] = []

    def work(task: Task) -> int:
        for step in range(10):
            task.progress(step + 1, 10)
        return 42

    def broken(_task: Task) -> int:
        raise RecordError("could not read x: it is\na picture")

    window.jobs.start("Counting", work, results.append, results.append)
    window.jobs.start("Breaking", broken, results.append, results.append)
    qtbot.waitUntil(lambda: len(results) == 2, timeout=60_000)
    assert results == [42, "could not read x: it is a picture"]
    assert window.jobs.running is None


def test_a_job_that_is_cancelled_gives_no_result(qtbot: QtBot, window: Window) -> None:
    results: list[object] = []
    begun: list[bool] = []

    def work(task: Task) -> None:
        begun.append(True)
        while True:
            task.progress(task.done + 1, 1_000_000)

    task = window.jobs.start("For ever", work, results.append, results.append)
    qtbot.waitUntil(lambda: bool(begun), timeout=60_000)
    task.cancel()
    qtbot.waitUntil(lambda: window.jobs.running is None, timeout=60_000)
    assert results == []


def test_closing_while_a_campaign_runs_asks_once_and_keeps_what_was_measured(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    window.go("campaign")
    view = cast(CampaignView, window.view)
    view.setting.choice.choose("sim:clock=real,seed=1", None)
    view.setting.store.setText(str(tmp_path / "kept.rrs"))
    view.start()
    qtbot.waitUntil(lambda: window.desk.state.campaign.number == 1, timeout=60_000)
    assert not window.close()
    assert "Close the window again" in view.notice.text
    assert window.close()
    assert (tmp_path / "kept.rrs").is_file()


@pytest.mark.parametrize("text", ["big", "100x100", "1440", "9000x900", "-1x900"])
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--size"):
        parse_size(text)


@pytest.mark.parametrize("text", ["big", "0", "9", "nan"])
def test_a_scale_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--scale"):
        parse_scale(text)


@pytest.mark.parametrize("name", VIEW_NAMES)
def test_every_page_fits_1600_by_1000_pixels_at_twice_the_size(window: Window, name: str) -> None:
    window.go(name)
    window.resize(800, 500)
    QApplication.processEvents()
    assert (window.width(), window.height()) == (800, 500)


def test_fields_stand_in_one_row_where_there_is_room_and_else_in_two(window: Window) -> None:
    window.go("log")
    view = window.view
    assert isinstance(view, LogView)
    for width, rows in ((1280, 1), (800, 2), (1280, 1)):
        window.resize(width, 700)
        QApplication.processEvents()
        fields = (view.setting.requirement, view.setting.limit)
        assert len({field.geometry().center().y() for field in fields}) == rows


def test_every_option_of_run_has_its_field_in_the_reference() -> None:
    verbs = argparse.ArgumentParser().add_subparsers()
    verb_run.add_to(verbs)
    told = REFERENCE.read_text("utf-8").partition("`resume-rig run`\n")[2].partition("\n## ")[0]
    options = {
        option
        for action in verbs.choices["run"]._actions
        for option in action.option_strings
        if option.startswith("--") and not option.startswith("--no-")
    }
    # The reference names them together: each has a field of the plan's editor.
    of_a_plan = {COMMAND_LINE.named(word.key) for word in WORDS if word.title}
    assert options >= of_a_plan <= set(FIELDS)
    of_the_terminal = {
        "--help",
        "--json",
        "--debug",
        "--progress",
        "--all",
        "--budget",
        "--guard-band",
    }
    missing = [
        each for each in sorted(options - of_a_plan - of_the_terminal) if f"`{each}`" not in told
    ]
    assert not missing


@pytest.mark.parametrize("name", VIEW_NAMES)
def test_everything_on_a_page_is_reached_by_the_tab_key(window: Window, name: str) -> None:
    window.go(name)
    page = window.view
    assert page is not None
    kinds = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractItemView)
    mouse_alone = [
        f"{type(each).__name__} {each.accessibleName() or each.objectName()}"
        for kind in kinds
        for each in page.findChildren(kind)
        if each.isVisible() and each.isEnabled() and not _of_another(each)
        if not each.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert mouse_alone == []


def _of_another(widget: QWidget) -> bool:
    """Return whether a widget is a part of one that has the keys, or of a dock's title bar."""
    inside = widget.parent()
    whole = (QComboBox, QAbstractSpinBox, QDockWidget, QTabBar, QLineEdit, QAbstractItemView)
    return isinstance(inside, whole)


def test_every_action_of_a_page_has_a_key_of_its_own(window: Window) -> None:
    for name in VIEW_NAMES:
        window.go(name)
        keys = [each.shortcut().toString() for each in window.menus.all_actions()]
        assert len(keys) == len(set(keys)), (name, sorted(keys))


def test_the_list_of_keys_fits_the_screen(qtbot: QtBot, window: Window) -> None:
    window.go("explorer")
    qtbot.keyClick(window, Qt.Key.Key_F1)
    shown = window.findChild(ShortcutsWindow)
    assert shown is not None
    room = window.screen().availableSize()
    assert shown.width() <= room.width()
    assert shown.height() <= room.height()
    assert len(shown.findChildren(QLabel)) == 2 * len(window.menus.all_actions())
    shown.close()


def test_a_page_that_is_not_seen_makes_no_window_larger(qtbot: QtBot, window: Window) -> None:
    qtbot.waitUntil(window.isActiveWindow)
    for name in VIEW_NAMES:
        window.go(name)
        # No part of a page was a window of its own while the page was made.
        assert window.isActiveWindow(), name
    window.go("start")
    window.resize(640, 480)
    assert window.width() == 640
