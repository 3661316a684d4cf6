"""The line that narrows a table of cycles: words over its columns, and a range of numbers."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.explorer.filter import MOST_SIGNS, rows_of_filter
from resume_rig.gui.explorer.state import ALIASES
from resume_rig.gui.widgets.labels import ElidedLabel, plain_label, show_elided, show_text
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.worker.jobs import Task
from resume_rig.model.units import count_of

_HINT: Final = "Filter, e.g.  outcome is dark and wake by LID  or  display on above p99"


class FilterLine(QWidget):
    """Keeps rows of a table by what is typed, and by a range; both have to hold.

    Args:
        desk: of the application.
        cycles: the table; its first column is the number of the cycle.

    Attributes:
        line: is typed in. wrong: says what was not understood. pending: says that cycles are not
            judged yet, where a filter is in force.
    """

    def __init__(self, desk: Desk, cycles: TablePanel) -> None:
        super().__init__()
        self._desk, self._cycles = desk, cycles
        self._filtering: Task | None = None
        self._in_force = ""
        self._range = (0, 0)
        self._unjudged = 0
        self.line = QLineEdit()
        self.line.setPlaceholderText(_HINT)
        self.line.setAccessibleName("Filter cycles")
        self.line.setMaxLength(MOST_SIGNS)
        self.line.setClearButtonEnabled(True)
        self.line.returnPressed.connect(self.apply)
        self.line.textChanged.connect(self._cleared)
        self.wrong = plain_label(role="error")
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        self.pending = ElidedLabel(role="soft")
        self.pending.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.line)
        column.addWidget(self.wrong)
        column.addWidget(self.pending)

    def settled(self) -> bool:
        """Return whether what was typed is in force."""
        return self._filtering is None

    def apply(self) -> None:
        """Let what is typed be in force."""
        self._in_force = self.line.text()
        self.wait_for(self._unjudged)
        self.apply_again()

    def wait_for(self, unjudged: int) -> None:
        """Say of a filter in force that so many cycles are not judged yet; 0: all are."""
        self._unjudged = unjudged
        count = count_of(unjudged, "cycle")
        be = "is" if unjudged == 1 else "are"
        show_elided(self.pending, f"{count} {be} not judged yet; the filter applies again then.")
        self.pending.setVisible(bool(unjudged) and bool(self._in_force.strip()))

    def apply_again(self, *, quiet: bool = False) -> None:
        """Keep the rows anew, of a table that may have grown; quietly, where nobody asked."""
        text, table = self._in_force, self._cycles.model.table
        if self._filtering is not None:
            self._filtering.cancel()
            self._filtering = None
        if not text.strip():
            self.wrong.hide()
            self._cycles.keep(self._within_range(None))
            return

        def keep(rows: NDArray[np.bool_] | None) -> None:
            self._filtering = None
            self.wrong.hide()
            self._cycles.keep(self._within_range(rows))
            if not quiet:
                kept = count_of(len(self._cycles.model.rows), "cycle")
                self._desk.say(f"{kept} kept by the filter.")

        self._filtering = self._desk.jobs.start(
            "Filtering",
            lambda _: rows_of_filter(text, table, ALIASES),
            keep,
            self._refuse,
            quiet=quiet,
        )

    def keep_range(self, first: int, last: int) -> None:
        """Keep the cycles with these numbers and those between; (0, 0) keeps all."""
        self._range = (first, last)
        if len(self._cycles.model.table.columns):
            self.apply_again(quiet=True)

    def _within_range(self, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        first, last = self._range
        if not last:
            return rows
        numbers = self._cycles.model.table.columns[0].values.astype(np.float64)
        within: NDArray[np.bool_] = (numbers >= first) & (numbers <= last)
        return within if rows is None else within & rows

    def _refuse(self, why: str) -> None:
        self._filtering = None
        show_text(self.wrong, why)
        self.wrong.show()
        self._desk.say("The filter was not understood.")

    def _cleared(self, text: str) -> None:
        if not text:
            self.apply()
