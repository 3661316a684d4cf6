"""A strip over every page while a campaign waits for a hand: at the DUT, or at the rig's plug."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.campaign_state import Phase
from resume_rig.gui.widgets.labels import plain_label, show_text

_PLUG = "The rig does not answer. Look at its plug: the campaign goes on when it is back."


class PersonStrip(QFrame):
    """Says what is to be done, and has the button that says that it is."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty("role", "alarm")
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
        campaign = self._desk.seen.campaign
        waiting = campaign.phase is Phase.WAITING
        show_text(self._label, campaign.asked or (_PLUG if waiting else ""))
        self.done.setVisible(bool(campaign.asked))
        self.setVisible(waiting or bool(campaign.asked))

    def answer(self, *_checked: bool) -> None:
        """Tell the campaign that it is done, if it asks."""
        if not self._desk.seen.campaign.asked:
            self._desk.say("Nobody was asked for anything.")
            return
        self._desk.worker.gate.answer()
        self._desk.say("The campaign looks whether the DUT is back.")
