"""From "Save as ..." to the file, without a dialog that traps anybody."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.exportable import Exportable, ExportFormat


def export_to_file(desk: Desk, what: Exportable, kind: ExportFormat, *_checked: bool) -> None:
    """Ask for a file and write it in the background; its end is said on the status line."""
    title = what.export_title()

    def write(path: Path) -> None:
        writing = kind.make()
        desk.jobs.start(
            f"Writing {path.name}",
            lambda task: writing(path, task.progress),
            lambda _: desk.say(f"{title} is in {path}."),
            desk.say,
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
