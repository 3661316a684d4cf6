"""The window: a rail of pages, the page that is shown, strips over it, and a line of status.

What concerns every page is here: failures of the campaign, what it asks a person to do, and its
end, which is judged and reported as `resume-rig run` does it, whichever page is shown.
"""

import gc
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from resume_rig.campaign.run.hooks import HookEvent
from resume_rig.gui.app.documents import Documents
from resume_rig.gui.app.menus import Menus, new_view
from resume_rig.gui.desk import RECENT, AskPath, Desk, Remembered
from resume_rig.gui.request import NO_WISH, VIEW_NAMES, BenchWish, Target
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.state.store_writing import CampaignJudged
from resume_rig.gui.theme import Look
from resume_rig.gui.widgets.export import ask_path_with
from resume_rig.gui.widgets.labels import (
    ElidedLabel,
    plain_label,
    show_elided,
    show_text,
    text_label,
)
from resume_rig.gui.widgets.page import Strip, View
from resume_rig.gui.widgets.store_menu import ask_to_open
from resume_rig.gui.worker.bench_state import DeskState
from resume_rig.gui.worker.campaign_state import CampaignState, Phase, no_failure_words
from resume_rig.gui.worker.events import CampaignJudging, CampaignUnjudged, Event, RunCampaign
from resume_rig.gui.worker.jobs import Jobs, JobSlot
from resume_rig.gui.worker.process import Order
from resume_rig.gui.worker.rig_worker import RigWorker
from resume_rig.model.errors import RigError, UsageError
from resume_rig.model.evidence import SIMULATED
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import count_of

# What reads stores is imported when a campaign is over: the window is there sooner.
_NOTHING = "no cycle was measured, so there is no answer"


class CampaignJudge:
    """Watches the campaign; judges it once when it is over.

    Args:
        desk: of the application.
        emit: takes what came of it, as it takes what the rig's thread reports.
    """

    def __init__(self, desk: Desk, emit: Callable[[tuple[Event, ...]], None]) -> None:
        self._desk = desk
        self._emit = emit
        self._attempt = 0
        self._job = JobSlot()

    def refresh(self) -> None:
        """Begin to judge a campaign that is over since the last time."""
        state = self._desk.state.campaign
        if state.phase.active:
            self._job.cancel()
        order = self._desk.worker.order
        ended = not state.phase.active and state.phase is not Phase.NONE
        if not ended or state.attempt == self._attempt or order is None:
            return
        self._attempt = state.attempt
        if state.path is None:
            return
        if not order.store.exists():
            self._emit((CampaignUnjudged(_NOTHING),))
            return
        from resume_rig.gui.state.store_writing import conclude

        self._emit((CampaignJudging(),))
        self._desk.jobs.start_process(
            f"Judging {order.store.name}",
            Order(conclude, (order.store, order.requirement, order.report_path)),
            partial(self._done, order),
            partial(self._fail, order),
            slot=self._job,
        )

    def _done(self, order: RunCampaign, judged: CampaignJudged) -> None:
        self._emit((judged,))
        self._desk.show_status(f"{judged.verdict.value}; the report is {judged.report}.")
        self._run_hook(order, judged.verdict, judged.why)

    def _fail(self, order: RunCampaign, sentence: str) -> None:
        self._emit((CampaignUnjudged(sentence),))
        self._run_hook(order, None, sentence)

    def _run_hook(self, order: RunCampaign, verdict: Verdict | None, text: str) -> None:
        """Run the command on end, if there is one; a fault goes before what was judged."""
        from resume_rig.gui.worker.campaign_session import run_end_hook

        if HookEvent.END not in order.hooks:
            return
        state = self._desk.state.campaign
        reason = state.text if state.phase is Phase.FAILED else text
        self._desk.jobs.start(
            "Running the command at the end",
            lambda _: run_end_hook(order, verdict, reason),
            self._show_problems,
            self._desk.show_status,
        )

    def _show_problems(self, problems: list[str]) -> None:
        for problem in problems:
            self._desk.show_status(problem)


