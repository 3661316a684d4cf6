"""Connecting to a rig."""

from collections.abc import Sequence

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFormLayout, QGroupBox, QHBoxLayout, QPushButton

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.bench_state import BenchState, Link
from resume_rig.gui.widgets.rig_choice import RigChoice
from resume_rig.gui.worker.requests import Connect, Disconnect, FindPorts


class BenchConnection(QGroupBox):
    """A rig, a DUT, and a button."""

    def __init__(self, desk: Desk) -> None:
        super().__init__("Rig")
        self._desk = desk
        self._connected = False
        self.choice = RigChoice(desk.remembered)
        self.button = QPushButton("Connect")
        self.button.clicked.connect(self._toggle)
        self.again = QPushButton("Look again")
        self.again.setToolTip("Lists the boards that are plugged in")
        self.again.clicked.connect(self.find_ports)
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        buttons.addWidget(self.again)
        form = QFormLayout(self)
        self.choice.add_to(form)
        form.addRow(buttons)
        self._toggle_action = QAction("Connect or disconnect", self)
        self._toggle_action.setShortcut(QKeySequence("Ctrl+K"))
        self._toggle_action.triggered.connect(self._toggle)
        self._again_action = QAction("Look for boards", self)
        self._again_action.setShortcut(QKeySequence("F5"))
        self._again_action.triggered.connect(self.find_ports)

    def connect_rig(self) -> None:
        """Connect to what is chosen."""
        self.choice.remember()
        self._desk.worker.ask(Connect(self.choice.url, self.choice.dut_name))

    def find_ports(self) -> None:
        """Ask which boards are plugged in."""
        self._desk.worker.ask(FindPorts())

    def menu_actions(self) -> Sequence[QAction]:
        """Return connecting and looking for boards."""
        return self._toggle_action, self._again_action

    def show_state(self, state: BenchState, *, busy: bool) -> None:
        """Offer what can be done now; `busy` while a campaign owns the rig."""
        self.choice.offer(state.ports)
        self._connected = state.link is not Link.NONE
        self.button.setText("Disconnect" if self._connected else "Connect")
        self.button.setEnabled(not busy)
        self.choice.enable(not busy and not self._connected)

    def _toggle(self) -> None:
        if not self.button.isEnabled():
            self._desk.say("A campaign owns the rig; stop it first.")
        elif self._connected:
            self._desk.worker.ask(Disconnect())
        else:
            self.connect_rig()
