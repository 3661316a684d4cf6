"""One sentence above a view, where something went wrong or has to be known."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from resume_rig.gui.widgets.labels import plain_label
from resume_rig.report.hostile_text import one_line


class NoticeStrip(QFrame):
    """Hidden while there is nothing to say; stays until somebody closes it, and traps nobody."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = plain_label()
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._action = QPushButton()
        self._action.hide()
        close = QPushButton("Dismiss")
        close.setObjectName("dismiss")
        close.clicked.connect(self.clear)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 6, 6)
        row.addWidget(self._label, 1)
        row.addWidget(self._action)
        row.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while it is hidden."""
        return "" if self.isHidden() else self._label.text()

    def fail(self, sentence: str) -> None:
        """Say what went wrong."""
        self._say(sentence, "alarm")

    def note(self, sentence: str) -> None:
        """Say what has to be known."""
        self._say(sentence, "note")

    def clear(self) -> None:
        """Say nothing any more."""
        self.hide()

    def _say(self, sentence: str, role: str) -> None:
        self._label.setText(one_line(sentence))
        self.setProperty("role", role)
        self.style().unpolish(self)
        self.style().polish(self)
        for child in self.findChildren(QWidget):
            child.style().unpolish(child)
            child.style().polish(child)
        self.show()
