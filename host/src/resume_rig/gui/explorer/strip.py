"""What narrows the table of cycles: a strip of all of them to click or drag, and a filter."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.explorer.filter import MOST_SIGNS, rows_of_filter
from resume_rig.gui.explorer.state import ALIASES
from resume_rig.gui.state.table import Table
from resume_rig.gui.widgets.labels import ElidedLabel, plain_label, show_elided, show_text
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.worker.jobs import JobSlot
from resume_rig.model.units import count_of
from resume_rig.report.drawing.axis import nice_step

_MOST_DOTS: Final = 4_000
"""More are thinned: 4,000 are drawn within a frame (scatter of pyqtgraph 0.14, offscreen)."""
_BINS: Final = 1_000
_TICKS: Final = 8
_HEIGHT_PX: Final = 120
_CLICK_PX: Final = 12.0
RESUME: Final = "resume, ms"
"""Column that is drawn unless another one is chosen."""
_NEVER_WOKE: Final = ("never woke", "stayed dark", "hung in sleep", "hung in resume", "rebooted")


@dataclass(frozen=True, slots=True)
class Dots:
    """What the strip shows; places are rows of the table.

    Attributes:
        judged, failed: rows with a time, drawn where it is.
        without: rows that woke and have no time; lost: rows that did not wake.
    """

    judged: NDArray[np.int64]
    failed: NDArray[np.int64]
    without: NDArray[np.int64]
    lost: NDArray[np.int64]


def dots_of(table: Table, title: str = RESUME) -> Dots:
    """Return which rows are drawn how; of very many judged ones the ends of each bin.

    Args:
        table: of the explorer, with the columns `title`, "verdict" and "outcome".
        title: of the column of times.
    """
    by_title = {column.title: column for column in table.columns}
    if not {title, "verdict", "outcome"} <= by_title.keys():
        none = np.zeros(0, np.int64)
        return Dots(none, none, none, none)
    times = by_title[title].values.astype(np.float64)
    lost = by_title["outcome"].rows_of(lambda word: word in _NEVER_WOKE)
    failed = by_title["verdict"].rows_of(lambda word: word == "FAIL") & ~lost
    measured = ~np.isnan(times) & ~lost
    return Dots(
        judged=_thinned(np.flatnonzero(measured & ~failed), times),
        failed=_thinned(np.flatnonzero(measured & failed), times),
        without=np.flatnonzero(~measured & ~lost)[:_MOST_DOTS],
        lost=np.flatnonzero(lost)[:_MOST_DOTS],
    )


def _thinned(rows: NDArray[np.int64], times: NDArray[np.float64]) -> NDArray[np.int64]:
    """Keep the lowest and the highest row of each bin, so that no extreme is lost."""
    if len(rows) <= _MOST_DOTS:
        return rows
    parts = np.array_split(rows, _BINS)
    kept = [part[at] for part in parts for at in (times[part].argmin(), times[part].argmax())]
    return np.unique(np.array(kept, np.int64))


class CycleStrip(PlotPanel):
    """Dots against the limit; crosses did not wake, diamonds have no record.

    Signals:
        chosen: row of the table whose dot was clicked.
        kept: first and last cycle's number of the range that was dragged; (0, 0) for all.
    """

    chosen = Signal(int)
    kept = Signal(int, int)

    def __init__(self, desk: Desk) -> None:
        super().__init__(
            desk, "All cycles", "cycle", RESUME, drag_keys=(Qt.KeyboardModifier.NoModifier,)
        )
        self._table: Table | None = None
        self._limit_ms: float | None = None
        self._what = RESUME
        self._drawn = np.zeros(0, np.int64)
        self._at = np.zeros((0, 2), np.float64)
        self._range = pg.LinearRegionItem(movable=True)
        self._range.hide()
        self._range.sigRegionChangeFinished.connect(self._show_range)
        self.plot.setMouseEnabled(x=False, y=False)
        self.graphics.setMinimumHeight(_HEIGHT_PX)
        self.graphics.setMaximumHeight(2 * _HEIGHT_PX)
        self.plot.addItem(self._range, ignoreBounds=True)
        self.plot.scene().sigMouseClicked.connect(self._clicked)
        desk.look.changed.connect(self._draw)
        self.box.dragged.connect(self._brush)
        self.graphics.setToolTip("Click chooses a cycle; dragging keeps a range of cycles")

    def show_cycles(self, table: Table, limit_ms: float | None, title: str = RESUME) -> None:
        """Draw the cycles of a table, by one of its columns of times."""
        self._table, self._limit_ms = table, limit_ms if title == RESUME else None
        if title != self._what:
            self._what = title
            self._labels["left"] = "measured, ms" if title != RESUME else RESUME
            self.restyle()
        self._draw()

    def release(self) -> None:
        """Keep all cycles again."""
        if self._range.isVisible():
            self._range.hide()
            self.kept.emit(0, 0)

    def _draw(self) -> None:
        table = self._table
        by_title = {} if table is None else {each.title: each for each in table.columns}
        if table is None or not len(table) or self._what not in by_title:
            self.show_items(())
            return
        colours = self._desk.look.colours
        self.tint(self._range)
        dots = dots_of(table, self._what)
        numbers = table.columns[0].values.astype(np.float64)
        times = by_title[self._what].values.astype(np.float64)
        low, high = self._ends(times[~np.isnan(times)])
        span = high - low
        kinds = (
            (dots.judged, times, "o", 4, colours.blue),
            (dots.failed, times, "t", 8, colours.vermillion),
            (dots.without, np.full(len(times), low + 0.04 * span), "d", 7, colours.soft),
            (dots.lost, np.full(len(times), high + 0.06 * span), "x", 9, colours.vermillion),
        )
        items = []
        for rows, heights, symbol, size, colour in kinds:
            if len(rows):
                places = numbers[rows], heights[rows]
                items.append(
                    pg.ScatterPlotItem(*places, symbol=symbol, size=size, brush=colour, pen=None)
                )
        self._drawn = np.concatenate([rows for rows, *_ in kinds])
        drawn_at = [np.column_stack((numbers[rows], heights[rows])) for rows, heights, *_ in kinds]
        self._at = np.concatenate(drawn_at)
        if self._limit_ms is not None:
            pen = self.pen(colours.vermillion, 1, Qt.PenStyle.DashLine)
            items.append(pg.InfiniteLine(self._limit_ms, angle=0, pen=pen))
        self.show_items(items)
        step = max(1.0, nice_step(max(float(np.ptp(numbers)), 1.0), _TICKS))
        self.plot.getAxis("bottom").setTickSpacing(step, step)
        self.plot.setXRange(float(numbers.min()) - 0.5, float(numbers.max()) + 0.5, padding=0.01)
        self.plot.setYRange(low, high + 0.12 * span, padding=0)
        parts = [] if self._what == RESUME else [self._what]
        parts += [f"{len(dots.lost)} did not wake"] if len(dots.lost) else []
        parts += [f"{len(dots.without)} without a time"] if len(dots.without) else []
        self.note(", ".join(parts))

    def _ends(self, shown: NDArray[np.float64]) -> tuple[float, float]:
        """Return the ends of the axis: from 0 to the limit, or what was measured with room."""
        if self._what == RESUME or not len(shown):
            return 0.0, max([*shown, self._limit_ms or 0.0], default=1.0) or 1.0
        low, high = float(shown.min()), float(shown.max())
        room = 0.1 * (high - low) or 0.5
        return low - room, high + room

    def _clicked(self, event: object) -> None:
        place: QPointF = event.scenePos()  # type: ignore[attr-defined]
        if not self.plot.sceneBoundingRect().contains(place):
            return
        at = self.plot.vb.mapSceneToView(place)
        if not len(self._drawn):
            return
        width, height = self.plot.vb.viewPixelSize()
        away = np.hypot((self._at[:, 0] - at.x()) / width, (self._at[:, 1] - at.y()) / height)
        nearest = int(away.argmin())
        if away[nearest] <= _CLICK_PX:
            self.chosen.emit(int(self._drawn[nearest]))
        elif self._range.isVisible():
            self.release()

    def _brush(self, begin: float, end: float, ended: bool) -> None:
        """Keep the cycles from one place to the other."""
        table = self._table
        if table is None or not len(table):
            return
        numbers = table.columns[0].values.astype(np.float64)
        first, last = np.clip(sorted((begin, end)), numbers.min() - 0.5, numbers.max() + 0.5)
        self._range.blockSignals(True)
        self._range.setRegion((first, last))
        self._range.blockSignals(False)
        self._range.show()
        if ended:
            self._show_range()

    def _show_range(self) -> None:
        if self._range.isVisible():
            first, last = self._range.getRegion()
            if np.ceil(first) > np.floor(last):
                self.release()  # no cycle lies in it
                return
            self.kept.emit(int(np.ceil(first)), int(np.floor(last)))


_HINT: Final = "Filter, e.g.  outcome is dark and wake by LID  or  display on above p99"


class FilterLine(QWidget):
    """Keeps rows of a table by what is typed, and by a range; both have to hold.

    Args:
        desk: of the application.
        cycles: the table; its first column is the number of the cycle.

    Attributes:
        line: is typed in. wrong: what was not understood. pending: how many cycles are not judged
            yet, where a filter is in force.
    """

    def __init__(self, desk: Desk, cycles: TablePanel) -> None:
        super().__init__()
        self._desk, self._cycles = desk, cycles
        self._filtering = JobSlot()
        self._in_force = ""
        self._range = (0, 0)
        self._unjudged = 0
        self.line = QLineEdit()
        self.line.setPlaceholderText(_HINT)
        self.line.setAccessibleName("Filter cycles")
        self.line.setMaxLength(MOST_SIGNS)
        self.line.setClearButtonEnabled(True)
        self.line.returnPressed.connect(self.apply)
        self.line.textChanged.connect(self._cleared)
        self.wrong = plain_label(role="error", wraps=True)
        self.wrong.hide()
        self.pending = ElidedLabel(role="soft")
        self.pending.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.line)
        column.addWidget(self.wrong)
        column.addWidget(self.pending)

    def settled(self) -> bool:
        """Return whether what was typed is in force."""
        return not self._filtering.busy

    def apply(self) -> None:
        """Let what is typed be in force."""
        self._in_force = self.line.text()
        self.wait_for(self._unjudged)
        self.apply_again()

    def wait_for(self, unjudged: int) -> None:
        """Show at a filter in force how many cycles are not judged yet; 0: all are."""
        self._unjudged = unjudged
        count = count_of(unjudged, "cycle")
        be = "is" if unjudged == 1 else "are"
        show_elided(self.pending, f"{count} {be} not judged yet; the filter applies again then.")
        self.pending.setVisible(bool(unjudged) and bool(self._in_force.strip()))

    def apply_again(self, *, quiet: bool = False) -> None:
        """Keep the rows anew, of a table that may have grown; quietly, where nobody asked."""
        text, table = self._in_force, self._cycles.model.table
        self._filtering.cancel()
        if not text.strip():
            self.wrong.hide()
            self._cycles.keep(self._within_range(None))
            return

        def keep(rows: NDArray[np.bool_] | None) -> None:
            self.wrong.hide()
            self._cycles.keep(self._within_range(rows))
            if not quiet:
                kept = count_of(len(self._cycles.model.rows), "cycle")
                self._desk.show_status(f"{kept} kept by the filter.")

        self._desk.jobs.start(
            "Filtering",
            lambda _: rows_of_filter(text, table, ALIASES),
            keep,
            self._refuse,
            quiet=quiet,
            slot=self._filtering,
        )

    def keep_range(self, first: int, last: int) -> None:
        """Keep the cycles with these numbers and those between; (0, 0) keeps all."""
        self._range = (first, last)
        if len(self._cycles.model.table.columns):
            self.apply_again(quiet=True)

    def _within_range(self, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        first, last = self._range
        if not last:
            return rows
        numbers = self._cycles.model.table.columns[0].values.astype(np.float64)
        within: NDArray[np.bool_] = (numbers >= first) & (numbers <= last)
        return within if rows is None else within & rows

    def _refuse(self, why: str) -> None:
        show_text(self.wrong, why)
        self.wrong.show()
        self._desk.show_status("The filter was not understood.")

    def _cleared(self, text: str) -> None:
        if not text:
            self.apply()
