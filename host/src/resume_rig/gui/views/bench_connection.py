"""Which rig to connect to: boards that are plugged in, simulated benches, any URL."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QComboBox, QFormLayout, QGroupBox, QHBoxLayout, QPushButton

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.bench_state import BenchState, Link
from resume_rig.gui.worker.requests import Connect, Disconnect, FindPorts
from resume_rig.report.hostile_text import one_line
from resume_rig.rig.dut_profile import shipped_profiles
from resume_rig.rig.found_ports import FoundPort

SIMULATED: Final = ("sim:", "sim:clock=virtual,seed=7")
_USUAL_DUT: Final = "(usual)"


class BenchConnection(QGroupBox):
    """A rig, a DUT, and a button."""

    def __init__(self, desk: Desk) -> None:
        super().__init__("Rig")
        self._desk = desk
        self._ports: tuple[FoundPort, ...] = ()
        self.rig = QComboBox()
        self.rig.setEditable(True)
        self.rig.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.rig.setMinimumContentsLength(22)
        self.rig.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.rig.setToolTip("A board by its serial number, a simulated bench, or any rig URL")
        self.dut = QComboBox()
        self.dut.setEditable(True)
        self.dut.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.dut.addItems([_USUAL_DUT, *shipped_profiles()])
        self.dut.setToolTip("A shipped profile of a DUT, or the path of a TOML file")
        self.button = QPushButton("Connect")
        self.button.clicked.connect(self._toggle)
        self.again = QPushButton("Look again")
        self.again.setToolTip("Lists the boards that are plugged in")
        self.again.clicked.connect(self.find_ports)
        self._connected = False
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        buttons.addWidget(self.again)
        form = QFormLayout(self)
        form.addRow("&Rig", self.rig)
        form.addRow("&DUT", self.dut)
        form.addRow(buttons)
        self._offer(())
        self.rig.setEditText(desk.remembered.text("bench/rig", SIMULATED[0]))
        self.dut.setEditText(desk.remembered.text("bench/dut", _USUAL_DUT))
        self._toggle_action = QAction("Connect or disconnect", self)
        self._toggle_action.setShortcut(QKeySequence("Ctrl+K"))
        self._toggle_action.triggered.connect(self._toggle)
        self._again_action = QAction("Look for boards", self)
        self._again_action.setShortcut(QKeySequence("F5"))
        self._again_action.triggered.connect(self.find_ports)

    @property
    def url(self) -> str:
        """URL of the rig that is chosen."""
        text = self.rig.currentText().strip()
        place = self.rig.findText(text)
        data = self.rig.itemData(place) if place >= 0 else None
        return data if isinstance(data, str) else text

    @property
    def dut_name(self) -> str | None:
        """Name or path of the DUT's profile; None for the usual one."""
        text = self.dut.currentText().strip()
        return None if text in ("", _USUAL_DUT) else text

    def choose(self, url: str, dut: str | None) -> None:
        """Put in a rig and a DUT."""
        self.rig.setEditText(url)
        self.dut.setEditText(dut or _USUAL_DUT)

    def connect_rig(self) -> None:
        """Connect to what is chosen."""
        self._desk.remembered.keep_newest("bench/rigs", self.url)
        self._desk.remembered.keep("bench/rig", self.url)
        self._desk.remembered.keep("bench/dut", self.dut_name or _USUAL_DUT)
        self._desk.worker.ask(Connect(self.url, self.dut_name))

    def find_ports(self) -> None:
        """Ask which boards are plugged in."""
        self._desk.worker.ask(FindPorts())

    def menu_actions(self) -> Sequence[QAction]:
        """Return connecting and looking for boards."""
        return self._toggle_action, self._again_action

    def show_state(self, state: BenchState, *, busy: bool) -> None:
        """Offer what can be done now; `busy` while a campaign owns the rig."""
        if state.ports != self._ports:
            self._offer(state.ports)
        self._connected = state.link is not Link.NONE
        self.button.setText("Disconnect" if self._connected else "Connect")
        for widget in (self.button, self.rig, self.dut):
            widget.setEnabled(not busy and (widget is self.button or not self._connected))

    def _toggle(self) -> None:
        if not self.button.isEnabled():
            self._desk.say("A campaign owns the rig; stop it first.")
        elif self._connected:
            self._desk.worker.ask(Disconnect())
        else:
            self.connect_rig()

    def _offer(self, ports: tuple[FoundPort, ...]) -> None:
        """List boards first, then what was used before, then simulated benches."""
        chosen = self.rig.currentText()
        self._ports = ports
        self.rig.clear()
        for port in ports:
            name = f"{one_line(port.usb_serial, 40)} ({one_line(port.product, 40)})"
            self.rig.addItem(name, f"serial:{port.path}")
        known = {f"serial:{port.path}" for port in ports}
        for url in dict.fromkeys((*self._desk.remembered.texts("bench/rigs"), *SIMULATED)):
            if url not in known:
                self.rig.addItem(url, url)
        self.rig.setEditText(chosen)
