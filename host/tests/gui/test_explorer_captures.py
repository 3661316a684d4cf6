"""Captures of other instruments in the explorer: alone, with a log, with signals of other names."""

from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from resume_rig.gui.app.window import Window
from resume_rig.gui.compare.view import CompareView
from resume_rig.gui.explorer.capture_options import CaptureOptionsWindow
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.log.view import LogView
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.labels import VerdictLine
from resume_rig.rig.capture.reading import is_capture

FIXTURES = Path(__file__).parents[3] / "fixtures"
VCD, CSV = (FIXTURES / "traces" / f"two-s3-cycles.{end}" for end in ("vcd", "csv"))
LOG = FIXTURES / "logs" / "two-s3-cycles.xml"
PATIENCE_MS = 120_000


def opened(qtbot: QtBot, window: Window, *paths: Path) -> ExplorerView:
    window.open_files(map(str, paths))
    view = cast(ExplorerView, window.view)
    assert isinstance(view, ExplorerView)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    return view


def answer_options(qtbot: QtBot, window: Window, view: ExplorerView, **texts: str) -> None:
    """Ask for the options by their key, type into the fields, and press Open."""
    step = next(a for a in view.view_actions() if a.text().startswith("Capture options"))
    assert step.shortcut().toString() == "Ctrl+I"
    step.trigger()
    asked = window.findChild(CaptureOptionsWindow)
    assert asked is not None
    for name, text in texts.items():
        field = getattr(asked, name)
        if isinstance(field, QComboBox):
            field.setCurrentText(text)
        else:
            field.clear()
            qtbot.keyClicks(field, text)
    qtbot.mouseClick(asked.buttons.buttons()[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)


def column(view: ExplorerView, title: str) -> list[str]:
    table = view.cycles.model.table
    place = [each.title for each in table.columns].index(title)
    return [table.cell(row, place) for row in range(len(table))]


@pytest.mark.parametrize("path", [VCD, CSV], ids=lambda path: path.suffix)
def test_a_capture_is_told_from_a_log_by_its_content(path: Path, tmp_path: Path) -> None:
    assert is_capture(path)
    other = tmp_path / "renamed.txt"
    other.write_bytes(path.read_bytes())
    assert is_capture(other)


@pytest.mark.parametrize("path", sorted((FIXTURES / "logs").iterdir()), ids=lambda path: path.name)
def test_no_log_is_taken_for_a_capture(path: Path) -> None:
    assert not is_capture(path)


def test_a_capture_alone_shows_its_wires_and_what_it_lacks(qtbot: QtBot, window: Window) -> None:
    view = opened(qtbot, window, VCD)
    assert "2 cycles" in view.file.text()
    assert "the wires alone" in view.file.text()
    assert "The sample rate is assumed to be 81 kHz, because" in view.notice.text
    assert column(view, "outcome") == ["slept and woke"] * 2
    assert column(view, "display on, ms") == ["1500.00"] * 2
    assert view.verdict.badge.text() == "NO-EVIDENCE"
    view.cycles.choose(1)
    assert view.text.toPlainText().startswith("Cycle 2 slept and woke")
    assert view.shown_store() is None

    step = next(a for a in view.view_actions() if a.text() == "Marker B to the next edge")
    next(a for a in view.view_actions() if a.text() == "Marker A to the next edge").trigger()
    for _ in range(8):
        step.trigger()
        second = view.wave._snapped[1]
        if second is not None and second.pick.name == "PLTRST# rising":
            break
    assert "+158.000 ±" in view.wave.between.text()
    next(a for a in view.view_actions() if a.text().startswith("Measure this")).trigger()
    assert column(view, "BUTTON falling → PLTRST# rising, ms") == ["158.000"] * 2


def test_a_capture_with_the_log_of_the_pc_is_reconciled(qtbot: QtBot, window: Window) -> None:
    view = opened(qtbot, window, LOG, VCD)
    assert "with two-s3-cycles.xml" in view.file.text()
    assert view.verdict.badge.text() == "PASS"
    assert column(view, "resume, ms") != ["-"] * 2
    assert view.wave._detail is not None
    assert view.wave._detail.inside is not None
    assert view.overview.first is not None

    window.resize(1280, 800)
    view.lift("overview")
    qtbot.wait(50)
    area = view.docks.docks["overview"].widget()
    assert isinstance(area, QScrollArea)
    assert view.notice.isVisible()
    assert area.verticalScrollBar().maximum() == 0
    assert [each.isVisible() for each in view.findChildren(VerdictLine)] == [True]
    caption = view.overview.what
    assert caption.text().endswith("none above the limit of 2000 ms.")
    assert caption.height() >= caption.heightForWidth(caption.width())


def test_signals_of_other_names_are_named_by_hand(qtbot: QtBot, window: Window) -> None:
    view = opened(qtbot, window, CSV)
    assert "Channel 0" in view.notice.text
    answer_options(qtbot, window, view, signals="BUTTON=Channel_0")
    assert "Channel_0" in view.notice.text


def test_what_a_capture_does_not_tell_is_said_in_its_options(qtbot: QtBot, window: Window) -> None:
    view = opened(qtbot, window, LOG, VCD)
    assert "set it with “Sample rate”." in view.notice.text
    assert "--" not in view.notice.text
    answer_options(qtbot, window, view, sample_rate="500 kHz", pair="1=104", dut="healthy-laptop")
    assert "assumed" not in view.notice.text
    assert "sample rate 500 kHz, pair 1=104, DUT healthy-laptop" in view.file.text()
    assert view.verdict.badge.text() == "PASS"
    view.open(Target((CSV,)))
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    assert "500 kHz" not in view.file.text()


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({"sample_rate": "fast"}, "'fast' is not a sample rate; allowed are"),
        ({"pair": "1:5"}, "such as 1=5; found '1:5'"),
        ({"pair": "1=999"}, "999"),
        ({"signals": "BUTTON"}, "“Signals” 'BUTTON' is not of the form"),
        ({"dut": "none-such"}, "none-such"),
    ],
    ids=str,
)
def test_an_option_that_does_not_fit_is_said_and_asked_again(
    qtbot: QtBot, window: Window, texts: dict[str, str], why: str
) -> None:
    view = opened(qtbot, window, LOG, VCD)
    answer_options(qtbot, window, view, **texts)
    assert why in view.notice.text
    assert not len(view.cycles.model.table)
    assert not view.strip._items
    qtbot.mouseClick(view.notice.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    asked = window.findChildren(CaptureOptionsWindow)[-1]
    assert why in asked.wrong.text()
    name, text = next(iter(texts.items()))
    field = getattr(asked, name)
    assert (field.currentText() if isinstance(field, QComboBox) else field.text()) == text
    asked.reject()


def test_a_capture_that_is_dropped_on_the_log_page_goes_to_the_explorer(
    qtbot: QtBot, window: Window
) -> None:
    window.open_files([str(LOG)])
    assert isinstance(window.view, LogView)
    opened(qtbot, window, VCD)


def test_two_captures_are_compared_by_their_wires(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    slower = tmp_path / "slower.vcd"
    slower.write_text(VCD.read_text("utf-8").replace("#22500000000", "#22520000000"), "utf-8")
    window.open_files([str(VCD), str(slower)])
    view = cast(CompareView, window.view)
    assert isinstance(view, CompareView)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    assert view.notice.text == ""
    table = view.effects.model.table
    rows = {table.cell(row, 0): row for row in range(len(table))}
    base, candidate = (
        float(table.cell(rows["power button to display on"], place))
        for place, column in enumerate(table.columns)
        if column.title in ("base, ms", "candidate, ms")
    )
    assert candidate - base == pytest.approx(10)  # between a slower cycle and one like before
    # With its log it is one measurement, dropped on this page as well.
    opened(qtbot, window, VCD, LOG)
