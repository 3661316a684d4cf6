"""What a campaign has come to: verdict, what it rests on, and ways on from there."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.campaign_state import Answer, CampaignState
from resume_rig.gui.widgets.labels import plain_label, show_text
from resume_rig.gui.widgets.verdict_line import VerdictLine
from resume_rig.report.hostile_text import one_line
from resume_rig.report.page_parts import badge

_BADGE_PX: Final = 12
_JUDGING: Final = "The answer and the report are being made …"
_NOT_YET: Final = "The verdict stands here when the campaign is over."


class CampaignAnswer(QWidget):
    """Has its room before there is an answer: what is below does not jump when it comes.

    Attributes:
        ways: buttons that lead on from the answer; the view places them.
        figures: what times and failures show, one sentence a line; likewise.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._shown: Answer | None = None
        self.verdict = VerdictLine(desk)
        self.sentences = plain_label(_NOT_YET, role="soft")
        self.figures = QPlainTextEdit()
        self.figures.setReadOnly(True)
        self.figures.setAccessibleName("Figures")
        self.figures.setPlaceholderText("When the campaign is over, its figures stand here.")
        self._actions: list[QAction] = []
        self.report = self._button("Open report", "Ctrl+Shift+R", self._open_report)
        self.explore = self._button("Explore cycles", "Ctrl+Shift+E", lambda: self._go("explorer"))
        self.limits = self._button("Limits", "Ctrl+Shift+M", lambda: self._go("limits"))
        self.ways = QWidget()
        buttons = QHBoxLayout(self.ways)
        buttons.setContentsMargins(0, 0, 0, 0)
        for button in (self.report, self.explore, self.limits):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.verdict)
        column.addWidget(self.sentences)
        self.setMinimumHeight(self.fontMetrics().height() + _BADGE_PX)
        self.ways.setEnabled(False)

    def menu_actions(self) -> list[QAction]:
        """Return the buttons with their keys."""
        return self._actions

    def shows(self, state: CampaignState) -> bool:
        """Return whether the answer of a state is on the screen."""
        return self._shown is state.answer

    def show_state(self, state: CampaignState) -> None:
        """Show the answer, or that it is being computed."""
        answer = state.answer
        if answer is self._shown:
            return
        self._shown = answer
        told = answer.told
        self.ways.setEnabled(told is not None)
        self.sentences.setVisible(told is None)
        self.figures.setPlainText("" if told is None else "\n".join(map(one_line, told.sentences)))
        if told is not None:
            self.verdict.show_verdict(badge(told.verdict), told.why)
            self.report.setToolTip(f"{told.report} (Ctrl+Shift+R)")
            return
        self.verdict.hide()
        problem = f"No answer: {answer.problem}." if answer.problem else _NOT_YET
        show_text(self.sentences, _JUDGING if answer.judging else problem)

    def _open_report(self) -> None:
        told = self._desk.seen.campaign.answer.told
        if told is None:
            self._desk.say("There is no report yet.")
        elif QDesktopServices.openUrl(QUrl.fromLocalFile(str(told.report.resolve()))):
            self._desk.say(f"The report is {told.report}.")
        else:
            self._desk.say(f"Nothing here opens web pages; the report is {told.report}.")

    def _go(self, view: str) -> None:
        path = self._desk.seen.campaign.path
        if path is not None:
            self._desk.go(view, Target((path,)))

    def _button(self, text: str, key: str, do: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        button.clicked.connect(do)
        button.setToolTip(key)
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(button.click)
        self._actions.append(action)
        return button
