"""The page of logs, driven as a person does it: open, drop, judge again, filter, write."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLineEdit

from resume_rig.gui.app.window import Window
from resume_rig.gui.desk import Remembered
from resume_rig.gui.log.view import LogView
from resume_rig.gui.request import Target, ThemeName
from resume_rig.gui.theme import Look

LOGS = Path(__file__).parents[3] / "fixtures" / "logs"


@pytest.fixture
def window(qtbot, tmp_path):
    window = Window(Look(ThemeName.LIGHT), Remembered(tmp_path / "settings.ini"))
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close_at_once()


def opened(qtbot, window: Window, *names: str | Path) -> LogView:
    window.go("log", Target(tuple(LOGS / name for name in names)))
    view = window.view
    assert isinstance(view, LogView)
    qtbot.waitUntil(view.settled, timeout=60_000)
    return view


def cells(view: LogView, title: str) -> list[str]:
    table = view.transitions.model.table
    column = [one.title for one in table.columns].index(title)
    return [table.cell(int(row), column) for row in view.transitions.model.rows]


def test_a_log_is_judged_and_says_what_the_verdict_rests_on(qtbot, window) -> None:
    view = opened(qtbot, window, "four-s3-cycles.xml")

    assert view.verdict.badge.text() == "FAIL"
    assert "over 2000 ms" in view.verdict.why.text()
    assert cells(view, "resume, ms") == ["2052", "1578", "1616", "1591"]
    assert view.notice.text == ""


def test_another_limit_is_judged_without_reading_again(qtbot, window, tmp_path) -> None:
    path = tmp_path / "log.xml"
    path.write_bytes((LOGS / "four-s3-cycles.xml").read_bytes())
    view = opened(qtbot, window, path)
    path.unlink()

    qtbot.keyClicks(view.setting.limit, "3000")
    qtbot.keyClick(view.setting.limit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.verdict.badge.text() == "PASS", timeout=60_000)

    assert "within 3000 ms" in view.verdict.why.text()


@pytest.mark.parametrize("limit", ["0", "-5", "two", "9999999"])
def test_a_limit_that_is_none_is_refused_beside_the_fields(qtbot, window, limit) -> None:
    view = opened(qtbot, window, "four-s3-cycles.xml")

    qtbot.keyClicks(view.setting.limit, limit)
    qtbot.keyClick(view.setting.limit, Qt.Key.Key_Return)

    assert "allowed" in view.notice.text or "600000" in view.notice.text
    assert view.verdict.badge.text() == "FAIL"  # what was judged before still stands


def test_dropped_files_are_opened_here(qtbot, window) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(LOGS / "two-s3-cycles.xml"))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, left, none))

    view = window.view
    assert isinstance(view, LogView)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert len(cells(view, "record")) == 2


def test_what_is_no_log_is_said_in_one_sentence(qtbot, window) -> None:
    view = opened(qtbot, window, "README.md")

    assert view.notice.text.startswith("could not read ")
    assert "found other text, allowed are EVTX" in view.notice.text
    assert view.verdict.isHidden()


def test_slow_parts_come_with_their_papers_advice(qtbot, window) -> None:
    view = opened(qtbot, window, "xperf-suspend.xml", "xperf-boot.xml")

    assert len(view.slowest.model.table) > 5
    assert len(view.advice.model.table) > 0
    assert view.tabs.tabText(1).startswith("Slowest parts (")


def test_rows_are_filtered_and_written_as_they_are_shown(qtbot, window, tmp_path) -> None:
    view = opened(qtbot, window, "every-kind.xml")
    total = len(view.transitions.model.rows)

    words = view.transitions.findChild(QLineEdit)
    assert words is not None
    qtbot.keyClicks(words, "doze")
    qtbot.waitUntil(view.settled, timeout=60_000)
    path = tmp_path / "doze.csv"
    told: list[tuple[int, int]] = []
    view.transitions.export_formats()[0].make()(path, lambda *how_far: told.append(how_far))
    assert told[0] == (0, len(view.transitions.model.rows))

    assert 0 < len(view.transitions.model.rows) < total
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(view.transitions.model.rows)
    assert all("doze" in line for line in lines[1:])


def test_hostile_text_of_a_log_is_shown_as_text(qtbot, window, tmp_path) -> None:
    text = (LOGS / "two-s3-cycles.xml").read_text(encoding="utf-8")
    assert "Power Button" in text or "WakeSourceText" in text
    evil = "&lt;img src=x onerror=alert(1)&gt;&#x202E;=cmd()"
    path = tmp_path / "evil.xml"
    path.write_text(
        text.replace('Name="WakeSourceText">', f'Name="WakeSourceText">{evil}'), encoding="utf-8"
    )
    view = opened(qtbot, window, path)

    model = view.transitions.model
    shown = [str(model.data(model.index(0, n))) for n in range(model.columnCount())]
    assert any("<img" in cell for cell in shown)
    assert not any("\u202e" in cell for cell in shown)


def test_a_log_that_is_not_wanted_any_more_changes_nothing(qtbot, window) -> None:
    window.go("log", Target((LOGS / "every-kind.xml",)))
    view = opened(qtbot, window, "two-s3-cycles.xml")

    assert len(cells(view, "record")) == 2


def test_nothing_of_another_log_stays_under_the_name_of_one_that_is_refused(
    qtbot, window, tmp_path
) -> None:
    view = opened(qtbot, window, "four-s3-cycles.xml")
    hostile = tmp_path / "hostile.xml"
    hostile.write_text('<!DOCTYPE a [<!ENTITY b "c">]><Events>&b;</Events>', "utf-8")

    opened(qtbot, window, hostile)

    assert "entity declaration" in view.notice.text
    assert view.files.text() == "hostile.xml"
    assert view.verdict.isHidden()
    assert len(view.transitions.model.table) == 0
    assert view.tabs.tabText(0) == "Transitions"


def test_columns_are_as_broad_as_their_texts_in_every_row(qtbot, window) -> None:
    view = opened(qtbot, window, "four-s3-cycles.xml")
    view.tabs.setCurrentIndex(1)
    opened(qtbot, window, "xperf-suspend.xml")

    table, cells = view.slowest.model.table, view.slowest.view
    assert len(table) > 10
    for place, column in enumerate(table.columns):
        longest = max(
            cells.fontMetrics().horizontalAdvance(table.cell(row, place)[:40])
            for row in range(len(table))
        )
        assert cells.columnWidth(place) > longest, column.title
