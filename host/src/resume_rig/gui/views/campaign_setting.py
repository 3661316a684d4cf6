"""Where a campaign happens: rig, DUT, log, requirement, store."""

from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QFormLayout, QGroupBox, QLineEdit

from resume_rig.analysis.requirement import shipped_requirements
from resume_rig.campaign.plan import Plan
from resume_rig.gui.desk import Desk
from resume_rig.gui.state.bench_state import BenchState, Link
from resume_rig.gui.widgets.rig_choice import RigChoice
from resume_rig.gui.worker.requests import RunCampaign

_USUAL_REQUIREMENT = "sysfund-0004"


class CampaignSetting(QGroupBox):
    """Fields beside the plan."""

    def __init__(self, desk: Desk) -> None:
        super().__init__("Setting")
        self._desk = desk
        self._followed = ""
        self.choice = RigChoice(desk.remembered)
        self.log = QLineEdit(desk.remembered.text("campaign/log"))
        self.log.setPlaceholderText("a file, a folder, ssh:USER@HOST")
        self.log.setToolTip("The DUT's log; empty for the simulated DUT's own, or none")
        self.requirement = QComboBox()
        self.requirement.setEditable(True)
        self.requirement.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.requirement.addItems(shipped_requirements())
        self.requirement.setEditText(
            desk.remembered.text("campaign/requirement", _USUAL_REQUIREMENT)
        )
        self.requirement.setMinimumContentsLength(16)
        self.requirement.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.store = QLineEdit()
        self.store.setPlaceholderText("resume-rig-TIME.rrs")
        self.store.setToolTip("A new file; empty for a name made of the time")
        form = QFormLayout(self)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.choice.add_to(form)
        form.addRow("&Log", self.log)
        form.addRow("Re&quirement", self.requirement)
        form.addRow("&Store", self.store)
        if desk.wish.rig:
            self.choice.choose(desk.wish.rig, desk.wish.dut)
        if desk.wish.store is not None:
            self.store.setText(str(desk.wish.store))

    def follow(self, state: BenchState) -> None:
        """Take over the rig that the bench was connected to."""
        self.choice.offer(state.ports)
        if state.link is Link.UP and state.url != self._followed:
            self._followed = state.url
            self.choice.choose(state.url, state.dut_name)

    def order(self, plan: Plan) -> RunCampaign:
        """Return what is to be run, and remember it for the next time."""
        self.choice.remember()
        self._desk.remembered.keep("campaign/log", self.log.text().strip())
        self._desk.remembered.keep("campaign/requirement", self.requirement.currentText())
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        return RunCampaign(
            url=self.choice.url,
            dut=self.choice.dut_name,
            plan=plan,
            store=Path(self.store.text().strip() or f"resume-rig-{stamp}.rrs"),
            log=self.log.text().strip() or None,
            requirement=self.requirement.currentText().strip() or _USUAL_REQUIREMENT,
        )

    def go_on_order(self, store: Path) -> RunCampaign:
        """Return what goes on with the campaign of a store, on its own rig."""
        return RunCampaign(
            url="",
            dut=None,
            plan=None,
            store=store,
            log=self.log.text().strip() or None,
            requirement=self.requirement.currentText().strip() or _USUAL_REQUIREMENT,
        )
