"""What is there when a campaign is over: verdict, report, exports; and who was told meanwhile."""

import sys
from pathlib import Path
from typing import cast

import pytest
from campaign_pages import PATIENCE_MS, campaign_of, type_into, wait_for
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from resume_rig.gui.app.window import Window
from resume_rig.gui.campaign.view import CampaignView
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.worker.campaign_state import Phase
from resume_rig.gui.worker.events import PersonAsked
from resume_rig.model.result.verdict import Verdict

DIARY = """\
import os, sys
names = ("EVENT", "CYCLE", "OUTCOME", "VERDICT", "STORE")
with open(sys.argv[1], "a", encoding="utf-8") as diary:
    print(*(os.environ.get(f"RESUME_RIG_{name}", "-") for name in names), file=diary)
"""


def judged(qtbot: QtBot, view: CampaignView) -> None:
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)


def run(qtbot: QtBot, window: Window, view: CampaignView, store: Path) -> None:
    view.setting.store.setText(str(store))
    view.start()
    wait_for(qtbot, window, Phase.FINISHED, Phase.FAILED)
    judged(qtbot, view)


def test_a_campaign_ends_with_its_verdict_its_confidence_and_its_report(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    view = campaign_of(window, cycles=6)
    run(qtbot, window, view, tmp_path / "six.rrs")

    told = window.desk.state.campaign.answer.judged
    assert told is not None
    assert told.verdict is Verdict.PASS
    assert view.answer.verdict.badge.text() == "PASS"
    assert "95 % confidence" in view.answer.verdict.why.text()
    assert "95 % confidence" in view.answer.figures.toPlainText()
    assert view.no_failures.isVisible()
    assert view.no_failures.text() == "PASS: 5 of 5 resumes within 2000 ms; the worst 961 ms."
    page = (tmp_path / "six.html").read_text("utf-8")
    assert "PASS" in page
    assert told.report == tmp_path / "six.html"
    qtbot.mouseClick(view.answer.explore, Qt.MouseButton.LeftButton)
    explorer = cast(ExplorerView, window.view)
    qtbot.waitUntil(explorer.settled, timeout=PATIENCE_MS)
    assert len(explorer.cycles.model.rows) == 6


def test_commands_of_the_user_are_told_of_failures_and_of_the_end(
    qtbot: QtBot, window: Window, hanging_dut: Path, tmp_path: Path
) -> None:
    script, diary = tmp_path / "diary.py", tmp_path / "diary.txt"
    script.write_text(DIARY, "utf-8")
    view = campaign_of(window, dut=str(hanging_dut), cycles=6)
    qtbot.mouseClick(view.setting.more, Qt.MouseButton.LeftButton)
    for name in ("failure", "recovery", "end"):
        view.setting.extras.fields[name].setText(f"'{sys.executable}' '{script}' '{diary}'")
    run(qtbot, window, view, tmp_path / "told.rrs")

    failed = {str(failure.number) for failure in window.desk.state.campaign.failures}
    told: list[list[str]] = []

    def written() -> bool:
        told[:] = [line.split() for line in diary.read_text("utf-8").splitlines()]
        return any(words[0] == "end" for words in told)

    qtbot.waitUntil(written, timeout=PATIENCE_MS)
    assert failed
    assert {words[1] for words in told if words[0] == "failure"} == failed
    assert any(words[0] == "recovery" for words in told)
    assert [words[3] for words in told if words[0] == "end"] == ["FAIL"]
    assert {words[4] for words in told} == {str(tmp_path / "told.rrs")}


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("failure", "'not closed", "No closing quotation"),
        ("power_cycle", "'", "No closing quotation"),
        ("host_clock", "fast", "'fast' is no whole number of parts per billion"),
    ],
)
def test_a_field_that_cannot_be_used_is_said_and_nothing_moves(
    window: Window, tmp_path: Path, field: str, text: str, words: str
) -> None:
    view = campaign_of(window)
    view.setting.extras.fields[field].setText(text)
    view.start()
    assert words in view.notice.text
    assert window.desk.state.campaign.phase is Phase.NONE
    assert not list(tmp_path.glob("*.rrs"))


def test_another_limit_judges_the_campaign(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    view = campaign_of(window, cycles=3)
    view.setting.judged.limit.setText("5")
    run(qtbot, window, view, tmp_path / "strict.rrs")
    assert view.answer.verdict.badge.text() == "FAIL"
    assert window.desk.state.campaign.limit_ms == 5


def test_a_person_is_asked_over_every_page_and_answers(qtbot: QtBot, window: Window) -> None:
    gate = window.worker.gate
    window.worker.reported.emit((PersonAsked("Hold the button for ten seconds."),))
    window.go("log")
    qtbot.waitUntil(lambda: window.person.text != "", timeout=PATIENCE_MS)
    assert window.person.text == "Hold the button for ten seconds."
    qtbot.mouseClick(window.person.done, Qt.MouseButton.LeftButton)
    assert gate.take_answer()
    assert not gate.take_answer()


@pytest.mark.slow
def test_a_store_is_written_in_every_form_from_the_menu(
    qtbot: QtBot, window: Window, tmp_path: Path, asked
) -> None:
    view = campaign_of(window, cycles=2)
    assert not window.menus.store.isEnabled()
    run(qtbot, window, view, tmp_path / "two.rrs")
    window.menus.refresh_store()
    by_title = {action.text(): action for action in window.menus.store.actions()}
    wanted = {"JUnit …": "two.xml", "CSV of the edges …": "edges.csv", "HTML report …": "page.html"}
    for title, name in wanted.items():
        asked.answer = tmp_path / name
        by_title[title].trigger()
        qtbot.waitUntil(lambda name=name: window.status.endswith(f"{name}."), timeout=PATIENCE_MS)
        assert (tmp_path / name).stat().st_size > 100
    asked.answer = tmp_path / "two.rrs"
    by_title["JUnit …"].trigger()
    qtbot.waitUntil(lambda: "would replace the store" in window.status, timeout=PATIENCE_MS)


def test_what_the_verdict_will_lack_is_said_before(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    view = campaign_of(window, cycles=1)
    type_into(view, "state", "S4")
    run(qtbot, window, view, tmp_path / "s4.rrs")
    assert any("speaks of" in line for line in window.desk.state.campaign.lines)
