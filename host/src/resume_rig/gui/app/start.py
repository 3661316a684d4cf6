"""Starts the application: what Qt has to know first, the window, and how it ends."""

import ctypes
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.gui.request import VIEW_NAMES, GuiRequest, Target, ThemeName
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.gui.desk import Remembered

logger = logging.getLogger(__name__)

_SWITCH_S = 0.0005
_PACKAGES = (
    "libegl1 libgl1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
)
"""What PySide6's xcb plugin needs of Debian 12 on top of a desktop's own (ldd of libqxcb.so)."""


def run(request: GuiRequest) -> int:
    """Open the window and return when it is closed; with a screenshot, when that is written.

    Returns:
        0, as the window itself judges nothing.

    Raises:
        UsageError: the application's libraries are missing, or a screenshot cannot be written.
        RigError: what a screenshot was to show did not come.
    """
    if request.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if request.scale is not None:
        os.environ["QT_SCALE_FACTOR"] = str(request.scale)
    put_the_window_first()
    try:
        from PySide6.QtWidgets import QApplication

        from resume_rig.gui.app.window import Window
    except ImportError as error:
        if ".so" in str(error):
            raise UsageError(_missing_library(str(error))) from error
        raise UsageError(
            f"the desktop application needs libraries that are not installed ({error}); install "
            "them with: pip install 'resume-rig[gui]'"
        ) from error
    from PySide6.QtCore import qInstallMessageHandler

    from resume_rig.gui.desk import Remembered
    from resume_rig.gui.theme import Look, apply_to_application

    _check_display()
    qInstallMessageHandler(_log_of_qt)
    application = QApplication.instance() or QApplication(["resume-rig"])
    application.setApplicationName("resume-rig")
    remembered = Remembered(request.settings)
    look = Look(_theme(request, remembered.text("window/theme")))
    apply_to_application(look.colours)
    window = Window(look, remembered, wish=request.bench)
    if request.size is not None:
        window.resize(*request.size)
    _end_on_signals(window.close_at_once)
    window.show()
    if request.view is None and request.target.paths:
        window.open_files(map(str, request.target.paths), request.target.cycle)
    else:
        window.go(*_first_view(request, remembered))
    if request.screenshot is not None:
        from resume_rig.gui.app.window import take_screenshot

        take_screenshot(window, request.screenshot)
        return 0
    application.exec()
    return 0


def put_the_window_first() -> None:
    """Let no other thread keep the window's waiting for Python's lock: 5 ms is the usual."""
    sys.setswitchinterval(_SWITCH_S)


def _check_display() -> None:
    """Refuse where Qt would abort the process without a word that helps.

    Raises:
        UsageError: there is no display, or a library that Qt needs to use it is missing.
    """
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return
    if os.environ.get("WAYLAND_DISPLAY"):
        return
    if not os.environ.get("DISPLAY"):
        raise UsageError(
            "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; open the window in a"
            " desktop session, or write a picture of it with --screenshot FILE"
        )
    from PySide6.QtCore import QLibraryInfo

    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    try:
        ctypes.CDLL(str(folder / "platforms" / "libqxcb.so"))
    except OSError as error:
        raise UsageError(_missing_library(str(error))) from error


def _missing_library(message: str) -> str:
    return (
        f"the desktop application cannot use the display: {message.partition(':')[0]} is missing;"
        f" install (Debian, Ubuntu): apt install {_PACKAGES}"
    )


def _theme(request: GuiRequest, remembered: str) -> ThemeName:
    if request.theme is not None:
        return request.theme
    return ThemeName(remembered) if remembered in list(ThemeName) else ThemeName.SYSTEM


def _first_view(request: GuiRequest, remembered: "Remembered") -> tuple[str, Target]:
    """Return the page to begin with, and what it opens: what was asked for, or as it was left."""
    if request.view is not None:
        return request.view, request.target
    if request.bench.run or request.bench.plan is not None:
        return "campaign", request.target
    if request.bench.rig:
        return "bench", request.target
    view = remembered.text("window/view")
    files = tuple(path for path in map(Path, remembered.texts("window/files")) if path.exists())
    return (view, Target(files)) if view in VIEW_NAMES else ("start", Target())


def _log_of_qt(_kind: object, _context: object, text: str) -> None:
    """Keep Qt's messages in the log; a terminal is for the user."""
    logger.debug("Qt: %s", text)


def _end_on_signals(end: Callable[[], None]) -> None:
    """Let Ctrl-C and a request to end stop what runs, and close the window."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: end())
