"""Labels for text that others wrote: never taken for mark-up, never with invisible signs.

A sentence that the command line shares is shown with the names of the window's own fields.
"""

from html import escape
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.report.drawing.palette import Colours
from resume_rig.report.parts.page import Badge
from resume_rig.report.text.hostile_text import SENTENCE_LIMIT, one_line


def plain_label(text: str = "", role: str = "", *, wraps: bool = False) -> QLabel:
    """Return a label that shows its text as it is.

    Args:
        text: shown on one line, what does not print is spelled out.
        role: of the application's rules: "soft", "title", "figure", "error".
        wraps: it takes as many lines as its text needs.
    """
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(one_line(text))
    label.setWordWrap(wraps)
    if role:
        label.setProperty("role", role)
    return label


def text_label() -> QLabel:
    """Return a label of sentences, which takes the room there is and can be selected."""
    label = plain_label(wraps=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return label


def show_text(label: QLabel, text: str, limit: int = SENTENCE_LIMIT) -> None:
    """Put a text on a label, where it is not there yet."""
    shown = one_line(text, limit)
    if label.text() != shown:
        label.setText(shown)


def show_sentences(label: QLabel, *sentences: str) -> None:
    """Put sentences of the program on a label, a line each, or hide it where there are none."""
    text = "\n".join(one_line(in_window(each)) for each in sentences)
    if label.text() != text:
        label.setText(text)
    label.setVisible(bool(sentences))


def tip_of(text: str) -> str:
    """Return a text as a tool tip, which Qt would take for mark-up where it looks like it."""
    return f"<span>{escape(one_line(text))}</span>" if text else ""


class ElidedLabel(QLabel):
    """A label that takes the room there is; what does not fit is in its tool tip."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def minimumSizeHint(self) -> QSize:
        """Ask for a line's height alone."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, its end replaced by an ellipsis where it does not fit."""
        del event
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            self.palette(),
            self.isEnabled(),
            self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
            ),
            self.foregroundRole(),
        )
        painter.end()


def show_elided(label: ElidedLabel, text: str) -> None:
    """Put a text on a label that may be too short for it."""
    show_text(label, text)
    label.setToolTip(tip_of(text))


_TEXT_MOST: Final = 2_000
_MARGIN_PX: Final = 2
_BADGE_PX: Final = 3


class VerdictLine(QFrame):
    """A badge and a sentence; hidden until there is a verdict, which is a word, not a colour."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._badge: Badge | None = None
        self.badge = plain_label()
        self.badge.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.why = text_label()
        # Its first line next to the badge's word, however much room there is below.
        self.why.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.why.setContentsMargins(0, _BADGE_PX, 0, 0)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, _MARGIN_PX, 0, _MARGIN_PX)
        row.setSpacing(10)
        row.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.why, 1)
        desk.look.changed.connect(self._restyle)
        self.hide()

    def keep_room(self) -> None:
        """Take the room of two lines while it is hidden, so that nothing jumps when it comes."""
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        lines_px = 2 * self.fontMetrics().lineSpacing()
        self.setMinimumHeight(lines_px + 2 * _MARGIN_PX + _BADGE_PX)

    def show_verdict(self, badge: Badge, why: str) -> None:
        """Show a verdict, or the answer of a comparison, as the report's badges name it."""
        self._badge = badge
        self.badge.setText(badge.word)
        self.badge.setAccessibleName(f"Verdict {badge.word}")
        show_text(self.why, in_window(why), _TEXT_MOST)
        self._restyle()
        self.show()

    def _restyle(self) -> None:
        if self._badge is None:
            return
        ground, ink = _colours_of(self._badge.style, self._desk.look.colours)
        self.badge.setStyleSheet(
            f"background: {ground}; color: {ink}; font-weight: 700;"
            f" padding: {_BADGE_PX}px 10px;"
            " border-radius: 3px;"
        )


def _colours_of(style: str, colours: Colours) -> tuple[str, str]:
    return {
        "pass": (colours.passed, colours.on_colour),
        "fail": (colours.failed, colours.on_colour),
        "marginal": (colours.marginal, colours.on_marginal),
    }.get(style, (colours.none, colours.on_colour))
