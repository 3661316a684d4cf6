"""Buttons of a campaign, and how it stands."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QProgressBar, QPushButton, QWidget

from resume_rig.gui.state.campaign_state import CampaignState, Phase
from resume_rig.gui.widgets.labels import ElidedLabel, show_elided
from resume_rig.report.terminal_progress import left_text
from resume_rig.report.wording import outcome_words

_Do: TypeAlias = Callable[[], None]


class CampaignControl(QWidget):
    """Start, pause, stop, go on; progress, time left, outcomes."""

    def __init__(self, start: _Do, hold: _Do, stop: _Do, go_on: _Do) -> None:
        super().__init__()
        self._actions: list[QAction] = []
        self.start = self._button("Start", "Ctrl+Return", start)
        self.hold = self._button("Pause", "Ctrl+Shift+P", hold)
        self.stop = self._button("Stop", "Ctrl+.", stop)
        self.resume = self._button("Go on", "Ctrl+Shift+Return", go_on)
        self.resume.setToolTip("Goes on with the campaign that was stopped (Ctrl+Shift+Return)")
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Cycles done")
        self._doing = ElidedLabel()
        self._outcomes = ElidedLabel(role="soft")
        buttons = QHBoxLayout()
        for button in (self.start, self.hold, self.stop, self.resume):
            buttons.addWidget(button)
        buttons.addWidget(self.bar, 1)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.addLayout(buttons, 0, 0, 1, 2)
        grid.addWidget(self._doing, 1, 0)
        grid.addWidget(self._outcomes, 2, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        self._grid = grid

    def place_beside(self, widget: QWidget) -> None:
        """Put a widget beside the words."""
        self._grid.addWidget(widget, 1, 1)

    @property
    def texts(self) -> tuple[str, str]:
        """What is said of the cycle in flight, and of those that are over."""
        return self._doing.text(), self._outcomes.text()

    def menu_actions(self) -> Sequence[QAction]:
        """Return the buttons with their keys."""
        return self._actions

    def show_state(self, state: CampaignState, *, plan_problem: str, holding: bool) -> None:
        """Show how the campaign stands.

        Args:
            state: of the campaign.
            plan_problem: what is wrong with the plan in the editor; empty for nothing.
            holding: whether it is to wait after the cycle in flight.
        """
        active = state.phase.active
        self.start.setEnabled(not active and not plan_problem)
        self.start.setToolTip(plan_problem or "Ctrl+Return")
        self.hold.setEnabled(active)
        self.hold.setText("Continue" if holding else "Pause")
        self.stop.setEnabled(active)
        ended_early = state.phase in (Phase.STOPPED, Phase.FAILED) and state.plan is not None
        self.resume.setEnabled(ended_early)
        self.bar.setRange(0, max(state.cycles, 1))
        self.bar.setValue(min(state.done, state.cycles))
        self.bar.setFormat("%v of %m cycles" if state.plan is not None else "no campaign yet")
        show_elided(self._doing, _doing_text(state, holding=holding))
        show_elided(self._outcomes, _outcomes_text(state))

    def _button(self, text: str, key: str, do: _Do) -> QPushButton:
        button = QPushButton(text)
        button.clicked.connect(do)
        button.setToolTip(key)
        action = QAction(f"{text} the campaign" if text != "Go on" else "Go on with it", self)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(button.click)
        self._actions.append(action)
        return button


def _doing_text(state: CampaignState, *, holding: bool) -> str:
    parts = [state.phase.value.capitalize()]
    if state.phase.active and state.number and state.doing:
        parts.append(f"cycle {state.number} {state.doing}")
    if holding and state.phase is Phase.RUNNING:
        parts.append("pauses after this cycle")
    if state.phase.active and state.left_ns is not None:
        parts.append(f"{left_text(state.left_ns)} left")
    if state.path is not None:
        parts.append(state.path.name)
    return " · ".join(parts)


def _outcomes_text(state: CampaignState) -> str:
    counted = [f"{n} {outcome_words(outcome)}" for outcome, n in state.outcomes.items() if n]
    if not counted:
        return "No cycle is over yet."
    return f"{'So far, provisional' if state.provisional else 'Judged'}: {', '.join(counted)}"
