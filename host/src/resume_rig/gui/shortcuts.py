"""A window that lists every key; it stays beside the work and traps nobody."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QFormLayout, QWidget

from resume_rig.gui.widgets.labels import plain_label


class ShortcutsWindow(QDialog):
    """Keys and what they do; Escape closes it."""

    def __init__(self, parent: QWidget, actions: Sequence[QAction]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Shortcuts")
        form = QFormLayout(self)
        for action in actions:
            key = plain_label(action.shortcut().toString(), role="title")
            form.addRow(key, plain_label(action.text().replace("&", "")))
