"""Fields that pages share: what is judged against, and which rig and DUT; the last is kept."""

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit

from resume_rig.analysis.verdict.requirement import shipped_requirements
from resume_rig.gui.desk import Desk, Remembered
from resume_rig.gui.state.requirement_choice import (
    GUARD_BAND_TIP,
    GUARD_BANDS,
    OWN_KINDS,
    OWN_RULE,
    requirement_of,
)
from resume_rig.gui.widgets.labels import plain_label
from resume_rig.gui.widgets.page import Halves
from resume_rig.model.os_record import TRANSITIONS
from resume_rig.model.result.verdict import USUAL_REQUIREMENT, Requirement
from resume_rig.model.rig_url import RigUrl
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.dut_profile import shipped_profiles
from resume_rig.rig.link.claim import FoundPort

_WIDE: Final = 18
_NARROW: Final = 13
"""Letters that a field has room for, in a form and in a line of fields."""


class RequirementFields:
    """What something is judged against, in four fields that a page lays out.

    Args:
        remembered: has the requirement that was used last.
        page: that they are on; its name in the settings.
    """

    def __init__(self, remembered: Remembered, page: str) -> None:
        self._remembered, self._key = remembered, f"{page}/requirement"
        self.requirement = editable_choice(
            shipped_requirements(), "A profile that is shipped, or the path of your own .toml"
        )
        self.requirement.setEditText(remembered.text(self._key, USUAL_REQUIREMENT))
        self.kind = QComboBox()
        self.kind.addItems([OWN_KINDS, *TRANSITIONS])
        self.kind.setToolTip("Judge this kind of sleep instead of the profile's")
        self.limit = QLineEdit()
        self.limit.setPlaceholderText(OWN_RULE)
        self.limit.setToolTip("Use this resume limit, in ms, instead of the profile's")
        self.guard_band = QComboBox()
        self.guard_band.addItems(list(GUARD_BANDS))
        self.guard_band.setToolTip(GUARD_BAND_TIP)

    def load(self) -> Requirement:
        """Return the requirement that the fields name, and remember its name.

        Raises:
            UsageError: there is no such profile, or it has no such limit.
        """
        name, kind, limit, guard_band = self.texts()
        requirement = requirement_of(name, kind, limit, guard_band)
        self._remembered.keep(self._key, name)
        return requirement

    def texts(self) -> tuple[str, str, str, str]:
        """Return requirement, kind, limit and guard band."""
        return (
            self.requirement.currentText().strip(),
            self.kind.currentText(),
            self.limit.text().strip(),
            self.guard_band.currentText(),
        )


class LogSetting(Halves):
    """A line of fields, or two where one is too long; `load` raises what is wrong with them.

    Args:
        desk: of the application.
        of_logs: offer to ignore the first transition, which a campaign's plan settles itself.
        kinds: offer another kind of sleep.

    Signals:
        changed: another choice was made.
    """

    changed = Signal()

    def __init__(self, desk: Desk, *, of_logs: bool = True, kinds: bool = True) -> None:
        super().__init__()
        self._fields = fields = RequirementFields(desk.remembered, "log")
        self.requirement, self.kind, self.limit = fields.requirement, fields.kind, fields.limit
        self.guard_band, self.load = fields.guard_band, fields.load
        self.requirement.setMinimumContentsLength(_NARROW)
        self.limit.setMaximumWidth(self.fontMetrics().horizontalAdvance(f"{OWN_RULE} limit"))
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
        edit = self.requirement.lineEdit()
        if edit is not None:
            edit.editingFinished.connect(self._change)
        for choice in (self.requirement, self.kind, self.guard_band):
            choice.activated.connect(self._change)
        self.limit.editingFinished.connect(self._change)
        self.first.toggled.connect(self._change)
        self._last = self._state()

    @property
    def ignore_first(self) -> bool:
        """Whether the first transition of each log does not count."""
        return self.first.isChecked()

    def _state(self) -> tuple[object, ...]:
        return *self._fields.texts(), self.ignore_first

    def _change(self, *_: object) -> None:
        state = self._state()
        if state != self._last:
            self._last = state
            self.changed.emit()


SIMULATED: Final = ("sim:", "sim:clock=virtual,seed=7")
_USUAL_DUT: Final = "Default"


class RigChoice:
    """Rig and DUT, in two fields of a form; what was used last is remembered."""

    def __init__(self, remembered: Remembered) -> None:
        self._remembered = remembered
        self._ports: tuple[FoundPort, ...] = ()
        self.rig = editable_choice(
            (), "A board by its serial number, a simulated bench, or any rig URL"
        )
        self.dut = editable_choice(
            (_USUAL_DUT, *shipped_profiles()),
            "A shipped profile of a DUT, or the path of a TOML file",
        )
        self.offer(())
        self.choose(remembered.text("bench/rig", SIMULATED[0]), remembered.text("bench/dut"))

    @property
    def url(self) -> RigUrl:
        """URL of the rig that is chosen."""
        text = self.rig.currentText().strip()
        place = self.rig.findText(text)
        data = self.rig.itemData(place) if place >= 0 else None
        return RigUrl(data if isinstance(data, str) else text)

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


def editable_choice(items: Iterable[str], tip: str) -> QComboBox:
    """Return a field with some texts to choose from, in which others can be typed."""
    field = QComboBox()
    field.setEditable(True)
    field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    field.addItems(list(items))
    field.setMinimumContentsLength(_WIDE)
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    field.setToolTip(tip)
    return field
