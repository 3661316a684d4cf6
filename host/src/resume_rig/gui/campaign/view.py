"""The page of a campaign: its form, how it stands, what it has measured, what failed and why."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from PySide6.QtCore import QElapsedTimer, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QProgressBar,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.campaign.answer import CampaignAnswer, DriftPlot, HistogramPlot, PhasePlot
from resume_rig.gui.campaign.setting import CampaignSetting, PlanEditor
from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.lanes import Evidence, read_evidence
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.state.store_writing import Failure
from resume_rig.gui.widgets.export import Exportable
from resume_rig.gui.widgets.labels import (
    ElidedLabel,
    plain_label,
    show_elided,
    show_sentences,
    show_text,
    tip_of,
)
from resume_rig.gui.widgets.page import (
    Halves,
    View,
    keyed_action,
    keyed_button,
    scrolled,
    with_side,
)
from resume_rig.gui.widgets.plot_panel import LanesPlot
from resume_rig.gui.widgets.store_menu import ShownStore, ask_to_open
from resume_rig.gui.worker.campaign_state import CampaignState, Phase, no_failure_words
from resume_rig.gui.worker.events import RunCampaign
from resume_rig.gui.worker.jobs import JobSlot
from resume_rig.model.errors import UsageError
from resume_rig.model.rig_url import NOT_NAMED, RigUrl
from resume_rig.model.units import NS_PER_MS
from resume_rig.report.campaign.progress import left_text
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.wording import outcome_words

_Do: TypeAlias = Callable[[], None]


class CampaignControl(QWidget):
    """Start, pause, stop, resume; progress, time left, outcomes.

    Attributes:
        menu_actions: the buttons' actions, with their keys.
    """

    def __init__(self, start: _Do, hold: _Do, stop: _Do, resume: _Do) -> None:
        super().__init__()
        made = (
            keyed_button(self, "Start", "Ctrl+Return", start, "Start the campaign"),
            keyed_button(self, "Pause", "Ctrl+Shift+P", hold, "Pause the campaign"),
            keyed_button(self, "Stop", "Ctrl+.", stop, "Stop the campaign"),
            keyed_button(self, "Resume", "Ctrl+Shift+Return", resume, "Resume the campaign"),
        )
        self.start, self.hold, self.stop, self.resume = (button for button, _ in made)
        self.menu_actions = [action for _, action in made]
        self.resume.setToolTip("Resumes the campaign that was stopped (Ctrl+Shift+Return)")
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Cycles done")
        self._doing = ElidedLabel()
        self._outcomes = ElidedLabel(role="soft")
        top = Halves()
        buttons, progress = top.halves
        for button in (self.start, self.hold, self.stop):
            buttons.addWidget(button)
        progress.addWidget(self.resume)
        progress.addWidget(self.bar)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.addWidget(top, 0, 0, 1, 2)
        grid.addWidget(self._doing, 1, 0)
        grid.addWidget(self._outcomes, 2, 0)
        grid.setColumnStretch(0, 1)
        self._grid = grid

    def place_at_side(self, widget: QWidget) -> None:
        """Put a widget right of the words."""
        self._grid.addWidget(widget, 1, 1, 2, 1)

    @property
    def texts(self) -> tuple[str, str]:
        """The words for the cycle in flight, and for those that are over."""
        return self._doing.text(), self._outcomes.text()

    def show_state(self, state: CampaignState, *, plan_problem: str, holding: bool) -> None:
        """Show how the campaign stands.

        Args:
            state: of the campaign.
            plan_problem: what is wrong with the plan in the editor; empty for nothing.
            holding: whether it is to wait after the cycle in flight.
        """
        active = state.phase.active
        self.start.setEnabled(not active and not plan_problem)
        self.start.setToolTip(plan_problem or "Ctrl+Return")
        self.hold.setEnabled(active)
        self.hold.setText("Continue" if holding else "Pause")
        self.stop.setEnabled(active)
        ended_early = state.phase in (Phase.STOPPED, Phase.FAILED) and state.plan is not None
        self.resume.setEnabled(ended_early)
        self.bar.setRange(0, max(state.cycles, 1))
        self.bar.setValue(min(state.done, state.cycles))
        self.bar.setFormat("%v of %m cycles" if state.plan is not None else "no campaign yet")
        show_elided(self._doing, _doing_text(state, holding=holding))
        show_elided(self._outcomes, _outcomes_text(state))


def _doing_text(state: CampaignState, *, holding: bool) -> str:
    parts = [state.phase.value.capitalize()]
    if state.phase.active and state.number and state.doing:
        parts.append(f"cycle {state.number} {state.doing}")
    if holding and state.phase is Phase.RUNNING:
        parts.append("pauses after this cycle")
    if state.phase.active and state.left_ns is not None:
        parts.append(f"{left_text(state.left_ns)} left")
    if state.path is not None:
        parts.append(state.path.name)
    return " · ".join(parts)


def _outcomes_text(state: CampaignState) -> str:
    counted = [f"{n} {outcome_words(outcome)}" for outcome, n in state.outcomes.items() if n]
    if not counted:
        return "No cycle is over yet."
    return f"{'So far, provisional' if state.provisional else 'Judged'}: {', '.join(counted)}"


_NONE = "No cycle is chosen; a failure's button, or the list of failures, shows one."


class CampaignEvidence(QWidget):
    """Sentences over lanes.

    Attributes:
        evidence: what is shown; None before any.
        lanes: the picture.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._job = JobSlot()
        self.evidence: Evidence | None = None
        self.text = plain_label(_NONE, wraps=True)
        self.lanes = LanesPlot(desk, "Wires of the cycle", "time after the wake trigger, ms")
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addWidget(self.text)
        column.addWidget(scrolled(self.lanes), 1)

    @property
    def loading(self) -> bool:
        """Whether a cycle is being read."""
        return self._job.busy

    def show_cycle(self, path: Path, number: int) -> None:
        """Read a cycle in the background, and show it."""
        self.evidence = None
        self.text.setText(f"Reading cycle {number} …")
        self._desk.jobs.start(
            f"Reading cycle {number} of {path.name}",
            lambda _task: read_evidence(path, number),
            self._show,
            partial(show_sentences, self.text),
            slot=self._job,
        )

    def _show(self, found: Evidence) -> None:
        self.evidence = found
        self._desk.show_status(f"Cycle {found.outside.number} of {found.path.name}")
        show_sentences(self.text, *found.sentences)
        first_ns = min(lane.since_ns for lane in found.wires.lanes.values())
        self.lanes.scale_light(found.most_light, found.light_threshold)
        self.lanes.draw(found.wires, first_ns, found.until_ns, found.zero_ns)
        self.lanes.show_range(
            (first_ns - found.zero_ns) / NS_PER_MS, (found.until_ns - found.zero_ns) / NS_PER_MS
        )
        self.lanes.mark([(0.0, "")] if found.has_trigger else [])
        self.lanes.lanes.note("dashed: the wake trigger" if found.has_trigger else "")


