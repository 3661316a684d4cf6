"""The bench: which rig, how it is, its wires as they move, and single actions."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.bench_state import BenchState, Link
from resume_rig.gui.views.bench_actions import BenchActions
from resume_rig.gui.views.bench_connection import BenchConnection
from resume_rig.gui.views.bench_facts import BenchFacts
from resume_rig.gui.views.view import View
from resume_rig.gui.widgets.exportable import Exportable
from resume_rig.gui.widgets.labels import plain_label
from resume_rig.gui.widgets.lanes_plot import LanesPlot
from resume_rig.gui.worker.requests import Press

SPANS_S: Final = (2, 5, 10, 30, 120)
_USUAL_SPAN: Final = 10
_NS_PER_S: Final = 1_000_000_000
_PRESS_NS: Final = 150_000_000
_AFTER_PRESS_NS: Final = 3_500_000_000


class BenchView(View):
    """Left: connection, who the rig is, how it is. Right: lanes, light, actions and answers."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._shown: BenchState | None = None
        self._wished = False
        self.connection = BenchConnection(desk)
        self.facts = BenchFacts(desk)
        self.actions_box = BenchActions(desk)
        self.lanes = LanesPlot(desk, "Wires", "time before now, s")
        self.span = QComboBox()
        self.span.setAccessibleName("Length of the time axis")
        for span_s in SPANS_S:
            self.span.addItem(f"{span_s} s", span_s)
        self.span.setCurrentIndex(SPANS_S.index(_USUAL_SPAN))
        self.freeze = QCheckBox("Hold still")
        self.freeze.setToolTip("Stops the picture, not the rig")
        self.content.addWidget(self._split())
        self.lanes.lanes.note("no rig is connected")
        self._menu = self._make_menu()
        self.connection.find_ports()
        if desk.wish.rig:
            self.connection.choice.choose(desk.wish.rig, desk.wish.dut)
            if not desk.wish.run:
                self.connection.connect_rig()

    def open(self, target: Target) -> None:
        """Show the bench; it opens no files."""
        del target

    def refresh(self) -> None:
        """Draw what the rig's thread told since the last time."""
        state = self.desk.seen.bench
        campaign = self.desk.seen.campaign.phase.active
        self.connection.show_state(state, busy=campaign)
        self.actions_box.show_state(state, busy=campaign)
        if state is self._shown:
            return
        before, self._shown = self._shown, state
        self.facts.show_state(state)
        self._show_problem(before, state)
        self._press_as_wished(state)
        if not self.freeze.isChecked():
            self._draw(state)

    def view_actions(self) -> Sequence[QAction]:
        """Return connecting, the single actions, and the picture's own."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return wires and light."""
        return self.lanes.lanes, self.lanes.light

    def settled(self) -> bool:
        """Return whether the wish of the command line is fulfilled, and its end in the picture."""
        state = self.desk.seen.bench
        if not self.desk.wish.rig:
            return True
        if state.link is Link.NONE:
            return bool(state.problem)
        if state.link is not Link.UP or state.faults is None:
            return False
        if not self.desk.wish.press:
            return True
        press = state.wires.press
        return press is not None and state.wires.now_ns - press[0] > _AFTER_PRESS_NS

    def _draw(self, state: BenchState) -> None:
        span_ns = int(self.span.currentData()) * _NS_PER_S
        now_ns = state.wires.now_ns
        self.lanes.draw(state.wires, now_ns - span_ns, now_ns, now_ns)
        self.lanes.show_range(-span_ns / _NS_PER_S, 0)
        lost = state.wires.lost
        note = f"{lost} edges were overwritten before they could be read" if lost else ""
        if not state.wires.lanes:
            note = "no rig is connected"
        self.lanes.lanes.note(note)

    def _show_problem(self, before: BenchState | None, state: BenchState) -> None:
        if before is not None and before.problem == state.problem:
            return
        if not state.problem:
            self.notice.clear()
        elif state.link is Link.DOWN:
            self.notice.fail(f"{state.problem}; looking for the rig")
        else:
            self.notice.fail(state.problem)

    def _press_as_wished(self, state: BenchState) -> None:
        if self.desk.wish.press and not self._wished and state.faults is not None:
            self._wished = True
            self.desk.worker.ask(Press(_PRESS_NS))

    def _split(self) -> QSplitter:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 8, 0)
        for box in (self.connection, self.actions_box, self.facts):
            column.addWidget(box)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(left)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(left.sizeHint().width() + 20)
        right = QWidget()
        tools = QHBoxLayout()
        tools.addStretch(1)
        tools.addWidget(self.freeze)
        tools.addWidget(plain_label("Shown:"))
        tools.addWidget(self.span)
        pictures = QVBoxLayout(right)
        pictures.setContentsMargins(0, 0, 0, 0)
        pictures.addLayout(tools)
        pictures.addWidget(self.lanes, 1)
        pictures.addWidget(self.actions_box.answers)
        split = QSplitter()
        split.addWidget(scroll)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        return split

    def _make_menu(self) -> Sequence[QAction]:
        hold = QAction("Hold the picture still", self)
        hold.setShortcut(QKeySequence("Ctrl+Space"))
        hold.triggered.connect(self.freeze.toggle)
        return [*self.connection.menu_actions(), *self.actions_box.menu_actions(), hold]
