"""Labels for text that others wrote: never taken for mark-up, never with invisible signs."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from resume_rig.report.hostile_text import one_line


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
