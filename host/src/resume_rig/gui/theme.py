"""The application's look: the palette of reports (report/drawing/palette.py), given to Qt."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from resume_rig.gui.request import ThemeName
from resume_rig.report.drawing.palette import DARK, LIGHT, Colours


class Look(QObject):
    """The colours in force; at `changed` widgets paint themselves anew."""

    changed = Signal()

    def __init__(self, name: ThemeName) -> None:
        super().__init__()
        self._name = name
        self.colours = _colours(name)

    @property
    def name(self) -> ThemeName:
        """What was chosen."""
        return self._name

    def choose(self, name: ThemeName) -> None:
        """Take other colours, for the whole application."""
        self._name = name
        self.colours = _colours(name)
        apply_to_application(self.colours)
        self.changed.emit()


def apply_to_application(colours: Colours) -> None:
    """Give the application its palette and its few own rules."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        return
    rules = _rules(colours)
    if application.styleSheet() == rules:
        return  # every widget would be styled anew, for nothing
    application.setStyle("Fusion")
    application.setPalette(_palette(colours))
    application.setStyleSheet(rules)


def _colours(name: ThemeName) -> Colours:
    if name is ThemeName.SYSTEM:
        scheme = QApplication.styleHints().colorScheme()
        return DARK if scheme is Qt.ColorScheme.Dark else LIGHT
    return DARK if name is ThemeName.DARK else LIGHT


def _palette(colours: Colours) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for roles, colour in (
        ((role.Window, role.Button, role.AlternateBase, role.ToolTipBase), colours.card),
        ((role.Base,), colours.paper),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), colours.ink),
        ((role.PlaceholderText,), colours.soft),
        ((role.Highlight, role.Link), colours.blue),
        ((role.HighlightedText,), colours.on_bios),
        ((role.Mid, role.Dark), colours.line),
        ((role.Light, role.Midlight), colours.line if colours.dark else colours.paper),
    ):
        for each in roles:
            palette.setColor(each, QColor(colour))
    for each in (role.Text, role.ButtonText, role.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(colours.hatch))
    return palette


def _rules(colours: Colours) -> str:
    # A checked box stays the style's own, with its tick; an empty one would hardly be visible.
    return f"""
QToolTip {{ color: {colours.ink}; background: {colours.card}; border: 1px solid {colours.line}; }}
QLabel[role="soft"] {{ color: {colours.soft}; }}
QLabel[role="title"] {{ font-weight: 600; }}
QLabel[role="error"] {{ color: {colours.ink}; border-left: 4px solid {colours.vermillion};
  padding-left: 6px; }}
QLabel[role="tile"] {{ font-size: 16px; font-weight: 600; }}
QLabel[role="figure"] {{ font-size: 20px; font-weight: 600; }}
QFrame[role="alarm"] {{ background: {colours.failed}; border-radius: 4px; }}
QFrame[role="alarm"] QLabel {{ color: {colours.on_colour}; }}
QFrame[role="note"] {{ background: {colours.card}; border: 1px solid {colours.line};
  border-radius: 4px; }}
QLabel[role="drop"] {{ color: {colours.soft}; border: 2px dashed {colours.hatch};
  border-radius: 6px; padding: 14px; }}
QTreeWidget#recent::item {{ padding: 3px 0; }}
QCommandLinkButton {{ background: {colours.paper}; border: 1px solid {colours.line};
  border-radius: 6px; }}
QCommandLinkButton:hover, QCommandLinkButton:focus {{ border: 2px solid {colours.blue}; }}
QLineEdit[role="bad"] {{ border: 2px solid {colours.vermillion}; }}
QCheckBox::indicator:unchecked {{ width: 12px; height: 12px; border: 1px solid {colours.soft};
  border-radius: 2px; background: {colours.paper}; }}
QCheckBox::indicator:unchecked:disabled {{ border-color: {colours.line}; }}
QToolButton[role="more"] {{ font-weight: 600; }}
QToolButton[role="more"]::menu-indicator {{ image: none; }}
QListWidget#rail {{ border: 0; background: {colours.card}; outline: 0; }}
QListWidget#rail::item {{ padding-left: 10px; }}
QListWidget#rail::item:selected {{ background: {colours.blue}; color: {colours.on_bios}; }}
"""
