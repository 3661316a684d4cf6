"""Logic lanes over light on one time axis; for live wires and for recorded cycles."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.lanes import Wires, lane_name
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.model.channel import Channel

_SWING: Final = 0.62
_AXIS_PX: Final = 128
_DENSE: Final = 400
_NAMES_ROW: Final = 1.3
_HEAD_LINES: Final = 2
_AXIS_LINES: Final = 3
_LIGHT_LINES: Final = 3
"""Heights, in lines of text: what stands above a plot, its axis with its title, light alone."""
_BELOW_ZERO: Final = -0.08
"""Room for the number 0 of an axis whose own words stand below another plot."""
_NS_PER_MS: Final = 1e6
_BESIDE: Final = 0.05
"""A cycle behind is drawn a little higher, so that equal lines are seen to be two."""


class LanesPlot(QWidget):
    """A lane a channel, with its level now, and light below.

    Args:
        desk: of the application.
        title: what is shown.
        x_label: of the time axis, with its unit, which is ms.
        below: room under the lowest lane, for names of cursors, as a part of a lane.
        drag_keys: as of a PlotPanel, in the lanes.
    """

    def __init__(
        self,
        desk: Desk,
        title: str,
        x_label: str,
        below: float = 0.2,
        drag_keys: Sequence[Qt.KeyboardModifier] = (),
    ) -> None:
        super().__init__()
        self._desk = desk
        self._below = below
        self.lanes = PlotPanel(desk, title, x_label, drag_keys=drag_keys)
        self.light = PlotPanel(desk, "Light", x_label, "counts")
        self._curves: dict[Channel, pg.PlotCurveItem] = {}
        self._widths: dict[Channel, int] = {}
        self._marks: list[pg.InfiniteLine] = []
        self._levels: list[int] | None = None
        self._named = False
        self._behind: list[pg.PlotCurveItem] = []
        self._scale_counts = 0.0
        self._light_curve = pg.PlotCurveItem(antialias=False)
        self._threshold = pg.InfiniteLine(
            angle=0, label="", labelOpts={"position": 0.02, "anchors": [(0, 0), (0, 1)]}
        )
        self._threshold.hide()
        self.light.plot.addItem(self._light_curve)
        self.light.plot.addItem(self._threshold)
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
        self._keep_heights(0)
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
            self._curves[channel].setData((t_ns - zero_ns) / _NS_PER_MS, base + _SWING * levels)
        self._show_levels(wires)
        light_ns, counts = wires.light_between(from_ns, to_ns)
        self._light_curve.setData((light_ns - zero_ns) / _NS_PER_MS, counts.astype(np.float64))
        self._show_light(bool(len(wires.light_t_ns)))
        self._fit_light(counts)

    def _show_light(self, shown: bool) -> None:
        """Show light or not; the words of the axis both have stand below the lower one, once."""
        self.light.setVisible(shown)
        if not self.light.shares_axis and self.lanes.shares_axis is not shown:
            self.lanes.share_axis(shown)
            self._keep_heights(len(self._curves))

    def draw_behind(self, wires: Wires | None, until_ns: int = 0, zero_ns: int = 0) -> None:
        """Draw another cycle's lines behind these, pale, with its zero on theirs; None for none."""
        for curve in self._behind:
            self.lanes.plot.removeItem(curve)
        self._behind = []
        lanes = {} if wires is None else wires.lanes
        pen = self.lanes.pen(self._desk.look.colours.hatch, 1, Qt.PenStyle.DotLine)
        rows = len(self._curves)
        for row, channel in enumerate(self._curves):
            if channel in lanes:
                lane = lanes[channel]
                t_ns, levels = lane.steps(lane.since_ns, until_ns)
                heights = rows - 1 - row + _SWING * levels + _BESIDE
                curve = pg.PlotCurveItem((t_ns - zero_ns) / _NS_PER_MS, heights, pen=pen)
                curve.setZValue(-1)
                self.lanes.plot.addItem(curve, ignoreBounds=True)
                self._behind.append(curve)

    def channel_at(self, height: float) -> Channel | None:
        """Return whose lane is at a height of the plot; None above and below them."""
        rows = len(self._curves)
        row = rows - 1 - math.floor(height + (1 - _SWING) / 2)
        return list(self._curves)[row] if 0 <= row < rows else None

    def scale_light(self, most_counts: float, threshold: float | None) -> None:
        """Let the axis of light reach from 0 to a campaign's most, with a line where it is on."""
        self._scale_counts = most_counts
        self._threshold.setVisible(threshold is not None)
        if threshold is not None:
            colours = self._desk.look.colours
            self._threshold.setValue(threshold)
            self._threshold.setPen(self.light.pen(colours.vermillion, 1, Qt.PenStyle.DashLine))
            self._threshold.label.setFormat(f"on at {threshold:.0f}")
            self._threshold.label.setColor(colours.ink)

    def show_range(self, from_ms: float, to_ms: float) -> None:
        """Show a part of the time axis."""
        self.lanes.plot.setXRange(from_ms, to_ms, padding=0)

    def mark(self, moments_ms: Sequence[tuple[float, str]]) -> None:
        """Draw dashed vertical lines, each with its name; an empty one stands alone."""
        for line in self._marks:
            self.lanes.plot.removeItem(line)
        colours = self._desk.look.colours
        pen = self.lanes.pen(colours.vermillion, 2, Qt.PenStyle.DashLine)
        self._marks = [
            pg.InfiniteLine(
                at_ms,
                angle=90,
                pen=pen,
                label=name or None,
                labelOpts={
                    "color": colours.ink,
                    "position": 0.97,
                    "anchors": [(0, 0), (0, 0)],
                },
            )
            for at_ms, name in moments_ms
        ]
        for line in self._marks:
            self.lanes.plot.addItem(line)
        self._named = any(name for _, name in moments_ms)
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
        self._keep_heights(len(channels))
        self._levels = None
        self.restyle()

    def _keep_heights(self, lanes: int) -> None:
        """Leave a line of text to each lane, and what light can be read in."""
        for panel, lines in (
            (self.lanes, lanes + _NAMES_ROW + self._below),
            (self.light, _LIGHT_LINES),
        ):
            beside = _HEAD_LINES + (0 if panel.shares_axis else _AXIS_LINES)
            panel.setMinimumHeight(round((lines + beside) * self.fontMetrics().height()))

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
            high = max(float(counts.max()), self._scale_counts)
            most = max(high * 1.1, 16)
            self.light.plot.setYRange(_BELOW_ZERO * most, most, padding=0)
