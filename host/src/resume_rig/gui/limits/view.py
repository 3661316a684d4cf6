"""The page of what a campaign is judged by: limits with margins, budgets of its intervals."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QTabWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.limits.state import (
    Part,
    Reach,
    StoreJudged,
    budget_name,
    budgets_table,
    judge_capture,
    judge_store,
    limits_table,
    parts_of,
    terms_table,
)
from resume_rig.gui.request import CaptureOptions, Target
from resume_rig.gui.state.table import NO_TABLE
from resume_rig.gui.widgets.export import Exportable
from resume_rig.gui.widgets.labels import VerdictLine, plain_label, show_text
from resume_rig.gui.widgets.log_setting import LogSetting
from resume_rig.gui.widgets.page import View, keyed_action, lift_tab
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.gui.widgets.store_menu import ShownStore
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.worker.jobs import JobSlot
from resume_rig.gui.worker.process import Order
from resume_rig.model.budget import Budget
from resume_rig.model.errors import UsageError
from resume_rig.model.result.verdict import Requirement
from resume_rig.model.units import NS_PER_US
from resume_rig.report.parts.page import badge
from resume_rig.rig.capture.reading import is_capture

_TERM_NAME_MOST: Final = 44
_MOST: Final = 10


class BudgetBar(PlotPanel):
    """A bar for each error, the greatest first; together they are all of the variance."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "What makes it uncertain", "share of the variance, %")
        self._parts: Sequence[Part] = ()
        self.plot.invertY(True)
        self.plot.setMouseEnabled(x=False, y=False)
        desk.look.changed.connect(self._draw_again)

    def draw(self, name: str, parts: Sequence[Part]) -> None:
        """Draw the parts of an interval's budget."""
        ordered = sorted(parts, key=lambda part: -part.share)
        self._parts = ordered[:_MOST]
        rest = sum(part.share for part in ordered[_MOST:])
        self.note(f"{name}; {rest:.2g} % more in smaller ones" if len(ordered) > _MOST else name)
        self._draw_again()

    def _draw_again(self) -> None:
        colours = self._desk.look.colours
        rows = range(len(self._parts))
        bars = pg.BarGraphItem(
            x0=[0.0] * len(rows),
            x1=[part.share for part in self._parts],
            y0=[row - 0.35 for row in rows],
            y1=[row + 0.35 for row in rows],
            brush=colours.blue,
            pen=self.pen(colours.line),
        )
        texts = []
        for row, part in enumerate(self._parts):
            words = f"{part.share:.1f} %, {abs(part.net_ns) / NS_PER_US:.3g} us"
            text = pg.TextItem(words, color=colours.ink, anchor=(0, 0.5))
            text.setPos(part.share, row)
            texts.append(text)
        self.show_items([bars, *texts])
        self.name_rows([part.name[:_TERM_NAME_MOST] for part in self._parts])
        # Right of the longest bar is room for its words; a share ends at 100 %.
        self.plot.setXRange(0, 125, padding=0)
        shares = range(0, 101, 20)
        self.plot.getAxis("bottom").setTicks([[(share, str(share)) for share in shares]])


_LIMIT_NAME_MOST: Final = 40
_WHOLE: Final = 100.0


