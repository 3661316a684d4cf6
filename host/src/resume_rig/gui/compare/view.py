"""The page of a comparison: which times changed from base to candidate, and by how much."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QSplitter,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resume_rig.analysis.answer.comparison import comparison_headline
from resume_rig.analysis.compare.comparison import ALPHA, MATTERS, Question
from resume_rig.gui.compare.plots import DistributionPlot, ForestPlot, Sampled
from resume_rig.gui.compare.state import (
    Build,
    Compared,
    build_names,
    changed_first,
    compare_builds,
    differences_table,
    effect_name,
    effects_table,
    sessions_table,
    sessions_words,
)
from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.state.table import NO_TABLE
from resume_rig.gui.widgets.export import Exportable
from resume_rig.gui.widgets.labels import VerdictLine, plain_label, show_text, tip_of
from resume_rig.gui.widgets.log_setting import LogSetting
from resume_rig.gui.widgets.page import Halves, View, keyed_action
from resume_rig.gui.widgets.store_menu import ask_to_open
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.worker.jobs import JobSlot
from resume_rig.gui.worker.process import Order
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import TRANSITIONS, SleepKind
from resume_rig.model.result.comparison import Comparison
from resume_rig.model.result.verdict import Requirement
from resume_rig.model.units import count_of
from resume_rig.report.compare.page import answer_badge
from resume_rig.report.compare.terminal import (
    components_sentence,
    counted_sentences,
    subject_sentence,
)
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.capture.reading import is_capture

if TYPE_CHECKING:
    from resume_rig.analysis.compare.samples import Evidence


_COMMONEST = "the commonest"
_LEAST_PERCENT, _MOST_PERCENT = 0.01, 50.0


class CompareSetting(QWidget):
    """Three lines of fields: the two sides, the question, the requirement.

    Attributes:
        builds: what was opened, a build each; without sessions while nothing was added to it.

    Signals:
        asked: another base or another question, so that everything is compared anew.
        chosen: another candidate is to be shown.
    """

    asked = Signal()
    chosen = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.builds: tuple[Build, ...] = ()
        self.base = _combo("Base")
        self.candidate = _combo("Candidate")
        self.base_sessions = _sessions_button("Sessions of the base")
        self.candidate_sessions = _sessions_button("Sessions of the candidate")
        self.kind = _combo("Kind")
        self.kind.addItems([_COMMONEST, *TRANSITIONS])
        self.kind.setMinimumContentsLength(len(_COMMONEST))
        self.matters = _percent("Matters, %", MATTERS)
        self.matters.setToolTip("The smallest slow-down that matters, of the base's median")
        self.alpha = _percent("False alarm, %", ALPHA)
        self.alpha.setToolTip("The chance of one, over all times together, where nothing differs")
        self.one_is_enough = QCheckBox("One session is enough")
        self.one_is_enough.setToolTip(
            "With one session a side, call a difference between the sessions a REGRESSION of the"
            " build; how far sessions of one build scatter is then not taken into account"
        )
        self.requirement = LogSetting(desk, of_logs=False, kinds=False)
        self._lay_out()
        self.base.activated.connect(self._other_base)
        self.candidate.activated.connect(self.chosen)
        self.kind.activated.connect(self.asked)
        self.matters.editingFinished.connect(self.asked)
        self.alpha.editingFinished.connect(self.asked)
        self.one_is_enough.toggled.connect(self.asked)
        self.requirement.changed.connect(self.asked)

    def offer(self, builds: Sequence[Build]) -> None:
        """Offer other builds; the first is the base, and the second the candidate."""
        self.builds = tuple(builds)
        self.base.clear()
        for place in range(len(self.builds)):
            self._add(self.base, place)
        self._offer_candidates()

    def base_build(self) -> Build:
        """Return the base; empty where there is none."""
        place = self.base.currentData()
        return self.builds[place] if isinstance(place, int) else ()

    def candidate_build(self) -> Build:
        """Return the candidate that is shown; empty where there is only a base."""
        place = self.candidate.currentData()
        return self.builds[place] if isinstance(place, int) else ()

    def change_side(self, *, base: bool, paths: Sequence[Path]) -> None:
        """Add files or folders to a side; without any, take away what it has."""
        builds = list(self.builds) + [()] * (2 - len(self.builds))
        place = (self.base if base else self.candidate).currentData()
        if not isinstance(place, int):
            place = 0 if base else 1
        builds[place] = tuple(dict.fromkeys((*builds[place], *paths))) if paths else ()
        shown = self.base.currentIndex(), self.candidate.currentIndex()
        self.offer(builds)
        self.base.setCurrentIndex(max(0, shown[0]))
        self._offer_candidates()
        self.candidate.setCurrentIndex(max(0, shown[1]))
        self.asked.emit()

    def offer_actions(self, base: Sequence[QAction], candidate: Sequence[QAction]) -> None:
        """Put what adds sessions to each side next to it."""
        for button, actions in (
            (self.base_sessions, base),
            (self.candidate_sessions, candidate),
        ):
            menu = QMenu(button)
            menu.addActions(list(actions))
            button.setMenu(menu)

    def question(self, requirement: Requirement) -> Question:
        """Return what is asked of sessions that are judged against `requirement`."""
        kind = self.kind.currentText()
        return Question(
            None if kind == _COMMONEST else SleepKind(kind),
            self.alpha.value() / 100,
            self.matters.value() / 100,
            one_session_is_enough=self.one_is_enough.isChecked(),
            requirement=requirement.id,
        )

    def _other_base(self) -> None:
        self._offer_candidates()
        self.asked.emit()

    def _offer_candidates(self) -> None:
        self.candidate.clear()
        for place in range(len(self.builds)):
            if place != self.base.currentData():
                self._add(self.candidate, place)

    def _add(self, combo: QComboBox, place: int) -> None:
        build = self.builds[place]
        combo.addItem(one_line(build_names(self.builds)[place]), place)
        tip = tip_of("\n".join(map(str, build)))
        combo.setItemData(combo.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def _lay_out(self) -> None:
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        sides, question = QHBoxLayout(), Halves()
        what, chances = question.halves
        for line, widgets in (
            (sides, (self.base, self.candidate)),
            (what, (self.kind, self.matters)),
            (chances, (self.alpha,)),
        ):
            for widget in widgets:
                label = plain_label(widget.accessibleName())
                label.setBuddy(widget)
                line.addWidget(label)
                line.addWidget(widget, 1 if line is sides else 0)
                if widget is self.base:
                    line.addWidget(self.base_sessions)
                elif widget is self.candidate:
                    line.addWidget(self.candidate_sessions)
        chances.addWidget(self.one_is_enough)
        for line in question.halves:
            line.addStretch()
        lines.addLayout(sides)
        lines.addWidget(question)
        lines.addWidget(self.requirement)


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(8)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo


def _sessions_button(name: str) -> QToolButton:
    button = QToolButton()
    button.setText("Sessions")
    button.setAccessibleName(name)
    button.setToolTip(
        f"{name}: add files or a folder; more than one session a side separates builds"
    )
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _percent(name: str, share: float) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setAccessibleName(name)
    field.setRange(_LEAST_PERCENT, _MOST_PERCENT)
    field.setDecimals(2)
    field.setValue(share * 100)
    return field


_INVITATION = (
    "Drop two or more stores, logs or folders of them here, or open them with Ctrl+O; the first is"
    " the base. Sessions adds more files, or a folder, to a side."
)
_HALF = "One build is here; open another one, or add its sessions, to compare it with."
_TWO = 2


class CompareView(View):
    """Above: what is compared, and the answer. Below: effects as a plot and a table."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._evidence: dict[Build, tuple[Evidence, ...]] | None = None
        self._read: tuple[frozenset[Build], Requirement] | None = None
        self._compared: Compared | None = None
        self._job = JobSlot()
        self.setting = CompareSetting(desk)
        self.setting.asked.connect(self._start)
        self.setting.chosen.connect(self._show_candidate)
        self.answer = VerdictLine(desk)
        self.summary = plain_label(_INVITATION, wraps=True)
        self.forest = ForestPlot(desk)
        self.distribution = DistributionPlot(desk)
        self.effects = TablePanel(desk, "Times compared", filtered=False)
        self.effects.chosen.connect(self._show_distribution)
        self.components = TablePanel(desk, "Components that changed")
        self.differences = TablePanel(desk, "What else differs", filtered=False)
        self.sessions = TablePanel(desk, "Sessions", filtered=False)
        self.tabs = QTabWidget()
        self._lay_out()
        self._menu = self._make_menu()

    def open(self, target: Target) -> None:
        """Compare files or folders, a build each; one alone joins those that are there."""
        if not target.paths:
            return
        builds: list[Build] = [(path,) for path in target.paths]
        if len(builds) == 1:
            builds = [*filter(None, self.setting.builds), *builds]
        self._evidence = None
        self.setting.offer(tuple(dict.fromkeys(builds)))
        self._start()

    def takes(self, paths: Sequence[str]) -> bool:
        """Return whether there are two or more files, or one that joins others, or a folder.

        A capture with the log of its PC is one measurement, not two.
        """
        captures = [path for path in paths if is_capture(Path(path))]
        if 0 < len(captures) < len(paths):
            return False
        is_wanted = bool(self.setting.builds) or any(Path(path).is_dir() for path in paths)
        return len(paths) >= _TWO or (self.isVisible() and is_wanted)

    def view_actions(self) -> Sequence[QAction]:
        """Return reading again, and base and candidate the other way round."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return plots and tables."""
        return (
            self.forest,
            self.distribution,
            self.effects,
            self.components,
            self.differences,
            self.sessions,
        )

    def settled(self) -> bool:
        """Return whether nothing is being compared, and every filter is in force."""
        return not self._job.busy and self.components.settled()

    def _start(self) -> None:
        self._job.cancel()
        base = self.setting.base_build()
        others = [build for build in self.setting.builds if build and build != base]
        if not base or not others:
            self._forget()
            if base or others:
                self.notice.note(_HALF)
            return
        try:
            requirement = self.setting.requirement.load()
        except UsageError as error:
            self.notice.fail(str(error))
            return
        builds = (base, *others)
        read_before = self._evidence if self._read == (frozenset(builds), requirement) else None
        self._read = frozenset(builds), requirement
        self.notice.clear()
        asked = (builds, read_before, self.setting.question(requirement), requirement)
        self.desk.jobs.start_process(
            f"Comparing {count_of(len(builds), 'build')}",
            Order(compare_builds, asked),
            self._show,
            self._fail,
            slot=self._job,
        )

    def _fail(self, sentence: str) -> None:
        self._forget()
        self.desk.show_status("Nothing was compared.")
        self.notice.fail(sentence)

    def _forget(self) -> None:
        """Show nothing of other files under the names of these."""
        self._compared = None
        self.answer.hide()
        show_text(self.summary, _INVITATION)
        self.forest.draw(())
        self.distribution.draw("", ())
        for table in (self.effects, self.components, self.differences, self.sessions):
            table.show_table(NO_TABLE)

    def _show(self, found: Compared) -> None:
        self._compared, self._evidence = found, found.evidence
        self.desk.show_status(f"{count_of(len(found.evidence), 'build')} compared.")
        self._show_candidate()

    def _show_candidate(self) -> None:
        comparison = self._comparison()
        if comparison is None:
            return
        said = f"{comparison_headline(comparison)} {comparison.why}"
        self.answer.show_verdict(answer_badge(comparison.answer), said)
        show_text(self.summary, in_window(" ".join(_sentences(comparison))))
        self.summary.setToolTip("")
        self.forest.draw(comparison.effects)
        self.effects.show_table(effects_table(comparison.effects))
        self.components.show_table(effects_table(comparison.components))
        self.differences.show_table(differences_table(comparison))
        self.sessions.show_table(sessions_table(comparison))
        self.tabs.setTabText(1, f"Components ({len(comparison.components)})")
        self.tabs.setTabText(2, f"What else differs ({len(comparison.differences)})")
        self.tabs.setTabText(3, sessions_words(comparison))
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
        candidate = self.setting.candidate_build()
        if comparison is None or found is None:
            return
        effect = comparison.effects[row]
        others = [build for build in found.comparisons if build != candidate]
        shown = (found.base, candidate, *others)
        samples = [
            Sampled(
                f"{name}, base" if build == found.base else name,
                found.times_ms(build, effect.name, candidate),
            )
            for name, build in zip(build_names(shown), shown, strict=True)
        ]
        self.distribution.draw(effect_name(effect), samples)

    def _comparison(self) -> Comparison | None:
        if self._compared is None:
            return None
        return self._compared.comparisons.get(self.setting.candidate_build())

    def _swap(self) -> None:
        base, candidate = self.setting.base_build(), self.setting.candidate_build()
        if candidate:
            rest = [build for build in self.setting.builds if build not in (base, candidate)]
            self.setting.offer((candidate, base, *rest))
            self._start()

    def _read_again(self) -> None:
        self._evidence = None
        self._start()

    def _ask(self, *, base: bool, folder: bool) -> None:
        what = "Add a folder of sessions" if folder else "Add sessions"
        mode = QFileDialog.FileMode.Directory if folder else QFileDialog.FileMode.ExistingFiles
        ask_to_open(
            self,
            self.desk.remembered,
            f"{what} to the {_side_word(base=base)}",
            lambda names: self.setting.change_side(base=base, paths=[Path(n) for n in names]),
            mode=mode,
        )

    def _empty(self, *, base: bool) -> None:
        self.setting.change_side(base=base, paths=())

    def _lay_out(self) -> None:
        pictures = QSplitter(Qt.Orientation.Horizontal)
        pictures.addWidget(self.forest)
        pictures.addWidget(self.distribution)
        pictures.setChildrenCollapsible(False)
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(pictures)
        both.addWidget(self.effects)
        both.setChildrenCollapsible(False)
        both.setStretchFactor(0, 3)
        both.setStretchFactor(1, 2)
        self.tabs.setDocumentMode(True)
        for title, widget in (
            ("Times", both),
            ("Components", self.components),
            ("What else differs", self.differences),
            ("Sessions", self.sessions),
        ):
            self.tabs.addTab(widget, title)
        self.content.addWidget(self.setting)
        self.content.addWidget(self.answer)
        self.content.addWidget(self.summary)
        self.content.addWidget(self.tabs, 1)

    def _make_menu(self) -> Sequence[QAction]:
        again = keyed_action(self, "Read the files again", "F5", self._read_again)
        swap = keyed_action(self, "Exchange base and candidate", "Ctrl+E", self._swap)
        base = self._side_actions(base=True, letter="B")
        candidate = self._side_actions(base=False, letter="N")
        self.setting.offer_actions(base, candidate)
        return [again, swap, *base, *candidate]

    def _side_actions(self, *, base: bool, letter: str) -> Sequence[QAction]:
        side = _side_word(base=base)
        files = partial(self._ask, base=base, folder=False)
        folder = partial(self._ask, base=base, folder=True)
        empty = partial(self._empty, base=base)
        return (
            keyed_action(self, f"Add files to the {side} …", f"Ctrl+{letter}", files),
            keyed_action(self, f"Add a folder to the {side} …", f"Ctrl+Shift+{letter}", folder),
            keyed_action(self, f"Empty the {side}", f"Ctrl+Alt+{letter}", empty),
        )


def _side_word(*, base: bool) -> str:
    return "base" if base else "candidate"


def _sentences(comparison: Comparison) -> list[str]:
    sentences = [subject_sentence(comparison), *counted_sentences(comparison)]
    return [sentence for sentence in (*sentences, components_sentence(comparison)) if sentence]