class FailureAlarm(Strip):
    """Names the first failure, counts the others, and is one click from the evidence."""

    def __init__(self, desk: Desk) -> None:
        sentence = ElidedLabel()
        first, newest = QPushButton("Show the first"), QPushButton("Show the newest")
        dismiss = QPushButton("Dismiss")
        super().__init__(sentence, first, newest, dismiss)
        self._desk = desk
        self._sentence, self._newest = sentence, newest
        self._shown: CampaignState | None = None
        self._dismissed: tuple[object, int] | None = None
        first.setObjectName("first")
        first.clicked.connect(lambda: self.show_failure(0))
        newest.clicked.connect(lambda: self.show_failure(-1))
        dismiss.setToolTip("Until another cycle fails (Ctrl+Shift+D)")
        dismiss.clicked.connect(self.dismiss)

    def refresh(self) -> None:
        """Show what the campaign has come to."""
        campaign = self._desk.state.campaign
        if campaign is self._shown:
            return
        self._shown = campaign
        self.setVisible(bool(campaign.failures) and self._dismissed != _failed_of(campaign))
        if campaign.failures:
            provisional = " so far" if campaign.provisional else ""
            count = count_of(campaign.failed, "cycle")
            text = f"{count} failed{provisional}. First: {campaign.failures[0].sentence}"
            show_elided(self._sentence, in_window(text))
            self._newest.setVisible(len(campaign.failures) > 1)

    def dismiss(self) -> None:
        """Hide until another cycle fails, or another campaign's."""
        self._dismissed = _failed_of(self._desk.state.campaign)
        self.hide()

    def show_failure(self, place: int) -> None:
        """Show the evidence of a failure: 0 is the first, -1 the newest."""
        campaign = self._desk.state.campaign
        if not campaign.failures:
            self._desk.show_status(no_failure_words(campaign))
        elif campaign.path is not None:
            number = campaign.failures[place].number
            self._desk.go("campaign", Target((campaign.path,), number))


def _failed_of(campaign: CampaignState) -> tuple[object, int]:
    return campaign.path, campaign.failed


_PLUG = "The rig does not answer. Look at its plug: the campaign goes on when it is back."


class SimulatedStrip(Strip):
    """Stays while the rig that is open, or the campaign that runs, measures no PC."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(text_label())
        show_text(self.label, SIMULATED)
        self._desk = desk

    def refresh(self) -> None:
        """Show whether it does."""
        bench, campaign = self._desk.state.bench, self._desk.state.campaign
        rig = bench.info is not None and bench.simulated
        self.setVisible(rig or (campaign.phase.active and campaign.simulated))


class PersonStrip(Strip):
    """Asks a person for help, and has the button that answers."""

    def __init__(self, desk: Desk) -> None:
        done = QPushButton("It is done")
        super().__init__(text_label(), done)
        self._desk, self.done = desk, done
        self.done.clicked.connect(self.answer)

    def refresh(self) -> None:
        """Show what is asked, if anything is."""
        campaign = self._desk.state.campaign
        waiting = campaign.phase is Phase.WAITING
        show_text(self.label, in_window(campaign.asked) or (_PLUG if waiting else ""))
        self.done.setVisible(bool(campaign.asked))
        self.setVisible(waiting or bool(campaign.asked))

    def answer(self) -> None:
        """Let the campaign look again, if it asks."""
        if not self._desk.state.campaign.asked:
            self._desk.show_status("Nobody was asked for anything.")
            return
        self._desk.worker.gate.answer()
        self._desk.show_status("The campaign looks whether the DUT is back.")


_EVERY_MS: Final = 250


class Sweeper(QObject):
    """Takes the garbage collector over from Python until `stop`, and runs it in this thread.

    A circle of objects with a widget in it must not be freed by whichever thread happens to make
    the next object: Qt's objects belong to the window's thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self._thresholds = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.sweep)
        self._timer.start()

    def sweep(self) -> None:
        """Collect the generations that are due, as Python itself would."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Give the collector back."""
        self._timer.stop()
        gc.enable()


FRAME_MS: Final = 16
USUAL_SIZE: Final = (1280, 820)
_LEFT_SIGNS: Final = 20
"""Room for names of documents; whoever has longer ones drags the border."""
_CLOSING = (
    "A campaign is running. Close the window again to stop it; what was measured is kept, and "
    "can be resumed."
)


