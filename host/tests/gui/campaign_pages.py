"""The campaign page as tests drive it: shared by the tests of campaigns in the window."""

from typing import cast

from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from resume_rig.gui.app.window import Window
from resume_rig.gui.campaign.view import CampaignView
from resume_rig.gui.worker.campaign_state import Phase

SIM = "sim:clock=virtual,seed=7"
PATIENCE_MS = 60_000


def campaign_of(window: Window, url: str = SIM, dut: str = "", cycles: int = 3) -> CampaignView:
    window.go("campaign")
    view = cast(CampaignView, window.view)
    view.setting.choice.choose(url, dut or None)
    type_into(view, "cycles", str(cycles))
    return view


def type_into(view: CampaignView, key: str, text: str) -> None:
    field = view.editor.fields[key]
    line = field if isinstance(field, QLineEdit) else field.lineEdit()
    assert line is not None
    line.selectAll()
    line.insert(text)
    line.textEdited.emit(text)
    line.editingFinished.emit()


def wait_for(qtbot: QtBot, window: Window, *phases: Phase) -> None:
    qtbot.waitUntil(lambda: window.desk.state.campaign.phase in phases, timeout=PATIENCE_MS)
