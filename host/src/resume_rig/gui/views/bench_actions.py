"""Single actions on a bench, and what the board's interlock answers."""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QGroupBox,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
)

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.bench_state import BenchState, Link
from resume_rig.gui.worker.requests import (
    MoveLid,
    Press,
    RecordLight,
    ReleaseAll,
    Request,
    SelfTest,
)
from resume_rig.model.channel import Actuator
from resume_rig.report.hostile_text import one_line

_MS_NS: Final = 1_000_000
_USUAL_MS: Final = 150
_MOST_MS: Final = 15_000
_ANSWERS_PX: Final = 110


class BenchActions(QGroupBox):
    """Press, lid, release, light and self-test.

    Attributes:
        answers: list of what the board answered, newest last; the view places it.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__("Actions")
        self._desk = desk
        self.answers = QListWidget()
        self.answers.setAccessibleName("Answers of the board")
        self.answers.setMaximumHeight(_ANSWERS_PX)
        self.answers.setWordWrap(True)
        self._shown: tuple[tuple[bool, str], ...] = ()
        self._actions: list[QAction] = []
        self.duration = QSpinBox()
        self.duration.setRange(1, _MOST_MS)
        self.duration.setValue(_USUAL_MS)
        self.duration.setSuffix(" ms")
        self.duration.setAccessibleName("Length of the press")
        self.force = QCheckBox("Force off")
        self.force.setToolTip(
            "Allows a press long enough to cut the power: a DUT loses its unsaved work"
        )
        self.press = self._button("Press", "Ctrl+P", self._press)
        self.close_lid = self._button("Close lid", "Ctrl+L", lambda: self._ask(MoveLid(True)))
        self.open_lid = self._button("Open lid", "Ctrl+Shift+L", lambda: self._ask(MoveLid(False)))
        self.release = self._button("Release all", "Ctrl+R", lambda: self._ask(ReleaseAll()))
        self.selftest = self._button("Self-test", "Ctrl+T", lambda: self._ask(SelfTest()))
        self.light = QCheckBox("Record light")
        self.light.setChecked(True)
        self.light.toggled.connect(lambda on: self._ask(RecordLight(on)))
        grid = QGridLayout(self)
        for place, widget in enumerate(
            (
                self.duration,
                self.press,
                self.force,
                self.light,
                self.close_lid,
                self.open_lid,
                self.release,
                self.selftest,
            )
        ):
            grid.addWidget(widget, place // 2, place % 2)

    def menu_actions(self) -> Sequence[QAction]:
        """Return the actions with their keys."""
        return self._actions

    def show_state(self, state: BenchState, *, busy: bool) -> None:
        """Offer what this rig can do; `busy` while a campaign owns it."""
        up = state.link is Link.UP and not busy
        info = state.info
        can = {each.actuator for each in info.actuators} if info is not None else set()
        for widget in (self.press, self.duration, self.force):
            widget.setEnabled(up and Actuator.BUTTON in can)
        for widget in (self.close_lid, self.open_lid):
            widget.setEnabled(up and Actuator.LID in can)
        for widget in (self.release, self.selftest):
            widget.setEnabled(up)
        self.light.setEnabled(up and info is not None and info.light_ring > 0)
        if state.answers != self._shown:
            self._show_answers(state.answers)

    def _show_answers(self, answers: tuple[tuple[bool, str], ...]) -> None:
        self._shown = answers
        self.answers.clear()
        for ok, text in answers:
            self.answers.addItem(QListWidgetItem(f"{'' if ok else '✗ '}{one_line(text)}"))
        self.answers.scrollToBottom()

    def _press(self) -> None:
        duration_ns = self.duration.value() * _MS_NS
        self._ask(Press(duration_ns, self.force.isChecked()))
        # Asked for once, not for good: the next press is a usual one again.
        self.force.setChecked(False)

    def _ask(self, request: Request) -> None:
        self._desk.worker.ask(request)

    def _button(self, text: str, key: str, do: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        button.clicked.connect(do)
        button.setToolTip(key)
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        # A key does what the button does, and nothing while the button is grey.
        action.triggered.connect(button.click)
        self._actions.append(action)
        return button
