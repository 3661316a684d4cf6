"""The first screen of a report as widgets: where the time goes, figures, all cycles, advice."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.first_pictures import MarksView, PhasesView
from resume_rig.gui.widgets.labels import (
    ElidedLabel,
    plain_label,
    show_elided,
    show_sentences,
    show_text,
    tip_of,
)
from resume_rig.report.campaign.answer import Action
from resume_rig.report.campaign.page import FirstScreen
from resume_rig.report.drawing.phases import PhasePicture
from resume_rig.report.parts.page import Tile, TrustBadge

_ACTIONS_MOST: Final = 3
_TILES: Final = (12, 10, 12, 5)
"""How broad the four figures are to one another."""


class FirstScreenView(QWidget):
    """The answer at a glance.

    Args:
        desk: of the application.

    Signals:
        chosen: number of a cycle that was clicked in the picture of all cycles.
    """

    chosen = Signal(int)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.first: FirstScreen | None = None
        self.title = ElidedLabel(role="title")
        self.trust = plain_label(wraps=True)
        self.trust.hide()
        self.choice = QComboBox()
        self.choice.setAccessibleName("Cycle that is drawn")
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.activated.connect(self._draw_phases)
        self.phases = PhasesView(desk)
        self.marks = MarksView(desk)
        self.marks.chosen.connect(self.chosen)
        self.what = plain_label(role="soft", wraps=True)
        self.tiles = [
            (plain_label(role="soft", wraps=True), plain_label(role="tile", wraps=True))
            for _ in _TILES
        ]
        self.advice = plain_label(wraps=True)
        self.advice.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        desk.look.changed.connect(self._restyle)
        self._lay_out()
        self._restyle()

    def show_first(self, first: FirstScreen | None) -> None:
        """Show an answer, or a later one; the kind of cycle that is drawn stays."""
        self.first = first
        if first is None:
            self.phases.show_panel(None, None)
            self.marks.show_marks(None)
            self.choice.clear()
            self.trust.hide()
            for label in (self.title, self.what, self.advice, *sum(self.tiles, ())):
                show_text(label, "")
            return
        show_elided(self.title, " · ".join((first.title, *first.subtitle)))
        self._show_trust(first.trust)
        self._offer(first.phases)
        self._show_tiles(first.figures)
        named = first.marks
        self.marks.show_marks(named)
        show_text(self.what, "" if named is None else f"{named.what}. {named.picture.summary}")
        self._show_actions(first.actions, first.nothing_to_do)

    def _show_trust(self, badges: Sequence[TrustBadge]) -> None:
        self.trust.setVisible(bool(badges))
        show_text(self.trust, "   ".join(f"⚠ {each.text}" for each in badges))

    def _offer(self, picture: PhasePicture | None) -> None:
        key = self.choice.currentData()
        self.choice.clear()
        panels = () if picture is None else picture.panels
        for panel in panels:
            self.choice.addItem(f"{panel.choice} cycle {panel.number}", panel.key)
        self.choice.setCurrentIndex(max(self.choice.findData(key), 0) if panels else -1)
        self._draw_phases()

    def _draw_phases(self, *_: object) -> None:
        picture = None if self.first is None else self.first.phases
        at = self.choice.currentIndex()
        panel = picture.panels[at] if picture is not None and at >= 0 else None
        self.phases.show_panel(picture, panel)

    def _show_tiles(self, figures: Sequence[Tile]) -> None:
        for (name, value), tile in zip(self.tiles, figures, strict=False):
            show_text(name, tile.name)
            show_text(value, tile.value)
            for label in (name, value):
                label.setToolTip(tip_of(f"{tile.name}: {tile.value}; {tile.detail}"))

    def _show_actions(self, actions: Sequence[Action], nothing: str) -> None:
        rows = [
            f"{each.owner}: {each.text} {each.option}".rstrip() for each in actions[:_ACTIONS_MOST]
        ]
        show_sentences(self.advice, *(rows or (nothing,)))

    def _restyle(self) -> None:
        self.trust.setStyleSheet(
            f"background: {self._desk.look.colours.amber}; color: #ffffff; padding: 4px 10px;"
            " border-radius: 3px; font-weight: 600;"
        )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.title)
        column.addWidget(self.trust)
        head = QHBoxLayout()
        head.addWidget(plain_label("Where the time goes", role="title"))
        head.addWidget(self.choice)
        head.addStretch(1)
        column.addLayout(head)
        column.addWidget(self.phases, 1)
        grid = QGridLayout()
        for at, (name, value) in enumerate(self.tiles):
            grid.addWidget(name, 0, at, Qt.AlignmentFlag.AlignBottom)
            grid.addWidget(value, 1, at, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(at, _TILES[at])
        column.addLayout(grid)
        below = QHBoxLayout()
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(plain_label("All cycles", role="title"))
        left.addWidget(self.marks, 1)
        right.addWidget(plain_label("What to do", role="title"))
        right.addWidget(self.advice)
        right.addStretch(1)
        below.addLayout(left, 3)
        below.addLayout(right, 2)
        column.addLayout(below, 1)
        column.addWidget(self.what)
