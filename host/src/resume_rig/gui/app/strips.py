"""Strips over every page: failures of a campaign, and a campaign that waits for a hand."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.labels import ElidedLabel, plain_label, show_elided, show_text
from resume_rig.gui.worker.campaign_state import CampaignState, Phase
from resume_rig.model.units import count_of


class FailureAlarm(QFrame):
    """Names the first failure, counts the others, and is one click from the evidence."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty("role", "alarm")
        self._desk = desk
        self._shown: CampaignState | None = None
        self._label = ElidedLabel()
        self._first = QPushButton("Show the first")
        self._first.setObjectName("first")
        self._first.clicked.connect(lambda: self.show_failure(0))
        self._newest = QPushButton("Show the newest")
        self._newest.clicked.connect(lambda: self.show_failure(-1))
        self._dismissed: tuple[object, int] | None = None
        dismiss = QPushButton("Dismiss")
        dismiss.setToolTip("Until another cycle fails (Ctrl+Shift+D)")
        dismiss.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(self._label, 1)
        row.addWidget(self._first)
        row.addWidget(self._newest)
        row.addWidget(dismiss)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while it is hidden."""
        return "" if self.isHidden() else self._label.text()

    def refresh(self) -> None:
        """Show what the campaign has come to."""
        campaign = self._desk.seen.campaign
        if campaign is self._shown:
            return
        self._shown = campaign
        self.setVisible(bool(campaign.failures) and self._dismissed != _failed_of(campaign))
        if campaign.failures:
            first = campaign.failures[0]
            so_far = " so far" if campaign.provisional else ""
            count = count_of(campaign.failed, "cycle")
            text = f"{count} failed{so_far}. First: {first.sentence}"
            show_elided(self._label, text)
            self._newest.setVisible(len(campaign.failures) > 1)

    def dismiss(self, *_checked: bool) -> None:
        """Hide until another cycle fails, or another campaign's."""
        self._dismissed = _failed_of(self._desk.seen.campaign)
        self.hide()

    def show_failure(self, place: int, *_checked: bool) -> None:
        """Show the evidence of a failure: 0 is the first, -1 the newest."""
        campaign = self._desk.seen.campaign
        if not campaign.failures:
            self._desk.say("No cycle has failed.")
        elif campaign.path is not None:
            number = campaign.failures[place].number
            self._desk.go("campaign", Target((campaign.path,), number))


def _failed_of(campaign: CampaignState) -> tuple[object, int]:
    return campaign.path, campaign.failed


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
