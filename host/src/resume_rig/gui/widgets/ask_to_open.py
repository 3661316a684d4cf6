"""Asks for files or a folder to read, in a dialog that nothing waits for."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from resume_rig.gui.desk import Remembered

_PLACE = "files/folder"


def ask_to_open(
    parent: QWidget,
    remembered: Remembered,
    title: str,
    then: Callable[[Sequence[str]], None],
    *,
    folder: bool = False,
) -> None:
    """Open the system's dialog over `parent`, and go on with what is chosen there.

    Args:
        parent: of the dialog.
        remembered: has the folder that the last files were in.
        title: of the dialog.
        then: gets the names; not called where nothing was chosen.
        folder: one folder is asked for, not files.
    """
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    mode = QFileDialog.FileMode
    dialog.setFileMode(mode.Directory if folder else mode.ExistingFiles)
    dialog.setDirectory(remembered.text(_PLACE, str(Path.cwd())))

    def chosen(names: list[str]) -> None:
        if names:
            remembered.keep(_PLACE, str(Path(names[0]).parent))
            then(names)

    dialog.filesSelected.connect(chosen)
    dialog.open()
