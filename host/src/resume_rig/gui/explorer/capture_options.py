"""The dialog that asks for what a capture does not state itself; nothing waits for it."""

from collections.abc import Callable
from dataclasses import fields

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.explorer.capture import TIME_UNITS
from resume_rig.gui.request import CaptureOptions
from resume_rig.gui.widgets.labels import plain_label
from resume_rig.gui.widgets.log_setting import editable_choice
from resume_rig.rig.dut_profile import shipped_profiles

_WIDE: int = 44


class CaptureOptionsWindow(QDialog):
    """One field each; what is left empty is taken from the capture.

    Args:
        parent: of the dialog.
        options: that the fields begin with.
        wrong: why the capture was not read with them; empty where it was.
        then: gets the options that were chosen; not called where it is cancelled.
    """

    def __init__(
        self,
        parent: QWidget,
        options: CaptureOptions,
        wrong: str,
        then: Callable[[CaptureOptions], None],
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Capture options")
        self._then = then
        self.signals = _line(options.signals, "SLP_S3=D0 BUTTON=~D1")
        self.sample_rate = _line(options.sample_rate, "1 MHz")
        self.time_column = _line(options.time_column, "the first column")
        self.time_unit = QComboBox()
        self.time_unit.addItems(["", *TIME_UNITS])
        self.time_unit.setCurrentText(options.time_unit)
        self.pair = _line(options.pair, "1=5")
        self.dut = editable_choice(("", *shipped_profiles()), "")
        self.dut.setEditText(options.dut)
        form = QFormLayout()
        for title, widget, tip in (
            ("&Signals", self.signals, "Channels of signals with other names; ~ inverts one"),
            ("Sample &rate", self.sample_rate, "Where the capture does not state it"),
            ("&Time column", self.time_column, "Of a CSV capture: the title of its times"),
            ("Time &unit", self.time_unit, "Of a CSV capture, where its title does not give it"),
            (
                "&Known pair",
                self.pair,
                "A cycle and its OS record, where the times allow more than one match",
            ),
            ("&DUT", self.dut, "A profile that is shipped, or the path of your own .toml"),
        ):
            widget.setToolTip(tip)
            widget.setAccessibleName(title.replace("&", ""))
            form.addRow(title, widget)
        self.signals.setMinimumWidth(_WIDE * self.fontMetrics().averageCharWidth())
        column = QVBoxLayout(self)
        self.wrong = plain_label(wrong, role="error", wraps=True)
        self.wrong.setVisible(bool(wrong))
        column.addWidget(self.wrong)
        column.addLayout(form)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(standard.Open | standard.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)

    def accept(self) -> None:
        """Hand over what the fields have."""
        super().accept()
        texts = {}
        for field in fields(CaptureOptions):
            widget = getattr(self, field.name)
            text = widget.currentText() if isinstance(widget, QComboBox) else widget.text()
            texts[field.name] = text.strip()
        self._then(CaptureOptions(**texts))


def _line(text: str, example: str) -> QLineEdit:
    line = QLineEdit(text)
    line.setPlaceholderText(example)
    return line
