"""What became of a cycle is said in the same words everywhere, and where it is provisional."""

from collections import Counter
from pathlib import Path
from typing import cast

from campaign_pages import PATIENCE_MS, campaign_of, wait_for
from pytestqt.qtbot import QtBot

from resume_rig.gui.app.window import Window
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.request import Target
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
