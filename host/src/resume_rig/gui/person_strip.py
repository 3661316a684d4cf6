"""A strip over every page while a campaign waits for a person's hand."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.labels import plain_label, show_text


class PersonStrip(QFrame):
    """Says what is to be done, and has the button that says that it is."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty("role", "error")
        self._desk = desk
        self._label = plain_label()
        self._label.setWordWrap(True)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.done = QPushButton("It is done")
        self.done.clicked.connect(self.answer)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(self._label, 1)
        row.addWidget(self.done)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while it is hidden."""
        return "" if self.isHidden() else self._label.text()

    def refresh(self) -> None:
        """Show what is asked, if anything is."""
        asked = self._desk.seen.campaign.asked
        show_text(self._label, asked)
        self.setVisible(bool(asked))

    def answer(self) -> None:
        """Tell the campaign that it is done."""
        self._desk.worker.gate.answer()
        self._desk.say("The campaign looks whether the DUT is back.")
