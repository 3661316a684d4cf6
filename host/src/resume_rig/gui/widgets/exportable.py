"""What can be written to a file, and how: plots as PNG and SVG, tables as CSV."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QByteArray, QRect, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

from resume_rig.model.errors import UsageError

PNG_SCALE = 2.0


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One kind of file.

    Attributes:
        name: "PNG", "SVG", "CSV".
        write: raises UsageError where the file cannot be written.
    """

    name: str
    write: Callable[[Path], None]

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


def write_png(view: QGraphicsView, paper: str, path: Path) -> None:
    """Write a plot as a picture of twice its size on the screen.

    Raises:
        UsageError: the file cannot be written.
    """
    image = QImage(view.size() * PNG_SCALE, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    image.fill(QColor(paper))
    painter = QPainter(image)
    view.render(painter)
    painter.end()
    if not QImageWriter(str(path), QByteArray(b"png")).write(image):
        raise _cannot(path)


def write_svg(view: QGraphicsView, title: str, path: Path) -> None:
    """Write a plot as a drawing without pixels.

    Raises:
        UsageError: the file cannot be written.
    """
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setTitle(title)
    size = QSize(view.size())
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    painter = QPainter()
    if not painter.begin(generator):
        raise _cannot(path)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    view.render(painter)
    painter.end()


def _cannot(path: Path) -> UsageError:
    return UsageError(
        f"could not write {path}: its folder is not there or cannot be written to; name a file in "
        "a folder that can be written to"
    )
