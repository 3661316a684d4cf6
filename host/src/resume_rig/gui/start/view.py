"""The start page: what can be begun, and the files that were opened last."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QCommandLinkButton,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from resume_rig.gui.desk import RECENT, Desk
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.labels import plain_label, tip_of
from resume_rig.gui.widgets.log_setting import SIMULATED
from resume_rig.gui.widgets.page import View
from resume_rig.report.text.hostile_text import one_line

_DROP: Final = (
    "Drop stores, the PC's logs or captures of a logic analyser anywhere in this window; two stores"
    " or two captures are compared."
)
_NONE: Final = "Files that were opened stand here."
_LEAST_PX: Final = 280
_PATH: Final = Qt.ItemDataRole.UserRole


class StartView(View):
    """Left: what can be begun. Right: recent files, the newest first, and where to drop others."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.open_button = _way(
            "Open …", "Stores, logs of the PC, captures of a logic analyser (Ctrl+O)", desk.open
        )
        self.bench_button = _way(
            "Try the simulated bench",
            "A campaign on a laptop that is not real: no board is needed",
            partial(desk.go, "campaign", Target(rig=SIMULATED[1])),
        )
        self.board_button = _way(
            "Connect a board",
            "Find its port, see its wires, press once",
            partial(desk.go, "bench", Target()),
        )
        self.compare_button = _way(
            "Compare two builds",
            "Files or folders of sessions on each side",
            partial(desk.go, "compare", Target()),
        )
        self.recent = QTreeWidget()
        self.recent.setObjectName("recent")
        self.recent.setHeaderLabels(["file", "changed", "folder"])
        self.recent.setRootIsDecorated(False)
        self.recent.setUniformRowHeights(True)
        self.recent.setAllColumnsShowFocus(True)
        self.recent.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.recent.setAccessibleName("Recent files")
        self.recent.itemActivated.connect(self._open_recent)
        self.recent.itemClicked.connect(self._open_recent)
        head = self.recent.header()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setStretchLastSection(True)
        self._listed: tuple[str, ...] | None = None
        self._lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        """Look anew which of the files are still there."""
        self._listed = None
        super().showEvent(event)

    def refresh(self) -> None:
        """Show the recent files; those that are gone are left out.

        Their disks are asked once a visit, not at each frame: one may be a share that is slow.
        """
        recent = self.desk.remembered.texts(RECENT)
        if recent == self._listed:
            return
        self._listed = recent
        self.recent.clear()
        rows = [_row_of(path) for path in map(Path, recent) if path.exists()]
        self.recent.addTopLevelItems(rows)
        if rows:
            # So that arrows and Return work at once when the keyboard comes here.
            self.recent.setCurrentItem(rows[0])
        else:
            nothing = QTreeWidgetItem([_NONE])
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.recent.addTopLevelItem(nothing)

    def _open_recent(self, item: QTreeWidgetItem, *_column: int) -> None:
        path = item.data(0, _PATH)
        if path:
            self.desk.open_files([path])

    def _lay_out(self) -> None:
        column = QVBoxLayout()
        column.addWidget(plain_label("Start", role="title"))
        for button in (self.open_button, self.bench_button, self.board_button, self.compare_button):
            column.addWidget(button)
        column.addStretch(1)
        files = QVBoxLayout()
        files.setSpacing(8)
        files.addWidget(plain_label("Recent", role="title"))
        files.addWidget(self.recent, 1)
        drop = plain_label(_DROP, role="drop", wraps=True)
        drop.setAlignment(Qt.AlignmentFlag.AlignCenter)
        files.addWidget(drop)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addLayout(column)
        both.addLayout(files, 1)
        self.content.addLayout(both)


def _way(text: str, what: str, do: Callable[[], object]) -> QCommandLinkButton:
    button = QCommandLinkButton(text, what)
    nothing = QPixmap(1, 1)
    nothing.fill(Qt.GlobalColor.transparent)
    button.setIcon(QIcon(nothing))  # The style's arrow is black on black in dark colours.
    button.setMinimumWidth(_LEAST_PX)
    button.clicked.connect(lambda *_: do())
    return button


def _row_of(path: Path) -> QTreeWidgetItem:
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone()
    item = QTreeWidgetItem(
        [one_line(path.name), f"{changed:%Y-%m-%d %H:%M}", one_line(str(path.parent))]
    )
    for column in range(item.columnCount()):
        item.setToolTip(column, tip_of(str(path)))
    item.setData(0, _PATH, str(path))
    return item