_PLOT_EVERY_MS: Final = 90
_TRY: Final = (
    "The simulated bench is chosen. Start measures a laptop that is not real, in seconds; "
    "Overview grows meanwhile."
)
_LINES_KEPT: Final = 500
_PLOTS_PX: Final = 150
_TABS_PX: Final = 80
_PICTURES_PX: Final = 600
_ROWS_SHOWN: Final = 6
_ROW_ROOM_PX: Final = 3


class CampaignView(View):
    """Left: plan and setting. Right: control, plots, and tabs with what happened."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._shown: CampaignState | None = None
        self._since_draw = QElapsedTimer()
        self._since_draw.start()
        self._ran_at: dict[Path, RigUrl] = {}
        self._wished = not desk.wish.run
        self.editor = PlanEditor()
        self.editor.refused.connect(self.notice.fail)
        self.setting = CampaignSetting(desk)
        self.control = CampaignControl(self.start, self.hold, self.stop, self.resume)
        self.histogram, self.drift = HistogramPlot(desk), DriftPlot(desk)
        self.phases = PhasePlot(desk)
        plots = self.histogram, self.drift, self.phases
        self._drawn: dict[HistogramPlot | DriftPlot | PhasePlot, CampaignState | None]
        self._drawn = dict.fromkeys(plots)
        self.answer = CampaignAnswer(desk)
        self.answer.overview.chosen.connect(self._show_number)
        self.evidence = CampaignEvidence(desk)
        self._failures_shown: tuple[Failure, ...] = ()
        self.failures = QListWidget()
        self.failures.setAccessibleName("Failures")
        self._row_px = self.failures.fontMetrics().lineSpacing() + _ROW_ROOM_PX
        self.failures.itemActivated.connect(self._failure_chosen)
        self.failures.itemClicked.connect(self._failure_chosen)
        self.no_failures = plain_label(role="soft")
        self.lines = QPlainTextEdit()
        self.lines.setReadOnly(True)
        self.lines.setMaximumBlockCount(_LINES_KEPT)
        self.lines.setAccessibleName("Recovery log")
        self.content.addWidget(self._split())
        self._menu = self._make_menu()
        desk.look.changed.connect(self._draw_again)
        if desk.wish.plan is not None:
            self.editor.load(desk.wish.plan)

    def open(self, target: Target) -> None:
        """Show a cycle of a store, or choose a rig."""
        if target.rig and not self.desk.state.campaign.phase.active:
            self.setting.choice.choose(target.rig, None)
            self.control.start.setFocus()
            self.notice.note(_TRY)
            self.notice.offer("Start", self.start)
        if target.paths and target.cycle is not None:
            self.evidence.show_cycle(target.paths[0], target.cycle)
            self.pictures.setCurrentWidget(self.evidence)

    def start(self) -> None:
        """Start a campaign by the plan in the editor."""
        self._run(lambda: self.setting.order(self.editor.plan()))

    def resume(self) -> None:
        """Resume the campaign that was stopped."""
        path = self.desk.state.campaign.path
        if path is not None:
            ran_at = self._ran_at.get(path, NOT_NAMED)
            self._run(lambda: self.setting.resume_order(path, ran_at=ran_at))

    def resume_store(self, store: Path, *, here: bool = False) -> None:
        """Resume the campaign of a store, on its own rig or on the one that is chosen."""
        self._run(lambda: self.setting.resume_order(store, here=here))

    def hold(self) -> None:
        """Let the campaign wait after the cycle in flight, or go on."""
        gate = self.desk.worker.gate
        if gate.held:
            gate.go_on()
        else:
            gate.hold()

    def stop(self) -> None:
        """Stop the campaign; the cycle in flight is kept as interrupted."""
        self.desk.worker.gate.stop()

    def refresh(self) -> None:
        """Show how the campaign stands; the plots a few times a second."""
        state = self.desk.state.campaign
        self.setting.follow(self.desk.state.bench)
        self._run_as_wished()
        self.answer.show_state(state)
        self.control.show_state(
            state, plan_problem=self.editor.problem, holding=self.desk.worker.gate.held
        )
        if state is not self._shown:
            before, self._shown = self._shown, state
            self._list_changes(before, state)
        if self._since_draw.elapsed() >= _PLOT_EVERY_MS or not state.phase.active:
            self._draw_next(state)

    def view_actions(self) -> Sequence[QAction]:
        """Return the campaign's, the plan's and the tabs'."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return the plots."""
        lanes = self.evidence.lanes
        first = self.answer.overview
        plots = self.histogram, self.drift, self.phases, lanes.lanes, lanes.light
        return *plots, first.phases, first.marks

    def shown_store(self) -> ShownStore | None:
        """Return the campaign's store, once there is one."""
        path, order = self.desk.state.campaign.path, self.desk.worker.order
        if path is None or order is None or not path.exists():
            return None
        return ShownStore(path, order.requirement)

    def settled(self) -> bool:
        """Return whether the campaign that was asked for is over, judged and drawn."""
        state = self.desk.state.campaign
        if not self._wished or (self.desk.wish.run and state.phase is Phase.NONE):
            return False
        drawn = all(shown is state for shown in self._drawn.values())
        answered = state.path is None or state.answer.judged or state.answer.problem
        drawn = drawn and self.answer.shows(state) and not self.evidence.loading
        return not state.phase.active and drawn and bool(answered)

    def _run(self, make: Callable[[], RunCampaign]) -> None:
        try:
            order = make()
        except UsageError as error:
            self.notice.fail(str(error))
            return
        self.notice.clear()
        self.failures.clear()
        self._failures_shown = ()
        self.lines.clear()
        if order.url:
            self._ran_at[order.store] = order.url
        self.desk.worker.ask(order)
        self.desk.show_status(f"The campaign goes to {order.store}.")

    def _run_as_wished(self) -> None:
        if not self._wished:
            self._wished = True
            self.start()

    def _list_changes(self, before: CampaignState | None, state: CampaignState) -> None:
        """Add what is new to the lists."""
        new = state.lines
        if before is not None and before.path == state.path and before.lines:
            count = len(before.lines)
            new = state.lines[count:] if state.lines[:count] == before.lines else state.lines[-1:]
        for line in new:
            self.lines.appendPlainText(one_line(in_window(line)))
        self._list_failures(state)
        # Two attempts may both have failed since the last look.
        ended = (state.phase, state.attempt)
        if before is not None and (before.phase, before.attempt) == ended:
            return
        if state.phase is Phase.FAILED:
            self.notice.fail(state.text)
        elif state.phase is Phase.STOPPED or (state.phase is Phase.FINISHED and state.text):
            text = state.text.removeprefix(f"{state.phase.value}; ")
            self.notice.note(f"The campaign {state.phase.value}: {text}.")

    def _list_failures(self, state: CampaignState) -> None:
        """Add what is new; what changed, or was judged otherwise, begins the list anew."""
        listed = self._failures_shown
        if state.failures[: len(listed)] != listed:
            self.failures.clear()
            listed = ()
        for failure in state.failures[len(listed) :]:
            sentence = one_line(in_window(failure.sentence))
            item = QListWidgetItem(sentence)
            # A line each, whose end is in its tip, and in the evidence that a click shows.
            item.setSizeHint(QSize(0, self._row_px))
            item.setToolTip(tip_of(sentence))
            item.setData(Qt.ItemDataRole.UserRole, failure.number)
            self.failures.addItem(item)
        self._failures_shown = state.failures
        title = f"Failures ({state.failed})" if state.failed else "Failures"
        self.tabs.setTabText(0, title)
        self.failures.setVisible(bool(state.failures))
        self.no_failures.setVisible(not state.failures)
        show_text(self.no_failures, no_failure_words(state))

    def _draw_next(self, state: CampaignState) -> None:
        """Draw the plot that is most behind; one at a time, so that the window never waits long."""
        for plot, shown in self._drawn.items():
            if shown is not state:
                self._since_draw.restart()
                plot.draw(state)
                # To the end of the line.
                del self._drawn[plot]
                self._drawn[plot] = state
                return

    def _draw_again(self) -> None:
        self._drawn = dict.fromkeys(self._drawn)

    def _failure_chosen(self, item: QListWidgetItem) -> None:
        self._show_number(item.data(Qt.ItemDataRole.UserRole))

    def _show_number(self, number: int) -> None:
        path = self.desk.state.campaign.path
        if path is not None:
            self.open(Target((path,), number))

    def _split(self) -> QSplitter:
        self.tabs = QTabWidget()
        failed = QWidget()
        column = QVBoxLayout(failed)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.no_failures, 0, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.failures)
        self.tabs.addTab(failed, "Failures")
        self.tabs.addTab(self.lines, "Recovery log")
        self.tabs.addTab(self.answer.figures, "Figures")
        self.control.place_at_side(self.answer.ways)
        plots = QSplitter()
        plots.addWidget(self.histogram)
        plots.addWidget(self.drift)
        self.pictures = QTabWidget()
        self.pictures.setDocumentMode(True)
        for widget, title in (
            (scrolled(self.answer.overview), "Overview"),
            (plots, "Times"),
            (scrolled(self.phases), "Phases"),
            (self.evidence, "Evidence"),
        ):
            self.pictures.addTab(widget, title)
        lower = QSplitter(Qt.Orientation.Vertical)
        lower.addWidget(self.pictures)
        lower.addWidget(self.tabs)
        around_px = self.tabs.tabBar().sizeHint().height() + 4 * self.failures.frameWidth()
        lower.setSizes([_PICTURES_PX, around_px + _ROWS_SHOWN * self._row_px])
        lower.setStretchFactor(0, 1)
        self.pictures.setMinimumHeight(_PLOTS_PX)
        self.tabs.setMinimumHeight(_TABS_PX)
        right = QWidget()
        rows = QVBoxLayout(right)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.control)
        rows.addWidget(self.answer)
        rows.addWidget(lower, 1)
        for each in (plots, lower):
            each.setChildrenCollapsible(False)
        return with_side((self.setting, self.setting.extras, self.editor), right)

    def _make_menu(self) -> Sequence[QAction]:
        here = partial(self._choose_store, here=True)
        return (
            *self.control.menu_actions,
            *self.editor.menu_actions,
            *self.answer.menu_actions,
            keyed_action(self, "Load a plan …", "Ctrl+Shift+O", self._load_plan),
            keyed_action(self, "Resume a store …", "", self._choose_store),
            keyed_action(self, "Resume a store on the rig above …", "", here),
            keyed_action(self, "Show the first failure", "Ctrl+E", self._first_failure),
        )

    def _first_failure(self) -> None:
        if self.failures.count():
            self._failure_chosen(self.failures.item(0))
        else:
            self.desk.show_status(no_failure_words(self.desk.state.campaign))

    def _load_plan(self) -> None:
        self._ask("Load a plan", "Plans (*.toml)", self.editor.load)

    def _choose_store(self, *, here: bool = False) -> None:
        resume = partial(self.resume_store, here=here)
        suffixes = "Stores (*.rrs);;All files (*)"
        self._ask("Resume a store", suffixes, lambda name: resume(Path(name)))

    def _ask(self, title: str, suffixes: str, then: Callable[[str], None]) -> None:
        ask_to_open(
            self,
            self.desk.remembered,
            title,
            lambda names: then(names[0]),
            suffixes=suffixes,
            mode=QFileDialog.FileMode.ExistingFile,
        )
