"""Logic lanes over light on one time axis; for live wires and for recorded cycles."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.lanes import Wires
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.model.channel import Channel

_SWING: Final = 0.62
_AXIS_PX: Final = 128
_DENSE: Final = 400
_NAMES_ROW: Final = 1.3
_LINES_BESIDE: Final = 7
_LIGHT_LINES: Final = 8
_NS_PER_S: Final = 1e9
ACTIVE_LOW: Final = frozenset({Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5, Channel.PLTRST})


def lane_name(channel: Channel) -> str:
    """Return a channel's name as a mainboard's schematic writes it."""
    return f"{channel}#" if channel in ACTIVE_LOW else str(channel)


class LanesPlot(QWidget):
    """A lane a channel, with its level now, and light below.

    Args:
        desk: of the application.
        title: what is shown.
        x_label: of the time axis, with its unit, which is seconds.
        below: room under the lowest lane, for names of cursors, as a part of a lane.
    """

    def __init__(self, desk: Desk, title: str, x_label: str, below: float = 0.2) -> None:
        super().__init__()
        self._desk = desk
        self._below = below
        self.lanes = PlotPanel(desk, title, x_label)
        self.light = PlotPanel(desk, "Light", x_label, "counts")
        self._curves: dict[Channel, pg.PlotCurveItem] = {}
        self._widths: dict[Channel, int] = {}
        self._marks: list[pg.InfiniteLine] = []
        self._levels: list[int] | None = None
        self._named = False
        self._light_curve = pg.PlotCurveItem(antialias=False)
        self.light.plot.addItem(self._light_curve)
        self.light.hide()
        self.lanes.plot.getAxis("left").setTicks([[]])
        self.light.plot.setXLink(self.lanes.plot)
        for panel in (self.lanes, self.light):
            panel.plot.getAxis("left").setWidth(_AXIS_PX)
            panel.plot.setMouseEnabled(x=True, y=False)
            panel.plot.showGrid(x=True, alpha=0.25)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.lanes, 4)
        column.addWidget(self.light, 1)
        self.light.setMinimumHeight(_LIGHT_LINES * self.fontMetrics().height())
        desk.look.changed.connect(self.restyle)

    def draw(self, wires: Wires, from_ns: int, to_ns: int, zero_ns: int) -> None:
        """Draw what lies between two moments of the board's clock; the axis counts from `zero_ns`.

        The view does not move: see `show_range`.
        """
        if list(self._curves) != list(wires.lanes):
            self._lay_out(list(wires.lanes))
        rows = len(wires.lanes)
        for row, (channel, lane) in enumerate(wires.lanes.items()):
            t_ns, levels = lane.steps(from_ns, to_ns)
            base = rows - 1 - row
            self._set_pen(channel, dense=len(t_ns) > _DENSE)
            self._curves[channel].setData((t_ns - zero_ns) / _NS_PER_S, base + _SWING * levels)
        self._show_levels(wires)
        light_ns, counts = wires.light_between(from_ns, to_ns)
        self._light_curve.setData((light_ns - zero_ns) / _NS_PER_S, counts.astype(np.float64))
        self.light.setVisible(bool(len(wires.light_t_ns)))
        self._fit_light(counts)

    def show_range(self, from_s: float, to_s: float) -> None:
        """Show a part of the time axis."""
        self.lanes.plot.setXRange(from_s, to_s, padding=0)

    def mark(self, moments_s: Sequence[tuple[float, str]]) -> None:
        """Draw dashed vertical lines, each with its name; an empty one stands alone."""
        for line in self._marks:
            self.lanes.plot.removeItem(line)
        colours = self._desk.look.colours
        pen = self.lanes.pen(colours.vermillion, 2, Qt.PenStyle.DashLine)
        self._marks = [
            pg.InfiniteLine(
                at_s,
                angle=90,
                pen=pen,
                label=name or None,
                labelOpts={
                    "color": colours.ink,
                    "position": 0.97,
                    "anchors": [(0, 0), (0, 0)],
                },
            )
            for at_s, name in moments_s
        ]
        for line in self._marks:
            self.lanes.plot.addItem(line)
        self._named = any(name for _, name in moments_s)
        self._fit_lanes()

    def restyle(self) -> None:
        """Take the colours in force."""
        colours = self._desk.look.colours
        self._widths = {}
        for channel in self._curves:
            self._set_pen(channel, dense=False)
        self._light_curve.setPen(self.light.pen(colours.soft))

    def _set_pen(self, channel: Channel, *, dense: bool) -> None:
        """Draw few edges with a broad line; many with a thin one, which is drawn faster."""
        width = 1 if dense else 2
        if self._widths.get(channel) != width:
            self._widths[channel] = width
            colour = self._desk.look.colours.lane(channel)
            self._curves[channel].setPen(self.lanes.pen(colour, width))

    def _lay_out(self, channels: Sequence[Channel]) -> None:
        for curve in self._curves.values():
            self.lanes.plot.removeItem(curve)
        self._curves = {channel: pg.PlotCurveItem(antialias=False) for channel in channels}
        for curve in self._curves.values():
            self.lanes.plot.addItem(curve)
        self._fit_lanes()
        # A name a line, the head of the panel, and the axis with its title.
        lines = len(channels) + _LINES_BESIDE + self._below
        self.lanes.setMinimumHeight(round(lines * self.fontMetrics().height()))
        self._levels = None
        self.restyle()

    def _fit_lanes(self) -> None:
        """Give each lane its row, and the names of marks one above all of them."""
        rows = max(len(self._curves), 1) + (_NAMES_ROW if self._named else 0)
        self.lanes.plot.setYRange(-self._below, rows - 0.1, padding=0)

    def _show_levels(self, wires: Wires) -> None:
        levels = [lane.level for lane in wires.lanes.values()]
        if levels == self._levels:
            return
        self._levels = levels
        rows = len(levels)
        ticks = [
            (rows - 1 - row + _SWING / 2, f"{lane_name(channel)} = {level}")
            for row, (channel, level) in enumerate(zip(wires.lanes, levels, strict=True))
        ]
        self.lanes.plot.getAxis("left").setTicks([ticks])

    def _fit_light(self, counts: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> None:
        if len(counts):
            high = float(counts.max())
            self.light.plot.setYRange(0, max(high * 1.1, 16), padding=0)
