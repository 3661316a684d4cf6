"""The pictures of a report's first screen as widgets, each with a menu that copies or saves it.

Places and colours are those of the report (report/drawing); this paints them.
"""

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.gui.desk import Desk
from resume_rig.gui.state.table import Table, csv_lines, number_column, word_column
from resume_rig.gui.widgets.export import (
    ExportFormat,
    Head,
    Writing,
    picture_menu,
    png_of,
    svg_of,
)
from resume_rig.gui.widgets.labels import tip_of
from resume_rig.model.result.series import CycleMark
from resume_rig.report.campaign.page import NamedMarks
from resume_rig.report.drawing.marks import MarksPicture
from resume_rig.report.drawing.palette import Colours
from resume_rig.report.drawing.phases import Bar, PhasePanel, PhasePicture

Floats: TypeAlias = NDArray[np.float64]

_PLACE: Final = re.compile(r"M(-?[\d.]+) (-?[\d.]+)")
_MARKS: Final = ("timed", "failed", "left_out", "broken", "unknown", "beyond", "hidden")
_NEAR_PX: Final = 12.0
_PADDING_PX: Final = 9
_PHASES_PX: Final = (164, 194)
"""Least and greatest height: in less, a bar would be lower than the letters in it."""
_LEAST_PHASES_PX: Final = 520
_LEAST_MARKS_PX: Final = 104
_BELOW: Final = 40
"""Under the axis of all cycles: the diamonds, and the numbers."""
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE: Final = Qt.AlignmentFlag.AlignCenter


