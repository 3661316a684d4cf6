"""All cycles of a store: sorted, filtered, and each with its wires, light, phases and findings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QSplitter, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.cycle_table import ALIASES
from resume_rig.gui.state.explored import (
    Detail,
    Explored,
    Quick,
    explore,
    read_detail,
    read_quick,
)
from resume_rig.gui.state.following import Sight, look_at
from resume_rig.gui.state.newer_cycles import with_newer
from resume_rig.gui.state.row_filter import MOST_SIGNS, rows_of_filter
from resume_rig.gui.state.table import NO_TABLE
from resume_rig.gui.store_menu import ShownStore
from resume_rig.gui.views.explorer_follow import Following
from resume_rig.gui.views.view import View
from resume_rig.gui.widgets.cycle_text import CycleText
from resume_rig.gui.widgets.cycle_wave import CycleWave
from resume_rig.gui.widgets.exportable import Exportable
from resume_rig.gui.widgets.labels import plain_label, show_text
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.widgets.verdict_line import VerdictLine
from resume_rig.gui.worker.apart import Order
from resume_rig.gui.worker.jobs import Task
from resume_rig.model.units import count_of
from resume_rig.report.page_parts import badge

_STORE: Final = b"SQLite format 3\x00"
_ACROSS: Final = (460, 720)
_DOWN: Final = (580, 150)
_WAVE_LEAST_PX: Final = 180
_INVITATION: Final = "Drop a store here, or open one with Ctrl+O."
_HINT: Final = "Filter, e.g.  outcome is dark and wake by LID  or  to light above p99"


class ExplorerView(View):
    """Left: the table. Right: the selected cycle."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._path: Path | None = None
        self._wanted: int | None = None
        self._quick: Quick | None = None
        self._explored: Explored | None = None
        self._number: int | None = None
        self._reading: Task | None = None
        self._detailing: Task | None = None
        self._filtering: Task | None = None
        self._deriving: Task | None = None
        self._detail: Detail | None = None
        self._in_force = ""
        self.following = Following(
            desk,
            self,
            newer=self._show_newer,
            derive=self._derive_again,
            told=self._tell_file,
            failed=self._fail,
        )
        self.file = plain_label(_INVITATION)
        self.verdict = VerdictLine(desk)
        self.verdict.keep_room()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(_HINT)
        self.filter.setAccessibleName("Filter cycles")
        self.filter.setMaxLength(MOST_SIGNS)
        self.filter.setClearButtonEnabled(True)
        self.filter.returnPressed.connect(self._apply_filter)
        self.filter.textChanged.connect(self._cleared)
        self.wrong = plain_label(role="error")
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        self.cycles = TablePanel(desk, "Cycles", filtered=False)
        self.cycles.chosen.connect(self._choose_row)
        self.wave = CycleWave(desk)
        self.text = CycleText()
        self._lay_out()
        self._menu = self._make_menu()

    def open(self, target: Target) -> None:
        """Show a store, or another cycle of the one that is shown."""
        self._wanted = target.cycle
        if target.paths and target.paths[0] != self._path:
            self._path = target.paths[0]
            self._read()
        elif target.cycle is not None and self._quick is not None:
            self._choose_number(target.cycle)

    def takes(self, paths: Sequence[str]) -> bool:
        """Return whether it is one store."""
        return len(paths) == 1 and _is_store(Path(paths[0]))

    def view_actions(self) -> Sequence[QAction]:
        """Return the ways to the next cycle that is worth a look, and reading again."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return the table and the pictures of the cycle."""
        return self.cycles, self.wave.lanes.lanes, self.wave.lanes.light, self.wave.phases

    def shown_store(self) -> ShownStore | None:
        """Return the store, and the cycle that is selected."""
        return None if self._path is None else ShownStore(self._path, cycle=self._number)

    def settled(self) -> bool:
        """Return whether nothing is being read."""
        return self._reading is self._detailing is self._filtering is None

    def _read(self) -> None:
        """Read what is there at once, then derive the rest."""
        path = self._path
        if path is None:
            return
        self.following.stop()
        for task in (self._reading, self._deriving, self._detailing):
            if task is not None:
                task.cancel()
        self._quick = self._explored = self._number = self._detail = None
        self._deriving = self._detailing = None
        self.notice.clear()
        self.verdict.hide()
        show_text(self.file, path.name)
        self.file.setToolTip(str(path))
        self._reading = self.desk.jobs.start(
            f"Opening {path.name}",
            lambda _task: (look_at(path), read_quick(path)),
            self._show_quick,
            self._fail,
        )

    def _show_quick(self, found: tuple[Sight, Quick]) -> None:
        sight, quick = found
        self._quick = quick
        self.cycles.show_table(quick.table)
        self._apply_filter()
        path = self._path
        if path is None:
            return
        numbers = quick.overview.numbers
        self.following.start(path, sight)
        self._tell_file()
        self._reading = self.desk.jobs.start_apart(
            f"Reading {path.name}",
            Order(explore, (path, quick.overview)),
            self._show_explored,
            self._fail,
        )
        if len(numbers):
            self._choose_number(int(numbers[0]) if self._wanted is None else self._wanted)

    def _show_explored(self, explored: Explored) -> None:
        self._reading = self._deriving = None
        self._explored = explored
        self.following.derived(well=True)
        self.verdict.show_verdict(badge(explored.verdict), explored.why)
        self._grow()
        self.desk.say(
            f"{count_of(len(explored.cycles), 'cycle')} read; "
            f"{len(explored.outliers) or 'none'} worth a look (Alt+Down)."
        )
        if self._number is not None:
            number, self._number = self._number, None
            self._read_detail_of(number)

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
            self._deriving = self.desk.jobs.start_apart(
                f"Reading {path.name}",
                Order(explore, (path, quick.overview)),
                self._show_explored,
                self._fail,
                quiet=True,
            )

    def _grow(self) -> None:
        """Show what is known by now; place, order, filter and the selected cycle stay."""
        explored, quick = self._explored, self._quick
        if quick is None:
            return
        known = quick.table if explored is None else with_newer(explored.table, quick.table)
        self.cycles.grow_table(known)
        self._filter_again(quiet=True)
        self._tell_file()

    def _tell_file(self) -> None:
        """Say what is open, and how final what is shown of it is."""
        path, quick, explored = self._path, self._quick, self._explored
        if path is None or quick is None:
            return
        count = len(self.cycles.model.table)
        parts = [count_of(count, "cycle")]
        if self.following.writing:
            parts.append("being written")
        if explored is None:
            parts.append("outcomes are provisional until all of it is read")
        elif len(explored.cycles) < count:
            parts.append(f"the last {count - len(explored.cycles)} are not judged yet")
        show_text(self.file, f"{path.name}: {'; '.join(parts)}")

    def _fail(self, sentence: str) -> None:
        self._reading = self._deriving = None
        self.following.derived(well=False)
        if self._quick is None:
            # Nothing of another store stays under the name of this one.
            self.cycles.show_table(NO_TABLE)
            self.wave.clear()
            self.text.clear()
        self._tell_file()
        self.desk.say("The store was not read.")
        self.notice.fail(sentence)

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
        if self._detailing is not None:
            self._detailing.cancel()
        known, limit_ms = self._explored, quick.requirement.resume_limit_ms

        def work(_task: Task) -> Detail:
            cycle = known.cycles[row] if known is not None and row < len(known.cycles) else None
            return read_detail(path, number, cycle, limit_ms)

        self._detailing = self.desk.jobs.start(
            f"Reading cycle {number}", work, self._show_detail, self._fail_detail
        )

    def _show_detail(self, detail: Detail) -> None:
        self._detailing = None
        before, self._detail = self._detail, detail
        number = detail.evidence.outside.number
        self.desk.say(f"Cycle {number}")
        known = before is not None and before.evidence.outside.number == number
        if known and before is not None and before.cycle == detail.cycle is not None:
            return  # A store that is followed was read again; nothing is new of this cycle.
        self.wave.show_detail(detail, stay=known)
        self.text.show_detail(detail)

    def _fail_detail(self, sentence: str) -> None:
        self._detailing = None
        self.text.setPlainText(sentence)

    def _apply_filter(self) -> None:
        """Let what is typed be in force."""
        self._in_force = self.filter.text()
        self._filter_again()

    def _filter_again(self, *, quiet: bool = False) -> None:
        text, table = self._in_force, self.cycles.model.table
        if self._filtering is not None:
            self._filtering.cancel()
            self._filtering = None
        if not text.strip():
            self.wrong.hide()
            self.cycles.keep(None)
            return
        self._filtering = self.desk.jobs.start(
            "Filtering",
            lambda _: rows_of_filter(text, table, ALIASES),
            self._keep,
            self._refuse,
            quiet=quiet,
        )

    def _keep(self, rows: NDArray[np.bool_] | None) -> None:
        self._filtering = None
        self.wrong.hide()
        self.cycles.keep(rows)
        if not self.following.writing:
            self.desk.say(f"{count_of(len(self.cycles.model.rows), 'cycle')} kept by the filter.")

    def _refuse(self, why: str) -> None:
        self._filtering = None
        show_text(self.wrong, why)
        self.wrong.show()
        self.desk.say("The filter was not understood.")

    def _cleared(self, text: str) -> None:
        if not text:
            self._apply_filter()

    def _step(self, *, forward: bool) -> None:
        """Go to the next row on the screen that is worth a look."""
        if self._explored is None:
            self.desk.say("What is worth a look is known when the whole store is read.")
            return
        shown = self.cycles.model.rows
        worth = np.flatnonzero(np.isin(shown, self._explored.outliers))
        here = self.cycles.view.currentIndex().row()
        beyond = worth[worth > here] if forward else worth[worth < here][::-1]
        if not len(beyond):
            self.desk.say(f"No cycle {'below' if forward else 'above'} is worth a look.")
            return
        row = int(shown[beyond[0]])
        self.cycles.choose(row)

    def _lay_out(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 6, 0)
        column.addWidget(self.filter)
        column.addWidget(self.wrong)
        column.addWidget(self.cycles, 1)
        right = QSplitter(Qt.Orientation.Vertical)
        # In a small window the pictures keep their heights, and scroll.
        scroll = QScrollArea()
        scroll.setWidget(self.wave)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setMinimumHeight(_WAVE_LEAST_PX)
        right.addWidget(scroll)
        right.addWidget(self.text)
        right.setStretchFactor(0, 3)
        right.setStretchFactor(1, 1)
        right.setSizes(list(_DOWN))
        right.setChildrenCollapsible(False)
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 3)
        split.setSizes(list(_ACROSS))
        split.setChildrenCollapsible(False)
        self.content.addWidget(self.file)
        self.content.addWidget(self.verdict)
        self.content.addWidget(split, 1)

    def _make_menu(self) -> Sequence[QAction]:
        made = []
        for text, key, do in (
            ("Next cycle worth a look", "Alt+Down", lambda: self._step(forward=True)),
            ("Previous cycle worth a look", "Alt+Up", lambda: self._step(forward=False)),
            ("Filter", "Ctrl+F", self.filter.setFocus),
            ("Cursors on or off", "Ctrl+M", self.wave.measure.toggle),
            ("Whole cycle", "Ctrl+0", self.wave.show_whole),
            ("The wake alone", "Ctrl+W", self.wave.show_wake),
            ("Read the store again", "F5", self._read),
        ):
            action = QAction(text, self)
            action.setShortcut(QKeySequence(key))
            action.triggered.connect(do)
            made.append(action)
        return made


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_STORE)) == _STORE
    except OSError:
        return False  # whoever opens it says what is wrong with it
