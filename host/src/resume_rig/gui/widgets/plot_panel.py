"""Plots in the colours in force: one with its title and menu, and lanes of wires over light."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.lanes import Wires
from resume_rig.gui.widgets.export import ExportFormat, Head, Writing, picture_menu, png_of, svg_of
from resume_rig.gui.widgets.labels import ElidedLabel, plain_label, show_elided
from resume_rig.model.channel import Channel, line_name
from resume_rig.model.units import NS_PER_MS

_SWATCH_PX = 12
_TINT = 50
_HOVER_PX = 3


class DragBox(pg.ViewBox):  # type: ignore[misc]
    """A plot's area, in which a drag with certain keys held chooses a part of the x axis.

    Args:
        keys: one of these is held while dragging; with `NoModifier`, no key is.

    Signals:
        dragged: both ends on the x axis, and whether the button was let go.
        asked: a click of the right button, at a place of the screen.
    """

    dragged = Signal(float, float, bool)
    asked = Signal(QPointF)

    def __init__(self, keys: Sequence[Qt.KeyboardModifier] = ()) -> None:
        super().__init__()
        self._keys = tuple(keys)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Choose a part of the axis, or zoom and move as usual."""
        if ev.button() != Qt.MouseButton.LeftButton or ev.modifiers() not in self._keys:
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        begin, end = self.mapToView(ev.buttonDownPos()), self.mapToView(ev.pos())
        self.dragged.emit(begin.x(), end.x(), ev.isFinish())

    def showAxRect(self, ax: QRectF, **kwargs: Any) -> None:
        """Zoom to a rectangle; along the x axis alone where the other one is held."""
        if self.state["mouseEnabled"][1]:
            super().showAxRect(ax, **kwargs)
            return
        self.setXRange(ax.left(), ax.right(), padding=0)
        self.sigRangeChangedManually.emit(self.state["mouseEnabled"])

    def updateScaleBox(self, p1: QPointF, p2: QPointF) -> None:
        """Draw what will be zoomed to: a band over all heights where the y axis is held."""
        if not self.state["mouseEnabled"][1]:
            room = self.boundingRect()
            p1, p2 = QPointF(p1.x(), room.top()), QPointF(p2.x(), room.bottom())
        super().updateScaleBox(p1, p2)

    def mouseClickEvent(self, ev: Any) -> None:
        """Ask for the menu."""
        if ev.button() == Qt.MouseButton.RightButton:
            ev.accept()
            self.asked.emit(ev.screenPos())


