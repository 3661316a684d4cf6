"""A campaign in a process of its own, when one of the two processes is killed."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest
from campaign_pages import PATIENCE_MS, campaign_of, wait_for
from pytestqt.qtbot import QtBot

from resume_rig.campaign.store.store import Store
from resume_rig.gui.app.window import Window
from resume_rig.gui.worker import campaign_session
from resume_rig.gui.worker.campaign_state import Phase
from resume_rig.gui.worker.process import Gate, OtherProcess, Wish
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import Requirement

pytestmark = pytest.mark.slow

WINDOW = """\
import sys
from pathlib import Path
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.run.campaign import Surroundings
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.events import Asleep
from resume_rig.gui.worker.events import CampaignReported
from resume_rig.gui.worker.campaign_session import run_campaign_process
from resume_rig.gui.worker.process import Gate
from resume_rig.gui.worker.events import RunCampaign

def told(event):
    if isinstance(event, CampaignReported) and isinstance(event.event, Asleep):
        print("asleep", flush=True)

order = RunCampaign(
    "sim:clock=real,seed=7", None, override(default_plan(), cycles=9), Path(sys.argv[1]),
    load_requirement("sysfund-0004"), Surroundings(),
)
run_campaign_process(order, told, Gate())
"""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the processes of campaigns, as they are started."""
    numbers: list[int] = []

    class Noted(OtherProcess):
        def __init__(self, module: str, patience_s: float) -> None:
            super().__init__(module, patience_s)
            numbers.append(self._process.pid)

    monkeypatch.setattr(campaign_session, "OtherProcess", Noted)
    return numbers


def test_a_process_that_is_killed_is_said_and_its_campaign_goes_on(
    qtbot: QtBot, window: Window, tmp_path: Path, started: list[int]
) -> None:
    view = campaign_of(window, cycles=60)
    view.setting.store.setText(str(tmp_path / "killed.rrs"))
    view.start()
    qtbot.waitUntil(lambda: window.desk.state.campaign.done >= 2, timeout=PATIENCE_MS)
    os.kill(started[0], signal.SIGKILL)
    wait_for(qtbot, window, Phase.FAILED)
    qtbot.waitUntil(
        lambda: "the process of the campaign is gone" in view.notice.text, timeout=PATIENCE_MS
    )
    assert "can be resumed" in view.notice.text
    qtbot.waitUntil(view.control.resume.isEnabled, timeout=PATIENCE_MS)
    view.control.resume.click()
    wait_for(qtbot, window, Phase.FINISHED)
    assert window.desk.state.campaign.done == 60
    assert window.desk.state.campaign.session == 2
    assert len(started) == 2


def test_one_that_is_killed_before_it_has_a_store_begins_again(
    qtbot: QtBot, window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stillborn(OtherProcess):
        def __init__(self, module: str, patience_s: float) -> None:
            super().__init__(module, patience_s)
            self._process.kill()

    view = campaign_of(window, cycles=3)
    view.setting.store.setText(str(tmp_path / "none.rrs"))
    with monkeypatch.context() as at_first:
        at_first.setattr(campaign_session, "OtherProcess", Stillborn)
        view.start()
        wait_for(qtbot, window, Phase.FAILED)
    qtbot.waitUntil(lambda: "could not run the campaign" in view.notice.text, timeout=PATIENCE_MS)
    view.start()
    wait_for(qtbot, window, Phase.FINISHED)
    assert window.desk.state.campaign.done == 3


def test_a_mistake_of_the_program_is_said_and_the_window_goes_on(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    view = campaign_of(window, cycles=2)
    view.setting.store.setText(str(tmp_path / "broken.rrs"))
    order = view.setting.order(view.editor.plan())
    window.worker.ask(dataclasses.replace(order, requirement=cast(Requirement, None)))
    wait_for(qtbot, window, Phase.FAILED)
    assert "internal error, AttributeError" in window.desk.state.campaign.text
    view.start()
    wait_for(qtbot, window, Phase.FINISHED)


def test_a_window_that_is_killed_leaves_a_campaign_that_was_stopped_in_order(
    tmp_path: Path,
) -> None:
    path = tmp_path / "left.rrs"
    with subprocess.Popen([sys.executable, "-c", WINDOW, str(path)], stdout=subprocess.PIPE) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == b"asleep\n"
        one.kill()
    until_s = time.monotonic() + 60
    outcomes: list[Outcome] = []
    while not outcomes and time.monotonic() < until_s:
        time.sleep(0.05)
        with Store.open(path) as store:
            outcomes = [raw.outcome for raw in store.cycles(with_light=False)]
    assert outcomes == [Outcome.INTERRUPTED]


def test_wishes_go_to_the_gate_that_follows() -> None:
    ours, theirs, late = Gate(), Gate(), Gate()
    ours.hold()
    ours.follow(theirs.obey)
    held = [theirs.held]
    ours.go_on()
    held.append(theirs.held)
    ours.answer()
    answers = [theirs.take_answer(), theirs.take_answer()]
    ours.hold()
    ours.stop()
    held.append(theirs.held)
    ours.follow(None)
    ours.hold()
    held.append(theirs.held)
    assert held == [True, False, False, False]
    assert answers == [True, False]
    ours.follow(late.obey)
    assert theirs.stopping
    assert late.stopping
    assert all(len(wish.encode("ascii")) == 1 for wish in Wish)
