"""One cycle on one time axis: wires, light, and below them what the OS tells of the resume."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.explored import Detail
from resume_rig.gui.state.lanes import wires_of
from resume_rig.gui.widgets.cursors import Cursors
from resume_rig.gui.widgets.labels import ElidedLabel, show_elided
from resume_rig.gui.widgets.lanes_plot import LanesPlot
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.report.milestones import InsideMilestones, outside_milestones

_NS_PER_S: Final = 1e9
_AXIS_PX: Final = 128
_CURSOR_ROW: Final = 0.9
_BAR: Final = 0.3
_ROWS: Final = ("BIOS", "drivers", "complete")
_BEFORE_WAKE_S: Final = 0.3
_WAKE_LEAST_S: Final = 1.0
_AFTER_WAKE: Final = 1.25


class CycleWave(QWidget):
    """Lanes, light and phases, linked; cursors run through all of them."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._detail: Detail | None = None
        self._items: list[object] = []
        self.lanes = LanesPlot(desk, "Wires", "time after the wake trigger, s", below=_CURSOR_ROW)
        self.phases = PlotPanel(
            desk, "Inside, as the OS tells it", "time after the wake trigger, s"
        )
        self.phases.plot.setXLink(self.lanes.lanes.plot)
        self.phases.plot.setMouseEnabled(x=True, y=False)
        self.phases.plot.getAxis("left").setWidth(_AXIS_PX)
        self.phases.plot.invertY(True)
        self.phases.plot.setYRange(-0.6, len(_ROWS) - 0.4, padding=0)
        ticks = [list(enumerate(_ROWS))]
        self.phases.plot.getAxis("left").setTicks(ticks)
        plots = [panel.plot for panel in (self.lanes.lanes, self.lanes.light, self.phases)]
        self.cursors = Cursors(desk, plots)
        self.between = ElidedLabel(role="soft")
        self.cursors.moved.connect(self._tell)
        self.wake = QPushButton("Wake")
        self.wake.setToolTip("Show the wake alone")
        self.wake.clicked.connect(self.show_wake)
        self.whole = QPushButton("Whole cycle")
        self.whole.clicked.connect(self.show_whole)
        self.measure = QPushButton("Cursors")
        self.measure.setCheckable(True)
        self.measure.toggled.connect(self._switch_cursors)
        desk.look.changed.connect(self._draw_phases)
        self._lay_out()

    def show_detail(self, detail: Detail, *, stay: bool = False) -> None:
        """Draw a cycle; the wake alone where there was one.

        Args:
            detail: of the cycle.
            stay: it is the one that is shown already, of which more is known: its range stays.
        """
        self._detail = detail
        evidence = detail.evidence
        first_ns = min((lane.since_ns for lane in evidence.wires.lanes.values()), default=0)
        self.lanes.draw(evidence.wires, first_ns, evidence.until_ns, evidence.zero_ns)
        self.lanes.mark(list(_marks(detail)))
        self.lanes.lanes.note("" if evidence.has_trigger else "no wake trigger was seen")
        self._draw_phases()
        if not stay and evidence.has_trigger:
            self.show_wake()
        elif not stay:
            self.show_whole()
        if self.cursors.shown:
            self.cursors.place(*self.cursors.positions_s())

    def clear(self) -> None:
        """Show no cycle."""
        self._detail = None
        self.lanes.draw(wires_of({}, 0), 0, 0, 0)
        self.lanes.mark([])
        self._draw_phases()
        self.phases.note("")

    def show_whole(self) -> None:
        """Show the time axis from the first edge to the last."""
        if self._detail is not None:
            evidence = self._detail.evidence
            since = [lane.since_ns for lane in evidence.wires.lanes.values()]
            first_s = (min(since, default=0) - evidence.zero_ns) / _NS_PER_S
            self.lanes.show_range(first_s, (evidence.until_ns - evidence.zero_ns) / _NS_PER_S)

    def show_wake(self) -> None:
        """Show the time axis from just before the wake trigger to a little after its end."""
        if self._detail is not None:
            evidence, inside = self._detail.evidence, self._detail.inside
            last_ns = max(
                (int(lane.t_ns[-1]) for lane in evidence.wires.lanes.values() if len(lane.t_ns)),
                default=evidence.until_ns,
            )
            end_s = (min(last_ns, evidence.until_ns) - evidence.zero_ns) / _NS_PER_S
            light = outside_milestones(evidence.outside).light
            for end in (light, None if inside is None else inside.complete):
                end_s = end_s if end is None else max(end_s, end.value_ns / _NS_PER_S)
            self.lanes.show_range(-_BEFORE_WAKE_S, max(end_s, _WAKE_LEAST_S) * _AFTER_WAKE)

    def place_cursors(self, a_s: float, b_s: float) -> None:
        """Show the cursors at two moments."""
        self.measure.setChecked(True)
        self.cursors.place(a_s, b_s)

    def _switch_cursors(self, *_: object) -> None:
        if not self.measure.isChecked():
            self.cursors.hide()
        elif not self.cursors.shown:
            (left_s, right_s), _ = self.lanes.lanes.plot.viewRange()
            third = (right_s - left_s) / 3
            self.cursors.place(left_s + third, right_s - third)

    def _tell(self, text: str) -> None:
        show_elided(self.between, text)

    def _draw_phases(self) -> None:
        for item in self._items:
            self.phases.plot.removeItem(item)
        self._items = []
        inside = None if self._detail is None else self._detail.inside
        if inside is None:
            self.phases.note("not known: no record, or one that cannot be placed")
            return
        self.phases.note("placed by the reconciliation; whiskers hold the truth in 95 of 100")
        self._items = list(self._bars(inside))
        for item in self._items:
            self.phases.plot.addItem(item)

    def _bars(self, inside: InsideMilestones) -> Iterator[object]:
        colours = self._desk.look.colours
        parts = (
            (0, inside.bios_from_ns, inside.drivers_from_ns, colours.orange),
            (1, inside.drivers_from_ns, inside.complete.value_ns, colours.sky),
        )
        for row, from_ns, to_ns, colour in parts:
            yield pg.BarGraphItem(
                x0=[from_ns / _NS_PER_S],
                x1=[to_ns / _NS_PER_S],
                y0=[row - _BAR],
                y1=[row + _BAR],
                brush=pg.mkBrush(colour),
                pen=self.phases.pen(colours.line),
            )
        complete = inside.complete
        ends = np.array([-1, 1]) * complete.expanded_ns + complete.value_ns
        pen = self.phases.pen(colours.ink, 2)
        yield pg.PlotCurveItem(ends / _NS_PER_S, np.array([2.0, 2.0]), pen=pen)
        yield pg.ScatterPlotItem(
            [complete.value_ns / _NS_PER_S], [2], symbol="d", size=12, brush=colours.ink, pen=None
        )
        if inside.limit_ns is not None:
            yield pg.InfiniteLine(
                inside.limit_ns / _NS_PER_S,
                angle=90,
                pen=self.phases.pen(colours.vermillion, 2, Qt.PenStyle.DashLine),
                label="limit",
                labelOpts={"color": colours.ink, "position": 0.85},
            )

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.addWidget(self.between, 1)
        for button in (self.measure, self.wake, self.whole):
            tools.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(tools)
        column.addWidget(self.lanes, 4)
        column.addWidget(self.phases, 1)
        self.phases.setMinimumHeight(130)


def _marks(detail: Detail) -> Iterator[tuple[float, str]]:
    if not detail.evidence.has_trigger:
        return
    yield 0.0, "trigger"
    light = outside_milestones(detail.evidence.outside).light
    if light is not None:
        yield light.value_ns / _NS_PER_S, "light"