class _Picture(QWidget):
    """Paints in the units of a report's drawing; its plot takes the room that there is.

    What stands around the plot keeps its size, as the application's letters do.

    Attributes:
        menu: of a right click, and of the menu key.
    """

    def __init__(self, desk: Desk, title: str) -> None:
        super().__init__()
        self._desk = desk
        self._title = title
        self._across = self._down = (0, 1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.menu = picture_menu(self, desk, self, self)
        desk.look.changed.connect(self.update)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy and to save."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        place = self.mapToGlobal(self.rect().center()) if by_key else event.globalPos()
        self.menu.popup(place)

    def export_title(self) -> str:
        """Return what it shows."""
        return self._title

    def export_formats(self) -> tuple[ExportFormat, ...]:
        """Return PNG, SVG, and what is drawn as a table."""
        return (
            ExportFormat("PNG", lambda: png_of(self, self._head(), self._draw_in)),
            ExportFormat("SVG", lambda: svg_of(self, self._head(), self._draw_in)),
            ExportFormat("CSV", self._csv),
        )

    def table(self) -> Table:
        """Return what is drawn, in numbers and words."""
        raise NotImplementedError

    def note(self) -> str:
        """Return what stands behind the title in a file."""
        raise NotImplementedError

    def _head(self) -> Head:
        colours = self._desk.look.colours
        return Head(self._title, self.note(), (), colours.paper, colours.ink)

    def _draw_in(self, painter: QPainter, room: QRectF) -> None:
        painter.translate(room.topLeft())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, self._desk.look.colours)

    def _csv(self) -> Writing:
        table = self.table()
        lines = tuple(f"{line}\n" for line in csv_lines(table, range(len(table))))
        return lambda path, _progress: write_whole(path, lines)

    def at(self, x: float, y: float) -> QPointF:
        """Return where a place of the drawing is in the widget."""
        return QPointF(_stretched(x, self._across, self.width()), self._y(y))

    def _y(self, y: float) -> float:
        return _stretched(y, self._down, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground, and what there is."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._desk.look.colours.paper))
        self.paint(painter, self._desk.look.colours)
        painter.end()

    def paint(self, painter: QPainter, colours: Colours) -> None:
        """Paint what there is."""

    def line(self, painter: QPainter, pen: QPen, ends: tuple[float, float, float, float]) -> None:
        """Draw a line between two places of the drawing."""
        painter.setPen(pen)
        painter.drawLine(self.at(ends[0], ends[1]), self.at(ends[2], ends[3]))

    def words(
        self, painter: QPainter, place: QPointF, text: str, colour: str, side: Qt.AlignmentFlag
    ) -> None:
        """Write at a place of the widget: left of it, right of it, or about it."""
        metrics = painter.fontMetrics()
        width, height = metrics.horizontalAdvance(text) + 2, metrics.height()
        left = place.x()
        if side & Qt.AlignmentFlag.AlignRight:
            left -= width
        elif side & Qt.AlignmentFlag.AlignHCenter:
            left -= width / 2
        left = min(max(left, 0.0), max(self.width() - width, 0.0))
        painter.setPen(QColor(colour))
        painter.drawText(QRectF(left, place.y() - height / 2, width, height), side, text)


def _stretched(place: float, plot: tuple[int, int, int], room: int) -> float:
    """Return where a place is when the plot alone grows or shrinks.

    Args:
        place: in the drawing.
        plot: where the plot begins and ends, and how large the whole drawing is.
        room: how large the widget is.
    """
    begin, end, whole = plot
    beyond = whole - end
    if room <= begin + beyond + 1:
        return place * room / whole
    if place <= begin:
        return place
    if place >= end:
        return room - whole + place
    return begin + (place - begin) * (room - begin - beyond) / (end - begin)


def _fill_of(style: str, colours: Colours) -> QBrush:
    if style == "hidden":
        return QBrush(QColor(colours.hidden), Qt.BrushStyle.BDiagPattern)
    if style == "unknown":
        return QBrush(QColor(colours.hatch), Qt.BrushStyle.BDiagPattern)
    return QBrush(
        QColor(
            {
                "to-slp-s3": colours.sky,
                "to-pwr-ok": colours.orange,
                "to-pltrst": colours.green,
                "to-light": colours.yellow,
                "bios": colours.blue,
                "drivers": colours.purple,
            }.get(style, colours.hatch)
        )
    )


class PhasesView(_Picture):
    """Measured, OS-reported and reconciled times of one cycle on one axis."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Where the time goes")
        self._picture: PhasePicture | None = None
        self._panel: PhasePanel | None = None
        self.setMinimumHeight(_PHASES_PX[0])
        self.setMaximumHeight(_PHASES_PX[1])
        self.setMinimumWidth(_LEAST_PHASES_PX)
        self.setMouseTracking(True)

    def show_panel(self, picture: PhasePicture | None, panel: PhasePanel | None) -> None:
        """Show one of the cycles of a picture; None for none."""
        self._picture, self._panel = picture, panel
        if picture is not None:
            g = picture.frame
            # Where room is short the bars come nearer; words above and below them keep their lines.
            self._across = g.left, g.right, g.width
            self._down = g.top, g.reconciled + g.bar, g.height
        self.setAccessibleName("" if panel is None else f"Where the time goes: {panel.summary}")
        self.update()

    def note(self) -> str:
        """Return which cycle is drawn."""
        return "" if self._panel is None else f"{self._panel.choice} cycle {self._panel.number}"

    def table(self) -> Table:
        """Return a row for each phase, and one for each figure right of the plot."""
        panel = self._panel
        rows = [] if panel is None else list(_phase_rows(panel))
        return Table(
            (
                number_column("cycle", [0 if panel is None else panel.number for _ in rows]),
                word_column("account", (account for account, _ in rows)),
                word_column("time", (text for _, text in rows)),
            )
        )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what lies under the mouse, with value and uncertainty."""
        self.setToolTip(tip_of(self.text_at(event.position())))

    def text_at(self, place: QPointF) -> str:
        """Return what lies at a place, in words; empty for nothing."""
        picture, panel = self._picture, self._panel
        if picture is None or panel is None:
            return ""
        for bar in panel.bars:
            for segment in bar.segments:
                ends = (
                    self.at(segment.x, bar.y),
                    self.at(segment.x + segment.width, bar.y + picture.frame.bar),
                )
                if QRectF(*ends).contains(place):
                    return segment.text
        return ""

    def paint(self, painter: QPainter, colours: Colours) -> None:
        """Paint axis, bars and marks."""
        picture, panel = self._picture, self._panel
        if picture is None or panel is None:
            return
        g = picture.frame
        grid, soft = QPen(QColor(colours.line)), QPen(QColor(colours.soft))
        for tick in panel.axis.ticks:
            self.line(painter, grid, (tick.at, g.top, tick.at, g.base - 20))
            self.words(painter, self.at(tick.at, g.top - 12), tick.label, colours.soft, _CENTRE)
        self.line(painter, soft, (g.left, g.top, g.right, g.top))
        since = f"{panel.axis.unit} since {picture.trigger}"
        self.words(painter, self.at(g.column, g.top - 12), since, colours.soft, _LEFT)
        for bar in panel.bars:
            self._paint_bar(painter, colours, bar)
        if panel.limit is not None:
            dashes = QPen(QColor(colours.limit), 2, Qt.PenStyle.DashLine)
            self.line(painter, dashes, (panel.limit, g.top + 4, panel.limit, g.base - 8))
            place = self.at(panel.limit, g.base + 4)
            self.words(painter, place, picture.limit_label, colours.limit, _RIGHT)
        if panel.hidden:
            place = self.at(panel.hidden_at, g.base - 12)
            self.words(painter, place, panel.hidden, colours.hidden, _LEFT)
        painter.setPen(QPen(QColor(colours.ink), 1.6))
        painter.setBrush(QColor(colours.paper))
        if panel.light is not None:
            painter.drawEllipse(self.at(panel.light, g.wires + g.bar / 2), 5, 5)
        if panel.complete is not None:
            middle = g.reconciled + g.bar / 2
            low, high = self.at(panel.complete.low, middle), self.at(panel.complete.high, middle)
            painter.drawLine(low, high)
            for end in (low, high):
                painter.drawLine(end - QPointF(0, 6), end + QPointF(0, 6))
            painter.drawPolygon(_diamond(self.at(panel.complete.at, middle), 6))

    def _free_of_whisker(self, box: QRectF, bar: Bar) -> QRectF:
        """Return the part of a segment that the whisker of resume complete leaves free."""
        assert self._picture is not None
        complete = None if self._panel is None else self._panel.complete
        if complete is None or bar.y != self._picture.frame.reconciled:
            return box
        low = self.at(complete.low, 0).x()
        return QRectF(box.topLeft(), QPointF(min(box.right(), max(low, box.left())), box.bottom()))

    def _paint_bar(self, painter: QPainter, colours: Colours, bar: Bar) -> None:
        assert self._picture is not None
        g = self._picture.frame
        middle = bar.y + g.bar / 2
        self.words(painter, self.at(g.left - 8, middle), bar.name, colours.ink, _RIGHT)
        for segment in bar.segments:
            box = QRectF(
                self.at(segment.x, bar.y), self.at(segment.x + segment.width, bar.y + g.bar)
            )
            edge = colours.hidden if segment.style == "hidden" else colours.edge
            painter.setPen(QPen(QColor(edge), 1.5 if segment.style == "hidden" else 0.5))
            painter.fillRect(box, QColor(colours.paper))
            painter.setBrush(_fill_of(segment.style, colours))
            painter.drawRect(box)
            ink = colours.on_bios if segment.style == "bios" else colours.on_fill
            metrics = painter.fontMetrics()
            # The name with its time, else the time alone.
            free = self._free_of_whisker(box, bar)
            for label in (segment.label, segment.label.rpartition(" ")[2]):
                if label and metrics.horizontalAdvance(label) + 6 <= free.width():
                    self.words(painter, free.center(), label, ink, _CENTRE)
                    break
        if bar.torn:
            tear = QPen(QColor(colours.paper), 4)
            self.line(painter, tear, (g.right - 14, bar.y + g.bar + 2, g.right - 8, bar.y - 2))
        if bar.missing:
            self.words(painter, self.at(g.left + 8, middle), bar.missing, colours.soft, _LEFT)
        if bar.note:
            place = self.at(g.column, middle)
            room = round(self.width() - place.x())
            text = painter.fontMetrics().elidedText(bar.note, Qt.TextElideMode.ElideRight, room)
            self.words(painter, place, text, colours.ink, _LEFT)


def _phase_rows(panel: PhasePanel) -> Iterator[tuple[str, str]]:
    for bar in panel.bars:
        yield from ((bar.name, segment.text) for segment in bar.segments)
        yield from ((bar.name, text) for text in (bar.note, bar.missing) if text)
    if panel.hidden:
        yield "Reconciled", panel.hidden


def _diamond(at: QPointF, half: float) -> QPolygonF:
    return QPolygonF(
        [at + QPointF(*each) for each in ((0, -half), (half, 0), (0, half), (-half, 0))]
    )


_MEANS: Final = {
    CycleMark.TIMED: "timed",
    CycleMark.FAILED: "timed, failed",
    CycleMark.BROKEN: "did not sleep and wake as planned",
    CycleMark.UNKNOWN: "no time",
    CycleMark.LEFT_OUT: "timed, ignored",
}


def _places(path: str) -> Floats:
    """Return where the marks of a path stand, float64 [n, 2]; it has one `M` for each.

    Dots may be many thousand; what is behind their places is one word.
    """
    if path.endswith("h0"):
        numbers = path.replace("h0", " ").replace("M", " ").split()
        return np.array(numbers, np.float64).reshape(-1, 2)
    found = [(float(x), float(y)) for x, y in _PLACE.findall(path)]
    return np.array(found, np.float64).reshape(-1, 2)


class MarksView(_Picture):
    """All cycles: dots against the limit, crosses that did not wake, diamonds without a time.

    Signals:
        chosen: number of the cycle that was clicked, or chosen by a key.
    """

    chosen = Signal(int)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "All cycles")
        self._named: NamedMarks | None = None
        self._picture: MarksPicture | None = None
        self._places = np.zeros((0, 2))
        self._of: dict[str, Floats] = {}
        self._polygons: dict[str, QPolygonF] = {}
        self._polygons_at = (0, 0)
        self.setMinimumHeight(_LEAST_MARKS_PX)
        self._at: int | None = None

    def show_marks(self, named: NamedMarks | None) -> None:
        """Show all cycles; None for none."""
        picture = None if named is None else named.picture
        self._named, self._picture, self._at = named, picture, None
        self._places, self._of, self._polygons = np.zeros((0, 2)), {}, {}
        if picture is not None:
            g = picture.frame
            self._across, self._down = (g.left, g.right, g.width), (g.top, g.base, g.base + _BELOW)
            self._of = {name: _places(getattr(picture, name)) for name in _MARKS}
            chosen = np.concatenate([self._of[name] for name in _MARKS if name != "hidden"])
            self._places = chosen[np.lexsort((chosen[:, 1], chosen[:, 0]))]
        self.setAccessibleName("" if picture is None else f"All cycles: {picture.summary}")
        self.update()

    def note(self) -> str:
        """Return what is timed, and the picture in a sentence."""
        named = self._named
        return "" if named is None else f"{named.what}. {named.picture.summary}"

    def table(self) -> Table:
        """Return a row for each cycle, with its time and what its mark means."""
        named = self._named
        if named is None:
            return Table((number_column("cycle", []),))
        shown = named.shown
        return Table(
            (
                number_column("cycle", shown.numbers),
                number_column(f"{named.what}, ms", shown.times_ms, decimals=3),
                word_column("shown as", (_MEANS[CycleMark(mark)] for mark in shown.marks)),
            )
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the cycle whose mark is nearest."""
        if not len(self._places) or event.button() is not Qt.MouseButton.LeftButton:
            return
        here = event.position()
        across, down = self._on_screen(self._places)
        far = np.hypot(across - here.x(), down - here.y())
        if far.min() <= _NEAR_PX:
            self._choose(int(far.argmin()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next mark or the one before."""
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not len(self._places):
            super().keyPressEvent(event)
            return
        at = -1 if self._at is None and step > 0 else (self._at or 0)
        self._choose(min(max(at + step, 0), len(self._places) - 1))

    def number_at(self, x: float) -> int:
        """Return the number of the cycle at a place of the drawing."""
        assert self._picture is not None
        scale = self._picture.cycles.scale
        share = (x - scale.start) / (scale.end - scale.start)
        return round(scale.low + share * (scale.high - scale.low))

    def _on_screen(self, places: Floats) -> tuple[Floats, Floats]:
        """Return where places are in the widget, across and down, float64 [n] each."""
        corners = []
        for axis, plot, room in ((0, self._across, self.width()), (1, self._down, self.height())):
            begin, end, whole = plot
            drawn = [0.0, float(begin), float(end), float(whole)]
            shown = [_stretched(place, plot, room) for place in drawn]
            corners.append(np.interp(places[:, axis], drawn, shown))
        return corners[0], corners[1]

    def _polygon(self, name: str) -> QPolygonF:
        """Return the marks of a kind, in the widget; those that fall on one pixel once."""
        size = (self.width(), self.height())
        if size != self._polygons_at:
            self._polygons, self._polygons_at = {}, size
        if name not in self._polygons:
            pixels = np.unique(np.rint(np.column_stack(self._on_screen(self._of[name]))), axis=0)
            self._polygons[name] = QPolygonF([QPointF(x, y) for x, y in pixels.tolist()])
        return self._polygons[name]

    def _choose(self, at: int) -> None:
        self._at = at
        self.update()
        self.chosen.emit(self.number_at(float(self._places[at][0])))

    def paint(self, painter: QPainter, colours: Colours) -> None:
        """Paint axes, limit and marks."""
        picture = self._picture
        if picture is None:
            return
        self._paint_axes(painter, colours, picture)
        limit, paper = QColor(colours.limit), QColor(colours.paper)
        dots = (
            ("hidden", 5.5, colours.hidden),
            ("hidden", 2.8, colours.paper),
            ("left_out", 3.5, colours.hatch),
            ("timed", 5.0, colours.blue),
            ("failed", 5.0, colours.limit),
        )
        round_cap = Qt.PenCapStyle.RoundCap
        for name, size, colour in dots:
            painter.setPen(QPen(QColor(colour), size, Qt.PenStyle.SolidLine, round_cap))
            painter.drawPoints(self._polygon(name))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(limit)
        for at in self._polygon("beyond").toList():
            painter.drawPolygon(
                QPolygonF([at + QPointF(-4, 4), at + QPointF(4, 4), at + QPointF(0, -4)])
            )
        painter.setPen(QPen(limit, 2))
        for at in self._polygon("broken").toList():
            painter.drawLine(at + QPointF(-3.5, -3.5), at + QPointF(3.5, 3.5))
            painter.drawLine(at + QPointF(-3.5, 3.5), at + QPointF(3.5, -3.5))
        painter.setPen(QPen(QColor(colours.ink), 1.4))
        painter.setBrush(paper)
        for at in self._polygon("unknown").toList():
            painter.drawPolygon(_diamond(at, 4.5))
        if self._at is not None and self._at < len(self._places):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(self.at(*self._places[self._at].tolist()), 6, 6)

    def _paint_axes(self, painter: QPainter, colours: Colours, picture: MarksPicture) -> None:
        g = picture.frame
        grid, soft = QPen(QColor(colours.line)), QPen(QColor(colours.soft))
        for tick in picture.times.ticks:
            self.line(painter, grid, (g.left, tick.at, g.right, tick.at))
            self.words(painter, self.at(g.left - 6, tick.at), tick.label, colours.soft, _RIGHT)
        self.line(painter, soft, (g.left, g.base, g.right, g.base))
        for tick in picture.cycles.ticks:
            self.words(painter, self.at(tick.at, g.base + 26), tick.label, colours.soft, _CENTRE)
        level = QPen(QColor(colours.soft), 1.2)
        for each in picture.levels:
            self.line(painter, level, (each.x1, each.y1, each.x2, each.y2))
        if picture.limit_at is not None:
            dashes = QPen(QColor(colours.limit), 2, Qt.PenStyle.DashLine)
            self.line(painter, dashes, (g.left, picture.limit_at, g.right, picture.limit_at))
            place = self._beside_limit(painter, self.at(g.right, picture.limit_at))
            self.words(painter, place, picture.limit_label, colours.limit, _RIGHT)

    def _beside_limit(self, painter: QPainter, end: QPointF) -> QPointF:
        """Return where the limit's name hides fewer marks: above its line, or below it."""
        assert self._picture is not None
        metrics = painter.fontMetrics()
        high = metrics.height()
        across, down = self._on_screen(self._places)
        within = across > end.x() - metrics.horizontalAdvance(self._picture.limit_label) - _NEAR_PX
        above = np.count_nonzero(within & (down < end.y()) & (down > end.y() - 1.5 * high))
        below = np.count_nonzero(within & (down >= end.y()) & (down < end.y() + 1.5 * high))
        return end + QPointF(0, _PADDING_PX if above > below else -_PADDING_PX)
