"""The plots of a comparison: distributions of one time in several builds, and all shifts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen, QResizeEvent

from resume_rig.gui.compare.state import Floats, cumulative, effect_name
from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.model.result.comparison import Change, Effect
from resume_rig.report.text.hostile_text import one_line

_LOOKS: Final = (
    ("blue", Qt.PenStyle.SolidLine),
    ("vermillion", Qt.PenStyle.DashLine),
    ("green", Qt.PenStyle.DotLine),
    ("purple", Qt.PenStyle.DashDotLine),
    ("orange", Qt.PenStyle.DashDotDotLine),
)
MOST_CURVES: Final = len(_LOOKS)
_NAME_MOST: Final = 40
_NAME_LINES: Final = 1.9
_AXIS_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class Sampled:
    """One curve: whose, and its sorted times [ms]."""

    name: str
    times_ms: Floats


class DistributionPlot(PlotPanel):
    """Which share of cycles was at least as fast as each time; the left curve is the faster."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Distributions", "time, ms", "share of cycles at or below it, %")
        self._samples: Sequence[Sampled] = ()
        self._legend = self.plot.addLegend(offset=(10, 4))
        self.plot.getAxis("left").setTicks([[(share, str(share)) for share in range(0, 101, 20)]])
        self.plot.setMouseEnabled(x=True, y=False)
        self._make_room()
        desk.look.changed.connect(self._draw_again)

    def draw(self, what: str, samples: Sequence[Sampled]) -> None:
        """Draw the times of `what` in each file; files without any are left out."""
        self._samples = [sample for sample in samples if len(sample.times_ms)]
        left = len(self._samples) - MOST_CURVES
        self.note(f"{what}; {left} files more are not drawn" if left > 0 else what)
        self._draw_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the names of the curves above them."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Let the axis reach as far beyond 100 % as the names of the curves are high."""
        line = self.fontMetrics().height()
        names = (min(len(self._samples), MOST_CURVES) * _NAME_LINES + 1) * line
        whole = max(self.graphics.height() - _AXIS_LINES * line, names + line)
        self.plot.setYRange(0, 100 * whole / (whole - names), padding=0.02)

    def _draw_again(self) -> None:
        self._legend.clear()
        colours = self._desk.look.colours
        self._legend.setLabelTextColor(colours.ink)
        self._legend.setBrush(pg.mkBrush(colours.card))
        self._legend.setPen(self.pen(colours.line))
        curves = []
        for sample, (name, style) in zip(self._samples, _LOOKS, strict=False):
            edges, shares = cumulative(sample.times_ms)
            curve = pg.PlotDataItem(
                edges,
                np.asarray(shares),
                stepMode="center",
                pen=self.pen(getattr(colours, name), 2, style),
                name=f"{one_line(sample.name, _NAME_MOST)} ({len(sample.times_ms)})",
            )
            curves.append(curve)
        self.show_items(curves)
        self._make_room()
        self.plot.enableAutoRange(axis=pg.ViewBox.XAxis)


_EFFECT_NAME_MOST: Final = 34
_WORSE: Final = frozenset({Change.SLOWER, Change.SLIGHTLY_SLOWER})


class ForestPlot(PlotPanel):
    """The worst on top; what lies wholly right of the line at zero became slower."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Effects", "shift, % of the base's median")
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
        colours = self._desk.look.colours
        items: list[object] = [pg.InfiniteLine(0, angle=90, pen=self.pen(colours.soft))]
        for row, effect in enumerate(self._effects):
            colour = colours.hatch
            if effect.change in _WORSE:
                colour = colours.vermillion
            elif effect.change is Change.FASTER:
                colour = colours.green
            pen = self.pen(colour, 3)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            items += _whisker(effect, row, pen)
        self.show_items(items)
        self.name_rows([effect_name(each)[:_EFFECT_NAME_MOST] for each in self._effects])
        self.plot.enableAutoRange(axis=pg.ViewBox.XAxis)


def _whisker(effect: Effect, row: int, pen: QPen) -> list[object]:
    scale = 100 / effect.base_median_ms
    low, high = (effect.low_ms or 0.0) * scale, (effect.high_ms or 0.0) * scale
    # A regression has a square, too, not a colour alone.
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
