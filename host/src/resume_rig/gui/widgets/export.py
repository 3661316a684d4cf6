"""What can be written to a file, and how: plots as PNG and SVG, tables as CSV."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Protocol

from PySide6.QtCore import QBuffer, QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPainter,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.gui.desk import Desk

PNG_SCALE = 2.0
_GAP_PX = 4

Progress = Callable[[int, int], None]
"""Gets how much is written, of how much; what it raises ends the writing."""
Writing = Callable[[Path, Progress], None]
"""Writes a file whole or not at all; touches no widget."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One kind of file.

    Attributes:
        name: "PNG", "SVG", "CSV".
        make: takes what is to be written from the screen, and returns how to write it, which may
            take long; that raises UsageError where the file cannot be written.
    """

    name: str
    make: Callable[[], Writing]

    @property
    def suffixes(self) -> str:
        """What a dialog for files offers."""
        return f"{self.name} (*.{self.name.lower()})"


class Exportable(Protocol):
    """A plot or a table that a menu can write to a file."""

    def export_title(self) -> str:
        """Return what it shows, in words that name a file."""
        ...

    def export_formats(self) -> tuple[ExportFormat, ...]:
        """Return the kinds of files that it can be written to."""
        ...


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above a plot: on the screen in widgets, in a file as part of the picture.

    Attributes:
        title, note: of the plot.
        key: colour and words, for each colour that needs some.
        paper, ink: colours in force.
    """

    title: str
    note: str
    key: tuple[tuple[str, str], ...]
    paper: str
    ink: str

    def height(self, font: QFont) -> int:
        """Return how many pixels it is high."""
        return (2 if self.key else 1) * (QFontMetrics(font).height() + _GAP_PX) + _GAP_PX

    def draw(self, painter: QPainter) -> None:
        """Draw it at the top of the page."""
        font = painter.font()
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        line = QFontMetrics(font).height()
        base = _GAP_PX + QFontMetrics(font).ascent()
        painter.setPen(QColor(self.ink))
        painter.setFont(bold)
        painter.drawText(_GAP_PX, base, self.title)
        painter.setFont(font)
        note_x = 2 * _GAP_PX + QFontMetrics(bold).horizontalAdvance(self.title)
        painter.drawText(note_x, base, self.note)
        left, top = _GAP_PX, 2 * _GAP_PX + line
        for colour, words in self.key:
            painter.fillRect(left, top + 2, line - 4, line - 4, QColor(colour))
            painter.drawText(left + line, top + QFontMetrics(font).ascent(), words)
            left += 2 * line + QFontMetrics(font).horizontalAdvance(words)


Render = Callable[[QPainter, QRectF], None]
"""Draws what a widget shows in a part of a page."""


def png_of(view: QWidget, head: Head, render: Render) -> Writing:
    """Return how to write a plot as a picture of twice its size on the screen."""
    above = head.height(view.font())
    size = QSize(view.width(), view.height() + above)
    image = QImage(size * PNG_SCALE, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    image.fill(QColor(head.paper))
    painter = QPainter(image)
    _draw(painter, view, head, render)
    return partial(_write_png, image)


def svg_of(view: QWidget, head: Head, render: Render) -> Writing:
    """Return how to write a plot as a drawing without pixels."""
    above = head.height(view.font())
    drawing = QByteArray()
    device = QBuffer(drawing)
    # Of version 1.1, which can clip: curves end where the plot does.
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setResolution(view.logicalDpiX())
    generator.setOutputDevice(device)
    generator.setTitle(head.title)
    size = QSize(view.width(), view.height() + above)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    painter = QPainter(generator)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(head.paper))
    _draw(painter, view, head, render)
    return partial(_write_text, bytes(drawing.data()).decode("utf-8"))


def _draw(painter: QPainter, view: QWidget, head: Head, render: Render) -> None:
    painter.setFont(view.font())
    head.draw(painter)
    render(painter, QRectF(0, head.height(view.font()), view.width(), view.height()))
    painter.end()


def _write_png(image: QImage, path: Path, progress: Progress) -> None:
    del progress
    encoded = QByteArray()
    device = QBuffer(encoded)
    QImageWriter(device, QByteArray(b"png")).write(image)

    def write(file: IO[bytes]) -> None:
        file.write(encoded.data())

    write_whole(path, write)


def _write_text(text: str, path: Path, progress: Progress) -> None:
    del progress
    write_whole(path, text)


def add_exports(menu: QMenu, desk: Desk, what: Exportable, words: str = "Save") -> None:
    """Offer to save something in each of its formats."""
    for kind in what.export_formats():
        menu.addAction(f"{words} as {kind.name} …", partial(export_to_file, desk, what, kind))


def picture_menu(parent: QWidget, desk: Desk, what: Exportable, picture: QWidget) -> QMenu:
    """Return a menu that saves something in each of its formats, and copies its picture."""

    def copy() -> None:
        QGuiApplication.clipboard().setPixmap(picture.grab())
        desk.show_status(f"{what.export_title()} is on the clipboard as a picture.")

    menu = QMenu(parent)
    add_exports(menu, desk, what)
    menu.addAction("Copy the picture", copy)
    return menu


def export_to_file(desk: Desk, what: Exportable, kind: ExportFormat) -> None:
    """Ask for a file and write it in the background; the status line says where it is."""
    title = what.export_title()

    def write(path: Path) -> None:
        writing = kind.make()
        desk.jobs.start(
            f"Writing {path.name}",
            lambda task: writing(path, task.progress),
            lambda _: desk.show_status(f"{title} is in {path}."),
            desk.show_status,
        )

    desk.ask_path(f"Save {title} as {kind.name}", kind.suffixes, write)


def ask_path_with(parent: QWidget) -> Callable[[str, str, Callable[[Path], None]], None]:
    """Return a way of asking that opens the system's dialog over `parent`, and goes on."""

    def ask(title: str, suffixes: str, then: Callable[[Path], None]) -> None:
        dialog = QFileDialog(parent, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(suffixes)
        dialog.setDefaultSuffix(suffixes.partition("*.")[2].rstrip(")"))
        dialog.fileSelected.connect(lambda name: then(Path(name)))
        dialog.open()

    return ask
