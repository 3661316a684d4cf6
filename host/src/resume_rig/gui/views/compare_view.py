"""Base against candidates: which times changed, by how much, and whether one could have seen it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.compared import (
    Compared,
    changed_first,
    compare_files,
    differences_table,
    effect_name,
    effects_table,
)
from resume_rig.gui.state.table import NO_TABLE
from resume_rig.gui.views.compare_setting import CompareSetting
from resume_rig.gui.views.view import View
from resume_rig.gui.widgets.distribution_plot import DistributionPlot, Sampled
from resume_rig.gui.widgets.exportable import Exportable
from resume_rig.gui.widgets.forest_plot import ForestPlot
from resume_rig.gui.widgets.labels import plain_label, show_text
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.widgets.verdict_line import VerdictLine
from resume_rig.gui.worker.apart import Order
from resume_rig.gui.worker.jobs import Task
from resume_rig.model.comparison import Comparison
from resume_rig.model.units import count_of
from resume_rig.report.compare_text import (
    components_sentence,
    counted_sentences,
    subject_sentence,
)
from resume_rig.report.compare_view import answer_badge

if TYPE_CHECKING:
    from resume_rig.analysis.compare_samples import Evidence

_INVITATION = (
    "Drop two or more stores or logs here, or open them with Ctrl+O; the first is the base."
)
_TWO = 2


class CompareView(View):
    """Above: what is compared, and the answer. Below: effects as a plot and a table."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._paths: tuple[Path, ...] = ()
        self._evidence: dict[Path, Evidence] | None = None
        self._compared: Compared | None = None
        self._task: Task | None = None
        self.setting = CompareSetting()
        self.setting.asked.connect(self._start)
        self.setting.chosen.connect(self._show_candidate)
        self.answer = VerdictLine(desk)
        self.told = plain_label(_INVITATION)
        self.told.setWordWrap(True)
        self.forest = ForestPlot(desk)
        self.distribution = DistributionPlot(desk)
        self.effects = TablePanel(desk, "Times compared", filtered=False)
        self.effects.chosen.connect(self._show_distribution)
        self.components = TablePanel(desk, "Components that changed")
        self.differences = TablePanel(desk, "What else differs", filtered=False)
        self.tabs = QTabWidget()
        self._lay_out()
        self._menu = self._make_menu()

    def open(self, target: Target) -> None:
        """Compare files; without any, what is shown stays; one more joins those that are there."""
        if not target.paths:
            return
        paths = tuple(dict.fromkeys(target.paths))
        if len(paths) == 1 and self._paths:
            paths = tuple(dict.fromkeys((*self._paths, *paths)))
        self._paths, self._evidence = paths, None
        self.setting.offer(paths)
        self._start()

    def takes(self, paths: Sequence[str]) -> bool:
        """Return whether there are two or more files, or one that joins others."""
        return len(paths) >= _TWO or (self.isVisible() and bool(self._paths))

    def view_actions(self) -> Sequence[QAction]:
        """Return reading again, and base and candidate the other way round."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return plots and tables."""
        return self.forest, self.distribution, self.effects, self.components, self.differences

    def settled(self) -> bool:
        """Return whether nothing is being compared, and every filter is in force."""
        return self._task is None and self.components.settled()

    def _start(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if len(self._paths) < _TWO:
            self.notice.note("One file is here; open another one to compare it with.")
            return
        paths, known = self._paths, self._evidence
        base, question = self.setting.base_path(), self.setting.question()
        self.notice.clear()
        self._task = self.desk.jobs.start_apart(
            f"Comparing {count_of(len(paths), 'file')}",
            Order(compare_files, (paths, known, base, question)),
            self._show,
            self._fail,
        )

    def _fail(self, sentence: str) -> None:
        self._task = None
        self._forget()
        self.desk.say("Nothing was compared.")
        self.notice.fail(sentence)

    def _forget(self) -> None:
        """Show nothing of other files under the names of these."""
        self._compared = None
        self.answer.hide()
        show_text(self.told, _INVITATION)
        self.forest.draw(())
        self.distribution.draw("", ())
        for table in (self.effects, self.components, self.differences):
            table.show_table(NO_TABLE)

    def _show(self, found: Compared) -> None:
        self._task = None
        self._compared, self._evidence = found, found.evidence
        self.desk.say(f"{count_of(len(found.evidence), 'file')} compared.")
        self._show_candidate()

    def _show_candidate(self) -> None:
        comparison = self._comparison()
        if comparison is None:
            return
        self.answer.show_verdict(answer_badge(comparison.answer), comparison.why)
        show_text(self.told, " ".join(_sentences(comparison)))
        self.told.setToolTip("")
        self.forest.draw(comparison.effects)
        self.effects.show_table(effects_table(comparison.effects))
        self.components.show_table(effects_table(comparison.components))
        self.differences.show_table(differences_table(comparison))
        self.tabs.setTabText(1, f"Components ({len(comparison.components)})")
        self.tabs.setTabText(2, f"What else differs ({len(comparison.differences)})")
        if comparison.warnings:
            self.notice.note(" ".join(comparison.warnings))
        if comparison.effects:
            row = changed_first(comparison.effects)
            self.effects.choose(row)
            self._show_distribution(row)
        else:
            self.distribution.draw("", ())

    def _show_distribution(self, row: int) -> None:
        comparison, found = self._comparison(), self._compared
        candidate = self.setting.candidate_path()
        if comparison is None or found is None or candidate is None:
            return
        effect = comparison.effects[row]
        others = [path for path in found.comparisons if path != candidate]
        samples = [
            Sampled(
                f"{path.name}, base" if path == found.base else path.name,
                found.times_ms(path, effect.name, candidate),
            )
            for path in (found.base, candidate, *others)
        ]
        self.distribution.draw(effect_name(effect), samples)

    def _comparison(self) -> Comparison | None:
        candidate = self.setting.candidate_path()
        if self._compared is None or candidate is None:
            return None
        return self._compared.comparisons.get(candidate)

    def _swap(self) -> None:
        candidate = self.setting.candidate_path()
        if candidate is not None:
            base = self.setting.base_path()
            rest = [path for path in self._paths if path not in (base, candidate)]
            self._paths = (candidate, base, *rest)
            self.setting.offer(self._paths)
            self._start()

    def _read_again(self) -> None:
        self._evidence = None
        if self._paths:
            self._start()

    def _lay_out(self) -> None:
        pictures = QSplitter(Qt.Orientation.Horizontal)
        pictures.addWidget(self.forest)
        pictures.addWidget(self.distribution)
        pictures.setChildrenCollapsible(False)
        times = QWidget()
        column = QVBoxLayout(times)
        column.setContentsMargins(0, 0, 0, 0)
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(pictures)
        both.addWidget(self.effects)
        both.setChildrenCollapsible(False)
        both.setStretchFactor(0, 3)
        both.setStretchFactor(1, 2)
        column.addWidget(both)
        self.tabs.setDocumentMode(True)
        for title, widget in (
            ("Times", times),
            ("Components", self.components),
            ("What else differs", self.differences),
        ):
            self.tabs.addTab(widget, title)
        self.content.addWidget(self.setting)
        self.content.addWidget(self.answer)
        self.content.addWidget(self.told)
        self.content.addWidget(self.tabs, 1)

    def _make_menu(self) -> Sequence[QAction]:
        again = QAction("Read the files again", self)
        again.setShortcut(QKeySequence("F5"))
        again.triggered.connect(self._read_again)
        swap = QAction("Exchange base and candidate", self)
        swap.setShortcut(QKeySequence("Ctrl+E"))
        swap.triggered.connect(self._swap)
        return [again, swap]


def _sentences(comparison: Comparison) -> list[str]:
    told = [subject_sentence(comparison), *counted_sentences(comparison)]
    return [sentence for sentence in (*told, components_sentence(comparison)) if sentence]
