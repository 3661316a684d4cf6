"""Where a campaign happens: rig, DUT, log, requirement, store."""

from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QFormLayout, QGroupBox, QLineEdit, QPushButton

from resume_rig.analysis.requirement import shipped_requirements
from resume_rig.campaign.plan import Plan
from resume_rig.gui.desk import Desk
from resume_rig.gui.state.bench_state import BenchState, Link
from resume_rig.gui.state.requirement_choice import OWN_KINDS, USUAL_REQUIREMENT, requirement_of
from resume_rig.gui.views.campaign_beside import CampaignBeside
from resume_rig.gui.widgets.rig_choice import RigChoice
from resume_rig.gui.worker.requests import RunCampaign
from resume_rig.model.os_record import SLEEPS


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
            desk.remembered.text("campaign/requirement", USUAL_REQUIREMENT)
        )
        self.requirement.setMinimumContentsLength(16)
        self.requirement.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.store = QLineEdit()
        self.store.setPlaceholderText("resume-rig-TIME.rrs")
        self.store.setToolTip("A new file; empty for a name made of the time")
        self.kind = QComboBox()
        self.kind.addItems([OWN_KINDS, *SLEEPS])
        self.kind.setToolTip("Judge this kind of sleep instead of the profile's")
        self.limit = QLineEdit(desk.remembered.text("campaign/limit"))
        self.limit.setPlaceholderText("the profile's")
        self.limit.setToolTip("Use this resume limit instead of the profile's")
        self.beside = CampaignBeside(desk)
        self.more = QPushButton("More …")
        self.more.setCheckable(True)
        self.more.setToolTip("The DUT's OS, its supply, commands of your own")
        self.more.toggled.connect(self.beside.setVisible)
        self.more.setChecked(self.beside.used)
        self.beside.setVisible(self.more.isChecked())
        form = QFormLayout(self)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.choice.add_to(form)
        form.addRow("&Log", self.log)
        form.addRow("Re&quirement", self.requirement)
        form.addRow("&Kind", self.kind)
        form.addRow("Limi&t, ms", self.limit)
        form.addRow("&Store", self.store)
        form.addRow(self.more)
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
        """Return what is to be run, and remember it for the next time.

        Raises:
            UsageError: a field has what it may not have.
        """
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        store = Path(self.store.text().strip() or f"resume-rig-{stamp}.rrs")
        order = self._order(self.choice.url, self.choice.dut_name, plan, store)
        self.choice.remember()
        self.beside.remember()
        for key, field in (("log", self.log), ("limit", self.limit)):
            self._desk.remembered.keep(f"campaign/{key}", field.text().strip())
        self._desk.remembered.keep("campaign/requirement", self.requirement.currentText())
        return order

    def go_on_order(self, store: Path, *, here: bool = False) -> RunCampaign:
        """Return what goes on with the campaign of a store.

        Args:
            store: of the campaign.
            here: on the rig and the DUT that are chosen, not on the store's own.

        Raises:
            UsageError: a field has what it may not have.
        """
        url, dut = (self.choice.url, self.choice.dut_name) if here else ("", None)
        return self._order(url, dut, None, store)

    def _order(self, url: str, dut: str | None, plan: Plan | None, store: Path) -> RunCampaign:
        requirement = requirement_of(
            self.requirement.currentText(), self.kind.currentText(), self.limit.text()
        )
        return RunCampaign(
            url=url,
            dut=dut,
            plan=plan,
            store=store,
            requirement=requirement,
            beside=self.beside.surroundings(self.log.text().strip()),
            ask=self.beside.ask.isChecked(),
            hooks=self.beside.hooks(),
            report=self.beside.report,
        )
