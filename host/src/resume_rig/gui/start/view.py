"""The start page: recent files, opening, and the ways in for who has no file."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.desk import RECENT, Desk
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.labels import plain_label, tip_of
from resume_rig.gui.widgets.page import View
from resume_rig.report.text.hostile_text import one_line

_DROP: Final = (
    "Drop stores, the PC's logs or captures of a logic analyser anywhere in this window; two stores"
    " or two captures are compared."
)
_NONE: Final = "Files that were opened stand here."
_LEAST_PX: Final = 260


class StartView(View):
    """Left: what can be begun. Right: recent files, the newest first."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.open_button = self._button("Open …", "A store or logs (Ctrl+O)", desk.open)
        self.bench_button = self._button(
            "Try the simulated bench",
            "Four S3 cycles of a simulated laptop",
            partial(desk.go, "campaign", Target()),
        )
        self.board_button = self._button(
            "Connect a board", "Find its port, and press once", partial(desk.go, "bench", Target())
        )
        self.compare_button = self._button(
            "Compare two builds",
            "Files or folders on each side",
            partial(desk.go, "compare", Target()),
        )
        self.recent = QListWidget()
        self.recent.setAccessibleName("Recent files")
        self.recent.itemActivated.connect(self._open_recent)
        self.recent.itemClicked.connect(self._open_recent)
        self._lay_out()

    def refresh(self) -> None:
        """Show the recent files; those that are gone are left out."""
        paths = [path for path in self.desk.remembered.texts(RECENT) if Path(path).exists()]
        shown = [self.recent.item(row).data(_PATH) for row in range(self.recent.count())]
        if shown and paths == [each for each in shown if each]:
            return
        self.recent.clear()
        if not paths:
            nothing = QListWidgetItem(_NONE)
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.recent.addItem(nothing)
        for path in paths:
            item = QListWidgetItem(one_line(f"{Path(path).name}    {Path(path).parent}"))
            item.setToolTip(tip_of(path))
            item.setData(_PATH, path)
            self.recent.addItem(item)

    def _open_recent(self, item: QListWidgetItem) -> None:
        path = item.data(_PATH)
        if path:
            self.desk.open_files([path])

    def _button(self, text: str, tip: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setMinimumWidth(_LEAST_PX)
        button.clicked.connect(lambda *_: do())
        return button

    def _lay_out(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.addWidget(plain_label("Start", role="title"))
        for button in (self.open_button, self.bench_button, self.board_button, self.compare_button):
            column.addWidget(button)
        hint = plain_label(_DROP, role="soft")
        hint.setWordWrap(True)
        column.addWidget(hint)
        column.addStretch(1)
        right = QWidget()
        files = QVBoxLayout(right)
        files.addWidget(plain_label("Recent", role="title"))
        files.addWidget(self.recent, 1)
        grid = QGridLayout()
        grid.addWidget(left, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(right, 0, 1)
        grid.setColumnStretch(1, 1)
        self.content.addLayout(grid)


_PATH: Final = Qt.ItemDataRole.UserRole
