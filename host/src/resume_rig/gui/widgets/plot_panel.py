"""A plot with its title, in the colours in force, that can be written to files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QGuiApplication, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.export import (
    ExportFormat,
    Head,
    Writing,
    add_to_menu,
    png_of,
    svg_of,
)
from resume_rig.gui.widgets.labels import ElidedLabel, plain_label, show_elided

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
        drag_keys: with one of these held, a drag is told by `box.dragged`.

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
        self.menu = self._menu()
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

    def note(self, text: str) -> None:
        """Say something beside the title: how many, since when."""
        show_elided(self._note, text)

    def key(self, entries: Sequence[tuple[str, str]]) -> None:
        """Say what each colour stands for, above the plot: `#rrggbb`, words; asked for once."""
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
        """Put a page's own widgets beside the title, before the export."""
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

    def copy(self) -> None:
        """Put the picture on the clipboard, as it is on the screen."""
        QGuiApplication.clipboard().setPixmap(self.graphics.grab())
        self._desk.say(f"{self._title} is on the clipboard as a picture.")

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
        self._say_axis(not self._shares_axis)

    @property
    def shares_axis(self) -> bool:
        """Whether the words of its x axis stand below another plot."""
        return self._shares_axis

    def share_axis(self, shared: bool = True) -> None:
        """Leave the words of the x axis to the plot below, which has the same; files have them."""
        if shared is not self._shares_axis:
            self._shares_axis = shared
            self._say_axis(not shared)

    def _say_axis(self, shown: bool) -> None:
        axis = self.plot.getAxis("bottom")
        axis.setStyle(showValues=shown)
        axis.showLabel(shown)
        self.plot.layout.activate()

    @contextmanager
    def _whole_axis(self) -> Iterator[None]:
        self._say_axis(True)
        yield
        self._say_axis(not self._shares_axis)

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

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        add_to_menu(menu, self._desk, self, self.copy)
        show_all = QAction("Show all", menu)
        show_all.triggered.connect(self.show_all)
        menu.addAction(show_all)
        return menu
