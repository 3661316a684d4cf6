"""A strip over every page that cannot be missed while a campaign has failures."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.campaign_state import CampaignState
from resume_rig.gui.widgets.labels import ElidedLabel, show_elided
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
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(self._label, 1)
        row.addWidget(self._first)
        row.addWidget(self._newest)
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
        self.setVisible(bool(campaign.failures))
        if campaign.failures:
            first = campaign.failures[0]
            so_far = " so far" if campaign.provisional else ""
            count = count_of(campaign.failed, "cycle")
            text = f"{count} failed{so_far}. First: {first.sentence}"
            show_elided(self._label, text)
            self._newest.setVisible(len(campaign.failures) > 1)

    def show_failure(self, place: int, *_checked: bool) -> None:
        """Show the evidence of a failure: 0 is the first, -1 the newest."""
        campaign = self._desk.seen.campaign
        if not campaign.failures:
            self._desk.say("No cycle has failed.")
        elif campaign.path is not None:
            number = campaign.failures[place].number
            self._desk.go("campaign", Target((campaign.path,), number))
