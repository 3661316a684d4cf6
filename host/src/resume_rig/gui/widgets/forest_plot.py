"""Shifts with their confidence intervals, one a row, in per cent of the base's median."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.compared import effect_name
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.model.comparison import Change, Effect

_NAME_MOST: Final = 34
_WORSE: Final = frozenset({Change.SLOWER, Change.SLIGHTLY_SLOWER})


class ForestPlot(PlotPanel):
    """The worst on top; what lies wholly right of the line at zero became slower."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Effects", "shift, % of the base's median")
        self._items: list[object] = []
        self._effects: Sequence[Effect] = ()
        self.plot.invertY(True)
        self.plot.getAxis("left").setTicks([[]])
        self.plot.setMouseEnabled(x=True, y=False)
        desk.look.changed.connect(self._draw_again)

    def draw(self, effects: Sequence[Effect]) -> None:
        """Draw the effects that have an interval."""
        self._effects = [e for e in effects if e.low_ms is not None and e.base_median_ms > 0]
        left = len(effects) - len(self._effects)
        self.note(f"95 % intervals; {left} without one are left out" if left else "95 % intervals")
        self._draw_again()

    def _draw_again(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        colours = self._desk.look.colours
        zero = pg.InfiniteLine(0, angle=90, pen=self.pen(colours.soft))
        self._items = [zero]
        for row, effect in enumerate(self._effects):
            colour = colours.hatch
            if effect.change in _WORSE:
                colour = colours.vermillion
            elif effect.change is Change.FASTER:
                colour = colours.green
            pen = self.pen(colour, 3)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            self._items += _whisker(effect, row, pen)
        for item in self._items:
            self.plot.addItem(item)
        ticks = [(row, effect_name(e)[:_NAME_MOST]) for row, e in enumerate(self._effects)]
        self.plot.getAxis("left").setTicks([ticks])
        self.plot.setYRange(-0.7, max(len(self._effects), 1) - 0.3, padding=0)
        self.plot.enableAutoRange(axis=pg.ViewBox.XAxis)


def _whisker(effect: Effect, row: int, pen: QPen) -> list[object]:
    scale = 100 / effect.base_median_ms
    low, high = (effect.low_ms or 0.0) * scale, (effect.high_ms or 0.0) * scale
    # A regression is told by its square, too, not by its colour alone.
    symbol = "s" if effect.change in _WORSE else "o"
    return [
        pg.PlotCurveItem(np.array([low, high]), np.array([row, row], np.float64), pen=pen),
        pg.ScatterPlotItem(
            [effect.shift_ms * scale],
            [row],
            symbol=symbol,
            size=11,
            brush=pg.mkBrush(pen.color()),
            pen=None,
        ),
    ]
