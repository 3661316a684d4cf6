"""A campaign's answer as it grows: the report's first screen while it runs, then the verdict."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QElapsedTimer, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.first_screen import FirstScreenView
from resume_rig.gui.widgets.labels import plain_label, show_text
from resume_rig.gui.widgets.verdict_line import VerdictLine
from resume_rig.gui.worker.campaign_state import Answer, CampaignState
from resume_rig.gui.worker.jobs import Task
from resume_rig.gui.worker.process import Order
from resume_rig.report.campaign.page import FirstScreen
from resume_rig.report.parts.page import badge
from resume_rig.report.text.hostile_text import one_line

_REST_LEAST_MS: Final = 2_000
_REST_SHARE: Final = 3
"""It rests three times as long as judging took, so that this takes a quarter of a core."""


class GrowingScreen(FirstScreenView):
    """The first screen of a campaign that runs, judged anew at a pace, in a process of its own."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, with_verdict=False)
        self._desk = desk
        self._path: Path | None = None
        self._attempt = 0
        self._done = 0
        self._task: Task | None = None
        self._clock = QElapsedTimer()
        self._clock.start()
        self._begun_ms = 0
        self._next_ms = 0

    def settled(self) -> bool:
        """Return whether nothing is being judged for it."""
        return self._task is None

    def follow(self, state: CampaignState) -> None:
        """Judge the store anew where cycles came since; take the answer where there is one."""
        if (state.attempt, state.path) != (self._attempt, self._path):
            self._cancel()
            self._attempt, self._path, self._done, self._next_ms = state.attempt, state.path, 0, 0
            self.show_first(None)
        told = state.answer.told
        if told is not None:
            self._cancel()
            if self.first is not told.first:
                self.show_first(told.first)
            return
        now_ms = self._clock.elapsed()
        waits = self._task is not None or now_ms < self._next_ms or state.done == self._done
        if not state.phase.active or waits or not state.last or state.path is None:
            return
        self._done, self._begun_ms = state.done, now_ms
        from resume_rig.gui.state.store_writing import first_screen_of

        self._task = self._desk.jobs.start_apart(
            f"Judging {state.path.name}",
            Order(first_screen_of, (state.path, self._requirement())),
            self._show,
            self._fail,
            quiet=True,
        )

    def _requirement(self) -> object:
        order = self._desk.worker.order
        return None if order is None else order.requirement

    def _show(self, first: FirstScreen) -> None:
        self._rest()
        self.show_first(first)

    def _fail(self, sentence: str) -> None:
        # A store that cannot be read ends the campaign, which says so; the picture waits.
        self._rest()
        show_text(self.what, sentence)

    def _rest(self) -> None:
        self._task = None
        now_ms = self._clock.elapsed()
        self._next_ms = now_ms + max(_REST_LEAST_MS, _REST_SHARE * (now_ms - self._begun_ms))

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None


_BADGE_PX: Final = 12
_JUDGING: Final = "The answer and the report are being made …"
_NOT_YET: Final = "The verdict stands here when the campaign is over."


class CampaignAnswer(QWidget):
    """Has its room before there is an answer: what is below does not jump when it comes.

    Attributes:
        ways: buttons that lead on from the answer; the view places them.
        figures: what times and failures show, one sentence a line; likewise.
        overview: the first screen of the report, which grows while cycles come; likewise.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._shown: Answer | None = None
        self.verdict = VerdictLine(desk)
        self.overview = GrowingScreen(desk)
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
        return self._shown is state.answer and self.overview.settled()

    def show_state(self, state: CampaignState) -> None:
        """Show the answer, or that it is being computed."""
        answer = state.answer
        self.overview.follow(state)
        if answer is self._shown:
            first = self.overview.first
            if first is not None and state.phase.active:
                show_text(self.sentences, f"So far: {first.sentence}")
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