class ReachPlot(PlotPanel):
    """A line from the least to the greatest value, a bar for 90 of 100, a dot for the median."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "How much of each limit is used", "share of the limit, %")
        self._reaches: Sequence[Reach] = ()
        self.plot.invertY(True)
        self.plot.setMouseEnabled(x=True, y=False)
        desk.look.changed.connect(self._draw_again)

    def draw(self, reaches: Sequence[Reach]) -> None:
        """Draw all of them."""
        self._reaches = reaches
        self.note("line: all cycles; bar: 90 of 100; dot: median" if reaches else "no values")
        self._draw_again()

    def _draw_again(self) -> None:
        colours = self._desk.look.colours
        pen = self.pen(colours.vermillion, 2, Qt.PenStyle.DashLine)
        label = {"color": colours.ink, "position": 0.95}
        items = [pg.InfiniteLine(_WHOLE, angle=90, pen=pen, label="limit", labelOpts=label)]
        for row, reach in enumerate(self._reaches):
            low, p5, middle, p95, high = reach.shares
            colour = colours.vermillion if high > _WHOLE else colours.blue
            line = self.pen(colour, 2)
            items += [
                pg.PlotCurveItem(np.array([low, high]), np.array([row, row], np.float64), pen=line),
                pg.BarGraphItem(
                    x0=[p5], x1=[p95], y0=[row - 0.2], y1=[row + 0.2], brush=colour, pen=colour
                ),
                pg.ScatterPlotItem([middle], [row], size=10, brush=colours.ink, pen=colours.paper),
            ]
        self.show_items(items)
        self.name_rows([reach.name[:_LIMIT_NAME_MOST] for reach in self._reaches])
        most = max((reach.shares[-1] for reach in self._reaches), default=_WHOLE)
        self.plot.setXRange(0, max(most, _WHOLE) * 1.08, padding=0)


_INVITATION: Final = "Open a store with Ctrl+O to see its limits and its uncertainty."


class LimitsView(View):
    """Above: the store, the requirement, the verdict. Below: limits, and budgets."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._path: Path | None = None
        self._logs: tuple[Path, ...] = ()
        self._is_capture = False
        self._requirement: Requirement | None = None
        self._job = JobSlot()
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
        self.note = plain_label(role="soft", wraps=True)
        self.note.hide()
        self.tabs = QTabWidget()
        self._lay_out()
        self._menu = self._make_menu()

    def open(self, target: Target) -> None:
        """Show a store, or a capture with its logs; without any, what is shown stays."""
        if target.paths:
            paths = sorted(target.paths, key=lambda path: not is_capture(path))
            self._path, self._logs = paths[0], tuple(paths[1:])
            self._is_capture = is_capture(paths[0])
            self._start()

    def lift(self, part: str) -> None:
        """Bring the tab of limits or of uncertainty to the front."""
        lift_tab(self.tabs, part)

    def view_actions(self) -> Sequence[QAction]:
        """Return reading again."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return plots and tables."""
        return self.reach, self.limits, self.budgets, self.terms, self.bar

    def shown_store(self) -> ShownStore | None:
        """Return the store, judged as here."""
        if self._path is None or self._is_capture:
            return None
        return ShownStore(self._path, self._requirement)

    def settled(self) -> bool:
        """Return whether nothing is being read."""
        return not self._job.busy

    def _start(self) -> None:
        path = self._path
        if path is None:
            return
        self._job.cancel()
        try:
            requirement = self.setting.load()
        except UsageError as error:
            self.notice.fail(str(error))
            return
        self._requirement = requirement
        options = self.desk.captures.get(path, CaptureOptions())
        names = [" + ".join(each.name for each in (path, *self._logs)), options.words]
        show_text(self.file, "; ".join(filter(None, names)))
        self.file.setToolTip(str(path))
        self.notice.clear()
        order = Order(judge_store, (path, requirement))
        if self._is_capture:
            order = Order(judge_capture, (path, self._logs, options, requirement))
        self.desk.jobs.start_process(
            f"Judging {path.name}", order, self._show, self._fail, slot=self._job
        )

    def _fail(self, sentence: str) -> None:
        self._forget()
        self.desk.show_status("Nothing was judged.")
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
        self._budgets = judged.budgets
        self.desk.show_status(f"{judged.requirement.title}.")
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
        return (
            keyed_action(self, "Read the store again", "F5", self._start),
            keyed_action(self, "Show limits", "Alt+1", partial(self.tabs.setCurrentIndex, 0)),
            keyed_action(self, "Show uncertainty", "Alt+2", partial(self.tabs.setCurrentIndex, 1)),
        )
