"""A rig that is unplugged in the middle of a campaign, seen and driven through the window."""

from pathlib import Path

import pytest
from campaign_pages import PATIENCE_MS, campaign_of, wait_for
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from served_bench import served

from resume_rig.campaign.store.store import Store
from resume_rig.gui.app.window import Window
from resume_rig.gui.worker.campaign_state import Phase
from resume_rig.model.result.cycle import Outcome
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.timing.clocks import SystemClock

pytestmark = pytest.mark.slow


def asleep_in(window: Window, number: int) -> bool:
    """Whether the DUT was put to sleep in this cycle: what is stored of it is more than nothing."""
    told = window.desk.state.campaign
    return told.number == number and told.doing.startswith("asleep")


def test_a_campaign_waits_for_its_rig_and_goes_on(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    store = tmp_path / "plug.rrs"
    with served(bench) as address:
        view = campaign_of(window, f"rfc2217:{address}", "healthy-laptop", cycles=5)
        view.setting.store.setText(str(store))
        view.start()
        qtbot.waitUntil(lambda: asleep_in(window, 1), timeout=PATIENCE_MS)
    wait_for(qtbot, window, Phase.WAITING)
    window.go("log")
    qtbot.waitUntil(lambda: "Look at its plug" in window.person.text, timeout=PATIENCE_MS)
    assert window.person.done.isHidden()
    with served(bench, int(address.rpartition(":")[2])):
        wait_for(qtbot, window, Phase.RUNNING)
        qtbot.waitUntil(lambda: window.person.text == "", timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: asleep_in(window, 2), timeout=PATIENCE_MS)
        window.go("campaign")
        qtbot.mouseClick(view.control.stop, Qt.MouseButton.LeftButton)
        wait_for(qtbot, window, Phase.STOPPED)
        qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    with Store.open(store) as kept:
        outcomes = [raw.outcome for raw in kept.cycles()]
    assert outcomes == [Outcome.RIG_FAULT, Outcome.INTERRUPTED]
    assert any("waiting for the rig" in line for line in window.desk.state.campaign.lines)
    assert view.answer.verdict.badge.text() == "NO-EVIDENCE"


def test_a_campaign_that_waits_for_its_rig_is_stopped_and_goes_on_at_another_plug(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 2)
    with served(bench) as address:
        view = campaign_of(window, f"rfc2217:{address}", "healthy-laptop", cycles=5)
        view.setting.store.setText(str(tmp_path / "gone.rrs"))
        view.start()
        qtbot.waitUntil(lambda: asleep_in(window, 1), timeout=PATIENCE_MS)
    wait_for(qtbot, window, Phase.WAITING)
    qtbot.mouseClick(view.control.stop, Qt.MouseButton.LeftButton)
    wait_for(qtbot, window, Phase.STOPPED, Phase.FAILED)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    with served(bench) as address:
        view.setting.choice.choose(f"rfc2217:{address}", "healthy-laptop")
        view.resume_store(tmp_path / "gone.rrs", here=True)
        wait_for(qtbot, window, Phase.RUNNING)
        qtbot.waitUntil(lambda: window.desk.state.campaign.number == 2, timeout=PATIENCE_MS)
        assert window.desk.state.campaign.session == 2
        view.stop()
        wait_for(qtbot, window, Phase.STOPPED)
