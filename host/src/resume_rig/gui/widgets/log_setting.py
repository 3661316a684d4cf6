"""What is judged against: requirement, kind of sleep, limit, guard band, the first transition."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QWidget

from resume_rig.analysis.verdict.requirement import shipped_requirements
from resume_rig.gui.desk import Desk
from resume_rig.gui.state.requirement_choice import (
    GUARD_BAND_TIP,
    GUARD_BANDS,
    OWN_KINDS,
    USUAL_REQUIREMENT,
    requirement_of,
)
from resume_rig.gui.widgets.labels import plain_label
from resume_rig.model.os_record import TRANSITIONS
from resume_rig.model.result.requirement import Requirement


class LogSetting(QWidget):
    """One line of fields; `load` raises what is wrong with them.

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
        self.first.setVisible(of_logs)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for title, widget in (
            ("Requirement", self.requirement),
            ("Kind", self.kind),
            ("Limit, ms", self.limit),
            ("Guard band", self.guard_band),
        ):
            if widget is self.kind and not kinds:
                continue
            label = plain_label(title)
            label.setBuddy(widget)
            widget.setAccessibleName(title)
            row.addWidget(label)
            row.addWidget(widget)
        row.addWidget(self.first)
        row.addStretch(1)
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
