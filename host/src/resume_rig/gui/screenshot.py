"""Writes the window to a picture, once it shows what was asked for."""

import time
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QEventLoop

from resume_rig.gui.window import Window
from resume_rig.model.errors import RigError, UsageError

PATIENCE_S: Final = 180.0
_FRAME_MS: Final = 20
_LAST_FRAMES: Final = 10


def take_screenshot(window: Window, path: Path) -> None:
    """Wait until the page is settled, write the window to `path`, and close it.

    Raises:
        UsageError: the file cannot be written.
        RigError: the page did not settle.
    """
    try:
        _wait(window)
        for _ in range(_LAST_FRAMES):
            _frame()
        picture = window.grab()
        if not picture.save(str(path), "PNG"):
            raise UsageError(
                f"could not write the screenshot {path}: its folder is not there or cannot be "
                "written to; name a file in a folder that can be written to"
            )
    finally:
        window.close_at_once()


def _wait(window: Window) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while window.jobs.running is not None or not (window.view is None or window.view.settled()):
        _frame()
        if time.monotonic() > until_s:
            raise RigError(
                f"could not take a screenshot of {window.view_name}: it was not complete after "
                f"{PATIENCE_S:.0f} s; look at the window itself, without --screenshot"
            )


def _frame() -> None:
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, _FRAME_MS)
    time.sleep(_FRAME_MS / 2_000)
