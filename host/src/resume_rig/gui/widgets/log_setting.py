"""Settings that pages share: what is judged against, and which rig and DUT."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit

from resume_rig.analysis.verdict.requirement import shipped_requirements
from resume_rig.gui.desk import Desk, Remembered
from resume_rig.gui.state.requirement_choice import (
    GUARD_BAND_TIP,
    GUARD_BANDS,
    OWN_KINDS,
    USUAL_REQUIREMENT,
    requirement_of,
)
from resume_rig.gui.widgets.labels import plain_label
from resume_rig.gui.widgets.page import Halves
from resume_rig.model.os_record import TRANSITIONS
from resume_rig.model.result.verdict import Requirement
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.dut_profile import shipped_profiles
from resume_rig.rig.link.claim import FoundPort


class LogSetting(Halves):
    """A line of fields, or two where one is too long; `load` raises what is wrong with them.

    Args:
        desk: of the application.
        of_logs: offer to ignore the first transition, which a campaign's plan says itself.
        kinds: offer another kind of sleep.

    Signals:
        changed: another choice was made.
    """

    changed = Signal()

    def __init__(self, desk: Desk, *, of_logs: bool = True, kinds: bool = True) -> None:
        super().__init__()
        self._desk = desk
        self.requirement = QComboBox()
        self.requirement.setEditable(True)
        self.requirement.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.requirement.addItems(shipped_requirements())
        self.requirement.setEditText(desk.remembered.text("log/requirement", USUAL_REQUIREMENT))
        self.requirement.setToolTip("A profile that is shipped, or the path of your own .toml")
        self.requirement.setMinimumContentsLength(13)
        self.requirement.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.kind = QComboBox()
        self.kind.addItem(OWN_KINDS)
        self.kind.addItems(list(TRANSITIONS))
        self.kind.setToolTip("Judge this kind of sleep instead of the profile's")
        self.limit = QLineEdit()
        self.limit.setPlaceholderText("the profile's")
        self.limit.setToolTip("Use this resume limit, in ms, instead of the profile's")
        self.limit.setMaximumWidth(self.fontMetrics().horizontalAdvance("the profile's limit"))
        self.guard_band = QComboBox()
        self.guard_band.addItems(list(GUARD_BANDS))
        self.guard_band.setToolTip(GUARD_BAND_TIP)
        self.first = QCheckBox("Ignore the first of each log")
        self.first.setToolTip("As S3Resume does")
        for half, title, widget in (
            (0, "Requirement", self.requirement),
            (0, "Kind", self.kind),
            (1, "Limit, ms", self.limit),
            (1, "Guard band", self.guard_band),
        ):
            if widget is self.kind and not kinds:
                continue
            label = plain_label(title)
            label.setBuddy(widget)
            widget.setAccessibleName(title)
            self.halves[half].addWidget(label)
            self.halves[half].addWidget(widget)
        self.halves[1].addWidget(self.first)
        self.first.setVisible(of_logs)
        for row in self.halves:
            row.addStretch()
        self.requirement.activated.connect(self._change)
        edit = self.requirement.lineEdit()
        if edit is not None:
            edit.editingFinished.connect(self._change)
        self.kind.activated.connect(self._change)
        self.limit.editingFinished.connect(self._change)
        self.guard_band.activated.connect(self._change)
        self.first.toggled.connect(self._change)
        self._last = self._state()

    @property
    def ignore_first(self) -> bool:
        """Whether the first transition of each log does not count."""
        return self.first.isChecked()

    def load(self) -> Requirement:
        """Return the requirement that the fields name.

        Raises:
            UsageError: there is no such profile, or it has no such limit.
        """
        kind = self.kind.currentText()
        name = self.requirement.currentText().strip()
        requirement = requirement_of(name, kind, self.limit.text(), self.guard_band.currentText())
        self._desk.remembered.keep("log/requirement", name)
        return requirement

    def _state(self) -> tuple[str, str, str, str, bool]:
        return (
            self.requirement.currentText(),
            self.kind.currentText(),
            self.limit.text(),
            self.guard_band.currentText(),
            self.first.isChecked(),
        )

    def _change(self, *_: object) -> None:
        state = self._state()
        if state != self._last:
            self._last = state
            self.changed.emit()


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
        urls = {f"serial:{port.path}" for port in ports}
        for url in dict.fromkeys((*self._remembered.texts("bench/rigs"), *SIMULATED)):
            if url not in urls:
                self.rig.addItem(url, url)
        self.rig.setEditText(chosen)


def _field(tip: str) -> QComboBox:
    field = QComboBox()
    field.setEditable(True)
    field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    field.setMinimumContentsLength(18)
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    field.setToolTip(tip)
    return field
