"""Python's garbage, swept in the window's thread alone.

A cycle of objects that holds a widget or a graphics item must not be freed by whichever thread
happens to make the next object: Qt's objects belong to the window's thread.
"""

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

_EVERY_MS: Final = 250


class Sweeper(QObject):
    """Takes the collector over from Python until `stop`."""

    def __init__(self) -> None:
        super().__init__()
        self._thresholds = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.sweep)
        self._timer.start()

    def sweep(self) -> None:
        """Collect the generations that are due, as Python itself would."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Give the collector back."""
        self._timer.stop()
        gc.enable()
