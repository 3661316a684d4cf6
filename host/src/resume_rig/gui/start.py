"""Starts the application: what Qt has to know first, the window, and how it ends."""

import logging
import os
import signal
import sys
from collections.abc import Callable

from resume_rig.gui.request import VIEW_NAMES, GuiRequest, Target, ThemeName
from resume_rig.model.errors import UsageError

logger = logging.getLogger(__name__)

_SWITCH_S = 0.0005


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

        from resume_rig.gui.window import Window
    except ImportError as error:
        raise UsageError(
            f"the desktop application needs libraries that are not installed ({error}); install "
            "them with: pip install 'resume-rig[gui]'"
        ) from error
    from PySide6.QtCore import qInstallMessageHandler

    from resume_rig.gui.remembered import Remembered
    from resume_rig.gui.theme import Look, apply_to_application

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
    window.go(_first_view(request, remembered.text("window/view")), request.target)
    if request.screenshot is not None:
        from resume_rig.gui.screenshot import take_screenshot

        take_screenshot(window, request.screenshot)
        return 0
    application.exec()
    return 0


def put_the_window_first() -> None:
    """Let no other thread keep the window's waiting for Python's lock: 5 ms is the usual."""
    sys.setswitchinterval(_SWITCH_S)


def _theme(request: GuiRequest, remembered: str) -> ThemeName:
    if request.theme is not None:
        return request.theme
    return ThemeName(remembered) if remembered in list(ThemeName) else ThemeName.SYSTEM


def _first_view(request: GuiRequest, remembered: str) -> str:
    if request.view is not None:
        return request.view
    if request.bench.run or request.bench.plan is not None:
        return "campaign"
    if request.target == Target() and remembered in VIEW_NAMES:
        return remembered
    return "bench"


def _log_of_qt(_kind: object, _context: object, text: str) -> None:
    """Keep what Qt says to itself; a terminal is for the user."""
    logger.debug("Qt: %s", text)


def _end_on_signals(end: Callable[[], None]) -> None:
    """Let Ctrl-C and a request to end stop what runs, and close the window."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: end())
