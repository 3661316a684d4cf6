"""The page of a store or a capture: its cycles in a table, and the one that is chosen."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.gui.desk import Desk
from resume_rig.gui.explorer.capture import OpenedCapture, open_capture
from resume_rig.gui.explorer.capture_options import CaptureOptionsWindow
from resume_rig.gui.explorer.cycle import CycleText, CycleWave
from resume_rig.gui.explorer.following import Following
from resume_rig.gui.explorer.measured import Measured, Pick, measure_all
from resume_rig.gui.explorer.state import (
    USUAL,
    Detail,
    Explored,
    Quick,
    StoreLook,
    explore,
    look_at,
    read_detail,
    read_quick,
    with_newer,
)
from resume_rig.gui.explorer.strip import RESUME, CycleStrip, FilterLine
from resume_rig.gui.request import CaptureOptions, Target
from resume_rig.gui.state.lanes import Evidence, read_evidence
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.state.table import NO_TABLE
from resume_rig.gui.widgets.export import Exportable
from resume_rig.gui.widgets.first_screen import FirstScreenView
from resume_rig.gui.widgets.labels import VerdictLine, plain_label, show_text
from resume_rig.gui.widgets.page import Docks, View, keyed_action, scrolled
from resume_rig.gui.widgets.store_menu import ShownStore
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.worker.jobs import JobSlot, Task
from resume_rig.gui.worker.process import Order
from resume_rig.model.result.verdict import USUAL_REQUIREMENT
from resume_rig.model.units import count_of
from resume_rig.oslog.reading import is_sqlite_file
from resume_rig.report.parts.page import badge
from resume_rig.rig.capture.reading import is_capture

_ACROSS: Final = (530, 650)
_DOWN: Final = (620, 110)
_LEFT_DOWN: Final = (200, 530)
_WAVE_LEAST_PX: Final = 180
_INVITATION: Final = (
    "Drop a store here, or a logic analyser's capture with the PC's log; Ctrl+O opens them."
)
_OPTIONS: Final = "Capture options …"


class ExplorerView(View):
    """Left: the table. Right: the selected cycle."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._path: Path | None = None
        self._logs: tuple[Path, ...] = ()
        self._is_capture = False
        self._opened: OpenedCapture | None = None
        self._wanted: int | None = None
        self._begun_at: int | None = None
        self._quick: Quick | None = None
        self._explored: Explored | None = None
        self._number: int | None = None
        self._reading, self._detailing = JobSlot(), JobSlot()
        self._deriving, self._measuring = JobSlot(), JobSlot()
        self._measured: Measured | None = None
        self._detail: Detail | None = None
        self._offered = CaptureOptions()
        self.following = Following(
            desk,
            self,
            newer=self._show_newer,
            derive=self._derive_again,
            changed=self._show_file,
            failed=self._fail,
        )
        self.file = plain_label(_INVITATION)
        self.options = CaptureOptions()
        self.ask_button = QPushButton(_OPTIONS)
        self.ask_button.setToolTip("Ctrl+I")
        self.ask_button.clicked.connect(self.ask_options)
        self._wrong = ""
        self.verdict = VerdictLine(desk)
        self.verdict.keep_room()
        self.cycles = TablePanel(desk, "Cycles", filtered=False, hides_constants=True)
        self.narrowing = FilterLine(desk, self.cycles)
        self.filter, self.wrong = self.narrowing.line, self.narrowing.wrong
        self.strip = CycleStrip(desk)
        self.strip.chosen.connect(self.cycles.choose)
        self.strip.kept.connect(self.narrowing.keep_range)
        self.cycles.chosen.connect(self._choose_row)
        self.wave = CycleWave(desk)
        self.wave.wanted.connect(self._measure_all)
        self.text = CycleText()
        self.overview = FirstScreenView(desk)
        self.overview.chosen.connect(self._choose_number)
        self._behind = QAction("Median cycle behind the wires", self)
        self._behind.setShortcut(QKeySequence("Ctrl+B"))
        self._behind.setCheckable(True)
        self._behind.toggled.connect(self._switch_behind)
        self.docks = Docks(desk, "explorer/docks")
        self._lay_out()
        self._menu = self._make_menu()

    def open(self, target: Target) -> None:
        """Show a store, or a capture with its logs, or another cycle of what is shown."""
        self._wanted = target.cycle
        paths = tuple(sorted(target.paths, key=lambda path: not is_capture(path)))
        if paths and paths != (self._path, *self._logs):
            self._path, self._logs = paths[0], paths[1:]
            entered = self.desk.captures.get(paths[0], CaptureOptions())
            self._offered, self.options = self.options, entered
            self.narrowing.line.clear()
            self._read()
        elif target.cycle is not None and self._quick is not None:
            self._choose_number(target.cycle)

    def lift(self, part: str) -> None:
        """Bring a dock to the front."""
        self.docks.lift(part)

    def ask_options(self) -> None:
        """Ask for what a capture does not state itself, and read it again."""
        if self._path is None or not self._is_capture:
            self.desk.show_status("Capture options are those of a capture; no capture is open.")
            return
        options = self.options if self.options != CaptureOptions() else self._offered
        self._asking = CaptureOptionsWindow(self, options, self._wrong, self._take_options)
        self._asking.open()

    def _take_options(self, options: CaptureOptions) -> None:
        self.options = options
        self._read()

    def takes(self, paths: Sequence[str]) -> bool:
        """Return whether it is one store, or one capture with logs or without."""
        if len(paths) == 1 and is_sqlite_file(Path(paths[0])):
            return True
        captures = [path for path in paths if is_capture(Path(path))]
        return len(captures) == 1 and not any(is_sqlite_file(Path(path)) for path in paths)

    def view_actions(self) -> Sequence[QAction]:
        """Return the ways to the next cycle that is worth a look, and reading again."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return the table and the pictures of the cycle."""
        return (
            self.cycles,
            self.strip,
            self.wave.lanes.lanes,
            self.wave.lanes.light,
            self.wave.phases,
            self.overview.phases,
            self.overview.marks,
        )

    def shown_store(self) -> ShownStore | None:
        """Return the store, and the cycle that is selected."""
        if self._path is None or self._is_capture:
            return None
        return ShownStore(self._path, cycle=self._number)

    def settled(self) -> bool:
        """Return whether nothing is being read, and the filter is in force."""
        jobs = self._reading, self._detailing, self._measuring
        return self.narrowing.settled() and not any(job.busy for job in jobs)

    def _read(self) -> None:
        """Read what is there at once, then derive the rest."""
        path = self._path
        if path is None:
            return
        self.following.stop()
        for job in (self._reading, self._deriving, self._detailing, self._measuring):
            job.cancel()
        self._quick = self._explored = self._number = self._detail = self._measured = None
        self._behind.setChecked(False)
        self.overview.show_first(None)
        self.strip.release()
        self.wave.scale_light(0)
        self.notice.clear()
        self.verdict.hide()
        show_text(self.file, path.name)
        self.file.setToolTip(str(path))
        self._opened, self._is_capture = None, is_capture(path)
        self.ask_button.setVisible(self._is_capture)
        self._wrong = ""
        if self._is_capture:
            requirement = load_requirement(USUAL_REQUIREMENT)
            self.desk.jobs.start_process(
                f"Opening {path.name}",
                Order(open_capture, (path, self._logs, self.options, requirement)),
                self._show_capture,
                self._fail,
                slot=self._reading,
            )
            return
        self.cycles.show_usual(None)
        self.desk.jobs.start(
            f"Opening {path.name}",
            lambda _task: (look_at(path), read_quick(path)),
            self._show_quick,
            self._fail,
            slot=self._reading,
        )

    def _show_quick(self, found: tuple[StoreLook, Quick]) -> None:
        look, quick = found
        self._quick = quick
        self.cycles.show_table(quick.table)
        self.narrowing.apply()
        path = self._path
        if path is None:
            return
        self.following.start(path, look)
        self._show_file()
        self._explore(path, quick, self._reading)
        self._choose_first(quick)

    def _show_capture(self, opened: OpenedCapture) -> None:
        self._opened, self._quick = opened, opened.quick
        self.desk.captures[opened.path] = self.options
        self.cycles.show_table(opened.explored.table)
        self.narrowing.apply()
        self._show_explored(opened.explored)
        if opened.notes:
            self.notice.note(" ".join(opened.notes))
            self.notice.offer(_OPTIONS, self.ask_options)
        self._choose_first(opened.quick)

    def _choose_first(self, quick: Quick) -> None:
        """Choose the cycle that was asked for, or the first that went wrong, else the first."""
        numbers = quick.overview.numbers
        if not len(numbers):
            return
        self._begun_at = int(numbers[0]) if self._wanted is None else self._wanted
        self._choose_number(self._begun_at)
        self._go_to_failure()

    def _go_to_failure(self) -> None:
        """Go on to the first failure, once it is known, if nobody has chosen another cycle."""
        explored = self._explored
        first = None if explored is None else explored.first_wrong
        chosen = self._wanted is not None or self._number not in (None, self._begun_at)
        if first is not None and not chosen:
            self._begun_at = first
            self._choose_number(first)

    def _explore(self, path: Path, quick: Quick, job: JobSlot) -> None:
        self.desk.jobs.start_process(
            f"Reading {path.name}",
            Order(explore, (path, quick.overview)),
            self._show_explored,
            self._fail,
            quiet=job is self._deriving,
            slot=job,
        )

    def _show_explored(self, explored: Explored) -> None:
        self._explored = explored
        self.following.derived(well=True)
        self.verdict.show_verdict(badge(explored.verdict), explored.text)
        self.overview.show_first(explored.first)
        self.wave.scale_light(explored.most_light)
        self._grow()
        if self._measured is not None:
            self._measure_all(self._measured.first, self._measured.second)
        self.desk.show_status(
            f"{count_of(len(explored.cycles), 'cycle')} read; "
            f"{len(explored.outliers) or 'none'} worth a look (Alt+Down)."
        )
        if self._number is not None:
            number, self._number = self._number, None
            self._read_detail_of(number)
        self._go_to_failure()

    def _show_newer(self, quick: Quick) -> None:
        """Put the cycles that came since below the others."""
        first = self._quick is None or not len(self._quick.table)
        self._quick = quick
        self._grow()
        if first and len(quick.table):
            self._choose_number(int(quick.overview.numbers[0]))

    def _derive_again(self) -> None:
        path, quick = self._path, self._quick
        if path is not None and quick is not None:
            self._explore(path, quick, self._deriving)

    def _grow(self) -> None:
        """Show what has been read by now; place, order, filter and the selected cycle stay."""
        explored, quick = self._explored, self._quick
        if quick is None:
            return
        table = quick.table if explored is None else with_newer(explored.table, quick.table)
        by_hand = self._measured
        if by_hand is not None:
            table = by_hand.added_to(table)
        title = RESUME if by_hand is None else by_hand.title
        self.cycles.show_usual(None if explored is None else (*USUAL, title))
        self.cycles.grow_table(table)
        self.strip.show_cycles(table, quick.requirement.resume_limit_ms, title)
        self.narrowing.apply_again(quiet=self.following.writing)
        self._show_file()

    def _show_file(self) -> None:
        """Show what is open, and how final what is shown of it is."""
        path, quick, explored = self._path, self._quick, self._explored
        if path is None or quick is None:
            return
        count = len(self.cycles.model.table)
        parts = [count_of(count, "cycle")]
        if self._is_capture:
            parts.append(_with_logs(self._logs))
            parts.extend(filter(None, (self.options.words,)))
        if self.following.writing:
            parts.append("being written")
        if explored is None:
            parts.append("outcomes are provisional until all of it is read")
        elif len(explored.cycles) < count:
            parts.append(f"the last {count - len(explored.cycles)} are not judged yet")
        self.narrowing.wait_for(count - (0 if explored is None else len(explored.cycles)))
        show_text(self.file, f"{path.name}: {'; '.join(parts)}")

    def _fail(self, sentence: str) -> None:
        self.following.derived(well=False)
        if self._quick is None:
            # Nothing of another store stays under the name of this one.
            self.cycles.show_table(NO_TABLE)
            self.strip.show_cycles(NO_TABLE, None)
            self.wave.clear()
            self.text.clear()
        self._show_file()
        self.notice.fail(sentence)
        if self._is_capture:
            self._wrong = in_window(sentence)
            self.notice.offer(_OPTIONS, self.ask_options)
        self.desk.show_status(f"The {'capture' if self._is_capture else 'store'} was not read.")

    def _choose_number(self, number: int) -> None:
        if self._quick is None:
            return
        rows = np.flatnonzero(self.cycles.model.table.columns[0].values == number)
        if not len(rows):
            last = int(self._quick.overview.numbers[-1]) if len(self._quick.overview.numbers) else 0
            self.notice.fail(f"There is no cycle {number}; the store has cycles 1 to {last}.")
            return
        self.cycles.choose(int(rows[0]))
        self._choose_row(int(rows[0]))

    def _choose_row(self, row: int) -> None:
        path, quick = self._path, self._quick
        number = int(self.cycles.model.table.columns[0].values[row])
        if path is None or quick is None or number == self._number:
            return
        self._read_detail_of(number)

    def _read_detail_of(self, number: int) -> None:
        path, quick = self._path, self._quick
        if path is None or quick is None:
            return
        self._number = number
        row = int(np.searchsorted(quick.overview.numbers, number))
        self._detailing.cancel()
        if self._opened is not None:
            self._show_detail(self._opened.detail(row))
            return
        explored, limit_ms = self._explored, quick.requirement.resume_limit_ms

        def work(_task: Task) -> Detail:
            cycle = (
                explored.cycles[row]
                if explored is not None and row < len(explored.cycles)
                else None
            )
            return read_detail(path, number, cycle, limit_ms)

        self.desk.jobs.start(
            f"Reading cycle {number}",
            work,
            self._show_detail,
            self.text.setPlainText,
            slot=self._detailing,
        )

    def _show_detail(self, detail: Detail) -> None:
        before, self._detail = self._detail, detail
        number = detail.evidence.outside.number
        self.desk.show_status(f"Cycle {number}")
        is_same = before is not None and before.evidence.outside.number == number
        if is_same and before is not None and before.cycle == detail.cycle is not None:
            return  # A store that is followed was read again; nothing is new of this cycle.
        self.wave.show_detail(detail, stay=before is not None)
        self.text.show_detail(detail)

    def _step(self, *, forward: bool) -> None:
        """Go to the next row on the screen that is worth a look."""
        if self._explored is None:
            self.desk.show_status("Cycles worth a look are named when the whole store is read.")
            return
        shown = self.cycles.model.rows
        worth = np.flatnonzero(np.isin(shown, self._explored.outliers))
        here = self.cycles.view.currentIndex().row()
        beyond = worth[worth > here] if forward else worth[worth < here][::-1]
        if not len(beyond):
            self.desk.show_status(f"No cycle {'below' if forward else 'above'} is worth a look.")
            return
        row = int(shown[beyond[0]])
        self.cycles.choose(row)

    def _measure_all(self, first: Pick, second: Pick) -> None:
        """Measure what was measured by hand in every cycle."""
        path = self._path
        if path is None:
            return
        if self._opened is not None:
            self._show_measured(self._opened.measure_all(first, second))
            return
        self.desk.jobs.start_process(
            f"Measuring {first.name} → {second.name}",
            Order(measure_all, (path, first, second)),
            self._show_measured,
            self._fail_measured,
            slot=self._measuring,
        )

    def _show_measured(self, found: Measured) -> None:
        self._measured = found
        self._grow()
        self.desk.show_status(found.words)

    def _fail_measured(self, sentence: str) -> None:
        self.desk.show_status("Nothing was measured.")
        self.notice.fail(sentence)

    def _show_all(self) -> None:
        """Let the strip show all cycles again, by their resume times."""
        self.strip.release()
        if self._measured is not None:
            self._measured = None
            self._grow()

    def _switch_behind(self) -> None:
        """Draw the cycle with the median resume time behind the one that is shown, or do not."""
        path, number = self._path, self._median_number()
        if not self._behind.isChecked():
            self.wave.show_behind(None)
        elif path is None or number is None:
            self._behind.setChecked(False)
            self.desk.show_status("No cycle has a resume time, so there is no median one.")
        elif self._opened is not None:
            numbers = self._opened.quick.overview.numbers
            self._show_behind(self._opened.evidence(int(np.searchsorted(numbers, number))))
        else:
            self.desk.jobs.start(
                f"Reading cycle {number}",
                lambda _: read_evidence(path, number),
                self._show_behind,
                self.desk.show_status,
            )

    def _show_behind(self, evidence: Evidence) -> None:
        if self._behind.isChecked():
            self.wave.show_behind(evidence)
            self.desk.show_status(
                f"Dotted: cycle {evidence.outside.number}, of the median resume time."
            )

    def _median_number(self) -> int | None:
        """Return the number of the cycle whose resume time is the lower median."""
        columns = {column.title: column for column in self.cycles.model.table.columns}
        if RESUME not in columns:
            return None
        times = columns[RESUME].values.astype(np.float64)
        measured = np.flatnonzero(~np.isnan(times))
        if not len(measured):
            return None
        order = measured[np.argsort(times[measured], kind="stable")]
        return int(columns["cycle"].values[order[(len(order) - 1) // 2]])

    def _lay_out(self) -> None:
        table = QWidget()
        column = QVBoxLayout(table)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.narrowing)
        column.addWidget(self.cycles, 1)
        scroll = scrolled(self.wave)
        scroll.setMinimumHeight(_WAVE_LEAST_PX)
        self.strip.heading.hide()
        self.cycles.heading.hide()
        self.docks.add("strip", "All cycles", self.strip)
        self.docks.add("cycles", "Cycles", table)
        self.docks.add("wave", "Wires, light, OS", scroll)
        self.docks.add("overview", "Overview", scrolled(self.overview))
        self.docks.add("text", "Findings and records", self.text)
        self.docks.begin(self._arrange)
        self.ask_button.hide()
        head = QHBoxLayout()
        head.addWidget(self.file, 1)
        head.addWidget(self.ask_button)
        self.content.addLayout(head)
        self.content.addWidget(self.verdict)
        self.content.addWidget(self.docks, 1)

    def _arrange(self) -> None:
        """Put every dock where it is before anybody moves one."""
        left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        docks = self.docks.docks
        for name, area in (("strip", left), ("cycles", left), ("wave", right), ("text", right)):
            self.docks.place(name, area)
        self.docks.place("overview", right)
        self.docks.tabifyDockWidget(docks["wave"], docks["overview"])
        docks["wave"].raise_()
        vertical = Qt.Orientation.Vertical
        self.docks.resizeDocks([docks["strip"], docks["cycles"]], list(_LEFT_DOWN), vertical)
        self.docks.resizeDocks([docks["wave"], docks["text"]], list(_DOWN), vertical)
        across = [docks["strip"], docks["wave"]]
        self.docks.resizeDocks(across, list(_ACROSS), Qt.Orientation.Horizontal)

    def _make_menu(self) -> Sequence[QAction]:
        rows: tuple[tuple[str, str, Callable[[], object]], ...] = (
            ("Next cycle worth a look", "Alt+Down", partial(self._step, forward=True)),
            ("Previous cycle worth a look", "Alt+Up", partial(self._step, forward=False)),
            ("Filter", "Ctrl+F", self.filter.setFocus),
            ("Markers on or off", "Ctrl+M", self.wave.measure.toggle),
            ("Whole cycle", "Ctrl+0", self.wave.show_whole),
            ("The wake alone", "Ctrl+W", self.wave.show_wake),
            ("All columns or the usual ones", "Ctrl+L", self.cycles.all_columns.toggle),
            ("All cycles again, by resume time", "Ctrl+R", self._show_all),
            (_OPTIONS, "Ctrl+I", self.ask_options),
        )
        return (
            *(keyed_action(self, *row) for row in rows),
            *self.wave.menu_actions,
            self._behind,
            *self.docks.menu_actions(),
            keyed_action(self, "Read the store again", "F5", self._read),
        )


def _with_logs(logs: Sequence[Path]) -> str:
    if not logs:
        return "the wires alone: drop the capture together with the PC's log for OS-reported times"
    return f"with {', '.join(path.name for path in logs)}"
