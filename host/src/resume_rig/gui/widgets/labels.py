"""Labels for text that others wrote: never taken for mark-up, never with invisible signs."""

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from resume_rig.report.text.hostile_text import one_line


def plain_label(text: str = "", role: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label that shows its text as it is.

    Args:
        text: shown on one line, what does not print is spelled out.
        role: of the application's rules: "soft", "title", "figure", "error".
        parent: of the widget.
    """
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(one_line(text))
    if role:
        label.setProperty("role", role)
    return label


def show_text(label: QLabel, text: str) -> None:
    """Put a text on a label, where it is not there yet."""
    shown = one_line(text)
    if label.text() != shown:
        label.setText(shown)


def tip_of(text: str) -> str:
    """Return a text as a tool tip, which Qt would take for mark-up where it looks like it."""
    return f"<span>{escape(one_line(text))}</span>" if text else ""


class ElidedLabel(QLabel):
    """A label that takes the room there is; what does not fit is in its tool tip."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def minimumSizeHint(self) -> QSize:
        """Ask for a line's height alone."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, its end replaced by an ellipsis where it does not fit."""
        del event
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            self.palette(),
            self.isEnabled(),
            self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
            ),
            self.foregroundRole(),
        )
        painter.end()


def show_elided(label: ElidedLabel, text: str) -> None:
    """Put a text on a label that may be too short for it."""
    show_text(label, text)
    label.setToolTip(tip_of(text))
