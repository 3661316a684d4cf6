"""A choice of rig and DUT: boards that are plugged in, simulated benches, any URL."""

from typing import Final

from PySide6.QtWidgets import QComboBox, QFormLayout

from resume_rig.gui.desk import Remembered
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.dut_profile import shipped_profiles
from resume_rig.rig.link.ports import FoundPort

SIMULATED: Final = ("sim:", "sim:clock=virtual,seed=7")
_USUAL_DUT: Final = "Default"


class RigChoice:
    """Two fields for a form; what they were last is remembered."""

    def __init__(self, remembered: Remembered) -> None:
        self._remembered = remembered
        self._ports: tuple[FoundPort, ...] = ()
        self.rig = _field("A board by its serial number, a simulated bench, or any rig URL")
        self.dut = _field("A shipped profile of a DUT, or the path of a TOML file")
        self.dut.addItems([_USUAL_DUT, *shipped_profiles()])
        self.offer(())
        self.choose(remembered.text("bench/rig", SIMULATED[0]), remembered.text("bench/dut"))

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

    def add_to(self, form: QFormLayout) -> None:
        """Put both fields into a form."""
        form.addRow("&Rig", self.rig)
        form.addRow("&DUT", self.dut)

    def choose(self, url: str, dut: str | None) -> None:
        """Put in a rig and a DUT."""
        self.rig.setEditText(url)
        self.dut.setEditText(dut or _USUAL_DUT)

    def remember(self) -> None:
        """Keep what is chosen for the next time."""
        self._remembered.keep_newest("bench/rigs", self.url)
        self._remembered.keep("bench/rig", self.url)
        self._remembered.keep("bench/dut", self.dut_name or "")

    def enable(self, on: bool) -> None:
        """Let the fields be edited, or not."""
        self.rig.setEnabled(on)
        self.dut.setEnabled(on)

    def offer(self, ports: tuple[FoundPort, ...]) -> None:
        """List boards first, then what was used before, then simulated benches."""
        if ports == self._ports and self.rig.count():
            return
        chosen = self.rig.currentText()
        self._ports = ports
        self.rig.clear()
        for port in ports:
            name = f"{one_line(port.usb_serial, 40)} ({one_line(port.product, 40)})"
            self.rig.addItem(name, f"serial:{port.path}")
        known = {f"serial:{port.path}" for port in ports}
        for url in dict.fromkeys((*self._remembered.texts("bench/rigs"), *SIMULATED)):
            if url not in known:
                self.rig.addItem(url, url)
        self.rig.setEditText(chosen)


def _field(tip: str) -> QComboBox:
    field = QComboBox()
    field.setEditable(True)
    field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    field.setMinimumContentsLength(22)
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    field.setToolTip(tip)
    return field
