"""The window's words: the same for a cycle everywhere, provisional first, of its own fields."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from campaign_pages import PATIENCE_MS, campaign_of, type_into, wait_for
from PySide6.QtWidgets import QAbstractButton, QLabel, QListWidget, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from resume_rig.cli.main import main
from resume_rig.gui.app.window import Window
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.worker.campaign_state import Phase
from resume_rig.gui.worker.events import CycleRevised, CycleStored, Event
from resume_rig.model.result.cycle import Outcome
from resume_rig.report.text.wording import outcome_words


def test_a_hang_is_called_so_on_the_campaign_page_and_in_the_explorer(
    qtbot: QtBot, window: Window, hanging_dut: Path, tmp_path: Path
) -> None:
    told: list[Event] = []
    said: list[str] = []
    view = campaign_of(window, dut=str(hanging_dut), cycles=6)

    def keep(events: tuple[Event, ...]) -> None:
        told.extend(events)
        view.refresh()
        said.append(view.control.texts[1])

    window.worker.reported.connect(keep)
    store = tmp_path / "hangs.rrs"
    view.setting.store.setText(str(store))
    view.start()
    wait_for(qtbot, window, Phase.FINISHED)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)

    first = {
        each.outside.number: each.outside.outcome for each in told if type(each) is CycleStored
    }
    later = {
        each.outside.number: each.outside.outcome for each in told if type(each) is CycleRevised
    }
    assert Outcome.HUNG_IN_RESUME in later.values()
    assert all(first[number] is Outcome.DARK for number in later)
    live = {**first, **later}
    state = window.desk.state.campaign
    assert {each.number: each.outcome for each in state.failures} == {
        number: outcome for number, outcome in live.items() if outcome is not Outcome.SLEPT_AND_WOKE
    }
    assert any(text.startswith("So far, provisional: ") for text in said)
    window.alarm.refresh()
    assert " failed. First: cycle" in window.alarm.text
    window.dismiss()
    window.alarm.refresh()
    assert window.alarm.text == ""
    assert view.control.texts[1].startswith("Judged: ")

    window.go("explorer", Target((store,)))
    explorer = cast(ExplorerView, window.view)
    qtbot.waitUntil(explorer.settled, timeout=PATIENCE_MS)
    table = explorer.cycles.model.table
    place = [column.title for column in table.columns].index("outcome")
    words = [table.cell(row, place) for row in range(len(table))]
    assert words == [outcome_words(live[number]) for number in sorted(live)]
    counted = Counter(words)
    for word, count in counted.items():
        assert f"{count} {word}" in view.control.texts[1]


def test_a_failure_is_provisional_in_the_alarm_until_it_is_judged(
    qtbot: QtBot, window: Window, hanging_dut: Path
) -> None:
    view = campaign_of(window, dut=str(hanging_dut), cycles=2_000)
    view.start()
    qtbot.waitUntil(lambda: window.desk.state.campaign.failed > 0, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: " failed so far. First: " in window.alarm.text, timeout=PATIENCE_MS)
    view.stop()
    wait_for(qtbot, window, Phase.STOPPED, Phase.FAILED)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: " failed. First: " in window.alarm.text, timeout=PATIENCE_MS)
    assert view.failures.count() == min(window.desk.state.campaign.failed, 1_000)


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
LOGS = Path(__file__).parents[3] / "fixtures" / "logs"


def shown(window: Window) -> Iterator[str]:
    """Yield every text that the window shows, or would in a tool tip."""
    yield window.status
    for each in window.findChildren(QWidget):
        yield each.toolTip()
        match each:
            case QLabel() | QAbstractButton():
                yield each.text()
            case QPlainTextEdit():
                yield each.toPlainText()
            case QListWidget():
                yield from (each.item(row).text() for row in range(each.count()))
            case TablePanel():
                table = each.model.table
                places = range(len(table.columns))
                yield from (table.cell(row, at) for row in range(len(table)) for at in places)


def assert_no_option_is_shown(window: Window) -> None:
    assert [text for text in shown(window) if OPTION.search(text)] == []


@pytest.mark.slow
def test_no_page_names_an_option_of_the_command_line(
    qtbot: QtBot, window: Window, hanging_dut: Path, tmp_path: Path
) -> None:
    # Cycles that the requirement does not cover, and hangs, whose steps the recovery log names.
    view = campaign_of(window, dut=str(hanging_dut), cycles=6)
    view.setting.judged.requirement.setEditText("s4-20s")
    view.start()
    wait_for(qtbot, window, Phase.FINISHED)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    assert "“Kind”" in view.lines.toPlainText()
    assert "“Kind” S3, “Limit, ms” MS" in view.answer.overview.advice.text()
    assert_no_option_is_shown(window)
    store = window.desk.state.campaign.path
    assert store is not None

    # A file that is there already, and a campaign that was stopped.
    view.setting.store.setText(str(store))
    view.start()
    qtbot.waitUntil(lambda: "Resume (page Campaign)" in view.notice.text, timeout=PATIENCE_MS)
    view.setting.store.setText("")
    type_into(view, "cycles", "2000")
    view.start()
    wait_for(qtbot, window, Phase.RUNNING)
    view.stop()
    wait_for(qtbot, window, Phase.STOPPED)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    assert "Resume (page Campaign) goes on" in view.notice.text
    assert_no_option_is_shown(window)

    # Findings, each with what shows more of it.
    window.go("explorer", Target((store,)))
    explorer = cast(ExplorerView, window.view)
    qtbot.waitUntil(explorer.settled, timeout=PATIENCE_MS)
    for row in range(6):
        explorer.cycles.choose(row)
        qtbot.waitUntil(explorer.settled, timeout=PATIENCE_MS)
        assert_no_option_is_shown(window)
    window.go("limits", Target((store,)))
    qtbot.waitUntil(window.view.settled, timeout=PATIENCE_MS)

    # Kinds of sleep of a log that nothing is judged by, and sessions that differ.
    for log in (LOGS / "every-kind.xml", LOGS / "power-notes.xml"):
        window.go("log", Target((log,)))
        qtbot.waitUntil(window.view.settled, timeout=PATIENCE_MS)
        assert_no_option_is_shown(window)
    slow = tmp_path / "slow.rrs"
    words = "run --rig sim:clock=virtual,seed=9 --dut slow-bios --cycles 12 --out"
    assert main([*words.split(), str(slow)]) in (0, 1, 4)
    fast = tmp_path / "fast.rrs"
    words = "run --rig sim:clock=virtual,seed=8 --cycles 12 --out"
    assert main([*words.split(), str(fast)]) in (0, 1, 4)
    window.go("compare", Target((fast, slow)))
    qtbot.waitUntil(window.view.settled, timeout=PATIENCE_MS)
    assert any("“One session is enough”" in text for text in shown(window))
    assert_no_option_is_shown(window)