class Window(QMainWindow):
    """The application's window.

    Args:
        look: colours.
        remembered: state that outlives it.
        ask_path: asks where to write files; None opens the system's dialog.
        wish: what is to be done with a rig at once.
    """

    def __init__(
        self,
        look: Look,
        remembered: Remembered,
        ask_path: AskPath | None = None,
        *,
        wish: BenchWish = NO_WISH,
    ) -> None:
        super().__init__()
        self.setWindowTitle("resume-rig")
        self.setAcceptDrops(True)
        self._sweeper = Sweeper()
        self.jobs, self.worker = Jobs(), RigWorker()
        self.desk = Desk(
            look=look,
            remembered=remembered,
            jobs=self.jobs,
            worker=self.worker,
            state=DeskState(),
            go=self.go,
            show_status=self.show_status,
            open=self.ask_for_files,
            open_files=self.open_files,
            ask_path=ask_path or ask_path_with(self),
            wish=wish,
        )
        self._views: dict[str, View] = {}
        self._opened: dict[str, Target] = {}
        self._wants_to_close = False
        self._build()
        self.menus = Menus(self, self.desk, self._own_actions())
        self._judge = CampaignJudge(self.desk, self.desk.state.take)
        self.worker.reported.connect(self.desk.state.take)
        self.jobs.changed.connect(self._show_job)
        self._frames = QTimer(self)
        self._frames.setInterval(FRAME_MS)
        self._frames.timeout.connect(self._refresh)
        self._frames.start()
        self._restore()

    @property
    def view(self) -> View | None:
        """The page that is shown."""
        shown = self._stack.currentWidget()
        return shown if isinstance(shown, View) else None

    @property
    def view_name(self) -> str:
        """Its name; empty before any is shown."""
        return "" if self.view is None else self.view.objectName()

    @property
    def status(self) -> str:
        """The sentence on the status line."""
        return self._status.text()

    def go(self, name: str, target: Target | None = None) -> None:
        """Show a page, one of VIEW_NAMES, and let it open something."""
        view = self._made(name)
        # A hidden page asks for no room: a small screen has to hold one at a time.
        for each in self._views.values():
            fits = QSizePolicy.Policy.Preferred if each is view else QSizePolicy.Policy.Ignored
            each.setSizePolicy(fits, fits)
        self._stack.setCurrentWidget(view)
        self._rail.setCurrentRow(VIEW_NAMES.index(name))
        if target is not None:
            view.open(target)
            self._opened[name] = target if target.paths else self._opened.get(name, target)
            if target.paths:
                self.documents.add(name, target.paths)
            for path in reversed(target.paths):
                self.desk.remembered.keep_newest(RECENT, str(path.absolute()))
        view.refresh()
        self.menus.show_view(view)

    def lift(self, name: str, target: Target, part: str) -> None:
        """Show a document in a page, with a part of the page in front; empty: as it is."""
        self.go(name, target)
        if part and self.view is not None:
            self.view.lift(part)

    def show_status(self, text: str) -> None:
        """Put a sentence on the status line until the next one."""
        show_text(self._status, in_window(text))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what runs, remember what is worth it; a running campaign asks for a second try."""
        if self.desk.state.campaign.phase.active and not self._wants_to_close:
            self._wants_to_close = True
            if self.view is not None:
                self.view.notice.fail(_CLOSING)
            event.ignore()
            return
        self._frames.stop()
        self._remember()
        self.jobs.close()
        self.worker.close()
        self._sweeper.stop()
        event.accept()

    def close_at_once(self) -> None:
        """Stop what runs and close, as a signal to the process asks for it."""
        self._wants_to_close = True
        self.close()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files that a page may be able to read."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open dropped files in the page that takes them; the one that is shown is asked first."""
        self.open_files(url.toLocalFile() for url in event.mimeData().urls())

    def ask_for_files(self) -> None:
        """Ask for files, and open them."""
        ask_to_open(self, self.desk.remembered, "Open stores or logs", self.open_files)

    def open_files(self, names: Iterable[str], cycle: int | None = None) -> None:
        """Open files in the page that takes them; the one that is shown is asked first."""
        paths = tuple(filter(None, names))
        shown = [self.view_name] if self.view_name else []
        for name in (*shown, *VIEW_NAMES):
            if paths and self._made(name).takes(paths):
                self.go(name, Target(tuple(map(Path, paths)), cycle))
                return
        if self.view is None:
            self.go("start")
        self.show_status(f"No view opens {', '.join(paths) or 'that'}.")

    def _made(self, name: str) -> View:
        if name not in self._views:
            self._views[name] = new_view(name, self.desk)
            self._stack.addWidget(self._views[name])
        return self._views[name]

    def _build(self) -> None:
        self._stack = QStackedWidget()
        self.alarm, self.person = FailureAlarm(self.desk), PersonStrip(self.desk)
        self.simulated = SimulatedStrip(self.desk)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.simulated)
        column.addWidget(self.person)
        column.addWidget(self.alarm)
        column.addWidget(self._stack, 1)
        left = self._new_side()
        self._middle = QSplitter()
        self._middle.addWidget(left)
        self._middle.addWidget(right)
        self._middle.setChildrenCollapsible(False)
        self._middle.setStretchFactor(1, 1)
        left_px = max(left.minimumWidth(), _LEFT_SIGNS * self.fontMetrics().averageCharWidth())
        self._middle.setSizes([left_px, USUAL_SIZE[0] - left_px])
        self.setCentralWidget(self._middle)
        self._fill_status_bar()

    def _new_side(self) -> QWidget:
        """Return the rail of pages over the open documents."""
        self._rail = QListWidget()
        self._rail.setObjectName("rail")
        self._rail.setAccessibleName("Views")
        height = self.fontMetrics().height() + 18
        for name in VIEW_NAMES:
            item = QListWidgetItem(name.capitalize())
            item.setSizeHint(QSize(0, height))
            self._rail.addItem(item)
        self._rail.setFixedHeight(len(VIEW_NAMES) * height + 2 * self._rail.frameWidth())
        self._rail.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._rail.currentRowChanged.connect(self._rail_chosen)
        self.documents = Documents(self.desk, self.lift)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._rail)
        column.addWidget(self.documents, 1)
        column.addStretch(0)
        side.setMinimumWidth(self.fontMetrics().horizontalAdvance("Requirement") + 36)
        return side

    def _fill_status_bar(self) -> None:
        self._status = plain_label()
        self._link = plain_label(role="soft")
        self._job = QProgressBar()
        self._job.setFixedWidth(180)
        self._job.setAccessibleName("Progress of the job")
        self._cancel = QPushButton("Cancel")
        self._cancel.setToolTip("Esc")
        self._cancel.clicked.connect(self.cancel_job)
        bar = self.statusBar()
        bar.addWidget(self._status, 1)
        for widget in (self._job, self._cancel, self._link):
            bar.addPermanentWidget(widget)
        self._job.hide()
        self._cancel.hide()

    def _own_actions(self) -> Iterable[tuple[str, str, Callable[[], object]]]:
        return (
            ("&Cancel the work that is shown below", "Esc", self.cancel_job),
            ("Show the &first failure", "Ctrl+Shift+F", partial(self.alarm.show_failure, 0)),
            ("Show the &newest failure", "Ctrl+Alt+F", partial(self.alarm.show_failure, -1)),
            ("&Open documents", "F6", self.documents.tree.setFocus),
            ("What I was asked for is &done", "Ctrl+D", self.person.answer),
            ("&Dismiss the notices", "Ctrl+Shift+D", self.dismiss),
        )

    def _rail_chosen(self, row: int) -> None:
        if 0 <= row < len(VIEW_NAMES) and VIEW_NAMES[row] != self.view_name:
            self.go(VIEW_NAMES[row])

    def _refresh(self) -> None:
        if self.view is not None:
            self.view.refresh()
        self.alarm.refresh()
        self.person.refresh()
        self.simulated.refresh()
        self._judge.refresh()
        desk_state = self.desk.state
        campaign = desk_state.campaign.phase
        state = f"campaign: {campaign}" if campaign.active else f"rig: {desk_state.bench.link}"
        show_text(self._link, state)

    def _show_job(self) -> None:
        task = self.jobs.running
        self._job.setVisible(task is not None)
        self._cancel.setVisible(task is not None)
        if task is None:
            return
        self.show_status(task.name)
        self._job.setRange(0, task.of)
        self._job.setValue(task.done)

    def cancel_job(self) -> None:
        """Cancel the work that the status line shows."""
        task = self.jobs.running
        if task is not None:
            task.give_up()
            self.show_status(f"Cancelled: {task.name}")

    def dismiss(self) -> None:
        """Take the notice of the page away, and the strip of failures."""
        self.alarm.dismiss()
        if self.view is not None:
            self.view.notice.clear()

    def _restore(self) -> None:
        if not self.restoreGeometry(self.desk.remembered.bytes("window/geometry")):
            self.resize(*USUAL_SIZE)
        self._middle.restoreState(self.desk.remembered.bytes("window/columns"))

    def _remember(self) -> None:
        remembered = self.desk.remembered
        remembered.keep("window/geometry", self.saveGeometry())
        remembered.keep("window/columns", self._middle.saveState())
        remembered.keep("window/view", self.view_name)
        self.documents.keep()
        shown = self._opened.get(self.view_name, Target())
        remembered.keep("window/files", "\n".join(str(path.absolute()) for path in shown.paths))
        remembered.keep("window/theme", self.desk.look.name.value)
        remembered.close()


PATIENCE_S: Final = 180.0
_FRAME_MS: Final = 20
_LAST_FRAMES: Final = 10


def take_screenshot(window: Window, path: Path) -> None:
    """Wait until the page is settled, write the window to `path`, and close it.

    Raises:
        UsageError: the file cannot be written.
        RigError: the page did not settle.
    """
    try:
        _wait(window)
        for _ in range(_LAST_FRAMES):
            _frame()
        picture = window.grab()
        if not picture.save(str(path), "PNG"):
            raise UsageError(
                f"could not write the screenshot {path}: its folder is not there or cannot be "
                "written to; name a file in a folder that can be written to"
            )
    finally:
        window.close_at_once()


def _wait(window: Window) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while window.jobs.running is not None or not (window.view is None or window.view.settled()):
        _frame()
        if time.monotonic() > until_s:
            raise RigError(
                f"could not take a screenshot of {window.view_name}: it was not complete after "
                f"{PATIENCE_S:.0f} s; look at the window itself, without --screenshot"
            )


def _frame() -> None:
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, _FRAME_MS)
    time.sleep(_FRAME_MS / 2_000)
