"""State that outlives the window: its place, the view, the theme, what was last connected to."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

NAME = "resume-rig"


class Remembered:
    """Typed access to one file of settings.

    Args:
        path: of the file; None for the user's own.
    """

    def __init__(self, path: Path | None = None) -> None:
        ini = QSettings.Format.IniFormat
        if path is None:
            self._settings = QSettings(ini, QSettings.Scope.UserScope, NAME, NAME)
        else:
            self._settings = QSettings(str(path), ini)

    def text(self, key: str, default: str = "") -> str:
        """Return a text; the default where none was kept, or something else."""
        value = self._settings.value(key, default)
        return value if isinstance(value, str) else default

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(filter(None, self.text(key).split("\n")))

    def bytes(self, key: str) -> QByteArray:
        """Return bytes that Qt made (`saveState`); empty where none were kept."""
        value = self._settings.value(key, QByteArray())
        return value if isinstance(value, QByteArray) else QByteArray()

    def keep(self, key: str, value: "str | QByteArray") -> None:
        """Keep a value from now on."""
        self._settings.setValue(key, value)

    def keep_newest(self, key: str, text: str, most: int = 8) -> None:
        """Put a text at the head of a list of texts, once."""
        others = [each for each in self.texts(key) if each != text]
        self.keep(key, "\n".join([text, *others][:most]))

    def close(self) -> None:
        """Write what is not on the disk yet."""
        self._settings.sync()
