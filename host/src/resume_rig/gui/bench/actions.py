"""Single actions on a bench, and what the board's interlock answers."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QGridLayout,
    QGroupBox,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
)

from resume_rig.analysis.cycles.light_shape import BlockTable, onset_of_blocks
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
from resume_rig.model.light import LightOnset
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.interface import RigInfo

_MS_NS: Final = 1_000_000
_USUAL_MS: Final = 150
_MOST_MS: Final = 15_000
_ANSWERS_SEEN: Final = 4
"""Lines; older ones are reached by the wheel."""


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
        lines_px = _ANSWERS_SEEN * self.answers.fontMetrics().lineSpacing()
        self.answers.setFixedHeight(lines_px + 4 * self.answers.frameWidth())
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
                self.selftest,
                self.release,
                self.key,
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
_DISPLAY: Final = "display on"
_PRESS: Final = "press"
_PRESSES_KEPT: Final = 10
_ROWS_SEEN: Final = 4
_WIDEST_CELL: Final = "↓ +8888.88 ±0.03 "
_FOLLOWS_NS: Final = 10_000_000_000
"""Assumed: what moves later than that after a press does not belong to it."""
_BEFORE_NS: Final = 200_000_000
"""Of light before the press, for its baseline of 100 blocks of 1 ms."""


def times_after_press(wires: Wires, info: RigInfo) -> dict[str, str]:
    """Return when each line moved after the newest press, and when the display was on.

    Each has its worst-case bound, in ms; what has not moved is not there, and nothing is where no
    press was seen.
    """
    if wires.press is None:
        return {}
    ended_ns, width_ns = wires.press
    pressed_ns = ended_ns - width_ns
    bound_ns = {each.channel: each.uncertainty_ns + each.resolution_ns for each in info.channels}

    def text(after_ns: int, stamp_ns: int) -> str:
        both_ns = stamp_ns + bound_ns.get(Channel.BUTTON, 0)
        both_ns += after_ns * info.clock_tolerance_ppb // 1_000_000_000
        return f"+{after_ns / 1e6:.2f} ±{both_ns / 1e6:.2f}"

    found = {}
    for channel in _MEASURED:
        lane = wires.lanes.get(channel)
        if lane is None:
            continue
        at = int(np.searchsorted(lane.t_ns, pressed_ns, side="right"))
        if at == len(lane.t_ns) or lane.t_ns[at] - pressed_ns > _FOLLOWS_NS:
            continue
        sign = "↑" if lane.levels[at] else "↓"
        after_ns = int(lane.t_ns[at]) - pressed_ns
        found[lane_name(channel)] = f"{sign} {text(after_ns, bound_ns.get(channel, 0))}"
    onset = _onset(wires, pressed_ns)
    if onset.half_ns is not None and onset.resolution_ns is not None:
        # A block's moment is good to the whole block, which is half of that.
        found[_DISPLAY] = text(onset.half_ns - pressed_ns, onset.resolution_ns // 2)
    return found


def _onset(wires: Wires, pressed_ns: int) -> LightOnset:
    t_ns = wires.light_t_ns
    ends_ns = (pressed_ns - _BEFORE_NS, pressed_ns + _FOLLOWS_NS)
    first, last = np.searchsorted(t_ns, ends_ns).tolist()
    mean = wires.light_counts[first:last].astype(np.float64)
    return onset_of_blocks(BlockTable(t_ns[first:last], mean, mean))


class PressTimes(QTableWidget):
    """What was measured after each of the last presses, the newest first."""

    def __init__(self) -> None:
        names = (_PRESS, *map(lane_name, _MEASURED), _DISPLAY)
        super().__init__(0, len(names))
        self.setHorizontalHeaderLabels([f"{name}, ms" for name in names])
        self.setAccessibleName("Measured after each press")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setMinimumSectionSize(
            self.fontMetrics().horizontalAdvance(_WIDEST_CELL)
        )
        row_px = self.fontMetrics().height() + 6
        self.verticalHeader().setDefaultSectionSize(row_px)
        head_px = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(head_px + _ROWS_SEEN * row_px + 2 * self.frameWidth())
        self._names = names
        self._newest: tuple[int, int] | None = None

    def cells(self, row: int) -> dict[str, str]:
        """Return what a row shows, by the names of its columns; empty ones are left out."""
        found = {name: self.item(row, at) for at, name in enumerate(self._names)}
        return {name: item.text() for name, item in found.items() if item and item.text()}

    def show_wires(self, wires: Wires, info: RigInfo | None) -> None:
        """Add a line for a new press, and fill it in as lines move."""
        if info is None or wires.press is None or self._over(wires):
            return
        if wires.press != self._newest:
            self._newest = wires.press
            self.insertRow(0)
            self.setRowCount(min(self.rowCount(), _PRESSES_KEPT))
            self.scrollToTop()
        here = {lane_name(channel) for channel in wires.lanes} | {_PRESS, _DISPLAY}
        texts = times_after_press(wires, info) | {_PRESS: f"{wires.press[1] / 1e6:.1f}"}
        known = self.cells(0)
        for at, name in enumerate(self._names):
            self.setColumnHidden(at, name not in here)
            # What was measured stays, whatever the lines and the light do later.
            if name in texts and name not in known:
                item = QTableWidgetItem(texts[name])
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.setItem(0, at, item)

    def _over(self, wires: Wires) -> bool:
        """Return whether the newest press is known, and too long ago for anything to follow."""
        press = wires.press
        late = press is not None and wires.now_ns - press[0] > _FOLLOWS_NS
        return late and press == self._newest
