"""How much of each limit the cycles use up: what lies right of 100 % does not meet it."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.limits_tables import Reach
from resume_rig.gui.widgets.plot_panel import PlotPanel

_NAME_MOST: Final = 40
_WHOLE: Final = 100.0


class ReachPlot(PlotPanel):
    """A line from the least to the greatest value, a bar for 90 of 100, a dot for the median."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "How much of each limit is used", "share of the limit, %")
        self._reaches: Sequence[Reach] = ()
        self._items: list[object] = []
        self.plot.invertY(True)
        self.plot.setMouseEnabled(x=True, y=False)
        desk.look.changed.connect(self._draw_again)

    def draw(self, reaches: Sequence[Reach]) -> None:
        """Draw all of them."""
        self._reaches = reaches
        self.note("line: all cycles; bar: 90 of 100; dot: median" if reaches else "no values")
        self._draw_again()

    def _draw_again(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        colours = self._desk.look.colours
        pen = self.pen(colours.vermillion, 2, Qt.PenStyle.DashLine)
        label = {"color": colours.ink, "position": 0.95}
        self._items = [pg.InfiniteLine(_WHOLE, angle=90, pen=pen, label="limit", labelOpts=label)]
        for row, reach in enumerate(self._reaches):
            low, p5, middle, p95, high = reach.shares
            colour = colours.vermillion if high > _WHOLE else colours.blue
            line = self.pen(colour, 2)
            self._items += [
                pg.PlotCurveItem(np.array([low, high]), np.array([row, row], np.float64), pen=line),
                pg.BarGraphItem(
                    x0=[p5], x1=[p95], y0=[row - 0.2], y1=[row + 0.2], brush=colour, pen=colour
                ),
                pg.ScatterPlotItem([middle], [row], size=10, brush=colours.ink, pen=colours.paper),
            ]
        for item in self._items:
            self.plot.addItem(item)
        ticks = [(row, reach.name[:_NAME_MOST]) for row, reach in enumerate(self._reaches)]
        self.plot.getAxis("left").setTicks([ticks])
        self.plot.setYRange(-0.7, max(len(self._reaches), 1) - 0.3, padding=0)
        most = max((reach.shares[-1] for reach in self._reaches), default=_WHOLE)
        self.plot.setXRange(0, max(most, _WHOLE) * 1.08, padding=0)
