"""Two cursors on a time axis, and what lies between them."""

from collections.abc import Callable, Sequence
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QObject, Qt, Signal

from resume_rig.gui.desk import Desk

_NAMES: Final = ("A", "B")
_MS_PER_S: Final = 1_000


class Cursors(QObject):
    """Lines that a mouse or keys move; hidden until they are placed.

    Args:
        desk: of the application.
        plots: pyqtgraph's PlotItems that share the time axis; a line stands in each.

    Signals:
        moved: the text that tells both and their distance.
    """

    moved = Signal(str)

    def __init__(self, desk: Desk, plots: Sequence[pg.PlotItem]) -> None:
        super().__init__()
        self._desk = desk
        self._plots = plots
        self.shown = False
        self._lines = [
            [self._line(name, first=not place) for place, _ in enumerate(plots)] for name in _NAMES
        ]
        for lines in self._lines:
            for line in lines:
                line.sigPositionChanged.connect(self._follow(lines))
        desk.look.changed.connect(self._restyle)
        self._restyle()

    def place(self, a_s: float, b_s: float) -> None:
        """Show both cursors at two moments of the axis."""
        if not self.shown:
            for lines in self._lines:
                for plot, line in zip(self._plots, lines, strict=True):
                    plot.addItem(line)
            self.shown = True
        for lines, at_s in zip(self._lines, (a_s, b_s), strict=True):
            lines[0].setValue(at_s)
        self._tell()

    def hide(self) -> None:
        """Take both away."""
        if self.shown:
            for lines in self._lines:
                for plot, line in zip(self._plots, lines, strict=True):
                    plot.removeItem(line)
            self.shown = False
            self.moved.emit("")

    def positions_s(self) -> tuple[float, float]:
        """Return where both stand."""
        return float(self._lines[0][0].value()), float(self._lines[1][0].value())

    def _line(self, name: str, *, first: bool) -> pg.InfiniteLine:
        label = {"position": 0.06, "movable": False} if first else None
        return pg.InfiniteLine(
            0, angle=90, movable=True, label=name if first else None, labelOpts=label
        )

    def _follow(self, lines: "list[pg.InfiniteLine]") -> Callable[[pg.InfiniteLine], None]:
        def follow(moved: pg.InfiniteLine) -> None:
            for line in lines:
                if line is not moved and line.value() != moved.value():
                    line.setValue(moved.value())
            if moved is lines[0]:
                self._tell()

        return follow

    def _tell(self) -> None:
        a_s, b_s = self.positions_s()
        between_ms = (b_s - a_s) * _MS_PER_S
        self.moved.emit(f"A {a_s:.6f} s    B {b_s:.6f} s    B − A {between_ms:+.3f} ms")

    def _restyle(self) -> None:
        colours = self._desk.look.colours
        # In pixels of the screen, of which a point may have two.
        width = 2 * self._plots[0].getViewWidget().devicePixelRatioF()
        for lines, colour in zip(self._lines, (colours.blue, colours.purple), strict=True):
            for line in lines:
                line.setPen(pg.mkPen(colour, width=width, style=Qt.PenStyle.DotLine))
                line.setHoverPen(pg.mkPen(colour, width=2 * width))
                if hasattr(line, "label"):
                    line.label.setColor(colour)
