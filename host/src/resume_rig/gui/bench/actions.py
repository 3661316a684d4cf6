"""Single actions on a bench, and what the board's interlock answers."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
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
from resume_rig.gui.state.lanes import Wires, lane_name
from resume_rig.gui.worker.bench_state import BenchState, Link
from resume_rig.gui.worker.requests import (
    MoveContact,
    MoveLid,
    Press,
    PressKey,
    RecordLight,
    ReleaseAll,
    Request,
    SelfTest,
)
from resume_rig.model.channel import Actuator, Channel
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.interface import RigInfo

_MS_NS: Final = 1_000_000
_USUAL_MS: Final = 150
_MOST_MS: Final = 15_000
_ANSWERS_PX: Final = 110


class BenchActions(QGroupBox):
    """Press, lid, key, contact, release, light and self-test.

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
        self.key = self._button("Press key", "Ctrl+J", self._press_key)
        self.close_contact = self._button(
            "Close contact", "Ctrl+U", lambda: self._ask(MoveContact(True))
        )
        self.open_contact = self._button(
            "Open contact", "Ctrl+Shift+U", lambda: self._ask(MoveContact(False))
        )
        self._offer(set(), up=False)
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
                self.close_contact,
                self.open_contact,
                self.key,
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
        self._offer(can, up=up)
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

    def _offer(self, can: set[Actuator], *, up: bool) -> None:
        """Show key and contact where the rig has them, which few have."""
        for button, actuator in (
            (self.key, Actuator.KEYBOARD),
            (self.close_contact, Actuator.CONTACT),
            (self.open_contact, Actuator.CONTACT),
        ):
            button.setVisible(actuator in can)
            button.setEnabled(up and actuator in can)
            for action in self._actions:
                if action.text() == button.text():
                    action.setVisible(actuator in can)

    def _press_key(self) -> None:
        self._ask(PressKey(self.duration.value() * _MS_NS))

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


_MEASURED: Final = (
    Channel.SLP_S3,
    Channel.PWR_OK,
    Channel.PLTRST,
    Channel.BACKLIGHT,
)
_PRESSES_KEPT: Final = 10
_FOLLOWS_NS: Final = 10_000_000_000
"""Assumed: what moves later than that after a press does not belong to it."""


def times_after_press(wires: Wires, info: RigInfo) -> str:
    """Return when each line moved after the newest press, with its worst-case bound.

    Empty where no press was seen, or nothing has moved since.
    """
    if wires.press is None:
        return ""
    ended_ns, width_ns = wires.press
    pressed_ns = ended_ns - width_ns
    bound_ns = {each.channel: each.uncertainty_ns + each.resolution_ns for each in info.channels}
    found = []
    for channel in _MEASURED:
        lane = wires.lanes.get(channel)
        if lane is None:
            continue
        at = int(np.searchsorted(lane.t_ns, pressed_ns, side="right"))
        if at == len(lane.t_ns) or lane.t_ns[at] - pressed_ns > _FOLLOWS_NS:
            continue
        after_ns = int(lane.t_ns[at]) - pressed_ns
        both_ns = bound_ns.get(channel, 0) + bound_ns.get(Channel.BUTTON, 0)
        both_ns += after_ns * info.clock_tolerance_ppb // 1_000_000_000
        sign = "↑" if lane.levels[at] else "↓"
        found.append((after_ns, f"{lane_name(channel)}{sign} {_ms_text(after_ns, both_ns)}"))
    return ", ".join(text for _, text in sorted(found))


def _ms_text(value_ns: int, bound_ns: int) -> str:
    return f"+{value_ns / 1e6:.2f} ±{bound_ns / 1e6:.2f} ms"


class PressTimes(QListWidget):
    """What was measured after each of the last presses, the newest first."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Measured after each press")
        self.setMaximumHeight(_ANSWERS_PX)
        self._newest: tuple[int, int] | None = None

    def show_wires(self, wires: Wires, info: RigInfo | None) -> None:
        """Add a line for a new press, and fill it in as lines move."""
        if info is None or wires.press is None:
            return
        text = times_after_press(wires, info)
        if wires.press != self._newest:
            self._newest = wires.press
            self.insertItem(0, "")
            while self.count() > _PRESSES_KEPT:
                self.takeItem(self.count() - 1)
        width_ms = wires.press[1] / 1e6
        shown = f"press of {width_ms:.1f} ms: {text or 'nothing has moved yet'}"
        if self.item(0).text() != shown:
            self.item(0).setText(shown)
