"""What a campaign is judged by: limits with their margins, and how sure each interval is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QSplitter, QTabWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.limits_tables import (
    budget_name,
    budgets_table,
    limits_table,
    parts_of,
    terms_table,
)
from resume_rig.gui.state.store_judged import StoreJudged, judge_store
from resume_rig.gui.state.table import NO_TABLE
from resume_rig.gui.store_menu import ShownStore
from resume_rig.gui.views.log_setting import LogSetting
from resume_rig.gui.views.view import View
from resume_rig.gui.widgets.budget_bar import BudgetBar
from resume_rig.gui.widgets.exportable import Exportable
from resume_rig.gui.widgets.labels import plain_label, show_text
from resume_rig.gui.widgets.reach_plot import ReachPlot
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.widgets.verdict_line import VerdictLine
from resume_rig.gui.worker.apart import Order
from resume_rig.gui.worker.jobs import Task
from resume_rig.model.budget import Budget
from resume_rig.model.errors import UsageError
from resume_rig.model.requirement import Requirement
from resume_rig.report.page_parts import badge

_INVITATION: Final = "Open a store with Ctrl+O to see its limits and its uncertainty."


class LimitsView(View):
    """Above: the store, the requirement, the verdict. Below: limits, and budgets."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._path: Path | None = None
        self._requirement: Requirement | None = None
        self._task: Task | None = None
        self._budgets: tuple[Budget, ...] = ()
        self.file = plain_label(_INVITATION)
        self.setting = LogSetting(desk, of_logs=False)
        self.setting.changed.connect(self._start)
        self.verdict = VerdictLine(desk)
        self.limits = TablePanel(desk, "Limits", filtered=False)
        self.reach = ReachPlot(desk)
        self.budgets = TablePanel(desk, "Uncertainty of each interval", filtered=False)
        self.budgets.chosen.connect(self._show_budget)
        self.terms = TablePanel(desk, "Terms", filtered=False)
        self.bar = BudgetBar(desk)
        self.note = plain_label(role="soft")
        self.note.setWordWrap(True)
        self.note.hide()
        self.tabs = QTabWidget()
        self._lay_out()
        self._menu = self._make_menu()

    def open(self, target: Target) -> None:
        """Show a store; without one, what is shown stays."""
        if target.paths:
            self._path = target.paths[0]
            self._start()

    def view_actions(self) -> Sequence[QAction]:
        """Return reading again."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return plots and tables."""
        return self.reach, self.limits, self.budgets, self.terms, self.bar

    def shown_store(self) -> ShownStore | None:
        """Return the store, judged as here."""
        if self._path is None:
            return None
        return ShownStore(self._path, self._requirement)

    def settled(self) -> bool:
        """Return whether nothing is being read."""
        return self._task is None

    def _start(self) -> None:
        path = self._path
        if path is None:
            return
        if self._task is not None:
            self._task.cancel()
            self._task = None
        try:
            requirement = self.setting.load()
        except UsageError as error:
            self.notice.fail(str(error))
            return
        self._requirement = requirement
        show_text(self.file, path.name)
        self.file.setToolTip(str(path))

        self.notice.clear()
        self._task = self.desk.jobs.start_apart(
            f"Judging {path.name}", Order(judge_store, (path, requirement)), self._show, self._fail
        )

    def _fail(self, sentence: str) -> None:
        self._task = None
        self._forget()
        self.desk.say("Nothing was judged.")
        self.notice.fail(sentence)

    def _forget(self) -> None:
        """Show nothing of another store under the name of this one."""
        self._budgets = ()
        self.verdict.hide()
        for table in (self.limits, self.budgets, self.terms):
            table.show_table(NO_TABLE)
        self.reach.draw(())
        self.bar.draw("", ())
        self.note.hide()

    def _show(self, judged: StoreJudged) -> None:
        self._task = None
        self._budgets = judged.budgets
        self.desk.say(f"{judged.requirement.title}.")
        self.verdict.show_verdict(badge(judged.verdict), judged.why)
        self.limits.show_table(limits_table(judged.limits))
        self.reach.draw(judged.reaches)
        self.budgets.show_table(budgets_table(self._budgets))
        if self._budgets:
            self.budgets.choose(0)
            self._show_budget(0)

    def _show_budget(self, row: int) -> None:
        budget = self._budgets[row]
        self.terms.show_table(terms_table(budget))
        self.bar.draw(budget_name(budget), parts_of(budget))
        show_text(self.note, budget.note)
        self.note.setVisible(bool(budget.note))

    def _lay_out(self) -> None:
        first = QSplitter(Qt.Orientation.Vertical)
        first.addWidget(self.limits)
        first.addWidget(self.reach)
        second = QSplitter(Qt.Orientation.Vertical)
        for widget in (self.budgets, self.bar, self.terms, self.note):
            second.addWidget(widget)
        for split in (first, second):
            split.setChildrenCollapsible(False)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(first, "Limits")
        self.tabs.addTab(second, "Uncertainty")
        self.content.addWidget(self.file)
        self.content.addWidget(self.setting)
        self.content.addWidget(self.verdict)
        self.content.addWidget(self.tabs, 1)

    def _make_menu(self) -> Sequence[QAction]:
        again = QAction("Read the store again", self)
        again.setShortcut(QKeySequence("F5"))
        again.triggered.connect(self._start)
        made = [again]
        for place, text in enumerate(("Show limits", "Show uncertainty")):
            action = QAction(text, self)
            action.setShortcut(QKeySequence(f"Alt+{place + 1}"))
            action.triggered.connect(
                lambda _checked=False, tab=place: self.tabs.setCurrentIndex(tab)
            )
            made.append(action)
        return made
