"""A plot with its title, in the colours in force, that can be written to files."""

from collections.abc import Sequence
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.export_to_file import export_to_file
from resume_rig.gui.widgets.exportable import ExportFormat, Head, Writing, png_of, svg_of
from resume_rig.gui.widgets.labels import ElidedLabel, plain_label, show_elided

_SWATCH_PX = 12


class PlotPanel(QWidget):
    """Title, plot, and a button with what can be done with it.

    Args:
        desk: of the application.
        title: what the plot shows, without its unit.
        x_label, y_label: of the axes, with units: "time after the trigger, ms".

    Attributes:
        plot: pyqtgraph's PlotItem; draw there.
    """

    def __init__(self, desk: Desk, title: str, x_label: str = "", y_label: str = "") -> None:
        super().__init__()
        self._desk = desk
        self._title = title
        self._labels = {"bottom": x_label, "left": y_label}
        self._note = ElidedLabel(role="soft")
        self._entries: tuple[tuple[str, str], ...] = ()
        self.graphics = pg.PlotWidget()
        self.plot = self.graphics.getPlotItem()
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.button = QToolButton()
        self.button.setText("Export")
        self.button.setAccessibleName(f"Export {title}")
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self._menu())
        self.button.setMinimumWidth(self.button.sizeHint().width() + _SWATCH_PX)
        head = QHBoxLayout()
        head.addWidget(plain_label(title, role="title"))
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

    def pen(
        self, colour: str, width: float = 1, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> QPen:
        """Return a pen whose width is of points, of which a pixel of the screen may be a part."""
        pen: QPen = pg.mkPen(colour, width=width * self.devicePixelRatioF(), style=style)
        return pen

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
        return png_of(self.graphics, self._head())

    def _svg(self) -> Writing:
        return svg_of(self.graphics, self._head())

    def _head(self) -> Head:
        colours = self._desk.look.colours
        return Head(self._title, self._note.text(), self._entries, colours.paper, colours.ink)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for each in self.export_formats():
            action = QAction(f"Save as {each.name} …", menu)
            action.triggered.connect(partial(export_to_file, self._desk, self, each))
            menu.addAction(action)
        all_of_it = QAction("Show all", menu)
        all_of_it.triggered.connect(self.show_all)
        menu.addAction(all_of_it)
        return menu
