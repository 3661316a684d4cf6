"""Whole campaigns in the window, by mouse and keyboard, on the simulated bench."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from campaign_pages import PATIENCE_MS, SIM, campaign_of, type_into, wait_for
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from resume_rig.gui.app.window import Window
from resume_rig.gui.state.lanes import read_evidence
from resume_rig.gui.worker.campaign_state import Phase
from resume_rig.model.result.cycle import Outcome

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return everything in a store, but for the names of its tables' internals."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store, store:
        names = [
            name
            for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.startswith("sqlite_")
        ]
        return {name: list(store.execute(f"SELECT * FROM {name}")) for name in names}


def test_a_campaign_leaves_the_same_store_as_the_command_line(
    qtbot: QtBot, window: Window, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from resume_rig.cli.main import main

    view = campaign_of(window)
    type_into(view, "wake_by", "button, lid")
    type_into(view, "dwell", "5 s to 9 s")
    view.setting.store.setText(str(tmp_path / "window.rrs"))
    qtbot.keyClick(window, Qt.Key.Key_Return, CTRL)
    wait_for(qtbot, window, Phase.FINISHED)
    plan = tmp_path / "plan.toml"
    plan.write_text('cycles = 3\nwake_by = ["button", "lid"]\ndwell_s = {from = 5, to = 9}\n')
    store = tmp_path / "line.rrs"
    assert main(["run", "--rig", SIM, "--plan", str(plan), "--out", str(store)]) in (0, 4)
    capsys.readouterr()
    ours, theirs = rows(tmp_path / "window.rrs"), rows(store)
    assert ours.keys() == theirs.keys()
    assert len(ours["cycle"]) == 3
    for name in ours:
        assert ours[name] == theirs[name], name


def test_what_runs_is_shown_while_it_runs(qtbot: QtBot, window: Window) -> None:
    view = campaign_of(window, cycles=8)
    qtbot.mouseClick(view.control.start, Qt.MouseButton.LeftButton)
    assert not window.desk.state.campaign.phase.active or not view.control.start.isEnabled()
    wait_for(qtbot, window, Phase.FINISHED)
    qtbot.waitUntil(lambda: view.control.bar.value() == 8, timeout=PATIENCE_MS)
    assert "8 slept and woke" in view.control.texts[1]
    state = window.desk.state.campaign
    assert len(state.resume_ms) == 8
    assert [cycle.number for cycle in state.last] == list(range(1, 9))
    assert window.alarm.text == ""


@pytest.mark.slow
def test_the_first_screen_of_the_report_grows_while_the_campaign_runs(
    qtbot: QtBot, window: Window
) -> None:
    view = campaign_of(window, dut="bios-under-reports", cycles=5_000)
    view.start()
    shown = view.answer.overview
    qtbot.waitUntil(lambda: shown.first is not None, timeout=PATIENCE_MS)
    assert window.desk.state.campaign.phase.active
    first = shown.first
    assert first is not None
    few = len(shown.marks._places)
    assert few >= 1
    # A cycle or two contradict nothing for certain. Judged anew after a pause of three times what
    # judging took.
    qtbot.waitUntil(lambda: "BIOS time contradicted" in shown.trust.text(), timeout=6 * PATIENCE_MS)
    qtbot.waitUntil(lambda: len(shown.marks._places) > few, timeout=6 * PATIENCE_MS)
    assert view.answer.sentences.text().startswith("So far: ")
    shown.choice.setCurrentIndex(shown.choice.findData("slowest"))
    view.stop()
    wait_for(qtbot, window, Phase.STOPPED)
    qtbot.waitUntil(
        lambda: window.desk.state.campaign.answer.judged is not None, timeout=6 * PATIENCE_MS
    )
    view.refresh()
    told = window.desk.state.campaign.answer.judged
    assert told is not None
    assert shown.first is told.first
    assert shown.choice.currentData() == "slowest"
    assert shown.settled()

    shown.marks.setFocus()
    qtbot.keyClick(shown.marks, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: view.evidence.evidence is not None, timeout=PATIENCE_MS)
    assert view.evidence.evidence is not None
    assert view.evidence.evidence.outside.number == 1


def test_a_campaign_pauses_between_cycles_goes_on_and_stops(qtbot: QtBot, window: Window) -> None:
    view = campaign_of(window, cycles=2_000)
    view.start()
    wait_for(qtbot, window, Phase.RUNNING)
    qtbot.waitUntil(view.control.hold.isEnabled, timeout=PATIENCE_MS)
    qtbot.keyClick(window, Qt.Key.Key_P, CTRL | SHIFT)
    wait_for(qtbot, window, Phase.HELD)
    done = window.desk.state.campaign.done
    qtbot.wait(100)
    assert window.desk.state.campaign.done == done
    qtbot.mouseClick(view.control.hold, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.state.campaign.done > done, timeout=PATIENCE_MS)
    qtbot.mouseClick(view.control.stop, Qt.MouseButton.LeftButton)
    wait_for(qtbot, window, Phase.STOPPED)
    assert "goes on" in window.desk.state.campaign.text
    assert window.desk.state.campaign.done < 2_000


def test_a_campaign_that_was_stopped_goes_on_in_its_store(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    view = campaign_of(window, cycles=40)
    store = tmp_path / "one.rrs"
    view.setting.store.setText(str(store))
    view.start()
    qtbot.waitUntil(lambda: window.desk.state.campaign.done >= 1, timeout=PATIENCE_MS)
    view.stop()
    wait_for(qtbot, window, Phase.STOPPED)
    qtbot.waitUntil(view.control.resume.isEnabled, timeout=PATIENCE_MS)
    qtbot.mouseClick(view.control.resume, Qt.MouseButton.LeftButton)
    wait_for(qtbot, window, Phase.FINISHED)
    assert window.desk.state.campaign.done == 40
    assert window.desk.state.campaign.session == 2


def test_a_failure_cannot_be_missed_and_is_a_click_from_its_wires(
    qtbot: QtBot, window: Window, hanging_dut: Path
) -> None:
    view = campaign_of(window, dut=str(hanging_dut), cycles=6)
    view.start()
    wait_for(qtbot, window, Phase.FINISHED, Phase.FAILED)
    window.go("bench")
    qtbot.waitUntil(lambda: "First: cycle" in window.alarm.text, timeout=PATIENCE_MS)
    first = window.desk.state.campaign.failures[0]
    assert first.outcome is Outcome.HUNG_IN_RESUME
    button = window.alarm.findChild(type(view.control.start), "first")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.view is view
    qtbot.waitUntil(lambda: view.evidence.evidence is not None, timeout=PATIENCE_MS)
    shown = view.evidence.evidence
    assert shown is not None
    assert shown.outside.number == first.number
    assert first.text in view.evidence.text.text()
    # A display that stayed dark is drawn on the scale of one that did not.
    top = view.evidence.lanes.light.plot.viewRange()[1][1]
    assert top >= shown.most_light
    assert window.desk.state.campaign.path is not None
    assert read_evidence(window.desk.state.campaign.path, 6).most_light > 1_000
    assert view.failures.count() == window.desk.state.campaign.failed
    assert view.failures.isVisible()
    assert not view.no_failures.isVisible()


def test_five_failures_are_in_sight_in_a_window_of_1280_by_800(
    qtbot: QtBot, window: Window, hanging_dut: Path
) -> None:
    window.resize(1280, 800)
    view = campaign_of(window, dut=str(hanging_dut), cycles=24)
    view.start()
    wait_for(qtbot, window, Phase.FINISHED)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    qtbot.waitUntil(window.alarm.isVisible, timeout=PATIENCE_MS)
    room_px = view.failures.viewport().height()
    listed = [view.failures.item(row) for row in range(view.failures.count())]
    in_sight = [item for item in listed if view.failures.visualItemRect(item).bottom() < room_px]
    assert len(listed) > 5
    assert len(in_sight) >= 5
    assert all(item.text() in item.toolTip() for item in listed)


def test_the_plan_says_beside_the_field_what_is_wrong(qtbot: QtBot, window: Window) -> None:
    view = campaign_of(window)
    for key, text, words in (
        ("cycles", "0", "a plan of 0 cycles; allowed are 1 to"),
        ("cycles", "many", "Cycles = 'many'; allowed is a whole number"),
        ("warm_up", "99", "a warm-up of 99"),
        ("dwell", "2 s", "a dwell of 2.000 s"),
        ("press", "1 parsec", "allowed is a time with its unit"),
        ("wake_by", "foot", "allowed are"),
        ("stop_failure_rate_below_percent", "200", "a failure rate of 200 %"),
    ):
        type_into(view, key, text)
        assert words in view.editor.problem
        qtbot.waitUntil(lambda: not view.control.start.isEnabled(), timeout=PATIENCE_MS)
        view.editor.undo.trigger()
        assert view.editor.problem == ""
        qtbot.waitUntil(view.control.start.isEnabled, timeout=PATIENCE_MS)


def test_undo_and_redo_by_key_are_the_plan_s_while_a_field_has_the_focus(
    qtbot: QtBot, window: Window
) -> None:
    view = campaign_of(window, cycles=5)
    field = cast(QLineEdit, view.editor.fields["cycles"])
    window.activateWindow()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "123")
    field.editingFinished.emit()
    view.editor.load("stress-1000")
    assert field.text() == "1000"
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    assert field.text() == "123"
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    assert field.text() == "5"
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL | SHIFT)
    assert field.text() == "123"


def test_a_campaign_that_cannot_begin_says_why_and_moves_nothing(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    view = campaign_of(window, dut="wakes-alone")
    type_into(view, "wake_by", "lid")
    view.start()
    qtbot.waitUntil(lambda: "moves the LID" in view.notice.text, timeout=PATIENCE_MS)
    assert not list(tmp_path.glob("*.rrs"))
    there = tmp_path / "there.rrs"
    there.write_bytes(b"something of mine")
    type_into(view, "wake_by", "button")
    view.setting.store.setText(str(there))
    view.start()
    qtbot.waitUntil(lambda: "there.rrs" in view.notice.text, timeout=PATIENCE_MS)
    assert there.read_bytes() == b"something of mine"