class PlotPanel(QWidget):
    """Title, plot, and a button with what can be done with it.

    Args:
        desk: of the application.
        title: what the plot shows, without its unit.
        x_label, y_label: of the axes, with units: "time after the trigger, ms".
        drag_keys: with one of these held, a drag emits `box.dragged`.

    Attributes:
        plot: pyqtgraph's PlotItem; draw there.
        box: its area. heading: the title; who shows it elsewhere hides it.
        menu: of the button, of a right click, and of the menu key.
    """

    def __init__(
        self,
        desk: Desk,
        title: str,
        x_label: str = "",
        y_label: str = "",
        drag_keys: Sequence[Qt.KeyboardModifier] = (),
    ) -> None:
        super().__init__()
        self._desk = desk
        self._title = title
        self._shares_axis = False
        self._labels = {"bottom": x_label, "left": y_label}
        self._note = ElidedLabel(role="soft")
        self._entries: tuple[tuple[str, str], ...] = ()
        self._items: tuple[object, ...] = ()
        self.box = DragBox(drag_keys)
        self.box.asked.connect(self._show_menu)
        self.graphics = pg.PlotWidget(viewBox=self.box)
        self.plot = self.graphics.getPlotItem()
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.button = QToolButton()
        self.button.setText("⋯")
        self.button.setToolTip(f"Save or copy: {title}")
        self.button.setAccessibleName(f"Export {title}")
        self.button.setProperty("role", "more")
        self.button.setAutoRaise(True)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = picture_menu(self, desk, self, self.graphics)
        self.menu.addAction("Show all", self.show_all)
        self.button.setMenu(self.menu)
        self._top = head = QHBoxLayout()
        self.heading = plain_label(title, role="title")
        head.addWidget(self.heading)
        head.addSpacing(_SWATCH_PX // 2)
        head.addWidget(self._note, 1)
        head.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        self._key = QHBoxLayout()
        self._key.setSpacing(4)
        column.addLayout(self._key)
        column.addWidget(self.graphics, 1)
        desk.look.changed.connect(self.restyle)
        self.restyle()

    def show_items(self, items: Iterable[object]) -> None:
        """Draw items in place of those that were drawn before."""
        for item in self._items:
            self.plot.removeItem(item)
        self._items = tuple(items)
        for item in self._items:
            self.plot.addItem(item)

    def name_rows(self, names: Sequence[str]) -> None:
        """Let the y axis have a named row for each of what is drawn, 0 on top."""
        self.plot.getAxis("left").setTicks([list(enumerate(names))])
        self.plot.setYRange(-0.7, max(len(names), 1) - 0.3, padding=0)

    def note(self, text: str) -> None:
        """Show something next to the title: how many, since when."""
        show_elided(self._note, text)

    def key(self, entries: Sequence[tuple[str, str]]) -> None:
        """Show what each colour stands for, above the plot: `#rrggbb`, words; called once."""
        self._entries = tuple(entries)
        for colour, words in entries:
            swatch = QLabel()
            swatch.setFixedSize(_SWATCH_PX, _SWATCH_PX)
            swatch.setStyleSheet(f"background: {colour}; border: 1px solid gray;")
            self._key.addWidget(swatch)
            self._key.addWidget(plain_label(words))
            self._key.addSpacing(_SWATCH_PX)
        self._key.addStretch(1)

    def add_tools(self, tools: Sequence[QWidget]) -> None:
        """Put a page's own widgets behind the title, before the export."""
        for each in tools:
            self._top.insertWidget(self._top.count() - 1, each)

    def offer(self, actions: Sequence[QAction]) -> None:
        """Put a page's own actions on top of the menu."""
        first = self.menu.actions()[0]
        self.menu.insertActions(first, list(actions))
        self.menu.insertSeparator(first)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu for its key; a mouse may be about to drag, and asks by a click."""
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            self._show_menu(QPointF(self.graphics.mapToGlobal(self.graphics.rect().center())))

    def _show_menu(self, place: QPointF) -> None:
        self.menu.popup(QPoint(round(place.x()), round(place.y())))

    def pen(
        self, colour: str, width: float = 1, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> QPen:
        """Return a pen whose width is of points, of which a pixel of the screen may be a part."""
        pen: QPen = pg.mkPen(colour, width=width * self.devicePixelRatioF(), style=style)
        return pen

    def tint(self, region: pg.LinearRegionItem) -> None:
        """Give a chosen part of the axis the colours in force."""
        colour = QColor(self._desk.look.colours.blue)
        for alpha, paint in ((_TINT, region.setBrush), (2 * _TINT, region.setHoverBrush)):
            colour.setAlpha(alpha)
            paint(QColor(colour))
        for line in region.lines:
            line.setPen(self.pen(self._desk.look.colours.blue))
            line.setHoverPen(self.pen(self._desk.look.colours.blue, _HOVER_PX))

    def restyle(self) -> None:
        """Take the colours in force; who draws in the plot does the same for its items."""
        colours = self._desk.look.colours
        self.graphics.setBackground(colours.paper)
        for side, label in self._labels.items():
            axis = self.plot.getAxis(side)
            axis.setPen(colours.soft)
            axis.setTextPen(colours.ink)
            if label:
                axis.setLabel(label, color=colours.ink)
                axis.enableAutoSIPrefix(False)
        self._show_axis(not self._shares_axis)

    @property
    def shares_axis(self) -> bool:
        """Whether the words of its x axis stand below another plot."""
        return self._shares_axis

    def share_axis(self, shared: bool = True) -> None:
        """Leave the words of the x axis to the plot below, which has the same; files have them."""
        if shared is not self._shares_axis:
            self._shares_axis = shared
            self._show_axis(not shared)

    def _show_axis(self, shown: bool) -> None:
        axis = self.plot.getAxis("bottom")
        axis.setStyle(showValues=shown)
        axis.showLabel(shown)
        self.plot.layout.activate()

    @contextmanager
    def _whole_axis(self) -> Iterator[None]:
        self._show_axis(True)
        yield
        self._show_axis(not self._shares_axis)

    def show_all(self) -> None:
        """Let both axes take in everything that is drawn."""
        self.plot.autoRange()

    def export_title(self) -> str:
        """Return the title."""
        return self._title

    def export_formats(self) -> tuple[ExportFormat, ...]:
        """Return PNG and SVG."""
        return ExportFormat("PNG", self._png), ExportFormat("SVG", self._svg)

    def _png(self) -> Writing:
        with self._whole_axis():
            return png_of(self.graphics, self._head(), self.graphics.render)

    def _svg(self) -> Writing:
        with self._whole_axis():
            return svg_of(self.graphics, self._head(), self.graphics.render)

    def _head(self) -> Head:
        colours = self._desk.look.colours
        return Head(self._title, self._note.text(), self._entries, colours.paper, colours.ink)


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
_GAP: Final = 0.05
"""A cycle behind is drawn a little higher, so that equal lines are visibly two."""


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
            self._curves[channel].setData((t_ns - zero_ns) / NS_PER_MS, base + _SWING * levels)
        self._show_levels(wires)
        light_ns, counts = wires.light_between(from_ns, to_ns)
        self._light_curve.setData((light_ns - zero_ns) / NS_PER_MS, counts.astype(np.float64))
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
                heights = rows - 1 - row + _SWING * levels + _GAP
                curve = pg.PlotCurveItem((t_ns - zero_ns) / NS_PER_MS, heights, pen=pen)
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
            around = _HEAD_LINES + (0 if panel.shares_axis else _AXIS_LINES)
            panel.setMinimumHeight(round((lines + around) * self.fontMetrics().height()))

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
            (rows - 1 - row + _SWING / 2, f"{line_name(channel)} = {level}")
            for row, (channel, level) in enumerate(zip(wires.lanes, levels, strict=True))
        ]
        self.lanes.plot.getAxis("left").setTicks([ticks])

    def _fit_light(self, counts: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> None:
        if len(counts):
            high = max(float(counts.max()), self._scale_counts)
            most = max(high * 1.1, 16)
            self.light.plot.setYRange(_BELOW_ZERO * most, most, padding=0)
