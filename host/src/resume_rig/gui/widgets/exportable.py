"""What can be written to a file, and how: plots as PNG and SVG, tables as CSV."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QByteArray, QRect, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.model.errors import UsageError

PNG_SCALE = 2.0

Told = Callable[[int, int], None]
"""Gets how much is written, of how much; what it raises ends the writing."""
Writing = Callable[[Path, Told], None]
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
        """Return what it shows, as a file name would say it."""
        ...

    def export_formats(self) -> tuple[ExportFormat, ...]:
        """Return the kinds of files that it can be written to."""
        ...


def png_of(view: QGraphicsView, paper: str) -> Writing:
    """Return how to write a plot as a picture of twice its size on the screen."""
    image = QImage(view.size() * PNG_SCALE, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    image.fill(QColor(paper))
    painter = QPainter(image)
    view.render(painter)
    painter.end()
    return partial(_write_png, image)


def svg_of(view: QGraphicsView, title: str) -> Writing:
    """Return how to write a plot as a drawing without pixels."""
    drawing = QByteArray()
    device = QBuffer(drawing)
    generator = QSvgGenerator()
    generator.setOutputDevice(device)
    generator.setTitle(title)
    size = QSize(view.size())
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    painter = QPainter(generator)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    view.render(painter)
    painter.end()
    return partial(_write_text, bytes(drawing.data()).decode("utf-8"))


def _write_png(image: QImage, path: Path, told: Told) -> None:
    del told
    if not QImageWriter(str(path), QByteArray(b"png")).write(image):
        raise _cannot(path)


def _write_text(text: str, path: Path, told: Told) -> None:
    del told
    write_whole(path, text)


def _cannot(path: Path) -> UsageError:
    return UsageError(
        f"could not write {path}: its folder is not there or cannot be written to; name a file in "
        "a folder that can be written to"
    )
